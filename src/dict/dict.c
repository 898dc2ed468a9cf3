/* SPDX-License-Identifier: MIT */
/* The front door of the dictionaries: keys and the arena. Kinds and specs are in spec.c; kinds
 * are reached through ops.h. */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "base/status.h"
#include "base/versioned.h"
#include "dict/ops.h"

/* ---- Memory ------------------------------------------------------------------------ */

bool nh_dict_table(ninho_dict *dict, uint64_t n, uint64_t size, struct nh_table *table)
{
    uint64_t bytes;

    if (!nh_mul_fits(n, size, &bytes) || bytes > SIZE_MAX ||
        !nh_table_alloc(&dict->alloc, (size_t)bytes, dict->spec.pages == NINHO_PAGES_AUTO,
                        table))
        return false;
    dict->table_bytes += table->block_size;
    return true;
}

void nh_dict_table_free(ninho_dict *dict, struct nh_table *table)
{
    dict->table_bytes -= table->block_size;
    nh_table_free(&dict->alloc, table);
}

ninho_status ninho_dict_create(const ninho_dict_spec *theirs, const ninho_alloc *alloc,
                               ninho_dict **out, ninho_error *error)
{
    const ninho_alloc from = nh_alloc_or_default(alloc);
    ninho_dict_spec spec;

    if (!out)
        return nh_fail(error, NINHO_ERR_ARG, "out is NULL");
    ninho_status status = nh_dict_read_spec(theirs, &spec, error);
    if (status)
        return status;
    ninho_dict *dict = nh_alloc_zeroed(&from, sizeof *dict);
    if (!dict)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    dict->ops = nh_dict_ops_of(spec.kind);
    dict->alloc = from;
    dict->hasher =
        (ninho_hasher){.id = spec.hash ? spec.hash : NINHO_HASH_XXH3, .seed = spec.seed};
    if (spec.secret) {
        memcpy(dict->hasher.secret, spec.secret, NINHO_SECRET_BYTES);
        dict->key_check = ninho_secret_check(spec.secret);
    }
    dict->spec = spec;
    dict->spec.secret = NULL;
    dict->is_fast8 = spec.key_size == 8 && !spec.hash && !spec.hash_function;
    /* What is told by hand is for experiments, and stays as it was told. */
    dict->is_watched = !spec.hash_function && !spec.places && !spec.n_buckets;
    dict->entry_size = spec.key_size ? (size_t)nh_round_up(spec.key_size, 8) + 8 : 24;
    dict->value_offset = dict->entry_size - 8;
    if (spec.kind == NINHO_PROBE && spec.key_size == 8)
        dict->ops = &nh_dict_probe8;
    status = dict->ops->start(dict, spec.capacity);
    if (status) {
        nh_alloc_free(&from, dict, sizeof *dict);
        return nh_fail(error, status, "not enough memory for %" PRIu64 " keys",
                       spec.capacity);
    }
    *out = dict;
    return NINHO_OK;
}

void ninho_dict_free(ninho_dict *dict)
{
    if (!dict)
        return;
    const ninho_alloc alloc = dict->alloc;
    dict->ops->finish(dict);
    nh_alloc_free(&alloc, dict->arena.bytes, dict->arena.size);
    nh_wipe(&dict->hasher, sizeof dict->hasher);
    nh_alloc_free(&alloc, dict, sizeof *dict);
}

/* ---- The arena --------------------------------------------------------------------- */

#define MIN_ARENA 4096

/* Copies the living keys to a new arena of `size` bytes. The old one is the caller's to free:
 * the key that is being put may lie in it. */
static bool move_arena(ninho_dict *dict, size_t size, struct nh_block *old)
{
    uint8_t *const bytes = dict->alloc.alloc(dict->alloc.context, size);
    uint64_t cursor = 0;
    size_t used = 0;

    if (!bytes)
        return false;
    for (uint8_t *entry; (entry = dict->ops->next(dict, &cursor));) {
        const uint8_t *const key = dict->arena.bytes + nh_word_at(entry + 8);
        const size_t n = 8 + (size_t)nh_word_at(key);
        memcpy(bytes + used, key, n);
        nh_set_word(entry + 8, used);
        used += n;
    }
    *old = dict->arena;
    dict->arena = (struct nh_block){bytes, size};
    dict->arena_used = used;
    dict->arena_dead = 0;
    return true;
}

