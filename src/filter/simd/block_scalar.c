/* SPDX-License-Identifier: MIT */
#include "filter/simd/block.h"

#include "base/bits.h"
#include "base/le.h"
#include "cpu/cpu.h"

static const uint32_t salts[NH_BLOCK_WORDS] = NH_BLOCK_SALTS;

static inline uint32_t bit_of(uint64_t hash, unsigned word)
{
    return 1U << (((uint32_t)hash * salts[word]) >> 27);
}

static inline void add_to(uint8_t *block, uint64_t hash)
{
    for (unsigned i = 0; i < NH_BLOCK_WORDS; i++)
        nh_store_le32(block + 4 * i, nh_load_le32(block + 4 * i) | bit_of(hash, i));
}

/* All eight words are looked at, whatever the first says: a branch per word would cost
 * more than it saves. */
static inline bool is_in(const uint8_t *block, uint64_t hash)
{
    uint32_t missing = 0;

    for (unsigned i = 0; i < NH_BLOCK_WORDS; i++)
        missing |= ~nh_load_le32(block + 4 * i) & bit_of(hash, i);
    return !missing;
}

static void add(struct nh_part *part, uint64_t hash)
{
    add_to(nh_block_of(part, hash), hash);
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    return is_in(nh_block_of(part, hash), hash);
}

/* How many keys ahead a line is asked for. */
#define AHEAD 16

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
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            nh_prefetch(nh_block_of(part, hashes[i + AHEAD]));
        maybe[i / 64] |= (uint64_t)has(part, hashes[i]) << (i % 64);
    }
}

const struct nh_block_kernel nh_block_scalar = {add, has, add_many, has_many};

const struct nh_block_kernel *nh_block_select(void)
{
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX2))
        return &nh_block_avx2;
#elif NH_CPU_IS_ARM64
    if (nh_cpu_has(NH_CPU_NEON))
        return &nh_block_neon;
#endif
    return &nh_block_scalar;
}
