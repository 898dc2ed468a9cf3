/* SPDX-License-Identifier: MIT */
/* Files that are replaced whole or not at all: begin, write, commit or drop.
 *
 * The new file is written beside the old one, under no name where the system can (so that even
 * kill -9 leaves nothing behind, but for the moment in which it gets a name and takes the old
 * one's place), and takes the old one's place when it is complete and on the disk. Under the path
 * there is always the old file or the new one, never something between. A symbolic link is followed:
 * the file behind it is replaced and the link stays.
 *
 * Where the unfinished file needs a name, that is the path's with ".ninho-tmp" and four digits
 * behind it, and a lock (flock) is held on it. What a killed process left under such a name, the
 * next ninho_file_begin() for the same path removes (a path that itself ends so is NINHO_ERR_ARG).
 * Windows uses other names, and leftovers stay.
 *
 * Owner, group, mode and, on Linux, the access control list of the old file are the new one's; on
 * Windows it is the access control list alone, and paths are UTF-8. Where they cannot be,
 * ninho_file_begin() refuses.
 *
 * A ninho_file belongs to one thread at a time. */
#ifndef NINHO_FILE_H
#define NINHO_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ninho_file ninho_file;

/* Which file a path named at some moment, and in which state. Plain data; the content is the
 * library's. */
typedef struct ninho_file_id {
    uint64_t opaque[8];
} ninho_file_id;

/* Start from NINHO_FILE_INIT. */
typedef struct ninho_file_options {
    size_t size_of_struct;
    /* The permissions of a file that is new, less the process's umask; 0 stands for 0666. */
    uint32_t mode;
    /* The file that is to be replaced, from ninho_file_identify(): ninho_file_commit() answers
     * NINHO_ERR_CHANGED if another one stands there by then. It looks right before it renames: of two
     * that commit at the same instant one may still be lost, unless they share a lock. NULL: whatever
     * stands there. Need not outlive ninho_file_begin(). */
    const ninho_file_id *expected;
} ninho_file_options;

#define NINHO_FILE_INIT NINHO_INIT_(ninho_file_options)

/* Begins to replace `path`, or to make it. `options` may be NULL. NINHO_ERR_ARG if something
 * other than a regular file stands there; NINHO_ERR_IO if the folder cannot be written, the path
 * is a link that leads nowhere, or owner, group, mode or access control list of the file there
 * cannot be kept: the text says which; NINHO_ERR_NOMEM. On failure nothing was written and *out is
 * untouched. End with ninho_file_commit() or ninho_file_drop(). */
NINHO_API ninho_status ninho_file_begin(const char *path,
                                        const ninho_file_options *options,
                                        ninho_file **out, ninho_error *error);

/* Appends `size` bytes. NINHO_ERR_IO. */
NINHO_API ninho_status ninho_file_write(ninho_file *file, const void *bytes, size_t size,
                                        ninho_error *error);

/* The same, as a ninho_write: for ninho_filter_write() and ninho_dict_write(), with the file as
 * their context. */
NINHO_API ninho_status ninho_file_sink(void *file, const void *bytes, size_t size,
                                       ninho_error *error);

/* Makes sure that what was written is on the disk: for programs that replace several files and
 * want none of them if one does not fit. ninho_file_commit() does it otherwise. NINHO_ERR_IO. */
NINHO_API ninho_status ninho_file_sync(ninho_file *file, ninho_error *error);

/* Puts the file in its place and frees it, whether that succeeds or not. NINHO_ERR_IO,
 * NINHO_ERR_CHANGED, NINHO_ERR_NOMEM: the old file is still there. Signals to the calling thread
 * wait until the file has lost the temporary name that it needs for that. */
NINHO_API ninho_status ninho_file_commit(ninho_file *file, ninho_error *error);

/* Takes back what was written and frees; NULL is fine. */
NINHO_API void ninho_file_drop(ninho_file *file);

/* The descriptor that is written to, for programs that write through stdio or a library; -1 for
 * NULL. It stays the file's: do not close it, and write nothing to it after ninho_file_sync(). */
NINHO_API int ninho_file_descriptor(const ninho_file *file);

/* The name that the unfinished file has in its folder, NULL if it has none: for programs that
 * remove it when a signal ends them. Lives as long as the file. */
NINHO_API const char *ninho_file_temporary(const ninho_file *file);

/* Fills *id with what the path names now, links followed. NINHO_ERR_IO if nothing is there.
 * Any thread. */
NINHO_API ninho_status ninho_file_identify(const char *path, ninho_file_id *id,
                                           ninho_error *error);

#ifdef __cplusplus
}
#endif

#endif