/* Room for n more bytes. When more than half of the arena belongs to removed keys, the
 * others are moved together instead of making it larger. */
static bool arena_room(ninho_dict *dict, size_t n, struct nh_block *old)
{
    const size_t living = dict->arena_used - dict->arena_dead;

    if (n <= dict->arena.size - dict->arena_used)
        return true;
    if (n > SIZE_MAX / 4 || living > SIZE_MAX / 4)
        return false;
    const size_t wanted = 2 * (living + n);
    return move_arena(dict, wanted < MIN_ARENA ? MIN_ARENA : wanted, old);
}

/* ---- Keys -------------------------------------------------------------------------- */

uint64_t nh_dict_hash_key(const ninho_dict *dict, const uint8_t *key, size_t size)
{
    if (dict->spec.hash_function)
        return dict->spec.hash_function(dict->spec.hook_context, key, size);
    if (dict->is_fast8)
        return nh_mix(nh_word_at(key), dict->spec.seed);
    return ninho_hash_bytes(&dict->hasher, key, size);
}

/* Whether such a key can be in the dictionary; fills *key if so. */
static bool as_key(const ninho_dict *dict, const void *bytes, size_t size,
                   struct nh_key *key)
{
    static const uint8_t none[1];

    if (dict->spec.key_size ? size != dict->spec.key_size || !bytes : !bytes && size)
        return false;
    key->bytes = bytes ? bytes : none;
    key->size = size;
    key->hash = nh_dict_hash_key(dict, key->bytes, size);
    return true;
}

/* Writes the entry of a new key; the arena has room. */
static void make_entry(ninho_dict *dict, const struct nh_key *key, uint64_t value,
                       uint8_t *entry)
{
    if (dict->spec.key_size) {
        memset(entry, 0, dict->entry_size);
        memcpy(entry, key->bytes, key->size);
    } else {
        uint8_t *const at = dict->arena.bytes + dict->arena_used;
        nh_set_word(at, key->size);
        memcpy(at + 8, key->bytes, key->size);
        nh_set_word(entry, key->hash);
        nh_set_word(entry + 8, dict->arena_used);
    }
    nh_set_word(entry + dict->entry_size - 8, value);
}

/* ---- A hash that nobody knows ------------------------------------------------------ */

/* Entries of keys of any size keep their hash: gives each the one that it has now. */
static void renew_hashes(ninho_dict *dict)
{
    uint64_t cursor = 0;
    size_t size;

    if (dict->spec.key_size)
        return;
    for (uint8_t *entry; (entry = dict->ops->next(dict, &cursor));) {
        const uint8_t *const key = nh_entry_key(dict, entry, &size);
        nh_set_word(entry, nh_dict_hash_key(dict, key, size));
    }
}

/* The keys are crowded: from now on this table hashes with SipHash under a secret of its own.
 * Files keep the hash of the spec, on which nothing in them depends. Where the system has no
 * random numbers the hash stays, and the table is slow, but right. Once is enough, so that it
 * is no longer watched. On failure nothing has changed. */
static ninho_status take_secret_hash(ninho_dict *dict)
{
    const bool was_fast8 = dict->is_fast8;
    ninho_hasher old = dict->hasher, new = {.id = NINHO_HASH_SIPHASH};

    dict->is_watched = false;
    if (nh_random(new.secret, sizeof new.secret)) {
        dict->hasher = new;
        dict->is_fast8 = false;
        renew_hashes(dict);
    }
    const ninho_status status = dict->ops->rehash(dict);
    if (status) {
        dict->is_watched = true;
        dict->hasher = old;
        dict->is_fast8 = was_fast8;
        renew_hashes(dict);
    }
    dict->n_changes++;
    nh_wipe(&old, sizeof old);
    nh_wipe(&new, sizeof new);
    return status;
}

