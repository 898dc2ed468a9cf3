/* SPDX-License-Identifier: MIT */
/* The inner loops of the split-block Bloom filter, one set of functions per instruction
 * set. Every set gives the same bytes and answers; the scalar one is the oracle. */
#ifndef NH_FILTER_SIMD_BLOCK_H
#define NH_FILTER_SIMD_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter/ops.h"

#define NH_BLOCK_BYTES 32
#define NH_BLOCK_WORDS 8

/* Odd multipliers, one per word of a block, fixed by the Parquet format. */
/* clang-format off */
#define NH_BLOCK_SALTS                                              \
    {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,            \
     0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U}
/* clang-format on */

/* Which block a hash falls into: its high half picks, so that the low half is left for
 * the bits inside. n_blocks < 2^32. */
static inline uint64_t nh_block_number(uint64_t hash, uint64_t n_blocks)
{
    return ((hash >> 32) * n_blocks) >> 32;
}

static inline uint8_t *nh_block_of(const struct nh_part *part, uint64_t hash)
{
    return part->body + NH_BLOCK_BYTES * nh_block_number(hash, part->n_cells);
}

/* They read the body and n_cells of a part, and nothing else. None of them counts. */
struct nh_block_kernel {
    void (*add)(struct nh_part *part, uint64_t hash);
    bool (*has)(const struct nh_part *part, uint64_t hash);
    void (*add_many)(struct nh_part *part, const uint64_t *hashes, size_t n);
    /* ORs the answers into maybe[]. */
    void (*has_many)(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe);
};

extern const struct nh_block_kernel nh_block_scalar;
extern const struct nh_block_kernel nh_block_avx2; /* only where NH_CPU_AVX2 is */
extern const struct nh_block_kernel nh_block_neon; /* only where NH_CPU_NEON is */

/* The best for this machine. */
const struct nh_block_kernel *nh_block_select(void);

#endif
