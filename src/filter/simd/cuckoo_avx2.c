/* SPDX-License-Identifier: MIT */
/* Four keys at a time. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/simd/cuckoo.h"

#include <immintrin.h>

#define VECTOR         __m256i
#define LANES          4
#define GROUP          32
#define TARGET         target("avx2")
#define ADD            _mm256_add_epi64
#define SUB            _mm256_sub_epi64
#define MUL32          _mm256_mul_epu32
#define XOR            _mm256_xor_si256
#define OR             _mm256_or_si256
#define AND            _mm256_and_si256
#define NOT_AND        _mm256_andnot_si256
#define SHIFT_LEFT     _mm256_slli_epi64
#define SHIFT_RIGHT    _mm256_srli_epi64
#define SHIFT_RIGHT_BY _mm256_srlv_epi64
#define STEP           __attribute__((TARGET, always_inline)) static inline

STEP __m256i all(uint64_t word)
{
    return _mm256_set1_epi64x((long long)word);
}

STEP __m256i load(const uint64_t *words)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)words);
}

STEP void store(uint64_t *words, __m256i value)
{
    _mm256_storeu_si256((__m256i *)(void *)words, value);
}

/* low * low + ((high * low + low * high) << 32) */
STEP __m256i times(__m256i a, uint64_t factor)
{
    const __m256i low = all((uint32_t)factor), high = all(factor >> 32);
    const __m256i cross = ADD(MUL32(SHIFT_RIGHT(a, 32), low), MUL32(a, high));
    return ADD(MUL32(a, low), SHIFT_LEFT(cross, 32));
}

STEP __m256i times_small(__m256i a, uint64_t factor)
{
    return ADD(MUL32(a, all((uint32_t)factor)),
               SHIFT_LEFT(MUL32(a, all(factor >> 32)), 32));
}

STEP __m256i at_most(__m256i a, uint64_t limit)
{
    return _mm256_blendv_epi8(a, all(limit), _mm256_cmpgt_epi64(a, all(limit)));
}

STEP __m256i wrapped(__m256i a, uint64_t n)
{
    return SUB(a, NOT_AND(_mm256_cmpgt_epi64(all(n), a), all(n)));
}

STEP __m256i gather(const uint8_t *table, __m256i bytes)
{
    return _mm256_i64gather_epi64((const long long *)(const void *)table, bytes, 1);
}

STEP uint64_t lanes_with(__m256i marks, __m256i bits)
{
    const __m256i is_none = _mm256_cmpeq_epi64(AND(marks, bits), _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(is_none)) ^ 15U;
}

#include "filter/simd/cuckoo_vectors.h"

const struct nh_cuckoo_batch nh_cuckoo_batch_avx2 = {has_many_offset, has_many_xor,
                                                     has_many_near};

#else
typedef int nh_cuckoo_avx2_is_for_x86; /* C wants a declaration in every file */
#endif
