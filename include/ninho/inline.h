/* SPDX-License-Identifier: MIT */
/* Lookups that the compiler inlines: for programs that ask one key at a time, millions of times a
 * second. A call into the library costs as much as the lookup itself; here there is none (but for the cases
 * below).
 *
 *     ninho_blocked_handle handle;
 *     if (ninho_blocked_handle_of(filter, &handle, &error) == NINHO_OK)
 *         for (size_t i = 0; i < n; i++)
 *             n_maybe += ninho_blocked_has_int64(&handle, keys[i]);
 *
 * A *handle* is what a lookup needs of a filter: where its table lies, and a few numbers. There is one
 * type for each of the kinds bloom, blocked, cuckoo, fuse and ribbon, and each answers exactly what
 * ninho_filter_has() and ninho_filter_has_key() would. Those who ask many keys at once are better
 * served by ninho_filter_has_many() and ninho_filter_has_column(), which overlap their cache misses.
 *
 * A handle is plain data: copy it freely; there is nothing to free. It points into the filter (or
 * the view, or the mapped file) and into its table. It stays valid, and sees every change, while
 * keys are added and removed; it ends when the filter is freed, cleared or the target of a union,
 * and with the bytes of a view. Its fields are the library's: they change from version to version,
 * and a program must be compiled with the header of the library that it runs with.
 * ninho_..._handle_of() answers NINHO_ERR_VERSION where the two do not fit.
 *
 * Threads: as for the filter, many readers or one writer, and for bloom and blocked adds that are
 * shared (..._add_shared) beside any number of readers.
 *
 * The kernels are the library's own, which includes this file. They are plain C, and use SSE2, AVX2
 * (where the program is compiled for it: -mavx2, -march=...) or NEON for blocks, AVX2 for ribbons. NINHO_NO_SIMD
 * leaves the plain ones. Without AVX2 a `blocked` handle takes more instructions than the library's call.
 * Keyed filters, xxh64 and rare shapes of tables cost a call. For C11 and C++. */
#ifndef NINHO_INLINE_H
#define NINHO_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/filter.h>
#include <ninho/kernels.h>
#include <ninho/kernels_ribbon.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Keys --------------------------------------------------------------------------- */

/* How a filter's keys are hashed. */
typedef struct ninho_handle_keys {
    const ninho_hasher *hasher; /* the filter's */
    uint64_t flip;              /* of XXH3: what the seed does to a key of 8 bytes */
    uint32_t takes_words;       /* whether a key may have 8 bytes, and XXH3 hashes it */
    uint32_t key_size;          /* that every key has; 0: any */
    ninho_status status;        /* why they cannot be hashed */
} ninho_handle_keys;

/* The hash of a key, or why it has none. Keys of 8 bytes are hashed here, others by the library. */
NINHO_INLINE_ ninho_status ninho_handle_hash_(const ninho_handle_keys *keys,
                                              const void *key, size_t key_size,
                                              uint64_t *hash)
{
    if (keys->takes_words && key_size == 8 && key) {
        *hash = ninho_xxh3_word_(ninho_load64_(key), keys->flip);
        return NINHO_OK;
    }
    if (keys->status)
        return keys->status;
    if ((!key && key_size) || (keys->key_size && keys->key_size != key_size))
        return NINHO_ERR_ARG;
    *hash = ninho_hash_bytes(keys->hasher, key, key_size);
    return NINHO_OK;
}

/* The same of an integer in the int64 encoding. */
NINHO_INLINE_ ninho_status ninho_handle_hash_int64_(const ninho_handle_keys *keys,
                                                    int64_t value, uint64_t *hash)
{
    if (keys->takes_words) {
        *hash = ninho_xxh3_word_((uint64_t)value, keys->flip);
        return NINHO_OK;
    }
    if (keys->status)
        return keys->status;
    if (keys->key_size && keys->key_size != 8)
        return NINHO_ERR_ARG;
    *hash = ninho_hash_int64(keys->hasher, value);
    return NINHO_OK;
}

