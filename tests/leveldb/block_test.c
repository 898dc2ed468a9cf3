/* SPDX-License-Identifier: MIT */
/* Filter blocks for LevelDB, through the functions that it calls: no key is lost, and a block that is
 * not ours, whole and of this kind is "maybe". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrations/leveldb/ninho_leveldb.h"
#include "support/test.h"

static const ninho_kind kinds[] = {NINHO_BLOOM, NINHO_BLOCKED, NINHO_CUCKOO, NINHO_FUSE};
enum { N_KINDS = 4, KEY_ROOM = 24 };

/* n keys, "key 00000007" and so on; absent ones have odd numbers. */
struct keys {
    size_t n;
    char (*bytes)[KEY_ROOM];
    const char **at;
    size_t *sizes;
};

static void key_text(size_t i, char out[KEY_ROOM])
{
    snprintf(out, KEY_ROOM, "key %08u", (unsigned)i);
}

static struct keys keys_make(size_t n, size_t first)
{
    struct keys keys = {n, calloc(n + 1, sizeof *keys.bytes),
                        calloc(n + 1, sizeof *keys.at),
                        calloc(n + 1, sizeof *keys.sizes)};
    for (size_t i = 0; i < n; i++) {
        key_text(2 * (first + i), keys.bytes[i]);
        keys.at[i] = keys.bytes[i];
        keys.sizes[i] = strlen(keys.bytes[i]);
    }
    return keys;
}

static void keys_free(struct keys *keys)
{
    free(keys->bytes);
    free((void *)keys->at);
    free(keys->sizes);
}

static ninho_leveldb_filters *filters_of(ninho_kind kind, double bits, double fpr)
{
    ninho_leveldb_options options = NINHO_LEVELDB_INIT;
    ninho_leveldb_filters *filters = NULL;

    options.kind = kind;
    options.bits_per_key = bits;
    options.fpr = fpr;
    CHECK_OK(ninho_leveldb_filters_create(&options, &filters, NULL));
    return filters;
}

static char *make(ninho_leveldb_filters *filters, const struct keys *keys, size_t *size)
{
    char *block = ninho_leveldb_make(filters, keys->at, keys->sizes, (int)keys->n, size);
    CHECK(block && *size > 0);
    return block;
}

static bool asks(ninho_leveldb_filters *filters, const char *key, const char *block,
                 size_t size)
{
    return ninho_leveldb_may_match(filters, key, strlen(key), block, size);
}

/* Whether the block says "maybe" to `n` keys of which none or few are in it. */
static bool is_maybe(ninho_leveldb_filters *filters, const char *block, size_t size,
                     size_t n)
{
    char key[KEY_ROOM];

    for (size_t i = 0; i < n; i++) {
        key_text(2 * i + 1, key);
        if (!asks(filters, key, block, size))
            return false;
    }
    return true;
}

static void check_all_there(ninho_leveldb_filters *filters, const struct keys *keys,
                            const char *block, size_t size)
{
    for (size_t i = 0; i < keys->n; i++)
        CHECK(asks(filters, keys->at[i], block, size));
}

static const size_t sizes[] = {0, 1, 2, 33, 10000};

static void test_every_key_is_found_whatever_the_size(void **state)
{
    static const double bits[] = {1, 5, 10, 16.5, 100, 0}, rates[] = {0.3, 0.01, 0.0001};
    (void)state;

    for (size_t k = 0; k < N_KINDS; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t j = 0; j < 9; j++) {
                struct keys keys = keys_make(sizes[i], 0);
                const double b = j < 6 ? bits[j] : 0, fpr = j < 6 ? 0 : rates[j - 6];
                test_where("%s, %zu keys, %g bits, fpr %g", ninho_kind_name(kinds[k]),
                           keys.n, b, fpr);
                ninho_leveldb_filters *filters = filters_of(kinds[k], b, fpr);
                size_t size = 0;
                char *block = make(filters, &keys, &size);
                check_all_there(filters, &keys, block, size);
                /* A real filter, not the byte that means "maybe". */
                CHECK(size >= 4);
                CHECK(b == 1 || fpr > 0.1 || !is_maybe(filters, block, size, 100));
                free(block);
                ninho_leveldb_free(filters);
                keys_free(&keys);
            }
}

