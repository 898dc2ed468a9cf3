/* SPDX-License-Identifier: MIT */
/* Four keys at a time: their slots by 32-bit products, their bytes by gathering. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/simd/fuse.h"

#include <immintrin.h>

#define AVX2        __attribute__((target("avx2")))
#define AVX2_INLINE __attribute__((target("avx2"), always_inline)) static inline

AVX2_INLINE __m256i all(uint64_t word)
{
    return _mm256_set1_epi64x((long long)word);
}

/* The low halves of four products: low * low + ((high * low + low * high) << 32). */
AVX2_INLINE __m256i times(__m256i a, uint64_t factor)
{
    const __m256i low = all((uint32_t)factor), high = all(factor >> 32);
    const __m256i cross = _mm256_add_epi64(
        _mm256_mul_epu32(_mm256_srli_epi64(a, 32), low), _mm256_mul_epu32(a, high));
    return _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_slli_epi64(cross, 32));
}

/* nh_reduce() for regions below 2^32. */
AVX2_INLINE __m256i reduce(__m256i x, __m256i region)
{
    const __m256i low = _mm256_srli_epi64(_mm256_mul_epu32(x, region), 32);
    const __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), region);
    return _mm256_srli_epi64(_mm256_add_epi64(low, high), 32);
}

/* Four bytes from each slot on. There always are so many: a segment, of four slots at
 * least, follows those that this is for. */
AVX2_INLINE __m128i from_slot(const uint8_t *body, __m256i slots, unsigned bits)
{
    const int *const at = (const int *)(const void *)body;
    return bits == 8 ? _mm256_i64gather_epi32(at, slots, 1)
                     : _mm256_i64gather_epi32(at, slots, 2);
}

/* Of the last slots, behind which the table may end, four bytes up to their end; shifted,
 * so that the slot comes first. */
AVX2_INLINE __m128i up_to_slot(const uint8_t *body, __m256i slots, unsigned bits)
{
    const __m256i first = _mm256_sub_epi64(slots, all(bits == 8 ? 3 : 1));
    return _mm_srli_epi32(from_slot(body, first, bits), (int)(32 - bits));
}

/* Answers for four keys, in the low bits. */
AVX2_INLINE unsigned has_four(const uint8_t *body, const struct nh_fuse_shape *s,
                              const uint64_t *hashes, unsigned arity, unsigned bits)
{
    const __m256i inside = all(s->inside), segment = all((uint64_t)1 << s->log_segment);
    __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)hashes);

    x = times(_mm256_xor_si256(x, all(s->turn)), NINHO_FUSE_FIRST_FACTOR_);
    x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
    const __m256i second = times(x, NINHO_FUSE_SECOND_FACTOR_);
    const __m256i first = reduce(x, all(s->region));
    __m256i start = _mm256_add_epi64(first, segment);
    const __m256i slots_1 = _mm256_xor_si256(start, _mm256_and_si256(x, inside));
    start = _mm256_add_epi64(start, segment);
    const __m256i slots_2 = _mm256_xor_si256(
        start, _mm256_and_si256(_mm256_srli_epi64(x, NINHO_FUSE_THIRD_), inside));
    __m128i sum =
        _mm_xor_si128(from_slot(body, first, bits), from_slot(body, slots_1, bits));
    if (arity == 3) {
        sum = _mm_xor_si128(sum, up_to_slot(body, slots_2, bits));
    } else {
        start = _mm256_add_epi64(start, segment);
        const __m256i slots_3 = _mm256_xor_si256(
            start,
            _mm256_and_si256(_mm256_srli_epi64(second, NINHO_FUSE_FOURTH_), inside));
        sum = _mm_xor_si128(sum, from_slot(body, slots_2, bits));
        sum = _mm_xor_si128(sum, up_to_slot(body, slots_3, bits));
    }
    /* the fingerprints, from four 64-bit lanes into four of 32 */
    const __m256i wanted =
        _mm256_permutevar8x32_epi32(_mm256_srli_epi64(second, (int)(64 - bits)),
                                    _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    const __m128i difference =
        _mm_and_si128(_mm_xor_si128(sum, _mm256_castsi256_si128(wanted)),
                      _mm_set1_epi32((int)nh_low_mask(bits)));
    const __m128i agrees = _mm_cmpeq_epi32(difference, _mm_setzero_si128());
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(agrees));
}

AVX2_INLINE void has_whole(const uint8_t *body, const struct nh_fuse_shape *s,
                           const uint64_t *hashes, size_t n, uint64_t *maybe,
                           unsigned arity, unsigned bits)
{
    for (size_t at = 0; at < n; at += 64) {
        uint64_t answers = 0;
        for (unsigned i = 0; i < 64; i += 4)
            answers |= (uint64_t)has_four(body, s, hashes + at + i, arity, bits) << i;
        maybe[at / 64] |= answers;
    }
}

AVX2 static void has_many(const uint8_t *body, const struct nh_fuse_shape *s,
                          const uint64_t *hashes, size_t n, uint64_t *maybe)
{
    const size_t n_whole = n - n % 64;

    nh_fuse_unfold(body, s, hashes, n_whole, maybe, has_whole);
    nh_fuse_scalar.has_many(body, s, hashes + n_whole, n % 64, maybe + n_whole / 64);
}

const struct nh_fuse_kernel nh_fuse_avx2 = {has_many};

#else
typedef int nh_fuse_avx2_is_for_x86; /* C wants a declaration in every file */
#endif