/* What the library compares: the size of a struct, and a number that changes with any of them. */
#define NINHO_HANDLE_LAYOUT_     2
#define NINHO_LAYOUT_OF_(handle) (sizeof *(handle) | (size_t)NINHO_HANDLE_LAYOUT_ << 16)

/* Fills a handle, or what adds, for a filter of that kind. */
NINHO_API ninho_status ninho_handle_of_(const ninho_filter *filter, ninho_kind kind,
                                        void *handle, size_t layout, ninho_error *error);
NINHO_API ninho_status ninho_adder_of_(ninho_filter *filter, ninho_kind kind, void *adder,
                                       size_t layout, ninho_error *error);

/* Fills a ninho_near_handle. */
NINHO_API ninho_status ninho_near_handle_of_(const ninho_filter *filter, void *handle,
                                             size_t layout, ninho_error *error);

/* ---- blocked ------------------------------------------------------------------------ */

typedef struct ninho_blocked_handle {
    const uint8_t *table;
    uint64_t n_blocks;
    ninho_handle_keys keys;
} ninho_blocked_handle;

/* Fills *handle from a filter of kind blocked. NINHO_ERR_ARG (another kind, or NULL),
 * NINHO_ERR_VERSION: *handle is untouched. */
static inline ninho_status ninho_blocked_handle_of(const ninho_filter *filter,
                                                   ninho_blocked_handle *handle,
                                                   ninho_error *error)
{
    return ninho_handle_of_(filter, NINHO_BLOCKED, handle, NINHO_LAYOUT_OF_(handle),
                            error);
}

/* true: maybe in the set. false: certainly not. */
static inline bool ninho_blocked_has(const ninho_blocked_handle *handle, uint64_t hash)
{
    return NINHO_BLOCK_KERNEL_(has)(
        handle->table + ninho_block_at_(hash, handle->n_blocks), hash);
}

/* The same for a key of `key_size` bytes, as ninho_filter_has_key(). */
static inline bool ninho_blocked_has_key(const ninho_blocked_handle *handle,
                                         const void *key, size_t key_size)
{
    uint64_t hash = 0;
    return ninho_handle_hash_(&handle->keys, key, key_size, &hash) ||
           ninho_blocked_has(handle, hash);
}

/* The same for an integer in the int64 encoding. */
static inline bool ninho_blocked_has_int64(const ninho_blocked_handle *handle,
                                           int64_t value)
{
    uint64_t hash = 0;
    return ninho_handle_hash_int64_(&handle->keys, value, &hash) ||
           ninho_blocked_has(handle, hash);
}

/* What adds keys. It needs the filter to itself, as ninho_filter_add() does, and counts what it
 * adds. It ends with the handles. */
typedef struct ninho_blocked_adder {
    uint8_t *table;
    uint64_t n_blocks;
    uint64_t *counts[2];
    uint8_t *has_uncounted;
    ninho_handle_keys keys;
} ninho_blocked_adder;

/* Fills *adder from a filter of kind blocked. As ninho_blocked_handle_of(), and
 * NINHO_ERR_UNSUPPORTED for views, mapped files and filters with an observer. */
static inline ninho_status ninho_blocked_adder_of(ninho_filter *filter,
                                                  ninho_blocked_adder *adder,
                                                  ninho_error *error)
{
    return ninho_adder_of_(filter, NINHO_BLOCKED, adder, NINHO_LAYOUT_OF_(adder), error);
}

/* Adds a key, as ninho_filter_add() does. It cannot fail. */
static inline void ninho_blocked_add(const ninho_blocked_adder *adder, uint64_t hash)
{
    NINHO_BLOCK_KERNEL_(add)(adder->table + ninho_block_at_(hash, adder->n_blocks), hash);
    ++*adder->counts[0];
    ++*adder->counts[1];
}

/* The same for a key of `key_size` bytes. Fails as ninho_filter_add_key() does. */
static inline ninho_status ninho_blocked_add_key(const ninho_blocked_adder *adder,
                                                 const void *key, size_t key_size)
{
    uint64_t hash = 0;
    const ninho_status status = ninho_handle_hash_(&adder->keys, key, key_size, &hash);

    if (!status)
        ninho_blocked_add(adder, hash);
    return status;
}

