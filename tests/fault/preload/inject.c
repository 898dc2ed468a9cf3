/* SPDX-License-Identifier: MIT */
/* The calls that fail, are counted and recorded: shim.h tells how to ask. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim.h"

enum call {
    MEMORY = 1,
    WRITE,
    FSYNC,
    RENAME,
    CLOSE,
    LINK,
    OPEN,
    READ,
    MAP,
    THREAD,
    STAT,
    MODE,
    OWNER,
    LOCK,
    LIST,
    SEEK,
    ENTROPY,
    N_CALLS,
};
enum { SHORT = -1, KILL = -2, TERM = -3 };

static enum call wanted;
static unsigned long wanted_n;
static bool and_after;
static bool has_names_only;
static int how;
static const char *log_path;
static const char *counts_path;
static atomic_ulong n_seen[N_CALLS];

static const struct {
    const char *name;
    int value;
} calls[] = {{"memory", MEMORY}, {"write", WRITE},    {"fsync", FSYNC},
             {"rename", RENAME}, {"close", CLOSE},    {"link", LINK},
             {"open", OPEN},     {"read", READ},      {"map", MAP},
             {"thread", THREAD}, {"stat", STAT},      {"mode", MODE},
             {"owner", OWNER},   {"lock", LOCK},      {"list", LIST},
             {"seek", SEEK},     {"entropy", ENTROPY}},
  hows[] = {{"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"EIO", EIO},
            {"EDQUOT", EDQUOT}, {"EINTR", EINTR},   {"EMFILE", EMFILE},
            {"EAGAIN", EAGAIN}, {"EPERM", EPERM},   {"ENOLCK", ENOLCK},
            {"short", SHORT},   {"kill", KILL},     {"term", TERM}};

/* Before main, and before anything is counted. */
__attribute__((constructor)) static void read_wish(void)
{
    const char *text = getenv("NINHO_INJECT");

    log_path = getenv("NINHO_INJECT_LOG");
    counts_path = getenv("NINHO_INJECT_COUNTS");
    has_names_only = getenv("NINHO_INJECT_NAMED") != NULL;
    if (getenv("NINHO_RECORD"))
        record_begin(getenv("NINHO_RECORD"));
    if (!text)
        return;
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
        if (strlen(text) > strlen(hows[i].name) &&
            strcmp(text + strlen(text) - strlen(hows[i].name), hows[i].name) == 0)
            how = hows[i].value;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const size_t length = strlen(calls[i].name);
        if (strncmp(text, calls[i].name, length) == 0 && text[length] == ':') {
            char *end;
            wanted_n = strtoul(text + length + 1, &end, 10);
            and_after = *end == '+';
            wanted = (enum call)calls[i].value;
        }
    }
    if (!wanted || !how || !wanted_n)
        abort(); /* a wish that is not understood must not look like a success */
}

/* After everything that is counted. */
__attribute__((destructor)) static void write_counts(void)
{
    char text[512];
    size_t size = 0;

    if (!counts_path)
        return;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s %lu\n",
                                 calls[i].name, atomic_load(&n_seen[calls[i].value]));
    const long counts = syscall(SYS_openat, AT_FDCWD, counts_path,
                                O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    syscall(SYS_write, counts, text, size);
    syscall(SYS_close, counts);
}

/* Whether this call is the one. Nothing in here may allocate. */
static bool is_due(enum call call)
{
    const unsigned long n = atomic_fetch_add(&n_seen[call], 1) + 1;

    if (call != wanted || (n != wanted_n && !(and_after && n > wanted_n)))
        return false;
    if (log_path) {
        const long log =
            syscall(SYS_openat, AT_FDCWD, log_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (log >= 0)
            syscall(SYS_close, log);
    }
    if (how == KILL && call != WRITE)
        syscall(SYS_kill, getpid(), SIGKILL);
    if (how == TERM)
        syscall(SYS_kill, getpid(), SIGTERM);
    return how != TERM;
}

/* ---- Memory: glibc has names for its own, so that there is no circle ------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static atomic_long n_live;

/* For a program that wants to know whether it gave all of them back. */
long ninho_shim_live_blocks(void);
long ninho_shim_live_blocks(void)
{
    return atomic_load(&n_live);
}

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add(&n_live, 1);
    return block;
}

