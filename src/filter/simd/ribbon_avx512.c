/* SPDX-License-Identifier: MIT */
/* Eight columns at a time, whose bits are counted in their lanes. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/simd/ribbon.h"

#include <immintrin.h>

#define WITH          "avx512f,avx512dq,avx512bw,avx512vl,avx512vpopcntdq,bmi2"
#define TARGET        __attribute__((target(WITH)))
#define TARGET_INLINE __attribute__((target(WITH), always_inline)) static inline

/* ---- One key ----------------------------------------------------------------------- */

/* Bit i: the parity of word i of those that are `in`. */
TARGET_INLINE __mmask8 parities(const uint8_t *low, const uint8_t *high, __m512i low_mask,
                                __m512i high_mask, __mmask8 in)
{
    const __m512i a = _mm512_and_si512(_mm512_maskz_loadu_epi64(in, low), low_mask);
    const __m512i b = _mm512_and_si512(_mm512_maskz_loadu_epi64(in, high), high_mask);
    return _mm512_test_epi64_mask(_mm512_popcnt_epi64(_mm512_xor_si512(a, b)),
                                  _mm512_set1_epi64(1));
}

TARGET_INLINE __mmask8 columns_in(unsigned width)
{
    return (__mmask8)(width < 8 ? (1U << width) - 1 : 0xff);
}

TARGET_INLINE bool agrees(const ninho_ribbon_words_ *words, uint32_t wanted,
                          bool is_narrow)
{
    const __m512i low_mask = _mm512_set1_epi64((long long)words->low_mask);
    const __m512i high_mask = _mm512_set1_epi64((long long)words->high_mask);
    const unsigned width = words->width;

    if (is_narrow) {
        const __mmask8 in = (__mmask8)((1U << width) - 1);
        return ((parities(words->low, words->high, low_mask, high_mask, in) ^ wanted) &
                in) == 0;
    }
    uint32_t found = 0;
    for (unsigned at = 0; at < width; at += 8)
        found |=
            (uint32_t)parities(words->low + 8 * (size_t)at, words->high + 8 * (size_t)at,
                               low_mask, high_mask, columns_in(width - at))
            << at;
    return (found ^ wanted) << (32 - width) == 0;
}

TARGET NH_NOINLINE static bool has_later(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has_later(part, hash, agrees);
}

TARGET static bool has_narrow(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has(part, hash, false, true, agrees, has_later);
}

TARGET static bool has_mixed(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has(part, hash, true, true, agrees, has_later);
}

TARGET static bool has_wide(const struct nh_part *part, uint64_t hash)
{
    return nh_ribbon_has(part, hash, true, false, agrees, has_later);
}

/* ---- Many keys --------------------------------------------------------------------- */

#define GROUP 64

/* What is known of the rows of a group. */
struct rows {
    uint64_t low[GROUP], low_mask[GROUP], high_mask[GROUP];
    uint32_t wanted[GROUP], found[GROUP], width[GROUP];
};

TARGET_INLINE __m512i all(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

/* nh_reduce() for n below 2^32. */
TARGET_INLINE __m512i reduce(__m512i x, __m512i n)
{
    const __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(x, n), 32);
    const __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), n);
    return _mm512_srli_epi64(_mm512_add_epi64(low, high), 32);
}

/* Four bytes each from `bytes` plus a distance. Without optimisation it is a macro of gcc's that converts
 * its mask. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
TARGET_INLINE __m256i gather(const uint8_t *bytes, __m512i distances)
{
    return _mm512_i64gather_epi32(distances, bytes, 1);
}
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

/* Which of eight keys are bumped. Thresholds are loaded with the three bytes before them: there
 * always are some. */
TARGET_INLINE __mmask8 are_bumped(const uint8_t *body, const ninho_ribbon_shape_ *s,
                                  __m512i start)
{
    const __m256i loaded = gather(body + s->thresholds - 3,
                                  _mm512_srli_epi64(start, NINHO_RIBBON_LOG_BUCKET_ + 2));
    const __m512i four = _mm512_cvtepu32_epi64(_mm256_srli_epi32(loaded, 24));
    const __m512i which =
        _mm512_and_si512(_mm512_srli_epi64(start, NINHO_RIBBON_LOG_BUCKET_ - 1), all(6));
    const __m512i level = _mm512_and_si512(_mm512_srlv_epi64(four, which), all(3));
    const __m512i limit = _mm512_and_si512(
        _mm512_srlv_epi64(all(NINHO_RIBBON_THRESHOLDS_), _mm512_slli_epi64(level, 3)),
        all(0xff));
    const __m512i inside =
        _mm512_and_si512(start, all(((uint64_t)1 << NINHO_RIBBON_LOG_BUCKET_) - 1));
    return _mm512_cmplt_epu64_mask(inside, limit);
}