/* The same for an integer in the int64 encoding. */
static inline ninho_status ninho_blocked_add_int64(const ninho_blocked_adder *adder,
                                                   int64_t value)
{
    uint64_t hash = 0;
    const ninho_status status = ninho_handle_hash_int64_(&adder->keys, value, &hash);

    if (!status)
        ninho_blocked_add(adder, hash);
    return status;
}

#ifdef NINHO_ATOMIC_OR_
/* Adds a key as ninho_filter_add_shared() does (<ninho/shared.h>): any number of threads, each with
 * an adder of its own or with one together, and readers beside them. It cannot fail, and does not
 * count. Not in C++ where the compiler is neither gcc nor clang. */
static inline void ninho_blocked_add_shared(const ninho_blocked_adder *adder,
                                            uint64_t hash)
{
    if (!NINHO_ATOMIC_LOAD_(adder->has_uncounted))
        NINHO_ATOMIC_STORE_(adder->has_uncounted, 1);
    ninho_block_add_shared_(adder->table + ninho_block_at_(hash, adder->n_blocks), hash);
}

/* The same for a key of `key_size` bytes. Fails as ninho_filter_add_key() does. */
static inline ninho_status ninho_blocked_add_key_shared(const ninho_blocked_adder *adder,
                                                        const void *key, size_t key_size)
{
    uint64_t hash = 0;
    const ninho_status status = ninho_handle_hash_(&adder->keys, key, key_size, &hash);

    if (!status)
        ninho_blocked_add_shared(adder, hash);
    return status;
}

/* The same for an integer in the int64 encoding. */
static inline ninho_status ninho_blocked_add_int64_shared(
    const ninho_blocked_adder *adder, int64_t value)
{
    uint64_t hash = 0;
    const ninho_status status = ninho_handle_hash_int64_(&adder->keys, value, &hash);

    if (!status)
        ninho_blocked_add_shared(adder, hash);
    return status;
}
#endif

/* ---- bloom -------------------------------------------------------------------------- */

typedef struct ninho_bloom_handle {
    const uint8_t *table;
    uint64_t n_bits;
    uint32_t n_hashes;
    ninho_handle_keys keys;
} ninho_bloom_handle;

/* Fills *handle from a filter of kind bloom. NINHO_ERR_ARG (another kind, or NULL),
 * NINHO_ERR_VERSION: *handle is untouched. */
static inline ninho_status ninho_bloom_handle_of(const ninho_filter *filter,
                                                 ninho_bloom_handle *handle,
                                                 ninho_error *error)
{
    return ninho_handle_of_(filter, NINHO_BLOOM, handle, NINHO_LAYOUT_OF_(handle), error);
}

/* true: maybe in the set. false: certainly not. */
static inline bool ninho_bloom_has(const ninho_bloom_handle *handle, uint64_t hash)
{
    return ninho_bloom_find_(handle->table, handle->n_bits, handle->n_hashes, hash);
}

/* The same for a key of `key_size` bytes, as ninho_filter_has_key(). */
static inline bool ninho_bloom_has_key(const ninho_bloom_handle *handle, const void *key,
                                       size_t key_size)
{
    uint64_t hash = 0;
    return ninho_handle_hash_(&handle->keys, key, key_size, &hash) ||
           ninho_bloom_has(handle, hash);
}

/* The same for an integer in the int64 encoding. */
static inline bool ninho_bloom_has_int64(const ninho_bloom_handle *handle, int64_t value)
{
    uint64_t hash = 0;
    return ninho_handle_hash_int64_(&handle->keys, value, &hash) ||
           ninho_bloom_has(handle, hash);
}

/* What adds keys. It needs the filter to itself, as ninho_filter_add() does, and counts what it
 * adds. It ends with the handles. */
