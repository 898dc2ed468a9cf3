/* SPDX-License-Identifier: MIT */
#include "conform/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/le.h"

#define LN2 0.693147180559945309417

/* What ninho_spec_original() sets. */
#define ORIGINAL                                                             \
    .slots = NINHO_BUCKETS, .place_slots = 4, .choice = NINHO_CHOICE_RANDOM, \
    .search = NINHO_SEARCH_WALK, .pairing = NINHO_PAIRING_XOR, .max_kicks = 500

/* One line for each; a new family of filters adds its own here and nowhere else. */
/* clang-format off */
const struct family families[] = {
    {"bloom, best k",          {.kind = NINHO_BLOOM}, 0, 0},
    {"bloom, floor k",         {.kind = NINHO_BLOOM, .k_rule = NINHO_K_FLOOR}, 0, 0},
    {"bloom, odd m by hand",   {.kind = NINHO_BLOOM}, 1.05, 0},
    {"blocked",                {.kind = NINHO_BLOCKED}, 0, 0},
    {"counting",               {.kind = NINHO_COUNTING}, 0, 0},
    {"scalable over blocked",  {.kind = NINHO_SCALABLE}, 0, 0},
    {"scalable over bloom",    {.kind = NINHO_SCALABLE, .base = NINHO_BLOOM, .growth = 4}, 0, 0},
    {"bloom, siphash",         {.kind = NINHO_BLOOM, .hash = NINHO_HASH_SIPHASH}, 0, 0},
    {"blocked, xxh64, hashes", {.kind = NINHO_BLOCKED, .hash = NINHO_HASH_XXH64, .key_encoding = NINHO_KEY_HASHES}, 0, 0},
    {"blocked, xxh64",         {.kind = NINHO_BLOCKED, .hash = NINHO_HASH_XXH64, .key_encoding = NINHO_KEY_BYTES}, 0, 0},
    {"counting, int64",        {.kind = NINHO_COUNTING, .key_encoding = NINHO_KEY_INT64}, 0, 0},
    {"scalable, uuid",         {.kind = NINHO_SCALABLE, .key_encoding = NINHO_KEY_UUID}, 0, 0},
    {"quotient",               {.kind = NINHO_QUOTIENT}, 0, 1},
    {"quotient, doubling",     {.kind = NINHO_QUOTIENT}, 0, 100},
    {"compact",                {.kind = NINHO_COMPACT}, 0, 1},
    {"compact, doubling",      {.kind = NINHO_COMPACT}, 0, 100},
    {"cuckoo",                 {.kind = NINHO_CUCKOO}, 0, 1},
    {"cuckoo, original",       {.kind = NINHO_CUCKOO, ORIGINAL}, 0, 1},
    {"cuckoo, room",           {.kind = NINHO_CUCKOO, .key_encoding = NINHO_KEY_INT64}, 0, 12},
    {"cuckoo, original, room", {.kind = NINHO_CUCKOO, ORIGINAL}, 0, 12},
    {"cuckoo, buckets, bfs",   {.kind = NINHO_CUCKOO, .slots = NINHO_BUCKETS, .choice = NINHO_CHOICE_EMPTIER}, 0, 12},
    {"cuckoo, windows, xor",   {.kind = NINHO_CUCKOO, .place_slots = 3, .pairing = NINHO_PAIRING_XOR, .budget = 300}, 0, 12},
    {"cuckoo, speed",          {.kind = NINHO_CUCKOO, .prefer = NINHO_PREFER_SPEED}, 0, 12},
    {"cuckoo, speed, walk",    {.kind = NINHO_CUCKOO, .prefer = NINHO_PREFER_SPEED, .search = NINHO_SEARCH_WALK, .choice = NINHO_CHOICE_RANDOM, .key_encoding = NINHO_KEY_INT64}, 0, 12},
    {"cuckoo, windows, walk",  {.kind = NINHO_CUCKOO, .place_slots = 2, .search = NINHO_SEARCH_WALK, .hash = NINHO_HASH_SIPHASH}, 0, 12},
    {"cuckoo, set",            {.kind = NINHO_CUCKOO, .semantics = NINHO_SET}, 0, 12},
    {"scalable over cuckoo",   {.kind = NINHO_SCALABLE, .base = NINHO_CUCKOO}, 0, 0},
    {"scalable, cuckoo, set",  {.kind = NINHO_SCALABLE, .base = NINHO_CUCKOO, .growth = 3, .semantics = NINHO_SET}, 0, 0},
};

