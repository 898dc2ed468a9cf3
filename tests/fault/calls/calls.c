/* SPDX-License-Identifier: MIT */
/* ninho_calls CALL : one call of the library on files in the current folder, for fault_test.py.
 * Exit status 0: it succeeded; 2: it failed as it says it may, and one line tells why; 3: it failed
 * otherwise, left memory or a descriptor behind, or touched what it had to leave alone. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

enum { N_KEYS = 300, MOST_DESCRIPTORS = 64 };

/* From the preloaded library, where there is one. */
extern long ninho_shim_live_blocks(void) __attribute__((weak));

static char untouched; /* what results point to before a call */
#define UNTOUCHED ((void *)&untouched)

static _Noreturn void broken(const char *what)
{
    (void)fprintf(stderr, "broken: %s\n", what);
    exit(3);
}

static int n_descriptors(void)
{
    int n = 0;

    for (int i = 0; i < MOST_DESCRIPTORS; i++)
        n += fcntl(i, F_GETFD) >= 0;
    return n;
}

/* ---- What is saved: the same in every run --------------------------------------------------- */

static ninho_status make_filter(ninho_filter **filter, ninho_error *error)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_status status;

    spec.kind = NINHO_QUOTIENT;
    spec.capacity = N_KEYS;
    spec.fpr = .01;
    status = ninho_filter_create(&spec, NULL, filter, error);
    for (uint64_t i = 0; !status && i < N_KEYS; i++)
        status = ninho_filter_add_key(*filter, &i, sizeof i);
    return status;
}

static ninho_status make_dict(ninho_dict **dict, ninho_error *error)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_status status = ninho_dict_create(&spec, NULL, dict, error);

    for (uint64_t i = 0; !status && i < N_KEYS; i++)
        status = ninho_dict_put(*dict, &i, sizeof i, i, NULL);
    return status;
}

static ninho_status make_checked(ninho_checked **checked, ninho_error *error)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = N_KEYS;
    spec.fpr = .01;
    ninho_status status = ninho_checked_create(&spec, NULL, checked, error);
    for (uint64_t i = 0; !status && i < N_KEYS; i++)
        status = ninho_checked_add_key(*checked, &i, sizeof i, NULL);
    return status;
}

/* ---- The calls ------------------------------------------------------------------------------ */

static ninho_status filter_save(ninho_error *error)
{
    ninho_filter *filter = NULL;
    ninho_status status = make_filter(&filter, error);

    if (!status)
        status = ninho_filter_save(filter, "new.ninho", error);
    ninho_filter_free(filter);
    return status;
}

static ninho_status filter_replace(ninho_error *error)
{
    ninho_filter *filter = NULL;
    ninho_status status = make_filter(&filter, error);

    if (!status)
        status = ninho_filter_save(filter, "bloom.ninho", error);
    ninho_filter_free(filter);
    return status;
}

static ninho_status filter_open(ninho_error *error)
{
    ninho_filter *filter = UNTOUCHED;
    const ninho_status status = ninho_filter_open("bloom.ninho", NULL, &filter, error);

    if (status && filter != UNTOUCHED)
        broken("a failed open gave a filter");
    if (!status) {
        if (!ninho_filter_has_key(filter, "key 7", 5))
            broken("a key is lost");
        ninho_filter_free(filter);
    }
    return status;
}

static ninho_status filter_map(ninho_error *error)
{
    ninho_filter *filter = UNTOUCHED;
    const ninho_status status = ninho_filter_map("bloom.ninho", NULL, &filter, error);

    if (status && filter != UNTOUCHED)
        broken("a failed map gave a filter");
    if (!status) {
        if (!ninho_filter_has_key(filter, "key 7", 5))
            broken("a key is lost");
        ninho_filter_free(filter);
    }
    return status;
}

static ninho_status dict_save(ninho_error *error)
{
    ninho_dict *dict = NULL;
    ninho_status status = make_dict(&dict, error);

    if (!status)
        status = ninho_dict_save(dict, "new.ninho", error);
    ninho_dict_free(dict);
    return status;
}

