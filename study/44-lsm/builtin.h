/* SPDX-License-Identifier: MIT */
/* LevelDB's own Bloom filter, as far as it takes to ask its blocks: its name, and its answer. */
#ifndef STUDY_44_BUILTIN_H
#define STUDY_44_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILTIN_NAME "leveldb.BuiltinBloomFilter2"

bool builtin_may_match(const uint8_t *key, size_t key_size, const uint8_t *block,
                       size_t size);

#endif