const struct family static_families[] = {
    {"fuse, 3 slots",          {.kind = NINHO_FUSE}, 0, 0},
    {"fuse, 4 slots",          {.kind = NINHO_FUSE, .arity = 4}, 0, 0},
    {"fuse, siphash",          {.kind = NINHO_FUSE, .hash = NINHO_HASH_SIPHASH}, 0, 0},
    {"ribbon",                 {.kind = NINHO_RIBBON}, 0, 0},
    {"ribbon, siphash",        {.kind = NINHO_RIBBON, .hash = NINHO_HASH_SIPHASH}, 0, 0},
};
/* clang-format on */
const size_t n_families = sizeof families / sizeof families[0];
const size_t n_static_families = sizeof static_families / sizeof static_families[0];

static const uint8_t *secret_for(uint64_t seed)
{
    static uint8_t secrets[256][NINHO_SECRET_BYTES];
    uint8_t *secret = secrets[seed % 256];

    for (size_t i = 0; i < NINHO_SECRET_BYTES; i++)
        secret[i] = (uint8_t)(mix64(seed % 256 + 1) >> (i % 8 * 8)) ^ (uint8_t)(i * 37);
    return secret;
}

ninho_spec family_spec(const struct family *family, uint64_t capacity, double fpr,
                       uint64_t seed)
{
    ninho_spec spec = family->spec;

    spec.size_of_struct = sizeof spec;
    spec.capacity = capacity;
    spec.fpr = fpr;
    if (spec.hash == NINHO_HASH_SIPHASH)
        spec.secret = secret_for(seed);
    else
        spec.seed = seed;
    if (family->room > 1 && spec.kind == NINHO_CUCKOO) {
        const uint64_t most = (UINT64_C(1) << 44) / family->room;
        ninho_plan plan = NINHO_PLAN_INIT;
        ninho_spec large = spec;
        large.capacity =
            capacity < LEAST_SLOTS / family->room ? LEAST_SLOTS : capacity * family->room;
        large.fpr = .01;
        if (capacity <= most && ninho_filter_plan(&large, &plan, NULL) == NINHO_OK)
            spec.n_slots = plan.n_cells;
    } else if (family->room > 1) {
        const uint64_t most = UINT64_C(1) << 48;
        spec.max_capacity = capacity < LEAST_ROOM / family->room ? LEAST_ROOM
                            : capacity < most / family->room     ? capacity * family->room
                                                                 : most;
    }
    if (family->bits_by_hand > 0) {
        const double bits =
            -(double)capacity * log(fpr) / (LN2 * LN2) * family->bits_by_hand;
        spec.n_bits = (uint64_t)ceil(bits) | 1;
        spec.n_hashes =
            (uint32_t)fmax(1, round(LN2 * (double)spec.n_bits / (double)capacity));
        spec.fpr = 0;
    }
    return spec;
}

uint32_t family_can(const struct family *family)
{
    const ninho_spec spec = family_spec(family, 100, .01, 0);
    ninho_plan plan = NINHO_PLAN_INIT;

    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    return family->room > 1 ? plan.can & ~(uint32_t)NINHO_CAN_GROW : plan.can;
}

bool family_has_places(const struct family *family)
{
    return family->spec.kind == NINHO_CUCKOO || family->spec.base == NINHO_CUCKOO;
}

bool family_is_set(const struct family *family)
{
    return family->spec.semantics == NINHO_SET;
}

ninho_filter *family_filter(const struct family *family, uint64_t capacity, double fpr,
                            uint64_t seed)
{
    const ninho_spec spec = family_spec(family, capacity, fpr, seed);
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    const ninho_status status = ninho_filter_create(&spec, NULL, &filter, &error);
    if (status)
        test_fail(__FILE__, __LINE__, "create \"%s\": %s: %s", family->name,
                  ninho_status_text(status), error.text);
    return filter;
}

ninho_filter *family_built(const struct family *family, uint64_t capacity, double fpr,
                           uint64_t seed, uint64_t first, size_t n)
{
    const ninho_spec spec = family_spec(family, capacity, fpr, seed);
    uint64_t *hashes = malloc((n + 1) * sizeof *hashes);
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    CHECK(hashes);
    spec_hashes(&spec, first, n, hashes);
    const ninho_status status =
        ninho_filter_build(&spec, hashes, n, NULL, &filter, &error);
    if (status)
        test_fail(__FILE__, __LINE__, "build \"%s\": %s: %s", family->name,
                  ninho_status_text(status), error.text);
    free(hashes);
    return filter;
}

ninho_open_options family_open(const struct family *family, uint64_t seed)
{
    ninho_open_options options = NINHO_OPEN_INIT;

    if (family->spec.hash == NINHO_HASH_SIPHASH)
        options.secret = secret_for(seed);
    return options;
}

/* Bytes of a key in an encoding; 0 where keys are hashes. */
static size_t key_size_of(ninho_key_encoding encoding)
{
    return encoding == NINHO_KEY_HASHES ? 0 : encoding == NINHO_KEY_UUID ? 16 : 8;
}

