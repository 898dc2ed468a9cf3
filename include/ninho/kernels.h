/* SPDX-License-Identifier: MIT */
/* How one key is hashed and looked up in a table, for <ninho/inline.h> and for the library, which
 * both include it: one source, so that they answer alike. It is no interface: what is here may
 * change. */
#ifndef NINHO_KERNELS_H
#define NINHO_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/words.h>

/* NINHO_ALL_KERNELS_ is for the library, which chooses when it runs. */
#if !defined(__GNUC__) || (defined(NINHO_NO_SIMD) && !defined(NINHO_ALL_KERNELS_))
#elif defined(__AVX2__)
#include <immintrin.h>
#define NINHO_AVX2_
#elif defined(NINHO_ALL_KERNELS_) && (defined(__x86_64__) || defined(__i386__))
#include <immintrin.h>
#define NINHO_AVX2_ __attribute__((target("avx2")))
#elif defined(__SSE4_1__)
#include <smmintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#include <arm_neon.h>
#endif

/* ---- xxh3 --------------------------------------------------------------------------- */

/* XXH3 with a seed turns the bits of a key of 8 bytes by a number that follows from the seed: two
 * words of its secret, less the seed. */
NINHO_INLINE_ uint64_t ninho_xxh3_flip_(uint64_t seed)
{
    const uint32_t low = (uint32_t)seed;
    const uint32_t swapped =
        low << 24 | (low & 0xff00) << 8 | (low >> 8 & 0xff00) | low >> 24;

    return (UINT64_C(0x1cad21f72c81017c) ^ UINT64_C(0xdb979083e96dd4de)) -
           (seed ^ (uint64_t)swapped << 32);
}

/* XXH3-64 of the 8 bytes of a little-endian word. */
NINHO_INLINE_ uint64_t ninho_xxh3_word_(uint64_t word, uint64_t flip)
{
    uint64_t x = (word << 32 | word >> 32) ^ flip;

    x ^= (x << 49 | x >> 15) ^ (x << 24 | x >> 40);
    x *= UINT64_C(0x9fb21c651e98df25);
    x ^= (x >> 35) + 8;
    x *= UINT64_C(0x9fb21c651e98df25);
    return x ^ x >> 28;
}

/* ---- blocked ------------------------------------------------------------------------ */

#define NINHO_BLOCK_BYTES_ 32
#define NINHO_BLOCK_WORDS_ 8

/* Odd multipliers, one per word of a block, fixed by the Parquet format. */
/* clang-format off */
#define NINHO_BLOCK_SALTS_LOW_  0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU
#define NINHO_BLOCK_SALTS_HIGH_ 0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U
#define NINHO_BLOCK_SALTS_      {NINHO_BLOCK_SALTS_LOW_, NINHO_BLOCK_SALTS_HIGH_}
/* clang-format on */

/* Where the block of a hash begins. Its high half picks, so that the low half is left for the bits
 * inside. n_blocks < 2^32. */
NINHO_INLINE_ uint64_t ninho_block_at_(uint64_t hash, uint64_t n_blocks)
{
    return NINHO_BLOCK_BYTES_ * (((hash >> 32) * n_blocks) >> 32);
}

NINHO_INLINE_ uint32_t ninho_block_bit_(uint64_t hash, uint32_t salt)
{
    return UINT32_C(1) << ((uint32_t)((uint32_t)hash * salt) >> 27);
}

/* All eight words are looked at, whatever the first says: a branch per word would cost more than
 * it saves. */
NINHO_INLINE_ bool ninho_block_has_plain_(const uint8_t *block, uint64_t hash)
{
    static const uint32_t salts[NINHO_BLOCK_WORDS_] = NINHO_BLOCK_SALTS_;
    uint32_t missing = 0;

    for (unsigned i = 0; i < NINHO_BLOCK_WORDS_; i++)
        missing |= ~ninho_load32_(block + 4 * i) & ninho_block_bit_(hash, salts[i]);
    return !missing;
}