/* The kind's insert of a new entry. */
static ninho_status insert(ninho_dict *dict, uint64_t hash, uint8_t *entry)
{
    size_t size;
    ninho_status status = dict->ops->insert(dict, hash, entry);

    if (status != NH_CROWDED)
        return status;
    status = take_secret_hash(dict);
    if (status)
        return status;
    const uint8_t *const key = nh_entry_key(dict, entry, &size);
    hash = nh_dict_hash_key(dict, key, size);
    if (!dict->spec.key_size)
        nh_set_word(entry, hash);
    return dict->ops->insert(dict, hash, entry);
}

ninho_status ninho_dict_put(ninho_dict *dict, const void *bytes, size_t key_size,
                            uint64_t value, bool *is_new)
{
    uint8_t entry[NH_MAX_ENTRY];
    struct nh_key key;

    if (!dict || !as_key(dict, bytes, key_size, &key))
        return NINHO_ERR_ARG;
    if (dict->ops->prefetch_put)
        dict->ops->prefetch_put(dict, &key);
    uint8_t *const found = dict->ops->find(dict, &key);
    if (found) {
        nh_set_word(found + dict->value_offset, value);
        if (is_new)
            *is_new = false;
        return NINHO_OK;
    }
    if (dict->spec.max_capacity && dict->count >= dict->spec.max_capacity)
        return NINHO_ERR_FULL;
    const size_t n_arena = dict->spec.key_size ? 0 : key_size + 8;
    struct nh_block old = {0};
    if (n_arena && !arena_room(dict, n_arena, &old))
        return NINHO_ERR_NOMEM;
    make_entry(dict, &key, value, entry);
    dict->n_changes += old.bytes != NULL; /* keys have moved: visits end */
    nh_alloc_free(&dict->alloc, old.bytes, old.size);
    dict->arena_used += n_arena; /* the kind may read the key while it moves entries */
    const ninho_status status = insert(dict, key.hash, entry);
    if (status) {
        dict->arena_used -= n_arena;
        return status;
    }
    dict->count++;
    dict->n_changes++;
    if (is_new)
        *is_new = true;
    return NINHO_OK;
}

static bool get_any(const ninho_dict *dict, const void *bytes, size_t key_size,
                    uint64_t *value)
{
    struct nh_key key;

    if (!as_key(dict, bytes, key_size, &key))
        return false;
    const uint8_t *const entry = dict->ops->find(dict, &key);
    if (entry && value)
        *value = nh_entry_value(dict, entry);
    return entry != NULL;
}

/* The short way is a jump: nothing is kept on the stack for it. */
bool ninho_dict_get(const ninho_dict *dict, const void *bytes, size_t key_size,
                    uint64_t *value)
{
    if (!dict)
        return false;
    if (dict->get_word && key_size == 8 && bytes)
        return dict->get_word(dict, nh_word_at(bytes), value);
    return get_any(dict, bytes, key_size, value);
}

/* Keys to be looked for together: `keys` with `sizes`, or an array of fixed-size ones. */
struct batch {
    const void *const *keys;
    const size_t *sizes;
    const uint8_t *array;
    size_t n;
};

/* Key i of a batch; false if it cannot be in the dictionary. */
static bool batch_key(const ninho_dict *dict, const struct batch *batch, size_t i,
                      struct nh_key *key)
{
    const size_t size = dict->spec.key_size;

    if (!batch->array)
        return as_key(dict, batch->keys[i], batch->sizes[i], key);
    key->bytes = batch->array + i * size;
    key->size = size;
    key->hash = nh_dict_hash_key(dict, key->bytes, size);
    return true;
}

/* How many keys lie between two steps of one key. */
#define AHEAD 16
#define RING  (2 * AHEAD) /* keys under way; a power of two */

/* Looks for all keys of a batch, each in three steps, with others' steps between them:
 *
 *     i + 2 AHEAD: hash it, ask for the first line     i + AHEAD: ask for its entry     i: find
 *
 * Steps of many keys alternate rather than each step being done for a whole group,
 * because the processor can keep only so many lines on their way: a burst of requests
 * would wait. */
