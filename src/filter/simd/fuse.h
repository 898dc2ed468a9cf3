/* SPDX-License-Identifier: MIT */
/* Where a key's slots lie in a binary fuse filter, and lookups of many keys at once: for
 * every machine in fuse.c, which is the oracle, and with AVX2 beside this file. */
#ifndef NH_FILTER_SIMD_FUSE_H
#define NH_FILTER_SIMD_FUSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

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

struct nh_fuse_kernel {
    /* ORs the answers for n keys, a multiple of 64, into maybe[]. For regions below
     * 2^32. */
    void (*has_many)(const uint8_t *body, const struct nh_fuse_shape *shape,
                     const uint64_t *hashes, size_t n, uint64_t *maybe);
};

/* The best for this machine; NULL where nothing is faster than the portable loop. */
const struct nh_fuse_kernel *nh_fuse_select(void);

#endif
