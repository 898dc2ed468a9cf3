/* SPDX-License-Identifier: MIT */
#ifndef _WIN32 /* where windows.c is instead */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "io/attributes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "base/status.h"

#define ALL_BITS ((mode_t)07777)

/* Only what differs: file systems without owners refuse every change. The group comes first, since
 * a file that was given away cannot be changed by whoever may only do that. */
static ninho_status copy_owner(int descriptor, const struct stat *like,
                               ninho_error *error)
{
    struct stat now;
    char what[64];

    if (fstat(descriptor, &now) != 0)
        return nh_fail_errno(error, errno, "cannot write");
    if (now.st_gid != like->st_gid && fchown(descriptor, (uid_t)-1, like->st_gid) != 0) {
        snprintf(what, sizeof what, "cannot keep its group, %lu",
                 (unsigned long)like->st_gid);
        return nh_fail_errno(error, errno, what);
    }
    if (now.st_uid != like->st_uid && fchown(descriptor, like->st_uid, (gid_t)-1) != 0) {
        snprintf(what, sizeof what, "cannot keep its owner, %lu",
                 (unsigned long)like->st_uid);
        return nh_fail_errno(error, errno, what);
    }
    return NINHO_OK;
}

#ifdef __linux__
#define ACL_NAME "system.posix_acl_access"

static bool is_without_acl(int reason)
{
    return reason == ENODATA || reason == EOPNOTSUPP || reason == ENOSYS;
}

/* The list as the system writes it down: *size is 0 if there is none. */
static int read_acl(const char *target, void **acl, size_t *size)
{
    *acl = NULL;
    *size = 0;
    for (;;) {
        const ssize_t needed = lgetxattr(target, ACL_NAME, NULL, 0);
        if (needed <= 0)
            return needed == 0 || is_without_acl(errno) ? 0 : -1;
        free(*acl);
        *acl = malloc((size_t)needed);
        if (!*acl)
            return -1;
        const ssize_t n = lgetxattr(target, ACL_NAME, *acl, (size_t)needed);
        if (n < 0 && errno == ERANGE)
            continue; /* it has grown in between */
        if (n < 0)
            return is_without_acl(errno) ? 0 : -1;
        *size = (size_t)n;
        return 0;
    }
}

/* Comes before the mode: with a list, the group's bits of the mode are the list's mask, and would
 * be given to the whole group if there were no list yet. A folder's default list was given to the
 * new file already, and goes if the old one has none. */
static ninho_status copy_acl(int descriptor, const char *target, ninho_error *error)
{
    void *acl;
    size_t size;
    int result = read_acl(target, &acl, &size);

    if (result == 0 && size)
        result = fsetxattr(descriptor, ACL_NAME, acl, size, 0);
    else if (result == 0 && fremovexattr(descriptor, ACL_NAME) != 0 &&
             !is_without_acl(errno))
        result = -1;
    const int reason = errno;
    free(acl);
    return result == 0 ? NINHO_OK
                       : nh_fail_errno(error, reason,
                                       "cannot keep its access control list (ACL)");
}
#else
static ninho_status copy_acl(int descriptor, const char *target, ninho_error *error)
{
    (void)descriptor;
    (void)target;
    (void)error;
    return NINHO_OK;
}
#endif

/* Some bits are dropped without a word, such as setgid for a group that one is not in. */
static ninho_status copy_mode(int descriptor, mode_t mode, ninho_error *error)
{
    struct stat now;
    char what[64];

    if (fchmod(descriptor, mode & ALL_BITS) == 0 && fstat(descriptor, &now) == 0) {
        if (((now.st_mode ^ mode) & ALL_BITS) == 0)
            return NINHO_OK;
        errno = EPERM;
    }
    snprintf(what, sizeof what, "cannot keep its mode, %03o",
             (unsigned)(mode & ALL_BITS));
    return nh_fail_errno(error, errno, what);
}

ninho_status nh_attributes_copy(int descriptor, const char *target,
                                const struct stat *like, ninho_error *error)
{
    ninho_status status = copy_owner(descriptor, like, error);

    if (!status)
        status = copy_acl(descriptor, target, error);
    /* Last, since a change of owner clears setuid and setgid. */
    return status ? status : copy_mode(descriptor, like->st_mode, error);
}

int nh_attributes_settle(int descriptor, mode_t mode)
{
    return mode & (S_ISUID | S_ISGID) ? fchmod(descriptor, mode & ALL_BITS) : 0;
}

#else
typedef int nh_io_attributes_is_for_posix; /* C wants a declaration in every file */
#endif
