/* SPDX-License-Identifier: MIT */
/* How one key is looked up in a ribbon filter, for <ninho/inline.h> and for the library, as
 * <ninho/kernels.h> says. It is no interface: what is here may change. docs/ribbon.md explains it. */
#ifndef NINHO_KERNELS_RIBBON_H
#define NINHO_KERNELS_RIBBON_H

#include <ninho/kernels.h>

#define NINHO_RIBBON_BLOCK_      64 /* slots: the bits of a word, and the width of a row */
#define NINHO_RIBBON_LOG_BUCKET_ 7  /* log2 of the slots that share a threshold */
#define NINHO_RIBBON_FEW_BLOCKS_ \
    56 /* below which there is one zone, without thresholds */
#define NINHO_RIBBON_BUMPED_      20 /* one block in so many is for keys that were bumped */
#define NINHO_RIBBON_THRESHOLDS_  UINT32_C(0x80281400) /* 0, 20, 40 and 128 slots */
#define NINHO_RIBBON_TURN_FACTOR_ UINT64_C(0x9e3779b97f4a7c15)

/* For what is called so seldom that the rest should not save registers for it. */
#ifdef __GNUC__
#define NINHO_SELDOM_CALLED_ static __attribute__((noinline, cold, unused))
#else
#define NINHO_SELDOM_CALLED_ static
#endif

typedef struct ninho_ribbon_shape_ {
    uint64_t turn;       /* what hashes are turned by: the seed's */
    uint64_t n_blocks;   /* of 64 slots */
    uint64_t n_wide;     /* of these have a column more, the first ones */
    uint64_t n_starts;   /* slots of the first zone; 0: there is only the last */
    uint64_t thresholds; /* where these begin in the table */
    uint32_t bits;       /* columns of a block that is not wide */
    uint32_t last_seed;  /* of the last zone */
} ninho_ribbon_shape_;

/* A key's row of the system: which of the 64 slots from `start` on add up to what is wanted. */
typedef struct ninho_ribbon_row_ {
    uint64_t start, mask;
    uint32_t wanted;
} ninho_ribbon_row_;

/* Blocks of the zone that begins where `rest` blocks are left; 0: it is the last and has all. */
NINHO_INLINE_ uint64_t ninho_ribbon_zone_(uint64_t rest)
{
    return rest < NINHO_RIBBON_FEW_BLOCKS_
               ? 0
               : (rest - rest / NINHO_RIBBON_BUMPED_) & ~UINT64_C(1);
}

/* What turns a hash, and that of a bumped key for each zone after the first. */
NINHO_INLINE_ uint64_t ninho_ribbon_turn_(unsigned number, unsigned seed)
{
    return NINHO_RIBBON_TURN_FACTOR_ * (256 * (uint64_t)number + seed + 1);
}

/* Whether keys that start there are bumped: those left of the bucket's threshold. */
NINHO_INLINE_ bool ninho_ribbon_is_bumped_(const uint8_t *table,
                                           const ninho_ribbon_shape_ *shape,
                                           uint64_t start)
{
    const uint64_t bucket = start >> NINHO_RIBBON_LOG_BUCKET_;
    const unsigned level =
        (unsigned)table[shape->thresholds + bucket / 4] >> 2 * (bucket & 3) & 3;
    return (start & ((1U << NINHO_RIBBON_LOG_BUCKET_) - 1)) <
           (NINHO_RIBBON_THRESHOLDS_ >> 8 * level & 0xff);
}

/* Where a row starts from zone `number` on, whose first block is `first`, and the key's hash there. */
NINHO_INLINE_ uint64_t ninho_ribbon_next_(const uint8_t *table,
                                          const ninho_ribbon_shape_ *shape,
                                          uint64_t first, unsigned number, uint64_t *x)
{
    for (;; number++) {
        const uint64_t rest = shape->n_blocks - first;
        const uint64_t zone = ninho_ribbon_zone_(rest);
        const unsigned seed = zone ? 0 : shape->last_seed;
        *x = ninho_fuse_mix_(*x, ninho_ribbon_turn_(number, seed));
        const uint64_t n_starts = NINHO_RIBBON_BLOCK_ * (zone ? zone : rest - 1);
        const uint64_t start =
            NINHO_RIBBON_BLOCK_ * first + ninho_mul_high_(*x, n_starts);
        if (!zone || !ninho_ribbon_is_bumped_(table, shape, start))
            return start;
        first += zone;
    }
}

