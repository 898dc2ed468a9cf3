/* SPDX-License-Identifier: MIT */
/* Files of every released format version, kept for ever in v1/: each is opened, answers as it did
 * when it was written, encodes to the same bytes again, and is made again from its spec, byte for
 * byte, on every machine.
 *
 *     golden_golden_test --write FOLDER
 *
 * writes them (the target golden-make does it for v1/). A file that is there never changes once
 * its version is released; new ones are added. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t secret[NINHO_SECRET_BYTES] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
                                                   0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb,
                                                   0xcc, 0xdd, 0xee, 0xff};

struct golden {
    const char *name;
    size_t n_keys;
    ninho_spec spec;
    /* what is done after the keys are in */
    bool with_meta;
    bool with_union;
    unsigned n_copies; /* of key 0, more */
};

/* clang-format off */
static const struct golden goldens[] = {
    {"bloom", 200, {.kind = NINHO_BLOOM, .capacity = 200, .fpr = .01}, .with_meta = true},
    {"bloom-empty", 0, {.kind = NINHO_BLOOM, .capacity = 1, .fpr = .5}, .n_copies = 0},
    {"bloom-floor", 150, {.kind = NINHO_BLOOM, .capacity = 150, .fpr = .001, .k_rule = NINHO_K_FLOOR}, .n_copies = 0},
    {"bloom-hand", 100, {.kind = NINHO_BLOOM, .capacity = 100, .n_bits = 1009, .n_hashes = 5}, .n_copies = 0},
    {"bloom-seed", 100, {.kind = NINHO_BLOOM, .capacity = 100, .fpr = .1, .seed = UINT64_C(0xfedcba9876543210)}, .n_copies = 0},
    {"bloom-siphash", 100, {.kind = NINHO_BLOOM, .capacity = 100, .fpr = .02, .hash = NINHO_HASH_SIPHASH, .secret = secret}, .with_meta = true},
    {"bloom-united", 300, {.kind = NINHO_BLOOM, .capacity = 300, .fpr = .05}, .with_union = true},
    {"bloom-kmer", 64, {.kind = NINHO_BLOOM, .capacity = 64, .fpr = .01, .key_encoding = NINHO_KEY_KMER}, .with_meta = true},
    {"blocked", 200, {.kind = NINHO_BLOCKED, .capacity = 200, .fpr = .01}, .with_meta = true},
    {"blocked-parquet", 120, {.kind = NINHO_BLOCKED, .capacity = 120, .fpr = .02, .hash = NINHO_HASH_XXH64}, .n_copies = 0},
    {"blocked-int64", 90, {.kind = NINHO_BLOCKED, .capacity = 90, .fpr = .05, .key_encoding = NINHO_KEY_INT64}, .n_copies = 0},
    {"blocked-hashes", 90, {.kind = NINHO_BLOCKED, .capacity = 90, .fpr = .05, .key_encoding = NINHO_KEY_HASHES}, .n_copies = 0},
    {"counting", 100, {.kind = NINHO_COUNTING, .capacity = 100, .fpr = .01}, .with_meta = true},
    {"counting-saturated", 50, {.kind = NINHO_COUNTING, .capacity = 51, .n_bits = 501, .n_hashes = 6}, .n_copies = 40},
    {"counting-uuid", 60, {.kind = NINHO_COUNTING, .capacity = 60, .fpr = .1, .key_encoding = NINHO_KEY_UUID}, .n_copies = 3},
    {"scalable", 400, {.kind = NINHO_SCALABLE, .capacity = 30, .fpr = .02}, .with_meta = true},
    {"scalable-bloom", 500, {.kind = NINHO_SCALABLE, .capacity = 20, .fpr = .05, .base = NINHO_BLOOM, .growth = 3, .seed = 9}, .n_copies = 2},
    {"scalable-siphash", 40, {.kind = NINHO_SCALABLE, .capacity = 16, .fpr = .1, .hash = NINHO_HASH_SIPHASH, .secret = secret}, .n_copies = 0},
};
/* clang-format on */
#define N_GOLDENS (sizeof goldens / sizeof *goldens)

