/* SPDX-License-Identifier: MIT */
/* A block is two 128-bit registers of four words each. */
#include "cpu/cpu.h"

#if NH_CPU_IS_ARM64

#include "filter/simd/block.h"

#include <arm_neon.h>

#include "base/bits.h"

/* The key's bit in each of the eight words. */
static inline uint32x4x2_t mask_of(uint64_t hash)
{
    static const uint32_t salts[NH_BLOCK_WORDS] = NH_BLOCK_SALTS;
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
static inline uint32x4_t half_of(const uint8_t *block, unsigned half)
{
    return vreinterpretq_u32_u8(vld1q_u8(block + 16 * half));
}

static inline void add_to(uint8_t *block, uint64_t hash)
{
    const uint32x4x2_t mask = mask_of(hash);

    for (unsigned half = 0; half < 2; half++)
        vst1q_u8(block + 16 * half,
                 vreinterpretq_u8_u32(vorrq_u32(half_of(block, half), mask.val[half])));
}

static inline bool is_in(const uint8_t *block, uint64_t hash)
{
    const uint32x4x2_t mask = mask_of(hash);
    const uint32x4_t missing = vorrq_u32(vbicq_u32(mask.val[0], half_of(block, 0)),
                                         vbicq_u32(mask.val[1], half_of(block, 1)));
    return vmaxvq_u32(missing) == 0;
}

static void add(struct nh_part *part, uint64_t hash)
{
    add_to(nh_block_of(part, hash), hash);
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    return is_in(nh_block_of(part, hash), hash);
}

#define AHEAD 16 /* keys between asking for a line and looking at it */

static void add_many(struct nh_part *part, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            nh_prefetch_write(nh_block_of(part, hashes[i + AHEAD]));
        add_to(nh_block_of(part, hashes[i]), hashes[i]);
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
            answers |= (uint64_t)is_in(nh_block_of(part, hashes[i]), hashes[i])
                       << (i - at);
        }
        maybe[at / 64] |= answers;
    }
}

const struct nh_block_kernel nh_block_neon = {add, has, add_many, has_many};

#else
typedef int nh_block_neon_is_for_arm64; /* C wants a declaration in every file */
#endif
