/* SPDX-License-Identifier: MIT */
/* Four columns at a time: one register holds a word of each. */
#define NINHO_ALL_KERNELS_
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/simd/ribbon.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 NH_ALWAYS_INLINE bool agrees(const ninho_ribbon_words_ *words, uint32_t wanted,
                                  bool is_narrow)
{
    return ninho_ribbon_agrees_avx2_(words, wanted, is_narrow);
}

AVX2 NH_NOINLINE static bool has_later(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has_later(part, hash, agrees);
}

AVX2 static bool has_narrow(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has(part, hash, false, true, agrees, has_later);
}

AVX2 static bool has_mixed(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has(part, hash, true, true, agrees, has_later);
}

AVX2 static bool has_wide(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has(part, hash, true, false, agrees, has_later);
}

AVX2 static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                          uint64_t *maybe)
{
    nh_ribbon_has_many(part, hashes, n, maybe, agrees);
}

/* Lane i: bit i of the low four. */
AVX2 static inline __m256i lanes_of(unsigned bits)
{
    const __m256i each = _mm256_srlv_epi64(_mm256_set1_epi64x((long long)bits),
                                           _mm256_setr_epi64x(0, 1, 2, 3));
    return _mm256_and_si256(each, _mm256_set1_epi64x(1));
}

AVX2 static void solve(const uint64_t *masks, const uint32_t *results, unsigned width,
                       uint64_t *columns)
{
    for (unsigned at = 0; at < width; at += 8) {
        __m256i *const to = (__m256i *)(void *)(columns + at);
        __m256i low = _mm256_loadu_si256(to), high = _mm256_loadu_si256(to + 1);
        for (unsigned slot = NH_RIBBON_BLOCK; slot-- > 0;) {
            const __m256i mask = _mm256_set1_epi64x((long long)masks[slot]);
            low = _mm256_slli_epi64(low, 1);
            high = _mm256_slli_epi64(high, 1);
            const unsigned found =
                ninho_parities_of_four_avx2_(_mm256_and_si256(low, mask)) |
                ninho_parities_of_four_avx2_(_mm256_and_si256(high, mask)) << 4;
            const unsigned bits = masks[slot] ? found ^ results[slot] >> at : 0;
            low = _mm256_or_si256(low, lanes_of(bits));
            high = _mm256_or_si256(high, lanes_of(bits >> 4));
        }
        _mm256_storeu_si256(to, low);
        _mm256_storeu_si256(to + 1, high);
    }
}

const struct nh_ribbon_kernel nh_ribbon_avx2 = {has_narrow, has_mixed, has_wide, has_many,
                                                solve};

#else
typedef int nh_ribbon_avx2_is_for_x86; /* C wants a declaration in every file */
#endif
