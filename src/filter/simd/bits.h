/* SPDX-License-Identifier: MIT */
/* The inner loop of the Bloom filter's batch lookups, one set of functions per
 * instruction set. Every set gives the same answers; the scalar one is the oracle.
 *
 * There is none for NEON. It has no 64-bit products and cannot gather, and what BMI2 gives
 * x86, products and shifts in any register, aarch64 has without it. */
#ifndef NH_FILTER_SIMD_BITS_H
#define NH_FILTER_SIMD_BITS_H

#include <stddef.h>
#include <stdint.h>

#include "filter/ops.h"

struct nh_bits_kernel {
    /* Sets part->has to the lookup for its number of probes. */
    void (*choose_has)(struct nh_part *part);
    /* ORs the answers into maybe[]. */
    void (*has_many)(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe);
};

extern const struct nh_bits_kernel nh_bits_scalar;
extern const struct nh_bits_kernel nh_bits_bmi2; /* only where NH_CPU_AVX2 is */

/* The best for this machine. */
const struct nh_bits_kernel *nh_bits_select(void);

/* Bit i of a table is bit i % 8 of byte i / 8. */
static inline bool nh_bit_is_set(const uint8_t *body, uint64_t bit)
{
    return ninho_load8_(&body[bit >> 3]) >> (bit & 7) & 1;
}

#endif
