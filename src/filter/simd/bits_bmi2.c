/* SPDX-License-Identifier: MIT */
/* The scalar loop with BMI2's multiplications and shifts, which need no fixed registers,
 * and with k known to the compiler. Both only save instructions; but what bounds a lookup
 * is how many loads the core holds in flight, and with fewer instructions around them it
 * holds more. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/probe.h"
#include "filter/simd/bits.h"

#define K(k)                                                         \
    case k:                                                          \
        nh_probe_has_many(part, k, hashes, n, maybe, nh_bit_is_set); \
        break

/* From 10 % to 2^-14, with the best k. */
__attribute__((target("bmi2"))) static void has_many(const struct nh_part *part,
                                                     const uint64_t *hashes, size_t n,
                                                     uint64_t *maybe)
{
    switch (part->n_hashes) {
        K(3);
        K(4);
        K(5);
        K(6);
        K(7);
        K(8);
        K(9);
        K(10);
        K(11);
        K(12);
        K(13);
        K(14);
    default:
        nh_probe_has_many(part, part->n_hashes, hashes, n, maybe, nh_bit_is_set);
    }
}

const struct nh_bits_kernel nh_bits_bmi2 = {has_many};

#else
typedef int nh_bits_bmi2_is_for_x86; /* C wants a declaration in every file */
#endif
