/* SPDX-License-Identifier: MIT */
/* Files that are read no further than they go. */
#ifndef NH_IO_READING_H
#define NH_IO_READING_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/status.h>

/* A file that is read from its start on. */
struct nh_file_in {
    int descriptor;
    uint64_t size;   /* when it was opened */
    uint64_t offset; /* where the next bytes are */
};

/* Opens a regular file. NINHO_ERR_IO, or NINHO_ERR_ARG when it is something else (a folder, a
 * pipe, a device that never ends). End with nh_file_close(). */
ninho_status nh_file_open(const char *path, struct nh_file_in *file, ninho_error *error);

/* Reads exactly the next `size` bytes (a ninho_read; `file` is a struct nh_file_in). Fewer there:
 * NINHO_ERR_FORMAT. */
ninho_status nh_file_read(void *file, void *bytes, size_t size, ninho_error *error);

void nh_file_close(struct nh_file_in *file);

/* All of the file, read-only, shared; NULL if the system refuses. It may be closed before it is
 * unmapped, with the size that it had. */
void *nh_file_map(const struct nh_file_in *file);
void nh_file_unmap(void *bytes, size_t size);

#endif