NINHO_INLINE_ void ninho_block_add_plain_(uint8_t *block, uint64_t hash)
{
    static const uint32_t salts[NINHO_BLOCK_WORDS_] = NINHO_BLOCK_SALTS_;

    for (unsigned i = 0; i < NINHO_BLOCK_WORDS_; i++)
        ninho_store32_(block + 4 * i,
                       ninho_load32_(block + 4 * i) | ninho_block_bit_(hash, salts[i]));
}

#ifdef NINHO_ATOMIC_OR_
/* The same beside other threads that do so. A key that is there writes nothing, so that those who
 * ask keep their lines. `block` is aligned as a lane. */
NINHO_INLINE_ void ninho_block_add_shared_(uint8_t *block, uint64_t hash)
{
    static const uint32_t salts[NINHO_BLOCK_WORDS_] = NINHO_BLOCK_SALTS_;
    enum { N_LANES = NINHO_BLOCK_BYTES_ / sizeof(ninho_lane_) };
    ninho_lane_ *const lanes = (ninho_lane_ *)(void *)block;
    ninho_lane_ bits[N_LANES], missing = 0;

    for (unsigned i = 0; i < N_LANES; i++) {
        ninho_lane_ lane = ninho_block_bit_(hash, salts[i * sizeof lane / 4]);
        if (sizeof lane == 8)
            lane |=
                (ninho_lane_)((uint64_t)ninho_block_bit_(hash, salts[2 * i + 1]) << 32);
        bits[i] = NINHO_LE_LANE_(lane);
        missing |= bits[i] & ~NINHO_ATOMIC_LOAD_(&lanes[i]);
    }
    for (unsigned i = 0; missing && i < N_LANES; i++)
        NINHO_ATOMIC_OR_(&lanes[i], bits[i]);
}
#endif

/* For kernels whose loads ThreadSanitizer would not understand: see ninho_fetch_(). */
#ifdef NINHO_TSAN_
#define NINHO_BLOCK_FETCHED_(block)               \
    uint8_t fetched[NINHO_BLOCK_BYTES_];          \
    ninho_fetch_(fetched, block, sizeof fetched); \
    block = fetched
#else
#define NINHO_BLOCK_FETCHED_(block) ((void)0)
#endif

#ifdef NINHO_AVX2_
/* A block is one register: its eight bits are made by one multiplication and two shifts. */
NINHO_AVX2_ static inline __m256i ninho_block_mask_avx2_(uint64_t hash)
{
    static const uint32_t salts[NINHO_BLOCK_WORDS_] = NINHO_BLOCK_SALTS_;
    const __m256i salt = _mm256_loadu_si256((const __m256i *)(const void *)salts);
    const __m256i product =
        _mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), salt);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}

NINHO_AVX2_ static inline bool ninho_block_has_avx2_(const uint8_t *block, uint64_t hash)
{
    NINHO_BLOCK_FETCHED_(block);
    const __m256i words = _mm256_loadu_si256((const __m256i *)(const void *)block);
    return _mm256_testc_si256(words, ninho_block_mask_avx2_(hash)) != 0;
}

NINHO_AVX2_ static inline void ninho_block_add_avx2_(uint8_t *block, uint64_t hash)
{
    __m256i *const at = (__m256i *)(void *)block;
    _mm256_storeu_si256(
        at, _mm256_or_si256(_mm256_loadu_si256(at), ninho_block_mask_avx2_(hash)));
}
#endif

#if defined(__SSE2__) && !defined(NINHO_NO_SIMD)
/* Four bits of the eight. SSE2 has neither 32-bit products nor a shift for each lane. The products
 * are those of the even and the odd lanes. A power of two comes from a float's exponent, made
 * negative so that -2^31 is one too; as an integer it has its lowest bit set there. */
