/* SPDX-License-Identifier: MIT */
/* The checksum of an LMDB file, in PATH-sum beside it. LMDB reads its file as memory and believes
 * what stands there, so a damaged one can end the process: the file is compared with its checksum
 * before LMDB sees it. That finds damage, not malice: who can write both can make both agree.
 *
 *     PATH-sum: | "ninhosum" | size, 8 bytes | checksum, 8 bytes |     little-endian
 *
 * PATH-sum is locked while either file is read or changed, so that they belong together. A program
 * that ends between the two changes leaves files that do not, and they are refused. */
#ifndef NINHO_HYPHEN_LMDB_SUM_H
#define NINHO_HYPHEN_LMDB_SUM_H

#include "apps/base/base.h"

struct hy_sum {
    int descriptor; /* of PATH-sum; -1: there is none, and the file may only be read */
    ninho_alloc alloc;
    uint8_t *
        piece; /* what the file is read into, so that no change lacks the memory for it */
};

/* Opens and locks PATH-sum, which is made if there is no file yet or it is to be trusted, and
 * compares. A file that is trusted must still begin as LMDB's do, and PATH-sum and PATH-lock are
 * written over only if they are empty or what they should be: regular files with one name, which
 * begin as such files do. NINHO_ERR_CHECKSUM; NINHO_ERR_FORMAT if any of the files is something
 * else, or there is a file and no checksum, or the reverse; NINHO_ERR_IO, NINHO_ERR_NOMEM. On
 * failure there is nothing to close. */
ninho_status hy_sum_open(struct hy_sum *sum, const char *path, bool is_trusted,
                         const ninho_alloc *alloc, ninho_error *error);
void hy_sum_close(struct hy_sum *sum);

/* Locks it and compares again, before a change. NINHO_ERR_CHECKSUM, NINHO_ERR_IO: not locked. */
ninho_status hy_sum_lock(const struct hy_sum *sum, int data, ninho_error *error);
void hy_sum_unlock(const struct hy_sum *sum);

/* Writes the checksum of `data`, the file's descriptor. NINHO_ERR_IO. */
ninho_status hy_sum_write(const struct hy_sum *sum, int data, ninho_error *error);

#endif
