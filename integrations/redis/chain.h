/* SPDX-License-Identifier: MIT */
/* The list of filters behind a BF or CF key: how it begins, grows, and what it holds.
 *
 * BF: Bloom filters of growing capacity. An item goes to one that has room, if none has it
 * yet. The promise is split: e0 + e1 + ... <= the error rate. A filter that was reserved
 * spends six tenths of it on its first table, which is all that it should need; one that
 * began small, by default, will grow, and splits it evenly over 24 tables.
 *
 * CF: nested cuckoo filters. All have tags of the same width and buckets of the same size;
 * each has a whole multiple of the buckets of those before it. So two items that agree in
 * one filter (in tag and places) agree in every smaller one. DEL takes a tag from the
 * largest filter that seems to have the item: if it was another's, that one is still
 * covered by the tag of the item removed, which lies in the same or in a smaller one. Hence
 * removal loses nothing, however far it has grown (docs/cuckoo.md). */
#ifndef NR_CHAIN_H
#define NR_CHAIN_H

#include "object.h"

#define NR_MAX_CAPACITY (INT64_C(1) << 40)

/* Hashes of a group of items and the answers about them. */
#define NR_GROUP 256

/* A BF or CF object with its first filter, from its parameters. NULL: *error says why. */
struct nr_object *nr_chain_new(enum nr_face face, const struct nr_object *parameters,
                               ninho_error *error);

/* Bits of maybe[] as ninho_filter_has_many() gives them, over all filters. n <= NR_GROUP. */
void nr_chain_has_many(const struct nr_object *object, const uint64_t *hashes, size_t n,
                       uint64_t maybe[NR_GROUP / 64]);
bool nr_chain_has(const struct nr_object *object, uint64_t hash);
uint64_t nr_chain_copies(const struct nr_object *object, uint64_t hash);

/* Adds an item that no filter has. NINHO_ERR_FULL: it does not grow (or cannot any more,
 * if its expansion is not 0); NINHO_ERR_NOMEM: not under the cap, or no memory. */
ninho_status nr_bf_add(struct nr_object *object, uint64_t hash);

/* What one command has met, so that hostile items do not make it search for long. */
struct nr_work {
    uint64_t last_full; /* an item there was no room for, or that could not be removed */
    bool has_full;
    uint64_t n_looked; /* tags looked at for items that were refused, at most */
};

/* Whether the item was refused last, or enough has been looked at in this command. */
bool nr_work_is_done(const struct nr_work *work, uint64_t hash);

/* Notes that the filter had no room for the item. */
void nr_work_failed(struct nr_work *work, const ninho_filter *filter, uint64_t hash);

/* Removes one copy of an item, within the work of a command. NINHO_ERR_NOT_FOUND;
 * NINHO_ERR_FULL, with nothing changed: it stands among too many others, or the command
 * has done enough. */
ninho_status nr_work_remove(struct nr_work *work, ninho_filter *filter, uint64_t hash);

/* Adds a copy of an item. NINHO_ERR_FULL: no room for more of its copies, or it does not
 * grow; NINHO_ERR_NOMEM. */
ninho_status nr_cf_add(struct nr_object *object, uint64_t hash, struct nr_work *work);

/* Adds items in a batch as far as the newest filter takes them at once; the number. */
size_t nr_cf_add_some(struct nr_object *object, const uint64_t *hashes, size_t n);

/* Removes one copy, from the largest filter that has one. NINHO_ERR_NOT_FOUND if none has;
 * otherwise, with nothing changed, what ninho_filter_remove() answers. */
ninho_status nr_cf_remove(struct nr_object *object, uint64_t hash);

/* Moves items of the largest filter, from *cursor on (0 at first), to smaller ones with
 * room, and drops it if it is empty: looks at about `budget` slots. True when nothing is
 * left to do; otherwise *cursor is where to go on. */
bool nr_cf_compact(struct nr_object *object, uint64_t *cursor, uint64_t budget);

/* Adds what `source` holds to `target`: into filters of the same geometry where there is
 * room, otherwise as filters of their own. NINHO_ERR_MISMATCH, FULL, NOMEM: then the
 * target may hold part of it, and is to be thrown away. */
ninho_status nr_chain_merge(struct nr_object *target, const struct nr_object *source,
                            ninho_error *error);

/* Whether layers from outside can be what this module makes. */
bool nr_chain_is_sound(const struct nr_object *object);

/* Items that it holds before it grows. */
uint64_t nr_chain_capacity(const struct nr_object *object);

/* The hash of an item, in BF and CF keys. */
static inline uint64_t nr_item_hash(const RedisModuleString *item)
{
    static const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    size_t size;
    const char *bytes = redis.StringPtrLen(item, &size);

    return ninho_hash_bytes(&hasher, bytes, size);
}

#endif
