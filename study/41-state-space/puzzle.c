/* SPDX-License-Identifier: MIT */
#include "41-state-space/puzzle.h"

#include <assert.h>

static unsigned n_cells(const struct puzzle *puzzle)
{
    return puzzle->n_rows * puzzle->n_columns;
}

static unsigned tile_at(uint64_t board, unsigned cell)
{
    return (unsigned)(board >> (4 * cell)) & 15;
}

size_t puzzle_n_states(const struct puzzle *puzzle)
{
    size_t n = 1;

    for (unsigned i = 3; i <= n_cells(puzzle); i++)
        n *= i;
    return n;
}

uint64_t puzzle_start(const struct puzzle *puzzle)
{
    uint64_t board = 0;

    for (unsigned i = 0; i < n_cells(puzzle); i++)
        board |= (uint64_t)i << (4 * i);
    return board;
}

/* Exchanges the gap with the tile of another cell. */
static uint64_t slide(uint64_t board, unsigned gap, unsigned from)
{
    const uint64_t tile = tile_at(board, from);

    return (board & ~((uint64_t)15 << (4 * from))) | tile << (4 * gap);
}

size_t puzzle_next(const struct puzzle *puzzle, uint64_t board, uint64_t next[4])
{
    const unsigned width = puzzle->n_columns;
    unsigned gap = 0;
    size_t n = 0;

    assert(width > 0);
    while (tile_at(board, gap))
        gap++;
    if (gap >= width)
        next[n++] = slide(board, gap, gap - width);
    if (gap + width < n_cells(puzzle))
        next[n++] = slide(board, gap, gap + width);
    if (gap % width)
        next[n++] = slide(board, gap, gap - 1);
    if (gap % width + 1 < width)
        next[n++] = slide(board, gap, gap + 1);
    return n;
}

size_t puzzle_rank(const struct puzzle *puzzle, uint64_t board)
{
    const unsigned n = n_cells(puzzle);
    size_t rank = 0;

    for (unsigned i = 0; i < n; i++) {
        unsigned n_smaller = 0; /* tiles behind this one */
        for (unsigned j = i + 1; j < n; j++)
            n_smaller += tile_at(board, j) < tile_at(board, i);
        rank = rank * (n - i) + n_smaller;
    }
    return rank;
}
