/* SPDX-License-Identifier: MIT */
/* The kernels of the split-block filter: all alike, and Parquet's. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "filter/simd/block.h"

static const struct nh_block_kernel *kernels[4];
static size_t n_kernels;

static void find_kernels(void)
{
    kernels[n_kernels++] = &nh_block_scalar;
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX2))
        kernels[n_kernels++] = &nh_block_avx2;
#elif NH_CPU_IS_ARM64
    if (nh_cpu_has(NH_CPU_NEON))
        kernels[n_kernels++] = &nh_block_neon;
#endif
}

/* The Parquet specification's own words, without a short cut: eight 32-bit words per block, mask
 * bit (x * salt) >> 27 of each, block (h >> 32) * n >> 32. */
static void parquet_insert(uint8_t *body, uint64_t n_blocks, uint64_t hash)
{
    static const uint32_t salt[8] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                     0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
    const uint64_t block = ((hash >> 32) * n_blocks) >> 32;

    for (unsigned i = 0; i < 8; i++) {
        const uint32_t product = (uint32_t)hash * salt[i];
        const unsigned bit = product >> 27;
        body[32 * block + 4 * i + bit / 8] |= (uint8_t)(1U << (bit % 8));
    }
}

static struct nh_part part_of(uint8_t *body, uint64_t n_blocks)
{
    return (struct nh_part){.body = body, .n_cells = n_blocks};
}

static void kernels_set_parquets_bits(void **state)
{
    (void)state;
    for (size_t k = 0; k < n_kernels; k++) {
        for (uint64_t n_blocks = 1; n_blocks < 3000; n_blocks = n_blocks * 5 + 2) {
            uint8_t *ours = calloc(n_blocks, 32), *many = calloc(n_blocks, 32);
            uint8_t *theirs = calloc(n_blocks, 32);
            struct nh_part part = part_of(ours, n_blocks);
            struct nh_part at_once = part_of(many, n_blocks);
            const struct nh_part expected = part_of(theirs, n_blocks);
            uint64_t hashes[777], maybe[13] = {0};
            CHECK(ours && many && theirs);
            test_where("kernel %zu, %llu blocks", k, (unsigned long long)n_blocks);
            for (size_t i = 0; i < 777; i++) {
                hashes[i] = i < 2 ? 0 - (uint64_t)i : mix64(i);
                kernels[k]->add(&part, hashes[i]);
                parquet_insert(theirs, n_blocks, hashes[i]);
                CHECK(kernels[k]->has(&part, hashes[i]));
            }
            kernels[k]->add_many(&at_once, hashes, 777);
            CHECK(memcmp(ours, theirs, 32 * n_blocks) == 0);
            CHECK(memcmp(many, theirs, 32 * n_blocks) == 0);
            for (size_t i = 0; i < 777; i++)
                hashes[i] = mix64(1000 + i);
            kernels[k]->has_many(&part, hashes, 777, maybe);
            for (size_t i = 0; i < 777; i++) {
                const bool has = nh_block_scalar.has(&expected, hashes[i]);
                CHECK(kernels[k]->has(&part, hashes[i]) == has);
                CHECK((maybe[i / 64] >> (i % 64) & 1) == has);
            }
            CHECK(maybe[12] >> (777 % 64) == 0);
            free(ours);
            free(many);
            free(theirs);
        }
    }
}

static void answers_are_added_to_those_there_are(void **state)
{
    uint8_t body[32] = {0};
    struct nh_part part = part_of(body, 1);
    const uint64_t hashes[3] = {1, 2, 3};

    (void)state;
    for (size_t k = 0; k < n_kernels; k++) {
        uint64_t maybe[1] = {2};
        memset(body, 0, sizeof body);
        kernels[k]->add(&part, 3);
        kernels[k]->has_many(&part, hashes, 3, maybe);
        CHECK(maybe[0] & 2);
        CHECK(maybe[0] & 4);
    }
}

static void blocks_may_lie_anywhere(void **state)
{
    uint8_t room[32 * 4 + 64];

    (void)state;
    for (size_t k = 0; k < n_kernels; k++) {
        for (size_t shift = 0; shift < 64; shift++) {
            struct nh_part part = part_of(room + shift, 4);
            memset(room, 0, sizeof room);
            for (uint64_t i = 0; i < 20; i++)
                kernels[k]->add(&part, mix64(i));
            for (uint64_t i = 0; i < 20; i++)
                CHECK(kernels[k]->has(&part, mix64(i)));
            for (size_t i = 0; i < shift; i++)
                CHECK(room[i] == 0);
        }
    }
}

static void the_chosen_kernel_is_one_of_them(void **state)
{
    (void)state;
    CHECK(nh_block_select() == kernels[n_kernels - 1]);
}

static void a_single_lookup_goes_straight_to_the_kernel(void **state)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;

    (void)state;
    spec.kind = NINHO_BLOCKED;
    spec.capacity = 1000;
    spec.fpr = .01;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    CHECK(filter->parts[0].has == nh_block_select()->has);
    ninho_filter_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_set_parquets_bits),
        cmocka_unit_test(answers_are_added_to_those_there_are),
        cmocka_unit_test(blocks_may_lie_anywhere),
        cmocka_unit_test(the_chosen_kernel_is_one_of_them),
        cmocka_unit_test(a_single_lookup_goes_straight_to_the_kernel),
    };

    find_kernels();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
