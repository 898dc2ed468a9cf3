/* SPDX-License-Identifier: MIT */
/* Looks keys up, one by one, in a batch and by handle, in a filter of each kind and in dictionaries, for
 * callgrind to count the instructions; counts.py runs it. A name is printed before each count. Half of the keys are
 * members. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <ninho/dict_inline.h>
#include <ninho/inline.h>
#include <ninho/ninho.h>

enum { N_MEMBERS = 8192, N_KEYS = 4096 };

static uint64_t keys[N_KEYS];

static size_t one_by_one(const void *filter)
{
    size_t n = 0;

    for (size_t i = 0; i < N_KEYS; i++)
        n += ninho_filter_has_key(filter, &keys[i], sizeof keys[i]);
    return n;
}

static size_t batch(const void *filter)
{
    ninho_column column = NINHO_COLUMN_INIT;
    size_t n = 0;

    column.n = N_KEYS;
    column.data = keys;
    column.data_size = sizeof keys;
    column.key_size = sizeof keys[0];
    return ninho_filter_has_column(filter, &column, NULL, &n) ? 0 : n;
}

#define BY_HANDLE(kind)                                         \
    static size_t by_##kind##_handle(const void *handle)        \
    {                                                           \
        const ninho_##kind##_handle *const h = handle;          \
        size_t n = 0;                                           \
                                                                \
        for (size_t i = 0; i < N_KEYS; i++)                     \
            n += ninho_##kind##_has_int64(h, (int64_t)keys[i]); \
        return n;                                               \
    }

BY_HANDLE(blocked)
BY_HANDLE(bloom)
BY_HANDLE(cuckoo)
BY_HANDLE(fuse)
BY_HANDLE(near)

/* What callgrind counts, and dumps after. It is called through a pointer of which the compiler knows
 * nothing, so that it stays one function. */
static size_t counted(size_t (*loop)(const void *), const void *what)
{
    return loop(what);
}

static size_t (*volatile call_counted)(size_t (*)(const void *), const void *) = counted;

static void count(const char *filter, const char *manner, size_t (*loop)(const void *),
                  const void *what)
{
    printf("%s, %s\n", filter, manner);
    fflush(stdout);
    const size_t n_maybe = call_counted(loop, what);
    if (n_maybe < N_KEYS / 2 || n_maybe > N_KEYS * 6 / 10)
        exit(2); /* this is no filter of those keys */
}

static void count_handle(const char *called, const ninho_filter *filter)
{
    ninho_blocked_handle blocked;
    ninho_bloom_handle bloom;
    ninho_cuckoo_handle cuckoo;
    ninho_fuse_handle fuse;
    ninho_near_handle near;

    if (!ninho_near_handle_of(filter, &near, NULL))
        count(called, "near handle", by_near_handle, &near);
    if (!ninho_blocked_handle_of(filter, &blocked, NULL))
        count(called, "handle", by_blocked_handle, &blocked);
    else if (!ninho_bloom_handle_of(filter, &bloom, NULL))
        count(called, "handle", by_bloom_handle, &bloom);
    else if (!ninho_cuckoo_handle_of(filter, &cuckoo, NULL))
        count(called, "handle", by_cuckoo_handle, &cuckoo);
    else if (!ninho_fuse_handle_of(filter, &fuse, NULL))
        count(called, "handle", by_fuse_handle, &fuse);
}

static void count_filter(const char *called, const ninho_spec *spec,
                         const uint64_t *hashes)
{
    ninho_filter *filter = NULL;

    if (ninho_filter_build(spec, hashes, N_MEMBERS, NULL, &filter, NULL))
        exit(2);
    count(called, "one by one", one_by_one, filter);
    count(called, "batch", batch, filter);
    count_handle(called, filter);
    ninho_filter_free(filter);
}

/* ---- Dictionaries -------------------------------------------------------------------- */

static size_t dict_one_by_one(const void *dict)
{
    uint64_t value;
    size_t n = 0;

    for (size_t i = 0; i < N_KEYS; i++)
        n += ninho_dict_get(dict, &keys[i], sizeof keys[i], &value);
    return n;
}

static size_t dict_batch(const void *dict)
{
    static uint64_t values[N_KEYS], found[N_KEYS / 64];

    return ninho_dict_get_array(dict, keys, N_KEYS, values, found);
}

static size_t dict_in_line(const void *words)
{
    uint64_t value;
    size_t n = 0;

    for (size_t i = 0; i < N_KEYS; i++)
        n += ninho_words_get(words, keys[i], &value);
    return n;
}

/* Keys of 8 bytes, or of any size. */
static void count_dict(const char *called, uint32_t key_size, const uint64_t *members)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;

    spec.key_size = key_size;
    spec.capacity = N_MEMBERS;
    if (ninho_dict_create(&spec, NULL, &dict, NULL))
        exit(2);
    for (size_t i = 0; i < N_MEMBERS; i++)
        if (ninho_dict_put(dict, &members[i], sizeof *members, i, NULL))
            exit(2);
    count(called, "one by one", dict_one_by_one, dict);
    if (key_size) {
        count(called, "batch", dict_batch, dict);
        count(called, "in line", dict_in_line, ninho_dict_words_read(dict));
    }
    ninho_dict_free(dict);
}

int main(void)
{
    static const struct {
        const char *name;
        ninho_kind kind;
        double fpr;
    } filters[] = {
        {"bloom 1 %", NINHO_BLOOM, .01},         {"blocked 1 %", NINHO_BLOCKED, .01},
        {"counting 1 %", NINHO_COUNTING, .01},   {"cuckoo 0.4 %", NINHO_CUCKOO, .004},
        {"cuckoo 2^-13", NINHO_CUCKOO, 0x1p-13}, {"quotient 0.4 %", NINHO_QUOTIENT, .004},
        {"fuse 2^-8", NINHO_FUSE, 0x1p-8},       {"fuse 2^-16", NINHO_FUSE, 0x1p-16},
        {"compact 0.4 %", NINHO_COMPACT, .004},  {"scalable 1 %", NINHO_SCALABLE, .01},
    };
    static uint64_t members[N_MEMBERS], hashes[N_MEMBERS];
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    uint64_t state = 1;

    for (size_t i = 0; i < N_MEMBERS; i++)
        members[i] = ninho_splitmix64(&state);
    for (size_t i = 0; i < N_KEYS; i++)
        keys[i] = i % 2 ? members[i] : ninho_splitmix64(&state);
    ninho_hash_array(&hasher, members, sizeof *members, N_MEMBERS, hashes);
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        spec.kind = filters[i].kind;
        spec.capacity = N_MEMBERS;
        spec.fpr = filters[i].fpr;
        count_filter(filters[i].name, &spec, hashes);
    }
    ninho_spec original = NINHO_SPEC_INIT;
    original.kind = NINHO_CUCKOO;
    ninho_spec_original(&original);
    original.capacity = N_MEMBERS;
    original.fpr = .002;
    count_filter("cuckoo, original", &original, hashes);
    ninho_spec fast = NINHO_SPEC_INIT;
    fast.kind = NINHO_CUCKOO;
    fast.pairing = NINHO_PAIRING_NEAR;
    fast.capacity = N_MEMBERS;
    fast.fpr = .002;
    count_filter("cuckoo, near", &fast, hashes);
    count_dict("probe, words", sizeof *members, members);
    count_dict("probe, short keys", 0, members);
    return 0;
}