/* Key i: text where keys are bytes, numbers of 8 or 16 bytes elsewhere. */
static size_t key_of(const struct golden *golden, uint64_t i, uint8_t key[32])
{
    switch (golden->spec.key_encoding) {
    case NINHO_KEY_INT64:
    case NINHO_KEY_UUID: {
        const size_t size = golden->spec.key_encoding == NINHO_KEY_UUID ? 16 : 8;
        for (size_t byte = 0; byte < size; byte++)
            key[byte] = (uint8_t)(mix64(i + byte / 8) >> (8 * (byte % 8)));
        return size;
    }
    default:
        return (size_t)snprintf((char *)key, 32, "key number %llu",
                                (unsigned long long)i);
    }
}

static void add(const struct golden *golden, ninho_filter *filter, uint64_t i)
{
    uint8_t key[32];

    if (golden->spec.key_encoding == NINHO_KEY_HASHES)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    else
        CHECK_OK(ninho_filter_add_key(filter, key, key_of(golden, i, key)));
}

static bool has(const struct golden *golden, const ninho_filter *filter, uint64_t i)
{
    uint8_t key[32];

    if (golden->spec.key_encoding == NINHO_KEY_HASHES)
        return ninho_filter_has(filter, mix64(i));
    return ninho_filter_has_key(filter, key, key_of(golden, i, key));
}

static ninho_filter *make(const struct golden *golden)
{
    ninho_spec spec = golden->spec;
    ninho_filter *filter = NULL, *other = NULL;

    spec.size_of_struct = sizeof spec;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    if (golden->with_union) {
        CHECK_OK(ninho_filter_create(&spec, NULL, &other, NULL));
        for (uint64_t i = 0; i < golden->n_keys; i++)
            add(golden, i % 2 ? filter : other, i);
        CHECK_OK(ninho_filter_union(filter, other, NULL));
        ninho_filter_free(other);
    } else {
        for (uint64_t i = 0; i < golden->n_keys; i++)
            add(golden, filter, i);
    }
    for (unsigned i = 0; i < golden->n_copies; i++)
        add(golden, filter, 0);
    if (golden->with_meta) {
        CHECK_OK(ninho_filter_set_meta(filter, "made.for", "the tests: caf\xc3\xa9"));
        CHECK_OK(ninho_filter_set_meta(filter, "k", "31"));
    }
    return filter;
}

static const char *path_of(const struct golden *golden, const char *folder,
                           char path[512])
{
    CHECK(snprintf(path, 512, "%s/%s.ninho", folder, golden->name) < 512);
    return path;
}

static void golden_files_are_read_for_ever(void **state)
{
    (void)state;
    for (const struct golden *g = goldens; g < goldens + N_GOLDENS; g++) {
        ninho_open_options open = NINHO_OPEN_INIT;
        ninho_filter *made = make(g), *read = NULL;
        size_t file_size, made_size, read_size;
        char path[512];
        test_where("%s", g->name);
        path_of(g, NINHO_SOURCE_DIR "/tests/golden/v1", path);
        open.secret = g->spec.secret;
        CHECK_OK(ninho_filter_open(path, &open, &read, NULL));
        CHECK_OK(ninho_filter_verify(read, NULL));
        uint8_t *file_bytes = file_read(path, &file_size);
        uint8_t *made_bytes = encoded(made, &made_size);
        uint8_t *read_bytes = encoded(read, &read_size);
        CHECK_U64(read_size, file_size);
        CHECK(memcmp(read_bytes, file_bytes, file_size) == 0);
        CHECK_U64(made_size, file_size);
        for (size_t i = 0; i < file_size; i++)
            if (made_bytes[i] != file_bytes[i])
                test_fail(__FILE__, __LINE__, "made again, it differs at byte %zu", i);
        size_t n_false = 0;
        for (uint64_t i = 0; i < 5000; i++) {
            const bool answer = has(g, read, i);
            CHECK(answer || i >= g->n_keys);
            CHECK(answer == has(g, made, i));
            n_false += answer && i >= g->n_keys;
        }
        CHECK((double)n_false < .25 * 5000);
        char value[64] = "";
        ninho_filter_meta(read, "made.for", value, sizeof value, NULL);
        CHECK(strcmp(value, g->with_meta ? "the tests: caf\xc3\xa9" : "") == 0);
        free(file_bytes);
        free(made_bytes);
        free(read_bytes);
        ninho_filter_free(made);
        ninho_filter_free(read);
    }
}

