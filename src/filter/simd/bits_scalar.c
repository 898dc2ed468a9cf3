/* SPDX-License-Identifier: MIT */
#include "filter/simd/bits.h"

#include "cpu/cpu.h"
#include "filter/probe.h"

static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe)
{
    nh_probe_has_many(part, part->n_hashes, hashes, n, maybe, nh_bit_is_set);
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    return ninho_bloom_find_(part->body, part->n_cells, part->n_hashes, hash);
}

static void choose_has(struct nh_part *part)
{
    part->has = has;
}

const struct nh_bits_kernel nh_bits_scalar = {choose_has, has_many};

const struct nh_bits_kernel *nh_bits_select(void)
{
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX2))
        return &nh_bits_bmi2;
#endif
    return &nh_bits_scalar;
}
