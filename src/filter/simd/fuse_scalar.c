/* SPDX-License-Identifier: MIT */
#include "filter/simd/fuse.h"

#include "cpu/cpu.h"

#define GROUP 16

/* A group's slots first, all their lines asked for; then the comparisons, without a
 * branch. */
NH_ALWAYS_INLINE uint64_t has_group(const uint8_t *body, const struct nh_fuse_shape *s,
                                    const uint64_t *hashes, size_t n, unsigned arity,
                                    unsigned bits)
{
    uint64_t slots[GROUP][NH_FUSE_MAX_ARITY], answers = 0;
    unsigned wanted[GROUP];

    for (size_t i = 0; i < n; i++) {
        const uint64_t x = nh_fuse_mix(hashes[i], s->turn);
        nh_fuse_slots(x, s, arity, slots[i]);
        wanted[i] = nh_fuse_fingerprint(x, bits);
        for (unsigned j = 0; j < arity; j++)
            nh_prefetch(body + slots[i][j] * (bits / 8));
    }
    for (size_t i = 0; i < n; i++)
        answers |= (uint64_t)(nh_fuse_xor(body, slots[i], arity, bits) == wanted[i]) << i;
    return answers;
}

NH_ALWAYS_INLINE void has_groups(const uint8_t *body, const struct nh_fuse_shape *s,
                                 const uint64_t *hashes, size_t n, uint64_t *maybe,
                                 unsigned arity, unsigned bits)
{
    for (size_t at = 0; at < n; at += GROUP) {
        const size_t n_group = n - at < GROUP ? n - at : GROUP;
        maybe[at / 64] |= has_group(body, s, hashes + at, n_group, arity, bits)
                          << (at % 64);
    }
}

static void has_many(const uint8_t *body, const struct nh_fuse_shape *s,
                     const uint64_t *hashes, size_t n, uint64_t *maybe)
{
    nh_fuse_unfold(body, s, hashes, n, maybe, has_groups);
}

const struct nh_fuse_kernel nh_fuse_scalar = {has_many};

const struct nh_fuse_kernel *nh_fuse_select(void)
{
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX2))
        return &nh_fuse_avx2;
#elif NH_CPU_IS_ARM64
    if (nh_cpu_has(NH_CPU_NEON))
        return &nh_fuse_neon;
#endif
    return &nh_fuse_scalar;
}
