/* SPDX-License-Identifier: MIT */
#include "filter/simd/ribbon.h"

#include "cpu/cpu.h"

NH_ALWAYS_INLINE bool agrees(const ninho_ribbon_words_ *words, uint32_t wanted,
                             bool is_narrow)
{
    return ninho_ribbon_agrees_plain_(words, wanted, is_narrow);
}

NH_NOINLINE static bool has_later(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has_later(part, hash, agrees);
}

static bool has_narrow(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has(part, hash, false, true, agrees, has_later);
}

static bool has_mixed(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has(part, hash, true, true, agrees, has_later);
}

static bool has_wide(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has(part, hash, true, false, agrees, has_later);
}

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    nh_ribbon_has_many(part, hashes, n, maybe, agrees);
}

/* Bit i of a column is slot i's, so that the slots after one are the higher bits once the column
 * is shifted up by it. */
static void solve(const uint64_t *masks, const uint32_t *results, unsigned width,
                  uint64_t *columns)
{
    for (unsigned at = 0; at < width; at += 8)
        for (unsigned slot = NH_RIBBON_BLOCK; slot-- > 0;) {
            uint64_t added[8];
            for (unsigned i = 0; i < 8; i++) {
                columns[at + i] <<= 1;
                added[i] = columns[at + i] & masks[slot];
            }
            const unsigned bits = masks[slot] ? ninho_parities_of_eight_(added) ^
                                                    (results[slot] >> at & 0xff)
                                              : 0;
            for (unsigned i = 0; i < 8; i++)
                columns[at + i] |= bits >> i & 1;
        }
}

const struct nh_ribbon_kernel nh_ribbon_scalar = {has_narrow, has_mixed, has_wide,
                                                  has_many, solve};

const struct nh_ribbon_kernel *nh_ribbon_select(uint64_t n_starts)
{
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_VPOPCNT) && n_starts <= UINT32_MAX)
        return &nh_ribbon_avx512;
    if (nh_cpu_has(NH_CPU_AVX2))
        return &nh_ribbon_avx2;
#else
    (void)n_starts;
#endif
    return &nh_ribbon_scalar;
}
