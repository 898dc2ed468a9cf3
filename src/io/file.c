/* SPDX-License-Identifier: MIT */
#ifndef _WIN32            /* where windows.c is instead */
#define _GNU_SOURCE       /* O_TMPFILE */
#define _FILE_OFFSET_BITS 64
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "base/versioned.h"
#include "io/attributes.h"

/* One call moves at most this much: some systems refuse more than 2^31 - 1. */
#define MOST_AT_ONCE ((size_t)1 << 30)
#define MAX_ATTEMPTS 10000
#define MOST_OF_NAME 200 /* bytes of the target's name that the temporary's begins with */
#define SUFFIX       ".ninho-tmp0000" /* what follows them: 0000 to 9999 */

struct ninho_file {
    int descriptor;
    char *target;    /* the path to replace, links followed */
    char *temporary; /* its name, or where it will get one */
    bool is_named;   /* whether `temporary` exists in the folder now */
    bool is_synced;
    bool is_checked;        /* whether the target must still be `expected` */
    ninho_file_id expected; /* the file to replace */
    mode_t mode;            /* of the file that is replaced; 0 if there is none */
};

/* The path that `path` leads to: a link is followed, so that the file behind it is
 * replaced and the link stays. A path that does not exist yet is itself. NULL: no memory,
 * or a bad link. */
