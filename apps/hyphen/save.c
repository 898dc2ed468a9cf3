/* SPDX-License-Identifier: MIT */
/* See save.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/base/base.h"

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size) {
        const ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

/* The file that a path leads to, through links, from malloc: it is replaced, and the links stay. A
 * path that is not there yet is itself; a link that leads nowhere is refused. NULL: errno. */
static char *follow_links(const char *path)
{
    char *real = realpath(path, NULL);
    struct stat about;

    if (real || errno != ENOENT)
        return real;
    if (lstat(path, &about) == 0) {
        errno = ENOENT;
        return NULL;
    }
    return strdup(path);
}

static void sync_folder(const char *path, char *scratch)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;

    memcpy(scratch, path, length);
    memcpy(scratch + length, length ? "" : ".", length ? 1 : 2);
    const int fd = open(scratch, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd); /* what a folder cannot do is no reason to fail: the file is there */
        close(fd);
    }
}

/* A file beside `path` that was not there before, with the rights that the umask leaves; its
 * name in temporary[0..size). */
static int make_temporary(const char *path, char *temporary, size_t size)
{
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(temporary, size, "%s.%lx-%u", path, (unsigned long)getpid(), i);
        const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Writes the new file, whole and on the disk, and gives it the old one's name. */
static int replace_file(const char *path, char *temporary, size_t room, const void *bytes,
                        size_t size)
{
    struct stat about;
    const bool is_there = stat(path, &about) == 0;
    int failure;

    if (is_there && !S_ISREG(about.st_mode))
        return S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    const int fd = make_temporary(path, temporary, room);
    if (fd < 0)
        return errno;
    failure = write_all(fd, bytes, size);
    if (!failure && is_there && fchmod(fd, about.st_mode & 07777) != 0)
        failure = errno;
    if (!failure && fsync(fd) != 0)
        failure = errno;
    if (close(fd) != 0 && !failure)
        failure = errno;
    if (!failure && rename(temporary, path) != 0)
        failure = errno;
    if (failure)
        unlink(temporary);
    else
        sync_folder(path, temporary);
    return failure;
}

ninho_status hy_file_save(const ninho_alloc *alloc, const char *path, const void *bytes,
                          size_t size, ninho_error *error)
{
    char *target = follow_links(path);

    if (!target)
        return errno == ENOMEM ? na_no_memory(error)
                               : na_fail_errno(error, errno, "cannot write it");
    const size_t room = strlen(target) + 40;
    char *temporary = na_alloc(alloc, room, 1);
    if (!temporary) {
        free(target);
        return na_no_memory(error);
    }
    const int failure = replace_file(target, temporary, room, bytes, size);
    na_free(alloc, temporary, room, 1);
    free(target);
    return failure ? na_fail_errno(error, failure, "cannot write it") : NINHO_OK;
}
