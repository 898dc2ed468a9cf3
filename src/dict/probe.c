/* SPDX-License-Identifier: MIT */
/* Linear probing, with a byte of hash beside each slot. (Keys of 8 bytes: see probe8.c.)
 *
 *   tags:    | 7f | 00 | 3a | c1 | 3a | 00 | ...     0: the slot is free
 *   entries: | k v|    | k v| k v| k v|    | ...
 *
 * A key starts at its home slot, which comes from the high bits of the hash, and goes to
 * the first free one; a lookup reads sixteen tags at a time and looks at an entry only
 * when its tag agrees, so that an absent key almost never touches the entries. It is
 * filled to 5/8: then 97 runs in 100 end within the first window, and the branch that
 * asks for a second one is never guessed wrong.
 *
 * Removal leaves no tombstone: the entries after the hole that may move back do (Knuth, 6.4,
 * algorithm R), so that lookups are as fast after a million removals as before.
 *
 * The home slot is taken from hash * salt, and the salt changes with the size: a visit
 * walks the table in the order of the homes, and putting keys in that order into a
 * smaller table with the same homes would fill its beginning to the brim, a quadratic
 * trap.
 *
 * The table is cut into zones, and a zone without a free slot is a crowd. At 5/8 the chance
 * that n slots in a row are in use falls as e^(-0.095 n): for a whole zone 10^-21. So no run
 * is longer than three zones, and lookups and removals have that bound. */
#include "dict/ops.h"
#include "dict/tags.h"

#define MIN_SLOTS 32
#define ZONE      512 /* slots; the last zone has up to twice as many */

static uint64_t home_of(const struct nh_probe_table *t, uint64_t hash)
{
    return nh_reduce(hash * t->salt, t->n_homes);
}

static uint8_t tag_of(uint64_t hash)
{
    const uint8_t tag = (uint8_t)hash;
    return tag ? tag : 1;
}

static uint64_t wrapped(const struct nh_probe_table *t, uint64_t slot)
{
    return slot < t->n_slots ? slot : slot - t->n_slots;
}

static uint8_t *entry_at(const ninho_dict *dict, uint64_t slot)
{
    return dict->table.probe.entries.bytes + slot * dict->entry_size;
}

static void set_tag(struct nh_probe_table *t, uint64_t slot, uint8_t tag)
{
    t->tags.bytes[slot] = tag;
    if (slot < NH_TAG_WINDOW)
        t->tags.bytes[t->n_slots + slot] = tag;
}

/* The marks of equal tags in the run that begins the window: those before the first free
 * slot. */
static uint32_t in_run(struct nh_tag_marks marks)
{
    return marks.equal & (marks.free ? (marks.free & (0U - marks.free)) - 1 : UINT32_MAX);
}

/* The run of the key from its home on; there is always a free slot, where it ends. */
static uint8_t *find_from(const ninho_dict *dict, const struct nh_key *key, uint64_t slot)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    const uint8_t tag = tag_of(key->hash);

    for (;;) {
        const struct nh_tag_marks marks = nh_tags_look(t->tags.bytes + slot, tag);
        nh_step();
        for (uint32_t left = in_run(marks); left; left &= left - 1) {
            uint8_t *const entry = entry_at(dict, wrapped(t, slot + nh_lowest_bit(left)));
            if (nh_entry_is(dict, entry, key))
                return entry;
        }
        if (marks.free)
            return NULL;
        slot = wrapped(t, slot + NH_TAG_WINDOW);
    }
}

static uint8_t *find(const ninho_dict *dict, const struct nh_key *key)
{
    return find_from(dict, key, home_of(&dict->table.probe, key->hash));
}

static void prefetch(const ninho_dict *dict, const struct nh_key *key)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    nh_prefetch(t->tags.bytes + home_of(t, key->hash));
}

static void prefetch_entry(const ninho_dict *dict, const struct nh_key *key)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    const uint64_t home = home_of(t, key->hash);
    const uint32_t left = in_run(nh_tags_look(t->tags.bytes + home, tag_of(key->hash)));

    if (left)
        nh_prefetch(entry_at(dict, home + nh_lowest_bit(left)));
}

