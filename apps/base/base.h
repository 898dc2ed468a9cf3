/* SPDX-License-Identifier: MIT */
/* What the applications share: errors with a sentence, options that grow with versions, memory
 * through the caller's allocator. None of it is installed. */
#ifndef NINHO_APPS_BASE_H
#define NINHO_APPS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

/* ---- Errors ------------------------------------------------------------------------ */

/* Fills *error (may be NULL) and answers `status`, in sight of the compiler, which then knows
 * that it is not 0. */
#define na_fail(error, status, ...) \
    (ninho_error_set((error), (status), __VA_ARGS__), (status))

/* The same for a call of the system that failed: "WHAT: No such file or directory". */
static inline ninho_status na_fail_errno(ninho_error *error, int number, const char *what)
{
    (void)ninho_error_set_errno(error, number, what);
    return NINHO_ERR_IO;
}

static inline ninho_status na_no_memory(ninho_error *error)
{
    return na_fail(error, NINHO_ERR_NOMEM, "not enough memory");
}

/* Hands on a failure that was noted before. `to` may be NULL, or of another version's size. */
void na_error_copy(ninho_error *to, const ninho_error *from);

/* ---- Structs that carry their size ------------------------------------------------- */

/* Copies an options struct of the caller's over `mine`, which holds the defaults and is `size`
 * bytes: what an older program does not know stays as it is; false if a newer one set something
 * that we do not know, or if the size is 0. `theirs` may be NULL. */
bool na_struct_in(void *mine, size_t size, const void *theirs);

/* Copies `mine` to a struct of the caller's, as much of it as theirs has room for. NINHO_ERR_ARG
 * if it says no size. */
ninho_status na_struct_out(void *theirs, const void *mine, size_t size);

/* ---- Memory ------------------------------------------------------------------------ */

/* The allocator to use: a copy of *alloc, or malloc and free. */
ninho_alloc na_allocator(const ninho_alloc *alloc);

/* n items of item_size bytes; NULL if there is no memory or the product does not fit. n may be
 * 0: then it is not NULL either. */
void *na_alloc(const ninho_alloc *alloc, size_t n, size_t item_size);
void *na_alloc_zeroed(const ninho_alloc *alloc, size_t n, size_t item_size);

/* Gives back what na_alloc(alloc, n, item_size) gave; NULL is fine. */
void na_free(const ninho_alloc *alloc, void *memory, size_t n, size_t item_size);

/* Room for `more` further items behind the first n of an array. `array` is the address of a
 * pointer to items of any type, NULL while *room is 0; both are updated. false, and nothing
 * changed, if there is no memory. */
bool na_grow(const ninho_alloc *alloc, void *array, size_t n, size_t *room,
             size_t item_size, size_t more);

/* An array that grows. `items` is NULL while `room` is 0. */
struct na_array {
    void *items;
    size_t n;
    size_t room;
};

/* Room for `more` further items. NINHO_ERR_NOMEM: as before. */
ninho_status na_array_reserve(const ninho_alloc *alloc, struct na_array *array,
                              size_t item_size, size_t more);
void na_array_free(const ninho_alloc *alloc, struct na_array *array, size_t item_size);

/* Bytes that grow. `data` is NULL while `room` is 0. */
struct na_bytes {
    uint8_t *data;
    size_t size;
    size_t room;
};

/* Room for `more` further bytes; false, and nothing changed, if there is no memory. */
bool na_bytes_reserve(const ninho_alloc *alloc, struct na_bytes *bytes, size_t more);
/* The same for bytes that will not become more than `most`, and the room neither. */
bool na_bytes_reserve_within(const ninho_alloc *alloc, struct na_bytes *bytes,
                             size_t more, uint64_t most);
bool na_bytes_append(const ninho_alloc *alloc, struct na_bytes *bytes, const void *data,
                     size_t size);
void na_bytes_free(const ninho_alloc *alloc, struct na_bytes *bytes);

/* ---- Files ------------------------------------------------------------------------- */

/* Reads a regular file of at most `limit` bytes. NINHO_ERR_IO, NINHO_ERR_FORMAT (not a regular
 * file, or larger), NINHO_ERR_NOMEM. */
ninho_status na_file_read(const ninho_alloc *alloc, const char *path, size_t limit,
                          struct na_bytes *out, ninho_error *error);

#endif