NINHO_INLINE_ __m128i ninho_block_half_sse2_(uint64_t hash, uint32_t a, uint32_t b,
                                             uint32_t c, uint32_t d)
{
    const __m128i low = _mm_set1_epi32((int)(uint32_t)hash);
    const __m128i even = _mm_mul_epu32(low, _mm_setr_epi32((int)a, 0, (int)c, 0));
    const __m128i odd = _mm_mul_epu32(low, _mm_setr_epi32((int)b, 0, (int)d, 0));
    const __m128i product = _mm_or_si128(
        _mm_and_si128(even, _mm_setr_epi32(-1, 0, -1, 0)), _mm_slli_epi64(odd, 32));
    const __m128i exponent = _mm_slli_epi32(_mm_srli_epi32(product, 27), 23);
    const __m128i power = _mm_cvttps_epi32(_mm_castsi128_ps(_mm_add_epi32(
        exponent, _mm_set1_epi32((int)(UINT32_C(0x80000000) | 127U << 23)))));
    return _mm_and_si128(power, _mm_sub_epi32(_mm_setzero_si128(), power));
}

NINHO_INLINE_ __m128i ninho_block_half_sse2_of_(uint64_t hash, unsigned half)
{
    return half ? ninho_block_half_sse2_(hash, NINHO_BLOCK_SALTS_HIGH_)
                : ninho_block_half_sse2_(hash, NINHO_BLOCK_SALTS_LOW_);
}

NINHO_INLINE_ bool ninho_block_has_sse2_(const uint8_t *block, uint64_t hash)
{
    NINHO_BLOCK_FETCHED_(block);
    const __m128i *const at = (const __m128i *)(const void *)block;
    const __m128i missing = _mm_or_si128(
        _mm_andnot_si128(_mm_loadu_si128(at), ninho_block_half_sse2_of_(hash, 0)),
        _mm_andnot_si128(_mm_loadu_si128(at + 1), ninho_block_half_sse2_of_(hash, 1)));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(missing, _mm_setzero_si128())) == 0xffff;
}

NINHO_INLINE_ void ninho_block_add_sse2_(uint8_t *block, uint64_t hash)
{
    __m128i *const at = (__m128i *)(void *)block;

    for (unsigned half = 0; half < 2; half++)
        _mm_storeu_si128(at + half, _mm_or_si128(_mm_loadu_si128(at + half),
                                                 ninho_block_half_sse2_of_(hash, half)));
}
#endif

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN) && \
    defined(__GNUC__) && !defined(NINHO_NO_SIMD)
#define NINHO_NEON_
/* A block is two registers of four words each. */
NINHO_INLINE_ uint32x4x2_t ninho_block_mask_neon_(uint64_t hash)
{
    static const uint32_t salts[NINHO_BLOCK_WORDS_] = NINHO_BLOCK_SALTS_;
    const uint32x4_t one = vdupq_n_u32(1);
    uint32x4x2_t mask;

    for (unsigned half = 0; half < 2; half++) {
        const uint32x4_t product =
            vmulq_n_u32(vld1q_u32(salts + 4 * half), (uint32_t)hash);
        mask.val[half] = vshlq_u32(one, vreinterpretq_s32_u32(vshrq_n_u32(product, 27)));
    }
    return mask;
}

/* Bytes may lie anywhere, words may not, so blocks are loaded as bytes. */
NINHO_INLINE_ uint32x4_t ninho_block_half_neon_(const uint8_t *block, unsigned half)
{
    return vreinterpretq_u32_u8(vld1q_u8(block + 16 * half));
}

NINHO_INLINE_ bool ninho_block_has_neon_(const uint8_t *block, uint64_t hash)
{
    NINHO_BLOCK_FETCHED_(block);
    const uint32x4x2_t mask = ninho_block_mask_neon_(hash);
    const uint32x4_t missing =
        vorrq_u32(vbicq_u32(mask.val[0], ninho_block_half_neon_(block, 0)),
                  vbicq_u32(mask.val[1], ninho_block_half_neon_(block, 1)));
    return vmaxvq_u32(missing) == 0;
}

NINHO_INLINE_ void ninho_block_add_neon_(uint8_t *block, uint64_t hash)
{
    const uint32x4x2_t mask = ninho_block_mask_neon_(hash);

    for (unsigned half = 0; half < 2; half++)
        vst1q_u8(block + 16 * half,
                 vreinterpretq_u8_u32(
                     vorrq_u32(ninho_block_half_neon_(block, half), mask.val[half])));
}
#endif

