/* SPDX-License-Identifier: MIT */
/* The sketch: a rateless invertible Bloom lookup table over 64-bit hashes (Yang, Gilad and
 * Alizadeh, "Practical Rateless Set Reconciliation", 2024).
 *
 * A sketch is an endless row of cells. Hash h goes into cell 0, and into cell i with probability
 * 1/(1 + i/2), by a walk that both sides derive from h:
 *
 *      cell   0   1   2   3   4   5   6   7   8  ...
 *      h      x   x       x               x            the row gets thinner: about 2 ln(m/2)
 *      g      x       x           x                    places in the first m cells
 *
 *      cell = { XOR of the hashes in it, XOR of their 32-bit checks }
 *
 * The XOR of two sets' cells is the sketch of their symmetric difference: what both have cancels.
 * A cell in which one hash is left shows it (its check fits); taken out of its other cells it lays
 * open more. The first 1.35 d .. 1.8 d cells are enough for a difference of d (the fewer d, the more
 * each), whatever the sizes of the sets, and any prefix of the row is a sketch: if it does not
 * decode, ask for the next cells.
 *
 * The paper's cells have counters as well. Ours have none: which side a hash belongs to, the decoder
 * finds by looking for it in its own set. That leaves 12 bytes a cell on the wire. */
#ifndef NINHO_SETS_SKETCH_H
#define NINHO_SETS_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#define NS_CELL_BYTES 12
/* Places of the walk are computed in 64 bits: 2 i + 3 must stay below 2^32. */
#define NS_CELLS_LIMIT (UINT32_C(1) << 30)

struct ns_cell {
    uint64_t sum;
    uint32_t check;
    uint32_t is_waiting; /* the decoder's */
};

/* XORs n hashes into cells from .. to - 1 of the row, which lie at cells[0 ..]. */
void ns_cells_add(struct ns_cell *cells, uint32_t from, uint32_t to,
                  const uint64_t *hashes, size_t n);

void ns_cell_write(uint8_t at[NS_CELL_BYTES], const struct ns_cell *cell);
/* XORs a cell in its wire form into *cell. */
void ns_cell_read_into(struct ns_cell *cell, const uint8_t at[NS_CELL_BYTES]);

/* Decodes the first m cells of a difference, which it destroys. *n_found hashes come to
 * found[0 .. m), as far as it got; `stack` has room for m numbers. True if nothing is left: then
 * these are all (if every check told the truth; the caller verifies by other means). It always
 * ends, whatever the cells hold. */
bool ns_cells_decode(struct ns_cell *cells, uint32_t m, uint64_t *found, uint32_t *stack,
                     size_t *n_found);

/* How many cells decode a difference of d, all but about one time in 100. */
uint32_t ns_cells_needed(double d);

/* The difference that m cells of it (not decoded) show, from the share that is empty. Its
 * standard deviation is about 1.6/sqrt(m) of it, for m near what is needed. */
double ns_cells_estimate(const struct ns_cell *cells, uint32_t m);

#endif
