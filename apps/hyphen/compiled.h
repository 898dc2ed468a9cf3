/* SPDX-License-Identifier: MIT */
/* A compiled language: its bytes, which are the same in memory and in the file.
 *
 * The automaton is Aho and Corasick's over the patterns, with the edge of a word as one more
 * letter. One step is one letter: from a state (a cell) and a symbol to the next cell, which also
 * tells which levels that step gives to the places behind it.
 *
 *   symbol   0 the edge of a word, 1 a letter that no pattern has, 2.. the letters in order
 *
 *   cell     63        42 41       25 24      10 9       0
 *            +-----------+-----------+----------+---------+
 *            |   base    |    row    |  output  | symbol  |
 *            +-----------+-----------+----------+---------+
 *
 *   next(cell, symbol) = sparse[base + symbol]   if the symbol in that cell is ours,
 *                        dense[row + symbol]     otherwise
 *
 * States near the root (those of at most `depth` letters, 0 to 2, whichever comes out smallest)
 * have whole rows in `dense`. A deeper one writes down only where it differs from its longest
 * ending that has such a row, and these few cells are laid into the gaps between each other
 * (base is another for each state, so a cell's symbol tells whose it is). So a step never walks
 * back along failure links: it reads two cells, neither of which waits for the other, and keeps
 * one. Hungarian takes 4 MB so, where whole rows would take 13. States without children need no row: a cell that leads to one names the row
 * of its longest ending with children.
 *
 * Where whole rows for all states take at most 2^17 cells, as for English, they are all dense after
 * all, in cells of half the size, and a step reads one cell instead of two. n_sparse is 0 then.
 *
 *   flat cell     31      17 16          0
 *                 +---------+------------+
 *                 | output  |    row     |         next(cell, symbol) = dense[row + symbol]
 *                 +---------+------------+
 *
 *   output   low, 63 bits: bits 9k .. 9k + 8 tell the level of the place k letters back, for k from
 *            0 to 6, as that many ones: level 3 is 000000111. So the higher of two levels is
 *            their bitwise or, for all seven places at once.
 *            Bit 63: there is a tail, tail_n levels from tail_at on in `tail`, a byte each. Of a
 *            pattern: the places 7, 8, ... letters back. Of an exception (is_exception 1), which
 *            can only come with the last step of a word: all places from the first letter back
 *            from the end on, the place before the last edge first.
 *
 * The file, little-endian, every part beginning on a multiple of 8:
 *
 *     0  8  magic "NINHOHY" and a NUL        64  4  left           96  4  n_dense, in cells
 *     8  4  version, 1                       68  4  right         100  4  n_sparse
 *    12  4  size of this header, 128         72  4  max_letters   104  4  n_outputs
 *    16  8  size of the file                 76  4  n_patterns    108  4  n_tail
 *    24  8  XXH3-64, seed 0, of the bytes    80  4  n_exceptions  112  8  root, a cell
 *           from 32 to the end               84  4  n_letters     120  8  0
 *    32 32  name, NUL-padded                 88  4  n_states
 *                                            92  4  n_symbols = n_letters + 2
 *   128  n_letters   x 4   code points of the letters, ascending; zeros to a multiple of 8
 *        n_dense     x 8   dense cells, or x 4 flat ones; zeros to a multiple of 8
 *        n_sparse    x 8   sparse cells; at least n_symbols, or none
 *        n_outputs   x 16  low (8), tail_at (4), tail_n (2), is_exception (2)
 *        n_tail      x 1   levels; zeros to a multiple of 8
 *
 * Opening checks the checksum and every cell and output against the sizes, so that no step can
 * leave the arrays whatever the file holds. */
#ifndef NINHO_HYPHEN_COMPILED_H
#define NINHO_HYPHEN_COMPILED_H

#include "apps/base/base.h"
#include "hyphen.h"
#include "rules.h"