/* The answers as they were when the files were written: for each file the absent keys from 1,000
 * to 1,999 that it takes for members. tests/format/reader_test.py reads the same list. */
static void golden_files_err_where_they_did(void **state)
{
    size_t size;
    uint8_t *bytes = file_read(NINHO_SOURCE_DIR "/tests/golden/v1/answers.txt", &size);
    char *text = calloc(1, size + 1);

    (void)state;
    CHECK(text);
    memcpy(text, bytes, size);
    for (const struct golden *g = goldens; g < goldens + N_GOLDENS; g++) {
        ninho_open_options open = NINHO_OPEN_INIT;
        ninho_filter *read = NULL;
        char path[512], line[4096], name[64];
        size_t n = (size_t)snprintf(line, sizeof line, "\n%s:", g->name);
        test_where("%s", g->name);
        snprintf(name, sizeof name, "\n%s:", g->name);
        open.secret = g->spec.secret;
        path_of(g, NINHO_SOURCE_DIR "/tests/golden/v1", path);
        CHECK_OK(ninho_filter_map(path, &open, &read, NULL));
        for (uint64_t i = 1000; i < 2000 && n < sizeof line - 32; i++)
            if (has(g, read, i))
                n += (size_t)snprintf(line + n, sizeof line - n, " %llu",
                                      (unsigned long long)i);
        snprintf(line + n, sizeof line - n, "\n");
        CHECK(strstr(text, name));
        CHECK(strstr(text, line));
        ninho_filter_free(read);
    }
    free(text);
    free(bytes);
}

static void golden_files_are_small(void **state)
{
    (void)state;
    for (const struct golden *g = goldens; g < goldens + N_GOLDENS; g++) {
        char path[512];
        test_where("%s", g->name);
        CHECK(file_size(path_of(g, NINHO_SOURCE_DIR "/tests/golden/v1", path)) < 4096);
    }
}

static int write_all(const char *folder)
{
    char path[512];

    snprintf(path, sizeof path, "%s/answers.txt", folder);
    FILE *answers = fopen(path, "w");
    if (!answers) {
        perror(path);
        return 1;
    }
    fprintf(answers,
            "# For each file, the absent keys 1000 to 1999 that it takes for members.\n");
    for (const struct golden *g = goldens; g < goldens + N_GOLDENS; g++) {
        ninho_filter *filter = make(g);
        ninho_error error = {.text = ""};
        if (ninho_filter_save(filter, path_of(g, folder, path), &error)) {
            fprintf(stderr, "%s: %s\n", path, error.text);
            fclose(answers);
            return 1;
        }
        fprintf(answers, "%s:", g->name);
        for (uint64_t i = 1000; i < 2000; i++)
            if (has(g, filter, i))
                fprintf(answers, " %llu", (unsigned long long)i);
        fprintf(answers, "\n");
        ninho_filter_free(filter);
    }
    return fclose(answers) ? 1 : 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files_are_read_for_ever),
        cmocka_unit_test(golden_files_err_where_they_did),
        cmocka_unit_test(golden_files_are_small),
    };

    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_all(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
