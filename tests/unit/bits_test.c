/* SPDX-License-Identifier: MIT */
/* The kernels of the Bloom filter's batch lookups, each beside the definition: all k places set. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "filter/probe.h"
#include "filter/simd/bits.h"

static const struct nh_bits_kernel *kernels[4];
static size_t n_kernels;

static void find_kernels(void)
{
    kernels[n_kernels++] = &nh_bits_scalar;
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX2))
        kernels[n_kernels++] = &nh_bits_bmi2;
#endif
}

static bool has(const uint8_t *body, uint64_t m, uint32_t k, uint64_t hash)
{
    for (; k--; hash = nh_probe_next(hash))
        if (!(body[nh_reduce(hash, m) / 8] >> (nh_reduce(hash, m) % 8) & 1))
            return false;
    return true;
}

/* Tables of every k, half full, so that answers of both kinds come up at every place. */
static void kernels_answer_by_the_definition(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 1000};
    uint64_t hashes[1000], maybe[17];
    struct test_rng rng = {3};

    (void)state;
    for (size_t kernel = 0; kernel < n_kernels; kernel++) {
        for (uint32_t k = 1; k <= 64; k++) {
            for (uint64_t m = 1; m < 5000; m = m * 3 + 1) {
                uint8_t *body = malloc((m + 7) / 8);
                const struct nh_part part = {
                    .body = body, .size = (m + 7) / 8, .n_cells = m, .n_hashes = k};
                CHECK(body);
                test_where("kernel %zu, k %u, m %llu", kernel, (unsigned)k,
                           (unsigned long long)m);
                /* the larger k, the fuller: or else nobody would pass */
                for (size_t i = 0; i < part.size; i++)
                    body[i] = (uint8_t)(rng_next(&rng) | (k > 3 ? rng_next(&rng) : 0) |
                                        (k > 8 ? rng_next(&rng) | rng_next(&rng) : 0));
                for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                    const size_t n = sizes[s], n_words = (n + 63) / 64;
                    for (size_t i = 0; i < n; i++)
                        hashes[i] = i < 2 ? 0 - (uint64_t)i : rng_next(&rng);
                    memset(maybe, 0, sizeof maybe);
                    kernels[kernel]->has_many(&part, hashes, n, maybe);
                    for (size_t i = 0; i < n; i++)
                        CHECK((maybe[i / 64] >> (i % 64) & 1) ==
                              has(body, m, k, hashes[i]));
                    if (n % 64)
                        CHECK_U64(maybe[n_words - 1] >> (n % 64), 0);
                    CHECK_U64(maybe[n_words], 0);
                }
                free(body);
            }
        }
    }
}

static void answers_are_added_to_those_there_are(void **state)
{
    uint8_t body[1] = {0};
    const struct nh_part part = {.body = body, .size = 1, .n_cells = 8, .n_hashes = 5};
    const uint64_t hashes[3] = {1, 2, 3};

    (void)state;
    for (size_t kernel = 0; kernel < n_kernels; kernel++) {
        uint64_t maybe[1] = {2};
        kernels[kernel]->has_many(&part, hashes, 3, maybe);
        CHECK_U64(maybe[0], 2);
    }
}

static void the_chosen_kernel_is_one_of_them(void **state)
{
    (void)state;
    CHECK(nh_bits_select() == kernels[n_kernels - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_answer_by_the_definition),
        cmocka_unit_test(answers_are_added_to_those_there_are),
        cmocka_unit_test(the_chosen_kernel_is_one_of_them),
    };

    find_kernels();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
