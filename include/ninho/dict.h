/* SPDX-License-Identifier: MIT */
/* Exact dictionaries: "is x in S?" answered without error, and with a 64-bit value for
 * each key.
 *
 * Keys are bytes of any length, or all of one fixed size (8 for integers), which takes
 * less room and is faster. Three ways to resolve collisions, one interface:
 *
 *   chain         separate chaining: simple, lookups follow a list
 *   probe         groups of one-byte tags: the fastest here, and the default choice
 *   cuckoo-table  d hash functions, buckets and a stash: lookups look at a fixed number of places,
 *                 however unlucky the keys
 *
 * <ninho/dict_inline.h> has calls for keys of 8 bytes that the compiler inlines.
 *
 * Threads: many readers or one writer. Calls that take a `const ninho_dict *` may run at
 * the same time as each other; calls that take a `ninho_dict *` need the dictionary to
 * themselves. */
#ifndef NINHO_DICT_H
#define NINHO_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/alloc.h>
#include <ninho/filter.h>
#include <ninho/hash.h>
#include <ninho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ninho_dict ninho_dict;

/* Stored in files: pinned. Never equal to a ninho_kind. */
typedef enum ninho_dict_kind {
    NINHO_CHAIN = 33,
    NINHO_PROBE = 34,
    NINHO_CUCKOO_TABLE = 35
} ninho_dict_kind;

/* "chain", "probe", "cuckoo-table"; NULL for an unknown number. Static. Any thread. */
NINHO_API const char *ninho_dict_kind_name(ninho_dict_kind kind);
/* One line that says what the kind is for. NULL for an unknown number. Static. Any
 * thread. */
NINHO_API const char *ninho_dict_kind_summary(ninho_dict_kind kind);
/* The kind of that name, 0 if there is none. Any thread. */
NINHO_API ninho_dict_kind ninho_dict_kind_from_name(const char *name);
/* The index-th kind, 0 past the last. Any thread. */
NINHO_API ninho_dict_kind ninho_dict_kind_at(size_t index);

/* ---- The spec ---------------------------------------------------------------------- */

/* A hash function of the caller's, instead of ours: for experiments. It must depend on
 * the key alone. A bad one makes chain and probe slow and cuckoo-table full; none makes
 * them loop or lose a key. */
typedef uint64_t (*ninho_dict_hash)(void *context, const void *key, size_t key_size);

/* The places of a key in a cuckoo table, told directly: fills places[0..n_functions) with
 * bucket numbers below n_buckets. For replaying examples on paper. */
typedef void (*ninho_dict_places)(void *context, const void *key, size_t key_size,
                                  uint64_t n_buckets, uint64_t *places);

#define NINHO_DICT_MAX_KEY_SIZE 1024 /* of fixed-size keys; others may have any length */

/* Start from NINHO_DICT_SPEC_INIT; 0 always means "choose for me". */
typedef struct ninho_dict_spec {
    size_t size_of_struct;
    ninho_dict_kind kind; /* 0: probe */
    /* 0: a fast one of the dictionary's own. Keys that collide under it as chance never makes
     * them make the dictionary go over to SipHash under a random secret, in memory only. */
    ninho_hash_id hash;
    ninho_key_encoding key_encoding; /* 0: bytes; remembered in files */
    ninho_pages pages;
    /* 0: keys of any length; else all have this many bytes, up to 1024 */
    uint32_t key_size;
    uint64_t capacity; /* keys to make room for at once */
    /* the most keys there may be: one more is NINHO_ERR_FULL; 0: no bound */
    uint64_t max_capacity;
    uint64_t seed;         /* of the hash; must be 0 with siphash */
    const uint8_t *secret; /* siphash: 16 bytes, copied */
    ninho_observer observer;
    void *observer_context;
    ninho_dict_hash hash_function;
    void *hook_context; /* for hash_function and places */
    /* cuckoo-table */
    uint32_t n_functions; /* d: 2 .. 4; 0: 2 */
    uint32_t bucket_size; /* 1 .. 8; 0: 4 */
    uint32_t n_tables;   /* 1, or 2: then odd functions have a table of their own; 0: 1 */
    uint32_t stash_size; /* 0 .. 16 entries that found no place; 0 means none */
    uint32_t max_moves;  /* displacements before it gives up; 1 .. 1000; 0: 250 */
    uint64_t n_buckets;  /* by hand: this many and never more (per table); 0: as needed */
    ninho_dict_places places;
} ninho_dict_spec;

