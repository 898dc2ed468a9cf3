/* SPDX-License-Identifier: MIT */
/* What the files of this folder share: errors with a sentence, memory through the caller's allocator. */
#ifndef NINHO_FOREIGN_BASE_H
#define NINHO_FOREIGN_BASE_H

#include <stddef.h>

#include <ninho/ninho.h>

/* Fills *error (may be NULL). */
void nf_say(ninho_error *error, ninho_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says it and answers `status`, in sight of the compiler, which then knows that it is not 0. */
#define nf_fail(error, status, ...) (nf_say((error), (status), __VA_ARGS__), (status))

/* The allocator to use: a copy of *alloc, or malloc and free. */
ninho_alloc nf_allocator(const ninho_alloc *alloc);
void *nf_alloc(const ninho_alloc *alloc, size_t size);
void nf_free(const ninho_alloc *alloc, void *memory, size_t size);

/* An array that grows. `items` is NULL while `capacity` is 0. */
struct nf_array {
    void *items;
    size_t n;
    size_t capacity;
};

/* Room for one more item of `item_size` bytes. NINHO_ERR_NOMEM: as before. */
ninho_status nf_array_reserve(const ninho_alloc *alloc, struct nf_array *array,
                              size_t item_size);
void nf_array_free(const ninho_alloc *alloc, struct nf_array *array, size_t item_size);

#endif
