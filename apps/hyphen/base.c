/* SPDX-License-Identifier: MIT */
/* See base.h. */
#define _XOPEN_SOURCE 700 /* O_CLOEXEC */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Errors ------------------------------------------------------------------------ */

void hy_say(ninho_error *error, ninho_status status, const char *format, ...)
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

void hy_say_system(ninho_error *error, const char *what, int number)
{
    char reason[96];

    if (strerror_r(number, reason, sizeof reason) != 0)
        (void)snprintf(reason, sizeof reason, "system error %d", number);
    hy_say(error, NINHO_ERR_IO, "cannot %s: %s", what, reason);
    if (error)
        error->system_errno = number;
}

const char *hy_name_shown(const char *name, char room[HY_NAME_ROOM])
{
    const size_t size = strlen(name);

    if (size < HY_NAME_ROOM)
        return name;
    const char *from = name + size - (HY_NAME_ROOM - 4);
    while (((uint8_t)*from & 0xC0) == 0x80) /* not inside a sign */
        from++;
    (void)snprintf(room, HY_NAME_ROOM, "...%s", from);
    return room;
}

bool hy_take_options(void *mine, size_t size, const void *theirs)
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

ninho_alloc hy_allocator(const ninho_alloc *alloc)
{
    if (alloc)
        return *alloc;
    return (ninho_alloc){.alloc = default_alloc, .free = default_free};
}

void *hy_alloc(const ninho_alloc *alloc, size_t size)
{
    return alloc->alloc(alloc->context, size);
}

void hy_free(const ninho_alloc *alloc, void *memory, size_t size)
{
    if (memory)
        alloc->free(alloc->context, memory, size);
}

ninho_status hy_array_reserve(const ninho_alloc *alloc, struct hy_array *array,
                              size_t item_size, size_t more)
{
    if (array->capacity - array->n >= more)
        return NINHO_OK;
    const size_t most = (size_t)PTRDIFF_MAX / item_size;
    if (more > most - array->n)
        return NINHO_ERR_NOMEM;
    size_t capacity = array->capacity < most / 2 ? array->capacity * 2 : most;
    if (capacity < array->n + more)
        capacity = array->n + more;
    if (capacity < 16 && most >= 16)
        capacity = 16;
    void *items = hy_alloc(alloc, capacity * item_size);
    if (!items)
        return NINHO_ERR_NOMEM;
    if (array->n)
        memcpy(items, array->items, array->n * item_size);
    hy_free(alloc, array->items, array->capacity * item_size);
    array->items = items;
    array->capacity = capacity;
    return NINHO_OK;
}

void hy_array_free(const ninho_alloc *alloc, struct hy_array *array, size_t item_size)
{
    hy_free(alloc, array->items, array->capacity * item_size);
    *array = (struct hy_array){0};
}

/* ---- Files ------------------------------------------------------------------------- */

/* Reads until `size` bytes are there; a file that ends sooner is an error of ours to tell. */
static int read_all(int fd, uint8_t *bytes, size_t size)
{
    for (size_t have = 0; have < size;) {
        const ssize_t n = read(fd, bytes + have, size - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        have += (size_t)n;
    }
    return 0;
}

ninho_status hy_file_read(const ninho_alloc *alloc, const char *path, size_t limit,
                          struct hy_bytes *out, ninho_error *error)
{
    ninho_status status = NINHO_OK;
    struct hy_bytes bytes = {0};
    struct stat about;

    /* Not blocking: a pipe without a writer must not hold us here. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return hy_fail_system(error, "open it", errno);
    if (fstat(fd, &about) != 0) {
        status = hy_fail_system(error, "read it", errno);
        goto done;
    }
    if (!S_ISREG(about.st_mode)) {
        status = hy_fail(error, NINHO_ERR_FORMAT, "not a regular file");
        goto done;
    }
    if ((uintmax_t)about.st_size > limit) {
        status = hy_fail(error, NINHO_ERR_FORMAT, "larger than %zu bytes", limit);
        goto done;
    }
    bytes.size = (size_t)about.st_size;
    bytes.room = bytes.size ? bytes.size : 1;
    bytes.data = hy_alloc(alloc, bytes.room);
    if (!bytes.data) {
        status = hy_no_memory(error);
        goto done;
    }
    const int failure = read_all(fd, bytes.data, bytes.size);
    if (failure) {
        status = hy_fail_system(error, "read it", failure);
        goto done;
    }
    *out = bytes;
    bytes.data = NULL;
done:
    hy_bytes_free(alloc, &bytes);
    close(fd);
    return status;
}

void hy_bytes_free(const ninho_alloc *alloc, struct hy_bytes *bytes)
{
    hy_free(alloc, bytes->data, bytes->room);
    *bytes = (struct hy_bytes){0};
}

ninho_status hy_file_save(const char *path, const void *bytes, size_t size,
                          ninho_error *error)
{
    ninho_file *file;

    ninho_status status = ninho_file_begin(path, NULL, &file, error);
    if (status)
        return status;
    status = ninho_file_write(file, bytes, size, error);
    if (!status)
        return ninho_file_commit(file, error);
    ninho_file_drop(file);
    return status;
}
