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
    bool with_attachment;
    unsigned n_copies; /* of key 0, more */
    bool is_earlier;   /* in a layout that is only read: made again, it has another */
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
    {"quotient", 200, {.kind = NINHO_QUOTIENT, .capacity = 210, .fpr = .01}, .with_meta = true, .n_copies = 7, .is_earlier = true},
    {"quotient-doubled", 300, {.kind = NINHO_QUOTIENT, .capacity = 40, .fpr = .02, .max_capacity = 400, .seed = 5}, .n_copies = 2, .is_earlier = true},
    {"quotient-united", 150, {.kind = NINHO_QUOTIENT, .capacity = 150, .fpr = .05, .key_encoding = NINHO_KEY_UUID}, .with_union = true, .is_earlier = true},
    {"fuse-3-8", 200, {.kind = NINHO_FUSE, .capacity = 200, .fpr = .01}, .with_meta = true},
    {"fuse-4-16", 200, {.kind = NINHO_FUSE, .capacity = 200, .tag_bits = 16, .arity = 4, .seed = 11}, .n_copies = 0},
    {"fuse-hashes", 90, {.kind = NINHO_FUSE, .capacity = 100, .fpr = .05, .key_encoding = NINHO_KEY_HASHES}, .n_copies = 1},
    {"ribbon", 200, {.kind = NINHO_RIBBON, .capacity = 200, .fpr = .01}, .with_meta = true},
    {"ribbon-zones", 900, {.kind = NINHO_RIBBON, .capacity = 4000, .fpr = .02, .seed = 4}, .n_copies = 1},
    {"ribbon-hand", 90, {.kind = NINHO_RIBBON, .capacity = 100, .tag_bits = 12, .key_encoding = NINHO_KEY_HASHES}, .n_copies = 0},
    {"ribbon-empty", 0, {.kind = NINHO_RIBBON, .capacity = 1, .fpr = .01}, .n_copies = 0},
    {"fuse-empty", 0, {.kind = NINHO_FUSE, .capacity = 1, .fpr = .01}, .n_copies = 0},
    {"compact", 100, {.kind = NINHO_COMPACT, .capacity = 110, .fpr = .01}, .with_meta = true, .n_copies = 9},
    {"compact-doubled", 300, {.kind = NINHO_COMPACT, .capacity = 30, .fpr = .02, .max_capacity = 500, .seed = 3}, .n_copies = 2},
    {"compact-hand", 60, {.kind = NINHO_COMPACT, .capacity = 60, .tag_bits = 20, .key_encoding = NINHO_KEY_INT64}, .n_copies = 0},
    {"attached", 100, {.kind = NINHO_BLOCKED, .capacity = 100, .fpr = .01}, .with_meta = true, .with_attachment = true},
    {"cuckoo", 150, {.kind = NINHO_CUCKOO, .capacity = 160, .fpr = .01}, .with_meta = true, .n_copies = 2},
    {"cuckoo-original", 200, {.kind = NINHO_CUCKOO, .capacity = 200, .fpr = .02, .slots = NINHO_BUCKETS, .place_slots = 4, .choice = NINHO_CHOICE_RANDOM, .search = NINHO_SEARCH_WALK, .pairing = NINHO_PAIRING_XOR, .max_kicks = 500}, .n_copies = 1},
    {"cuckoo-windows-xor", 120, {.kind = NINHO_CUCKOO, .capacity = 130, .fpr = .05, .place_slots = 3, .pairing = NINHO_PAIRING_XOR, .budget = 300, .seed = 9}, .n_copies = 0},
    {"cuckoo-windows-walk", 100, {.kind = NINHO_CUCKOO, .capacity = 100, .fpr = .03, .place_slots = 2, .choice = NINHO_CHOICE_RANDOM, .search = NINHO_SEARCH_WALK, .max_kicks = 77, .key_encoding = NINHO_KEY_INT64}, .n_copies = 0},
    {"cuckoo-set", 150, {.kind = NINHO_CUCKOO, .capacity = 150, .fpr = .05, .semantics = NINHO_SET}, .with_meta = true},
    {"cuckoo-siphash", 100, {.kind = NINHO_CUCKOO, .capacity = 110, .fpr = .01, .hash = NINHO_HASH_SIPHASH, .secret = secret}, .n_copies = 1},
    {"cuckoo-hand", 170, {.kind = NINHO_CUCKOO, .capacity = 180, .tag_bits = 13, .slots = NINHO_BUCKETS, .place_slots = 3, .n_slots = 201, .seed = 2}, .n_copies = 3},
    {"cuckoo-hand-1", 60, {.kind = NINHO_CUCKOO, .capacity = 60, .tag_bits = 9, .slots = NINHO_BUCKETS, .place_slots = 1, .n_slots = 211}, .n_copies = 0},
    {"cuckoo-nibbles", 40, {.kind = NINHO_CUCKOO, .capacity = 40, .tag_bits = 4, .slots = NINHO_BUCKETS, .place_slots = 8, .n_slots = 256, .pairing = NINHO_PAIRING_XOR}, .n_copies = 5},
    {"cuckoo-bucket-255", 300, {.kind = NINHO_CUCKOO, .capacity = 300, .tag_bits = 16, .slots = NINHO_BUCKETS, .place_slots = 255, .n_slots = 510, .pairing = NINHO_PAIRING_XOR}, .n_copies = 9},
    {"cuckoo-united", 140, {.kind = NINHO_CUCKOO, .capacity = 150, .fpr = .02, .key_encoding = NINHO_KEY_UUID}, .with_union = true},
    {"cuckoo-near", 300, {.kind = NINHO_CUCKOO, .capacity = 320, .fpr = .02, .pairing = NINHO_PAIRING_NEAR}, .with_meta = true, .n_copies = 3},
    {"cuckoo-near-16", 120, {.kind = NINHO_CUCKOO, .capacity = 130, .tag_bits = 16, .n_slots = 256, .pairing = NINHO_PAIRING_NEAR, .key_encoding = NINHO_KEY_INT64, .seed = 4}, .n_copies = 1},
    {"scalable-cuckoo", 400, {.kind = NINHO_SCALABLE, .capacity = 20, .fpr = .05, .base = NINHO_CUCKOO}, .with_meta = true, .n_copies = 2},
    {"scalable-cuckoo-set", 300, {.kind = NINHO_SCALABLE, .capacity = 16, .fpr = .1, .base = NINHO_CUCKOO, .growth = 3, .slots = NINHO_BUCKETS, .semantics = NINHO_SET, .seed = 6}, .n_copies = 0},
    {"attached-cuckoo", 40, {.kind = NINHO_CUCKOO, .capacity = 50, .fpr = .02}, .with_attachment = true},
    {"attached-scalable", 200, {.kind = NINHO_SCALABLE, .capacity = 30, .fpr = .05}, .with_attachment = true},
    {"quotient-2", 200, {.kind = NINHO_QUOTIENT, .capacity = 210, .fpr = .01}, .with_meta = true, .n_copies = 7},
    {"quotient-2-doubled", 300, {.kind = NINHO_QUOTIENT, .capacity = 40, .fpr = .02, .max_capacity = 400, .seed = 5}, .n_copies = 2},
    {"quotient-2-united", 150, {.kind = NINHO_QUOTIENT, .capacity = 150, .fpr = .05, .key_encoding = NINHO_KEY_UUID}, .with_union = true},
};
/* clang-format on */
#define N_GOLDENS (sizeof goldens / sizeof *goldens)

