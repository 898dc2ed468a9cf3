/* SPDX-License-Identifier: MIT */
/* The k places of a key in a table of m cells, shared by the Bloom filter, whose cells are
 * bits, and its counting form, whose cells are counters: 8 or 2 of them in a byte.
 *
 * Place i is the high half of x_i * m, with x_0 = hash and x_{i+1} = x_i * STEP mod 2^64.
 * Plain double hashing, (a + i*b) mod m, is as cheap, but two keys that agree in b and
 * nearly in a share almost all of their places: with n keys that adds about 2kn/m^2 to
 * the fpr, more than half of the promise at n = 1,000 and 2^-13. Here two keys that share
 * a place have unrelated next ones, since the difference is multiplied too. */
#ifndef NH_FILTER_PROBE_H
#define NH_FILTER_PROBE_H

#include <stdint.h>

#include <ninho/filter.h>
#include <ninho/kernels.h>

#include "base/bits.h"
#include "base/inline.h"
#include "filter/ops.h"

#define NH_MAX_K 64

static inline uint64_t nh_probe_next(uint64_t x)
{
    return ninho_bloom_next_(x);
}

/* ---- Geometry ---------------------------------------------------------------------- */

#define NH_PROBE_MAX_CELLS (UINT64_C(1) << 56)

static inline uint64_t nh_probe_size(uint64_t n_cells, unsigned per_byte)
{
    return (n_cells + per_byte - 1) / per_byte;
}

/* Geometry of a table of m cells and k probes for spec->capacity and spec->fpr, or by
 * hand. Fills n_cells, n_hashes and size. */
ninho_status nh_probe_plan(const ninho_spec *spec, unsigned per_byte,
                           struct nh_part *part, ninho_error *error);

/* Whether geometry from a file is possible. */
static inline bool nh_probe_fits(const struct nh_part *part, unsigned per_byte)
{
    return part->n_cells >= 1 && part->n_cells <= NH_PROBE_MAX_CELLS &&
           part->n_hashes >= 1 && part->n_hashes <= NH_MAX_K &&
           part->size == nh_probe_size(part->n_cells, per_byte) && !part->stored[0] &&
           !part->stored[1];
}

/* The spec fields that give this geometry again. */
void nh_probe_spec_back(const struct nh_part *part, ninho_spec *spec);

/* (1 - e^{-k(n+0.5)/(m-1)})^k, the rate for finite n, m and k. */
double nh_probe_fpr(const struct nh_part *part, double n_keys);

/* What a pass over the table that found so many cells in use tells. */
void nh_probe_tally(const struct nh_part *part, uint64_t used, struct nh_tally *tally);

/* Whether nothing is set in the last byte past the last cell. */
bool nh_probe_ends_clear(const struct nh_part *part, unsigned per_byte);

/* A family's `beside`, for kinds where a cell that a member needs is never empty. */
nh_has_beside nh_probe_beside(const struct nh_part *part);

/* A family's `unite`, for kinds whose cells are bits: theirs are set too. */
ninho_status nh_probe_unite_bits(const struct nh_live *live, struct nh_part *target,
                                 const struct nh_part *source);

/* ---- Bare -------------------------------------------------------------------------- */

/* k, and how many cells of the last byte are spare. */
static inline unsigned nh_probe_bare_tail(const struct nh_part *part, unsigned per_byte,
                                          uint8_t tail[2])
{
    tail[0] = (uint8_t)part->n_hashes;
    tail[1] = (uint8_t)(per_byte * part->size - part->n_cells);
    return 2;
}

static inline bool nh_probe_bare_fits(const uint8_t *bytes, size_t size,
                                      unsigned per_byte, struct nh_part *part)
{
    if (size < 3 || bytes[size - 1] >= per_byte)
        return false;
    part->size = size - 2;
    part->n_hashes = bytes[size - 2];
    part->n_cells = per_byte * part->size - bytes[size - 1];
    return true;
}

/* ---- Loops over places ------------------------------------------------------------- */

/* Inlined, all of them: a copy that is not would call `test` or `set` through its
 * pointer. */

