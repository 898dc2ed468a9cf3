/* SPDX-License-Identifier: MIT */
/* What the library promises, as one plain C program: no test framework, no files, no arguments. It is
 * compiled with the amalgamation (-DONE_FILE) and run on every machine that there is; the bytes that it
 * expects were made on x86-64. --print writes the table of them anew. */
#ifdef ONE_FILE
#include <ninho.h>
#else
#include <ninho/inline.h>
#include <ninho/ninho.h>
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N        10000 /* keys in a filter: from here on the promise holds whatever the seed */
#define N_ABSENT 100000
#define N_WORDS  ((N + 63) / 64)

static unsigned n_passed, n_failed;
static int is_printing;
static const char *subject = "";

static void check(int holds, const char *what, int line)
{
    if (holds) {
        n_passed++;
        return;
    }
    printf("conformance.c:%d: %s: %s\n", line, subject, what);
    n_failed++;
}
#define CHECK(holds) check((holds) != 0, #holds, __LINE__)

/* ---- What the bytes must be -------------------------------------------------------- */

static const struct {
    const char *subject;
    uint64_t sum;
} expected[] = {
    /* written by --print */
    {"bloom", UINT64_C(0xe44e2f0b3a09ed4f)},
    {"blocked", UINT64_C(0x998e1056960fb090)},
    {"counting", UINT64_C(0xb9b03273f917b374)},
    {"cuckoo", UINT64_C(0xb7dbfa35af14c569)},
    {"quotient", UINT64_C(0xa5fe3f758a25e86c)},
    {"fuse", UINT64_C(0x39bf7f2d648e63dc)},
    {"ribbon", UINT64_C(0xf6ede387486de6dc)},
    {"compact", UINT64_C(0x8c43fd0f5d4aa721)},
    {"scalable", UINT64_C(0xd0dd40cc171bf608)},
    {"cuckoo, original", UINT64_C(0x2fd7e0b30ff6da91)},
    {"fuse, arity 4", UINT64_C(0xdcd24ab912504748)},
    {"scalable, cuckoo", UINT64_C(0xf4844504b2f806ec)},
    {"quotient, grown", UINT64_C(0xc91e80214c29133d)},
    {"bloom, 0.0001", UINT64_C(0x77d03a8472ff07ad)},
    {"keys, xxh3", UINT64_C(0x6188145c9213659b)},
    {"keys, xxh64", UINT64_C(0x374849360b02c5a4)},
    {"keys, siphash", UINT64_C(0x0ea49e0c961b4dca)},
    {"chain", UINT64_C(0x56b201a86ebcc259)},
    {"chain, integers", UINT64_C(0x7ff14c9a853f7962)},
    {"probe", UINT64_C(0xed0a339473e5ff27)},
    {"probe, integers", UINT64_C(0x62c77d0cce332f50)},
    {"cuckoo-table", UINT64_C(0x4819deebe5d5c018)},
    {"cuckoo-table, integers", UINT64_C(0xaf171a79a9de8f15)},
};