static ninho_status dict_open(ninho_error *error)
{
    ninho_dict *dict = UNTOUCHED;
    const ninho_status status = ninho_dict_open("dict.ninho", NULL, &dict, error);

    if (status && dict != UNTOUCHED)
        broken("a failed open gave a dictionary");
    if (!status) {
        if (!ninho_dict_get(dict, "key 7", 5, NULL))
            broken("a key is lost");
        ninho_dict_free(dict);
    }
    return status;
}

static ninho_status checked_save(ninho_error *error)
{
    ninho_checked *checked = NULL;
    ninho_status status = make_checked(&checked, error);

    if (!status)
        status = ninho_checked_save(checked, "checked.ninho", error);
    ninho_checked_free(checked);
    return status;
}

static ninho_status checked_open(ninho_error *error)
{
    ninho_checked *checked = UNTOUCHED;
    const ninho_status status =
        ninho_checked_open("checked.ninho", NULL, &checked, error);

    if (status && checked != UNTOUCHED)
        broken("a failed open gave a checked filter");
    if (!status) {
        if (ninho_checked_copies(checked, "key 7", 5) != 1)
            broken("a key is lost");
        ninho_checked_free(checked);
    }
    return status;
}

static ninho_status probe_file(ninho_error *error)
{
    ninho_probe_info info = NINHO_PROBE_INIT;

    return ninho_probe_file("checked.ninho", &info, error);
}

/* Several files are put in their places when all of them are on the disk. */
static ninho_status file_commit(ninho_error *error)
{
    ninho_file_options options = NINHO_FILE_INIT;
    ninho_file *file = UNTOUCHED;
    ninho_file_id id;
    ninho_status status = ninho_file_identify("more", &id, error);

    if (status)
        return status;
    options.expected = &id;
    status = ninho_file_begin("more", &options, &file, error);
    if (status) {
        if (file != UNTOUCHED)
            broken("a failed begin gave a file");
        return status;
    }
    for (int i = 0; !status && i < 3; i++)
        status = ninho_file_write(file, "some bytes\n", 11, error);
    if (!status)
        status = ninho_file_sync(file, error);
    if (!status)
        return ninho_file_commit(file, error);
    ninho_file_drop(file);
    return status;
}

static ninho_status file_drop(ninho_error *error)
{
    ninho_file *file = NULL;
    ninho_status status = ninho_file_begin("more", NULL, &file, error);

    if (!status)
        status = ninho_file_write(file, "some bytes\n", 11, error);
    ninho_file_drop(file);
    return status;
}

static const struct {
    const char *name;
    ninho_status (*run)(ninho_error *error);
} calls[] = {
    {"filter_save", filter_save},   {"filter_replace", filter_replace},
    {"filter_open", filter_open},   {"filter_map", filter_map},
    {"dict_save", dict_save},       {"dict_open", dict_open},
    {"checked_save", checked_save}, {"checked_open", checked_open},
    {"probe_file", probe_file},     {"file_commit", file_commit},
    {"file_drop", file_drop},
};

int main(int argc, char **argv)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_status status = NINHO_ERR_ARG;
    const int n_open = n_descriptors();
    const long n_blocks = ninho_shim_live_blocks ? ninho_shim_live_blocks() : 0;

    for (size_t i = 0; argc == 2 && i < sizeof calls / sizeof *calls; i++)
        if (strcmp(argv[1], calls[i].name) == 0)
            status = calls[i].run(&error);
    if (n_descriptors() != n_open)
        broken("a descriptor is still open");
    if (ninho_shim_live_blocks && ninho_shim_live_blocks() != n_blocks)
        broken("memory was not given back");
    if (!status)
        return 0;
    if (status != NINHO_ERR_IO && status != NINHO_ERR_NOMEM &&
        status != NINHO_ERR_CHANGED)
        broken(ninho_status_text(status));
    (void)fprintf(stderr, "ninho: %s\n", error.text[0] ? error.text : "add failed");
    return 2;
}
