/* SPDX-License-Identifier: MIT */
/* Eight keys at a time. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/simd/cuckoo.h"

#include <immintrin.h>

#define VECTOR         __m512i
#define LANES          8
#define GROUP          32
#define TARGET         target("avx512f,avx512dq")
#define ADD            _mm512_add_epi64
#define SUB            _mm512_sub_epi64
#define MUL32          _mm512_mul_epu32
#define XOR            _mm512_xor_si512
#define OR             _mm512_or_si512
#define AND            _mm512_and_si512
#define NOT_AND        _mm512_andnot_si512
#define SHIFT_LEFT     _mm512_slli_epi64
#define SHIFT_RIGHT    _mm512_srli_epi64
#define SHIFT_RIGHT_BY _mm512_srlv_epi64
#define times_small    times
#define STEP           __attribute__((TARGET, always_inline)) static inline

STEP __m512i all(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

STEP __m512i load(const uint64_t *words)
{
    return _mm512_loadu_si512(words);
}

STEP void store(uint64_t *words, __m512i value)
{
    _mm512_storeu_si512(words, value);
}

STEP __m512i times(__m512i a, uint64_t factor)
{
    return _mm512_mullo_epi64(a, all(factor));
}

STEP __m512i at_most(__m512i a, uint64_t limit)
{
    return _mm512_min_epu64(a, all(limit));
}

STEP __m512i wrapped(__m512i a, uint64_t n)
{
    return _mm512_min_epu64(a, SUB(a, all(n))); /* that may wrap */
}

/* Without optimisation gcc's intrinsic is a macro, and converts its mask in our source. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
STEP __m512i gather(const uint8_t *table, __m512i bytes)
{
    return _mm512_i64gather_epi64(bytes, table, 1);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

STEP uint64_t lanes_with(__m512i marks, __m512i bits)
{
    return _mm512_test_epi64_mask(marks, bits);
}

#include "filter/simd/cuckoo_vectors.h"

const struct nh_cuckoo_batch nh_cuckoo_batch_avx512 = {has_many_offset, has_many_xor,
                                                       has_many_near};

#else
typedef int nh_cuckoo_avx512_is_for_x86; /* C wants a declaration in every file */
#endif