/* The best that this program was compiled for. */
#if defined(__AVX2__) && defined(NINHO_AVX2_)
#define NINHO_BLOCK_KERNEL_(does) ninho_block_##does##_avx2_
#elif defined(__SSE2__) && !defined(NINHO_NO_SIMD)
#define NINHO_BLOCK_KERNEL_(does) ninho_block_##does##_sse2_
#elif defined(NINHO_NEON_)
#define NINHO_BLOCK_KERNEL_(does) ninho_block_##does##_neon_
#else
#define NINHO_BLOCK_KERNEL_(does) ninho_block_##does##_plain_
#endif

/* ---- bloom -------------------------------------------------------------------------- */

/* Place i of a key is the high half of x_i * n_bits, with x_0 = hash and x_{i+1} = x_i * STEP mod
 * 2^64. The number is from Steele and Vigna's tables of multipliers with good spectra; odd, so
 * that a step loses nothing. */
NINHO_INLINE_ uint64_t ninho_bloom_next_(uint64_t x)
{
    return x * UINT64_C(0xd1342543de82ef95);
}

/* All k bits are looked at. To stop at the first that is 0 would take a branch, which for an absent
 * key is a coin toss: it costs more than the lines that it saves. */
NINHO_INLINE_ bool ninho_bloom_find_(const uint8_t *table, uint64_t n_bits, uint32_t k,
                                     uint64_t hash)
{
    unsigned all = 1;

    for (uint32_t i = 0; i < k; i++, hash = ninho_bloom_next_(hash)) {
        const uint64_t bit = ninho_mul_high_(hash, n_bits);
        all &= (unsigned)ninho_load8_(&table[bit >> 3]) >> (bit & 7);
    }
    return all != 0;
}

NINHO_INLINE_ void ninho_bloom_put_(uint8_t *table, uint64_t n_bits, uint32_t k,
                                    uint64_t hash)
{
    for (uint32_t i = 0; i < k; i++, hash = ninho_bloom_next_(hash)) {
        const uint64_t bit = ninho_mul_high_(hash, n_bits);
        table[bit >> 3] = (uint8_t)(table[bit >> 3] | 1U << (bit & 7));
    }
}

#ifdef NINHO_ATOMIC_OR_
/* The same beside other threads that do so. A key that is there writes nothing. */
NINHO_INLINE_ void ninho_bloom_put_shared_(uint8_t *table, uint64_t n_bits, uint32_t k,
                                           uint64_t hash)
{
    uint64_t x = hash;
    unsigned all = 1;

    for (uint32_t i = 0; i < k; i++, x = ninho_bloom_next_(x)) {
        const uint64_t bit = ninho_mul_high_(x, n_bits);
        all &= (unsigned)NINHO_ATOMIC_LOAD_(&table[bit >> 3]) >> (bit & 7);
    }
    for (uint32_t i = 0; !all && i < k; i++, hash = ninho_bloom_next_(hash)) {
        const uint64_t bit = ninho_mul_high_(hash, n_bits);
        NINHO_ATOMIC_OR_(&table[bit >> 3], (uint8_t)(1U << (bit & 7)));
    }
}
#endif

/* ---- cuckoo ------------------------------------------------------------------------- */

/* A table of a cuckoo filter whose places are the lanes of one word. The numbers are the same for
 * buckets and windows, of whatever width: see the drawing in src/filter/cuckoo.h. */
typedef struct ninho_cuckoo_shape_ {
    uint64_t n_places;
    uint64_t n_tags;
    uint32_t stride;    /* bits from a place to the next */
    uint32_t run_shift; /* near: 64 - log2 of the places of a run; otherwise 0 */
    uint64_t ones;      /* the lowest bit of each lane */
    uint64_t per_tag;   /* what the lanes of one tag are more than those of the last */
    uint64_t first, second; /* the lanes of tag 0, on either side */
    uint64_t tops;          /* the highest bit of each lane */
} ninho_cuckoo_shape_;

