/* SPDX-License-Identifier: MIT */
/* Numbers as bytes, and bytes from outside read without stepping past their end: the first read
 * that cannot be fulfilled marks the reader bad and every later one yields 0, so that one check
 * at the end is enough. */
#ifndef NINHO_APPS_READER_H
#define NINHO_APPS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Little-endian numbers of 1 to 8 bytes. */
static inline void na_store(uint8_t *at, uint64_t value, unsigned n_bytes)
{
    for (unsigned i = 0; i < n_bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t na_load(const uint8_t *at, unsigned n_bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n_bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Varints: 7 bits a byte, the lowest first, the top bit set on all but the last. */
#define NA_VARINT_MAX 10

/* Writes one and returns its length. */
size_t na_varint_write(uint8_t at[NA_VARINT_MAX], uint64_t value);

/* Signed numbers near 0 as small unsigned ones: 0, -1, 1, -2, ... */
static inline uint64_t na_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t na_unzigzag(uint64_t value)
{
    const uint64_t half = value >> 1;

    return value & 1 ? -(int64_t)half - 1 : (int64_t)half;
}

struct na_reader {
    const uint8_t *begin;
    const uint8_t *at; /* the end, once the reader is bad */
    const uint8_t *end;
    size_t bad_at; /* how far it was */
    bool is_bad;
};

struct na_reader na_reader_of(const void *bytes, size_t size);

static inline size_t na_reader_left(const struct na_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

uint64_t na_read(struct na_reader *reader, unsigned n_bytes);
uint64_t na_read_varint(struct na_reader *reader);
/* The next n bytes, NULL if they are not there. */
const uint8_t *na_read_bytes(struct na_reader *reader, uint64_t n);

/* Marks the reader bad, for the caller's own reasons. */
void na_read_fail(struct na_reader *reader);

#endif