typedef struct ninho_bloom_adder {
    uint8_t *table;
    uint64_t n_bits;
    uint32_t n_hashes;
    uint64_t *counts[2];
    uint8_t *has_uncounted;
    ninho_handle_keys keys;
} ninho_bloom_adder;

/* Fills *adder from a filter of kind bloom. As ninho_bloom_handle_of(), and
 * NINHO_ERR_UNSUPPORTED for views, mapped files and filters with an observer. */
static inline ninho_status ninho_bloom_adder_of(ninho_filter *filter,
                                                ninho_bloom_adder *adder,
                                                ninho_error *error)
{
    return ninho_adder_of_(filter, NINHO_BLOOM, adder, NINHO_LAYOUT_OF_(adder), error);
}

/* Adds a key, as ninho_filter_add() does. It cannot fail. */
static inline void ninho_bloom_add(const ninho_bloom_adder *adder, uint64_t hash)
{
    ninho_bloom_put_(adder->table, adder->n_bits, adder->n_hashes, hash);
    ++*adder->counts[0];
    ++*adder->counts[1];
}

/* The same for a key of `key_size` bytes. Fails as ninho_filter_add_key() does. */
static inline ninho_status ninho_bloom_add_key(const ninho_bloom_adder *adder,
                                               const void *key, size_t key_size)
{
    uint64_t hash = 0;
    const ninho_status status = ninho_handle_hash_(&adder->keys, key, key_size, &hash);

    if (!status)
        ninho_bloom_add(adder, hash);
    return status;
}

/* The same for an integer in the int64 encoding. */
static inline ninho_status ninho_bloom_add_int64(const ninho_bloom_adder *adder,
                                                 int64_t value)
{
    uint64_t hash = 0;
    const ninho_status status = ninho_handle_hash_int64_(&adder->keys, value, &hash);

    if (!status)
        ninho_bloom_add(adder, hash);
    return status;
}

#ifdef NINHO_ATOMIC_OR_
/* Adds a key as ninho_filter_add_shared() does (<ninho/shared.h>): any number of threads, each with
 * an adder of its own or with one together, and readers beside them. It cannot fail, and does not
 * count. */
static inline void ninho_bloom_add_shared(const ninho_bloom_adder *adder, uint64_t hash)
{
    if (!NINHO_ATOMIC_LOAD_(adder->has_uncounted))
        NINHO_ATOMIC_STORE_(adder->has_uncounted, 1);
    ninho_bloom_put_shared_(adder->table, adder->n_bits, adder->n_hashes, hash);
}

/* The same for a key of `key_size` bytes. Fails as ninho_filter_add_key() does. */
static inline ninho_status ninho_bloom_add_key_shared(const ninho_bloom_adder *adder,
                                                      const void *key, size_t key_size)
{
    uint64_t hash = 0;
    const ninho_status status = ninho_handle_hash_(&adder->keys, key, key_size, &hash);

    if (!status)
        ninho_bloom_add_shared(adder, hash);
    return status;
}

/* The same for an integer in the int64 encoding. */
static inline ninho_status ninho_bloom_add_int64_shared(const ninho_bloom_adder *adder,
                                                        int64_t value)
{
    uint64_t hash = 0;
    const ninho_status status = ninho_handle_hash_int64_(&adder->keys, value, &hash);

    if (!status)
        ninho_bloom_add_shared(adder, hash);
    return status;
}
#endif

/* ---- cuckoo ------------------------------------------------------------------------- */

/* Every shape of table is answered. Inlined are those whose places fit a word: all that the library
 * plans from a rate of 1.5e-5 up, and the original's. Others cost a call. */
typedef struct ninho_cuckoo_handle {
    const uint8_t *table;
    uint64_t size;
    ninho_cuckoo_shape_ shape;
    uint32_t pairing;
    const ninho_filter *filter; /* asked where the places are not lanes of a word */
    ninho_handle_keys keys;
} ninho_cuckoo_handle;

/* Fills *handle from a filter of kind cuckoo. NINHO_ERR_ARG (another kind, or NULL),
 * NINHO_ERR_VERSION: *handle is untouched. */
