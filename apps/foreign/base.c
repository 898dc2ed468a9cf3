/* SPDX-License-Identifier: MIT */
#include "base.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void nf_say(ninho_error *error, ninho_status status, const char *format, ...)
{
    va_list arguments;

    if (!error)
        return;
    *error = (ninho_error){.status = status};
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
}

static void *plain_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void plain_free(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

ninho_alloc nf_allocator(const ninho_alloc *alloc)
{
    return alloc ? *alloc : (ninho_alloc){.alloc = plain_alloc, .free = plain_free};
}

void *nf_alloc(const ninho_alloc *alloc, size_t size)
{
    return alloc->alloc(alloc->context, size);
}

void nf_free(const ninho_alloc *alloc, void *memory, size_t size)
{
    alloc->free(alloc->context, memory, size);
}

ninho_status nf_array_reserve(const ninho_alloc *alloc, struct nf_array *array,
                              size_t item_size)
{
    if (array->n < array->capacity)
        return NINHO_OK;
    const size_t capacity = array->capacity ? 2 * array->capacity : 16;
    if (capacity > SIZE_MAX / 2 / item_size)
        return NINHO_ERR_NOMEM;
    void *const items = nf_alloc(alloc, capacity * item_size);
    if (!items)
        return NINHO_ERR_NOMEM;
    if (array->n) {
        memcpy(items, array->items, array->n * item_size);
        nf_free(alloc, array->items, array->capacity * item_size);
    }
    array->items = items;
    array->capacity = capacity;
    return NINHO_OK;
}

void nf_array_free(const ninho_alloc *alloc, struct nf_array *array, size_t item_size)
{
    if (array->capacity)
        nf_free(alloc, array->items, array->capacity * item_size);
    *array = (struct nf_array){0};
}