void free(void *block)
{
    if (block)
        atomic_fetch_sub(&n_live, 1);
    __libc_free(block);
}

static bool is_out_of_memory(void)
{
    if (!is_due(MEMORY))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return is_out_of_memory() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return is_out_of_memory() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *block, size_t size)
{
    if (is_out_of_memory())
        return NULL;
    void *const again = __libc_realloc(block, size);
    if (!block)
        counted(again);
    else if (!again && !size)
        atomic_fetch_sub(&n_live, 1); /* it was freed */
    return again;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return is_out_of_memory() ? NULL : counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (is_out_of_memory())
        return ENOMEM;
    *block = counted(__libc_memalign(alignment, size));
    return *block ? 0 : ENOMEM;
}

static void *map(void *at, size_t size, int protection, int flags, int descriptor,
                 off_t offset)
{
    if (is_due(flags & MAP_ANONYMOUS ? MEMORY : MAP)) {
        errno = how > 0 ? how : ENOMEM;
        return MAP_FAILED;
    }
    if (!(flags & MAP_ANONYMOUS) && flags & MAP_SHARED && protection & PROT_WRITE)
        record_map(descriptor);
    return (void *)syscall(SYS_mmap, at, size, protection, flags, descriptor, offset);
}

void *mmap(void *at, size_t size, int protection, int flags, int descriptor, off_t offset)
{
    return map(at, size, protection, flags, descriptor, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int descriptor,
             off_t offset)
{
    return map(at, size, protection, flags, descriptor, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*run)(void *), void *context)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    return is_due(THREAD) ? how : next(thread, attributes, run, context);
}

/* ---- Files --------------------------------------------------------------------------------- */

/* -1 with errno, or 0 where the call is to be done. */
static int fails(enum call call)
{
    if (!is_due(call) || how <= 0)
        return 0;
    errno = how;
    return -1;
}

/* How many bytes of a write are to be written: all, or fewer where a fault is due; -1 and errno
 * where none are. */
static ssize_t size_of_write(int descriptor, size_t size, bool *is_last)
{
    if (descriptor <= 2 || !is_due(WRITE))
        return (ssize_t)size;
    if (how > 0) {
        errno = how;
        return -1;
    }
    *is_last = how == KILL;
    return (ssize_t)(size > 1 ? size / 2 : size);
}

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    bool is_last = false;
    const ssize_t part = size_of_write(descriptor, size, &is_last);

    if (part < 0)
        return -1;
    const ssize_t n = syscall(SYS_write, descriptor, bytes, (size_t)part);
    if (is_last)
        syscall(SYS_kill, getpid(), SIGKILL);
    record_write(descriptor, bytes, n);
    return n;
}

static ssize_t write_at(int descriptor, const void *bytes, size_t size, off_t offset)
{
    bool is_last = false;
    const ssize_t part = size_of_write(descriptor, size, &is_last);

    if (part < 0)
        return -1;
    const ssize_t n = syscall(SYS_pwrite64, descriptor, bytes, (size_t)part, offset);
    if (is_last)
        syscall(SYS_kill, getpid(), SIGKILL);
    record_write_at(descriptor, bytes, n, offset);
    return n;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset)
{
    return write_at(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off_t offset)
{
    return write_at(descriptor, bytes, size, offset);
}

/* The first part alone: whoever calls it must be ready for that. */
ssize_t writev(int descriptor, const struct iovec *parts, int n_parts)
{
    return n_parts > 0 ? write(descriptor, parts->iov_base, parts->iov_len) : 0;
}

ssize_t read(int descriptor, void *bytes, size_t size)
{
    if (is_due(READ)) {
        if (how > 0) {
            errno = how;
            return -1;
        }
        size = size > 1 ? size / 2 : size;
    }
    return syscall(SYS_read, descriptor, bytes, size);
}

static ssize_t read_at(int descriptor, void *bytes, size_t size, off_t offset)
{
    if (is_due(READ)) {
        if (how > 0) {
            errno = how;
            return -1;
        }
        size = size > 1 ? size / 2 : size;
    }
    return syscall(SYS_pread64, descriptor, bytes, size, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset)
{
    return read_at(descriptor, bytes, size, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t size, off_t offset)
{
    return read_at(descriptor, bytes, size, offset);
}

static int sync_it(long number, int descriptor)
{
    const int result = fails(FSYNC) ? -1 : (int)syscall(number, descriptor);

    if (result == 0)
        record_sync(descriptor);
    return result;
}

int fsync(int descriptor)
{
    return sync_it(SYS_fsync, descriptor);
}

int fdatasync(int descriptor)
{
    return sync_it(SYS_fdatasync, descriptor);
}

int ftruncate(int descriptor, off_t size)
{
    const int result = fails(WRITE) ? -1 : (int)syscall(SYS_ftruncate, descriptor, size);

    if (result == 0)
        record_truncate(descriptor, size);
    return result;
}

int rename(const char *from, const char *to)
{
    const int result =
        fails(RENAME) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);

    if (result == 0)
        record_rename(from, to);
    return result;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    const int result =
        fails(LINK) ? -1
                    : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);

    if (result == 0)
        record_link(from, to);
    return result;
}

int unlink(const char *path)
{
    const int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);

    if (result == 0)
        record_unlink(path);
    return result;
}