/* The place comes from the high bits of the hash. The tag comes from those of its product with an
 * odd number, on which all bits bear, so that it is independent of the place as long as there are
 * bits for both. Both maps keep order, which nested growth needs: with g times as many places (or
 * tags) each is divided into g. */
NINHO_INLINE_ uint64_t ninho_cuckoo_place_(uint64_t hash, uint64_t n_places)
{
    return ninho_mul_high_(hash, n_places);
}

#define NINHO_CUCKOO_TAG_FACTOR_    UINT64_C(0x9e3779b97f4a7c15)
#define NINHO_CUCKOO_FIRST_FACTOR_  UINT64_C(0xd1342543de82ef95)
#define NINHO_CUCKOO_SECOND_FACTOR_ UINT64_C(0xff51afd7ed558ccd)

NINHO_INLINE_ uint64_t ninho_cuckoo_tag_(uint64_t hash, uint64_t n_tags)
{
    return ninho_mul_high_(hash * NINHO_CUCKOO_TAG_FACTOR_, n_tags);
}

/* How far apart the two places of a tag are: 1 .. n_places - 1 (1 where there is but one place,
 * from which it leads back there).
 * The tag is hashed first. A multiple of the tag would do for two places, but paths go through many
 * tags: sums of multiples of one number meet again and again, and a search would see the same few
 * places. */
NINHO_INLINE_ uint64_t ninho_cuckoo_distance_(uint64_t tag, uint64_t n_places)
{
    uint64_t x = (tag + 1) * NINHO_CUCKOO_FIRST_FACTOR_;

    x = (x ^ x >> 32) * NINHO_CUCKOO_SECOND_FACTOR_;
    return 1 + ninho_mul_high_(x, n_places - 1);
}

/* Place 1 of a tag whose place 0 this is. */
NINHO_INLINE_ uint64_t ninho_cuckoo_second_(uint64_t place, uint64_t tag,
                                            uint64_t n_places, bool is_offset)
{
    const uint64_t distance = ninho_cuckoo_distance_(tag, n_places);

    if (!is_offset)
        return place ^ (distance & (n_places - 1));
    return place + distance < n_places ? place + distance : place + distance - n_places;
}

/* The tag under near pairing: the place comes from the high bits of the hash, so this takes the low
 * half. One product is enough, since no table grows out of another. */
NINHO_INLINE_ uint64_t ninho_cuckoo_near_tag_(uint64_t hash, uint64_t n_tags)
{
    return (hash & UINT32_MAX) * n_tags >> 32;
}

/* The other place of a tag under near pairing: in the same run of 2^(64 - run_shift) places. It leads
 * back. Never the same place, since the distance is odd. */
NINHO_INLINE_ uint64_t ninho_cuckoo_near_(uint64_t place, uint64_t tag,
                                          unsigned run_shift)
{
    return place ^ ((tag + 1) * NINHO_CUCKOO_FIRST_FACTOR_ >> run_shift | 1);
}

/* The lanes of a place; what is above them is others'. Never reads past the table: the last word is
 * loaded from 8 bytes before the end on, and shifted by more. */
NINHO_INLINE_ uint64_t ninho_cuckoo_lanes_(const uint8_t *table, uint64_t size,
                                           uint64_t bit)
{
    const uint64_t last = size - 8;
    const uint64_t byte = bit / 8 < last ? bit / 8 : last;

    return ninho_load64_(table + byte) >> ((bit - 8 * byte) & 63);
}

/* Whether a lane of either word is 0: it borrows, and its highest bit becomes 1. */
NINHO_INLINE_ bool ninho_cuckoo_any_zero_(const ninho_cuckoo_shape_ *shape,
                                          uint64_t first, uint64_t second)
{
    return (((first - shape->ones) & ~first) | ((second - shape->ones) & ~second)) &
           shape->tops;
}

/* Both places are looked at, whatever the first one says: a second line costs less than a branch
 * that cannot be foreseen. One at the very end of the table is seldom met. `size` is at least 8. */
