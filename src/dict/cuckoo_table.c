/* SPDX-License-Identifier: MIT */
/* Cuckoo hashing (Pagh and Rodler, 2001) with d functions, buckets (Dietzfelbinger and
 * Weidling, 2005; Fotakis and others, 2003) and a stash (Kirsch, Mitzenmacher and Wieder,
 * 2008).
 *
 *   A key has d buckets where it may be, and is in one of them or in the stash: a lookup looks at
 *   d * b slots and the stash, never more.
 *
 *          .--- h0(x) ---.          .--- h1(x) ---.
 *          v                        v
 *   | | |a|b| | |c|d|e|f| | | |g| |h|i|j|k| |    ...    stash: |l| | |
 *
 *   If all its buckets are full, the new key takes the place of an entry in its first one, that
 *   entry goes to another of its own buckets, perhaps pushing out a third, and so on. After
 *   max_moves the last one pushed out goes to the stash; if that is full too, the walk is undone
 *   step by step and the table is built anew: with other functions while it is not crowded, twice
 *   as large otherwise. Building anew happens beside the old table, so that a failure changes
 *   nothing.
 *
 * With two tables, functions 0 and 2 look into the first, 1 and 3 into the second. */
#include "dict/ops.h"

#define MAX_FUNCTIONS 4
#define MAX_MOVES     1000
#define MAX_REHASHES  4 /* functions tried at one size before the table grows instead */
#define MOST_REBUILT \
    8 /* times at one size: more, with half the load, are a crowd's doing */
/* A table that fails with several functions at four times the size has keys that no
 * functions can part, more of one hash than d * b and the stash hold: it is full. */
#define MAX_GROWTH 4

/* ---- Where a key may be ------------------------------------------------------------ */

/* A number mixed with another. */
static uint64_t mixed(uint64_t x, uint64_t seed)
{
    const uint64_t k = UINT64_C(0xe9846af9b1a615d5);
    x ^= seed ^ UINT64_C(0x9e3779b97f4a7c15);
    return (x * k) ^ nh_mul_high(x, k);
}

/* Share of the slots that is filled before the table grows: a little under where placing
 * begins to fail, from experiments known well in the literature. [functions - 2][bucket
 * size - 1] */
static const double max_load[3][8] = {
    {.45, .85, .91, .94, .95, .96, .97, .97},
    {.88, .95, .96, .97, .97, .98, .98, .98},
    {.94, .97, .98, .98, .98, .98, .98, .98},
};

static uint64_t slots_in_all(const ninho_dict *dict)
{
    return dict->table.cuckoo.n_buckets * dict->spec.n_tables * dict->spec.bucket_size;
}

/* Function i's bucket, numbered over both tables. */
static uint64_t bucket_by(const ninho_dict *dict, uint64_t hash, uint32_t i)
{
    static const uint64_t multiplier[MAX_FUNCTIONS] = {
        UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd1342543de82ef95),
        UINT64_C(0xaf251af3b0f025b5), UINT64_C(0xf1357aea2e62a9c5)};
    const struct nh_cuckoo_table *const t = &dict->table.cuckoo;
    const uint64_t x = (hash ^ t->salt) * multiplier[i];
    const uint64_t bucket = nh_reduce(x ^ x >> 29, t->n_buckets);

    return dict->spec.n_tables == 2 && i % 2 ? t->n_buckets + bucket : bucket;
}

static void buckets_of(const ninho_dict *dict, const uint8_t *key, size_t size,
                       uint64_t hash, uint64_t *buckets)
{
    if (dict->spec.places) {
        const uint64_t n = dict->table.cuckoo.n_buckets;
        dict->spec.places(dict->spec.hook_context, key, size, n, buckets);
        for (uint32_t i = 0; i < dict->spec.n_functions; i++)
            buckets[i] = buckets[i] % n + (dict->spec.n_tables == 2 && i % 2 ? n : 0);
        return;
    }
    for (uint32_t i = 0; i < dict->spec.n_functions; i++)
        buckets[i] = bucket_by(dict, hash, i);
}