/* A row begins where its mask does. */
NINHO_INLINE_ ninho_ribbon_row_ ninho_ribbon_row_at_(uint64_t start, uint64_t x)
{
    const uint64_t product = x * NINHO_FUSE_SECOND_FACTOR_;
    ninho_ribbon_row_ row;

    row.start = start;
    row.mask = product | 1;
    row.wanted = (uint32_t)(x + (product >> 32));
    return row;
}

/* The row of a key in the first zone; false: it may not be there. */
NINHO_INLINE_ bool ninho_ribbon_first_row_(const uint8_t *table,
                                           const ninho_ribbon_shape_ *shape,
                                           uint64_t hash, ninho_ribbon_row_ *row)
{
    const uint64_t x = ninho_fuse_mix_(hash, shape->turn);

    *row = ninho_ribbon_row_at_(ninho_mul_high_(x, shape->n_starts), x);
    return shape->n_starts && !ninho_ribbon_is_bumped_(table, shape, row->start);
}

/* The row of a key that is not in the first zone. */
NINHO_SELDOM_CALLED_ ninho_ribbon_row_ ninho_ribbon_later_row_(
    const uint8_t *table, const ninho_ribbon_shape_ *shape, uint64_t hash)
{
    uint64_t x = ninho_fuse_mix_(hash, shape->turn);
    const uint64_t start = ninho_ribbon_next_(
        table, shape, shape->n_starts / NINHO_RIBBON_BLOCK_, shape->n_starts != 0, &x);
    return ninho_ribbon_row_at_(start, x);
}

/* Where the columns of a row lie: the words of two blocks, and how many of each count. */
typedef struct ninho_ribbon_words_ {
    const uint8_t *low, *high;
    uint64_t low_mask, high_mask;
    unsigned width;
} ninho_ribbon_words_;

/* `is_mixed`: some blocks are wide. */
NINHO_INLINE_ ninho_ribbon_words_ ninho_ribbon_words_of_(const uint8_t *table,
                                                         const ninho_ribbon_shape_ *shape,
                                                         const ninho_ribbon_row_ *row,
                                                         bool is_mixed)
{
    const uint64_t block = row->start / NINHO_RIBBON_BLOCK_;
    const unsigned shift = row->start % NINHO_RIBBON_BLOCK_;
    ninho_ribbon_words_ words;

    words.low = table + 8 * block * shape->bits;
    words.high = words.low + 8 * (size_t)shape->bits;
    words.width = shape->bits;
    if (is_mixed) {
        words.low += 8 * (block < shape->n_wide ? block : shape->n_wide);
        words.high = words.low + 8 * (size_t)(shape->bits + (block < shape->n_wide));
        words.width += block + 1 < shape->n_wide;
    }
    words.low_mask = row->mask << shift;
    words.high_mask = row->mask >> 1 >> (63 - shift);
    return words;
}

/* The bits of word i that the row adds up. */
NINHO_INLINE_ uint64_t ninho_ribbon_added_(const ninho_ribbon_words_ *words, unsigned i)
{
    return (ninho_load64_(words->low + 8 * i) & words->low_mask) ^
           (ninho_load64_(words->high + 8 * i) & words->high_mask);
}

/* A word whose bits in `of_b` have the parity of b, and whose others have that of a: half of the bits
 * of each stay where they are, and the other half comes to them by a turn of the word. */
NINHO_INLINE_ uint64_t ninho_parities_of_two_(uint64_t a, uint64_t b, unsigned turn,
                                              uint64_t of_b)
{
    const uint64_t both = a ^ b, stay = a ^ (both & of_b), go = stay ^ both;
    return stay ^ (go << turn | go >> (64 - turn));
}

/* Bit i: the parity of word i of eight. */
NINHO_INLINE_ unsigned ninho_parities_of_eight_(const uint64_t words[8])
{
    const uint64_t bytes = UINT64_C(0xff00ff00ff00ff00);
    const uint64_t pairs = UINT64_C(0xffff0000ffff0000);
    const uint64_t fours = UINT64_C(0xffffffff00000000);
    uint64_t sum = ninho_parities_of_two_(
        ninho_parities_of_two_(ninho_parities_of_two_(words[0], words[1], 8, bytes),
                               ninho_parities_of_two_(words[2], words[3], 8, bytes), 16,
                               pairs),
        ninho_parities_of_two_(ninho_parities_of_two_(words[4], words[5], 8, bytes),
                               ninho_parities_of_two_(words[6], words[7], 8, bytes), 16,
                               pairs),
        32, fours);

    sum ^= sum >> 4;
    sum ^= sum >> 2;
    sum ^= sum >> 1;
    /* the lowest bits of eight bytes, side by side */
    return (unsigned)((sum & UINT64_C(0x0101010101010101)) *
                          UINT64_C(0x0102040810204080) >>
                      56);
}

