/* SPDX-License-Identifier: MIT */
/* A library to be preloaded into a program: it lets one chosen call fail. Not linked with anything
 * of ours. What is asked for stands in the environment:
 *
 *     NINHO_INJECT=CALL:N:HOW    the N-th CALL from the start; "N+": that one and all after it
 *     NINHO_INJECT_LOG=FILE      a file that is made when the fault is reached
 *
 *     CALL   memory (malloc, calloc, realloc, posix_memalign, aligned_alloc, mmap without a file),
 *            write, fsync, rename, close, link, open, read, map (mmap of a file), thread
 *     HOW    a name of errno: ENOMEM ENOSPC EIO EDQUOT EINTR EMFILE EAGAIN
 *            short (a transfer of half the bytes), kill (SIGKILL; a write does half before),
 *            term (SIGTERM to itself, then the call as usual)
 *
 * Descriptors 0 to 2 are left alone: what a program says about a fault must come out. */
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
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum call { MEMORY = 1, WRITE, FSYNC, RENAME, CLOSE, LINK, OPEN, READ, MAP, THREAD };
enum { SHORT = -1, KILL = -2, TERM = -3 };

static enum call wanted;
static unsigned long wanted_n;
static bool and_after;
static int how;
static const char *log_path;
static atomic_ulong n_seen;

static const struct {
    const char *name;
    int value;
} calls[] = {{"memory", MEMORY}, {"write", WRITE},  {"fsync", FSYNC}, {"rename", RENAME},
             {"close", CLOSE},   {"link", LINK},    {"open", OPEN},   {"read", READ},
             {"map", MAP},       {"thread", THREAD}},
  hows[] = {{"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"EIO", EIO},
            {"EDQUOT", EDQUOT}, {"EINTR", EINTR},   {"EMFILE", EMFILE},
            {"EAGAIN", EAGAIN}, {"short", SHORT},   {"kill", KILL},
            {"term", TERM}};

/* Before main, and before anything is counted. */
__attribute__((constructor)) static void read_wish(void)
{
    const char *text = getenv("NINHO_INJECT");

    log_path = getenv("NINHO_INJECT_LOG");
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

/* Whether this call is the one. Nothing in here may allocate. */
static bool is_due(enum call call)
{
    if (call != wanted)
        return false;
    const unsigned long n = atomic_fetch_add(&n_seen, 1) + 1;
    if (n != wanted_n && !(and_after && n > wanted_n))
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

static bool is_out_of_memory(void)
{
    if (!is_due(MEMORY))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return is_out_of_memory() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return is_out_of_memory() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
    return is_out_of_memory() ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return is_out_of_memory() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (is_out_of_memory())
        return ENOMEM;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

static void *map(void *at, size_t size, int protection, int flags, int descriptor,
                 off_t offset)
{
    if (is_due(flags & MAP_ANONYMOUS ? MEMORY : MAP)) {
        errno = how > 0 ? how : ENOMEM;
        return MAP_FAILED;
    }
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

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    if (descriptor > 2 && is_due(WRITE)) {
        if (how > 0) {
            errno = how;
            return -1;
        }
        size = size > 1 ? size / 2 : size;
        if (how == KILL) {
            syscall(SYS_write, descriptor, bytes, size);
            syscall(SYS_kill, getpid(), SIGKILL);
        }
    }
    return syscall(SYS_write, descriptor, bytes, size);
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

int fsync(int descriptor)
{
    return fails(FSYNC) ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor)
{
    return fails(FSYNC) ? -1 : (int)syscall(SYS_fdatasync, descriptor);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_rename, from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    return fails(LINK)
               ? -1
               : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
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
    return fails(OPEN) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
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
