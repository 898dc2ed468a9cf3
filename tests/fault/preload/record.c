/* SPDX-License-Identifier: MIT */
/* The record of what was done to files, for a program that replays it up to some point. One line
 * for each event, in the order in which they were done; INODE is a number, PATH goes to the end of
 * the line:
 *
 *     create INODE PATH     a file that was not there; without PATH: it has no name yet
 *     write INODE OFFSET N  and then N bytes and a newline
 *     truncate INODE SIZE
 *     sync INODE            of a file or of a folder
 *     link INODE PATH
 *     rename PATH/PATH      the two parted by a NUL
 *     unlink PATH
 *     map INODE             shared and writable: what is written is not seen */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.h"

#define FIRST_DESCRIPTOR 500 /* out of the way of what the program opens */

static int log_descriptor = -1;

void record_begin(const char *path)
{
    const long opened = syscall(SYS_openat, AT_FDCWD, path,
                                O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);

    if (opened < 0)
        return;
    log_descriptor = (int)syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    syscall(SYS_close, opened);
}

static bool is_file(int descriptor, struct stat *status)
{
    return syscall(SYS_newfstatat, descriptor, "", status, AT_EMPTY_PATH) == 0 &&
           (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode));
}

/* One event in one call, so that threads do not mix theirs. */
static void put(const char *line, const void *bytes, size_t size)
{
    struct iovec parts[3] = {
        {(void *)line, strlen(line)}, {(void *)bytes, size}, {"\n", 1}};

    syscall(SYS_writev, log_descriptor, parts, 3);
}

void record_open(int descriptor, const char *path, int flags, bool was_there)
{
    struct stat status;
    char line[64];
    const bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;

    if (log_descriptor < 0 || descriptor < 0 || !is_file(descriptor, &status))
        return;
    if (is_unnamed || (flags & O_CREAT && !was_there)) {
        snprintf(line, sizeof line, "create %llu ", (unsigned long long)status.st_ino);
        put(line, path, is_unnamed ? 0 : strlen(path));
    } else if (flags & O_TRUNC) {
        record_truncate(descriptor, 0);
    }
}

void record_write_at(int descriptor, const void *bytes, ssize_t n, off_t offset)
{
    struct stat status;
    char line[96];

    if (log_descriptor < 0 || n <= 0 || !is_file(descriptor, &status))
        return;
    snprintf(line, sizeof line, "write %llu %lld %lld\n",
             (unsigned long long)status.st_ino, (long long)offset, (long long)n);
    put(line, bytes, (size_t)n);
}

void record_write(int descriptor, const void *bytes, ssize_t n)
{
    if (log_descriptor < 0 || n <= 0)
        return;
    record_write_at(descriptor, bytes, n,
                    (off_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR) - n);
}

/* An event of a file that is open, with a number behind it if that is not below 0. */
static void put_of(const char *event, int descriptor, long long number)
{
    struct stat status;
    char line[96];

    if (log_descriptor < 0 || !is_file(descriptor, &status))
        return;
    snprintf(line, sizeof line, number < 0 ? "%s %llu" : "%s %llu %lld", event,
             (unsigned long long)status.st_ino, number);
    put(line, NULL, 0);
}

void record_truncate(int descriptor, off_t size)
{
    put_of("truncate", descriptor, (long long)size);
}

void record_sync(int descriptor)
{
    put_of("sync", descriptor, -1);
}

void record_map(int descriptor)
{
    put_of("map", descriptor, -1);
}

void record_link(const char *from, const char *to)
{
    struct stat status;
    char line[64];

    if (log_descriptor < 0 || syscall(SYS_newfstatat, AT_FDCWD, from, &status, 0) != 0)
        return;
    snprintf(line, sizeof line, "link %llu ", (unsigned long long)status.st_ino);
    put(line, to, strlen(to));
}

void record_rename(const char *from, const char *to)
{
    struct iovec parts[] = {{"rename ", 7},
                            {(void *)from, strlen(from) + 1},
                            {(void *)to, strlen(to)},
                            {"\n", 1}};

    if (log_descriptor >= 0)
        syscall(SYS_writev, log_descriptor, parts, 4);
}

void record_unlink(const char *path)
{
    if (log_descriptor >= 0)
        put("unlink ", path, strlen(path));
}

bool record_is_there(const char *path)
{
    struct stat status;

    return log_descriptor >= 0 &&
           syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
}
