/* SPDX-License-Identifier: MIT */
/* See sketch.h. */
#include "sketch.h"

#include <math.h>

#include "apps/base/base.h"
#include "apps/base/reader.h"
#include "numbers.h"

/* ---- The walk of a hash ------------------------------------------------------------ */

struct walk {
    uint64_t state;
    uint32_t place;
};

static inline struct walk walk_start(uint64_t hash)
{
    return (struct walk){.state = hash};
}

/* From place i the next one is beyond j with probability
 *
 *      (1 - 1/(1 + (i+1)/2)) ... (1 - 1/(1 + j/2)) = (i+1)(i+2) / ((j+1)(j+2))
 *                                                  ~ ((i+1.5)/(j+1.5))^2
 *
 * so the next place is (i + 1.5)/x - 1.5, rounded up, where x^2 is even in (0, 1]. The larger of
 * two even numbers is such an x: no root to take, and whole numbers, the same on every machine.
 * Stops at `limit`. */
static inline void walk_step(struct walk *walk, uint32_t limit)
{
    const uint64_t random = ninho_mix64(walk->state += UINT64_C(0x9e3779b97f4a7c15));
    const uint32_t a = (uint32_t)random;
    const uint32_t b = (uint32_t)(random >> 32);
    const uint64_t x = (uint64_t)(a > b ? a : b) + 1; /* / 2^32 */
    const uint64_t from = 2 * (uint64_t)walk->place + 3;
    /* from/(2x) - 1.5 rounded up, which is rounded down and one more */
    const uint64_t next = ((from << 32) / x - 1) / 2;

    if (next >= limit)
        walk->place = limit;
    else
        walk->place = next > walk->place ? (uint32_t)next : walk->place + 1;
}

static inline uint32_t check_of(uint64_t hash)
{
    return (uint32_t)(ninho_mix64(hash ^ UINT64_C(0xa0761d6478bd642f)) >> 32);
}

/* ---- Cells ------------------------------------------------------------------------- */

void ns_cells_add(struct ns_cell *cells, uint32_t from, uint32_t to,
                  const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t check = check_of(hashes[i]);
        struct walk walk = walk_start(hashes[i]);

        while (walk.place < from)
            walk_step(&walk, to);
        while (walk.place < to) {
            cells[walk.place - from].sum ^= hashes[i];
            cells[walk.place - from].check ^= check;
            walk_step(&walk, to);
        }
    }
}

void ns_cell_write(uint8_t at[NS_CELL_BYTES], const struct ns_cell *cell)
{
    na_store(at, cell->sum, 8);
    na_store(at + 8, cell->check, 4);
}

void ns_cell_read_into(struct ns_cell *cell, const uint8_t at[NS_CELL_BYTES])
{
    cell->sum ^= na_load(at, 8);
    cell->check ^= (uint32_t)na_load(at + 8, 4);
}

static inline bool is_pure(const struct ns_cell *cell)
{
    return (cell->sum || cell->check) && cell->check == check_of(cell->sum);
}

bool ns_cells_decode(struct ns_cell *cells, uint32_t m, uint64_t *found, uint32_t *stack,
                     size_t *n_found)
{
    uint32_t n_waiting = 0;
    size_t n = 0;

    /* A cell is on the stack once at most, so m places are enough for it. */
    for (uint32_t i = m; i-- > 0;) {
        cells[i].is_waiting = is_pure(&cells[i]);
        if (cells[i].is_waiting)
            stack[n_waiting++] = i;
    }
    while (n_waiting > 0 && n < m) {
        struct ns_cell *cell = &cells[stack[--n_waiting]];
        cell->is_waiting = 0;
        if (!is_pure(cell))
            continue;
        const uint64_t hash = cell->sum;
        const uint32_t check = cell->check;
        found[n++] = hash;
        for (struct walk walk = walk_start(hash); walk.place < m; walk_step(&walk, m)) {
            struct ns_cell *other = &cells[walk.place];
            other->sum ^= hash;
            other->check ^= check;
            if (!other->is_waiting && is_pure(other)) {
                other->is_waiting = 1;
                stack[n_waiting++] = walk.place;
            }
        }
    }
    *n_found = n;
    for (uint32_t i = 0; i < m; i++)
        if (cells[i].sum || cells[i].check)
            return false;
    return true;
}

/* ---- How many ---------------------------------------------------------------------- */

uint32_t ns_cells_needed(double d)
{
    /* Fitted to the 99th percentile of simulations, d = 1 .. 100,000 (tests/apps/sets). */
    const double cells = 1.355 * d + 3 * sqrt(d) + 12;

    return cells < NS_CELLS_LIMIT ? (uint32_t)cells : NS_CELLS_LIMIT;
}

/* Expected number of empty ones among m cells of a difference of d: cell i is empty with
 * probability (i/(i + 2))^d, about exp(-2 d/(i + 1)). Long rows are sampled. */
static double empty_expected(double d, uint32_t m)
{
    const double step = m > 1024 ? m / 1024.0 : 1;
    double sum = 0;

    for (double i = (step - 1) / 2; i < m; i += step)
        sum += exp(-2 * d / (i + 1));
    return sum * step;
}

double ns_cells_estimate(const struct ns_cell *cells, uint32_t m)
{
    double n_empty = 0.5; /* not even one empty cell is a finite difference, too */
    double low = 0;
    double high = 64.0 * m;

    for (uint32_t i = 0; i < m; i++)
        n_empty += !(cells[i].sum || cells[i].check);
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (empty_expected(middle, m) > n_empty)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