static inline ninho_status ninho_cuckoo_handle_of(const ninho_filter *filter,
                                                  ninho_cuckoo_handle *handle,
                                                  ninho_error *error)
{
    return ninho_handle_of_(filter, NINHO_CUCKOO, handle, NINHO_LAYOUT_OF_(handle),
                            error);
}

/* true: maybe in the set. false: certainly not. */
static inline bool ninho_cuckoo_has(const ninho_cuckoo_handle *handle, uint64_t hash)
{
    if (handle->pairing == NINHO_PAIRING_OFFSET)
        return ninho_cuckoo_find_(handle->table, handle->size, &handle->shape, hash,
                                  true);
    if (handle->pairing == NINHO_PAIRING_NEAR)
        return ninho_cuckoo_find_near_(handle->table, &handle->shape, hash);
    if (handle->pairing == NINHO_PAIRING_XOR)
        return ninho_cuckoo_find_(handle->table, handle->size, &handle->shape, hash,
                                  false);
    return ninho_filter_has(handle->filter, hash);
}

/* The same for a key of `key_size` bytes, as ninho_filter_has_key(). */
static inline bool ninho_cuckoo_has_key(const ninho_cuckoo_handle *handle,
                                        const void *key, size_t key_size)
{
    uint64_t hash = 0;
    return ninho_handle_hash_(&handle->keys, key, key_size, &hash) ||
           ninho_cuckoo_has(handle, hash);
}

/* The same for an integer in the int64 encoding. */
static inline bool ninho_cuckoo_has_int64(const ninho_cuckoo_handle *handle,
                                          int64_t value)
{
    uint64_t hash = 0;
    return ninho_handle_hash_int64_(&handle->keys, value, &hash) ||
           ninho_cuckoo_has(handle, hash);
}

/* The same for the tables that `prefer` = NINHO_PREFER_SPEED gives, hashed by xxh3: with no other case
 * to think of there is no call at all, and a compiler keeps all numbers in registers. */
typedef struct ninho_near_handle {
    const uint8_t *table;
    ninho_cuckoo_shape_ shape;
    ninho_handle_keys keys;
} ninho_near_handle;

/* Fills *handle from a filter of kind cuckoo. As ninho_cuckoo_handle_of(), and
 * NINHO_ERR_UNSUPPORTED where the pairing is not near, or the keys are not integers or bytes under
 * xxh3: take that one then. */
static inline ninho_status ninho_near_handle_of(const ninho_filter *filter,
                                                ninho_near_handle *handle,
                                                ninho_error *error)
{
    return ninho_near_handle_of_(filter, handle, NINHO_LAYOUT_OF_(handle), error);
}

/* true: maybe in the set. false: certainly not. */
static inline bool ninho_near_has(const ninho_near_handle *handle, uint64_t hash)
{
    return ninho_cuckoo_find_near_(handle->table, &handle->shape, hash);
}

/* The same for a key of `key_size` bytes, as ninho_filter_has_key(). */
static inline bool ninho_near_has_key(const ninho_near_handle *handle, const void *key,
                                      size_t key_size)
{
    uint64_t hash = 0;
    return ninho_handle_hash_(&handle->keys, key, key_size, &hash) ||
           ninho_near_has(handle, hash);
}

/* The same for an integer in the int64 encoding. */
static inline bool ninho_near_has_int64(const ninho_near_handle *handle, int64_t value)
{
    return ninho_near_has(handle, ninho_xxh3_word_((uint64_t)value, handle->keys.flip));
}

/* ---- fuse --------------------------------------------------------------------------- */

typedef struct ninho_fuse_handle {
    const uint8_t *table;
    uint64_t region, inside, turn;
    uint32_t arity; /* 0: the table has a seed of its own, and the filter is asked */
    uint32_t bits;
    const ninho_filter *filter;
    ninho_handle_keys keys;
} ninho_fuse_handle;

/* Fills *handle from a filter of kind fuse. NINHO_ERR_ARG (another kind, or NULL),
 * NINHO_ERR_VERSION: *handle is untouched. */
