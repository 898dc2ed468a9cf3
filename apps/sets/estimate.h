/* SPDX-License-Identifier: MIT */
/* How large the difference is, before anything is exchanged: tug of war (Alon, Matias and
 * Szegedy). Each item pulls each of 128 ropes one step to one side or the other, as its keyed
 * 128-bit hash says. What both sets have pulls both sides' ropes alike, so that on the difference
 * of two sets' ropes only the d items pull that one of them has: each ends about sqrt(d) away, and
 * the mean of the squares is d, with a standard deviation of d sqrt(2/128), one part in eight.
 * A greeting carries the ropes in 1 or 2 bytes each. */
#ifndef NINHO_SETS_ESTIMATE_H
#define NINHO_SETS_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

#include "apps/base/base.h"
#include "apps/base/reader.h"
#include "numbers.h"

#define NS_ROPES 128
/* The standard deviation of an estimate, as a share of it. */
#define NS_ROPES_ERROR 0.125

/* The positions are counted sideways: bit i of plane p is bit p of how many hashes had bit i since
 * the last flush, so that an item costs a few operations on whole words and not 128. */
#define NS_PLANES 8
struct ns_ropes {
    int64_t ups[NS_ROPES]; /* items that pulled up */
    uint64_t n;            /* all items */
    uint64_t planes[2][NS_PLANES];
    unsigned n_in_planes;
};

void ns_ropes_init(struct ns_ropes *ropes);
void ns_ropes_add(struct ns_ropes *ropes, const struct ns_sum *hash);

/* Where the ropes are. */
void ns_ropes_positions(struct ns_ropes *ropes, int64_t positions[NS_ROPES]);

/* The difference of two sets of those positions. */
double ns_ropes_estimate(const int64_t ours[NS_ROPES], const int64_t theirs[NS_ROPES]);

#endif
