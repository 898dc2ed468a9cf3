/* SPDX-License-Identifier: MIT */
/* The inner loops of the split-block Bloom filter, one set of functions per instruction
 * set. Every set gives the same bytes and answers; the scalar one is the oracle. */
#ifndef NH_FILTER_SIMD_BLOCK_H
#define NH_FILTER_SIMD_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/kernels.h>

#include "filter/ops.h"

#define NH_BLOCK_BYTES NINHO_BLOCK_BYTES_
#define NH_BLOCK_WORDS NINHO_BLOCK_WORDS_

static inline uint8_t *nh_block_of(const struct nh_part *part, uint64_t hash)
{
    return part->body + ninho_block_at_(hash, part->n_cells);
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
