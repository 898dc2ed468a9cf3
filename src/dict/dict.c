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
#include "dict/probe.h"

/* ---- Memory ------------------------------------------------------------------------ */

bool nh_dict_table(ninho_dict *dict, uint64_t n, uint64_t size, struct nh_table *table)
{
    uint64_t bytes;

    if (!nh_mul_fits(n, size, &bytes) || bytes > SIZE_MAX ||
        !nh_table_alloc(&dict->alloc, (size_t)bytes, dict->spec.pages == NINHO_PAGES_AUTO,
                        table))
        return false;
    dict->table_bytes += nh_table_taken(table);
    return true;
}

void nh_dict_table_free(ninho_dict *dict, struct nh_table *table)
{
    dict->table_bytes -= nh_table_taken(table);
    nh_table_free(&dict->alloc, table);
}

/* The short ways are open where the table is `probe`, the hash is its own and nobody observes. */
static void choose_way(ninho_dict *dict)
{
    const bool is_open =
        dict->ops == &nh_dict_probe && dict->is_fast && !dict->spec.observer;

    dict->way = !is_open                   ? NH_WAY_OPS
                : dict->spec.key_size == 8 ? NH_WAY_WORD
                : dict->spec.key_size      ? NH_WAY_OPS
                                           : NH_WAY_SHORT;
    nh_probe_publish(dict);
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
    dict->salt = 1;
    dict->words.flip = nh_flip_of(spec.seed);
    dict->spec = spec;
    dict->spec.secret = NULL;
    dict->is_fast = !spec.hash && !spec.hash_function;
    /* What is told by hand is for experiments, and stays as it was told. */
    dict->is_watched = !spec.hash_function && !spec.places && !spec.n_buckets;
    dict->entry_size = spec.key_size ? (size_t)nh_round_up(spec.key_size, 8) + 8 : 24;
    choose_way(dict);
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
    nh_table_free(&alloc, &dict->arena);
    nh_wipe(&dict->hasher, sizeof dict->hasher);
    nh_alloc_free(&alloc, dict, sizeof *dict);
}

/* ---- Keys -------------------------------------------------------------------------- */

uint64_t nh_dict_hash_key(const ninho_dict *dict, const uint8_t *key, size_t size)
{
    uint64_t words[2];

    if (dict->spec.hash_function)
        return dict->spec.hash_function(dict->spec.hook_context, key, size) * dict->salt;
    if (dict->is_fast && dict->spec.key_size == 8)
        return nh_word_hash(dict, nh_word_at(key));
    if (!dict->is_fast || dict->spec.key_size || size > NH_SHORT)
        return ninho_hash_bytes(&dict->hasher, key, size) * dict->salt;
    nh_short_words(key, size, words);
    return nh_short_hash(dict, words);
}

/* Before the first key is put, `probe` lets the hash depend on it: told in probe.c. */
static void choose_salt(ninho_dict *dict, const uint8_t *key, size_t size)
{
    const uint64_t flip = nh_flip_of(dict->spec.seed);

    dict->salt = 1;
    dict->words.flip = flip;
    dict->salt = ninho_word_hash_(nh_dict_hash_key(dict, key, size), 0) | 1;
    dict->words.flip = flip ^ dict->salt;
}

/* A key of a size that can be there. */
struct nh_key nh_dict_key(const ninho_dict *dict, const uint8_t *bytes, size_t size)
{
    struct nh_key key = {.bytes = bytes, .size = size};

    if (dict->spec.key_size == 8) {
        key.words[0] = nh_word_at(bytes);
    } else if (!dict->spec.key_size && size <= NH_SHORT) {
        nh_short_words(bytes, size, key.words);
        if (dict->is_fast) {
            key.hash = nh_short_hash(dict, key.words);
            return key;
        }
    }
    key.hash = nh_dict_hash_key(dict, bytes, size);
    if (!dict->spec.key_size && size > NH_SHORT)
        key.words[0] = key.hash;
    return key;
}

/* Whether such a key can be in the dictionary; fills *key if so. */
bool nh_dict_as_key(const ninho_dict *dict, const void *bytes, size_t size,
                    struct nh_key *key)
{
    static const uint8_t none[1];

    if (dict->spec.key_size ? size != dict->spec.key_size || !bytes : !bytes && size)
        return false;
    *key = nh_dict_key(dict, bytes ? bytes : none, size);
    return true;
}

/* How much of the arena a key takes. */
static size_t arena_bytes(const ninho_dict *dict, size_t key_size)
{
    return dict->spec.key_size || key_size <= NH_SHORT ? 0 : key_size + 8;
}

