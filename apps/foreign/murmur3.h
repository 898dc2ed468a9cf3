/* SPDX-License-Identifier: MIT */
/* MurmurHash3 for x64 machines, 128 bits, seed 0, as Cassandra computes it. */
#ifndef NINHO_FOREIGN_MURMUR3_H
#define NINHO_FOREIGN_MURMUR3_H

#include <stddef.h>
#include <stdint.h>

/* Where the key's length is no multiple of 16, the bytes behind the last whole block are taken as
 * signed numbers: for bytes from 0x80 on that is not what others compute. */
void nf_murmur3_cassandra(const void *key, size_t size, uint64_t hash[2]);

#endif
