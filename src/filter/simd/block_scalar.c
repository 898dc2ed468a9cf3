/* SPDX-License-Identifier: MIT */
#include "filter/simd/block.h"

#include "base/bits.h"
#include "cpu/cpu.h"

static void add(struct nh_part *part, uint64_t hash)
{
    ninho_block_add_plain_(nh_block_of(part, hash), hash);
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    return ninho_block_has_plain_(nh_block_of(part, hash), hash);
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
