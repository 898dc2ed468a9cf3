/* SPDX-License-Identifier: MIT */
/* Files, as one plain C program in the manner of conformance.c, for every machine that has them. It
 * works in the folder in which it is started. */
#ifdef ONE_FILE
#include <ninho.h>
#else
#include <ninho/file.h>
#include <ninho/ninho.h>
#include <ninho/probe.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 20000

static unsigned n_passed, n_failed;

static void check(int holds, const char *what, int line)
{
    if (holds) {
        n_passed++;
        return;
    }
    printf("files.c:%d: %s\n", line, what);
    n_failed++;
}
#define CHECK(holds) check((holds) != 0, #holds, __LINE__)

static ninho_error error;

static ninho_filter *filled(ninho_kind kind, uint64_t n)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;

    spec.kind = kind;
    spec.capacity = N;
    spec.fpr = 0.01;
    CHECK(ninho_filter_create(&spec, NULL, &filter, &error) == NINHO_OK);
    if (!filter)
        exit(1);
    for (uint64_t i = 0; i < n; i++)
        ninho_filter_add_key(filter, &i, sizeof i);
    return filter;
}

static void check_all_there(const ninho_filter *filter, uint64_t n)
{
    uint64_t n_lost = 0;

    for (uint64_t i = 0; i < n; i++)
        n_lost += !ninho_filter_has_key(filter, &i, sizeof i);
    CHECK(n_lost == 0);
    CHECK(ninho_filter_count(filter) == n);
}

static int is_there(const char *path)
{
    ninho_file_id id;

    return ninho_file_identify(path, &id, NULL) == NINHO_OK;
}

static void check_path(const char *path)
{
    ninho_filter *small = filled(NINHO_QUOTIENT, 10), *large = filled(NINHO_QUOTIENT, N);
    ninho_filter *found = NULL;
    ninho_probe_info info = NINHO_PROBE_INIT;

    CHECK(ninho_filter_open(path, NULL, &found, &error) == NINHO_ERR_IO);
    CHECK(ninho_filter_save(small, path, &error) == NINHO_OK);
    CHECK(ninho_filter_save(large, path, &error) == NINHO_OK); /* replaced */
    CHECK(ninho_probe_file(path, &info, &error) == NINHO_OK && info.is_filter);
    CHECK(ninho_filter_open(path, NULL, &found, &error) == NINHO_OK);
    if (found)
        check_all_there(found, N);
    ninho_filter_free(found);
    found = NULL;
    CHECK(ninho_filter_map(path, NULL, &found, &error) == NINHO_OK);
    if (found)
        check_all_there(found, N);
    CHECK(found && ninho_filter_verify(found, &error) == NINHO_OK);
    ninho_filter_free(found);
    CHECK(ninho_filter_save(small, path, &error) ==
          NINHO_OK); /* it is no longer mapped */
    ninho_filter_free(small);
    ninho_filter_free(large);
}

static void check_replacing(const char *path)
{
    ninho_file *file = NULL;
    ninho_file_id id;
    ninho_file_options options = NINHO_FILE_INIT;
    char written[300];

    /* Dropped: nothing has changed, and nothing is left. */
    CHECK(ninho_file_identify(path, &id, &error) == NINHO_OK);
    CHECK(ninho_file_begin(path, NULL, &file, &error) == NINHO_OK);
    CHECK(ninho_file_write(file, "abc", 3, &error) == NINHO_OK);
    CHECK(ninho_file_descriptor(file) >= 0);
    const char *name = ninho_file_temporary(file);
    snprintf(written, sizeof written, "%s", name ? name : "nowhere");
    CHECK(!name || is_there(written));
    ninho_file_drop(file);
    CHECK(!is_there(written) && is_there(path));

    /* Somebody else was quicker. */
    options.expected = &id;
    CHECK(ninho_file_begin(path, &options, &file, &error) == NINHO_OK);
    CHECK(ninho_file_write(file, "abc", 3, &error) == NINHO_OK);
    ninho_filter *other = filled(NINHO_BLOCKED, 5);
    CHECK(ninho_filter_save(other, path, &error) == NINHO_OK);
    CHECK(ninho_file_commit(file, &error) == NINHO_ERR_CHANGED);
    ninho_filter_free(other);
    ninho_filter *found = NULL;
    CHECK(ninho_filter_open(path, NULL, &found, &error) == NINHO_OK);
    CHECK(found && ninho_filter_count(found) == 5);
    ninho_filter_free(found);

    /* What is no filter is not taken for one; a folder is not read or replaced. */
    CHECK(ninho_file_begin(path, NULL, &file, &error) == NINHO_OK);
    CHECK(ninho_file_write(file, "a\r\nb\n", 5, &error) == NINHO_OK);
    CHECK(ninho_file_commit(file, &error) == NINHO_OK);
    FILE *stream = fopen(path, "rb");
    CHECK(stream && fread(written, 1, sizeof written, stream) == 5);
    CHECK(memcmp(written, "a\r\nb\n", 5) == 0);
    if (stream)
        fclose(stream);
    found = NULL;
    CHECK(ninho_filter_open(path, NULL, &found, &error) == NINHO_ERR_FORMAT);
    CHECK(ninho_filter_map(path, NULL, &found, &error) == NINHO_ERR_FORMAT);
    CHECK(ninho_filter_open(".", NULL, &found, &error) == NINHO_ERR_ARG);
    CHECK(ninho_file_begin(".", NULL, &file, &error) == NINHO_ERR_ARG);
    CHECK(ninho_file_begin("no-such-folder/x", NULL, &file, &error) == NINHO_ERR_IO);
}

static void check_dict(const char *path)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL, *found = NULL;
    uint64_t value = 0;

    CHECK(ninho_dict_create(&spec, NULL, &dict, &error) == NINHO_OK);
    CHECK(ninho_dict_put(dict, "key", 3, 7, NULL) == NINHO_OK);
    CHECK(ninho_dict_save(dict, path, &error) == NINHO_OK);
    CHECK(ninho_dict_open(path, NULL, &found, &error) == NINHO_OK);
    CHECK(found && ninho_dict_get(found, "key", 3, &value) && value == 7);
    ninho_dict_free(dict);
    ninho_dict_free(found);
}

int main(void)
{
    const char *path = "embed-files.ninho";

    remove(path);
    check_path(path);
    check_replacing(path);
    check_dict(path);
    remove(path);
#ifndef _WIN32 /* whose remove() does not take UTF-8 */
    remove("embed-\303\251.ninho");
#endif
    check_path("embed-\303\251.ninho");
#ifndef _WIN32
    remove("embed-\303\251.ninho");
#endif
    printf("%u passed, %u failed\n", n_passed, n_failed);
    return n_failed != 0;
}
