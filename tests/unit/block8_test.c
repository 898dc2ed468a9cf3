/* SPDX-License-Identifier: MIT */
/* The kernels of the dictionary of 8-byte keys: all find what was put. */
#include "support/test.h"

#include <string.h>

#include "cpu/cpu.h"
#include "dict/simd/block8.h"

static const struct nh_block8_kernel *kernels[4];
static size_t n_kernels;

static void find_kernels(void)
{
    kernels[n_kernels++] = &nh_block8_scalar;
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX2))
        kernels[n_kernels++] = &nh_block8_avx2;
#elif NH_CPU_IS_ARM64
    if (nh_cpu_has(NH_CPU_NEON))
        kernels[n_kernels++] = &nh_block8_neon;
#endif
}

static ninho_dict *empty_dict(void)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;

    spec.key_size = 8;
    CHECK_OK(ninho_dict_create(&spec, NULL, &dict, NULL));
    CHECK(dict->get_word == nh_block8_select()->get_word);
    return dict;
}

/* Key i: the edges first, then anything. Even ones are put, and every sixth removed again. */
static uint64_t key_of(uint64_t i)
{
    return i < 4 ? i - 2 : mix64(i);
}

static bool is_in(uint64_t i)
{
    return i % 2 == 0 && i % 6 != 0;
}

static void fill(ninho_dict *dict, uint64_t n)
{
    for (uint64_t i = 0; i < n; i += 2) {
        const uint64_t key = key_of(i);
        CHECK_OK(ninho_dict_put(dict, &key, 8, i + 1, NULL));
    }
    for (uint64_t i = 0; i < n; i += 6) {
        const uint64_t key = key_of(i);
        CHECK_OK(ninho_dict_remove(dict, &key, 8));
    }
}

static void kernels_find_what_was_put(void **state)
{
    enum { MOST = 3000 };
    static uint64_t keys[MOST], values[MOST], found[MOST / 64 + 1];

    (void)state;
    for (uint64_t i = 0; i < MOST; i++)
        keys[i] = key_of(i);
    for (uint64_t n = 1; n <= MOST; n = n * 3 + 1) {
        ninho_dict *dict = empty_dict();
        fill(dict, n);
        for (size_t k = 0; k < n_kernels; k++) {
            uint64_t n_in = 0;
            test_where("kernel %zu, %llu keys", k, (unsigned long long)n);
            memset(found, 0, sizeof found);
            for (uint64_t i = 0; i < n; i++) {
                const uint64_t hash = nh_mix(keys[i], dict->spec.seed);
                const uint8_t *const place =
                    kernels[k]->find(&dict->table.probe8, keys[i], hash);
                uint64_t value = 0;
                CHECK((place != NULL) == is_in(i));
                CHECK(!place || nh_word_at(place) == keys[i]);
                CHECK(kernels[k]->get_word(dict, keys[i], &value) == is_in(i));
                CHECK(kernels[k]->get_word(dict, keys[i], NULL) == is_in(i));
                CHECK_U64(value, is_in(i) ? i + 1 : 0);
                n_in += is_in(i);
                values[i] = 0;
            }
            CHECK_U64(
                kernels[k]->get_words(dict, (const uint8_t *)keys, n, values, found),
                n_in);
            for (uint64_t i = 0; i < n; i++) {
                CHECK((found[i / 64] >> (i % 64) & 1) == is_in(i));
                CHECK_U64(values[i], is_in(i) ? i + 1 : 0);
            }
        }
        ninho_dict_free(dict);
    }
}

/* The marks of a block, seen through find: each of the seven places, and the head, which is
 * no key though a key may look like it. */
static void every_place_of_a_block_is_looked_at(void **state)
{
    uint8_t block[NH_BLOCK8_BYTES];
    struct nh_probe8_table t = {.n_blocks = 1, .salt = 1, .max_walk = 1};

    (void)state;
    t.blocks.bytes = block;
    for (size_t k = 0; k < n_kernels; k++) {
        for (unsigned used = 0; used < 256; used += 2) {
            test_where("kernel %zu, places %#x", k, used);
            memset(block, 0, sizeof block);
            block[0] = (uint8_t)used;
            for (unsigned i = 1; i <= NH_BLOCK8_KEYS; i++)
                nh_set_word(block + 8 * i, mix64(i));
            for (unsigned i = 1; i <= NH_BLOCK8_KEYS; i++)
                CHECK(kernels[k]->find(&t, mix64(i), 0) ==
                      (used >> i & 1 ? block + 8 * i : NULL));
            CHECK(!kernels[k]->find(&t, nh_word_at(block), 0));
            CHECK(!kernels[k]->find(&t, mix64(99), 0));
        }
    }
}

/* Words that differ in one bit only. */
static void every_bit_of_a_key_counts(void **state)
{
    const uint64_t key = UINT64_C(0x0123456789abcdef);
    uint8_t block[NH_BLOCK8_BYTES] = {0};
    struct nh_probe8_table t = {.n_blocks = 1, .salt = 1, .max_walk = 1};

    (void)state;
    t.blocks.bytes = block;
    block[0] = 0xfe;
    for (unsigned i = 1; i <= NH_BLOCK8_KEYS; i++)
        nh_set_word(block + 8 * i, key);
    for (size_t k = 0; k < n_kernels; k++) {
        CHECK(kernels[k]->find(&t, key, 0) == block + 8);
        for (unsigned bit = 0; bit < 64; bit++)
            CHECK(!kernels[k]->find(&t, key ^ UINT64_C(1) << bit, 0));
    }
}

static void the_chosen_kernel_is_one_of_them(void **state)
{
    (void)state;
    CHECK(nh_block8_select() == kernels[n_kernels - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_find_what_was_put),
        cmocka_unit_test(every_place_of_a_block_is_looked_at),
        cmocka_unit_test(every_bit_of_a_key_counts),
        cmocka_unit_test(the_chosen_kernel_is_one_of_them),
    };

    find_kernels();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