/* What is closed is closed, even where closing says that a write was lost. */
int close(int descriptor)
{
    const int failed = descriptor > 2 ? fails(CLOSE) : 0;
    const int result = (int)syscall(SYS_close, descriptor);

    if (failed)
        errno = how;
    return failed ? -1 : result;
}

static int open_it(const char *path, int flags, mode_t mode)
{
    const bool was_there = record_is_there(path);

    if (fails(OPEN))
        return -1;
    if (has_names_only && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    const int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    record_open(descriptor, path, flags, was_there);
    return descriptor;
}

int open(const char *path, int flags, ...)
{
    va_list rest;

    va_start(rest, flags);
    const mode_t mode =
        flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_it(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;

    va_start(rest, flags);
    const mode_t mode =
        flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_it(path, flags, mode);
}

off_t lseek64(int descriptor, off_t offset, int whence)
{
    return fails(SEEK) ? -1 : (off_t)syscall(SYS_lseek, descriptor, offset, whence);
}

/* ---- What files are ------------------------------------------------------------------------ */

static int stat_it(int folder, const char *path, void *status, int flags)
{
    return fails(STAT) ? -1 : (int)syscall(SYS_newfstatat, folder, path, status, flags);
}

int stat(const char *path, struct stat *status)
{
    return stat_it(AT_FDCWD, path, status, 0);
}

int stat64(const char *path, struct stat64 *status)
{
    return stat_it(AT_FDCWD, path, status, 0);
}

int lstat(const char *path, struct stat *status)
{
    return stat_it(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int lstat64(const char *path, struct stat64 *status)
{
    return stat_it(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int fstat(int descriptor, struct stat *status)
{
    return stat_it(descriptor, "", status, AT_EMPTY_PATH);
}

int fstat64(int descriptor, struct stat64 *status)
{
    return stat_it(descriptor, "", status, AT_EMPTY_PATH);
}

int fchmod(int descriptor, mode_t mode)
{
    return fails(MODE) ? -1 : (int)syscall(SYS_fchmod, descriptor, mode);
}

int fchown(int descriptor, uid_t owner, gid_t group)
{
    return fails(OWNER) ? -1 : (int)syscall(SYS_fchown, descriptor, owner, group);
}

int flock(int descriptor, int operation)
{
    return fails(LOCK) ? -1 : (int)syscall(SYS_flock, descriptor, operation);
}

ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)
{
    return fails(LIST) ? -1 : syscall(SYS_lgetxattr, path, name, value, size);
}

int fsetxattr(int descriptor, const char *name, const void *value, size_t size, int flags)
{
    return fails(LIST)
               ? -1
               : (int)syscall(SYS_fsetxattr, descriptor, name, value, size, flags);
}

int fremovexattr(int descriptor, const char *name)
{
    return fails(LIST) ? -1 : (int)syscall(SYS_fremovexattr, descriptor, name);
}

int getentropy(void *bytes, size_t size)
{
    return fails(ENTROPY) || syscall(SYS_getrandom, bytes, size, 0) != (long)size ? -1
                                                                                  : 0;
}
