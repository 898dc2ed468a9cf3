/* SPDX-License-Identifier: MIT */
/* The private interface between the dictionary's front door (dict.c) and its kinds.
 *
 * All kinds keep *entries* of one size and find them; what an entry holds is the same for
 * all:
 *
 *   fixed-size keys:   | key, padded to 8 | value |
 *   keys of any size:  | hash | where in the arena | value |   arena: ... | size | bytes | ...
 *
 * A kind moves entries about as blocks of bytes. It never looks at a key but through
 * nh_entry_is() and nh_entry_hash(). */
#ifndef NH_DICT_OPS_H
#define NH_DICT_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ninho/dict.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/steps.h"

/* A key as it is looked for. */
struct nh_key {
    const uint8_t *bytes;
    size_t size;
    uint64_t hash;
};

/* The largest entry: a fixed key of 1024 bytes and its value. */
#define NH_MAX_ENTRY (NINHO_DICT_MAX_KEY_SIZE + 8)

/* What reserve and insert answer, with nothing changed, where the keys of a watched table stand
 * so close as chance would never put them: they were chosen, or the hash is very bad. The front
 * door then takes a hash that nobody knows, and asks again. Each kind says what is too close;
 * with that much at most, a lookup has a bound. */
#define NH_CROWDED NINHO_ERR_BUILD

struct nh_dict_ops {
    ninho_dict_kind kind;
    const char *name;
    const char *summary;

    /* An empty table with room for `capacity` keys. On failure nothing is allocated. */
    ninho_status (*start)(ninho_dict *dict, uint64_t capacity);
    void (*finish)(ninho_dict *dict);
    /* Room for n keys in all; on failure as before. */
    ninho_status (*reserve)(ninho_dict *dict, uint64_t n);
    /* Builds the table anew, no smaller, under the hashes that keys have now; on failure as
     * before. */
    ninho_status (*rehash)(ninho_dict *dict);

    uint8_t *(*find)(const ninho_dict *dict, const struct nh_key *key);
    /* Asks for the memory that find will look at first; and, once that has come, for what
     * it will look at then (NULL: there is nothing more). */
    void (*prefetch)(const ninho_dict *dict, const struct nh_key *key);
    void (*prefetch_entry)(const ninho_dict *dict, const struct nh_key *key);
    /* Asks for what insert will write and find does not read (NULL: there is nothing
     * such). */
    void (*prefetch_put)(const ninho_dict *dict, const struct nh_key *key);
    /* Puts an entry whose key is not there yet, growing if it must; on failure as
     * before. */
    ninho_status (*insert)(ninho_dict *dict, uint64_t hash, const uint8_t *entry);
    void (*erase)(ninho_dict *dict, uint8_t *entry);
    /* The entry at or after *cursor, which is moved past it; NULL at the end. */
    uint8_t *(*next)(const ninho_dict *dict, uint64_t *cursor);
    uint64_t (*n_slots)(const ninho_dict *dict);
    /* Invariants beyond "every entry is found". */
    bool (*is_sound)(const ninho_dict *dict);
};

#define NH_DICT_MAX_CAPACITY (UINT64_C(1) << 48)

/* spec.c: the kind of that number, NULL if there is none; and the caller's spec with defaults for
 * 0, each field checked. */
const struct nh_dict_ops *nh_dict_ops_of(ninho_dict_kind kind);
ninho_status nh_dict_read_spec(const ninho_dict_spec *theirs, ninho_dict_spec *spec,
                               ninho_error *error);

extern const struct nh_dict_ops nh_dict_chain, nh_dict_probe, nh_dict_cuckoo_table;
/* `probe` for keys of 8 bytes: a layout of its own */
extern const struct nh_dict_ops nh_dict_probe8;

/* A block of memory that knows its size. */
struct nh_block {
    uint8_t *bytes;
    size_t size;
};

struct nh_chain_table {
    /* n_lists words: number of the first node plus one, 0 for none */
    struct nh_table heads;
    struct nh_block nodes; /* | next | entry | each */
    uint64_t n_lists;
    uint64_t n_nodes; /* ever used; freed ones are in the list below */
    uint64_t max_nodes;
    uint64_t free_node; /* number plus one */
};

struct nh_probe_table {
    struct nh_table tags; /* n_slots bytes and 16 more that repeat the first: 0 = free */
    struct nh_table entries;
    uint64_t n_slots;
    /* the last slots are nobody's home: no first window goes around the end */
    uint64_t n_homes;
    uint64_t max_used;
    uint64_t salt;
};

struct nh_block8_kernel;

struct nh_probe8_table {
    struct nh_table blocks; /* and after them as much room again, for the values */
    uint64_t n_blocks;
    uint64_t salt;
    const struct nh_block8_kernel *kernel;
    uint64_t max_used;
    uint64_t max_walk; /* blocks from its home on in which a key lies */
};