enum { ATTACHMENT_SIZE = 301 };

static const uint8_t *attachment(void)
{
    static uint8_t bytes[ATTACHMENT_SIZE];

    for (size_t i = 0; i < ATTACHMENT_SIZE; i++)
        bytes[i] = (uint8_t)mix64(i);
    return bytes;
}

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

/* The hash of key i, without a filter. */
static uint64_t hash_of(const struct golden *golden, uint64_t i)
{
    ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = golden->spec.seed};
    uint8_t key[32];

    if (golden->spec.key_encoding == NINHO_KEY_HASHES)
        return mix64(i);
    return ninho_hash_bytes(&hasher, key, key_of(golden, i, key));
}

/* For kinds that are only built. */
static ninho_filter *build(const struct golden *golden, const ninho_spec *spec)
{
    const size_t n = golden->n_keys + golden->n_copies;
    uint64_t *hashes = malloc((n + 1) * sizeof *hashes);
    ninho_filter *filter = NULL;

    CHECK(hashes);
    for (size_t i = 0; i < n; i++)
        hashes[i] = hash_of(golden, i < golden->n_keys ? i : 0);
    CHECK_OK(ninho_filter_build(spec, hashes, n, NULL, &filter, NULL));
    free(hashes);
    return filter;
}

static ninho_filter *fill(const struct golden *golden, const ninho_spec *spec)
{
    ninho_filter *filter = NULL, *other = NULL;

    CHECK_OK(ninho_filter_create(spec, NULL, &filter, NULL));
    if (golden->with_union) {
        CHECK_OK(ninho_filter_create(spec, NULL, &other, NULL));
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
    return filter;
}

static ninho_filter *make(const struct golden *golden)
{
    ninho_spec spec = golden->spec;

    spec.size_of_struct = sizeof spec;
    const bool can_add = (ninho_kind_can(spec.kind) & NINHO_CAN_ADD) != 0;
    ninho_filter *filter = can_add ? fill(golden, &spec) : build(golden, &spec);
    if (golden->with_attachment)
        CHECK_OK(ninho_filter_set_attachment(filter, attachment(), ATTACHMENT_SIZE));
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
        if (!g->is_earlier)
            CHECK_U64(made_size, file_size);
        for (size_t i = 0; !g->is_earlier && i < file_size; i++)
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
        size_t attached_size = 1;
        const void *attached = ninho_filter_attachment(read, &attached_size);
        CHECK_U64(attached_size, g->with_attachment ? ATTACHMENT_SIZE : 0);
        CHECK(!attached_size || memcmp(attached, attachment(), attached_size) == 0);
        if (ninho_kind_can(g->spec.kind) & NINHO_CAN_REMOVE && g->n_keys &&
            !g->spec.secret)
            CHECK(ninho_filter_copies(read, hash_of(g, 0)) >= 1 + g->n_copies);
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

/* ---- Dictionaries -------------------------------------------------------------------------- */

struct golden_dict {
    const char *name;
    size_t n_keys;
    ninho_dict_spec spec;
};

/* clang-format off */
static const struct golden_dict golden_dicts[] = {
    {"dict-chain", 60, {.kind = NINHO_CHAIN}},
    {"dict-chain-8", 60, {.kind = NINHO_CHAIN, .key_size = 8}},
    {"dict-probe", 60, {.kind = NINHO_PROBE}},
    {"dict-probe-8", 60, {.kind = NINHO_PROBE, .key_size = 8, .key_encoding = NINHO_KEY_INT64}},
    {"dict-probe-16", 40, {.kind = NINHO_PROBE, .key_size = 16, .key_encoding = NINHO_KEY_UUID, .seed = 77}},
    {"dict-probe-siphash", 40, {.kind = NINHO_PROBE, .hash = NINHO_HASH_SIPHASH, .secret = secret}},
    {"dict-probe-empty", 0, {.kind = NINHO_PROBE}},
    {"dict-cuckoo", 60, {.kind = NINHO_CUCKOO_TABLE}},
    {"dict-cuckoo-8", 60, {.kind = NINHO_CUCKOO_TABLE, .key_size = 8}},
    {"dict-cuckoo-3", 50, {.kind = NINHO_CUCKOO_TABLE, .n_functions = 3, .bucket_size = 2, .stash_size = 4, .max_capacity = 50, .hash = NINHO_HASH_XXH3, .seed = 4}},
};
/* clang-format on */
#define N_GOLDEN_DICTS (sizeof golden_dicts / sizeof *golden_dicts)

/* Key i: of one size, or text of many lengths, the empty one among them. */
static size_t dict_key_of(const struct golden_dict *golden, uint64_t i, uint8_t key[64])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

    if (golden->spec.key_size) {
        for (size_t byte = 0; byte < golden->spec.key_size; byte++)
            key[byte] = (uint8_t)(mix64(i + byte / 8) >> (8 * (byte % 8)));
        return golden->spec.key_size;
    }
    if (i == 0)
        return 0;
    return (size_t)snprintf((char *)key, 64, "%llu%.*s", (unsigned long long)i,
                            (int)(i % 27), letters);
}

static uint64_t dict_value_of(uint64_t i)
{
    return i % 5 ? mix64(~i) : i;
}

static ninho_dict *make_dict(const struct golden_dict *golden)
{
    ninho_dict_spec spec = golden->spec;
    ninho_dict *dict = NULL;
    uint8_t key[64];

    spec.size_of_struct = sizeof spec;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    for (uint64_t i = 0; i < golden->n_keys; i++)
        CHECK_OK(ninho_dict_put(dict, key, dict_key_of(golden, i, key), dict_value_of(i),
                                NULL));
    return dict;
}

static const char *dict_path_of(const struct golden_dict *golden, const char *folder,
                                char path[512])
{
    CHECK(snprintf(path, 512, "%s/%s.ninho", folder, golden->name) < 512);
    return path;
}

/* The content, the spec and nothing else. */
static void check_dict(const struct golden_dict *golden, const ninho_dict *dict)
{
    const ninho_dict_spec *spec = &golden->spec;
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    uint64_t value, cursor = 0;
    uint8_t key[64];
    size_t n_seen = 0;

    CHECK_OK(ninho_dict_verify(dict, NULL));
    CHECK_OK(ninho_dict_info_of(dict, &info));
    CHECK_U64(info.kind, spec->kind);
    CHECK_U64(info.hash, spec->hash);
    CHECK_U64(info.key_size, spec->key_size);
    CHECK_U64(info.key_encoding,
              spec->key_encoding ? spec->key_encoding : NINHO_KEY_BYTES);
    CHECK_U64(info.max_capacity, spec->max_capacity);
    CHECK_U64(info.seed, spec->seed);
    CHECK_U64(info.count, golden->n_keys);
    for (uint64_t i = 0; i < 1000; i++) {
        value = 0;
        CHECK(ninho_dict_get(dict, key, dict_key_of(golden, i, key), &value) ==
              (i < golden->n_keys));
        CHECK_U64(value, i < golden->n_keys ? dict_value_of(i) : 0);
    }
    while (ninho_dict_next(dict, &cursor, NULL, NULL, NULL))
        n_seen++;
    CHECK_U64(n_seen, golden->n_keys);
}

/* A file holds its entries in the order of the table that wrote it, which is not the same on every
 * machine: what is compared is the content. */
static void golden_dicts_are_read_for_ever(void **state)
{
    (void)state;
    for (const struct golden_dict *g = golden_dicts; g < golden_dicts + N_GOLDEN_DICTS;
         g++) {
        ninho_open_options open = NINHO_OPEN_INIT;
        ninho_dict *read = NULL, *again = NULL;
        size_t size;
        char path[512];
        test_where("%s", g->name);
        dict_path_of(g, NINHO_SOURCE_DIR "/tests/golden/v1", path);
        open.secret = g->spec.secret;
        CHECK_OK(ninho_dict_open(path, &open, &read, NULL));
        check_dict(g, read);
        uint8_t *bytes = malloc(ninho_dict_encoded_size(read));
        CHECK(bytes);
        CHECK_OK(ninho_dict_encode(read, bytes, ninho_dict_encoded_size(read), &size));
        CHECK_U64(size, file_size(path));
        CHECK_OK(ninho_dict_decode(bytes, size, &open, &again, NULL));
        check_dict(g, again);
        ninho_dict *made = make_dict(g);
        check_dict(g, made);
        CHECK_U64(ninho_dict_encoded_size(made), file_size(path));
        free(bytes);
        ninho_dict_free(made);
        ninho_dict_free(again);
        ninho_dict_free(read);
    }
}

static void golden_files_are_small(void **state)
{
    (void)state;
    for (const struct golden *g = goldens; g < goldens + N_GOLDENS; g++) {
        char path[512];
        test_where("%s", g->name);
        CHECK(file_size(path_of(g, NINHO_SOURCE_DIR "/tests/golden/v1", path)) < 4096);
    }
    for (const struct golden_dict *g = golden_dicts; g < golden_dicts + N_GOLDEN_DICTS;
         g++) {
        char path[512];
        test_where("%s", g->name);
        CHECK(file_size(dict_path_of(g, NINHO_SOURCE_DIR "/tests/golden/v1", path)) <
              4096);
    }
}

static int write_dicts(const char *folder)
{
    for (const struct golden_dict *g = golden_dicts; g < golden_dicts + N_GOLDEN_DICTS;
         g++) {
        ninho_dict *dict = make_dict(g);
        ninho_error error = NINHO_ERROR_INIT;
        char path[512];
        const ninho_status status =
            ninho_dict_save(dict, dict_path_of(g, folder, path), &error);
        ninho_dict_free(dict);
        if (status) {
            fprintf(stderr, "%s: %s\n", path, error.text);
            return 1;
        }
    }
    return 0;
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
        ninho_error error = NINHO_ERROR_INIT;
        if (!g->is_earlier &&
            ninho_filter_save(filter, path_of(g, folder, path), &error)) {
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
    return fclose(answers) ? 1 : write_dicts(folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files_are_read_for_ever),
        cmocka_unit_test(golden_files_err_where_they_did),
        cmocka_unit_test(golden_dicts_are_read_for_ever),
        cmocka_unit_test(golden_files_are_small),
    };

    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_all(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
