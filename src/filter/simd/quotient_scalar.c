/* SPDX-License-Identifier: MIT */
#include "base/bits.h"
#include "cpu/cpu.h"

/* The n-th bit that is set, n counted from 0, as a word; 0 if there are not so many. Byte i of
 * `sums` is how many are set in bytes 0 to i, so that those not above n are the bytes to skip. */
static inline uint64_t nth(uint64_t word, unsigned n)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t sums = word - (word >> 1 & UINT64_C(0x5555555555555555));

    sums = (sums & UINT64_C(0x3333333333333333)) +
           (sums >> 2 & UINT64_C(0x3333333333333333));
    sums = ((sums + (sums >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * ones;
    if (sums >> 56 <= n)
        return 0;
    const uint64_t skipped = ((n * ones | tops) - sums) & tops; /* top bits: sum <= n */
    const unsigned at = 8 * (unsigned)((skipped >> 7) * ones >> 56);
    word >>= at;
    for (n -= (unsigned)(sums << 8 >> at & 0xff); n > 0; n--)
        word &= word - 1;
    return (word & (~word + 1)) << at;
}

static inline unsigned behind_highest(uint64_t word)
{
#ifdef __GNUC__
    return word ? 64 - (unsigned)__builtin_clzll(word) : 0;
#else
    for (unsigned shift = 1; shift < 64; shift *= 2)
        word |= word >> shift;
    return nh_popcount(word);
#endif
}

#define TUNED
#define COUNT  nh_popcount
#define NTH    nth
#define BEHIND behind_highest
#include "filter/simd/quotient_kernel.h"

const struct nh_quotient_kernel nh_quotient_scalar = {has, has_many, copies, insert,
                                                      take_out};

const struct nh_quotient_kernel *nh_quotient_select(void)
{
#if NH_CPU_IS_X86 && defined(__x86_64__)
    if (nh_cpu_has(NH_CPU_AVX2))
        return &nh_quotient_bmi2;
#endif
    return &nh_quotient_scalar;
}
