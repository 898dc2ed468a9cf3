/* SPDX-License-Identifier: MIT */
/* The filter blocks of the policy for LevelDB, made and asked without LevelDB: for hosts that put a policy together
 * themselves, as a class of C++ or to count what it answers. README.md has both. Installed as
 * <ninho/leveldb/block.h>. */
#ifndef NINHO_LEVELDB_BLOCK_H
#define NINHO_LEVELDB_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the filters shall be. Start from NINHO_LEVELDB_INIT, which zeroes everything and
 * records the size; 0 means "choose for me". */
typedef struct ninho_leveldb_options {
    size_t size_of_struct;
    ninho_kind kind; /* bloom, blocked, cuckoo or fuse; 0: bloom */
    /* 1 to 100, counted as LevelDB counts for its own: a block is at most as long as one of
     * leveldb_filterpolicy_create_bloom() with this number, all bytes of both counted, where
     * the kind can be that small (blocked comes in 32 bytes; cuckoo takes 9 bits per key and
     * more, fuse about 15 for a few dozen keys). 0: 10, or as fpr says */
    double bits_per_key;
    /* instead: the rate of absent keys that are "maybe", as in ninho_spec. The mean over
     * blocks is at most 1.1 times that. 0: by bits_per_key */
    double fpr;
    const ninho_alloc *alloc; /* for building; copied. NULL: malloc */
} ninho_leveldb_options;

#define NINHO_LEVELDB_INIT NINHO_INIT_(ninho_leveldb_options)

/* What leveldb_filterpolicy_create() takes: the functions have the types that it asks for. */
typedef struct ninho_leveldb_filters ninho_leveldb_filters;

/* The state. Fails as ninho_leveldb_policy() does. Freed with ninho_leveldb_free(). */
NINHO_API ninho_status ninho_leveldb_filters_create(const ninho_leveldb_options *options,
                                                    ninho_leveldb_filters **out,
                                                    ninho_error *error);

/* Frees a state; NULL is fine. */
NINHO_API void ninho_leveldb_free(void *filters);

/* A block for n keys, in any order; equal ones count once. Never NULL, and *size is never
 * 0, which LevelDB would take for "no key is here": where no filter can be made (no memory;
 * a construction that gives up) it is one byte that means "maybe". The caller frees it with
 * free(). Without memory for that one byte the process is aborted, as LevelDB would be by its
 * own. Any thread. */
NINHO_API char *ninho_leveldb_make(void *filters, const char *const *keys,
                                   const size_t *key_sizes, int n, size_t *size);

/* 1: maybe. 0: certainly not. Allocates nothing. Any thread. */
NINHO_API uint8_t ninho_leveldb_may_match(void *filters, const char *key, size_t key_size,
                                          const char *block, size_t size);

/* "ninho.bloom.1": kind and version of the encoding. LevelDB stores it with the blocks and
 * does not look at those of another name. Static. */
NINHO_API const char *ninho_leveldb_name(void *filters);

#ifdef __cplusplus
}
#endif

#endif