/* LevelDB's own: n * bits_per_key bits, 64 at least, in whole bytes, and one for k. */
static size_t own_size(size_t n, double bits_per_key)
{
    const size_t n_bits = (size_t)((double)n * bits_per_key);
    return ((n_bits < 64 ? 64 : n_bits) + 7) / 8 + 1;
}

static void test_blocks_are_at_most_as_long_as_leveldbs_own(void **state)
{
    static const double bits[] = {5, 8, 10, 12, 16, 20};
    (void)state;

    for (size_t k = 0; k < N_KINDS; k++)
        for (size_t n = 1; n < 400; n += n < 50 ? 1 : 37)
            for (size_t j = 0; j < sizeof bits / sizeof *bits; j++) {
                struct keys keys = keys_make(n, 0);
                ninho_leveldb_filters *filters = filters_of(kinds[k], bits[j], 0);
                size_t size = 0;
                const size_t most = own_size(n, bits[j]);
                test_where("%s, %zu keys, %g bits", ninho_kind_name(kinds[k]), n,
                           bits[j]);
                char *block = make(filters, &keys, &size);
                switch (kinds[k]) {
                case NINHO_BLOOM:
                    CHECK_U64(size, most); /* all of it is used */
                    break;
                case NINHO_BLOCKED:
                    CHECK(size <= most || size == 33);
                    break;
                case NINHO_CUCKOO:
                    CHECK(size <= most || size <= n + n / 8 + 8);
                    break;
                default: /* 4-slot segments at least: about 16 bits a key for a few dozen */
                    CHECK(size <= most || size <= 2 * n + 32);
                }
                free(block);
                ninho_leveldb_free(filters);
                keys_free(&keys);
            }
}

static void test_the_rate_is_as_asked_for(void **state)
{
    static const double rates[] = {0.1, 0.01, 0.001};
    const size_t n_blocks = test_scaled(300, 60), n_asked = 200;
    (void)state;

    for (size_t k = 0; k < N_KINDS; k++)
        for (size_t j = 0; j < 3; j++) {
            ninho_leveldb_filters *filters = filters_of(kinds[k], 0, rates[j]);
            size_t n_maybe = 0;
            test_where("%s, fpr %g", ninho_kind_name(kinds[k]), rates[j]);
            for (size_t b = 0; b < n_blocks; b++) {
                struct keys keys = keys_make(33, 100 * b);
                size_t size = 0;
                char *block = make(filters, &keys, &size), key[KEY_ROOM];
                for (size_t i = 0; i < n_asked; i++) {
                    key_text(2 * (1000 * b + i) + 1, key);
                    n_maybe += asks(filters, key, block, size);
                }
                free(block);
                keys_free(&keys);
            }
            /* Keys of one block share its luck: the deviations are wider than the binomial's. */
            CHECK((double)n_maybe <=
                  binomial_high((double)(n_blocks * n_asked), 1.1 * rates[j], 8));
            ninho_leveldb_free(filters);
        }
}

static void test_order_and_copies_do_not_matter(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_KINDS; k++) {
        ninho_leveldb_filters *filters = filters_of(kinds[k], 12, 0);
        struct keys once = keys_make(33, 0), often = keys_make(33 * 20, 0);
        size_t size = 0, other_size = 0;
        test_where("%s", ninho_kind_name(kinds[k]));
        for (size_t i = 0; i < often.n; i++)
            often.at[i] = once.at[(i * 7 + 5) % 33];
        char *block = make(filters, &once, &size);
        char *other = make(filters, &often, &other_size);
        CHECK_U64(other_size, size);
        CHECK(!memcmp(block, other, size));
        free(block);
        free(other);
        keys_free(&once);
        keys_free(&often);
        ninho_leveldb_free(filters);
    }
}