static uint64_t free_slot(const struct nh_probe_table *t, uint64_t slot)
{
    for (;;) {
        const struct nh_tag_marks marks = nh_tags_look(t->tags.bytes + slot, 0);
        nh_step();
        if (marks.free)
            return wrapped(t, slot + nh_lowest_bit(marks.free));
        slot = wrapped(t, slot + NH_TAG_WINDOW);
    }
}

/* The first free slot in [first, end), or `end`. */
static uint64_t free_between(const struct nh_probe_table *t, uint64_t first, uint64_t end)
{
    for (uint64_t slot = first; slot < end; slot += NH_TAG_WINDOW) {
        const struct nh_tag_marks marks = nh_tags_look(t->tags.bytes + slot, 0);
        nh_step();
        if (marks.free) {
            const uint64_t found = slot + nh_lowest_bit(marks.free);
            return found < end ? found : end;
        }
    }
    return end;
}

/* Whether this free slot is the last one of its zone. */
static bool is_last_free(const struct nh_probe_table *t, uint64_t slot)
{
    const uint64_t n_zones = t->n_slots < ZONE ? 1 : t->n_slots / ZONE;
    const uint64_t zone = slot / ZONE < n_zones ? slot / ZONE : n_zones - 1;
    const uint64_t end = zone + 1 == n_zones ? t->n_slots : (zone + 1) * ZONE;

    return free_between(t, slot + 1, end) == end &&
           free_between(t, zone * ZONE, slot) == slot;
}

/* False, with nothing changed, if that would make a crowd. */
static bool place(ninho_dict *dict, uint64_t hash, const uint8_t *entry)
{
    struct nh_probe_table *const t = &dict->table.probe;
    const uint64_t slot = free_slot(t, home_of(t, hash));

    if (dict->is_watched && is_last_free(t, slot))
        return false;
    set_tag(t, slot, tag_of(hash));
    memcpy(entry_at(dict, slot), entry, dict->entry_size);
    nh_dict_tell(dict, NINHO_EVENT_TAG_PLACED, 0, slot, nh_entry_value(dict, entry));
    return true;
}

/* Slots for that many keys: 8/5, so that a run nearly always ends within one window. */
static bool slots_for(uint64_t capacity, uint64_t *n_slots)
{
    uint64_t product;

    if (!nh_mul_fits(capacity, 8, &product))
        return false;
    *n_slots = product / 5 + NH_TAG_WINDOW + 2;
    if (*n_slots < MIN_SLOTS)
        *n_slots = MIN_SLOTS;
    return true;
}

static ninho_status start(ninho_dict *dict, uint64_t capacity)
{
    struct nh_probe_table t = {0};

    if (!slots_for(capacity, &t.n_slots))
        return NINHO_ERR_NOMEM;
    if (!nh_dict_table(dict, t.n_slots + NH_TAG_WINDOW, 1, &t.tags))
        return NINHO_ERR_NOMEM;
    if (!nh_dict_table(dict, t.n_slots, dict->entry_size, &t.entries)) {
        nh_dict_table_free(dict, &t.tags);
        return NINHO_ERR_NOMEM;
    }
    t.n_homes = t.n_slots - NH_TAG_WINDOW;
    t.max_used = t.n_homes / 8 * 5 + t.n_homes % 8 * 5 / 8;
    t.salt = nh_mix(t.n_slots, UINT64_C(0x9e3779b97f4a7c15)) | 1;
    dict->table.probe = t;
    return NINHO_OK;
}

static void finish(ninho_dict *dict)
{
    nh_dict_table_free(dict, &dict->table.probe.tags);
    nh_dict_table_free(dict, &dict->table.probe.entries);
}

static uint8_t *next(const ninho_dict *dict, uint64_t *cursor)
{
    const struct nh_probe_table *const t = &dict->table.probe;

    while (*cursor < t->n_slots) {
        const uint64_t slot = (*cursor)++;
        if (t->tags.bytes[slot])
            return entry_at(dict, slot);
    }
    return NULL;
}

