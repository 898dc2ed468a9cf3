/* SPDX-License-Identifier: MIT */
/* NEON has no 64-bit products and cannot gather, so slots and sums are found key by key;
 * what 64 keys differ by from their fingerprints is then looked at together. */
#include "cpu/cpu.h"

#if NH_CPU_IS_ARM64

#include "filter/simd/fuse.h"

#include <arm_neon.h>

/* Bit i: byte i is zero. There is no instruction that takes one bit of each byte, so each
 * keeps the bit of its place, and neighbours are added up until eight bytes are left. */
static inline uint64_t zeros(const uint8x16_t bytes[4])
{
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                     1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bit = vld1q_u8(bits);
    uint8x16_t kept[4];

    for (unsigned i = 0; i < 4; i++)
        kept[i] = vandq_u8(vceqzq_u8(bytes[i]), bit);
    const uint8x16_t sums =
        vpaddq_u8(vpaddq_u8(kept[0], kept[1]), vpaddq_u8(kept[2], kept[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

/* What lies in the key's slots, beside what should. */
NH_ALWAYS_INLINE unsigned difference(const uint8_t *body, const struct nh_fuse_shape *s,
                                     uint64_t hash, unsigned arity, unsigned bits)
{
    const uint64_t x = nh_fuse_mix(hash, s->turn);
    uint64_t slots[NH_FUSE_MAX_ARITY];

    nh_fuse_slots(x, s, arity, slots);
    return nh_fuse_xor(body, slots, arity, bits) ^ nh_fuse_fingerprint(x, bits);
}

NH_ALWAYS_INLINE uint64_t has_64(const uint8_t *body, const struct nh_fuse_shape *s,
                                 const uint64_t *hashes, unsigned arity)
{
    uint8_t differences[64];
    uint8x16_t bytes[4];

    for (unsigned i = 0; i < 64; i++)
        differences[i] = (uint8_t)difference(body, s, hashes[i], arity, 8);
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = vld1q_u8(differences + 16 * i);
    return zeros(bytes);
}

/* The same of 16 bits; of each, a byte is left that is zero if it was. */
NH_ALWAYS_INLINE uint64_t has_64_wide(const uint8_t *body, const struct nh_fuse_shape *s,
                                      const uint64_t *hashes, unsigned arity)
{
    uint16_t differences[64];
    uint8x16_t bytes[4];

    for (unsigned i = 0; i < 64; i++)
        differences[i] = (uint16_t)difference(body, s, hashes[i], arity, 16);
    for (unsigned i = 0; i < 4; i++) {
        const uint16x8_t low = vld1q_u16(differences + 16 * i);
        const uint16x8_t high = vld1q_u16(differences + 16 * i + 8);
        bytes[i] = vcombine_u8(vqmovn_u16(low), vqmovn_u16(high));
    }
    return zeros(bytes);
}

NH_ALWAYS_INLINE void has_whole(const uint8_t *body, const struct nh_fuse_shape *s,
                                const uint64_t *hashes, size_t n, uint64_t *maybe,
                                unsigned arity, unsigned bits)
{
    for (size_t at = 0; at < n; at += 64)
        maybe[at / 64] |= bits == 8 ? has_64(body, s, hashes + at, arity)
                                    : has_64_wide(body, s, hashes + at, arity);
}

static void has_many(const uint8_t *body, const struct nh_fuse_shape *s,
                     const uint64_t *hashes, size_t n, uint64_t *maybe)
{
    const size_t n_whole = n - n % 64;

    nh_fuse_unfold(body, s, hashes, n_whole, maybe, has_whole);
    nh_fuse_scalar.has_many(body, s, hashes + n_whole, n % 64, maybe + n_whole / 64);
}

const struct nh_fuse_kernel nh_fuse_neon = {has_many};

#else
typedef int nh_fuse_neon_is_for_arm64; /* C wants a declaration in every file */
#endif
