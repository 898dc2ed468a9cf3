/* SPDX-License-Identifier: MIT */
/* A compiled language: its bytes, which are the same in memory and in the file.
 *
 * The automaton is Aho and Corasick's over the patterns, with the edge of a word as one more
 * letter. One step is one letter: from a state (a cell) and a symbol to the next cell, which also
 * tells which levels that step gives to the places behind it.
 *
 *   symbol   0 the edge of a word, 1 a letter that no pattern has, 2.. the letters in order
 *
 *   cell     63        40 39    28 27    18 17       0
 *            +-----------+--------+--------+----------+
 *            |   base    |  row   | symbol |  output  |
 *            +-----------+--------+--------+----------+
 *
 *   next(cell, symbol) = sparse[base + symbol]          if the symbol in that cell is ours,
 *                        dense[row * n_symbols + symbol]  otherwise
 *
 * States near the root (those of at most `depth` letters, 0 to 2, whichever comes out smallest)
 * have whole rows in `dense`. A deeper one writes down only where it differs from its longest
 * ending that has such a row, and these few cells are laid into the gaps between each other
 * (base is another for each state, so a cell's symbol tells whose it is). So a step never walks
 * back along failure links: it reads two cells, neither of which waits for the other, and keeps
 * one. English takes 0.2 MB so, where whole rows for all take 0.45 MB, Hungarian 3 MB where they
 * would take 13. States without children need no row: a cell that leads to one names the row
 * of its longest ending with children.
 *
 *   output   low, 8 bytes: byte k is the level of the place k letters back
 *            tail_at, tail_n: levels of the places 8, 9, ... letters back, in `tail`
 *
 * The file, little-endian, every part beginning on a multiple of 8:
 *
 *     0  8  magic "NINHOHY" and a NUL        64  4  left           96  4  n_dense
 *     8  4  version, 1                       68  4  right         100  4  n_sparse
 *    12  4  size of this header, 128         72  4  max_letters   104  4  n_outputs
 *    16  8  size of the file                 76  4  n_patterns    108  4  n_tail
 *    24  8  XXH3-64, seed 0, of the bytes    80  4  n_exceptions  112  8  root, a cell
 *           from 32 to the end               84  4  n_letters     120  8  0
 *    32 32  name, NUL-padded                 88  4  n_states
 *                                            92  4  n_symbols = n_letters + 2
 *   128  n_letters   x 4   code points of the letters, ascending; zeros to a multiple of 8
 *        n_dense x n_symbols x 8   dense cells
 *        n_sparse    x 8   sparse cells; at least n_symbols
 *        n_outputs   x 16  low (8), tail_at (4), tail_n (4)
 *        n_tail      x 1   levels; zeros to a multiple of 8
 *
 * Opening checks the checksum and every cell and output against the sizes, so that no step can
 * leave the arrays whatever the file holds. */
#ifndef NINHO_HYPHEN_COMPILED_H
#define NINHO_HYPHEN_COMPILED_H

#include "base.h"
#include "hyphen.h"
#include "rules.h"

#define HY_HEADER_SIZE  128
#define HY_VERSION      1
#define HY_EDGE         0u /* symbols */
#define HY_OTHER        1u
#define HY_FIRST_LETTER 2u
#define HY_MAX_SYMBOLS  1023u /* so that 1023 is the symbol of nobody */
#define HY_NO_SYMBOL    1023u
#define HY_MAX_DENSE    4095u
#define HY_MAX_SPARSE   (UINT32_C(1) << 24)
#define HY_MAX_OUTPUTS  (UINT32_C(1) << 18)
#define HY_MAX_SIZE     ((size_t)1 << 27)

#define HY_SYMBOL_SHIFT 18
#define HY_ROW_SHIFT    28
#define HY_BASE_SHIFT   40

static inline uint64_t hy_cell(uint32_t base, uint32_t row, uint32_t symbol,
                               uint32_t output)
{
    return (uint64_t)base << HY_BASE_SHIFT | (uint64_t)row << HY_ROW_SHIFT |
           (uint64_t)symbol << HY_SYMBOL_SHIFT | output;
}
static inline uint32_t hy_cell_base(uint64_t cell)
{
    return (uint32_t)(cell >> HY_BASE_SHIFT);
}
static inline uint32_t hy_cell_row(uint64_t cell)
{
    return (uint32_t)(cell >> HY_ROW_SHIFT) & 0xFFF;
}
static inline uint32_t hy_cell_symbol(uint64_t cell)
{
    return (uint32_t)(cell >> HY_SYMBOL_SHIFT) & 0x3FF;
}
static inline uint32_t hy_cell_output(uint64_t cell)
{
    return (uint32_t)cell & (HY_MAX_OUTPUTS - 1);
}

struct hy_output {
    uint64_t low;
    uint32_t tail_at;
    uint32_t tail_n;
};

/* The numbers of the header. */
struct hy_header {
    char name[NINHO_HYPHEN_MAX_NAME + 1];
    uint32_t left, right, max_letters;
    uint32_t n_patterns, n_exceptions, n_letters, n_states, n_symbols;
    uint32_t n_dense, n_sparse, n_outputs, n_tail;
    uint64_t root;
};

/* Where the parts lie, from the numbers. */
struct hy_layout {
    size_t letters, dense, sparse, outputs, tail, size;
};

/* What a sign is to the hyphenator. */
#define HY_NOT_LETTER 0u      /* ends a run: 0 is the edge, which nobody can write */
#define HY_FORBIDS    0xFFFFu /* "-" and the soft hyphen: no breaks in this word */

#define HY_PAGE_BITS 6
#define HY_N_PAGES   (0x10000 >> HY_PAGE_BITS)

struct ninho_hyphen_language {
    ninho_alloc alloc;
    uint8_t *bytes; /* of the file, in this machine's byte order */
    size_t size;
    bool is_mapped;
    struct hy_header header;
    const uint32_t *letters;
    const uint64_t *dense;
    const uint64_t *sparse;
    const struct hy_output *outputs;
    const uint8_t *tail;
    uint64_t start; /* the root after an edge */
    /* Signs to symbols: for ASCII at once; for the rest of the first 65,536 by way of pages, of
     * which there are those that hold a letter of the alphabet, in either case. */
    uint16_t ascii[128];
    uint8_t page_of[HY_N_PAGES]; /* 0: no page */
    uint16_t (*pages)[1 << HY_PAGE_BITS];
    size_t n_pages;
};

static inline uint64_t hy_step(const ninho_hyphen_language *language, uint64_t cell,
                               uint32_t symbol)
{
    const uint64_t sparse = language->sparse[(cell >> HY_BASE_SHIFT) + symbol];
    const uint64_t dense =
        language->dense[(size_t)hy_cell_row(cell) * language->header.n_symbols + symbol];
    return hy_cell_symbol(sparse) == symbol ? sparse : dense;
}

/* The symbol of a code point, HY_NOT_LETTER or HY_FORBIDS. */
uint32_t hy_symbol_of(const ninho_hyphen_language *language, uint32_t point);

/* Where the parts of a file with these numbers lie; false if they are out of range. */
bool hy_lay_out(const struct hy_header *header, struct hy_layout *layout);

/* A language over bytes of the file's layout in this machine's order, taken over on success.
 * NINHO_ERR_NOMEM. */
ninho_status hy_language_make(const ninho_alloc *alloc, uint8_t *bytes, size_t size,
                              const struct hy_header *header, bool is_mapped,
                              ninho_hyphen_language **out, ninho_error *error);

#endif