/* Writes the entry of a new key; the arena has room. */
static void make_entry(ninho_dict *dict, const struct nh_key *key, uint64_t value,
                       uint8_t *entry)
{
    if (dict->spec.key_size) {
        memset(entry, 0, dict->entry_size);
        memcpy(entry, key->bytes, key->size);
    } else {
        nh_store_le64(entry, key->words[0]);
        nh_store_le64(entry + 8, key->words[1]);
    }
    if (arena_bytes(dict, key->size)) {
        uint8_t *const at = dict->arena.bytes + dict->arena_used;
        nh_set_word(at, key->size);
        memcpy(at + 8, key->bytes, key->size);
        nh_entry_set_where(entry, dict->arena_used);
    }
    nh_set_word(entry + dict->entry_size - 8, value);
}

/* ---- A hash that nobody knows ------------------------------------------------------ */

/* Entries of keys in the arena keep their hash: gives each the one that it has now. */
static void renew_hashes(ninho_dict *dict)
{
    uint64_t cursor = 0;
    size_t size, where;

    if (dict->spec.key_size)
        return;
    for (uint8_t *entry; (entry = dict->ops->next(dict, &cursor));) {
        const uint8_t *const key = nh_entry_key(dict, entry, &size);
        if (nh_entry_is_long(entry, &where))
            nh_store_le64(entry, nh_dict_hash_key(dict, key, size));
    }
}

/* The keys are crowded: from now on this table hashes with SipHash under a secret of its own.
 * Files keep the hash of the spec, on which nothing in them depends. Where the system has no
 * random numbers the hash stays, and the table is slow, but right. Once is enough, so that it
 * is no longer watched. On failure nothing has changed. */
static ninho_status take_secret_hash(ninho_dict *dict)
{
    const bool was_fast = dict->is_fast;
    ninho_hasher old = dict->hasher, new = {.id = NINHO_HASH_SIPHASH};

    dict->is_watched = false;
    if (nh_random(new.secret, sizeof new.secret)) {
        dict->hasher = new;
        dict->is_fast = false;
        choose_way(dict);
        renew_hashes(dict);
    }
    const ninho_status status = dict->ops->rehash(dict);
    if (status) {
        dict->is_watched = true;
        dict->hasher = old;
        dict->is_fast = was_fast;
        choose_way(dict);
        renew_hashes(dict);
    }
    dict->words.n_changes++;
    nh_wipe(&old, sizeof old);
    nh_wipe(&new, sizeof new);
    return status;
}

/* The kind's insert of a new entry. */
static ninho_status insert(ninho_dict *dict, uint64_t hash, uint8_t *entry)
{
    size_t size, where;
    ninho_status status = dict->ops->insert(dict, hash, entry);

    if (status != NH_CROWDED)
        return status;
    status = take_secret_hash(dict);
    if (status)
        return status;
    const uint8_t *const key = nh_entry_key(dict, entry, &size);
    hash = nh_dict_hash_key(dict, key, size);
    if (!dict->spec.key_size && nh_entry_is_long(entry, &where))
        nh_store_le64(entry, hash);
    return dict->ops->insert(dict, hash, entry);
}

static ninho_status put_any(ninho_dict *dict, const struct nh_key *key, uint64_t value,
                            bool *is_new)
{
    uint8_t entry[NH_MAX_ENTRY];
    uint8_t *const found = dict->ops->find(dict, key);

    if (found) {
        nh_set_word(found + dict->entry_size - 8, value);
        if (is_new)
            *is_new = false;
        return NINHO_OK;
    }
    if (dict->spec.max_capacity && dict->words.count >= dict->spec.max_capacity)
        return NINHO_ERR_FULL;
    const size_t n_arena = arena_bytes(dict, key->size);
    struct nh_table old = {0};
    if (n_arena && !nh_arena_room(dict, n_arena, &old))
        return NINHO_ERR_NOMEM;
    make_entry(dict, key, value, entry);
    dict->words.n_changes += old.bytes != NULL; /* keys have moved: visits end */
    nh_table_free(&dict->alloc, &old);
    dict->arena_used += n_arena; /* the kind may read the key while it moves entries */
    const ninho_status status = insert(dict, key->hash, entry);
    if (status) {
        dict->arena_used -= n_arena;
        return status;
    }
    dict->words.count++;
    dict->words.n_changes++;
    dict->key_bytes += dict->spec.key_size ? 0 : key->size;
    if (is_new)
        *is_new = true;
    return NINHO_OK;
}

