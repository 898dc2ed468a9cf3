/* SPDX-License-Identifier: MIT */
/* An object as bytes: what RDB files, DUMP, SCANDUMP and the rewritten AOF carry, and what
 * DEBUG digests are made of. Little-endian; equal objects have equal bytes.
 *
 *      0  8  "NINHORDB"
 *      8  1  version, 1
 *      9  1  face: 1 NINHO, 2 BF, 3 CF
 *     10  1  bit 0: a secret follows; the rest 0
 *     11  1  0
 *     12  4  number of layers L, 1 to 64
 *     16  8  error rate, a binary64     (0 in a NINHO key, down to n_deleted)
 *     24  8  capacity
 *     32  4  expansion
 *     36  4  bucket size
 *     40  4  iterations
 *     44  4  0
 *     48  8  items deleted
 *     56 16  secret, or zeros
 *     72 16L of each layer: size in bytes (8), level (4), 0 (4)
 *      .  8  XXH3-64 of all bytes before
 *      .     the layers, each a whole ninho file (docs/format.md)
 */
#ifndef NR_BLOB_H
#define NR_BLOB_H

#include "object.h"

#define NR_BLOB_HEADER(n_layers) (72 + 16 * (size_t)(n_layers) + 8)
#define NR_CHUNK                 ((size_t)16 << 20) /* the largest piece sent at once */

/* The size of the whole. */
uint64_t nr_blob_size(const struct nr_object *object);

/* The n bytes from `offset` on. False if they are not all there. */
bool nr_blob_read(const struct nr_object *object, uint64_t offset, uint8_t *bytes,
                  size_t n);

/* The bytes of a key that holds this file, which need not be sound, as its one layer. From
 * redis.Alloc(), *size of them. */
uint8_t *nr_blob_around(const struct nr_object *object, const void *file, size_t n,
                        size_t *size);

/* An object of that face (0: any) from bytes that may be hostile. Nothing is allocated from
 * a number before it was checked against the bytes there. NULL: *error says why. */
struct nr_object *nr_blob_decode(const uint8_t *bytes, size_t size, unsigned face,
                                 ninho_error *error);

/* The size of the whole that begins with these bytes, its header among them; 0 if they
 * cannot be the beginning of an object of that face. */
uint64_t nr_blob_announced(const uint8_t *bytes, size_t size, unsigned face);

#endif
