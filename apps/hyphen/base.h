/* SPDX-License-Identifier: MIT */
/* What the files of this folder share: memory through the caller's allocator, errors with a
 * sentence, whole files. */
#ifndef NINHO_HYPHEN_BASE_H
#define NINHO_HYPHEN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

/* ---- Errors ------------------------------------------------------------------------ */

/* Fills *error (may be NULL). */
void hy_say(ninho_error *error, ninho_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a call of the system that failed: "cannot WHAT: No such file or directory". */
void hy_say_system(ninho_error *error, const char *what, int number);

/* Says it and answers `status`, in sight of the compiler, which then knows that it is not 0. */
#define hy_fail(error, status, ...) (hy_say((error), (status), __VA_ARGS__), (status))

static inline ninho_status hy_fail_system(ninho_error *error, const char *what,
                                          int number)
{
    hy_say_system(error, what, number);
    return NINHO_ERR_IO;
}

static inline ninho_status hy_no_memory(ninho_error *error)
{
    return hy_fail(error, NINHO_ERR_NOMEM, "not enough memory");
}

/* A file's name for a message: one that is long loses its beginning, "...", so that the line and
 * what is wrong have room behind it. The name itself, or `room`. */
#define HY_NAME_ROOM 100
const char *hy_name_shown(const char *name, char room[HY_NAME_ROOM]);

/* Copies an options struct of the caller's over `mine`, which holds the defaults and is `size`
 * bytes: what an older program does not know stays as it is; false if a newer one set something
 * that we do not know, or if the size is 0. `theirs` may be NULL. */
bool hy_take_options(void *mine, size_t size, const void *theirs);

/* ---- Memory ------------------------------------------------------------------------ */

/* The allocator to use: a copy of *alloc, or malloc and free. */
ninho_alloc hy_allocator(const ninho_alloc *alloc);
void *hy_alloc(const ninho_alloc *alloc, size_t size);
void hy_free(const ninho_alloc *alloc, void *memory, size_t size);

/* An array that grows. `items` is NULL while `capacity` is 0. */
struct hy_array {
    void *items;
    size_t n;
    size_t capacity;
};

/* Room for `more` further items of `item_size` bytes. NINHO_ERR_NOMEM: as before. */
ninho_status hy_array_reserve(const ninho_alloc *alloc, struct hy_array *array,
                              size_t item_size, size_t more);
void hy_array_free(const ninho_alloc *alloc, struct hy_array *array, size_t item_size);

/* ---- Files ------------------------------------------------------------------------- */

struct hy_bytes {
    uint8_t *data;
    size_t size;
    size_t room; /* what was allocated, at least 1 */
};

/* Reads a regular file of at most `limit` bytes. NINHO_ERR_IO, NINHO_ERR_FORMAT (not a regular
 * file, or larger), NINHO_ERR_NOMEM. */
ninho_status hy_file_read(const ninho_alloc *alloc, const char *path, size_t limit,
                          struct hy_bytes *out, ninho_error *error);
void hy_bytes_free(const ninho_alloc *alloc, struct hy_bytes *bytes);

/* Replaces a file, or makes it, as <ninho/file.h> says. */
ninho_status hy_file_save(const char *path, const void *bytes, size_t size,
                          ninho_error *error);

#endif