/* The rows of eight keys, as ninho_ribbon_first_row_() and ninho_ribbon_words_of_() have them, if none is
 * bumped. Which are. */
TARGET_INLINE __mmask8 eight_rows(const uint8_t *body, const ninho_ribbon_shape_ *s,
                                  const uint64_t *hashes, struct rows *rows, size_t i,
                                  bool is_mixed)
{
    __m512i x = _mm512_loadu_si512(hashes);

    x = _mm512_mullo_epi64(_mm512_xor_si512(x, all(s->turn)),
                           all(NINHO_FUSE_FIRST_FACTOR_));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
    const __m512i product = _mm512_mullo_epi64(x, all(NINHO_FUSE_SECOND_FACTOR_));
    const __m512i mask = _mm512_or_si512(product, all(1));
    const __m512i start = reduce(x, all(s->n_starts));
    const __m512i block = _mm512_srli_epi64(start, 6);
    const __m512i shift = _mm512_and_si512(start, all(63));
    __m512i low = _mm512_mul_epu32(block, all(s->bits));
    if (is_mixed) {
        low = _mm512_add_epi64(low, _mm512_min_epu64(block, all(s->n_wide)));
        const __mmask8 is_wide = _mm512_cmplt_epu64_mask(block, all(s->n_wide - 1));
        const __m256i narrow = _mm256_set1_epi32((int)s->bits);
        _mm256_storeu_si256(
            (__m256i *)(void *)(rows->width + i),
            _mm256_mask_add_epi32(narrow, is_wide, narrow, _mm256_set1_epi32(1)));
    }
    _mm512_storeu_si512(rows->low + i, _mm512_slli_epi64(low, 3));
    _mm512_storeu_si512(rows->low_mask + i, _mm512_sllv_epi64(mask, shift));
    _mm512_storeu_si512(rows->high_mask + i,
                        _mm512_srlv_epi64(mask, _mm512_sub_epi64(all(64), shift)));
    _mm256_storeu_si256(
        (__m256i *)(void *)(rows->wanted + i),
        _mm512_cvtepi64_epi32(_mm512_add_epi64(x, _mm512_srli_epi64(product, 32))));
    return are_bumped(body, s, start);
}

/* Those of a key that is bumped. */
TARGET static NH_NOINLINE void bumped_row(const uint8_t *body,
                                          const ninho_ribbon_shape_ *s, uint64_t hash,
                                          struct rows *rows, size_t i)
{
    const ninho_ribbon_row_ row = ninho_ribbon_later_row_(body, s, hash);
    const ninho_ribbon_words_ words = ninho_ribbon_words_of_(body, s, &row, true);

    rows->low[i] = (uint64_t)(words.low - body);
    rows->low_mask[i] = words.low_mask;
    rows->high_mask[i] = words.high_mask;
    rows->wanted[i] = row.wanted;
    rows->width[i] = words.width;
}

TARGET_INLINE void group_rows(const uint8_t *body, const ninho_ribbon_shape_ *s,
                              const uint64_t *hashes, struct rows *rows, bool is_mixed)
{
    uint64_t bumped = 0;

    for (size_t i = 0; i < GROUP; i += 8)
        bumped |= (uint64_t)eight_rows(body, s, hashes + i, rows, i, is_mixed) << i;
    for (; bumped; bumped &= bumped - 1) {
        const unsigned i = nh_lowest_bit64(bumped);
        bumped_row(body, s, hashes[i], rows, i);
    }
}

/* The low bits of found[] that each key's columns add up to. Only the last eight columns may be
 * fewer. */
TARGET_INLINE void add_up(const uint8_t *body, const ninho_ribbon_shape_ *s,
                          struct rows *rows, unsigned n_eights, bool is_mixed)
{
    for (size_t i = 0; i < GROUP; i++) {
        const __m512i low_mask = all(rows->low_mask[i]),
                      high_mask = all(rows->high_mask[i]);
        const unsigned width = is_mixed ? rows->width[i] : s->bits;
        const uint8_t *const low = body + rows->low[i];
        const uint8_t *high = low + 8 * (size_t)s->bits;
        if (is_mixed) /* in a wide block, though the row may be none */
            high += rows->low[i] < 8 * s->n_wide * (s->bits + 1) ? 8 : 0;
        uint32_t found = 0;
        for (unsigned at = 0; at < 8 * n_eights; at += 8) {
            const unsigned left = width - at;
            const __mmask8 in = at + 8 < 8 * n_eights ? (__mmask8)0xff : columns_in(left);
            found |= (uint32_t)parities(low + 8 * (size_t)at, high + 8 * (size_t)at,
                                        low_mask, high_mask, in)
                     << at;
        }
        rows->found[i] = found;
    }
}