/* FNV-1a: not one of the library's own functions. */
static uint64_t sum_of(const uint8_t *bytes, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static void check_bytes(const uint8_t *bytes, size_t size)
{
    const uint64_t sum = sum_of(bytes, size);

    if (is_printing) {
        printf("    {\"%s\", UINT64_C(0x%016" PRIx64 ")},\n", subject, sum);
        return;
    }
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (strcmp(expected[i].subject, subject) == 0) {
            CHECK(expected[i].sum == sum);
            return;
        }
    check(false, "the bytes are in the table", __LINE__);
}

/* ---- Keys -------------------------------------------------------------------------- */

/* The i-th of well-mixed numbers that are all different. */
static uint64_t mixed(uint64_t i)
{
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t hashes[N];
static uint64_t maybe[N_WORDS];

static void *room(size_t size)
{
    void *memory = malloc(size ? size : 1);

    if (!memory) {
        printf("conformance: no memory\n");
        exit(1);
    }
    return memory;
}

/* ---- Filters ----------------------------------------------------------------------- */

static ninho_filter *filled(const ninho_spec *spec, const uint64_t *from, size_t n)
{
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (!(ninho_kind_can(spec->kind) & NINHO_CAN_ADD)) {
        CHECK(ninho_filter_build(spec, from, n, NULL, &filter, &error) == NINHO_OK);
    } else {
        CHECK(ninho_filter_create(spec, NULL, &filter, &error) == NINHO_OK);
        /* one by one and in a batch, a half each */
        for (size_t i = 0; filter && i < n / 2; i++)
            if (ninho_filter_add(filter, from[i]))
                check(false, "every key is added", __LINE__);
        CHECK(filter && !ninho_filter_add_many(filter, from + n / 2, n - n / 2, NULL));
    }
    if (!filter) {
        printf("%s: %s\n", subject, error.text);
        exit(1);
    }
    return filter;
}

static size_t n_found(const ninho_filter *filter, const uint64_t *of, size_t n)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        found += ninho_filter_has(filter, of[i]);
    return found;
}

/* Lookups that this program inlined, where the kind has them: by hash and by key. */
#define CHECK_INLINED(kind)                                                          \
    do {                                                                             \
        ninho_##kind##_handle handle;                                                \
        size_t n_differ = 0;                                                         \
        CHECK(ninho_##kind##_handle_of(filter, &handle, NULL) == NINHO_OK);          \
        for (uint64_t i = 0; i < N; i++) {                                           \
            const uint64_t hash = i % 2 ? hashes[i] : mixed(N + i);                  \
            n_differ +=                                                              \
                ninho_##kind##_has(&handle, hash) != ninho_filter_has(filter, hash); \
            n_differ += ninho_##kind##_has_key(&handle, &hash, sizeof hash) !=       \
                        ninho_filter_has_key(filter, &hash, sizeof hash);            \
        }                                                                            \
        CHECK(n_differ == 0);                                                        \
    } while (0)

static void check_inlined(const ninho_filter *filter)
{
    switch (ninho_filter_kind(filter)) {
    case NINHO_BLOOM:
        CHECK_INLINED(bloom);
        break;
    case NINHO_BLOCKED:
        CHECK_INLINED(blocked);
        break;
    case NINHO_CUCKOO:
        CHECK_INLINED(cuckoo);
        break;
    case NINHO_FUSE:
        CHECK_INLINED(fuse);
        break;
    case NINHO_RIBBON:
        CHECK_INLINED(ribbon);
        break;
    default:
        break;
    }
}

static void check_lookups(const ninho_filter *filter)
{
    size_t n_differ = 0;

    CHECK(n_found(filter, hashes, N) == N);
    CHECK(ninho_filter_has_many(filter, hashes, N, maybe) == N);
    /* Half of the keys asked for are absent now. */
    uint64_t *asked = room(N * sizeof *asked);
    for (size_t i = 0; i < N; i++)
        asked[i] = i % 2 ? hashes[i] : mixed(N + i);
    const size_t n = ninho_filter_has_many(filter, asked, N, maybe);
    for (size_t i = 0; i < N; i++)
        n_differ += (maybe[i / 64] >> i % 64 & 1) != ninho_filter_has(filter, asked[i]);
    CHECK(n_differ == 0);
    CHECK(n == n_found(filter, asked, N));
    free(asked);
    check_inlined(filter);
}

static void check_rate(const ninho_filter *filter, double fpr)
{
    ninho_info info = NINHO_INFO_INIT;
    uint64_t n = 0;

    CHECK(ninho_filter_info(filter, &info) == NINHO_OK);
    for (uint64_t i = 0; i < N_ABSENT; i++)
        n += ninho_filter_has(filter, mixed(N + i));
    const double rate = (double)n / N_ABSENT;
    /* Five deviations: nobody is to see them by chance, on any machine. */
    const double most = 1.1 * fpr + 5e-3 * (fpr > 0.001 ? 0.32 : 0.02);
    CHECK(rate <= most);
    CHECK(rate >= 0.5 * info.fpr_expected - 0.0005);
    CHECK(info.fpr_expected <= 1.1 * fpr);
}

static void check_encoding(const ninho_filter *filter)
{
    const size_t size = ninho_filter_encoded_size(filter);
    uint8_t *bytes = room(size), *again = room(size);
    ninho_filter *decoded = NULL;
    const ninho_filter *seen = NULL;
    ninho_view *view = room(sizeof *view);
    ninho_error error = NINHO_ERROR_INIT;
    size_t needed = 0;

    CHECK(ninho_filter_encode(filter, bytes, size, &needed) == NINHO_OK &&
          needed == size);
    check_bytes(bytes, size);
    CHECK(ninho_filter_decode(bytes, size, NULL, &decoded, &error) == NINHO_OK);
    CHECK(decoded && ninho_filter_encoded_size(decoded) == size);
    CHECK(decoded && ninho_filter_encode(decoded, again, size, NULL) == NINHO_OK);
    CHECK(memcmp(bytes, again, size) == 0);
    CHECK(decoded && ninho_filter_verify(decoded, &error) == NINHO_OK);
    CHECK(decoded && n_found(decoded, hashes, N) == N);
    ninho_filter_free(decoded);

    CHECK(ninho_filter_view(view, bytes, size, NULL, &seen, &error) == NINHO_OK);
    CHECK(seen && ninho_filter_verify(seen, &error) == NINHO_OK);
    if (seen)
        check_lookups(seen);

    /* Damage is seen. */
    decoded = NULL;
    bytes[size - 1] ^= 1;
    CHECK(ninho_filter_decode(bytes, size, NULL, &decoded, NULL) == NINHO_ERR_CHECKSUM);
    CHECK(ninho_filter_decode(bytes, size - 1, NULL, &decoded, NULL) != NINHO_OK);
    CHECK(!decoded);
    free(view);
    free(bytes);
    free(again);
}

static void check_removal(const ninho_spec *spec)
{
    ninho_filter *filter = filled(spec, hashes, N);
    size_t n_removed = 0;

    for (size_t i = 0; i < N; i += 2)
        n_removed += ninho_filter_remove(filter, hashes[i]) == NINHO_OK;
    CHECK(n_removed == N / 2);
    CHECK(ninho_filter_count(filter) == N / 2);
    size_t n_lost = 0, n_left = 0;
    for (size_t i = 0; i < N; i++)
        if (i % 2)
            n_lost += !ninho_filter_has(filter, hashes[i]);
        else
            n_left += ninho_filter_has(filter, hashes[i]);
    CHECK(n_lost == 0);
    CHECK(n_left < N / 20);
    CHECK(ninho_filter_verify(filter, NULL) == NINHO_OK);
    ninho_filter_free(filter);
}

static void check_union(const ninho_spec *spec)
{
    ninho_filter *target = filled(spec, hashes, N / 2);
    ninho_filter *source = filled(spec, hashes + N / 2, N - N / 2);
    ninho_error error = NINHO_ERROR_INIT;

    CHECK(ninho_filter_union(target, source, &error) == NINHO_OK);
    CHECK(n_found(target, hashes, N) == N);
    CHECK(n_found(source, hashes, N) < N);
    check_rate(target, spec->fpr);
    ninho_filter_free(target);
    ninho_filter_free(source);
}

static void check_filter(const char *name, const ninho_spec *spec)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    subject = name;
    CHECK(ninho_filter_plan(spec, &plan, &error) == NINHO_OK);
    CHECK(plan.capacity == spec->capacity);
    ninho_filter *filter = filled(spec, hashes, N);
    check_lookups(filter);
    check_rate(filter, spec->fpr);
    check_encoding(filter);
    CHECK(ninho_filter_count(filter) == N);
    ninho_filter_free(filter);
    if (plan.can & NINHO_CAN_REMOVE)
        check_removal(spec);
    if (plan.can & NINHO_CAN_UNION)
        check_union(spec);
}

static ninho_spec spec_of(ninho_kind kind, double fpr)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = kind;
    spec.capacity = N;
    spec.fpr = fpr;
    spec.key_encoding = NINHO_KEY_HASHES;
    return spec;
}

