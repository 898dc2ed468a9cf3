/* SPDX-License-Identifier: MIT */
/* The words of a line are compared by two instructions. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "dict/simd/block8.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline uint32_t marks(const uint8_t *block, uint64_t word)
{
    const __m256i *const at = (const __m256i *)(const void *)block;
    const __m256i wanted = _mm256_set1_epi64x((long long)word);
    const __m256i low = _mm256_cmpeq_epi64(_mm256_loadu_si256(at), wanted);
    const __m256i high = _mm256_cmpeq_epi64(_mm256_loadu_si256(at + 1), wanted);
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(low)) |
           (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4;
}

AVX2 static uint8_t *find(const struct nh_probe8_table *t, uint64_t key, uint64_t hash)
{
    return nh_block8_find(t, key, hash, nh_block8_home(t, hash), marks);
}

AVX2 static bool get_word(const ninho_dict *dict, uint64_t key, uint64_t *value)
{
    return nh_block8_get(dict, key, value, marks);
}

AVX2 static size_t get_words(const ninho_dict *dict, const uint8_t *keys, size_t n,
                             uint64_t *values, uint64_t *found)
{
    return nh_block8_get_many(dict, keys, n, values, found, marks);
}

const struct nh_block8_kernel nh_block8_avx2 = {find, get_word, get_words};

#else
typedef int nh_block8_avx2_is_for_x86; /* C wants a declaration in every file */
#endif
