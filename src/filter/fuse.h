/* SPDX-License-Identifier: MIT */
/* What a binary fuse filter (fuse.c) and its construction (fuse_build.c) share: the geometry
 * as it is stored. */
#ifndef NH_FILTER_FUSE_H
#define NH_FILTER_FUSE_H

#include "base/le.h"
#include "filter/ops.h"
#include "filter/simd/fuse.h"
#include "hash/hash.h"

/* stored[0]: bits 0-7 the seed, 8-15 log2 of the segment's slots, 16-23 bits of a
 * fingerprint; stored[1]: the seed, or 0; n_hashes: slots of a key. */
static inline unsigned nh_fuse_seed(const struct nh_part *part)
{
    return part->stored[0] & 0xff;
}

static inline unsigned nh_fuse_log_segment(const struct nh_part *part)
{
    return part->stored[0] >> 8 & 0xff;
}

static inline unsigned nh_fuse_tag_bits(const struct nh_part *part)
{
    return part->stored[0] >> 16 & 0xff;
}

static inline uint64_t nh_fuse_word(unsigned seed, unsigned log_segment,
                                    unsigned tag_bits)
{
    return seed | log_segment << 8 | tag_bits << 16;
}

/* What the hashes are turned by before they are mixed: a seed is a way of mixing. */
static inline uint64_t nh_fuse_turn(unsigned seed)
{
    return (seed + 1) *
           UINT64_C(0x9e3779b97f4a7c15); /* the golden ratio's multiples: unlike */
}

/* The 256 ways of mixing are known to everybody, so that whoever chooses the keys can spoil
 * all of them. Then hashes are first replaced by their SipHash under a seed of 64 bits, and mixed
 * in the first way: seeds that follow from all keys, then random ones. */
#ifdef NINHO_TEST_HOOKS
extern unsigned nh_fuse_n_derived; /* how many of the former are tried */
#endif

static inline uint64_t nh_fuse_keyed(uint64_t hash, uint64_t random_seed)
{
    uint8_t secret[NINHO_SECRET_BYTES] = {0}, bytes[8];

    nh_store_le64(secret, random_seed);
    nh_store_le64(bytes, hash);
    return nh_siphash(secret, bytes, sizeof bytes);
}

static inline struct nh_fuse_shape nh_fuse_shape_of(const struct nh_part *part)
{
    const unsigned log_segment = nh_fuse_log_segment(part);
    return (struct nh_fuse_shape){
        part->n_cells - ((uint64_t)(part->n_hashes - 1) << log_segment),
        nh_low_mask(log_segment),
        nh_fuse_turn(nh_fuse_seed(part)),
        log_segment,
        part->n_hashes,
        nh_fuse_tag_bits(part),
    };
}

/* How many of the 256 ways of mixing are tried for that many hashes, before seeds are. */
unsigned nh_fuse_n_fixed(size_t n);

/* Fills an empty table with n hashes, sets the part's count and writes the seed into its
 * stored words; equal hashes are one key. Fails with NINHO_ERR_NOMEM, with NINHO_ERR_FULL if
 * there are more keys than the part's capacity, or with NINHO_ERR_BUILD if no seed will do or
 * the caller stops it. */
ninho_status nh_fuse_build(const struct nh_live *live, struct nh_part *part,
                           const uint64_t *hashes, size_t n, ninho_error *error);

#endif