static void test_any_bytes_are_a_key(void **state)
{
    enum { N = 300 };
    static char bytes[N];
    const char *at[N];
    size_t key_sizes[N];
    (void)state;

    for (size_t i = 0; i < N; i++) {
        bytes[i] = (char)(i * 37);
        at[i] = i ? bytes : NULL; /* the empty key, and the prefixes of some bytes */
        key_sizes[i] = i;
    }
    for (size_t k = 0; k < N_KINDS; k++)
        for (int n = 1; n <= N; n += 23) {
            ninho_leveldb_filters *filters = filters_of(kinds[k], 10, 0);
            size_t size = 0;
            char *block = ninho_leveldb_make(filters, at, key_sizes, n, &size);
            for (int i = 0; i < n; i++)
                CHECK(ninho_leveldb_may_match(filters, at[i], key_sizes[i], block, size));
            free(block);
            ninho_leveldb_free(filters);
        }
}

/* ---- Blocks that are not ours ------------------------------------------------------ */

/* A copy that ends where its memory does. */
static char *exactly(const char *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    return copy;
}

static void test_a_shorter_or_longer_block_is_maybe(void **state)
{
    static const size_t many[] = {1, 33, 97, 98, 99, 100, 101, 102, 103, 1000};
    (void)state;

    for (size_t k = 0; k < N_KINDS; k++)
        for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
            ninho_leveldb_filters *filters = filters_of(kinds[k], 10, 0);
            struct keys keys = keys_make(many[i], 0);
            size_t size = 0;
            char *block = make(filters, &keys, &size);
            char *longer = calloc(size + 300, 1);
            memcpy(longer, block, size);
            CHECK(!is_maybe(filters, block, size, 200));
            for (size_t cut = 0; cut < size; cut++) {
                char *copy = exactly(block, cut);
                test_where("%s, %zu of %zu bytes", ninho_kind_name(kinds[k]), cut, size);
                CHECK(is_maybe(filters, copy, cut, 40));
                free(copy);
            }
            for (size_t more = 1; more < 300; more++) {
                test_where("%s, %zu bytes more", ninho_kind_name(kinds[k]), more);
                CHECK(is_maybe(filters, longer, size + more, 40));
            }
            /* Cut off in front, no length is where one should be: no crash is all. */
            for (size_t cut = 1; cut < size; cut++) {
                char *copy = exactly(block + cut, size - cut);
                is_maybe(filters, copy, size - cut, 10);
                free(copy);
            }
            free(longer);
            free(block);
            keys_free(&keys);
            ninho_leveldb_free(filters);
        }
}

static void test_a_changed_byte_never_leads_astray(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_KINDS; k++)
        for (size_t n = 1; n <= 133; n += 33) {
            ninho_leveldb_filters *filters = filters_of(kinds[k], 10, 0);
            struct keys keys = keys_make(n, 0);
            size_t size = 0;
            char *block = make(filters, &keys, &size);
            const size_t n_first = size < 128 ? 1 : 2;
            for (size_t i = 0; i < size; i++)
                for (unsigned value = 1; value < 256; value++) {
                    char *copy = exactly(block, size);
                    copy[i] = (char)((unsigned char)copy[i] ^ value);
                    test_where("%s, byte %zu of %zu ^ %u", ninho_kind_name(kinds[k]), i,
                               size, value);
                    /* Length, kind and version are told; the table is LevelDB's CRC's. */
                    if (is_maybe(filters, copy, size, 20) < (i < n_first))
                        test_fail(__FILE__, __LINE__, "a changed length was believed");
                    free(copy);
                }
            free(block);
            keys_free(&keys);
            ninho_leveldb_free(filters);
        }
}

