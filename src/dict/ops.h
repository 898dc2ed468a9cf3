/* SPDX-License-Identifier: MIT */
/* The private interface between the dictionary's front door (dict.c) and its kinds.
 *
 * All kinds keep *entries* of one size and find them; what an entry holds is the same for
 * all:
 *
 *   fixed-size keys:   | key, padded to 8 | value |
 *   keys of any size:  | key, zeros, and in byte 15 its size | value |     up to 15 bytes
 *                      | hash | where in the arena, and 255 in byte 15 | value |    longer ones
 *                      arena: ... | size | bytes | ...
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
#include <ninho/dict_inline.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/le.h"
#include "base/steps.h"

/* A key as it is looked for. */
struct nh_key {
    const uint8_t *bytes;
    size_t size;
    uint64_t hash;
    /* Of 8 bytes, or where any size may come: the first words of its entry. (Of a key in the arena
     * only one word.) */
    uint64_t words[2];
};

#define NH_SHORT      15 /* bytes of a key of any size that lie in its entry, at most */
#define NH_WORD_ENTRY 16 /* bytes of an entry with a key of 8 */

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
    struct nh_table groups; /* the tags, 16 bytes a group, and the entries: probe.h */
    uint8_t *entries;
    uint64_t n_groups; /* a power of two */
    uint64_t shift;    /* of a hash, that gives the home */
    uint64_t max_used;
    uint64_t max_walk; /* groups that a key may lie in */
    uint64_t n_stuck;  /* removals that met a count that stays */
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

/* How the front door gets at keys. */
enum nh_way {
    NH_WAY_OPS,   /* through the kind's functions */
    NH_WAY_WORD,  /* `probe`: keys of 8 bytes, in line */
    NH_WAY_SHORT, /* `probe`: keys of any size, in line up to NH_SHORT bytes */
};

struct ninho_dict {
    ninho_words
        words; /* first: <ninho/dict_inline.h> finds the dictionary by it; count and n_changes
                        * are those of every kind */
    const struct nh_dict_ops *ops;
    enum nh_way way;
    /* The hash is the dictionary's own: keys of 8 bytes, and short ones where any size may come, are
     * hashed in line. */
    bool is_fast;
    bool is_watched; /* for crowds: NH_CROWDED */
    size_t entry_size;
    union {
        struct nh_chain_table chain;
        struct nh_probe_table probe;
        struct nh_cuckoo_table cuckoo;
    } table;
    ninho_dict_spec spec; /* with defaults filled in; secret is NULL */
    ninho_alloc alloc;
    ninho_hasher hasher;
    uint64_t key_check;
    uint64_t
        salt; /* what other hashes than its own are multiplied by; `probe` chooses one */
    uint64_t key_bytes; /* of all keys together, where any size may come */
    struct nh_table arena;
    size_t arena_size;
    size_t arena_used;
    size_t arena_dead; /* bytes of keys that were removed */
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
    return nh_word_at(entry + dict->entry_size - 8);
}

/* What the dictionary's own hash does with a seed. */
static inline uint64_t nh_flip_of(uint64_t seed)
{
    return seed ^ UINT64_C(0x9e3779b97f4a7c15);
}

/* The hash of a word, by its own. */
static inline uint64_t nh_word_hash(const ninho_dict *dict, uint64_t word)
{
    return ninho_word_hash_(word, dict->words.flip);
}

/* And of two: a product, its halves folded together. */
static inline uint64_t nh_short_hash(const ninho_dict *dict, const uint64_t words[2])
{
    const uint64_t a = words[0] ^ dict->words.flip;
    const uint64_t b = words[1] ^ UINT64_C(0x165667b19e3779f9);
    return (a * b) ^ nh_mul_high(a, b);
}

/* The words of a key of up to NH_SHORT bytes: what comes after it is 0, but for its size at the
 * end. Words of a longer part are put together from two that overlap. */
