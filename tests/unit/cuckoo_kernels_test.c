/* SPDX-License-Identifier: MIT */
/* The kernels of a cuckoo filter's batch lookups, in tables of every shape that they are for: each
 * answers what a lookup key by key answers, and reads nothing past the table. */
#include "unit/cuckoos.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "filter/cuckoo.h"
#include "filter/simd/cuckoo.h"

static const struct nh_cuckoo_batch *kernels[4];
static size_t n_kernels;

static void find_kernels(void)
{
    kernels[n_kernels++] = &nh_cuckoo_batch_scalar;
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX2))
        kernels[n_kernels++] = &nh_cuckoo_batch_avx2;
    if (nh_cpu_has(NH_CPU_AVX512))
        kernels[n_kernels++] = &nh_cuckoo_batch_avx512;
#endif
}

enum { MOST = 333 };

static void compare(const struct nh_part *part, ninho_pairing pairing, uint64_t n_there)
{
    static const size_t sizes[] = {0, 1, 31, 32, 33, 63, 64, 65, 128, MOST};
    uint64_t hashes[MOST];

    for (uint64_t i = 0; i < MOST; i++)
        hashes[i] = i < 2 ? 0 - i : i % 2 ? mix64(i % n_there) : mix64(i << 32);
    for (size_t k = 0; k < n_kernels; k++) {
        for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++) {
            const size_t n = sizes[at];
            uint64_t maybe[MOST / 64 + 2] = {2}; /* which stays */
            if (pairing == NINHO_PAIRING_OFFSET)
                kernels[k]->has_many_offset(part, hashes, n, maybe);
            else if (pairing == NINHO_PAIRING_NEAR)
                kernels[k]->has_many_near(part, hashes, n, maybe);
            else
                kernels[k]->has_many_xor(part, hashes, n, maybe);
            CHECK(maybe[0] & 2);
            for (size_t i = 0; i < n; i++)
                CHECK((maybe[i / 64] >> i % 64 & 1) ==
                      (i == 1 || nh_cuckoo_has_word(part, hashes[i], pairing)));
            CHECK_U64(maybe[(n + 63) / 64] & ~UINT64_C(2), 0);
        }
    }
}

/* In a block of exactly its size, so that a sanitizer sees the first byte past it. */
static void kernels_answer_as_one_by_one(void **state)
{
    unsigned n_shapes = 0;

    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        for (unsigned width = 8; width <= 32; width++) {
            ninho_spec spec = cuckoo_spec(cuckoo, 60, 0);
            const bool is_xor_windows =
                spec.slots == NINHO_WINDOWS && spec.pairing == NINHO_PAIRING_XOR;
            spec.n_slots = 128 + (is_xor_windows ? spec.place_slots - 1 : 0);
            spec.tag_bits = width;
            ninho_filter *filter = filter_of(&spec, NULL);
            const uint64_t n = fill_until_full(filter, 0);
            struct nh_part part = filter->parts[0];
            const struct nh_cuckoo_shape shape = nh_cuckoo_of(&part);
            test_where("%s: %u bits", cuckoo->name, width);
            if (nh_cuckoo_is_word(&shape)) {
                part.body = malloc(part.size);
                CHECK(part.body);
                memcpy(part.body, filter->parts[0].body, part.size);
                compare(&part, nh_cuckoo_word_pairing(&shape), n);
                free(part.body);
                n_shapes++;
            }
            ninho_filter_free(filter);
        }
    }
    CHECK(n_shapes > 50);
}

/* Near tables have a bucket to spare, and its words end with the table. */
static void kernels_answer_as_one_by_one_in_near_tables(void **state)
{
    (void)state;
    for (unsigned width = 8; width <= 16; width += 2)
        for (uint64_t n_buckets = 3; n_buckets < 70; n_buckets += 2) {
            ninho_spec spec = cuckoo_spec(DEFAULT_CUCKOO, 8, 0);
            spec.pairing = NINHO_PAIRING_NEAR;
            spec.n_slots = 4 * n_buckets;
            spec.tag_bits = width;
            ninho_filter *filter = filter_of(&spec, NULL);
            const uint64_t n = fill_until_full(filter, 0);
            struct nh_part part = filter->parts[0];
            const struct nh_cuckoo_shape shape = nh_cuckoo_of(&part);
            test_where("%u bits, %u buckets", width, (unsigned)n_buckets);
            CHECK(nh_cuckoo_word_pairing(&shape) == NINHO_PAIRING_NEAR);
            part.body = malloc(part.size);
            CHECK(part.body);
            memcpy(part.body, filter->parts[0].body, part.size);
            compare(&part, NINHO_PAIRING_NEAR, n);
            free(part.body);
            ninho_filter_free(filter);
        }
}

static void the_best_kernel_is_chosen(void **state)
{
    ninho_spec spec = cuckoo_spec(DEFAULT_CUCKOO, 1000, .01);
    ninho_filter *filter = filter_of(&spec, NULL);
    struct nh_part huge = filter->parts[0];

    (void)state;
    CHECK(nh_cuckoo_batch_select(&filter->parts[0]) == kernels[n_kernels - 1]);
    huge.cached.cuckoo.n_places = UINT64_C(1) << 32; /* more than 32-bit products take */
    CHECK(nh_cuckoo_batch_select(&huge) == &nh_cuckoo_batch_scalar);
    ninho_filter_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_answer_as_one_by_one),
        cmocka_unit_test(kernels_answer_as_one_by_one_in_near_tables),
        cmocka_unit_test(the_best_kernel_is_chosen),
    };

    find_kernels();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
