/* SPDX-License-Identifier: MIT */
/* A block is two 128-bit registers of four words each. */
#include "cpu/cpu.h"

#if NH_CPU_IS_ARM64

#include "filter/simd/block.h"

#include "base/bits.h"

static void add(struct nh_part *part, uint64_t hash)
{
    ninho_block_add_neon_(nh_block_of(part, hash), hash);
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    return ninho_block_has_neon_(nh_block_of(part, hash), hash);
}

#define AHEAD 16 /* keys between asking for a line and looking at it */

static void add_many(struct nh_part *part, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            nh_prefetch_write(nh_block_of(part, hashes[i + AHEAD]));
        add(part, hashes[i]);
    }
}

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    for (size_t at = 0; at < n; at += 64) {
        const size_t end = n - at < 64 ? n : at + 64;
        uint64_t answers = 0;
        for (size_t i = at; i < end; i++) {
            if (i + AHEAD < n)
                nh_prefetch(nh_block_of(part, hashes[i + AHEAD]));
            answers |= (uint64_t)has(part, hashes[i]) << (i - at);
        }
        maybe[at / 64] |= answers;
    }
}

const struct nh_block_kernel nh_block_neon = {add, has, add_many, has_many};

#else
typedef int nh_block_neon_is_for_arm64; /* C wants a declaration in every file */
#endif
