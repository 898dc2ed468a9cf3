/* SPDX-License-Identifier: MIT */
/* Where a key's slots lie in a binary fuse filter, and lookups of many keys at once, one
 * set of functions per instruction set. Every set gives the same answers; the scalar one
 * is the oracle. */
#ifndef NH_FILTER_SIMD_FUSE_H
#define NH_FILTER_SIMD_FUSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/inline.h"
#include "base/le.h"

#define NH_FUSE_MAX_ARITY       4
#define NH_FUSE_MAX_LOG_SEGMENT 18
/* How far the bits lie apart that tell the slot inside the second, third and fourth
 * segment. */
#define NH_FUSE_THIRD  NH_FUSE_MAX_LOG_SEGMENT
#define NH_FUSE_FOURTH 20

/* Odd, so that a product loses nothing. */
#define NH_FUSE_FIRST_FACTOR  UINT64_C(0xff51afd7ed558ccd)
#define NH_FUSE_SECOND_FACTOR UINT64_C(0xd1342543de82ef95)

struct nh_fuse_shape {
    uint64_t region; /* slots that can be a key's first */
    uint64_t inside; /* mask of a slot's number inside its segment */
    uint64_t turn;   /* what hashes are turned by: the seed's */
    unsigned log_segment;
    unsigned arity;
    unsigned bits; /* of a fingerprint */
};

/* The hashes are mixed again, so that other seeds give other slots. One product will do
 * for hashes that are well mixed already; it is a bijection, by which different ones stay
 * different. */
static inline uint64_t nh_fuse_mix(uint64_t hash, uint64_t turn)
{
    const uint64_t x = (hash ^ turn) * NH_FUSE_FIRST_FACTOR;
    return x ^ x >> 32;
}

/* A second product of the mixed hash, for what must not lean on the bits that name the
 * slots. */
static inline uint64_t nh_fuse_second(uint64_t x)
{
    return x * NH_FUSE_SECOND_FACTOR;
}

static inline unsigned nh_fuse_fingerprint(uint64_t x, unsigned bits)
{
    return (unsigned)(nh_fuse_second(x) >> (64 - bits));
}

/* The first slot from the high bits; in each segment after its own, the same place but
 * for some low bits turned. */
static inline void nh_fuse_slots(uint64_t x, const struct nh_fuse_shape *s,
                                 unsigned arity, uint64_t slots[NH_FUSE_MAX_ARITY])
{
    const uint64_t first = nh_reduce(x, s->region);

    slots[0] = first;
    slots[1] = (first + ((uint64_t)1 << s->log_segment)) ^ (x & s->inside);
    slots[2] =
        (first + ((uint64_t)2 << s->log_segment)) ^ (x >> NH_FUSE_THIRD & s->inside);
    if (arity == 4)
        slots[3] = (first + ((uint64_t)3 << s->log_segment)) ^
                   (nh_fuse_second(x) >> NH_FUSE_FOURTH & s->inside);
}

static inline unsigned nh_fuse_load(const uint8_t *body, uint64_t slot, unsigned bits)
{
    return bits == 8 ? body[slot] : nh_load_le16(body + 2 * slot);
}

static inline unsigned nh_fuse_xor(const uint8_t *body,
                                   const uint64_t slots[NH_FUSE_MAX_ARITY],
                                   unsigned arity, unsigned bits)
{
    const unsigned three = nh_fuse_load(body, slots[0], bits) ^
                           nh_fuse_load(body, slots[1], bits) ^
                           nh_fuse_load(body, slots[2], bits);
    return arity == 4 ? three ^ nh_fuse_load(body, slots[3], bits) : three;
}

struct nh_fuse_kernel {
    /* ORs the answers into maybe[]. */
    void (*has_many)(const uint8_t *body, const struct nh_fuse_shape *shape,
                     const uint64_t *hashes, size_t n, uint64_t *maybe);
};

extern const struct nh_fuse_kernel nh_fuse_scalar;
/* For regions below 2^32: */
extern const struct nh_fuse_kernel nh_fuse_avx2; /* only where NH_CPU_AVX2 is */
extern const struct nh_fuse_kernel nh_fuse_neon; /* only where NH_CPU_NEON is */

/* The best for this machine and for regions below 2^32. */
const struct nh_fuse_kernel *nh_fuse_select(void);

/* A loop over keys that is compiled once for each arity and size of fingerprint. */
typedef void nh_fuse_loop(const uint8_t *body, const struct nh_fuse_shape *s,
                          const uint64_t *hashes, size_t n, uint64_t *maybe,
                          unsigned arity, unsigned bits);

NH_ALWAYS_INLINE void nh_fuse_unfold(const uint8_t *body, const struct nh_fuse_shape *s,
                                     const uint64_t *hashes, size_t n, uint64_t *maybe,
                                     nh_fuse_loop *loop)
{
    if (s->arity == 3 && s->bits == 8)
        loop(body, s, hashes, n, maybe, 3, 8);
    else if (s->arity == 3)
        loop(body, s, hashes, n, maybe, 3, 16);
    else if (s->bits == 8)
        loop(body, s, hashes, n, maybe, 4, 8);
    else
        loop(body, s, hashes, n, maybe, 4, 16);
}

#endif
