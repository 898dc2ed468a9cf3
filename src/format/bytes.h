/* SPDX-License-Identifier: MIT */
/* Reading and writing bytes that come from, or go, outside: bounded, little-endian. */
#ifndef NH_FORMAT_BYTES_H
#define NH_FORMAT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first short read marks the reader bad and every later read yields 0: check once, at
 * the end. */
struct nh_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
};

static inline uint64_t nh_read_le(struct nh_reader *r, unsigned n_bytes)
{
    uint64_t value = 0;

    if (r->bad || (size_t)(r->end - r->at) < n_bytes) {
        r->bad = true;
        return 0;
    }
    for (unsigned i = 0; i < n_bytes; i++)
        value |= (uint64_t)*r->at++ << (8 * i);
    return value;
}

/* Borrows the next n bytes; NULL if they are not there. */
static inline const uint8_t *nh_read_bytes(struct nh_reader *r, size_t n)
{
    if (r->bad || (size_t)(r->end - r->at) < n) {
        r->bad = true;
        return NULL;
    }
    r->at += n;
    return r->at - n;
}

/* The writer's twin: room is the caller's promise, checked by `bad`. */
struct nh_writer {
    uint8_t *at;
    uint8_t *end;
    bool bad;
};

static inline void nh_write_le(struct nh_writer *w, unsigned n_bytes, uint64_t value)
{
    if (w->bad || (size_t)(w->end - w->at) < n_bytes) {
        w->bad = true;
        return;
    }
    for (unsigned i = 0; i < n_bytes; i++)
        *w->at++ = (uint8_t)(value >> (8 * i));
}

static inline void nh_write_bytes(struct nh_writer *w, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;

    if (w->bad || (size_t)(w->end - w->at) < n) {
        w->bad = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        *w->at++ = from[i];
}

#endif
