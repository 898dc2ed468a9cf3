/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE       /* O_TMPFILE */
#define _FILE_OFFSET_BITS 64
#include "format/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

/* One call moves at most this much: some systems refuse more than 2^31 - 1. */
#define MOST_AT_ONCE ((size_t)1 << 30)

/* The path that `path` leads to: a link is followed, so that the file behind it is
 * replaced and the link stays. A path that does not exist yet is itself. NULL: no memory,
 * or a bad link. */
static char *follow(const char *path)
{
    char *real = realpath(path, NULL);
    struct stat status;

    if (real || errno != ENOENT)
        return real;
    if (lstat(path, &status) == 0) { /* a link to nothing: realpath cannot say where to */
        errno = ENOENT;
        return NULL;
    }
    return strdup(path);
}

static char *folder_of(const char *path)
{
    char *folder = strdup(path);
    if (!folder)
        return NULL;
    char *slash = strrchr(folder, '/');
    if (!slash) {
        free(folder);
        return strdup(".");
    }
    slash[slash == folder ? 1 : 0] = '\0';
    return folder;
}

/* The permissions of the file that is replaced; NO_MODE when there is none yet. */
#define NO_MODE ((mode_t)-1)

static ninho_status target_mode(const char *target, mode_t *mode, ninho_error *error)
{
    struct stat status;

    *mode = NO_MODE;
    if (stat(target, &status) != 0)
        return NINHO_OK;
    if (!S_ISREG(status.st_mode))
        return nh_fail(error, NINHO_ERR_ARG,
                       "is not a regular file: it cannot be replaced");
    *mode = status.st_mode & 07777;
    return NINHO_OK;
}

/* Writes the attempt-th candidate for a new name over the last six characters. */
static void next_name(struct nh_file_out *out, unsigned attempt)
{
    char text[16];
    const unsigned number = ((unsigned)getpid() * 101U + attempt) % 1000000U;

    snprintf(text, sizeof text, "%06u", number);
    memcpy(out->temporary + strlen(out->temporary) - 6, text, 6);
}

#define MAX_ATTEMPTS 100

/* Opens the temporary: unnamed where the file system can, else under a new name. The mode
 * is 0666 less the process's mask, as for any new file. */
static int open_temporary(struct nh_file_out *out, const char *folder)
{
#ifdef O_TMPFILE
    /* Such a file gets its name through /proc in the end. */
    if (access("/proc/self/fd", X_OK) == 0) {
        out->descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
        if (out->descriptor >= 0)
            return 0;
        if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
            return -1;
    }
#else
    (void)folder;
#endif
    for (unsigned attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        next_name(out, attempt);
        out->descriptor =
            open(out->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (out->descriptor >= 0) {
            out->is_named = 1;
            return 0;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

ninho_status nh_file_begin(struct nh_file_out *out, const char *path, ninho_error *error)
{
    mode_t mode = 0;
    char *folder = NULL;
    ninho_status status = NINHO_OK;

    *out = (struct nh_file_out){.descriptor = -1};
    out->target = follow(path);
    if (!out->target)
        return errno == ENOMEM ? nh_fail(error, NINHO_ERR_NOMEM, "not enough memory")
                               : nh_fail_errno(error, errno, "cannot write");
    status = target_mode(out->target, &mode, error);
    if (status)
        goto failed;
    const size_t room = strlen(out->target) + sizeof ".XXXXXX";
    folder = folder_of(out->target);
    out->temporary = malloc(room);
    if (!folder || !out->temporary) {
        status = nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
        goto failed;
    }
    snprintf(out->temporary, room, "%s.XXXXXX", out->target);
    if (open_temporary(out, folder) != 0 ||
        (mode != NO_MODE && fchmod(out->descriptor, mode) != 0)) {
        status = nh_fail_errno(error, errno, "cannot write");
        goto failed;
    }
    free(folder);
    return NINHO_OK;
failed:
    free(folder);
    nh_file_abandon(out);
    return status;
}

ninho_status nh_file_write(struct nh_file_out *out, const void *bytes, size_t size,
                           ninho_error *error)
{
    const uint8_t *at = bytes;

    while (size) {
        const ssize_t n =
            write(out->descriptor, at, size < MOST_AT_ONCE ? size : MOST_AT_ONCE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return nh_fail_errno(error, n < 0 ? errno : ENOSPC, "cannot write");
        at += n;
        size -= (size_t)n;
    }
    return NINHO_OK;
}

/* Gives the unnamed file a name of its own in the folder: link() does not replace, so the
 * name must be new; rename() then does the replacing. */
static int name_it(struct nh_file_out *out)
{
    char descriptor_path[64];

    snprintf(descriptor_path, sizeof descriptor_path, "/proc/self/fd/%d",
             out->descriptor);
    for (unsigned attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        next_name(out, attempt);
        if (linkat(AT_FDCWD, descriptor_path, AT_FDCWD, out->temporary,
                   AT_SYMLINK_FOLLOW) == 0) {
            out->is_named = 1;
            return 0;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static int sync_folder_of(const char *path)
{
    char *folder = folder_of(path);
    if (!folder)
        return -1;
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (descriptor < 0)
        return -1;
    const int result = fsync(descriptor);
    close(descriptor);
    return result;
}

ninho_status nh_file_commit(struct nh_file_out *out, ninho_error *error)
{
    ninho_status status = NINHO_OK;

    /* The long step, the sync, comes while the file has no name: whoever is killed then
     * leaves nothing behind. */
    if (fsync(out->descriptor) != 0 || (!out->is_named && name_it(out) != 0)) {
        status = nh_fail_errno(error, errno, "cannot write");
    } else {
        const int closed = close(out->descriptor);
        out->descriptor = -1;
        if (closed != 0 || rename(out->temporary, out->target) != 0)
            status = nh_fail_errno(error, errno, "cannot write");
        else
            out->is_named = 0; /* it bears the target's name now */
    }
    /* Some file systems cannot sync a folder; the file itself is safe by now. */
    if (!status)
        (void)sync_folder_of(out->target);
    nh_file_abandon(out);
    return status;
}

void nh_file_abandon(struct nh_file_out *out)
{
    if (out->descriptor >= 0)
        close(out->descriptor);
    if (out->is_named && out->temporary)
        unlink(out->temporary);
    free(out->target);
    free(out->temporary);
    *out = (struct nh_file_out){.descriptor = -1};
}

ninho_status nh_file_open(const char *path, int *descriptor, uint64_t *size,
                          ninho_error *error)
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
    *descriptor = opened;
    *size = (uint64_t)status.st_size;
    return NINHO_OK;
}

ninho_status nh_file_read_at(int descriptor, void *bytes, size_t size, uint64_t offset,
                             ninho_error *error)
{
    uint8_t *at = bytes;

    while (size) {
        const ssize_t n = pread(descriptor, at, size < MOST_AT_ONCE ? size : MOST_AT_ONCE,
                                (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return nh_fail_errno(error, errno, "cannot read");
        if (n == 0)
            return nh_fail(error, NINHO_ERR_FORMAT, "cut short while it was read");
        at += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return NINHO_OK;
}