static void buckets_of_entry(const ninho_dict *dict, const uint8_t *entry,
                             uint64_t *buckets)
{
    size_t size;
    const uint8_t *const key = nh_entry_key(dict, entry, &size);
    buckets_of(dict, key, size, nh_entry_hash(dict, entry), buckets);
}

static uint8_t tag_of(uint64_t hash)
{
    const uint8_t tag = (uint8_t)hash;
    return tag ? tag : 1;
}

static uint8_t *entry_at(const ninho_dict *dict, uint64_t slot)
{
    return dict->table.cuckoo.entries.bytes + slot * dict->entry_size;
}

static uint8_t *stash_at(const ninho_dict *dict, uint32_t i)
{
    return dict->table.cuckoo.stash.bytes + i * dict->entry_size;
}

/* ---- Looking ----------------------------------------------------------------------- */

static uint8_t *find_at(const ninho_dict *dict, const struct nh_key *key,
                        const uint64_t *buckets)
{
    const struct nh_cuckoo_table *const t = &dict->table.cuckoo;
    const uint32_t b = dict->spec.bucket_size;
    const uint8_t tag = tag_of(key->hash);

    for (uint32_t i = 0; i < dict->spec.n_functions; i++)
        for (uint64_t slot = buckets[i] * b; slot < (buckets[i] + 1) * b; slot++)
            if (t->tags.bytes[slot] == tag &&
                nh_entry_is(dict, entry_at(dict, slot), key))
                return entry_at(dict, slot);
    for (uint32_t i = 0; i < t->n_stashed; i++)
        if (nh_entry_is(dict, stash_at(dict, i), key))
            return stash_at(dict, i);
    return NULL;
}

static uint8_t *find(const ninho_dict *dict, const struct nh_key *key)
{
    uint64_t buckets[MAX_FUNCTIONS];

    buckets_of(dict, key->bytes, key->size, key->hash, buckets);
    return find_at(dict, key, buckets);
}

static void prefetch(const ninho_dict *dict, const struct nh_key *key)
{
    uint64_t buckets[MAX_FUNCTIONS];

    buckets_of(dict, key->bytes, key->size, key->hash, buckets);
    for (uint32_t i = 0; i < dict->spec.n_functions; i++)
        nh_prefetch(dict->table.cuckoo.tags.bytes + buckets[i] * dict->spec.bucket_size);
}

static void prefetch_entry(const ninho_dict *dict, const struct nh_key *key)
{
    const uint32_t b = dict->spec.bucket_size;
    uint64_t buckets[MAX_FUNCTIONS];

    buckets_of(dict, key->bytes, key->size, key->hash, buckets);
    for (uint32_t i = 0; i < dict->spec.n_functions; i++)
        for (uint64_t slot = buckets[i] * b; slot < (buckets[i] + 1) * b; slot++)
            if (dict->table.cuckoo.tags.bytes[slot] == tag_of(key->hash))
                nh_prefetch(entry_at(dict, slot));
}

/* ---- Placing ----------------------------------------------------------------------- */

#define NO_SLOT UINT64_MAX

static uint64_t free_slot_in(const ninho_dict *dict, uint64_t bucket)
{
    const uint32_t b = dict->spec.bucket_size;

    for (uint64_t slot = bucket * b; slot < (bucket + 1) * b; slot++)
        if (!dict->table.cuckoo.tags.bytes[slot])
            return slot;
    return NO_SLOT;
}

static void write_slot(ninho_dict *dict, uint64_t slot, const uint8_t *entry)
{
    dict->table.cuckoo.tags.bytes[slot] = tag_of(nh_entry_hash(dict, entry));
    memcpy(entry_at(dict, slot), entry, dict->entry_size);
}

/* Puts *entry into the slot and what was there into *entry. */
static void swap_slot(ninho_dict *dict, uint64_t slot, uint8_t *entry)
{
    uint8_t other[NH_MAX_ENTRY];

    memcpy(other, entry_at(dict, slot), dict->entry_size);
    write_slot(dict, slot, entry);
    memcpy(entry, other, dict->entry_size);
}

static uint64_t random_below(struct nh_cuckoo_table *t, uint64_t n)
{
    t->rng += UINT64_C(0x9e3779b97f4a7c15);
    return nh_reduce(mixed(t->rng, 0), n);
}