static char *follow(const char *path)
{
    char *real = realpath(path, NULL);
    struct stat status;

    if (real || errno != ENOENT)
        return real;
    /* A link to nothing, and realpath cannot say where to; or no name at all. */
    if (lstat(path, &status) == 0 || !*path) {
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

/* The first name for a temporary. A name that is as long as names may be is cut, and not within a
 * character. */
static char *temporary_beside(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const size_t n_folder = slash ? (size_t)(slash + 1 - path) : 0;
    const size_t room = strlen(path) + sizeof SUFFIX;
    size_t n_name = strlen(path) - n_folder;
    char *temporary = malloc(room);

    if (n_name > MOST_OF_NAME)
        for (n_name = MOST_OF_NAME; ((uint8_t)path[n_folder + n_name] & 0xc0) == 0x80;)
            n_name--;
    if (temporary)
        snprintf(temporary, room, "%.*s" SUFFIX, (int)(n_folder + n_name), path);
    return temporary;
}

static bool is_temporary_name(const char *path)
{
    const size_t n = strlen(path), n_suffix = sizeof SUFFIX - 1;

    return n > n_suffix && memcmp(path + n - n_suffix, SUFFIX, n_suffix - 4) == 0 &&
           strspn(path + n - 4, "0123456789") == 4;
}

/* Writes the attempt-th name: another number at its end. */
static void set_name(ninho_file *file, unsigned attempt)
{
    char *at = file->temporary + strlen(file->temporary);

    for (int i = 0; i < 4; i++, attempt /= 10)
        *--at = (char)('0' + attempt % 10);
}

/* Whoever writes a file that has a name holds a lock on it, which the system takes back when the
 * process ends, however that is. So a file of such a name without a lock was left by somebody who was
 * killed.
 *
 *     named, locked       somebody writes it
 *     named, not locked   left behind
 *     the target's name   renamed under the lock
 *
 * Removes what is left under this name. False: nothing is there; errno is kept. */
static bool remove_abandoned(const char *path)
{
    const int reason = errno;
    struct stat opened, named;
    const int descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool is_there = descriptor >= 0 || errno != ENOENT;

    /* Under the lock nobody else removes or renames it, and nobody can make another of its name. That
     * it still has the name is to be seen: its writer may have renamed it before. */
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
        fstat(descriptor, &opened) == 0 && S_ISREG(opened.st_mode) &&
        lstat(path, &named) == 0 && named.st_dev == opened.st_dev &&
        named.st_ino == opened.st_ino)
        unlink(path);
    if (descriptor >= 0)
        close(descriptor);
    errno = reason;
    return is_there;
}

/* Names are given in order, so the first that is free ends the list. */
static void remove_all_abandoned(ninho_file *file)
{
    bool is_there = true;

    for (unsigned attempt = 0; attempt < MAX_ATTEMPTS && is_there; attempt++) {
        set_name(file, attempt);
        is_there = remove_abandoned(file->temporary);
    }
}

/* Takes the lock of a file that has a name; false if somebody took it for abandoned just before, or
 * holds the lock: whoever may read the file could do so for ever. Where there are no locks nobody can,
 * and nobody does. */
static bool is_kept(int descriptor)
{
    struct stat status;

    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        if (errno == EWOULDBLOCK)
            return false;
        else if (errno != EINTR)
            break;
    return fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

#ifdef NINHO_TEST_HOOKS
bool nh_file_always_named;
#endif

#ifdef O_TMPFILE
/* Such a file gets its name through /proc in the end. */
static bool has_unnamed_files(void)
{
#ifdef NINHO_TEST_HOOKS
    if (nh_file_always_named)
        return false;
#endif
    return access("/proc/self/fd", X_OK) == 0;
}
#endif

/* Opens the temporary: unnamed where the file system can, else under a new name. */
static int open_temporary(ninho_file *file, const char *folder, mode_t mode)
{
#ifdef O_TMPFILE
    if (has_unnamed_files()) {
        file->descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
        if (file->descriptor >= 0)
            return 0;
        if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
            return -1;
    }
#else
    (void)folder;
#endif
    for (unsigned attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        set_name(file, attempt);
        file->descriptor =
            open(file->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
        if (file->descriptor >= 0 && is_kept(file->descriptor)) {
            file->is_named = true;
            return 0;
        }
        if (file->descriptor < 0 && errno != EEXIST)
            return -1;
        if (file->descriptor >= 0)
            close(file->descriptor);
        file->descriptor = -1;
    }
    return -1;
}

/* Everything after the options. What it leaves behind on failure, the caller drops. */
static ninho_status begin(ninho_file *file, const char *path, mode_t new_mode,
                          ninho_error *error)
{
    struct stat old;

    file->target = follow(path);
    if (!file->target)
        return errno == ENOMEM ? nh_fail(error, NINHO_ERR_NOMEM, "not enough memory")
                               : nh_fail_errno(error, errno, "cannot write");
    /* Links were followed: one that stands there now was put there in between, and neither the
     * mode nor the owner of what it leads to are this file's. */
    const bool is_there = lstat(file->target, &old) == 0;
    if (is_there && !S_ISREG(old.st_mode))
        return nh_fail(error, NINHO_ERR_ARG,
                       "is not a regular file: it cannot be replaced");
    if (is_temporary_name(file->target))
        return nh_fail(error, NINHO_ERR_ARG,
                       "has the name of an unfinished file, which the next one to write "
                       "there would remove");
    char *folder = folder_of(file->target);
    file->temporary = temporary_beside(file->target);
    if (!folder || !file->temporary) {
        free(folder);
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    }
    remove_all_abandoned(file);
    /* What replaces a file is nobody else's to read until it has that file's rights. */
    const int opened = open_temporary(file, folder, is_there ? 0600 : new_mode);
    const int reason = errno;
    free(folder);
    if (opened != 0)
        return nh_fail_errno(error, reason, "cannot write");
    if (!is_there)
        return NINHO_OK;
    file->mode = old.st_mode;
    return nh_attributes_copy(file->descriptor, file->target, &old, error);
}

ninho_status ninho_file_begin(const char *path, const ninho_file_options *theirs,
                              ninho_file **out, ninho_error *error)
{
    ninho_file_options options = NINHO_FILE_INIT;

    if (!path || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", path ? "out" : "path");
    if (theirs && !nh_struct_in(&options, sizeof options, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "options are uninitialised: start from NINHO_FILE_INIT");
    if (options.mode > 0777)
        return nh_fail(error, NINHO_ERR_ARG, "mode must be at most 0777");
    ninho_file *file = calloc(1, sizeof *file);
    if (!file)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    file->descriptor = -1;
    if (options.expected) {
        file->expected = *options.expected;
        file->is_checked = true;
    }
    const ninho_status status =
        begin(file, path, options.mode ? (mode_t)options.mode : 0666, error);
    if (status) {
        ninho_file_drop(file);
        return status;
    }
    *out = file;
    return NINHO_OK;
}

ninho_status ninho_file_write(ninho_file *file, const void *bytes, size_t size,
                              ninho_error *error)
{
    const uint8_t *at = bytes;

    if (!file || (size && !bytes))
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", file ? "bytes" : "file");
    file->is_synced = false;
    while (size) {
        const ssize_t n =
            write(file->descriptor, at, size < MOST_AT_ONCE ? size : MOST_AT_ONCE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return nh_fail_errno(error, n < 0 ? errno : ENOSPC, "cannot write");
        at += n;
        size -= (size_t)n;
    }
    return NINHO_OK;
}

ninho_status ninho_file_sink(void *file, const void *bytes, size_t size,
                             ninho_error *error)
{
    return ninho_file_write(file, bytes, size, error);
}

ninho_status ninho_file_sync(ninho_file *file, ninho_error *error)
{
    if (!file)
        return nh_fail(error, NINHO_ERR_ARG, "file is NULL");
    if (file->is_synced)
        return NINHO_OK;
    if (nh_attributes_settle(file->descriptor, file->mode) != 0 ||
        fsync(file->descriptor) != 0)
        return nh_fail_errno(error, errno, "cannot write");
    file->is_synced = true;
    return NINHO_OK;
}

/* Gives the unnamed file a name of its own in the folder: link() does not replace, so the
 * name must be new; rename() then does the replacing. */
static int name_it(ninho_file *file)
{
    char descriptor_path[64];

    snprintf(descriptor_path, sizeof descriptor_path, "/proc/self/fd/%d",
             file->descriptor);
    (void)is_kept(file->descriptor); /* it has no name to lose yet */
    for (unsigned attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        set_name(file, attempt);
        if (linkat(AT_FDCWD, descriptor_path, AT_FDCWD, file->temporary,
                   AT_SYMLINK_FOLLOW) == 0) {
            file->is_named = true;
            return 0;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* Some file systems cannot sync a folder; the file itself is safe by now. */
static void sync_folder_of(const char *path)
{
    char *folder = folder_of(path);
    const int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    free(folder);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

static ninho_status check_expected(const ninho_file *file, ninho_error *error)
{
    ninho_file_id now;

    if (!file->is_checked)
        return NINHO_OK;
    if (ninho_file_identify(file->target, &now, NULL) ||
        memcmp(&now, &file->expected, sizeof now) != 0)
        return nh_fail(error, NINHO_ERR_CHANGED,
                       "was changed by another program in the meantime: nothing was "
                       "written");
    return NINHO_OK;
}

/* Under its own name and then the target's, or -1 with errno and under none. It is closed last: the lock
 * on it tells others that its name is in use; and what was written is on the disk, so that closing can
 * say nothing new. */
static int put_in_place(ninho_file *file)
{
    if (!file->is_named && name_it(file) != 0)
        return -1;
    const int result = rename(file->temporary, file->target);
    const int reason = errno;
    if (result != 0)
        unlink(file->temporary);
    file->is_named = false; /* it bears the target's name now, or none */
    close(file->descriptor);
    file->descriptor = -1;
    errno = reason;
    return result;
}

/* The long step, the sync, comes while the file has no name: whoever is killed then leaves
 * nothing behind. While it has one of its own no signal ends this thread. */
static ninho_status commit(ninho_file *file, ninho_error *error)
{
    ninho_status status = ninho_file_sync(file, error);
    sigset_t all, before;

    if (!status)
        status = check_expected(file, error);
    if (status)
        return status;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int result = put_in_place(file);
    const int reason = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result != 0)
        return nh_fail_errno(error, reason, "cannot write");
    sync_folder_of(file->target);
    return NINHO_OK;
}

ninho_status ninho_file_commit(ninho_file *file, ninho_error *error)
{
    if (!file)
        return nh_fail(error, NINHO_ERR_ARG, "file is NULL");
    const ninho_status status = commit(file, error);
    ninho_file_drop(file);
    return status;
}

void ninho_file_drop(ninho_file *file)
{
    if (!file)
        return;
    if (file->is_named) /* under its lock: without one the name may be another's by now */
        unlink(file->temporary);
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->target);
    free(file->temporary);
    free(file);
}

int ninho_file_descriptor(const ninho_file *file)
{
    return file ? file->descriptor : -1;
}

const char *ninho_file_temporary(const ninho_file *file)
{
    return file && file->is_named ? file->temporary : NULL;
}

/* The status is not in it: giving somebody else access is no change of what was read. */
ninho_status ninho_file_identify(const char *path, ninho_file_id *id, ninho_error *error)
{
    struct stat status;

    if (!path || !id)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", path ? "id" : "path");
    if (stat(path, &status) != 0)
        return nh_fail_errno(error, errno, "cannot open");
#ifdef __APPLE__
    const struct timespec changed = status.st_mtimespec;
#else
    const struct timespec changed = status.st_mtim;
#endif
    *id = (ninho_file_id){{(uint64_t)status.st_dev, (uint64_t)status.st_ino,
                           (uint64_t)status.st_size, (uint64_t)changed.tv_sec,
                           (uint64_t)changed.tv_nsec}};
    return NINHO_OK;
}

#else
typedef int nh_io_file_is_for_posix; /* C wants a declaration in every file */
#endif
