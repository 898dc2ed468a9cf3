/* SPDX-License-Identifier: MIT */
/* The k places of a key in a table of m cells, shared by the Bloom filter and its
 * counting form.
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

#include "base/bits.h"
#include "filter/ops.h"

#define NH_MAX_K 64

/* From Steele and Vigna's tables of multipliers with good spectra for generators modulo
 * 2^64; odd, so that a step loses nothing. */
#define NH_PROBE_STEP UINT64_C(0xd1342543de82ef95)

static inline uint64_t nh_probe_next(uint64_t x)
{
    return x * NH_PROBE_STEP;
}

/* Geometry of a table of m cells and k probes for spec->capacity and spec->fpr, or by
 * hand. Fills n_cells and n_hashes. */
ninho_status nh_probe_plan(const ninho_spec *spec, struct nh_part *part,
                           ninho_error *error);

/* The spec fields that give this geometry again. */
void nh_probe_spec_back(const struct nh_part *part, ninho_spec *spec);

/* (1 - e^{-k(n+0.5)/(m-1)})^k, the rate for finite n, m and k. */
double nh_probe_fpr(const struct nh_part *part, double n_keys);

/* How many distinct keys leave `used` of m cells in use; infinite if all are. */
double nh_probe_estimate(const struct nh_part *part, uint64_t used);

/* ---- Lookups of many keys ---------------------------------------------------------- */

/* Not a hint: a copy that is left uninlined would call `test` through its pointer. */
#ifdef __GNUC__
#define NH_INLINED static inline __attribute__((always_inline))
#else
#define NH_INLINED static inline
#endif

#define NH_GROUP 64 /* keys taken together: one word of answers */

/* Answers for up to NH_GROUP keys: the first two places of every key, then the others of
 * the keys that passed. At the planned load half of the cells are in use, so that one
 * absent key in four passes, and looking at places one by one would save it little more.
 * In neither pass does a branch hang on what the table holds: on a miss it would be a
 * coin toss, and without it the core runs ahead and overlaps the misses by itself, better
 * than when it is told the lines beforehand. `test` is inlined. */
NH_INLINED uint64_t nh_probe_group(const struct nh_part *part, uint32_t k,
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
NH_INLINED void nh_probe_has_many(const struct nh_part *part, uint32_t k,
                                  const uint64_t *hashes, size_t n, uint64_t *maybe,
                                  bool (*test)(const uint8_t *, uint64_t))
{
    for (size_t at = 0; at < n; at += NH_GROUP) {
        const size_t n_group = n - at < NH_GROUP ? n - at : NH_GROUP;
        maybe[at / NH_GROUP] |= nh_probe_group(part, k, hashes + at, n_group, test);
    }
}

#endif