NH_NOINLINE static ninho_status put_long(ninho_dict *dict, const void *bytes, size_t size,
                                         uint64_t value, bool *is_new)
{
    struct nh_key key;

    if (!dict->words.count && dict->ops == &nh_dict_probe &&
        nh_dict_as_key(dict, bytes, size, &key))
        choose_salt(dict, key.bytes, size);
    return nh_dict_as_key(dict, bytes, size, &key) ? put_any(dict, &key, value, is_new)
                                                   : NINHO_ERR_ARG;
}

NH_NOINLINE static bool get_long(const ninho_dict *dict, const void *bytes,
                                 size_t key_size, uint64_t *value)
{
    struct nh_key key;

    if (!nh_dict_as_key(dict, bytes, key_size, &key))
        return false;
    const uint8_t *const entry = dict->ops->find(dict, &key);
    if (entry && value)
        *value = nh_entry_value(dict, entry);
    return entry != NULL;
}

/* What the removal of a key changes besides the table. */
static void forget(ninho_dict *dict, size_t key_size)
{
    dict->words.count--;
    dict->words.n_changes++;
    dict->key_bytes -= dict->spec.key_size ? 0 : key_size;
    dict->arena_dead += arena_bytes(dict, key_size);
    if (!dict->words.count) { /* nothing in the arena is needed any more */
        dict->arena_used = 0;
        dict->arena_dead = 0;
    }
}

NH_NOINLINE static ninho_status remove_long(ninho_dict *dict, const void *bytes,
                                            size_t key_size)
{
    struct nh_key key;
    uint8_t *const entry =
        nh_dict_as_key(dict, bytes, key_size, &key) ? dict->ops->find(dict, &key) : NULL;

    if (!entry)
        return NINHO_ERR_NOT_FOUND;
    dict->ops->erase(dict, entry);
    forget(dict, key_size);
    return NINHO_OK;
}

/* ---- Short keys -------------------------------------------------------------------- */

#define SHORT_ENTRY 24 /* bytes of an entry with a key of any size */

/* What is left of nh_entry_is(). */
static inline bool short_is(const ninho_dict *dict, const uint8_t *entry,
                            const struct nh_key *key)
{
    (void)dict;
    return nh_load_le64(entry) == key->words[0] &&
           nh_load_le64(entry + 8) == key->words[1];
}

/* Looks into the home group of a key of up to NH_SHORT bytes. */
NH_ALWAYS_INLINE struct nh_spot look_short(const ninho_dict *dict, const void *bytes,
                                           size_t size, struct nh_key *key)
{
    key->bytes = bytes;
    key->size = size;
    nh_short_words(bytes, size, key->words);
    key->hash = nh_short_hash(dict, key->words);
    return nh_probe_look(dict, nh_probe_home(&dict->table.probe, key->hash), key,
                         SHORT_ENTRY, short_is);
}

NH_NOINLINE static bool get_short(const ninho_dict *dict, const void *bytes, size_t size,
                                  uint64_t *value)
{
    struct nh_key key;
    const struct nh_spot spot = look_short(dict, bytes, size, &key);

    if (!spot.entry)
        return nh_probe_goes_on(&spot, key.hash) && get_long(dict, bytes, size, value);
    if (value)
        *value = nh_word_at(spot.entry + SHORT_ENTRY - 8);
    return true;
}

/* A new key whose home group has a free slot, and whom nothing stops; else the long way. */
NH_NOINLINE static ninho_status put_short(ninho_dict *dict, const void *bytes,
                                          size_t size, uint64_t value, bool *is_new)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    struct nh_key key;
    struct nh_spot spot = look_short(dict, bytes, size, &key);
    const bool is_there = spot.entry != NULL;

    if (!is_there) {
        const uint32_t free = ninho_group_equal_(spot.tags, 0);
        if (nh_probe_goes_on(&spot, key.hash) || !free || dict->spec.max_capacity ||
            !dict->words.count || dict->words.count >= t->max_used)
            return put_long(dict, bytes, size, value, is_new);
        spot.entry =
            nh_probe_claim(t, spot.group, nh_lowest_bit(free), key.hash, SHORT_ENTRY);
        nh_store_le64(spot.entry, key.words[0]);
        nh_store_le64(spot.entry + 8, key.words[1]);
        dict->words.count++;
        dict->words.n_changes++;
        dict->key_bytes += size;
    }
    nh_set_word(spot.entry + SHORT_ENTRY - 8, value);
    if (is_new)
        *is_new = !is_there;
    return NINHO_OK;
}