/* A slot for the entry that came out of `from` (or of none): a free one in any of its
 * other buckets, or else one to be taken, in its first bucket if it is new, in another
 * than the one it was pushed out of otherwise. */
static uint64_t choose_slot(ninho_dict *dict, const uint8_t *entry, uint64_t from,
                            bool *is_free)
{
    const uint32_t b = dict->spec.bucket_size, d = dict->spec.n_functions;
    uint64_t buckets[MAX_FUNCTIONS], others[MAX_FUNCTIONS];
    uint32_t n_others = 0;

    buckets_of_entry(dict, entry, buckets);
    for (uint32_t i = 0; i < d; i++) {
        if (from != NO_SLOT && buckets[i] == from / b)
            continue;
        const uint64_t slot = free_slot_in(dict, buckets[i]);
        if (slot != NO_SLOT) {
            *is_free = true;
            return slot;
        }
        others[n_others++] = buckets[i];
    }
    *is_free = false;
    struct nh_cuckoo_table *const t = &dict->table.cuckoo;
    const uint64_t which =
        from == NO_SLOT || n_others < 2 ? 0 : random_below(t, n_others);
    const uint64_t bucket = n_others ? others[which] : buckets[0];
    return bucket * b + (b > 1 ? random_below(t, b) : 0);
}

/* Places *entry, moving others; false if it could not within max_moves, and then all is
 * as it was. `entry` is scratch. */
static bool walk(ninho_dict *dict, uint8_t *entry)
{
    struct nh_cuckoo_table *const t = &dict->table.cuckoo;
    uint64_t path[MAX_MOVES];
    uint64_t from = NO_SLOT;
    uint32_t n = 0;

    for (;;) {
        bool is_free;
        const uint64_t slot = choose_slot(dict, entry, from, &is_free);
        nh_step();
        if (!is_free && n == dict->spec.max_moves)
            break;
        if (from == NO_SLOT)
            nh_dict_tell(dict, NINHO_EVENT_TAG_PLACED, 0, slot,
                         nh_entry_value(dict, entry));
        else
            nh_dict_tell(dict, NINHO_EVENT_TAG_MOVED, from, slot,
                         nh_entry_value(dict, entry));
        if (is_free) {
            write_slot(dict, slot, entry);
            dict->n_moves += n;
            if (n > dict->longest_walk)
                dict->longest_walk = n;
            return true;
        }
        swap_slot(dict, slot, entry);
        path[n++] = slot;
        from = slot;
    }
    if (t->n_stashed < dict->spec.stash_size) {
        nh_dict_tell(dict, NINHO_EVENT_VICTIM_PARKED, from,
                     slots_in_all(dict) + t->n_stashed, nh_entry_value(dict, entry));
        memcpy(stash_at(dict, t->n_stashed++), entry, dict->entry_size);
        dict->n_moves += n;
        return true;
    }
    while (n) { /* back, last step first */
        swap_slot(dict, path[--n], entry);
        nh_dict_tell(dict, n ? NINHO_EVENT_TAG_MOVED : NINHO_EVENT_TAG_REMOVED, path[n],
                     n ? path[n - 1] : 0, nh_entry_value(dict, entry));
    }
    return false;
}

/* ---- Building anew ----------------------------------------------------------------- */

static ninho_status make_table(ninho_dict *dict, uint64_t n_buckets,
                               struct nh_cuckoo_table *t)
{
    uint64_t n_slots;

    if (!nh_mul_fits(n_buckets, (uint64_t)dict->spec.n_tables * dict->spec.bucket_size,
                     &n_slots))
        return NINHO_ERR_NOMEM;
    *t = (struct nh_cuckoo_table){.n_buckets = n_buckets, .rng = dict->spec.seed};
    if (!nh_dict_table(dict, n_slots, 1, &t->tags))
        return NINHO_ERR_NOMEM;
    if (!nh_dict_table(dict, n_slots, dict->entry_size, &t->entries)) {
        nh_dict_table_free(dict, &t->tags);
        return NINHO_ERR_NOMEM;
    }
    if (dict->spec.stash_size) {
        t->stash.size = dict->spec.stash_size * dict->entry_size;
        t->stash.bytes = nh_alloc_zeroed(&dict->alloc, t->stash.size);
        if (!t->stash.bytes) {
            nh_dict_table_free(dict, &t->tags);
            nh_dict_table_free(dict, &t->entries);
            return NINHO_ERR_NOMEM;
        }
        dict->table_bytes += t->stash.size;
    }
    const double load = max_load[dict->spec.n_functions - 2][dict->spec.bucket_size - 1];
    t->max_used = dict->spec.n_buckets ? UINT64_MAX : (uint64_t)((double)n_slots * load);
    return NINHO_OK;
}