static inline ninho_status ninho_fuse_handle_of(const ninho_filter *filter,
                                                ninho_fuse_handle *handle,
                                                ninho_error *error)
{
    return ninho_handle_of_(filter, NINHO_FUSE, handle, NINHO_LAYOUT_OF_(handle), error);
}

/* true: maybe in the set. false: certainly not. */
static inline bool ninho_fuse_has(const ninho_fuse_handle *handle, uint64_t hash)
{
    const uint8_t *const table = handle->table;
    const uint64_t region = handle->region, inside = handle->inside, turn = handle->turn;

    if (handle->arity == 3 && handle->bits == 8)
        return ninho_fuse_find_(table, region, inside, turn, 3, 8, hash);
    if (handle->arity == 3)
        return ninho_fuse_find_(table, region, inside, turn, 3, 16, hash);
    if (handle->arity == 4)
        return ninho_fuse_find_(table, region, inside, turn, 4, handle->bits, hash);
    return ninho_filter_has(handle->filter, hash);
}

/* The same for a key of `key_size` bytes, as ninho_filter_has_key(). */
static inline bool ninho_fuse_has_key(const ninho_fuse_handle *handle, const void *key,
                                      size_t key_size)
{
    uint64_t hash = 0;
    return ninho_handle_hash_(&handle->keys, key, key_size, &hash) ||
           ninho_fuse_has(handle, hash);
}

/* The same for an integer in the int64 encoding. */
static inline bool ninho_fuse_has_int64(const ninho_fuse_handle *handle, int64_t value)
{
    uint64_t hash = 0;
    return ninho_handle_hash_int64_(&handle->keys, value, &hash) ||
           ninho_fuse_has(handle, hash);
}

/* ---- ribbon ------------------------------------------------------------------------- */

typedef struct ninho_ribbon_handle {
    const uint8_t *table;
    ninho_ribbon_shape_ shape;
    uint32_t is_keyed; /* the table has a seed of its own, and the filter is asked */
    const ninho_filter *filter;
    ninho_handle_keys keys;
} ninho_ribbon_handle;

/* Fills *handle from a filter of kind ribbon. NINHO_ERR_ARG (another kind, or NULL),
 * NINHO_ERR_VERSION: *handle is untouched. */
static inline ninho_status ninho_ribbon_handle_of(const ninho_filter *filter,
                                                  ninho_ribbon_handle *handle,
                                                  ninho_error *error)
{
    return ninho_handle_of_(filter, NINHO_RIBBON, handle, NINHO_LAYOUT_OF_(handle),
                            error);
}

/* true: maybe in the set. false: certainly not. */
static inline bool ninho_ribbon_has(const ninho_ribbon_handle *handle, uint64_t hash)
{
    ninho_ribbon_row_ row;
    ninho_ribbon_words_ words;

    if (NINHO_SELDOM_(handle->is_keyed))
        return ninho_filter_has(handle->filter, hash);
    if (NINHO_SELDOM_(
            !ninho_ribbon_first_row_(handle->table, &handle->shape, hash, &row)))
        row = ninho_ribbon_later_row_(handle->table, &handle->shape, hash);
    words = ninho_ribbon_words_of_(handle->table, &handle->shape, &row, true);
    return NINHO_RIBBON_KERNEL_(agrees)(&words, row.wanted, false);
}

/* The same for a key of `key_size` bytes, as ninho_filter_has_key(). */
static inline bool ninho_ribbon_has_key(const ninho_ribbon_handle *handle,
                                        const void *key, size_t key_size)
{
    uint64_t hash = 0;
    return ninho_handle_hash_(&handle->keys, key, key_size, &hash) ||
           ninho_ribbon_has(handle, hash);
}

/* The same for an integer in the int64 encoding. */
static inline bool ninho_ribbon_has_int64(const ninho_ribbon_handle *handle,
                                          int64_t value)
{
    uint64_t hash = 0;
    return ninho_handle_hash_int64_(&handle->keys, value, &hash) ||
           ninho_ribbon_has(handle, hash);
}

#ifdef __cplusplus
}
#endif

#endif
