/* SPDX-License-Identifier: MIT */
/* The k places of a key in a table of m cells, shared by the Bloom filter and its counting form.
 *
 * Place i is the high half of x_i * m, with x_0 = hash and x_{i+1} = x_i * STEP mod 2^64. Plain
 * double hashing, (a + i*b) mod m, is as cheap, but two keys that agree in b and nearly in a
 * share almost all of their places: with n keys that adds about 2kn/m^2 to the fpr, more than
 * half of the promise at n = 1,000 and 2^-13. Here two keys that share a place have unrelated
 * next ones, since the difference is multiplied too. */
#ifndef NH_FILTER_PROBE_H
#define NH_FILTER_PROBE_H

#include <stdint.h>

#include <ninho/filter.h>

#include "base/bits.h"
#include "filter/ops.h"

#define NH_MAX_K 64

/* From Steele and Vigna's tables of multipliers with good spectra for generators modulo 2^64; odd,
 * so that a step loses nothing. */
#define NH_PROBE_STEP UINT64_C(0xd1342543de82ef95)

static inline uint64_t nh_probe_next(uint64_t x)
{
    return x * NH_PROBE_STEP;
}

/* Geometry of a table of m cells and k probes for spec->capacity and spec->fpr, or by hand.
 * Fills n_cells and n_hashes. */
ninho_status nh_probe_plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error);

/* The spec fields that give this geometry again. */
void nh_probe_spec_back(const struct nh_part *part, ninho_spec *spec);

/* (1 - e^{-k(n+0.5)/(m-1)})^k, the rate for finite n, m and k. */
double nh_probe_fpr(const struct nh_part *part, double n_keys);

/* How many distinct keys leave `used` of m cells in use; infinite if all are. */
double nh_probe_estimate(const struct nh_part *part, uint64_t used);

/* ---- Lookups of many keys ------------------------------------------------------------------ */

#define NH_GROUP 64 /* keys in flight at once: one word of answers */

/* Answers for up to NH_GROUP keys. Round i looks at place i of the keys that are still maybe: it
 * first asks for all their lines, so that the misses overlap, then tests and keeps the survivors
 * without a branch, because on a miss that branch would be a coin toss. `test` is inlined; cell c
 * lies in byte c >> shift. */
static inline uint64_t nh_probe_group(const struct nh_part *part, const uint64_t *hashes, size_t n,
                                      unsigned shift, bool (*test)(const uint8_t *, uint64_t))
{
    const uint8_t *const body = part->body;
    const uint64_t m = part->n_cells;
    uint64_t x[NH_GROUP], cell[NH_GROUP], maybe = 0;
    uint8_t key[NH_GROUP];
    size_t n_left = n;

    for (size_t i = 0; i < n; i++) {
        x[i] = hashes[i];
        key[i] = (uint8_t)i;
    }
    for (uint32_t round = 0; round < part->n_hashes && n_left; round++) {
        for (size_t i = 0; i < n_left; i++) {
            cell[i] = nh_reduce(x[i], m);
            nh_prefetch(body + (cell[i] >> shift));
        }
        size_t kept = 0;
        for (size_t i = 0; i < n_left; i++) {
            const bool is_set = test(body, cell[i]);
            x[kept] = nh_probe_next(x[i]);
            key[kept] = key[i];
            kept += is_set;
        }
        n_left = kept;
    }
    for (size_t i = 0; i < n_left; i++)
        maybe |= UINT64_C(1) << key[i];
    return maybe;
}

static inline void nh_probe_has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                                     uint64_t *maybe, unsigned shift,
                                     bool (*test)(const uint8_t *, uint64_t))
{
    for (size_t at = 0; at < n; at += NH_GROUP) {
        const size_t n_group = n - at < NH_GROUP ? n - at : NH_GROUP;
        maybe[at / NH_GROUP] |= nh_probe_group(part, hashes + at, n_group, shift, test);
    }
}

#endif