static void free_table(ninho_dict *dict, struct nh_cuckoo_table *t)
{
    nh_dict_table_free(dict, &t->tags);
    nh_dict_table_free(dict, &t->entries);
    if (t->stash.bytes) {
        nh_alloc_free(&dict->alloc, t->stash.bytes, t->stash.size);
        dict->table_bytes -= t->stash.size;
    }
    *t = (struct nh_cuckoo_table){0};
}

static ninho_status buckets_for(const ninho_dict *dict, uint64_t capacity,
                                uint64_t *n_buckets)
{
    const double load = max_load[dict->spec.n_functions - 2][dict->spec.bucket_size - 1];
    const uint64_t per_bucket = (uint64_t)dict->spec.n_tables * dict->spec.bucket_size;

    if (dict->spec.n_buckets) {
        *n_buckets = dict->spec.n_buckets;
        return NINHO_OK;
    }
    if (capacity > UINT64_C(1) << 56)
        return NINHO_ERR_NOMEM;
    const uint64_t n_slots = (uint64_t)((double)capacity / load) + per_bucket + 8;
    *n_buckets = n_slots / per_bucket + 1;
    return NINHO_OK;
}

static ninho_status start(ninho_dict *dict, uint64_t capacity)
{
    uint64_t n_buckets;
    const ninho_status status = buckets_for(dict, capacity, &n_buckets);
    return status ? status : make_table(dict, n_buckets, &dict->table.cuckoo);
}

static void finish(ninho_dict *dict)
{
    free_table(dict, &dict->table.cuckoo);
}

/* The cursor goes over the slots, then over the stash. */
static uint8_t *next_in(const ninho_dict *dict, const struct nh_cuckoo_table *t,
                        uint64_t *cursor)
{
    const uint64_t n_slots = t->n_buckets * dict->spec.n_tables * dict->spec.bucket_size;

    while (*cursor < n_slots) {
        const uint64_t slot = (*cursor)++;
        if (t->tags.bytes[slot])
            return t->entries.bytes + slot * dict->entry_size;
    }
    if (*cursor - n_slots < t->n_stashed)
        return t->stash.bytes + ((*cursor)++ - n_slots) * dict->entry_size;
    return NULL;
}

static uint8_t *next(const ninho_dict *dict, uint64_t *cursor)
{
    return next_in(dict, &dict->table.cuckoo, cursor);
}

/* Everything of `old` into the present, empty table. */
static bool refill(ninho_dict *dict, const struct nh_cuckoo_table *old)
{
    uint8_t entry[NH_MAX_ENTRY];
    uint64_t cursor = 0;

    for (const uint8_t *at; (at = next_in(dict, old, &cursor));) {
        memcpy(entry, at, dict->entry_size);
        if (!walk(dict, entry))
            return false;
    }
    return true;
}

/* One attempt at a new table with `n_buckets` and the functions that `salt` names. On failure
 * there is no new table. */
static ninho_status attempt(ninho_dict *dict, const struct nh_cuckoo_table *old,
                            uint64_t n_buckets, uint64_t salt, const uint8_t *extra)
{
    uint8_t entry[NH_MAX_ENTRY];
    const ninho_status status = make_table(dict, n_buckets, &dict->table.cuckoo);
    if (status)
        return status;
    dict->table.cuckoo.salt = salt;
    dict->table.cuckoo.rng ^= salt;
    bool is_done = refill(dict, old);
    if (is_done && extra) {
        memcpy(entry, extra, dict->entry_size);
        is_done = walk(dict, entry);
    }
    if (!is_done)
        free_table(dict, &dict->table.cuckoo);
    return is_done ? NINHO_OK : NINHO_ERR_FULL;
}

