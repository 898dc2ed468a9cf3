/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as a file of exceptions: refused and left alone, or opened, asked and changed; and
 * what was changed opens again. The first byte is not part of the file: it says
 *
 *     bit 1  to take the rest for records, which become a file with right everything but records
 *     bit 2  for which language to open it
 *     bit 3  whether to put a filter in front */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/hyphen/small.h"
#include "mutate_behind.h"

static char folder[64];
static char path[80];
static ninho_hyphen_language *language;

static void clean_up(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
    ninho_hyphen_language_free(language);
}

/* In memory if there is such a place: each input is a file that is written and synced. */
static void set_up(void)
{
    static const char *const places[] = {"/dev/shm", "/tmp"};

    for (size_t i = 0; i < 2 && !language; i++) {
        (void)snprintf(folder, sizeof folder, "%s/ninho-store-XXXXXX", places[i]);
        if (!mkdtemp(folder))
            continue;
        (void)snprintf(path, sizeof path, "%s/store", folder);
        language = small_language(small_patterns, NULL, 2, 3);
        MUST(atexit(clean_up) == 0);
    }
    MUST(language);
}

/* Each record: the size of the key; a byte that stands for the value; the key. */
static void write_records(const uint8_t *bytes, size_t size)
{
    static const char mark[] = "\0hyphen-exceptions";
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict;

    MUST(ninho_dict_create(&spec, NULL, &dict, NULL) == NINHO_OK);
    MUST(ninho_dict_put(dict, mark, sizeof mark - 1, 1, NULL) == NINHO_OK);
    while (size >= 2) {
        const size_t n = bytes[0] < size - 2 ? bytes[0] : size - 2;
        const uint64_t value =
            (UINT64_C(1) << (bytes[1] & 63)) & ~(uint64_t)(bytes[1] >> 6);
        MUST(ninho_dict_put(dict, bytes + 2, n, value, NULL) == NINHO_OK);
        bytes += 2 + n;
        size -= 2 + n;
    }
    MUST(ninho_dict_save(dict, path, NULL) == NINHO_OK);
    ninho_dict_free(dict);
}

static void write_file(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    MUST(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static ninho_hyphen_exceptions *opened(const ninho_hyphen_store_options *options)
{
    ninho_hyphen_exceptions *exceptions = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_hyphen_exceptions_create(options, NULL, NULL, &exceptions, &error)) {
        MUST(error.status && error.text[0] && !exceptions);
        return NULL;
    }
    return exceptions;
}

static uint64_t count_in(const ninho_hyphen_exceptions *exceptions)
{
    ninho_hyphen_store_info info = NINHO_HYPHEN_STORE_INFO_INIT;

    MUST(ninho_hyphen_store_info_of(exceptions, &info) == NINHO_OK);
    return info.count;
}

/* Every key of the file as a word. */
static void ask(const ninho_hyphen_exceptions *exceptions)
{
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    char out[NINHO_HYPHEN_MAX_EXCEPTION];
    ninho_hyphenator *hyphenator;
    ninho_dict *dict;
    uint64_t cursor = 0;
    const void *key;
    size_t size;

    MUST(ninho_dict_open(path, NULL, &dict, NULL) == NINHO_OK);
    MUST(ninho_hyphenator_create(language, exceptions, NULL, &hyphenator, NULL) ==
         NINHO_OK);
    while (ninho_dict_next(dict, &cursor, &key, &size, NULL)) {
        const size_t n =
            ninho_hyphenator_word(hyphenator, key, size, breaks, NINHO_HYPHEN_MAX_BREAKS);
        for (size_t i = 0; i < n; i++)
            MUST(breaks[i].at > 0 && breaks[i].at < size);
        if (ninho_hyphen_exceptions_get(exceptions, key, size, out, sizeof out))
            MUST(strlen(out) >= size);
    }
    MUST(ninho_hyphenator_status(hyphenator, NULL) == NINHO_OK);
    ninho_hyphenator_free(hyphenator);
    ninho_dict_free(dict);
}

/* The file opens, and has that many words, with this one among them or not. */
static void must_hold(const ninho_hyphen_store_options *options, uint64_t n,
                      bool has_word)
{
    ninho_hyphen_exceptions *exceptions = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_hyphen_exceptions_create(options, NULL, NULL, &exceptions, &error))
        fprintf(stderr, "%s\n", error.text);
    MUST(exceptions);
    MUST(count_in(exceptions) == n);
    MUST(ninho_hyphen_exceptions_get(exceptions, "wardrobe", 8, NULL, 0) == has_word);
    ninho_hyphen_exceptions_free(exceptions);
}

static void change(const ninho_hyphen_store_options *options,
                   ninho_hyphen_exceptions *exceptions)
{
    const bool was_there =
        ninho_hyphen_exceptions_get(exceptions, "wardrobe", 8, NULL, 0);
    const uint64_t others = count_in(exceptions) - was_there;

    const ninho_status status =
        ninho_hyphen_exceptions_add(exceptions, "ward-robe", 9, NULL);
    if (status) { /* the file may bound its keys, or a table of its own size take no more */
        MUST(status == NINHO_ERR_FULL || status == NINHO_ERR_NOMEM);
        must_hold(options, others + was_there, was_there);
        return;
    }
    must_hold(options, others + 1, true);
    MUST(ninho_hyphen_exceptions_rebuild(exceptions, NULL) == NINHO_OK);
    MUST(ninho_hyphen_exceptions_remove(exceptions, "wardrobe", 8, NULL, NULL) ==
         NINHO_OK);
    must_hold(options, others, false);
}

static void must_be_untouched(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *there = malloc(size + 1);

    MUST(file && there && fread(there, 1, size + 1, file) == size);
    MUST(memcmp(there, bytes, size) == 0);
    free(there);
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_hyphen_store_options options = NINHO_HYPHEN_STORE_OPTIONS_INIT;

    if (!language)
        set_up();
    if (size == 0)
        return 0;
    const uint8_t how = bytes[0];
    uint8_t *mine = malloc(size);
    MUST(mine);
    size--;
    memcpy(mine, bytes + 1, size);
    if (how & 2)
        write_records(mine, size);
    else
        write_file(mine, size);
    options.store = NINHO_HYPHEN_FILE;
    options.path = path;
    options.language = how & 4 ? "en-us" : NULL;
    options.filter.kind = how & 8 ? NINHO_BLOOM : (ninho_kind)0;
    ninho_hyphen_exceptions *exceptions = opened(&options);
    if (exceptions) {
        ask(exceptions);
        change(&options, exceptions);
        ninho_hyphen_exceptions_free(exceptions);
    } else if (!(how & 2)) {
        must_be_untouched(mine, size);
    }
    free(mine);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed)
{
    if (size && bytes[0] & 2)
        return LLVMFuzzerMutate(bytes, size, max_size);
    return mutate_behind(bytes, size, max_size, 1, seed);
}
