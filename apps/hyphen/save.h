/* SPDX-License-Identifier: MIT */
/* Writing a whole file. */
#ifndef NINHO_HYPHEN_SAVE_H
#define NINHO_HYPHEN_SAVE_H

#include <stddef.h>

#include <ninho/ninho.h>

/* Writes a file by way of a temporary one beside it, fsync and rename: the whole of it or nothing.
 * Links are followed, and a file that is replaced keeps its rights. NINHO_ERR_IO (also for what is
 * no regular file), NINHO_ERR_NOMEM. */
ninho_status hy_file_save(const ninho_alloc *alloc, const char *path, const void *bytes,
                          size_t size, ninho_error *error);

#endif
