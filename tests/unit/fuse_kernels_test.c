/* SPDX-License-Identifier: MIT */
/* The kernels of the fuse filter's batch lookups, each beside the definition: the slots of a
 * present key XOR to its fingerprint. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "filter/simd/fuse.h"

static const struct nh_fuse_kernel *kernels[4];
static size_t n_kernels;

static void find_kernels(void)
{
    kernels[n_kernels++] = &nh_fuse_scalar;
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX2))
        kernels[n_kernels++] = &nh_fuse_avx2;
#elif NH_CPU_IS_ARM64
    if (nh_cpu_has(NH_CPU_NEON))
        kernels[n_kernels++] = &nh_fuse_neon;
#endif
}

/* What is wrong with the slots of a key: 0 if it is present. */
static unsigned difference(const uint8_t *body, const struct nh_fuse_shape *s,
                           uint64_t hash, uint64_t slots[NH_FUSE_MAX_ARITY])
{
    const uint64_t x = nh_fuse_mix(hash, s->turn);
    unsigned sum = nh_fuse_fingerprint(x, s->bits);

    nh_fuse_slots(x, s, s->arity, slots);
    for (unsigned i = 0; i < s->arity; i++)
        for (unsigned byte = 0; byte < s->bits / 8; byte++)
            sum ^= (unsigned)body[slots[i] * (s->bits / 8) + byte] << (8 * byte);
    return sum;
}

/* A key's last slot is set so that it is present, though that may drive out another. */
static void make_present(uint8_t *body, const struct nh_fuse_shape *s, uint64_t hash)
{
    uint64_t slots[NH_FUSE_MAX_ARITY];
    const unsigned wrong = difference(body, s, hash, slots);

    for (unsigned byte = 0; byte < s->bits / 8; byte++)
        body[slots[s->arity - 1] * (s->bits / 8) + byte] ^=
            (uint8_t)(wrong >> (8 * byte));
}

enum { MOST = 777 };

/* In a block of exactly its size, so that a sanitizer sees the first byte past it. */
static uint8_t *random_table(const struct nh_fuse_shape *s, struct test_rng *rng)
{
    const size_t n_slots = (size_t)s->region + ((size_t)(s->arity - 1) << s->log_segment);
    const size_t size = n_slots * (s->bits / 8);
    uint8_t *body = malloc(size);

    CHECK(body);
    for (size_t i = 0; i < size; i++)
        body[i] = (uint8_t)rng_next(rng);
    return body;
}

static void compare(const struct nh_fuse_shape *s, struct test_rng *rng)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 128, 130, MOST};
    uint8_t *body = random_table(s, rng);
    uint64_t hashes[MOST], slots[NH_FUSE_MAX_ARITY];

    for (size_t i = 0; i < MOST; i++) {
        hashes[i] = i < 2 ? 0 - (uint64_t)i : rng_next(rng);
        if (i % 2)
            make_present(body, s, hashes[i]);
    }
    for (size_t k = 0; k < n_kernels; k++) {
        for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++) {
            const size_t n = sizes[at];
            uint64_t maybe[MOST / 64 + 2] = {0};
            test_where("kernel %zu, arity %u, %u bits, segments of 2^%u, %zu keys", k,
                       s->arity, s->bits, s->log_segment, n);
            kernels[k]->has_many(body, s, hashes, n, maybe);
            for (size_t i = 0; i < n; i++)
                CHECK((maybe[i / 64] >> (i % 64) & 1) ==
                      !difference(body, s, hashes[i], slots));
            if (n % 64)
                CHECK_U64(maybe[n / 64] >> (n % 64), 0);
            CHECK_U64(maybe[(n + 63) / 64], 0);
        }
    }
    free(body);
}

static void kernels_answer_by_the_definition(void **state)
{
    struct test_rng rng = {test_seed(5)};

    (void)state;
    for (unsigned arity = 3; arity <= NH_FUSE_MAX_ARITY; arity++) {
        for (unsigned bits = 8; bits <= 16; bits += 8) {
            for (unsigned log_segment = 2; log_segment <= 12; log_segment++) {
                const uint64_t n_first = 1 + rng_below(&rng, 9);
                const struct nh_fuse_shape shape = {n_first << log_segment,
                                                    nh_low_mask(log_segment),
                                                    rng_next(&rng),
                                                    log_segment,
                                                    arity,
                                                    bits};
                compare(&shape, &rng);
            }
        }
    }
}

static void answers_are_added_to_those_there_are(void **state)
{
    struct test_rng rng = {7};
    const struct nh_fuse_shape shape = {4, 3, 1, 2, 3, 16};
    uint8_t *body = random_table(&shape, &rng);
    uint64_t hashes[64], slots[NH_FUSE_MAX_ARITY], expected = 0;

    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        hashes[i] = mix64(i);
        expected |= (uint64_t)!difference(body, &shape, hashes[i], slots) << i;
    }
    for (size_t k = 0; k < n_kernels; k++) {
        uint64_t maybe[1] = {UINT64_C(0x8000000000000011)};
        kernels[k]->has_many(body, &shape, hashes, 64, maybe);
        CHECK_U64(maybe[0], expected | UINT64_C(0x8000000000000011));
    }
    free(body);
}

static void the_chosen_kernel_is_one_of_them(void **state)
{
    (void)state;
    CHECK(nh_fuse_select() == kernels[n_kernels - 1]);
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
