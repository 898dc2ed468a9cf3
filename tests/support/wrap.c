/* SPDX-License-Identifier: MIT */
#include "support/wrap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

/* The linker makes them: __wrap_NAME is called for NAME, and __real_NAME is NAME. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif

static struct {
    const char *name; /* NULL: none */
    unsigned at, n, n_calls, n_kept_back;
    long result;
    int reason;
} plan;

void wrap_plan(const char *name, unsigned at, unsigned n, long result, int reason)
{
    plan.name = name;
    plan.at = at;
    plan.n = n;
    plan.n_calls = plan.n_kept_back = 0;
    plan.result = result;
    plan.reason = reason;
}

unsigned wrap_end(void)
{
    plan.name = NULL;
    return plan.n_kept_back;
}

/* Whether this call is one that is not made. Errno is set then. */
static bool is_due(const char *name)
{
    if (!plan.name || strcmp(plan.name, name) != 0)
        return false;
    plan.n_calls++;
    if (plan.n_calls < plan.at || plan.n_calls - plan.at >= plan.n)
        return false;
    plan.n_kept_back++;
    errno = plan.reason;
    return true;
}

/* NAME is what a plan says, SYMBOL what the linker sees: glibc calls some functions NAME64. */
#define WRAP_CALL(type, failed, name, symbol, parameters, arguments) \
    type __real_##symbol parameters;                                 \
    type __wrap_##symbol parameters;                                 \
    type __wrap_##symbol parameters                                  \
    {                                                                \
        if (is_due(#name))                                           \
            return (type)(failed);                                   \
        return __real_##symbol arguments;                            \
    }
#define WRAP(type, failed, name, parameters, arguments) \
    WRAP_CALL(type, failed, name, name, parameters, arguments)

WRAP(ssize_t, plan.result, write, (int fd, const void *bytes, size_t size),
     (fd, bytes, size))
WRAP(int, plan.result, fsync, (int fd), (fd))
WRAP(int, plan.result, rename, (const char *from, const char *to), (from, to))
WRAP(int, plan.result, linkat,
     (int from, const char *path, int to, const char *name, int flags),
     (from, path, to, name, flags))
WRAP(int, plan.result, fchown, (int fd, uid_t user, gid_t group), (fd, user, group))
WRAP(int, plan.result, fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(ssize_t, plan.result, lgetxattr,
     (const char *path, const char *name, void *value, size_t size),
     (path, name, value, size))
WRAP(int, plan.result, fsetxattr,
     (int fd, const char *name, const void *value, size_t size, int flags),
     (fd, name, value, size, flags))
WRAP(int, plan.result, fremovexattr, (int fd, const char *name), (fd, name))
WRAP(void *, 0, malloc, (size_t size), (size))
WRAP(void *, 0, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, 0, realloc, (void *block, size_t size), (block, size))
WRAP(char *, 0, strdup, (const char *text), (text))
WRAP(char *, 0, realpath, (const char *path, char *out), (path, out))

/* What has another name for files above 2 GiB: `offset` is its type of a place in a file. The
 * status is a pointer to void, since it is another type under each name. */
#define WRAP_SIZED(suffix, offset)                                                  \
    WRAP_CALL(int, plan.result, fstat, fstat##suffix, (int fd, void *status),       \
              (fd, status))                                                         \
    WRAP_CALL(ssize_t, plan.result, pread, pread##suffix,                           \
              (int fd, void *bytes, size_t size, offset at), (fd, bytes, size, at)) \
    WRAP_CALL(void *, MAP_FAILED, mmap, mmap##suffix,                               \
              (void *near, size_t size, int may, int flags, int fd, offset at),     \
              (near, size, may, flags, fd, at))                                     \
    WRAP_CALL(int, plan.result, open, open##suffix,                                 \
              (const char *path, int flags, mode_t mode), (path, flags, mode))

WRAP_SIZED(, off_t)
#ifdef __GLIBC__
WRAP_SIZED(64, int64_t)
#endif
