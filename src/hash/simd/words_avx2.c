/* SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "hash/simd/words.h"

#include <immintrin.h>

#include "base/bits.h"

#define AVX2        __attribute__((target("avx2")))
#define AVX2_INLINE __attribute__((target("avx2"), always_inline)) static inline

#define ROTATED(x, n) \
    _mm256_or_si256(_mm256_slli_epi64(x, n), _mm256_srli_epi64(x, 64 - (n)))

AVX2_INLINE __m256i all(uint64_t word)
{
    return _mm256_set1_epi64x((long long)word);
}

/* The low halves of four products with XXH3's number:
 * low * low + ((high * low + low * high) << 32). */
AVX2_INLINE __m256i times(__m256i x)
{
    const __m256i low = all(0x1e98df25), high = all(0x9fb21c65);
    const __m256i cross = _mm256_add_epi64(
        _mm256_mul_epu32(_mm256_srli_epi64(x, 32), low), _mm256_mul_epu32(x, high));
    return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(cross, 32));
}

/* ninho_xxh3_word_() of four. */
AVX2_INLINE __m256i hashed(__m256i words, __m256i flip)
{
    __m256i x = _mm256_xor_si256(_mm256_shuffle_epi32(words, 0xb1), flip); /* halves */

    x = _mm256_xor_si256(x, _mm256_xor_si256(ROTATED(x, 49), ROTATED(x, 24)));
    x = times(x);
    x = _mm256_xor_si256(x, _mm256_add_epi64(_mm256_srli_epi64(x, 35), all(8)));
    x = times(x);
    return _mm256_xor_si256(x, _mm256_srli_epi64(x, 28));
}

AVX2 size_t nh_hash_words_avx2(const uint8_t *keys, size_t n, uint64_t flip,
                               uint64_t *hashes)
{
    for (size_t i = 0; i < n / 8; i++, keys += 64, hashes += 8) {
        const __m256i *const from = (const __m256i *)(const void *)keys;
        __m256i *const to = (__m256i *)(void *)hashes;
        nh_prefetch((const void *)((uintptr_t)keys + NH_HASH_AHEAD));
        _mm256_storeu_si256(to, hashed(_mm256_loadu_si256(from), all(flip)));
        _mm256_storeu_si256(to + 1, hashed(_mm256_loadu_si256(from + 1), all(flip)));
    }
    return n - n % 8;
}

#else
typedef int nh_words_avx2_is_for_x86; /* C wants a declaration in every file */
#endif
