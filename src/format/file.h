/* SPDX-License-Identifier: MIT */
/* Files that are replaced whole or not at all, and files that are read no further than
 * they go. */
#ifndef NH_FORMAT_FILE_H
#define NH_FORMAT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/status.h>

/* A file being written beside the one it will replace. Where the system has unnamed
 * temporary files it has no name until it is complete, so that nothing is left behind
 * even by kill -9. */
struct nh_file_out {
    int descriptor;
    char *target;    /* the path to replace, links followed */
    char *temporary; /* its name, or where it will get one */
    int is_named;    /* whether `temporary` exists in the folder now */
};

/* Begins; on failure there is nothing to undo. */
ninho_status nh_file_begin(struct nh_file_out *out, const char *path, ninho_error *error);
/* Appends, however many calls the system needs for it. */
ninho_status nh_file_write(struct nh_file_out *out, const void *bytes, size_t size,
                           ninho_error *error);
/* Syncs, puts it in the old one's place, syncs the folder, and closes. */
ninho_status nh_file_commit(struct nh_file_out *out, ninho_error *error);
/* Closes and removes what was written; after a commit, successful or not, it does
 * nothing. */
void nh_file_abandon(struct nh_file_out *out);

/* Opens a regular file for reading; *size is its size now. NINHO_ERR_IO, or NINHO_ERR_ARG
 * when it is something else (a folder, a pipe, a device that never ends). */
ninho_status nh_file_open(const char *path, int *descriptor, uint64_t *size,
                          ninho_error *error);
/* Reads exactly `size` bytes at `offset`; fewer there is NINHO_ERR_FORMAT (it was
 * truncated). */
ninho_status nh_file_read_at(int descriptor, void *bytes, size_t size, uint64_t offset,
                             ninho_error *error);

#endif
