/* SPDX-License-Identifier: MIT */
/* What a ribbon filter (ribbon.c) and its construction (ribbon_build.c) share: the geometry as it
 * is stored. */
#ifndef NH_FILTER_RIBBON_H
#define NH_FILTER_RIBBON_H

#include "filter/ops.h"
#include "filter/simd/ribbon.h"

/* The share of blocks that have a column more is counted in so many parts. */
#define NH_RIBBON_SHARES 1024

/* stored[0]: bits 0-7 the columns of a block, 8-15 the seed, 16-23 the last zone's seed, 24-33 the
 * share of wide blocks; stored[1]: the seed of 64 bits, or 0. n_cells: slots. */
struct nh_ribbon_word {
    unsigned bits, seed, last_seed, share;
};

static inline struct nh_ribbon_word nh_ribbon_unpack(uint64_t word)
{
    return (struct nh_ribbon_word){word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff,
                                   word >> 24 & (NH_RIBBON_SHARES - 1)};
}

static inline uint64_t nh_ribbon_pack(struct nh_ribbon_word w)
{
    return w.bits | w.seed << 8 | w.last_seed << 16 | (uint64_t)w.share << 24;
}

/* How many of n_blocks are wide. A row that starts in the last wide block reaches into one that is
 * not, and has no use of the column: hence one more. */
static inline uint64_t nh_ribbon_n_wide(uint64_t n_blocks, unsigned share)
{
    const uint64_t n = (n_blocks * share + NH_RIBBON_SHARES - 1) / NH_RIBBON_SHARES + 1;
    return !share ? 0 : n < n_blocks ? n : n_blocks;
}

/* Buckets, which have thresholds: one for each pair of blocks before the last zone. */
static inline uint64_t nh_ribbon_n_buckets(uint64_t n_blocks)
{
    uint64_t rest = n_blocks;

    for (uint64_t zone; (zone = ninho_ribbon_zone_(rest)) != 0;)
        rest -= zone;
    return (n_blocks - rest) / 2;
}

static inline uint64_t nh_ribbon_column_bytes(uint64_t n_blocks, unsigned bits,
                                              unsigned share)
{
    return 8 * (n_blocks * bits + nh_ribbon_n_wide(n_blocks, share));
}

/* Columns and thresholds. n_blocks is at most 2^38. */
static inline uint64_t nh_ribbon_bytes(uint64_t n_blocks, unsigned bits, unsigned share)
{
    return nh_ribbon_column_bytes(n_blocks, bits, share) +
           (nh_ribbon_n_buckets(n_blocks) + 3) / 4;
}

static inline ninho_ribbon_shape_ nh_ribbon_shape(uint64_t n_blocks,
                                                  struct nh_ribbon_word w)
{
    const uint64_t zone = ninho_ribbon_zone_(n_blocks);

    return (ninho_ribbon_shape_){
        .turn = ninho_ribbon_turn_(0, w.seed),
        .n_blocks = n_blocks,
        .n_wide = nh_ribbon_n_wide(n_blocks, w.share),
        .n_starts = NH_RIBBON_BLOCK * zone,
        .thresholds = nh_ribbon_column_bytes(n_blocks, w.bits, w.share),
        .bits = w.bits,
        .last_seed = w.last_seed,
    };
}

static inline ninho_ribbon_shape_ nh_ribbon_shape_of(const struct nh_part *part)
{
    return nh_ribbon_shape(part->n_cells / NH_RIBBON_BLOCK,
                           nh_ribbon_unpack(part->stored[0]));
}

#ifdef NINHO_TEST_HOOKS
extern unsigned nh_ribbon_n_fixed, nh_ribbon_n_derived; /* how many seeds are tried */
#endif

/* Fills an empty table with n hashes, sets the part's count and writes the seeds into its stored
 * words; equal hashes are one key. Fails with NINHO_ERR_NOMEM, with NINHO_ERR_FULL if there are
 * more keys than the part's capacity, or with NINHO_ERR_BUILD if no seed will do or the caller
 * stops it. */
ninho_status nh_ribbon_build(const struct nh_live *live, struct nh_part *part,
                             const uint64_t *hashes, size_t n, ninho_error *error);

#endif