static size_t get_batch(const ninho_dict *dict, const struct batch *batch,
                        uint64_t *values, uint64_t *found)
{
    const struct nh_dict_ops *const ops = dict->ops;
    struct nh_key ring[RING];
    bool can_be[RING] = {false};
    size_t n_found = 0;

    for (size_t step = 0; step < batch->n + RING; step++) {
        if (step >= RING) {
            const size_t i = step - RING;
            const uint8_t *const entry =
                can_be[i % RING] ? ops->find(dict, &ring[i % RING]) : NULL;
            found[i / 64] |= (uint64_t)(entry != NULL) << (i % 64);
            n_found += entry != NULL;
            if (values && entry)
                values[i] = nh_entry_value(dict, entry);
        }
        if (step < batch->n) {
            can_be[step % RING] = batch_key(dict, batch, step, &ring[step % RING]);
            if (can_be[step % RING])
                ops->prefetch(dict, &ring[step % RING]);
        }
        if (ops->prefetch_entry && step >= AHEAD && step - AHEAD < batch->n &&
            can_be[(step - AHEAD) % RING])
            ops->prefetch_entry(dict, &ring[(step - AHEAD) % RING]);
    }
    return n_found;
}

static void clear_answers(size_t n, uint64_t *values, uint64_t *found)
{
    memset(found, 0, (n / 64 + (n % 64 != 0)) * sizeof *found);
    if (values)
        memset(values, 0, n * sizeof *values);
}

size_t ninho_dict_get_many(const ninho_dict *dict, const void *const *keys,
                           const size_t *key_sizes, size_t n, uint64_t *values,
                           uint64_t *found)
{
    const struct batch batch = {.keys = keys, .sizes = key_sizes, .n = n};

    if (!found || !n)
        return 0;
    clear_answers(n, values, found);
    return dict && keys && key_sizes ? get_batch(dict, &batch, values, found) : 0;
}

size_t ninho_dict_get_array(const ninho_dict *dict, const void *keys, size_t n,
                            uint64_t *values, uint64_t *found)
{
    const struct batch batch = {.array = keys, .n = n};

    if (!found || !n)
        return 0;
    clear_answers(n, values, found);
    if (!dict || !keys || !dict->spec.key_size)
        return 0;
    return dict->get_words ? dict->get_words(dict, keys, n, values, found)
                           : get_batch(dict, &batch, values, found);
}

ninho_status ninho_dict_remove(ninho_dict *dict, const void *bytes, size_t key_size)
{
    struct nh_key key;

    if (!dict)
        return NINHO_ERR_ARG;
    uint8_t *const entry =
        as_key(dict, bytes, key_size, &key) ? dict->ops->find(dict, &key) : NULL;
    if (!entry)
        return NINHO_ERR_NOT_FOUND;
    dict->ops->erase(dict, entry);
    dict->count--;
    dict->n_changes++;
    if (!dict->spec.key_size)
        dict->arena_dead += key_size + 8;
    if (!dict->count) { /* nothing in the arena is needed any more */
        dict->arena_used = 0;
        dict->arena_dead = 0;
    }
    return NINHO_OK;
}

/* ---- The whole --------------------------------------------------------------------- */

uint64_t ninho_dict_count(const ninho_dict *dict)
{
    return dict ? dict->count : 0;
}

/* The cursor: the kind's own place in the low 40 bits, plus one so that it is never 0
 * after the first step, and in the high 24 the changes so far, to see when there were
 * more. */
#define PLACE_BITS 40

bool ninho_dict_next(const ninho_dict *dict, uint64_t *cursor, const void **key,
                     size_t *key_size, uint64_t *value)
{
    if (!dict || !cursor || *cursor == UINT64_MAX)
        return false;
    const uint64_t changes = dict->n_changes & nh_low_mask(64 - PLACE_BITS - 1);
    uint64_t place = 0;
    if (*cursor) {
        if (*cursor >> PLACE_BITS != changes) {
            *cursor = UINT64_MAX;
            return false;
        }
        place = (*cursor & nh_low_mask(PLACE_BITS)) - 1;
    }
    const uint8_t *const entry = dict->ops->next(dict, &place);
    *cursor = changes << PLACE_BITS | (place + 1);
    if (!entry)
        return false;
    size_t size;
    const uint8_t *const bytes = nh_entry_key(dict, entry, &size);
    if (key)
        *key = bytes;
    if (key_size)
        *key_size = size;
    if (value)
        *value = nh_entry_value(dict, entry);
    return true;
}