#define HY_HEADER_SIZE  128
#define HY_VERSION      1
#define HY_EDGE         0u /* symbols */
#define HY_OTHER        1u
#define HY_FIRST_LETTER 2u
#define HY_MAX_SYMBOLS  1023u /* so that 1023 is the symbol of nobody */
#define HY_NO_SYMBOL    1023u
#define HY_MAX_DENSE    (UINT32_C(1) << 17) /* cells */
#define HY_MAX_SPARSE   (UINT32_C(1) << 22)
#define HY_MAX_OUTPUTS  (UINT32_C(1) << 15)
#define HY_MAX_SIZE     ((size_t)1 << 27)

#define HY_FLAT_SHIFT   17
#define HY_OUTPUT_SHIFT 10
#define HY_ROW_SHIFT    25
#define HY_BASE_SHIFT   42

static inline uint64_t hy_cell(uint32_t base, uint32_t row, uint32_t symbol,
                               uint32_t output)
{
    return (uint64_t)base << HY_BASE_SHIFT | (uint64_t)row << HY_ROW_SHIFT |
           (uint64_t)output << HY_OUTPUT_SHIFT | symbol;
}
static inline uint32_t hy_cell_base(uint64_t cell)
{
    return (uint32_t)(cell >> HY_BASE_SHIFT);
}
static inline uint32_t hy_cell_row(uint64_t cell)
{
    return (uint32_t)(cell >> HY_ROW_SHIFT) & (HY_MAX_DENSE - 1);
}
static inline uint32_t hy_cell_symbol(uint64_t cell)
{
    return (uint32_t)cell & 0x3FF;
}
static inline uint32_t hy_cell_output(uint64_t cell)
{
    return (uint32_t)(cell >> HY_OUTPUT_SHIFT) & (HY_MAX_OUTPUTS - 1);
}

#define HY_LEVEL_BITS 9
#define HY_LOW_PLACES 7u
#define HY_HAS_TAIL   (UINT64_C(1) << 63)

static inline uint32_t hy_flat_cell(uint32_t row, uint32_t output)
{
    return output << HY_FLAT_SHIFT | row;
}

struct hy_output {
    uint64_t low;
    uint32_t tail_at;
    uint16_t tail_n;
    uint16_t is_exception;
};

/* A level, 0 .. 9, as ones. */
static inline uint16_t hy_ones(uint32_t level)
{
    return (uint16_t)((1u << level) - 1);
}

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
#define HY_WIDE       0xFFFEu /* a byte that is not the whole sign */
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
    const uint32_t *flat; /* NULL: dense and sparse; otherwise these are */
    const uint64_t *dense;
    const uint64_t *sparse;
    const struct hy_output *outputs;
    const uint8_t *tail;
    uint64_t start; /* the root after an edge */
    /* Signs to symbols: for ASCII at once; for the rest of the first 65,536 by way of pages, of
     * which there are those that hold a letter of the alphabet, in either case. */
    uint16_t ascii[256];         /* bytes; HY_WIDE from 128 on */
    uint8_t page_of[HY_N_PAGES]; /* 0: no page */
    uint16_t (*pages)[1 << HY_PAGE_BITS];
    size_t n_pages;
};

static inline uint32_t hy_state_output(uint64_t state, bool is_flat)
{
    return is_flat ? (uint32_t)state >> HY_FLAT_SHIFT : hy_cell_output(state);
}

/* One step. is_flat is known where this is called, so that only one side of it is left. */
static inline uint64_t hy_step(const ninho_hyphen_language *language, bool is_flat,
                               uint64_t state, uint32_t symbol)
{
    if (is_flat)
        return language->flat[(state & (HY_MAX_DENSE - 1)) + symbol];
    const uint64_t own = language->sparse[(state >> HY_BASE_SHIFT) + symbol];
    const uint64_t shared =
        language->dense[(state >> HY_ROW_SHIFT & (HY_MAX_DENSE - 1)) + symbol];
    return hy_cell_symbol(own) == symbol ? own : shared;
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