/* Little-endian, and for a uuid twice. */
static void put_key(uint8_t *key, size_t key_size, uint64_t i)
{
    for (size_t at = 0; at < key_size; at += 8)
        nh_store_le64(key + at, i);
}

size_t family_key(const struct family *family, uint64_t i, uint8_t key[16])
{
    const size_t key_size = key_size_of(family->spec.key_encoding);

    put_key(key, key_size, i);
    return key_size;
}

void spec_hashes(const ninho_spec *spec, uint64_t first, size_t n, uint64_t *hashes)
{
    enum { BATCH = 512 };
    uint8_t keys[BATCH * 16];
    const size_t key_size = key_size_of(spec->key_encoding);
    ninho_hasher hasher = {.id = spec->hash ? spec->hash : NINHO_HASH_XXH3,
                           .seed = spec->seed};

    if (!key_size) {
        const uint64_t start = mix64(spec->seed);
        for (size_t i = 0; i < n; i++)
            hashes[i] = mix64(start ^ (first + i));
        return;
    }
    if (spec->secret)
        memcpy(hasher.secret, spec->secret, NINHO_SECRET_BYTES);
    for (size_t done = 0; done < n;) {
        const size_t batch = n - done < BATCH ? n - done : BATCH;
        if (key_size == 8) /* the size as a constant, for speed */
            for (size_t i = 0; i < batch; i++)
                put_key(keys + 8 * i, 8, first + done + i);
        else
            for (size_t i = 0; i < batch; i++)
                put_key(keys + 16 * i, 16, first + done + i);
        ninho_hash_array(&hasher, keys, key_size, batch, hashes + done);
        done += batch;
    }
}

enum { RANGE_BATCH = 4096 };

void add_range(ninho_filter *filter, const ninho_spec *spec, uint64_t first, size_t n)
{
    static uint64_t hashes[RANGE_BATCH];

    for (size_t done = 0; done < n;) {
        const size_t batch = n - done < RANGE_BATCH ? n - done : RANGE_BATCH;
        size_t n_added = 0;
        spec_hashes(spec, first + done, batch, hashes);
        CHECK_OK(ninho_filter_add_many(filter, hashes, batch, &n_added));
        CHECK_U64(n_added, batch);
        done += batch;
    }
}

size_t count_range(const ninho_filter *filter, const ninho_spec *spec, uint64_t first,
                   size_t n)
{
    static uint64_t hashes[RANGE_BATCH];
    static uint64_t maybe[RANGE_BATCH / 64];
    size_t n_maybe = 0;

    for (size_t done = 0; done < n;) {
        const size_t batch = n - done < RANGE_BATCH ? n - done : RANGE_BATCH;
        spec_hashes(spec, first + done, batch, hashes);
        n_maybe += ninho_filter_has_many(filter, hashes, batch, maybe);
        done += batch;
    }
    return n_maybe;
}

void check_range(const ninho_filter *filter, const ninho_spec *spec, uint64_t first,
                 size_t n)
{
    CHECK_U64(count_range(filter, spec, first, n), n);
}

void check_same_answers(const ninho_filter *a, const ninho_filter *b,
                        const ninho_spec *spec, size_t n)
{
    uint64_t *hashes = malloc(2 * n * sizeof *hashes + 8);
    uint64_t *maybe_a = calloc(2 * n / 64 + 1, 8);
    uint64_t *maybe_b = calloc(2 * n / 64 + 1, 8);

    CHECK(hashes && maybe_a && maybe_b);
    spec_hashes(spec, 0, n, hashes);
    spec_hashes(spec, ABSENT, n, hashes + n);
    CHECK_U64(ninho_filter_has_many(a, hashes, 2 * n, maybe_a),
              ninho_filter_has_many(b, hashes, 2 * n, maybe_b));
    CHECK(memcmp(maybe_a, maybe_b, (2 * n + 63) / 64 * 8) == 0);
    for (size_t i = 0; i < 2 * n; i++) {
        CHECK(ninho_filter_has(b, hashes[i]) == (maybe_a[i / 64] >> (i % 64) & 1));
        CHECK_U64(ninho_filter_copies(a, hashes[i]), ninho_filter_copies(b, hashes[i]));
    }
    free(hashes);
    free(maybe_a);
    free(maybe_b);
}

void check_same_bytes(const ninho_filter *a, const ninho_filter *b)
{
    size_t size_a, size_b;
    uint8_t *bytes_a = encoded(a, &size_a);
    uint8_t *bytes_b = encoded(b, &size_b);

    CHECK_U64(size_a, size_b);
    for (size_t i = 0; i < size_a; i++)
        if (bytes_a[i] != bytes_b[i])
            test_fail(__FILE__, __LINE__, "encodings differ first at byte %zu of %zu", i,
                      size_a);
    free(bytes_a);
    free(bytes_b);
}