static void check_filters(void)
{
    for (size_t i = 0; ninho_kind_at(i); i++) {
        const ninho_spec spec = spec_of(ninho_kind_at(i), 0.01);
        check_filter(ninho_kind_name(spec.kind), &spec);
    }
    ninho_spec spec = spec_of(NINHO_CUCKOO, 0.001);
    ninho_spec_original(&spec);
    check_filter("cuckoo, original", &spec);
    spec = spec_of(NINHO_FUSE, 0.0001);
    spec.arity = 4;
    check_filter("fuse, arity 4", &spec);
    spec = spec_of(NINHO_SCALABLE, 0.01);
    spec.base = NINHO_CUCKOO;
    spec.capacity = N / 8;
    check_filter("scalable, cuckoo", &spec);
    spec = spec_of(NINHO_QUOTIENT, 0.01);
    spec.capacity = N / 8;
    spec.max_capacity = N;
    check_filter("quotient, grown", &spec);
    spec = spec_of(NINHO_BLOOM, 0.0001);
    spec.seed = 5;
    check_filter("bloom, 0.0001", &spec);
}

/* ---- Keys as bytes ----------------------------------------------------------------- */

#define MOST_BYTES 300

/* The i-th key and its length: 8 little-endian bytes, or letters, from 1 to 300 of them, so that every
 * path of the hash functions is taken. Short ones come more than once. */
static size_t spell(char *text, size_t i, uint32_t key_size)
{
    if (key_size) {
        for (size_t j = 0; j < 8; j++)
            text[j] = (char)(hashes[i] >> 8 * j & 0xff);
        return 8;
    }
    const size_t length = (size_t)(mixed(i) % MOST_BYTES) + 1;
    for (size_t j = 0; j < length; j++)
        text[j] = (char)('a' + mixed(i * 301 + j) % 26);
    return length;
}

