/* SPDX-License-Identifier: MIT */
/* The words of a line are compared two at a time. */
#include "cpu/cpu.h"

#if NH_CPU_IS_ARM64

#include "dict/simd/block8.h"

#include <arm_neon.h>

/* All ones or all zeros for two of the words, as the low halves say it. */
static inline uint32x4_t pairs_equal(const uint8_t *at, uint64x2_t wanted)
{
    const uint64x2_t first = vreinterpretq_u64_u8(vld1q_u8(at));
    const uint64x2_t second = vreinterpretq_u64_u8(vld1q_u8(at + 16));
    return vuzp1q_u32(vreinterpretq_u32_u64(vceqq_u64(first, wanted)),
                      vreinterpretq_u32_u64(vceqq_u64(second, wanted)));
}

/* NEON has no instruction that takes one bit of each lane: the lanes are narrowed to 16
 * bits, keep one bit each, and are added up. */
static inline uint32_t marks(const uint8_t *block, uint64_t word)
{
    static const uint16_t bits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    const uint64x2_t wanted = vdupq_n_u64(word);
    const uint16x8_t equal =
        vuzp1q_u16(vreinterpretq_u16_u32(pairs_equal(block, wanted)),
                   vreinterpretq_u16_u32(pairs_equal(block + 32, wanted)));
    return vaddvq_u16(vandq_u16(equal, vld1q_u16(bits)));
}

static uint8_t *find(const struct nh_probe8_table *t, uint64_t key, uint64_t hash)
{
    return nh_block8_find(t, key, hash, nh_block8_home(t, hash), marks);
}

static bool get_word(const ninho_dict *dict, uint64_t key, uint64_t *value)
{
    return nh_block8_get(dict, key, value, marks);
}

static size_t get_words(const ninho_dict *dict, const uint8_t *keys, size_t n,
                        uint64_t *values, uint64_t *found)
{
    return nh_block8_get_many(dict, keys, n, values, found, marks);
}

const struct nh_block8_kernel nh_block8_neon = {find, get_word, get_words};

#else
typedef int nh_block8_neon_is_for_arm64; /* C wants a declaration in every file */
#endif
