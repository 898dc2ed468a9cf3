/* SPDX-License-Identifier: MIT */
/* Quotient filters as the first layout has them, which the library reads and no longer writes. */
#ifndef NINHO_TEST_FIRST_LAYOUT_H
#define NINHO_TEST_FIRST_LAYOUT_H

#include "unit/inside.h"

/* Lays out n fingerprints, in ascending order, in an empty table of the first layout: n_slots slots
 * with remainders of r bits. */
void first_layout_of(uint8_t *body, uint64_t n_slots, unsigned r, const uint64_t *prints,
                     uint64_t n);

/* The same filter in the first layout, as if it had been read from an earlier file. */
ninho_filter *in_first_layout(const ninho_filter *filter);

#endif