/* Tells where everything is in a table that was built anew. */
static void tell_all(const ninho_dict *dict, uint64_t n_old_slots)
{
    const struct nh_cuckoo_table *const t = &dict->table.cuckoo;
    const uint64_t n_slots = slots_in_all(dict);

    nh_dict_tell(dict, NINHO_EVENT_RESIZED, n_old_slots, n_slots, 0);
    for (uint64_t slot = 0; dict->spec.observer && slot < n_slots; slot++)
        if (t->tags.bytes[slot])
            nh_dict_tell(dict, NINHO_EVENT_TAG_PLACED, 0, slot,
                         nh_entry_value(dict, entry_at(dict, slot)));
    for (uint32_t i = 0; i < t->n_stashed; i++)
        nh_dict_tell(dict, NINHO_EVENT_VICTIM_PARKED, 0, n_slots + i,
                     nh_entry_value(dict, stash_at(dict, i)));
}

/* Builds the table anew with `n_buckets`, trying functions until all entries, and `extra`
 * (may be NULL), are placed. NINHO_ERR_FULL if none of MAX_REHASHES does. The moves counted
 * are those of the attempt that succeeded. */
static ninho_status rebuild(ninho_dict *dict, uint64_t n_buckets, const uint8_t *extra)
{
    struct nh_cuckoo_table old = dict->table.cuckoo;
    const uint64_t n_moves = dict->n_moves, longest = dict->longest_walk;
    const uint64_t n_old_slots = slots_in_all(dict);
    const ninho_observer observer = dict->spec.observer;
    /* The caller's places do not change with the salt: one attempt tells all. */
    const unsigned n_attempts = dict->spec.places ? 1 : MAX_REHASHES;
    ninho_status status = NINHO_ERR_FULL;
    uint64_t salt = old.salt;

    dict->spec.observer = NULL; /* the steps of attempts are no steps of the table's */
    for (unsigned i = 0; i < n_attempts && status == NINHO_ERR_FULL; i++) {
        dict->n_moves = n_moves;
        dict->longest_walk = longest;
        salt = mixed(salt + 1, UINT64_C(0xa0761d6478bd642f));
        status = attempt(dict, &old, n_buckets, salt, extra);
    }
    dict->spec.observer = observer;
    if (status) {
        dict->table.cuckoo = old;
        dict->n_moves = n_moves;
        dict->longest_walk = longest;
        return status;
    }
    dict->n_rehashes += n_buckets == old.n_buckets;
    dict->table.cuckoo.n_rebuilt = n_buckets == old.n_buckets ? old.n_rebuilt + 1 : 0;
    tell_all(dict, n_old_slots);
    free_table(dict, &old);
    return NINHO_OK;
}

static ninho_status rehash(ninho_dict *dict)
{
    return rebuild(dict, dict->table.cuckoo.n_buckets, NULL);
}

static ninho_status reserve(ninho_dict *dict, uint64_t n)
{
    uint64_t n_buckets;

    if (dict->spec.n_buckets)
        return n > slots_in_all(dict) + dict->spec.stash_size ? NINHO_ERR_FULL : NINHO_OK;
    if (n <= dict->table.cuckoo.max_used)
        return NINHO_OK;
    ninho_status status = buckets_for(dict, n, &n_buckets);
    if (!status)
        status = rebuild(dict, n_buckets, NULL);
    return status == NINHO_ERR_FULL && dict->is_watched ? NH_CROWDED : status;
}