static void test_a_block_of_another_kind_or_version_is_maybe(void **state)
{
    static const size_t many[] = {1, 2, 33, 101, 150, 1000};
    (void)state;

    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        for (size_t from = 0; from < N_KINDS; from++) {
            ninho_leveldb_filters *maker = filters_of(kinds[from], 10, 0);
            struct keys keys = keys_make(many[i], 0);
            size_t size = 0;
            char *block = make(maker, &keys, &size);
            for (size_t to = 0; to < N_KINDS; to++) {
                ninho_leveldb_filters *reader = filters_of(kinds[to], 10, 0);
                test_where("%s read as %s, %zu keys", ninho_kind_name(kinds[from]),
                           ninho_kind_name(kinds[to]), keys.n);
                CHECK(is_maybe(reader, block, size, 200) == (from != to));
                ninho_leveldb_free(reader);
            }
            for (unsigned version = 0; version < 8; version++) {
                char *copy = exactly(block, size);
                copy[0] = (char)((unsigned char)copy[0] ^ (1U ^ version) << 4);
                CHECK(is_maybe(maker, copy, size, 200) == (version != 1));
                free(copy);
            }
            free(block);
            keys_free(&keys);
            ninho_leveldb_free(maker);
        }
}

static void test_random_bytes_end_in_an_answer(void **state)
{
    struct test_rng rng = {test_seed(71)};
    const size_t n = test_scaled(20000, 2000);
    (void)state;

    for (size_t i = 0; i < n; i++) {
        const size_t size = (size_t)rng_below(&rng, 200);
        char bytes[200] = {0};
        for (size_t j = 0; j < size; j++)
            bytes[j] = (char)rng_next(&rng);
        /* Half of them have the right length in front, and get further. */
        const ninho_kind kind = kinds[i % N_KINDS];
        if (i & 4 && size > 2) {
            bytes[0] = (char)((size & 0x7f) | (size > 127 ? 0x80 : 0));
            bytes[0] = (char)((unsigned char)bytes[0] ^ (16U | (unsigned)kind));
            if (size > 127)
                bytes[1] = 1;
        }
        ninho_leveldb_filters *filters = filters_of(kind, 10, 0);
        char *copy = exactly(bytes, size);
        is_maybe(filters, copy, size, 10);
        CHECK(size || is_maybe(filters, copy, size, 10));
        free(copy);
        ninho_leveldb_free(filters);
    }
}

/* ---- Failures ---------------------------------------------------------------------- */

static void test_without_memory_a_block_is_maybe_and_not_empty(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_KINDS; k++)
        for (size_t n_call = 1;; n_call++) {
            ninho_leveldb_options options = NINHO_LEVELDB_INIT;
            ninho_leveldb_filters *filters = NULL;
            struct keys keys = keys_make(500, 0);
            struct test_heap heap;
            size_t size = 0;
            heap_init(&heap);
            options.kind = kinds[k];
            options.bits_per_key = 16;
            options.alloc = &heap.alloc;
            CHECK_OK(ninho_leveldb_filters_create(&options, &filters, NULL));
            heap_fail_at(&heap, n_call);
            char *block = make(filters, &keys, &size);
            check_all_there(filters, &keys, block, size);
            CHECK_U64(heap.live_blocks, 0);
            const bool has_failed = heap.n_refused > 0;
            CHECK(is_maybe(filters, block, size, 500) == has_failed);
            free(block);
            ninho_leveldb_free(filters);
            keys_free(&keys);
            if (!has_failed) {
                CHECK(n_call > 1);
                break;
            }
        }
}