/* Bit i: what key i's columns add up to is what is wanted. */
TARGET_INLINE uint64_t compare(const ninho_ribbon_shape_ *s, const struct rows *rows,
                               bool is_mixed)
{
    uint64_t answers = 0;

    for (size_t i = 0; i < GROUP; i += 16) {
        const __m512i differ = _mm512_xor_si512(_mm512_loadu_si512(rows->found + i),
                                                _mm512_loadu_si512(rows->wanted + i));
        const __m512i width = is_mixed ? _mm512_loadu_si512(rows->width + i)
                                       : _mm512_set1_epi32((int)s->bits);
        const __m512i left =
            _mm512_sllv_epi32(differ, _mm512_sub_epi32(_mm512_set1_epi32(32), width));
        answers |= (uint64_t)_mm512_testn_epi32_mask(left, left) << i;
    }
    return answers;
}

TARGET_INLINE void has_whole(const struct nh_part *part, const uint64_t *hashes, size_t n,
                             uint64_t *maybe, unsigned n_eights, bool is_mixed)
{
    const ninho_ribbon_shape_ s = part->cached.ribbon;
    const bool is_near = part->size <= NH_RIBBON_NEAR;
    struct rows rows;

    for (size_t at = 0; at < n; at += GROUP) {
        group_rows(part->body, &s, hashes + at, &rows, is_mixed);
        for (size_t i = 0; i < GROUP && !is_near; i++)
            nh_ribbon_ask(part->body + rows.low[i], s.bits);
        add_up(part->body, &s, &rows, n_eights, is_mixed);
        maybe[at / 64] |= compare(&s, &rows, is_mixed);
    }
}

/* Compiled for each number of eights of columns. */
TARGET_INLINE void has_eights(const struct nh_part *part, const uint64_t *hashes,
                              size_t n, uint64_t *maybe, bool is_mixed)
{
    const unsigned width = part->cached.ribbon.bits + is_mixed;

    if (width <= 8)
        has_whole(part, hashes, n, maybe, 1, is_mixed);
    else if (width <= 16)
        has_whole(part, hashes, n, maybe, 2, is_mixed);
    else if (width <= 24)
        has_whole(part, hashes, n, maybe, 3, is_mixed);
    else
        has_whole(part, hashes, n, maybe, 4, is_mixed);
}

TARGET static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                            uint64_t *maybe)
{
    const size_t n_whole = part->cached.ribbon.n_starts ? n - n % GROUP : 0;

    if (part->cached.ribbon.n_wide)
        has_eights(part, hashes, n_whole, maybe, true);
    else
        has_eights(part, hashes, n_whole, maybe, false);
    nh_ribbon_avx2.has_many(part, hashes + n_whole, n - n_whole, maybe + n_whole / 64);
}

/* ---- The construction -------------------------------------------------------------- */

TARGET static void solve(const uint64_t *masks, const uint32_t *results, unsigned width,
                         uint64_t *columns)
{
    const __m512i one = _mm512_set1_epi64(1);

    for (unsigned at = 0; at < width; at += 8) {
        __m512i column = _mm512_loadu_si512(columns + at);
        for (unsigned slot = NH_RIBBON_BLOCK; slot-- > 0;) {
            const __m512i mask = _mm512_set1_epi64((long long)masks[slot]);
            column = _mm512_slli_epi64(column, 1);
            const unsigned found = _mm512_test_epi64_mask(
                _mm512_popcnt_epi64(_mm512_and_si512(column, mask)), one);
            const unsigned bits = masks[slot] ? found ^ results[slot] >> at : 0;
            column = _mm512_mask_or_epi64(column, (__mmask8)bits, column, one);
        }
        _mm512_storeu_si512(columns + at, column);
    }
}

const struct nh_ribbon_kernel nh_ribbon_avx512 = {has_narrow, has_mixed, has_wide,
                                                  has_many, solve};

#else
typedef int nh_ribbon_avx512_is_for_x86; /* C wants a declaration in every file */
#endif