/* The walk failed: other functions, then larger tables, until it fits or is given up. */
static ninho_status make_way(ninho_dict *dict, const uint8_t *entry)
{
    uint64_t n_buckets = dict->table.cuckoo.n_buckets;
    ninho_status status = NINHO_ERR_FULL;

    if (dict->spec.n_buckets) /* fixed by hand: other functions are all there is */
        return dict->spec.places ? NINHO_ERR_FULL : rebuild(dict, n_buckets, entry);
    if (dict->words.count < dict->table.cuckoo.max_used / 2) {
        if (dict->is_watched && dict->table.cuckoo.n_rebuilt >= MOST_REBUILT)
            return NH_CROWDED;
        status = rebuild(dict, n_buckets, entry);
    }
    while (status == NINHO_ERR_FULL) {
        if (n_buckets / dict->table.cuckoo.n_buckets >= MAX_GROWTH)
            return dict->is_watched ? NH_CROWDED : NINHO_ERR_FULL;
        n_buckets *= 2;
        status = rebuild(dict, n_buckets, entry);
    }
    return status;
}

static ninho_status insert(ninho_dict *dict, uint64_t hash, const uint8_t *entry)
{
    uint8_t moving[NH_MAX_ENTRY];

    (void)hash;
    if (dict->words.count >= dict->table.cuckoo.max_used)
        return make_way(dict, entry);
    memcpy(moving, entry, dict->entry_size);
    return walk(dict, moving) ? NINHO_OK : make_way(dict, entry);
}

/* An entry that leaves may make room for one in the stash. */
static void unstash(ninho_dict *dict)
{
    struct nh_cuckoo_table *const t = &dict->table.cuckoo;

    for (uint32_t i = 0; i < t->n_stashed; i++) {
        uint8_t *const entry = stash_at(dict, i);
        bool is_free;
        const uint64_t slot = choose_slot(dict, entry, NO_SLOT, &is_free);
        if (!is_free)
            continue;
        write_slot(dict, slot, entry);
        nh_dict_tell(dict, NINHO_EVENT_TAG_MOVED, slots_in_all(dict) + i, slot,
                     nh_entry_value(dict, entry));
        memmove(entry, stash_at(dict, --t->n_stashed), dict->entry_size);
        return;
    }
}

static void erase(ninho_dict *dict, uint8_t *entry)
{
    struct nh_cuckoo_table *const t = &dict->table.cuckoo;

    if (t->stash.bytes && entry >= t->stash.bytes &&
        entry < t->stash.bytes + t->stash.size) {
        const uint64_t place = (uint64_t)(entry - t->stash.bytes) / dict->entry_size;
        nh_dict_tell(dict, NINHO_EVENT_TAG_REMOVED, slots_in_all(dict) + place, 0,
                     nh_entry_value(dict, entry));
        memmove(entry, stash_at(dict, --t->n_stashed), dict->entry_size);
        return;
    }
    const uint64_t slot = (uint64_t)(entry - t->entries.bytes) / dict->entry_size;
    nh_dict_tell(dict, NINHO_EVENT_TAG_REMOVED, slot, 0, nh_entry_value(dict, entry));
    t->tags.bytes[slot] = 0;
    unstash(dict);
}

/* Every entry is in one of its buckets, under its tag. */
static bool is_sound(const ninho_dict *dict)
{
    const struct nh_cuckoo_table *const t = &dict->table.cuckoo;
    uint64_t buckets[MAX_FUNCTIONS];

    for (uint64_t slot = 0; slot < slots_in_all(dict); slot++) {
        bool is_home = !t->tags.bytes[slot];
        if (!is_home) {
            if (t->tags.bytes[slot] != tag_of(nh_entry_hash(dict, entry_at(dict, slot))))
                return false;
            buckets_of_entry(dict, entry_at(dict, slot), buckets);
        }
        for (uint32_t i = 0; !is_home && i < dict->spec.n_functions; i++)
            is_home = buckets[i] == slot / dict->spec.bucket_size;
        if (!is_home)
            return false;
    }
    return t->n_stashed <= dict->spec.stash_size;
}

const struct nh_dict_ops nh_dict_cuckoo_table = {
    .kind = NINHO_CUCKOO_TABLE,
    .name = "cuckoo-table",
    .summary = "exact, cuckoo hashing: lookups look at a fixed number of places",
    .start = start,
    .finish = finish,
    .reserve = reserve,
    .rehash = rehash,
    .find = find,
    .prefetch = prefetch,
    .prefetch_entry = prefetch_entry,
    .insert = insert,
    .erase = erase,
    .next = next,
    .n_slots = slots_in_all,
    .is_sound = is_sound,
};