/* Without a branch that hangs on what the table holds: see ninho_bloom_find_(). */
NH_ALWAYS_INLINE bool nh_probe_has(const struct nh_part *part, uint64_t hash,
                                   bool (*test)(const uint8_t *, uint64_t))
{
    unsigned all = 1;

    for (uint32_t i = 0; i < part->n_hashes; i++, hash = nh_probe_next(hash))
        all &= test(part->body, nh_reduce(hash, part->n_cells));
    return all;
}

#define NH_GROUP 64 /* keys taken together: one word of answers */

/* Answers for up to NH_GROUP keys: the first two places of every key, then the others of
 * the keys that passed. At the planned load half of the cells are in use, so that one
 * absent key in four passes, and looking at places one by one would save it little more.
 * In neither pass does a branch hang on what the table holds: on a miss it would be a
 * coin toss, and without it the core runs ahead and overlaps the misses by itself, better
 * than when it is told the lines beforehand. `test` is inlined. */
NH_ALWAYS_INLINE uint64_t nh_probe_group(const struct nh_part *part, uint32_t k,
                                         const uint64_t *hashes, size_t n,
                                         bool (*test)(const uint8_t *, uint64_t))
{
    const uint8_t *const body = part->body;
    const uint64_t m = part->n_cells;
    uint64_t maybe = 0;
    uint8_t passed[NH_GROUP] = {0};
    size_t n_passed = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned is_set = test(body, nh_reduce(hashes[i], m));
        if (k > 1)
            is_set &= test(body, nh_reduce(nh_probe_next(hashes[i]), m));
        passed[n_passed] = (uint8_t)i;
        n_passed += is_set;
    }
    for (size_t i = 0; i < n_passed; i++) {
        uint64_t x = nh_probe_next(nh_probe_next(hashes[passed[i]]));
        unsigned is_set = 1;
        for (uint32_t j = 2; j < k; j++, x = nh_probe_next(x))
            is_set &= test(body, nh_reduce(x, m));
        maybe |= (uint64_t)is_set << passed[i];
    }
    return maybe;
}

/* k is part->n_hashes; a caller that knows it as a constant gets its loop unrolled. */
NH_ALWAYS_INLINE void nh_probe_has_many(const struct nh_part *part, uint32_t k,
                                        const uint64_t *hashes, size_t n, uint64_t *maybe,
                                        bool (*test)(const uint8_t *, uint64_t))
{
    for (size_t at = 0; at < n; at += NH_GROUP) {
        const size_t n_group = n - at < NH_GROUP ? n - at : NH_GROUP;
        maybe[at / NH_GROUP] |= nh_probe_group(part, k, hashes + at, n_group, test);
    }
}

/* Keys added at once. Lines are asked for a group of them ahead of the writes, so that
 * their misses overlap. */
#define NH_ADD_GROUP 16

static inline void nh_probe_prefetch(const struct nh_part *part, unsigned per_byte,
                                     uint64_t hash)
{
    for (uint32_t i = 0; i < part->n_hashes; i++, hash = nh_probe_next(hash))
        nh_prefetch_write(part->body + nh_reduce(hash, part->n_cells) / per_byte);
}

NH_ALWAYS_INLINE void nh_probe_add_many(struct nh_part *part, unsigned per_byte,
                                        const uint64_t *hashes, size_t n,
                                        void (*set)(uint8_t *, uint64_t))
{
    uint64_t cells[NH_ADD_GROUP * NH_MAX_K];
    uint8_t *const body = part->body;
    const uint64_t m = part->n_cells;

    for (size_t at = 0; at < n; at += NH_ADD_GROUP) {
        const size_t n_group = n - at < NH_ADD_GROUP ? n - at : NH_ADD_GROUP;
        size_t n_cells = 0;
        for (size_t i = 0; i < n_group; i++) {
            uint64_t x = hashes[at + i];
            for (uint32_t j = 0; j < part->n_hashes; j++, x = nh_probe_next(x)) {
                cells[n_cells] = nh_reduce(x, m);
                nh_prefetch_write(body + cells[n_cells++] / per_byte);
            }
        }
        for (size_t i = 0; i < n_cells; i++)
            set(body, cells[i]);
    }
    part->count += n;
}

#endif
