/* SPDX-License-Identifier: MIT */
#include "base.h"

#include <stdlib.h>
#include <string.h>

void na_error_copy(ninho_error *to, const ninho_error *from)
{
    if (!to)
        return;
    if (!to->size_of_struct) /* zeroed, not begun with NINHO_ERROR_INIT: that will do */
        to->size_of_struct = sizeof *to;
    (void)na_struct_out(to, from, sizeof *from);
}

bool na_struct_in(void *mine, size_t size, const void *theirs)
{
    size_t their_size;

    if (!theirs)
        return true;
    memcpy(&their_size, theirs, sizeof their_size);
    if (their_size < sizeof their_size)
        return false;
    for (size_t i = size; i < their_size; i++)
        if (((const uint8_t *)theirs)[i] != 0)
            return false;
    memcpy(mine, theirs, their_size < size ? their_size : size);
    memcpy(mine, &size, sizeof size);
    return true;
}

ninho_status na_struct_out(void *theirs, const void *mine, size_t size)
{
    size_t their_size;

    memcpy(&their_size, theirs, sizeof their_size);
    if (their_size < sizeof their_size)
        return NINHO_ERR_ARG;
    memcpy(theirs, mine, their_size < size ? their_size : size);
    memcpy(theirs, &their_size, sizeof their_size);
    return NINHO_OK;
}

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

ninho_alloc na_allocator(const ninho_alloc *alloc)
{
    return alloc ? *alloc : (ninho_alloc){.alloc = default_alloc, .free = default_free};
}

/* What is allocated for an array: never 0 bytes, so that NULL means failure alone. */
static size_t array_size(size_t n, size_t item_size)
{
    return n ? n * item_size : item_size;
}

void *na_alloc(const ninho_alloc *alloc, size_t n, size_t item_size)
{
    if (n > (size_t)PTRDIFF_MAX / item_size)
        return NULL;
    return alloc->alloc(alloc->context, array_size(n, item_size));
}

void *na_alloc_zeroed(const ninho_alloc *alloc, size_t n, size_t item_size)
{
    void *memory = na_alloc(alloc, n, item_size);

    if (memory)
        memset(memory, 0, array_size(n, item_size));
    return memory;
}

void na_free(const ninho_alloc *alloc, void *memory, size_t n, size_t item_size)
{
    if (memory)
        alloc->free(alloc->context, memory, array_size(n, item_size));
}

/* Twice the room, at least `least` items and at most `most`. */
static bool grow(const ninho_alloc *alloc, void *array, size_t n, size_t *room,
                 size_t item_size, size_t more, size_t least, size_t most)
{
    void *items;

    if (*room - n >= more)
        return true;
    if (n > most || more > most - n)
        return false;
    size_t wanted = *room < most / 2 ? 2 * *room : most;
    if (wanted < n + more)
        wanted = n + more;
    if (wanted < least)
        wanted = least < most ? least : most;
    void *larger = na_alloc(alloc, wanted, item_size);
    if (!larger)
        return false;
    memcpy(&items, array, sizeof items); /* the pointer's own type is not known here */
    if (n)
        memcpy(larger, items, n * item_size);
    na_free(alloc, items, *room, item_size);
    memcpy(array, &larger, sizeof larger);
    *room = wanted;
    return true;
}

bool na_grow(const ninho_alloc *alloc, void *array, size_t n, size_t *room,
             size_t item_size, size_t more)
{
    return grow(alloc, array, n, room, item_size, more, 16,
                (size_t)PTRDIFF_MAX / item_size);
}

ninho_status na_array_reserve(const ninho_alloc *alloc, struct na_array *array,
                              size_t item_size, size_t more)
{
    return na_grow(alloc, &array->items, array->n, &array->room, item_size, more)
               ? NINHO_OK
               : NINHO_ERR_NOMEM;
}

void na_array_free(const ninho_alloc *alloc, struct na_array *array, size_t item_size)
{
    na_free(alloc, array->items, array->room, item_size);
    *array = (struct na_array){0};
}

bool na_bytes_reserve_within(const ninho_alloc *alloc, struct na_bytes *bytes,
                             size_t more, uint64_t most)
{
    return grow(alloc, &bytes->data, bytes->size, &bytes->room, 1, more, 256,
                most < (uint64_t)PTRDIFF_MAX ? (size_t)most : (size_t)PTRDIFF_MAX);
}

bool na_bytes_reserve(const ninho_alloc *alloc, struct na_bytes *bytes, size_t more)
{
    return na_bytes_reserve_within(alloc, bytes, more, UINT64_MAX);
}

bool na_bytes_append(const ninho_alloc *alloc, struct na_bytes *bytes, const void *data,
                     size_t size)
{
    if (!na_bytes_reserve(alloc, bytes, size))
        return false;
    if (size)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

void na_bytes_free(const ninho_alloc *alloc, struct na_bytes *bytes)
{
    na_free(alloc, bytes->data, bytes->room, 1);
    *bytes = (struct na_bytes){0};
}