static void check_keys(const char *name, ninho_hash_id hash)
{
    static const uint8_t secret[NINHO_SECRET_BYTES] = {1, 2, 3, 250, 251, 252};
    ninho_spec spec = spec_of(NINHO_BLOCKED, 0.01);
    ninho_filter *filter = NULL;
    char text[MOST_BYTES];

    subject = name;
    spec.key_encoding = NINHO_KEY_BYTES;
    spec.hash = hash;
    spec.secret = hash == NINHO_HASH_SIPHASH ? secret : NULL;
    spec.seed = hash == NINHO_HASH_SIPHASH ? 0 : 42;
    CHECK(ninho_filter_create(&spec, NULL, &filter, NULL) == NINHO_OK);
    if (!filter)
        return;
    size_t n_lost = 0;
    for (size_t i = 0; i < 2000; i++)
        n_lost += ninho_filter_add_key(filter, text, spell(text, i, 0)) != NINHO_OK;
    for (size_t i = 0; i < 2000; i++)
        n_lost += !ninho_filter_has_key(filter, text, spell(text, i, 0));
    CHECK(n_lost == 0);
    const size_t size = ninho_filter_encoded_size(filter);
    uint8_t *bytes = room(size);
    CHECK(ninho_filter_encode(filter, bytes, size, NULL) == NINHO_OK);
    check_bytes(bytes, size);
    free(bytes);
    ninho_filter_free(filter);
}

/* ---- Dictionaries ------------------------------------------------------------------ */

static void check_copy_of(const ninho_dict *dict, uint32_t key_size)
{
    const size_t size = ninho_dict_encoded_size(dict);
    uint8_t *bytes = room(size);
    ninho_dict *decoded = NULL;
    char key[MOST_BYTES];
    size_t n_wrong = 0;

    CHECK(ninho_dict_encode(dict, bytes, size, NULL) == NINHO_OK);
    if (ninho_dict_count(dict) == 1) /* the order of several is not promised */
        check_bytes(bytes, size);
    CHECK(ninho_dict_decode(bytes, size, NULL, &decoded, NULL) == NINHO_OK);
    CHECK(decoded && ninho_dict_count(decoded) == ninho_dict_count(dict));
    for (size_t i = 0; decoded && i < N; i++) {
        uint64_t value = 0, other = 0;
        const size_t length = spell(key, i, key_size);
        n_wrong += ninho_dict_get(decoded, key, length, &value) !=
                   ninho_dict_get(dict, key, length, &other);
        n_wrong += value != other;
    }
    CHECK(n_wrong == 0);
    ninho_dict_free(decoded);
    free(bytes);
}

static void check_dict(const char *name, ninho_dict_kind kind, uint32_t key_size)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;
    char key[MOST_BYTES];
    size_t n_wrong = 0, n_removed = 0;
    uint64_t value = 0;

    subject = name;
    spec.kind = kind;
    spec.key_size = key_size;
    CHECK(ninho_dict_create(&spec, NULL, &dict, NULL) == NINHO_OK);
    if (!dict)
        return;
    for (size_t i = 0; i < N; i++) {
        const size_t length = spell(key, i, key_size);
        n_wrong += ninho_dict_put(dict, key, length, i, NULL) != NINHO_OK;
        n_wrong += !ninho_dict_get(dict, key, length, &value) || value != i;
        if (i == 0)
            check_copy_of(dict, key_size);
    }
    const uint64_t n_keys = ninho_dict_count(dict);
    CHECK(!key_size || n_keys == N);
    for (size_t i = 0; i < N; i += 3) {
        const size_t length = spell(key, i, key_size);
        n_removed += ninho_dict_remove(dict, key, length) == NINHO_OK;
        n_wrong += ninho_dict_get(dict, key, length, NULL);
    }
    CHECK(n_wrong == 0);
    CHECK(ninho_dict_count(dict) == n_keys - n_removed);
    CHECK(ninho_dict_verify(dict, NULL) == NINHO_OK);
    check_copy_of(dict, key_size);
    ninho_dict_free(dict);
}

static void check_dicts(void)
{
    char name[64];

    for (size_t i = 0; ninho_dict_kind_at(i); i++) {
        const ninho_dict_kind kind = ninho_dict_kind_at(i);
        snprintf(name, sizeof name, "%s", ninho_dict_kind_name(kind));
        check_dict(name, kind, 0);
        snprintf(name, sizeof name, "%s, integers", ninho_dict_kind_name(kind));
        check_dict(name, kind, 8);
    }
}

int main(int argc, char **argv)
{
    is_printing = argc > 1 && strcmp(argv[1], "--print") == 0;
    for (size_t i = 0; i < N; i++)
        hashes[i] = mixed(i);
    check_filters();
    check_keys("keys, xxh3", NINHO_HASH_XXH3);
    check_keys("keys, xxh64", NINHO_HASH_XXH64);
    check_keys("keys, siphash", NINHO_HASH_SIPHASH);
    check_dicts();
    if (!is_printing)
        printf("%u passed, %u failed\n", n_passed, n_failed);
    return n_failed != 0;
}