/* All of `old` into the new, empty table; false if there is a crowd. */
static bool refill(ninho_dict *dict, const struct nh_probe_table *old)
{
    nh_dict_tell(dict, NINHO_EVENT_RESIZED, old->n_slots, dict->table.probe.n_slots, 0);
    for (uint64_t slot = 0; slot < old->n_slots; slot++) {
        const uint8_t *const entry = old->entries.bytes + slot * dict->entry_size;
        if (old->tags.bytes[slot] && !place(dict, nh_entry_hash(dict, entry), entry))
            return false;
    }
    return true;
}

/* Moves everything to a table with room for n keys. */
static ninho_status resize(ninho_dict *dict, uint64_t n)
{
    struct nh_probe_table old = dict->table.probe;

    const ninho_status status = start(dict, n);
    if (status) {
        dict->table.probe = old;
        return status;
    }
    if (!refill(dict, &old)) {
        finish(dict);
        dict->table.probe = old;
        return NH_CROWDED;
    }
    nh_dict_table_free(dict, &old.tags);
    nh_dict_table_free(dict, &old.entries);
    return NINHO_OK;
}

static ninho_status rehash(ninho_dict *dict)
{
    return resize(dict, dict->table.probe.max_used);
}

static ninho_status reserve(ninho_dict *dict, uint64_t n)
{
    return n > dict->table.probe.max_used ? resize(dict, n) : NINHO_OK;
}

static ninho_status insert(ninho_dict *dict, uint64_t hash, const uint8_t *entry)
{
    if (dict->count >= dict->table.probe.max_used) {
        const ninho_status status = resize(dict, 2 * dict->count);
        if (status)
            return status;
    }
    return place(dict, hash, entry) ? NINHO_OK : NH_CROWDED;
}

/* How far `slot` is from `from`, going up and around. */
static uint64_t distance(const struct nh_probe_table *t, uint64_t from, uint64_t slot)
{
    return slot >= from ? slot - from : slot + t->n_slots - from;
}

static void erase(ninho_dict *dict, uint8_t *entry)
{
    struct nh_probe_table *const t = &dict->table.probe;
    uint64_t hole = (uint64_t)(entry - t->entries.bytes) / dict->entry_size;

    nh_dict_tell(dict, NINHO_EVENT_TAG_REMOVED, hole, 0, nh_entry_value(dict, entry));
    for (uint64_t slot = wrapped(t, hole + 1); t->tags.bytes[slot];
         slot = wrapped(t, slot + 1)) {
        const uint64_t home = home_of(t, nh_entry_hash(dict, entry_at(dict, slot)));
        nh_step();
        if (distance(t, home, slot) < distance(t, hole, slot))
            continue; /* its home lies after the hole: it may not move before it */
        memcpy(entry_at(dict, hole), entry_at(dict, slot), dict->entry_size);
        set_tag(t, hole, t->tags.bytes[slot]);
        nh_dict_tell(dict, NINHO_EVENT_TAG_MOVED, slot, hole,
                     nh_entry_value(dict, entry_at(dict, hole)));
        hole = slot;
    }
    set_tag(t, hole, 0);
}

static uint64_t n_slots(const ninho_dict *dict)
{
    return dict->table.probe.n_slots;
}

/* No free slot between a key and its home, and the repeated tags repeat. */
static bool is_sound(const ninho_dict *dict)
{
    const struct nh_probe_table *const t = &dict->table.probe;

    if (memcmp(t->tags.bytes, t->tags.bytes + t->n_slots, NH_TAG_WINDOW) != 0)
        return false;
    for (uint64_t slot = 0; slot < t->n_slots; slot++) {
        if (!t->tags.bytes[slot])
            continue;
        const uint64_t hash = nh_entry_hash(dict, entry_at(dict, slot));
        if (t->tags.bytes[slot] != tag_of(hash))
            return false;
        for (uint64_t at = home_of(t, hash); at != slot; at = wrapped(t, at + 1))
            if (!t->tags.bytes[at])
                return false;
    }
    return true;
}

const struct nh_dict_ops nh_dict_probe = {
    .kind = NINHO_PROBE,
    .name = "probe",
    .summary = "exact, linear probing over one-byte tags: the fastest exact kind",
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
    .n_slots = n_slots,
    .is_sound = is_sound,
};
