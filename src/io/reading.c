/* SPDX-License-Identifier: MIT */
#ifndef _WIN32 /* where windows.c is instead */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "io/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

/* One call moves at most this much: some systems refuse more than 2^31 - 1. */
#define MOST_AT_ONCE ((size_t)1 << 30)

ninho_status nh_file_open(const char *path, struct nh_file_in *file, ninho_error *error)
{
    struct stat status;
    /* Not to hang on a pipe that nobody writes to. */
    const int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (opened < 0)
        return nh_fail_errno(error, errno, "cannot open");
    if (fstat(opened, &status) != 0) {
        const int reason = errno;
        close(opened);
        return nh_fail_errno(error, reason, "cannot open");
    }
    if (!S_ISREG(status.st_mode)) {
        close(opened);
        return nh_fail(error, NINHO_ERR_ARG, "is not a regular file");
    }
    *file = (struct nh_file_in){.descriptor = opened, .size = (uint64_t)status.st_size};
    return NINHO_OK;
}

ninho_status nh_file_read(void *context, void *bytes, size_t size, ninho_error *error)
{
    struct nh_file_in *const file = context;
    uint8_t *at = bytes;

    while (size) {
        const ssize_t n =
            pread(file->descriptor, at, size < MOST_AT_ONCE ? size : MOST_AT_ONCE,
                  (off_t)file->offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return nh_fail_errno(error, errno, "cannot read");
        if (n == 0)
            return nh_fail_at(error, NINHO_ERR_FORMAT, file->offset,
                              "truncated while it was read");
        at += n;
        size -= (size_t)n;
        file->offset += (uint64_t)n;
    }
    return NINHO_OK;
}

void nh_file_close(struct nh_file_in *file)
{
    close(file->descriptor);
}

void *nh_file_map(const struct nh_file_in *file)
{
    void *bytes = file->size > SIZE_MAX ? MAP_FAILED
                                        : mmap(NULL, (size_t)file->size, PROT_READ,
                                               MAP_SHARED, file->descriptor, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void nh_file_unmap(void *bytes, size_t size)
{
    munmap(bytes, size);
}

#else
typedef int nh_io_reading_is_for_posix; /* C wants a declaration in every file */
#endif