NINHO_INLINE_ bool ninho_cuckoo_find_(const uint8_t *table, uint64_t size,
                                      const ninho_cuckoo_shape_ *shape, uint64_t hash,
                                      bool is_offset)
{
    const uint64_t place = ninho_cuckoo_place_(hash, shape->n_places);
    const uint64_t tag = ninho_cuckoo_tag_(hash, shape->n_tags);
    const uint64_t other = ninho_cuckoo_second_(place, tag, shape->n_places, is_offset);
    const uint64_t lanes = tag * shape->per_tag;
    const uint64_t bits[2] = {place * shape->stride, other * shape->stride};
    const uint64_t end =
        8 * size - 56; /* of the bits from which a whole word can be loaded */

    if (NINHO_SELDOM_(bits[0] >= end) || NINHO_SELDOM_(bits[1] >= end))
        return ninho_cuckoo_any_zero_(
            shape, ninho_cuckoo_lanes_(table, size, bits[0]) ^ (lanes + shape->first),
            ninho_cuckoo_lanes_(table, size, bits[1]) ^ (lanes + shape->second));
    const uint64_t first = ninho_load64_(table + bits[0] / 8) >> bits[0] % 8;
    const uint64_t second = ninho_load64_(table + bits[1] / 8) >> bits[1] % 8;
    return ninho_cuckoo_any_zero_(shape, first ^ (lanes + shape->first),
                                  second ^ (lanes + shape->second));
}

#if defined(__SSE2__) && !defined(NINHO_NO_SIMD)
NINHO_INLINE_ __m128i ninho_cuckoo_two_words_(const uint8_t *first, const uint8_t *second)
{
    const __m128i word = _mm_loadl_epi64((const __m128i *)(const void *)first);
    return _mm_castps_si128(
        _mm_loadh_pi(_mm_castsi128_ps(word), (const __m64 *)(const void *)second));
}
#endif

/* Whether a lane of the two words at `first` and `second` is what `lanes` are. Both words go through
 * one register: how many lookups a core has under way hangs on how few instructions each takes. */
NINHO_INLINE_ bool ninho_cuckoo_any_equal_(const ninho_cuckoo_shape_ *shape,
                                           const uint8_t *first, const uint8_t *second,
                                           uint64_t lanes)
{
#if defined(__SSE2__) && !defined(NINHO_NO_SIMD)
    const __m128i differs = _mm_xor_si128(ninho_cuckoo_two_words_(first, second),
                                          _mm_set1_epi64x((long long)lanes));
    const __m128i zeros = _mm_andnot_si128(
        differs, _mm_sub_epi64(differs, _mm_set1_epi64x((long long)shape->ones)));
    const __m128i tops = _mm_set1_epi64x((long long)shape->tops);
#ifdef __SSE4_1__
    return !_mm_testz_si128(zeros, tops);
#else
    return _mm_movemask_epi8(
               _mm_cmpeq_epi8(_mm_and_si128(zeros, tops), _mm_setzero_si128())) != 0xffff;
#endif
#else
    return ninho_cuckoo_any_zero_(shape, ninho_load64_(first) ^ lanes,
                                  ninho_load64_(second) ^ lanes);
#endif
}

/* The same of lanes of 16 bits, all of them `value`. */
NINHO_INLINE_ bool ninho_cuckoo_any_equal_16_(const ninho_cuckoo_shape_ *shape,
                                              const uint8_t *first, const uint8_t *second,
                                              uint64_t value)
{
#if defined(__SSE2__) && !defined(NINHO_NO_SIMD)
    (void)shape;
    const __m128i equal = _mm_cmpeq_epi16(ninho_cuckoo_two_words_(first, second),
                                          _mm_set1_epi16((short)value));
    return _mm_movemask_epi8(equal) != 0;
#else
    return ninho_cuckoo_any_equal_(shape, first, second, value * shape->ones);
#endif
}

/* The same under near pairing, of a table with a spare bucket at its end: so that whole words can
 * be loaded everywhere. */