/* Whether n columns of a row, at most eight, from number `at` on, add up to what is wanted. */
NINHO_INLINE_ bool ninho_ribbon_few_agree_(const ninho_ribbon_words_ *words, unsigned at,
                                           unsigned n, uint32_t wanted)
{
    uint64_t added[8];
    unsigned i;

    for (i = 0; i < 8; i++)
        added[i] = i < n ? ninho_ribbon_added_(words, at + i) : 0;
    return ninho_parities_of_eight_(added) == (wanted >> at & ((1U << n) - 1));
}

/* Whether the columns of a row add up to what is wanted. `is_narrow`: there are at most eight. Of more,
 * the last eight are looked at, though some of these were before. */
NINHO_INLINE_ bool ninho_ribbon_agrees_plain_(const ninho_ribbon_words_ *words,
                                              uint32_t wanted, bool is_narrow)
{
    unsigned at = 0;

    for (; !is_narrow && words->width - at > 8 && words->width > 8; at += 8)
        if (!ninho_ribbon_few_agree_(words, at, 8, wanted))
            return false;
    if (words->width >= 8)
        return ninho_ribbon_few_agree_(words, words->width - 8, 8, wanted);
    if (words->width > 6)
        return ninho_ribbon_few_agree_(words, 0, 7, wanted);
    if (words->width > 5)
        return ninho_ribbon_few_agree_(words, 0, 6, wanted);
    return ninho_ribbon_few_agree_(words, 0, words->width, wanted);
}

#ifdef NINHO_AVX2_
/* Bit i: the parity of word i of four. Of each byte the halves are added up, looked up, and the
 * eight bytes of a word summed. */
NINHO_AVX2_ static inline unsigned ninho_parities_of_four_avx2_(__m256i words)
{
    const __m256i odd = _mm256_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0,
                                         0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0);
    const __m256i halves = _mm256_and_si256(
        _mm256_xor_si256(words, _mm256_srli_epi64(words, 4)), _mm256_set1_epi8(15));
    const __m256i sums =
        _mm256_sad_epu8(_mm256_shuffle_epi8(odd, halves), _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(sums, 63)));
}

/* The parities of four columns, of which `n` are there. */
NINHO_AVX2_ static inline unsigned ninho_ribbon_four_avx2_(const uint8_t *low,
                                                           const uint8_t *high,
                                                           __m256i low_mask,
                                                           __m256i high_mask, unsigned n)
{
    static const int64_t first[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    const __m256i in =
        _mm256_loadu_si256((const __m256i *)(const void *)(first + (n < 4 ? 4 - n : 0)));
    const __m256i a = _mm256_and_si256(
        _mm256_maskload_epi64((const long long *)(const void *)low, in), low_mask);
    const __m256i b = _mm256_and_si256(
        _mm256_maskload_epi64((const long long *)(const void *)high, in), high_mask);
    return ninho_parities_of_four_avx2_(_mm256_xor_si256(a, b));
}

NINHO_AVX2_ static inline bool ninho_ribbon_agrees_avx2_(const ninho_ribbon_words_ *words,
                                                         uint32_t wanted, bool is_narrow)
{
    const __m256i low_mask = _mm256_set1_epi64x((long long)words->low_mask);
    const __m256i high_mask = _mm256_set1_epi64x((long long)words->high_mask);
    const unsigned width = words->width;
    uint32_t found =
        ninho_ribbon_four_avx2_(words->low, words->high, low_mask, high_mask, width);
    unsigned at = 4;

    if (width > 4)
        found |= ninho_ribbon_four_avx2_(words->low + 32, words->high + 32, low_mask,
                                         high_mask, width - 4)
                 << 4;
    while (!is_narrow && (at += 4) < width)
        found |= ninho_ribbon_four_avx2_(words->low + 8 * at, words->high + 8 * at,
                                         low_mask, high_mask, width - at)
                 << at;
    return (found ^ wanted) << (32 - width) == 0;
}
#endif

#ifdef NINHO_AVX2_
#define NINHO_RIBBON_KERNEL_(name) ninho_ribbon_##name##_avx2_
#else
#define NINHO_RIBBON_KERNEL_(name) ninho_ribbon_##name##_plain_
#endif

#endif