static inline void nh_short_words(const uint8_t *key, size_t size, uint64_t words[2])
{
    words[0] = words[1] = 0;
    if (size >= 8) {
        words[0] = nh_load_le64(key);
        words[1] = nh_load_le64(key + size - 8) >> 8 * (NH_SHORT - size) >> 8;
    } else if (size >= 4) {
        words[0] = nh_load_le32(key) | (uint64_t)nh_load_le32(key + size - 4)
                                           << 8 * (size - 4);
    } else if (size) {
        words[0] = key[0] | (uint64_t)key[size / 2] << 8 * (size / 2) |
                   (uint64_t)key[size - 1] << 8 * (size - 1);
    }
    words[1] |= (uint64_t)size << 56;
}

/* The hash of a key of any kind. */
uint64_t nh_dict_hash_key(const ninho_dict *dict, const uint8_t *key, size_t size);

/* Of an entry with a key of any size: where in the arena its key lies. False: it lies in the
 * entry. */
static inline bool nh_entry_is_long(const uint8_t *entry, size_t *where)
{
    const uint64_t word = nh_load_le64(entry + 8);
    *where = (size_t)(word & nh_low_mask(56));
    return word >> 56 == 255;
}

static inline void nh_entry_set_where(uint8_t *entry, size_t where)
{
    nh_store_le64(entry + 8, (uint64_t)where | (uint64_t)255 << 56);
}

/* The key of an entry. */
static inline const uint8_t *nh_entry_key(const ninho_dict *dict, const uint8_t *entry,
                                          size_t *size)
{
    size_t where;

    if (dict->spec.key_size) {
        *size = dict->spec.key_size;
        return entry;
    }
    if (!nh_entry_is_long(entry, &where)) {
        *size = entry[NH_SHORT];
        return entry;
    }
    const uint8_t *const at = dict->arena.bytes + where;
    *size = (size_t)nh_word_at(at);
    return at + 8;
}

static inline uint64_t nh_entry_hash(const ninho_dict *dict, const uint8_t *entry)
{
    size_t where;

    if (dict->spec.key_size)
        return dict->is_fast && dict->spec.key_size == 8
                   ? nh_word_hash(dict, nh_word_at(entry))
                   : nh_dict_hash_key(dict, entry, dict->spec.key_size);
    if (nh_entry_is_long(entry, &where))
        return nh_load_le64(entry);
    if (!dict->is_fast)
        return nh_dict_hash_key(dict, entry, entry[NH_SHORT]);
    const uint64_t words[2] = {nh_load_le64(entry), nh_load_le64(entry + 8)};
    return nh_short_hash(dict, words);
}

static inline bool nh_entry_is(const ninho_dict *dict, const uint8_t *entry,
                               const struct nh_key *key)
{
    size_t size;

    if (dict->spec.key_size == 8)
        return nh_word_at(entry) == key->words[0];
    if (dict->spec.key_size)
        return memcmp(entry, key->bytes, key->size) == 0;
    if (nh_load_le64(entry) != key->words[0])
        return false;
    if (key->size <= NH_SHORT)
        return nh_load_le64(entry + 8) == key->words[1];
    const uint8_t *const bytes = nh_entry_key(dict, entry, &size);
    return size == key->size && memcmp(bytes, key->bytes, size) == 0;
}

/* ---- For the kinds ----------------------------------------------------------------- */

/* A table of n things of `size` bytes, counted in dict->table_bytes. */
bool nh_dict_table(ninho_dict *dict, uint64_t n, uint64_t size, struct nh_table *table);
void nh_dict_table_free(ninho_dict *dict, struct nh_table *table);

/* arena.c: room for n more bytes. The old arena, if it had to be left, is the caller's to free: the key
 * that is being put may lie in it. False: there is no memory, and nothing has changed. */
bool nh_arena_room(ninho_dict *dict, size_t n, struct nh_table *old);

/* dict.c: a key of a size that can be there; and whether such a key can be, filling *key if so. */
struct nh_key nh_dict_key(const ninho_dict *dict, const uint8_t *bytes, size_t size);
bool nh_dict_as_key(const ninho_dict *dict, const void *bytes, size_t size,
                    struct nh_key *key);

static inline void nh_dict_tell(const ninho_dict *dict, ninho_event_type type,
                                uint64_t from, uint64_t to, uint64_t value)
{
    if (dict->spec.observer) {
        const ninho_event event = {type, from, to, value};
        dict->spec.observer(dict->spec.observer_context, &event);
    }
}

#endif
