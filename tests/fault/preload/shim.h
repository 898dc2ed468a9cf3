/* SPDX-License-Identifier: MIT */
/* A library to be preloaded into a program: it lets chosen calls fail, counts calls, and records
 * what is written. Not linked with anything of ours. It needs the dynamic loader and the names that
 * glibc has for its own allocator, so a static program or one with musl cannot be tried with it. What
 * is asked for stands in the environment:
 *
 *     NINHO_INJECT=CALL:N:HOW    the N-th CALL from the start; "N+": that one and all after it
 *     NINHO_INJECT_LOG=FILE      a file that is made when the fault is reached
 *     NINHO_INJECT_COUNTS=FILE   lines "CALL COUNT", written when the program ends
 *     NINHO_INJECT_NAMED=1       there are no files without a name: O_TMPFILE is refused
 *     NINHO_RECORD=FILE          what changes files and folders, in order: see record.c
 *
 *     CALL   memory (malloc, calloc, realloc, posix_memalign, aligned_alloc, mmap without a file),
 *            write, fsync, rename, close, link, open, read, map (mmap of a file), thread, stat,
 *            mode (fchmod), owner (fchown), lock (flock), list (access control list), seek, entropy
 *     HOW    a name of errno: ENOMEM ENOSPC EIO EDQUOT EINTR EMFILE EAGAIN EPERM ENOLCK
 *            short (a transfer of half the bytes), kill (SIGKILL; a write does half before),
 *            term (SIGTERM to itself, then the call as usual)
 *
 * Descriptors 0 to 2 are left alone: what a program says about a fault must come out. */
#ifndef NINHO_FAULT_SHIM_H
#define NINHO_FAULT_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where the record goes; nothing is recorded without it. Nothing here allocates. */
void record_begin(const char *path);

/* What has been done, after it was. */
void record_open(int descriptor, const char *path, int flags, bool was_there);
void record_write(int descriptor, const void *bytes, ssize_t n);
void record_write_at(int descriptor, const void *bytes, ssize_t n, off_t offset);
void record_truncate(int descriptor, off_t size);
void record_sync(int descriptor);
void record_map(int descriptor); /* shared, to be written: what is written is not seen */
void record_link(const char *from, const char *to);
void record_rename(const char *from, const char *to);
void record_unlink(const char *path);
bool record_is_there(const char *path);

#endif
