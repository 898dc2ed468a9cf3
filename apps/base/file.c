/* SPDX-License-Identifier: MIT */
/* Whole files. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

/* Reads until `size` bytes are there. 0 or an errno: EIO if the file ends sooner. */
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

static ninho_status read_open(const ninho_alloc *alloc, int fd, size_t limit,
                              struct na_bytes *bytes, ninho_error *error)
{
    struct stat about;

    if (fstat(fd, &about) != 0)
        return na_fail_errno(error, errno, "cannot read it");
    if (!S_ISREG(about.st_mode))
        return na_fail(error, NINHO_ERR_FORMAT, "not a regular file");
    if ((uintmax_t)about.st_size > limit)
        return na_fail(error, NINHO_ERR_FORMAT, "larger than %zu bytes", limit);
    bytes->size = (size_t)about.st_size;
    bytes->room = bytes->size ? bytes->size : 1;
    bytes->data = na_alloc(alloc, bytes->room, 1);
    if (!bytes->data)
        return na_no_memory(error);
    const int failure = read_all(fd, bytes->data, bytes->size);
    return failure ? na_fail_errno(error, failure, "cannot read it") : NINHO_OK;
}

ninho_status na_file_read(const ninho_alloc *alloc, const char *path, size_t limit,
                          struct na_bytes *out, ninho_error *error)
{
    struct na_bytes bytes = {0};

    /* Not blocking: a pipe without a writer must not hold us here. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return na_fail_errno(error, errno, "cannot open it");
    const ninho_status status = read_open(alloc, fd, limit, &bytes, error);
    if (status)
        na_bytes_free(alloc, &bytes);
    else
        *out = bytes;
    close(fd);
    return status;
}
