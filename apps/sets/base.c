/* SPDX-License-Identifier: MIT */
/* See base.h. */
#include "base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ns_say(ninho_error *error, ninho_status status, const char *format, ...)
{
    va_list arguments;

    if (!error)
        return;
    error->status = status;
    error->system_errno = 0;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
}

/* ---- Memory ------------------------------------------------------------------------ */

static void *default_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void default_free(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

ninho_alloc ns_allocator(const ninho_alloc *alloc)
{
    if (alloc)
        return *alloc;
    return (ninho_alloc){.alloc = default_alloc, .free = default_free};
}

/* What is allocated for an array: never 0 bytes, so that NULL means failure alone. */
static size_t array_size(size_t n, size_t item_size)
{
    return n ? n * item_size : item_size;
}

void *ns_alloc(const ninho_alloc *alloc, size_t n, size_t item_size)
{
    if (n > (size_t)PTRDIFF_MAX / item_size)
        return NULL;
    return alloc->alloc(alloc->context, array_size(n, item_size));
}

void *ns_alloc_zeroed(const ninho_alloc *alloc, size_t n, size_t item_size)
{
    void *memory = ns_alloc(alloc, n, item_size);

    if (memory)
        memset(memory, 0, array_size(n, item_size));
    return memory;
}

void ns_free(const ninho_alloc *alloc, void *memory, size_t n, size_t item_size)
{
    if (memory)
        alloc->free(alloc->context, memory, array_size(n, item_size));
}

bool ns_bytes_reserve_within(const ninho_alloc *alloc, struct ns_bytes *bytes,
                             size_t more, uint64_t most)
{
    if (bytes->room - bytes->size >= more)
        return true;
    if (most > (uint64_t)PTRDIFF_MAX)
        most = (uint64_t)PTRDIFF_MAX;
    if (most < bytes->size || more > most - bytes->size)
        return false;
    uint64_t room = 2 * (uint64_t)bytes->room;
    if (room < bytes->size + more)
        room = bytes->size + more;
    if (room < 256)
        room = 256;
    if (room > most)
        room = most;
    uint8_t *data = ns_alloc(alloc, (size_t)room, 1);
    if (!data)
        return false;
    if (bytes->size)
        memcpy(data, bytes->data, bytes->size);
    ns_free(alloc, bytes->data, bytes->room, 1);
    bytes->data = data;
    bytes->room = (size_t)room;
    return true;
}

bool ns_bytes_reserve(const ninho_alloc *alloc, struct ns_bytes *bytes, size_t more)
{
    return ns_bytes_reserve_within(alloc, bytes, more, UINT64_MAX);
}

bool ns_bytes_append(const ninho_alloc *alloc, struct ns_bytes *bytes, const void *data,
                     size_t size)
{
    if (!ns_bytes_reserve(alloc, bytes, size))
        return false;
    if (size)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

void ns_bytes_free(const ninho_alloc *alloc, struct ns_bytes *bytes)
{
    ns_free(alloc, bytes->data, bytes->room, 1);
    *bytes = (struct ns_bytes){0};
}

/* ---- Bitmaps ----------------------------------------------------------------------- */

size_t ns_bitmap_count(const uint64_t *bits, size_t n_bits)
{
    size_t n = 0;

    for (size_t i = 0; i < n_bits; i += 64) {
        uint64_t word = bits[i / 64];
        if (n_bits - i < 64)
            word &= (UINT64_C(1) << (n_bits - i)) - 1;
        for (; word; word &= word - 1)
            n++;
    }
    return n;
}

size_t ns_bitmap_next(const uint64_t *bits, size_t n_bits, size_t from)
{
    while (from < n_bits) {
        const uint64_t word = bits[from / 64] >> (from % 64);
        if (word & 1)
            return from;
        if (!word) {
            from = (from / 64 + 1) * 64;
            continue;
        }
        from++;
    }
    return n_bits;
}

void ns_bitmap_invert(uint64_t *bits, size_t n_bits)
{
    for (size_t i = 0; i < n_bits; i += 64) {
        bits[i / 64] = ~bits[i / 64];
        if (n_bits - i < 64)
            bits[i / 64] &= (UINT64_C(1) << (n_bits - i)) - 1;
    }
}

/* ---- Numbers ----------------------------------------------------------------------- */

size_t ns_varint_write(uint8_t at[NS_VARINT_MAX], uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        at[n++] = (uint8_t)(value | 0x80);
    at[n++] = (uint8_t)value;
    return n;
}

uint64_t ns_read(struct ns_reader *reader, unsigned n_bytes)
{
    const uint8_t *bytes = ns_read_bytes(reader, n_bytes);

    return bytes ? ns_load(bytes, n_bytes) : 0;
}

uint64_t ns_read_varint(struct ns_reader *reader)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *byte = ns_read_bytes(reader, 1);
        if (!byte)
            return 0;
        if (shift == 63 && *byte > 1) /* more than 64 bits */
            break;
        value |= (uint64_t)(*byte & 0x7f) << shift;
        if (!(*byte & 0x80))
            return value;
    }
    reader->is_bad = true;
    return 0;
}

const uint8_t *ns_read_bytes(struct ns_reader *reader, size_t n)
{
    const uint8_t *bytes = reader->at;

    if (reader->is_bad || (size_t)(reader->end - reader->at) < n) {
        reader->is_bad = true;
        return NULL;
    }
    reader->at += n;
    return bytes;
}

static void sift_down(uint64_t *values, size_t root, size_t n)
{
    const uint64_t value = values[root];

    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && values[child + 1] > values[child])
            child++;
        if (values[child] <= value)
            break;
        values[root] = values[child];
    }
    values[root] = value;
}

/* Heapsort: libc's qsort may be quadratic, or allocate behind the caller's back. */
void ns_sort(uint64_t *values, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift_down(values, i, n);
    for (size_t end = n; end > 1;) {
        end--;
        const uint64_t largest = values[0];
        values[0] = values[end];
        values[end] = largest;
        sift_down(values, 0, end);
    }
}

size_t ns_sorted_place(const uint64_t *values, size_t n, uint64_t value)
{
    size_t low = 0;

    for (size_t high = n; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool ns_sorted_find(const uint64_t *values, size_t n, uint64_t value, size_t *index)
{
    const size_t place = ns_sorted_place(values, n, value);

    if (place == n || values[place] != value)
        return false;
    if (index)
        *index = place;
    return true;
}