#define NINHO_DICT_SPEC_INIT NINHO_INIT_(ninho_dict_spec)

/* ---- Life -------------------------------------------------------------------------- */

/* An empty dictionary; *out is the caller's, to be freed with ninho_dict_free(), and
 * untouched on failure. NINHO_ERR_ARG (error says which field, and its range),
 * NINHO_ERR_NOMEM, NINHO_ERR_KEY_MISSING. `alloc` may be NULL; it is copied. Any thread. */
NINHO_API ninho_status ninho_dict_create(const ninho_dict_spec *spec,
                                         const ninho_alloc *alloc, ninho_dict **out,
                                         ninho_error *error);

/* Frees a dictionary, and wipes its secret; NULL is fine. */
NINHO_API void ninho_dict_free(ninho_dict *dict);

/* ---- Keys -------------------------------------------------------------------------- */

/* Puts a key with its value: a new one, or a new value for one that is there; *is_new
 * (may be NULL) tells which. The key's bytes are copied. NINHO_ERR_FULL when max_capacity
 * is reached, or when a cuckoo table cannot place it (see ninho_dict_spec.n_buckets,
 * .hash_function); NINHO_ERR_NOMEM; NINHO_ERR_ARG for a key of the wrong size. On failure
 * nothing has changed, though a visit may have ended. The key may lie in the dictionary. */
NINHO_API ninho_status ninho_dict_put(ninho_dict *dict, const void *key, size_t key_size,
                                      uint64_t value, bool *is_new);

/* Whether the key is there; if so *value (may be NULL) is its value. Never allocates. A
 * key of the wrong size is not there. */
NINHO_API bool ninho_dict_get(const ninho_dict *dict, const void *key, size_t key_size,
                              uint64_t *value);

/* As n calls of ninho_dict_get, faster. Bit i % 64 of found[i / 64] tells whether key i
 * is there; values[i] (values may be NULL) is its value, or 0. Returns how many are. */
NINHO_API size_t ninho_dict_get_many(const ninho_dict *dict, const void *const *keys,
                                     const size_t *key_sizes, size_t n, uint64_t *values,
                                     uint64_t *found);

/* The same for a dictionary of fixed-size keys, over n keys that lie one after another.
 * Finds nothing in a dictionary of keys of any length. */
NINHO_API size_t ninho_dict_get_array(const ninho_dict *dict, const void *keys, size_t n,
                                      uint64_t *values, uint64_t *found);

/* Takes a key out. NINHO_ERR_NOT_FOUND if it is not there. Never allocates. */
NINHO_API ninho_status ninho_dict_remove(ninho_dict *dict, const void *key,
                                         size_t key_size);

/* ---- As a multiset ----------------------------------------------------------------- */

/* For programs whose values are numbers of copies; a value of 0 counts as one copy. How many
 * copies of a key there are, 0: none. */
NINHO_API uint64_t ninho_dict_copies(const ninho_dict *dict, const void *key,
                                     size_t key_size);

/* Adds n copies: what ninho_dict_put() answers, or NINHO_ERR_FULL if 64 bits cannot count
 * them. */
NINHO_API ninho_status ninho_dict_add_copies(ninho_dict *dict, const void *key,
                                             size_t key_size, uint64_t n);

/* Takes n copies out, and the key with the last one. NINHO_ERR_NOT_FOUND if there are not so
 * many; nothing has changed then. Never allocates. */
NINHO_API ninho_status ninho_dict_take_copies(ninho_dict *dict, const void *key,
                                              size_t key_size, uint64_t n);

/* ---- The whole --------------------------------------------------------------------- */

/* How many keys there are. */
NINHO_API uint64_t ninho_dict_count(const ninho_dict *dict);

/* Visits every key once, in no particular order: start with *cursor = 0 and go on while
 * it answers true. *key points into the dictionary until it is changed; each out pointer
 * may be NULL. Changing the dictionary (other than giving a key that is there a new
 * value) ends the visit: the next call answers false and sets *cursor to UINT64_MAX, so
 * that nothing is seen twice or skipped in silence; a visit that came to its end leaves
 * another number. (Changes are counted modulo 2^23: that many between two calls go
 * unseen.) */