NINHO_INLINE_ bool ninho_cuckoo_find_near_(const uint8_t *table,
                                           const ninho_cuckoo_shape_ *shape,
                                           uint64_t hash)
{
    const uint64_t place = ninho_cuckoo_place_(hash, shape->n_places);
    const uint64_t tag = ninho_cuckoo_near_tag_(hash, shape->n_tags);
    const uint64_t other = ninho_cuckoo_near_(place, tag, shape->run_shift);

    if (shape->stride == 64)
        return ninho_cuckoo_any_equal_16_(shape, table + 8 * place, table + 8 * other,
                                          tag + 1);
    return ninho_cuckoo_any_equal_(shape, table + place * (shape->stride / 8),
                                   table + other * (shape->stride / 8),
                                   (tag + 1) * shape->ones);
}

/* ---- fuse --------------------------------------------------------------------------- */

#define NINHO_FUSE_MOST_SLOTS_ 4 /* of a key */
/* How far the bits lie apart that tell the slot inside the third and fourth segment. */
#define NINHO_FUSE_THIRD_  18
#define NINHO_FUSE_FOURTH_ 20
/* Odd, so that a product loses nothing. */
#define NINHO_FUSE_FIRST_FACTOR_  UINT64_C(0xff51afd7ed558ccd)
#define NINHO_FUSE_SECOND_FACTOR_ UINT64_C(0xd1342543de82ef95)

/* The hashes are mixed again, so that other seeds give other slots. One product will do for hashes
 * that are well mixed already; it is a bijection, by which different ones stay different. */
NINHO_INLINE_ uint64_t ninho_fuse_mix_(uint64_t hash, uint64_t turn)
{
    const uint64_t x = (hash ^ turn) * NINHO_FUSE_FIRST_FACTOR_;
    return x ^ x >> 32;
}

/* The first slot from the high bits; in each segment after its own, the same place but for some
 * low bits turned. `inside` is the mask of a slot's number inside its segment. */
NINHO_INLINE_ void ninho_fuse_slots_(uint64_t x, uint64_t region, uint64_t inside,
                                     unsigned arity, uint64_t *slots)
{
    const uint64_t first = ninho_mul_high_(x, region);
    const uint64_t segment = inside + 1;

    slots[0] = first;
    slots[1] = (first + segment) ^ (x & inside);
    slots[2] = (first + 2 * segment) ^ (x >> NINHO_FUSE_THIRD_ & inside);
    if (arity == 4)
        slots[3] = (first + 3 * segment) ^
                   ((x * NINHO_FUSE_SECOND_FACTOR_) >> NINHO_FUSE_FOURTH_ & inside);
}

NINHO_INLINE_ unsigned ninho_fuse_load_(const uint8_t *table, uint64_t slot,
                                        unsigned bits)
{
    return bits == 8 ? table[slot] : ninho_load16_(table + 2 * slot);
}

NINHO_INLINE_ unsigned ninho_fuse_xor_(const uint8_t *table, const uint64_t *slots,
                                       unsigned arity, unsigned bits)
{
    const unsigned three = ninho_fuse_load_(table, slots[0], bits) ^
                           ninho_fuse_load_(table, slots[1], bits) ^
                           ninho_fuse_load_(table, slots[2], bits);
    return arity == 4 ? three ^ ninho_fuse_load_(table, slots[3], bits) : three;
}

/* The slots of a key that is there XOR to its fingerprint. */
NINHO_INLINE_ bool ninho_fuse_find_(const uint8_t *table, uint64_t region,
                                    uint64_t inside, uint64_t turn, unsigned arity,
                                    unsigned bits, uint64_t hash)
{
    const uint64_t x = ninho_fuse_mix_(hash, turn);
    uint64_t slots[NINHO_FUSE_MOST_SLOTS_];

    ninho_fuse_slots_(x, region, inside, arity, slots);
    return ninho_fuse_xor_(table, slots, arity, bits) ==
           (x * NINHO_FUSE_SECOND_FACTOR_) >> (64 - bits);
}

#endif
