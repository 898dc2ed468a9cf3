/* SPDX-License-Identifier: MIT */
/* The sliding-tile puzzle as a state space: tiles 1..n-1 and a gap on a board of n cells; a step slides a
 * neighbour into the gap. Exactly half of all n! boards can be reached from any of them.
 *
 *     | 1 2 3 |        a board is 4 bits for each cell, the first cell lowest:
 *     | 4   5 |            ... 5 0 4 3 2 1
 *     | 6 7 8 |
 */
#ifndef STUDY_41_PUZZLE_H
#define STUDY_41_PUZZLE_H

#include <stddef.h>
#include <stdint.h>

struct puzzle {
    unsigned n_rows;
    unsigned n_columns; /* at most 12 cells */
};

/* n! / 2. */
size_t puzzle_n_states(const struct puzzle *puzzle);

/* The board with the gap first and the tiles in order. */
uint64_t puzzle_start(const struct puzzle *puzzle);

/* The boards one step away; returns how many, 2 to 4. */
size_t puzzle_next(const struct puzzle *puzzle, uint64_t board, uint64_t next[4]);

/* The number of a board among all n!, by the order of its permutation. */
size_t puzzle_rank(const struct puzzle *puzzle, uint64_t board);

#endif