NH_NOINLINE static ninho_status remove_short(ninho_dict *dict, const void *bytes,
                                             size_t size)
{
    struct nh_key key;
    const struct nh_spot spot = look_short(dict, bytes, size, &key);

    if (!spot.entry)
        return nh_probe_goes_on(&spot, key.hash) ? remove_long(dict, bytes, size)
                                                 : NINHO_ERR_NOT_FOUND;
    const uint8_t *const first =
        nh_probe_entry(&dict->table.probe, spot.group, 0, SHORT_ENTRY);
    spot.tags[(size_t)(spot.entry - first) / SHORT_ENTRY] = 0;
    forget(dict, size);
    return NINHO_OK;
}

/* ---- One key ----------------------------------------------------------------------- */

/* What <ninho/dict_inline.h> does not do in line. A dictionary begins with its words. */
bool ninho_words_get_(const ninho_words *words, uint64_t key, uint64_t *value)
{
    return get_long((const ninho_dict *)(const void *)words, &key, sizeof key, value);
}

ninho_status ninho_words_put_(ninho_words *words, uint64_t key, uint64_t value,
                              bool *is_new)
{
    return put_long((ninho_dict *)(void *)words, &key, sizeof key, value, is_new);
}

ninho_status ninho_words_remove_(ninho_words *words, uint64_t key)
{
    return remove_long((ninho_dict *)(void *)words, &key, sizeof key);
}

ninho_words *ninho_dict_words_(ninho_dict *dict, size_t layout)
{
    return dict && dict->spec.key_size == 8 && layout == NINHO_WORDS_LAYOUT_
               ? &dict->words
               : NULL;
}

bool ninho_dict_get(const ninho_dict *dict, const void *bytes, size_t key_size,
                    uint64_t *value)
{
    if (dict && bytes && key_size == 8 && dict->way == NH_WAY_WORD)
        return ninho_words_get(&dict->words, nh_word_at(bytes), value);
    if (dict && bytes && key_size <= NH_SHORT && dict->way == NH_WAY_SHORT)
        return get_short(dict, bytes, key_size, value);
    return dict && get_long(dict, bytes, key_size, value);
}

ninho_status ninho_dict_put(ninho_dict *dict, const void *bytes, size_t key_size,
                            uint64_t value, bool *is_new)
{
    if (dict && bytes && key_size == 8 && dict->way == NH_WAY_WORD)
        return ninho_words_put(&dict->words, nh_word_at(bytes), value, is_new);
    if (dict && bytes && key_size <= NH_SHORT && dict->way == NH_WAY_SHORT)
        return put_short(dict, bytes, key_size, value, is_new);
    return dict ? put_long(dict, bytes, key_size, value, is_new) : NINHO_ERR_ARG;
}

ninho_status ninho_dict_remove(ninho_dict *dict, const void *bytes, size_t key_size)
{
    if (dict && bytes && key_size == 8 && dict->way == NH_WAY_WORD)
        return ninho_words_remove(&dict->words, nh_word_at(bytes));
    if (dict && bytes && key_size <= NH_SHORT && dict->way == NH_WAY_SHORT)
        return remove_short(dict, bytes, key_size);
    return dict ? remove_long(dict, bytes, key_size) : NINHO_ERR_ARG;
}

/* ---- The whole --------------------------------------------------------------------- */

uint64_t ninho_dict_count(const ninho_dict *dict)
{
    return dict ? dict->words.count : 0;
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
    const uint64_t changes = dict->words.n_changes & nh_low_mask(64 - PLACE_BITS - 1);
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
        dict->words.n_changes++;
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
    nh_table_free(&dict->alloc, &dict->arena);
    fresh.arena = (struct nh_table){0};
    fresh.arena_size = fresh.arena_used = fresh.arena_dead = 0;
    fresh.key_bytes = 0;
    fresh.words.count = 0;
    fresh.words.n_changes++;
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
        .count = dict->words.count,
        .max_capacity = dict->spec.max_capacity,
        .n_slots = n_slots,
        .load = (double)dict->words.count / (double)n_slots, /* there is always one */
        .memory_bytes = sizeof *dict + dict->table_bytes + nh_table_taken(&dict->arena),
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
        size_t size;
        const uint8_t *const bytes = nh_entry_key(dict, entry, &size);
        const struct nh_key key = nh_dict_key(dict, bytes, size);
        if (dict->ops->find(dict, &key) != entry)
            return nh_fail(error, NINHO_ERR_FORMAT,
                           "a key is not where it is looked for");
    }
    if (count != dict->words.count)
        return nh_fail(error, NINHO_ERR_FORMAT, "the count is wrong");
    return NINHO_OK;
}
