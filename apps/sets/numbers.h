/* SPDX-License-Identifier: MIT */
/* Bitmaps, sums of 128 bits, sorted arrays of hashes. */
#ifndef NINHO_SETS_NUMBERS_H
#define NINHO_SETS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Bitmaps ----------------------------------------------------------------------- */

static inline size_t ns_bitmap_words(size_t n_bits)
{
    return n_bits / 64 + 1;
}

static inline bool ns_bit(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static inline void ns_bit_set(uint64_t *bits, size_t i)
{
    bits[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void ns_bit_clear(uint64_t *bits, size_t i)
{
    bits[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* How many of the first n bits are set. */
size_t ns_bitmap_count(const uint64_t *bits, size_t n_bits);

/* The first set bit from `from` on, n_bits if there is none. */
size_t ns_bitmap_next(const uint64_t *bits, size_t n_bits, size_t from);

/* Turns the first n bits over. */
void ns_bitmap_invert(uint64_t *bits, size_t n_bits);

/* ---- Hashes ----------------------------------------------------------------------- */

/* A sum modulo 2^128. */
struct ns_sum {
    uint64_t low;
    uint64_t high;
};

static inline void ns_sum_add(struct ns_sum *sum, const struct ns_sum *more)
{
    sum->low += more->low;
    sum->high += more->high + (sum->low < more->low);
}

static inline void ns_sum_subtract(struct ns_sum *sum, const struct ns_sum *less)
{
    const bool borrows = sum->low < less->low;

    sum->low -= less->low;
    sum->high -= less->high + borrows;
}

static inline bool ns_sum_equal(const struct ns_sum *a, const struct ns_sum *b)
{
    return a->low == b->low && a->high == b->high;
}

/* The first n_bytes of a hash, 1 .. 8: its highest ones, so that sorted hashes have sorted
 * beginnings. */
static inline uint64_t ns_prefix(uint64_t hash, unsigned n_bytes)
{
    return hash >> (64 - 8 * n_bytes);
}

/* The first place in a sorted array whose value is not smaller; n if there is none. */
size_t ns_sorted_place(const uint64_t *values, size_t n, uint64_t value);

/* Whether a sorted array has the value; *index (may be NULL) is the first place of it. */
bool ns_sorted_find(const uint64_t *values, size_t n, uint64_t value, size_t *index);

#endif
