/* SPDX-License-Identifier: MIT */
/* Linear probing, with a byte of hash beside each slot.
 *
 *   tags:    | 7f | 00 | 3a | c1 | 3a | 00 | ...     0: the slot is free
 *   entries: | k v|    | k v| k v| k v|    | ...
 *
 * A key starts at its home slot, which comes from the high bits of the hash, and goes to the first
 * free one; a lookup reads eight tags at a time and looks at an entry only when its tag agrees,
 * so that an absent key almost never touches the entries: one cache line, however long the run.
 * That is why it can be filled to 4/5.
 *
 * Removal leaves no grave: the entries after the hole that may move back do (Knuth, 6.4, algorithm
 * R), so that lookups are as fast after a million removals as before.
 *
 * The home slot is taken from hash * salt, and the salt changes with the size: a visit walks the
 * table in the order of the homes, and putting keys in that order into a smaller table with the
 * same homes would fill its beginning to the brim, a quadratic trap. */
#include "dict/ops.h"

#include "base/le.h"

#define MIN_SLOTS 16
#define GROUP 8 /* tags read at once */

static uint64_t home_of(const struct nh_probe_table *t, uint64_t hash)
{
    return nh_reduce(hash * t->salt, t->n_slots);
}

static uint8_t tag_of(uint64_t hash)
{
    const uint8_t tag = (uint8_t)hash;
    return tag ? tag : 1;
}

/* The high bit of each byte that is 0, and of no other. The shorter (word - 01..) & ~word & 80..
 * marks some bytes above a zero one too; here such a byte may be a free slot, where the key just
 * removed still lies. */
static uint64_t zero_bytes(uint64_t word)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return ~(((word & low) + low) | word | low);
}

static unsigned lowest_byte(uint64_t marks)
{
#ifdef __GNUC__
    return (unsigned)__builtin_ctzll(marks) / 8;
#else
    unsigned n = 0;
    while (!(marks >> (8 * n) & 0x80))
        n++;
    return n;
#endif
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
    if (slot < GROUP)
        t->tags.bytes[t->n_slots + slot] = tag;
}

/* The run of the key from its home on; there is always a free slot, where it ends. */
static uint8_t *find_from(const ninho_dict *dict, const struct nh_key *key, uint64_t slot)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    const uint64_t pattern = UINT64_C(0x0101010101010101) * tag_of(key->hash);

    for (;;) {
        const uint64_t tags = nh_load_le64(t->tags.bytes + slot);
        for (uint64_t marks = zero_bytes(tags ^ pattern); marks; marks &= marks - 1) {
            uint8_t *const entry = entry_at(dict, wrapped(t, slot + lowest_byte(marks)));
            if (nh_entry_is(dict, entry, key))
                return entry;
        }
        if (zero_bytes(tags))
            return NULL;
        slot = wrapped(t, slot + GROUP);
    }
}

static uint8_t *find(const ninho_dict *dict, const struct nh_key *key)
{
    const uint64_t home = home_of(&dict->table.probe, key->hash);

    nh_prefetch(entry_at(dict, home)); /* on a hit it is here or next door */
    return find_from(dict, key, home);
}

static void find_many(const ninho_dict *dict, const struct nh_key *keys, size_t n,
                      uint8_t **entries)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    uint64_t home[NH_KEY_GROUP];

    for (size_t i = 0; i < n; i++) {
        home[i] = home_of(t, keys[i].hash);
        nh_prefetch(t->tags.bytes + home[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t pattern = UINT64_C(0x0101010101010101) * tag_of(keys[i].hash);
        const uint64_t marks = zero_bytes(nh_load_le64(t->tags.bytes + home[i]) ^ pattern);
        const uint64_t slot = home[i] + (marks ? lowest_byte(marks) : 0);
        nh_prefetch(entry_at(dict, wrapped(t, slot)));
    }
    for (size_t i = 0; i < n; i++)
        entries[i] = find_from(dict, &keys[i], home[i]);
}

static uint64_t free_slot(const struct nh_probe_table *t, uint64_t slot)
{
    for (;;) {
        const uint64_t marks = zero_bytes(nh_load_le64(t->tags.bytes + slot));
        if (marks)
            return wrapped(t, slot + lowest_byte(marks));
        slot = wrapped(t, slot + GROUP);
    }
}

static void place(ninho_dict *dict, uint64_t hash, const uint8_t *entry)
{
    struct nh_probe_table *const t = &dict->table.probe;
    const uint64_t slot = free_slot(t, home_of(t, hash));

    set_tag(t, slot, tag_of(hash));
    memcpy(entry_at(dict, slot), entry, dict->entry_size);
    nh_dict_tell(dict, NINHO_EVENT_TAG_PLACED, 0, slot, nh_entry_value(dict, entry));
}

static bool slots_for(uint64_t capacity, uint64_t *n_slots)
{
    /* capacity * 5 / 4, and one that stays free */
    if (!nh_add_fits(capacity, capacity / 4 + 2, n_slots))
        return false;
    if (*n_slots < MIN_SLOTS)
        *n_slots = MIN_SLOTS;
    return true;
}

static ninho_status start(ninho_dict *dict, uint64_t capacity)
{
    struct nh_probe_table t = {0};

    if (!slots_for(capacity, &t.n_slots))
        return NINHO_ERR_NOMEM;
    if (!nh_dict_table(dict, t.n_slots + GROUP, 1, &t.tags))
        return NINHO_ERR_NOMEM;
    if (!nh_dict_table(dict, t.n_slots, dict->entry_size, &t.entries)) {
        nh_dict_table_free(dict, &t.tags);
        return NINHO_ERR_NOMEM;
    }
    t.max_used = t.n_slots - t.n_slots / 5 - 1;
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

/* Moves everything to a table with room for n keys. */
static ninho_status resize(ninho_dict *dict, uint64_t n)
{
    const struct nh_probe_table old = dict->table.probe;
    struct nh_probe_table old_table = old;

    const ninho_status status = start(dict, n);
    if (status) {
        dict->table.probe = old;
        return status;
    }
    nh_dict_tell(dict, NINHO_EVENT_RESIZED, old.n_slots, dict->table.probe.n_slots, 0);
    for (uint64_t slot = 0; slot < old.n_slots; slot++) {
        const uint8_t *const entry = old.entries.bytes + slot * dict->entry_size;
        if (old.tags.bytes[slot])
            place(dict, nh_entry_hash(dict, entry), entry);
    }
    nh_dict_table_free(dict, &old_table.tags);
    nh_dict_table_free(dict, &old_table.entries);
    return NINHO_OK;
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
    place(dict, hash, entry);
    return NINHO_OK;
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
    for (uint64_t slot = wrapped(t, hole + 1); t->tags.bytes[slot]; slot = wrapped(t, slot + 1)) {
        const uint64_t home = home_of(t, nh_entry_hash(dict, entry_at(dict, slot)));
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

    if (memcmp(t->tags.bytes, t->tags.bytes + t->n_slots, GROUP) != 0)
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

const struct nh_dict_ops nh_probe = {
    .kind = NINHO_PROBE,
    .name = "probe",
    .summary = "exact, linear probing over one-byte tags: the fastest exact kind",
    .start = start,
    .finish = finish,
    .reserve = reserve,
    .find = find,
    .find_many = find_many,
    .insert = insert,
    .erase = erase,
    .next = next,
    .n_slots = n_slots,
    .is_sound = is_sound,
};