struct nh_cuckoo_table {
    struct nh_table tags; /* one byte per slot: 0 = free */
    struct nh_table entries;
    struct nh_block stash;
    uint64_t n_buckets; /* per table */
    uint64_t max_used;
    uint64_t salt; /* which functions are in use: changes with every rehash */
    uint32_t n_stashed;
    uint32_t n_rebuilt; /* times, at this size */
    uint64_t rng;
};

struct ninho_dict {
    const struct nh_dict_ops *ops;
    ninho_alloc alloc;
    ninho_dict_spec spec; /* with defaults filled in; secret is NULL */
    ninho_hasher hasher;
    uint64_t key_check;
    bool is_fast8;   /* keys of 8 bytes are hashed by nh_mix, which can be done in line */
    bool is_watched; /* for crowds: NH_CROWDED */
    uint64_t count;
    uint64_t n_changes; /* insertions and removals: ends visits that began before */
    size_t entry_size;
    /* A short way to get keys of 8 bytes hashed by nh_mix, one, or n in an array; NULL if
     * there is none. */
    bool (*get_word)(const ninho_dict *dict, uint64_t key, uint64_t *value);
    size_t (*get_words)(const ninho_dict *dict, const uint8_t *keys, size_t n,
                        uint64_t *values, uint64_t *found);
    /* where an entry's value lies from its start; probe8 changes it */
    size_t value_offset;
    struct nh_block arena;
    size_t arena_used;
    size_t arena_dead; /* bytes of keys that were removed */
    union {
        struct nh_chain_table chain;
        struct nh_probe_table probe;
        struct nh_probe8_table probe8;
        struct nh_cuckoo_table cuckoo;
    } table;
    uint64_t n_moves;
    uint64_t n_rehashes;
    uint64_t longest_walk;
    uint64_t table_bytes; /* of the kind's own tables */
};

/* ---- Entries ----------------------------------------------------------------------- */

static inline uint64_t nh_word_at(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline void nh_set_word(uint8_t *at, uint64_t word)
{
    memcpy(at, &word, sizeof word);
}

static inline uint64_t nh_entry_value(const ninho_dict *dict, const uint8_t *entry)
{
    return nh_word_at(entry + dict->value_offset);
}

/* 8-byte keys need no more than one multiplication, its two halves folded together. */
static inline uint64_t nh_mix(uint64_t x, uint64_t seed)
{
    const uint64_t k = UINT64_C(0xe9846af9b1a615d5);
    x ^= seed ^ UINT64_C(0x9e3779b97f4a7c15);
    return (x * k) ^ nh_mul_high(x, k);
}

/* The hash of a key of any kind. */
uint64_t nh_dict_hash_key(const ninho_dict *dict, const uint8_t *key, size_t size);

/* The key of an entry. */
static inline const uint8_t *nh_entry_key(const ninho_dict *dict, const uint8_t *entry,
                                          size_t *size)
{
    if (dict->spec.key_size) {
        *size = dict->spec.key_size;
        return entry;
    }
    const uint8_t *const at = dict->arena.bytes + nh_word_at(entry + 8);
    *size = (size_t)nh_word_at(at);
    return at + 8;
}

static inline uint64_t nh_entry_hash(const ninho_dict *dict, const uint8_t *entry)
{
    if (!dict->spec.key_size)
        return nh_word_at(entry);
    if (dict->is_fast8)
        return nh_mix(nh_word_at(entry), dict->spec.seed);
    return nh_dict_hash_key(dict, entry, dict->spec.key_size);
}

static inline bool nh_entry_is(const ninho_dict *dict, const uint8_t *entry,
                               const struct nh_key *key)
{
    if (dict->spec.key_size == 8)
        return nh_word_at(entry) == nh_word_at(key->bytes);
    if (dict->spec.key_size)
        return memcmp(entry, key->bytes, key->size) == 0;
    if (nh_word_at(entry) != key->hash)
        return false;
    size_t size;
    const uint8_t *const bytes = nh_entry_key(dict, entry, &size);
    return size == key->size && memcmp(bytes, key->bytes, size) == 0;
}

/* ---- For the kinds ----------------------------------------------------------------- */

/* A table of n things of `size` bytes, counted in dict->table_bytes. */
bool nh_dict_table(ninho_dict *dict, uint64_t n, uint64_t size, struct nh_table *table);
void nh_dict_table_free(ninho_dict *dict, struct nh_table *table);

static inline void nh_dict_tell(const ninho_dict *dict, ninho_event_type type,
                                uint64_t from, uint64_t to, uint64_t value)
{
    if (dict->spec.observer) {
        const ninho_event event = {type, from, to, value};
        dict->spec.observer(dict->spec.observer_context, &event);
    }
}

#endif
