/* SPDX-License-Identifier: MIT */
/* Where a key's slots lie in a binary fuse filter, and lookups of many keys at once, one
 * set of functions per instruction set. Every set gives the same answers; the scalar one
 * is the oracle. */
#ifndef NH_FILTER_SIMD_FUSE_H
#define NH_FILTER_SIMD_FUSE_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/kernels.h>

#include "base/bits.h"
#include "base/inline.h"

#define NH_FUSE_MAX_ARITY       NINHO_FUSE_MOST_SLOTS_
#define NH_FUSE_MAX_LOG_SEGMENT 18

struct nh_fuse_shape {
    uint64_t region; /* slots that can be a key's first */
    uint64_t inside; /* mask of a slot's number inside its segment */
    uint64_t turn;   /* what hashes are turned by: the seed's */
    unsigned log_segment;
    unsigned arity;
    unsigned bits; /* of a fingerprint */
};

static inline uint64_t nh_fuse_mix(uint64_t hash, uint64_t turn)
{
    return ninho_fuse_mix_(hash, turn);
}

/* A second product of the mixed hash, for what must not lean on the bits that name the
 * slots. */
static inline uint64_t nh_fuse_second(uint64_t x)
{
    return x * NINHO_FUSE_SECOND_FACTOR_;
}

static inline unsigned nh_fuse_fingerprint(uint64_t x, unsigned bits)
{
    return (unsigned)(nh_fuse_second(x) >> (64 - bits));
}

static inline void nh_fuse_slots(uint64_t x, const struct nh_fuse_shape *s,
                                 unsigned arity, uint64_t slots[NH_FUSE_MAX_ARITY])
{
    ninho_fuse_slots_(x, s->region, s->inside, arity, slots);
}

static inline unsigned nh_fuse_load(const uint8_t *body, uint64_t slot, unsigned bits)
{
    return ninho_fuse_load_(body, slot, bits);
}

static inline unsigned nh_fuse_xor(const uint8_t *body,
                                   const uint64_t slots[NH_FUSE_MAX_ARITY],
                                   unsigned arity, unsigned bits)
{
    return ninho_fuse_xor_(body, slots, arity, bits);
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