NINHO_API bool ninho_dict_next(const ninho_dict *dict, uint64_t *cursor, const void **key,
                               size_t *key_size, uint64_t *value);

/* Makes room for n keys in all, so that adding up to that many will not have to grow.
 * NINHO_ERR_NOMEM, NINHO_ERR_FULL (n above max_capacity, or more than a
 * cuckoo table of n_buckets has; or keys that no functions can part): nothing changed. A
 * cuckoo table may have to be built anew all the same, now and then. */
NINHO_API ninho_status ninho_dict_reserve(ninho_dict *dict, uint64_t n);

/* Takes every key out and gives back the memory they took. NINHO_ERR_NOMEM: nothing
 * changed (the new, small table is made first). */
NINHO_API ninho_status ninho_dict_clear(ninho_dict *dict);

typedef struct ninho_dict_info {
    size_t size_of_struct; /* set by the caller: start from NINHO_DICT_INFO_INIT */
    ninho_dict_kind kind;
    ninho_hash_id hash; /* 0: the dictionary's own */
    ninho_key_encoding key_encoding;
    uint32_t key_size; /* 0: any */
    uint64_t count;
    uint64_t max_capacity; /* 0: no bound */
    uint64_t n_slots;      /* places for keys (chain: lists) */
    double load;           /* count / n_slots */
    uint64_t memory_bytes; /* all that it has allocated */
    uint64_t size_bytes;   /* of the framed encoding, so of the file */
    uint64_t seed;
    /* cuckoo-table, since it was created */
    uint64_t n_moves;    /* displacements */
    uint64_t n_rehashes; /* tables built anew with other functions at the same size */
    uint64_t n_stashed;  /* entries in the stash now */
    uint64_t longest_walk;
} ninho_dict_info;

#define NINHO_DICT_INFO_INIT NINHO_INIT_(ninho_dict_info)

/* Everything there is to know about it. NINHO_ERR_ARG for a size_of_struct of 0. */
NINHO_API ninho_status ninho_dict_info_of(const ninho_dict *dict, ninho_dict_info *info);

/* Checks that every key is where a lookup finds it and that the counts are right.
 * NINHO_OK or NINHO_ERR_FORMAT. Reads everything. */
NINHO_API ninho_status ninho_dict_verify(const ninho_dict *dict, ninho_error *error);

/* ---- Bytes and files --------------------------------------------------------------- */

/* The file holds the keys and values in the frame of docs/format.md, not the table:
 * opening it builds the table anew, so that no bytes can make a table that loops or loses
 * a key, or is slow: see docs/adversaries.md. The hooks, n_buckets, capacity and pages of the spec
 * are not stored. */

/* The size of the framed encoding: the file's. Does not read the keys. */
NINHO_API size_t ninho_dict_encoded_size(const ninho_dict *dict);

/* As ninho_filter_encode() and ninho_filter_decode() for filters. Of the options,
 * `secret` is needed for dictionaries hashed with siphash. */
NINHO_API ninho_status ninho_dict_encode(const ninho_dict *dict, void *bytes,
                                         size_t capacity, size_t *size);
NINHO_API ninho_status ninho_dict_decode(const void *bytes, size_t size,
                                         const ninho_open_options *options,
                                         ninho_dict **out, ninho_error *error);

/* As ninho_filter_write() and ninho_filter_read(). Memory for the table is taken once all of its
 * keys have come. */
NINHO_API ninho_status ninho_dict_write(const ninho_dict *dict, ninho_write write,
                                        void *context, ninho_error *error);
NINHO_API ninho_status ninho_dict_read(ninho_read read, void *context,
                                       const ninho_open_options *options,
                                       ninho_dict **out, ninho_error *error);

/* As ninho_filter_save() and ninho_filter_open(). */
NINHO_API ninho_status ninho_dict_save(const ninho_dict *dict, const char *path,
                                       ninho_error *error);
NINHO_API ninho_status ninho_dict_open(const char *path,
                                       const ninho_open_options *options,
                                       ninho_dict **out, ninho_error *error);

#ifdef __cplusplus
}
#endif

#endif
