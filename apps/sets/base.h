/* SPDX-License-Identifier: MIT */
/* What the files of this folder share: memory through the caller's allocator, errors with a
 * sentence, buffers, 128-bit sums, little-endian numbers and varints. */
#ifndef NINHO_SETS_BASE_H
#define NINHO_SETS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

/* ---- Errors ------------------------------------------------------------------------ */

/* Fills *error (may be NULL). */
void ns_say(ninho_error *error, ninho_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says it and answers `status`, in sight of the compiler, which then knows that it is not 0. */
#define ns_fail(error, status, ...) (ns_say((error), (status), __VA_ARGS__), (status))

/* ---- Memory ------------------------------------------------------------------------ */

/* The allocator to use: a copy of *alloc, or malloc and free. */
ninho_alloc ns_allocator(const ninho_alloc *alloc);

/* n items of item_size bytes; NULL if there is no memory or the product does not fit. n may be
 * 0: then it is not NULL either. */
void *ns_alloc(const ninho_alloc *alloc, size_t n, size_t item_size);
void *ns_alloc_zeroed(const ninho_alloc *alloc, size_t n, size_t item_size);

/* Gives back what ns_alloc(alloc, n, item_size) gave; NULL is fine. */
void ns_free(const ninho_alloc *alloc, void *memory, size_t n, size_t item_size);

/* Bytes that grow. `data` is NULL while `room` is 0. */
struct ns_bytes {
    uint8_t *data;
    size_t size;
    size_t room;
};

/* Room for `more` further bytes; false, and nothing changed, if there is no memory. */
bool ns_bytes_reserve(const ninho_alloc *alloc, struct ns_bytes *bytes, size_t more);
/* The same for bytes that will not become more than `most`, and the room neither. */
bool ns_bytes_reserve_within(const ninho_alloc *alloc, struct ns_bytes *bytes,
                             size_t more, uint64_t most);
bool ns_bytes_append(const ninho_alloc *alloc, struct ns_bytes *bytes, const void *data,
                     size_t size);
void ns_bytes_free(const ninho_alloc *alloc, struct ns_bytes *bytes);

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

/* ---- Numbers ----------------------------------------------------------------------- */

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

/* The finaliser of splitmix64: a bijection that mixes all bits. */
static inline uint64_t ns_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline void ns_store(uint8_t *at, uint64_t value, unsigned n_bytes)
{
    for (unsigned i = 0; i < n_bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t ns_load(const uint8_t *at, unsigned n_bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n_bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* The first n_bytes of a hash, 1 .. 8: its highest ones, so that sorted hashes have sorted
 * beginnings. */
static inline uint64_t ns_prefix(uint64_t hash, unsigned n_bytes)
{
    return hash >> (64 - 8 * n_bytes);
}

/* Varints: 7 bits a byte, the lowest first, the top bit set on all but the last. */
#define NS_VARINT_MAX 10

/* Writes one and returns its length. */
size_t ns_varint_write(uint8_t at[NS_VARINT_MAX], uint64_t value);

/* Signed numbers near 0 as small unsigned ones: 0, -1, 1, -2, ... */
static inline uint64_t ns_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t ns_unzigzag(uint64_t value)
{
    const uint64_t half = value >> 1;

    return value & 1 ? -(int64_t)half - 1 : (int64_t)half;
}

/* Bytes from the peer, read without stepping past their end: the first short read marks the
 * reader bad and every later one yields 0, so one check at the end is enough. */
struct ns_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool is_bad;
};

uint64_t ns_read(struct ns_reader *reader, unsigned n_bytes);
uint64_t ns_read_varint(struct ns_reader *reader);
/* The next n bytes, NULL if they are not there. */
const uint8_t *ns_read_bytes(struct ns_reader *reader, size_t n);

/* Sorts ascending, in place, O(n log n) whatever the numbers. */
void ns_sort(uint64_t *values, size_t n);

/* The first place in a sorted array whose value is not smaller; n if there is none. */
size_t ns_sorted_place(const uint64_t *values, size_t n, uint64_t value);

/* Whether a sorted array has the value; *index (may be NULL) is the first place of it. */
bool ns_sorted_find(const uint64_t *values, size_t n, uint64_t value, size_t *index);

#endif
