/* SPDX-License-Identifier: MIT */
/* The scalar loop with BMI2's multiplications and shifts, which need no fixed registers,
 * and with k known to the compiler. Both only save instructions; but what bounds a lookup
 * is how many loads the core holds in flight, and with fewer instructions around them it
 * holds more. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/probe.h"
#include "filter/simd/bits.h"

#define BMI2 __attribute__((target("bmi2")))

/* The numbers of probes from 10 % to 2^-14, if they are the best ones. */
#define FOR_EACH_K(X) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)
#define LEAST_K       3
#define MOST_K        14

#define MANY(k)                                                      \
    case k:                                                          \
        nh_probe_has_many(part, k, hashes, n, maybe, nh_bit_is_set); \
        break;

BMI2 static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                          uint64_t *maybe)
{
    switch (part->n_hashes) {
        FOR_EACH_K(MANY)
    default:
        nh_probe_has_many(part, part->n_hashes, hashes, n, maybe, nh_bit_is_set);
    }
}

#define ONE(k)                                                          \
    BMI2 static bool has_##k(const struct nh_part *part, uint64_t hash) \
    {                                                                   \
        return ninho_bloom_find_(part->body, part->n_cells, k, hash);   \
    }
FOR_EACH_K(ONE)

BMI2 static bool has_any(const struct nh_part *part, uint64_t hash)
{
    return ninho_bloom_find_(part->body, part->n_cells, part->n_hashes, hash);
}

#define NAME(k) has_##k,

static void choose_has(struct nh_part *part)
{
    static bool (*const by_k[])(const struct nh_part *, uint64_t) = {FOR_EACH_K(NAME)};
    const uint32_t k = part->n_hashes;

    part->has = k >= LEAST_K && k <= MOST_K ? by_k[k - LEAST_K] : has_any;
}

const struct nh_bits_kernel nh_bits_bmi2 = {choose_has, has_many};

#else
typedef int nh_bits_bmi2_is_for_x86; /* C wants a declaration in every file */
#endif