static void test_options_out_of_range_are_refused(void **state)
{
    leveldb_filterpolicy_t *policy = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    static const struct {
        ninho_leveldb_options options;
        ninho_status status;
        const char *text;
    } bad[] = {
        {{.size_of_struct = 0}, NINHO_ERR_ARG, "size"},
        {{.size_of_struct = 4096}, NINHO_ERR_ARG, "size"},
        {{sizeof bad->options, NINHO_BLOOM, 0.5, 0, NULL}, NINHO_ERR_ARG, "1 to 100"},
        {{sizeof bad->options, NINHO_BLOOM, 101, 0, NULL}, NINHO_ERR_ARG, "1 to 100"},
        {{sizeof bad->options, NINHO_BLOOM, -1, 0, NULL}, NINHO_ERR_ARG, "1 to 100"},
        {{sizeof bad->options, NINHO_BLOOM, 10, 0.01, NULL}, NINHO_ERR_ARG, "not both"},
        {{sizeof bad->options, NINHO_BLOOM, 0, 1.0, NULL}, NINHO_ERR_ARG, "fpr"},
        {{sizeof bad->options, NINHO_BLOOM, 0, -0.1, NULL}, NINHO_ERR_ARG, "fpr"},
        {{sizeof bad->options, NINHO_FUSE, 0, 1e-6, NULL}, NINHO_ERR_ARG, "fpr"},
        {{sizeof bad->options, NINHO_SCALABLE, 0, 0, NULL},
         NINHO_ERR_UNSUPPORTED,
         "kind"},
        {{sizeof bad->options, NINHO_COUNTING, 0, 0, NULL},
         NINHO_ERR_UNSUPPORTED,
         "kind"},
        {{sizeof bad->options, (ninho_kind)99, 0, 0, NULL},
         NINHO_ERR_UNSUPPORTED,
         "kind"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        test_where("case %zu", i);
        CHECK_STATUS(ninho_leveldb_policy(&bad[i].options, &policy, &error),
                     bad[i].status);
        CHECK(strstr(error.text, bad[i].text));
        CHECK_U64(error.status, bad[i].status);
        CHECK(!policy);
    }
    CHECK_STATUS(ninho_leveldb_policy(NULL, NULL, NULL), NINHO_ERR_ARG);
}

static void test_names_carry_kind_and_version(void **state)
{
    static const char *const names[] = {"ninho.bloom.1", "ninho.blocked.1",
                                        "ninho.cuckoo.1", "ninho.fuse.1"};
    (void)state;
    for (size_t k = 0; k < N_KINDS; k++) {
        ninho_leveldb_filters *filters = filters_of(kinds[k], 0, 0);
        assert_string_equal(ninho_leveldb_name(filters), names[k]);
        ninho_leveldb_free(filters);
    }
}

/* The bytes are for ever: databases hold them. */
static void test_the_bytes_are_these(void **state)
{
    static const char *const hex[] = {
        "189f2b688b48220b00",
        "3300403000020010200000120800400600140001008002200008440000020000a0",
        "1dc1eb980300006804",
        "050000000000000000003d0067000000800022",
    };
    (void)state;
    for (size_t k = 0; k < N_KINDS; k++) {
        ninho_leveldb_filters *filters = filters_of(kinds[k], 10, 0);
        struct keys keys = keys_make(3, 0);
        char text[200] = "";
        size_t size = 0;
        char *block = make(filters, &keys, &size);
        for (size_t i = 0; i < size; i++)
            snprintf(text + 2 * i, 3, "%02x", (unsigned char)block[i]);
        test_where("%s: %s", ninho_kind_name(kinds[k]), text);
        CHECK(!strcmp(text, hex[k]));
        free(block);
        keys_free(&keys);
        ninho_leveldb_free(filters);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_is_found_whatever_the_size),
        cmocka_unit_test(test_blocks_are_at_most_as_long_as_leveldbs_own),
        cmocka_unit_test(test_the_rate_is_as_asked_for),
        cmocka_unit_test(test_order_and_copies_do_not_matter),
        cmocka_unit_test(test_any_bytes_are_a_key),
        cmocka_unit_test(test_a_shorter_or_longer_block_is_maybe),
        cmocka_unit_test(test_a_changed_byte_never_leads_astray),
        cmocka_unit_test(test_a_block_of_another_kind_or_version_is_maybe),
        cmocka_unit_test(test_random_bytes_end_in_an_answer),
        cmocka_unit_test(test_without_memory_a_block_is_maybe_and_not_empty),
        cmocka_unit_test(test_options_out_of_range_are_refused),
        cmocka_unit_test(test_names_carry_kind_and_version),
        cmocka_unit_test(test_the_bytes_are_these),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