ninho_status ninho_dict_reserve(ninho_dict *dict, uint64_t n)
{
    if (!dict)
        return NINHO_ERR_ARG;
    if (dict->spec.max_capacity && n > dict->spec.max_capacity)
        return NINHO_ERR_FULL;
    if (n > NH_DICT_MAX_CAPACITY)
        return NINHO_ERR_NOMEM;
    ninho_status status = dict->ops->reserve(dict, n);
    if (status == NH_CROWDED) {
        status = take_secret_hash(dict);
        if (!status)
            status = dict->ops->reserve(dict, n);
    }
    if (!status)
        dict->n_changes++;
    return status;
}

ninho_status ninho_dict_clear(ninho_dict *dict)
{
    if (!dict)
        return NINHO_ERR_ARG;
    ninho_dict fresh = *dict;
    /* The new table first, so that a failure leaves the old one. */
    const ninho_status status = dict->ops->start(&fresh, 0);
    if (status)
        return status;
    fresh.table_bytes -= dict->table_bytes;
    dict->ops->finish(dict);
    nh_alloc_free(&dict->alloc, dict->arena.bytes, dict->arena.size);
    fresh.arena = (struct nh_block){0};
    fresh.arena_used = fresh.arena_dead = 0;
    fresh.count = 0;
    fresh.n_changes++;
    *dict = fresh;
    return NINHO_OK;
}

ninho_status ninho_dict_info_of(const ninho_dict *dict, ninho_dict_info *info)
{
    if (!dict || !info)
        return NINHO_ERR_ARG;
    const uint64_t n_slots = dict->ops->n_slots(dict);
    const ninho_dict_info ours = {
        .kind = dict->spec.kind,
        .hash = dict->spec.hash,
        .key_encoding = dict->spec.key_encoding,
        .key_size = dict->spec.key_size,
        .count = dict->count,
        .max_capacity = dict->spec.max_capacity,
        .n_slots = n_slots,
        .load = (double)dict->count / (double)n_slots, /* there is always one */
        .memory_bytes = sizeof *dict + dict->table_bytes + dict->arena.size,
        .size_bytes = ninho_dict_encoded_size(dict),
        .seed = dict->spec.seed,
        .n_moves = dict->n_moves,
        .n_rehashes = dict->n_rehashes,
        .n_stashed =
            dict->spec.kind == NINHO_CUCKOO_TABLE ? dict->table.cuckoo.n_stashed : 0,
        .longest_walk = dict->longest_walk,
    };
    return nh_struct_out(info, &ours, sizeof ours) ? NINHO_OK : NINHO_ERR_ARG;
}

ninho_status ninho_dict_verify(const ninho_dict *dict, ninho_error *error)
{
    uint64_t cursor = 0, count = 0;

    if (!dict)
        return nh_fail(error, NINHO_ERR_ARG, "dict is NULL");
    if (!dict->ops->is_sound(dict))
        return nh_fail(error, NINHO_ERR_FORMAT, "the table contradicts itself");
    for (uint8_t *entry; (entry = dict->ops->next(dict, &cursor)); count++) {
        struct nh_key key;
        key.bytes = nh_entry_key(dict, entry, &key.size);
        key.hash = nh_dict_hash_key(dict, key.bytes, key.size);
        if (dict->ops->find(dict, &key) != entry)
            return nh_fail(error, NINHO_ERR_FORMAT,
                           "a key is not where it is looked for");
    }
    if (count != dict->count)
        return nh_fail(error, NINHO_ERR_FORMAT, "the count is wrong");
    return NINHO_OK;
}
