/* SPDX-License-Identifier: MIT */
/* Open addressing by groups of fifteen slots (drawn in probe.h).
 *
 * A key has a home group. If that is full it goes to the group one further on, then two, three, ... from
 * there (so that it comes by all of them, their number being a power of two), to the first that has
 * a free slot. A lookup compares all tags of a group at once and looks at an entry only when its tag
 * agrees, so that an absent key almost never touches the entries. Whether it has to go on it learns
 * from the group itself: each counts, in four classes, the keys that went past it. So a hit costs one
 * line of tags and one of entries, a miss one line of tags; and the tags of ten million keys, 16 MB,
 * stay in a large cache. The counts are F14's idea (N. Bronson and X. Shi, 2019).
 *
 * It is filled to 12 of 15 at most, and doubles; just doubled, to 6.
 *
 * Removal frees the slot and takes the key back out of the counts of the groups it had passed, so
 * that no tombstone is left. A count that reached 3 no longer knows how many they are, and stays.
 * Removals that meet such counts are counted in turn, and before they are many the table is built
 * anew: so lookups are as fast after a million removals as before.
 *
 * The hash depends on the first key of the dictionary (choose_salt() in dict.c): a visit walks a table
 * in the order of the homes, and putting keys in that order into a smaller table with the same
 * homes would fill its beginning to the brim, a quadratic trap. A larger table has the same hash,
 * so that keys move to it in the order in which they lie: both are gone through from one end to the
 * other.
 *
 * A key that would go past MOST_PASSED groups makes a crowd. In a full table fewer than 1 group in 5 is
 * full, so that chance does this with less than 10^-27. So lookups end there. */
#include "dict/probe.h"

#define MIN_GROUPS  2
#define FILL        12 /* keys per group on average, at most */
#define MANY        3
#define MOST_PASSED 40
#define MOST_STUCK  16 /* one in so many groups has a count that stays */

/* The n-th group of a key after the n - 1 before it, n > 0. */
static uint64_t following(const struct nh_probe_table *t, uint64_t group, uint64_t n)
{
    return (group + n) & (t->n_groups - 1);
}

/* ---- Lookups ----------------------------------------------------------------------- */

uint8_t *nh_probe_find_further(const ninho_dict *dict, const struct nh_key *key)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    uint64_t group = nh_probe_home(t, key->hash);

    for (uint64_t n = 1; n < t->max_walk; n++) { /* counts may send it further */
        group = following(t, group, n);
        const struct nh_spot spot =
            nh_probe_look(dict, group, key, dict->entry_size, nh_entry_is);
        if (spot.entry || !nh_probe_goes_on(&spot, key->hash))
            return spot.entry;
    }
    return NULL;
}

static uint8_t *find(const ninho_dict *dict, const struct nh_key *key)
{
    const uint64_t home = nh_probe_home(&dict->table.probe, key->hash);
    const struct nh_spot spot =
        nh_probe_look(dict, home, key, dict->entry_size, nh_entry_is);

    if (spot.entry || !nh_probe_goes_on(&spot, key->hash))
        return spot.entry;
    return nh_probe_find_further(dict, key);
}

static void prefetch(const ninho_dict *dict, const struct nh_key *key)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    nh_prefetch(nh_probe_tags(t, nh_probe_home(t, key->hash)));
}

static void prefetch_entry(const ninho_dict *dict, const struct nh_key *key)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    const uint64_t home = nh_probe_home(t, key->hash);
    const uint32_t equal =
        ninho_group_equal_(nh_probe_tags(t, home), ninho_tag_of_(key->hash));

    if (equal)
        nh_prefetch(nh_probe_entry(t, home, nh_lowest_bit(equal), dict->entry_size));
}

/* ---- Lookups of many words --------------------------------------------------------- */

#define AHEAD 16          /* keys between asking for a line and looking at it */
#define RING  (2 * AHEAD) /* keys under way; a power of two */

/* A key under way. */
struct word_step {
    uint64_t hash;
    uint64_t home;
    uint32_t equal; /* slots with its tag */
};

/* The last step: the entry, or NULL. */
static inline const uint8_t *find_word(const ninho_dict *dict, const uint8_t *key,
                                       const struct word_step *at)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    const uint64_t word = nh_word_at(key);

    for (uint32_t equal = at->equal; equal; equal &= equal - 1) {
        const uint8_t *const entry =
            nh_probe_entry(t, at->home, nh_lowest_bit(equal), NH_WORD_ENTRY);
        if (nh_word_at(entry) == word)
            return entry;
    }
    if (!ninho_group_passed_(nh_probe_tags(t, at->home), at->hash))
        return NULL;
    const struct nh_key whole = {key, 8, at->hash, {word, 0}};
    return nh_probe_find_further(dict, &whole);
}

/* Each key in three steps, with others' steps between them, as get_batch() in dict.c. */
size_t nh_probe_get_words(const ninho_dict *dict, const uint8_t *keys, size_t n,
                          uint64_t *values, uint64_t *found)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    struct word_step ring[RING];
    size_t n_found = 0;

    for (size_t step = 0; step < n + RING; step++) {
        if (step >= RING) {
            const size_t i = step - RING;
            const uint8_t *const entry = find_word(dict, keys + 8 * i, &ring[i % RING]);
            found[i / 64] |= (uint64_t)(entry != NULL) << (i % 64);
            n_found += entry != NULL;
            if (values && entry)
                values[i] = nh_word_at(entry + 8);
        }
        if (step < n) {
            struct word_step *const at = &ring[step % RING];
            at->hash = ninho_word_hash_(nh_word_at(keys + 8 * step), dict->words.flip);
            at->home = nh_probe_home(t, at->hash);
            nh_prefetch(nh_probe_tags(t, at->home));
        }
        if (step >= AHEAD && step - AHEAD < n) {
            struct word_step *const at = &ring[(step - AHEAD) % RING];
            at->equal =
                ninho_group_equal_(nh_probe_tags(t, at->home), ninho_tag_of_(at->hash));
            if (at->equal)
                nh_prefetch(
                    nh_probe_entry(t, at->home, nh_lowest_bit(at->equal), NH_WORD_ENTRY));
        }
    }
    return n_found;
}

/* ---- Changes ----------------------------------------------------------------------- */

void nh_probe_publish(ninho_dict *dict)
{
    static const uint8_t nowhere[2 * NINHO_GROUP_BYTES_] = {
        [NINHO_GROUP_SLOTS_] = 0xff, [NINHO_GROUP_BYTES_ + NINHO_GROUP_SLOTS_] = 0xff};
    const struct nh_probe_table *const t = &dict->table.probe;
    const uint64_t most = dict->spec.max_capacity;
    ninho_words *const words = &dict->words;

    if (dict->way == NH_WAY_WORD) {
        words->tags = t->groups.bytes;
        words->entries = t->entries;
        words->shift = t->shift;
        words->max_count = most && most < t->max_used ? most : t->max_used;
    } else {
        words->tags = words->entries = (uint8_t *)(uintptr_t)nowhere; /* only read */
        words->shift = 63;
    }
}

/* Adds `by` to the count of the key's class. False: it is MANY, and stays. */
static bool count_passed(uint8_t *tags, uint64_t hash, int by)
{
    const bool is_known = ninho_group_passed_(tags, hash) != MANY;

    if (is_known)
        tags[NINHO_GROUP_SLOTS_] =
            (uint8_t)(tags[NINHO_GROUP_SLOTS_] + by * (1 << (hash >> 7 & 6)));
    return is_known;
}

/* How many groups the key has to pass to come to one that has a free slot, and that one; false if it
 * would make a crowd. */
static bool group_for(const struct nh_probe_table *t, uint64_t hash, uint64_t *group)
{
    *group = nh_probe_home(t, hash);
    for (uint64_t n = 1;; n++) {
        nh_step();
        if (ninho_group_equal_(nh_probe_tags(t, *group), 0))
            return true;
        if (n == t->max_walk)
            return false;
        *group = following(t, *group, n);
    }
}

/* False, with nothing changed, if that would make a crowd. */
static bool place(ninho_dict *dict, uint64_t hash, const uint8_t *entry)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    uint64_t group, at = nh_probe_home(t, hash);

    if (!group_for(t, hash, &group))
        return false;
    for (uint64_t n = 1; at != group; at = following(t, at, n++))
        (void)count_passed(nh_probe_tags(t, at), hash, 1);
    const unsigned i = nh_lowest_bit(ninho_group_equal_(nh_probe_tags(t, group), 0));
    uint8_t *const to = nh_probe_claim(t, group, i, hash, dict->entry_size);
    memcpy(to, entry, dict->entry_size);
    nh_dict_tell(dict, NINHO_EVENT_TAG_PLACED, 0, group * NINHO_GROUP_SLOTS_ + i,
                 nh_entry_value(dict, entry));
    return true;
}

static uint64_t slot_of(const ninho_dict *dict, const uint8_t *entry)
{
    return (uint64_t)(entry - dict->table.probe.entries) / dict->entry_size;
}

static ninho_status start(ninho_dict *dict, uint64_t capacity)
{
    struct nh_probe_table t = {.n_groups = MIN_GROUPS, .shift = 63};

    for (; t.n_groups * FILL < capacity; t.shift--)
        t.n_groups *= 2;
    if (!nh_dict_table(dict, t.n_groups,
                       NINHO_GROUP_BYTES_ + NINHO_GROUP_SLOTS_ * dict->entry_size,
                       &t.groups))
        return NINHO_ERR_NOMEM;
    t.entries = t.groups.bytes + t.n_groups * NINHO_GROUP_BYTES_;
    t.max_used = t.n_groups * FILL;
    t.max_walk =
        dict->is_watched && t.n_groups > MOST_PASSED ? MOST_PASSED + 1 : t.n_groups;
    dict->table.probe = t;
    nh_probe_publish(dict);
    return NINHO_OK;
}

static void finish(ninho_dict *dict)
{
    nh_dict_table_free(dict, &dict->table.probe.groups);
}

/* The entry at or after slot *cursor. */
static uint8_t *next_in(const struct nh_probe_table *t, size_t entry_size,
                        uint64_t *cursor)
{
    while (*cursor < t->n_groups * NINHO_GROUP_SLOTS_) {
        const uint64_t slot = (*cursor)++;
        if (nh_probe_tags(t, slot / NINHO_GROUP_SLOTS_)[slot % NINHO_GROUP_SLOTS_])
            return t->entries + slot * entry_size;
    }
    return NULL;
}

static uint8_t *next(const ninho_dict *dict, uint64_t *cursor)
{
    return next_in(&dict->table.probe, dict->entry_size, cursor);
}

/* All of `old` into the new, empty table; false if there is a crowd. */
static bool refill(ninho_dict *dict, const struct nh_probe_table *old)
{
    nh_dict_tell(dict, NINHO_EVENT_RESIZED, old->n_groups * NINHO_GROUP_SLOTS_,
                 dict->table.probe.n_groups * NINHO_GROUP_SLOTS_, 0);
    for (uint64_t group = 0; group < old->n_groups; group++) {
        const uint32_t free = ninho_group_equal_(nh_probe_tags(old, group), 0);
        for (uint32_t used = ~free & NINHO_GROUP_MARKS_; used; used &= used - 1) {
            const uint8_t *const entry =
                nh_probe_entry(old, group, nh_lowest_bit(used), dict->entry_size);
            if (!place(dict, nh_entry_hash(dict, entry), entry))
                return false;
        }
    }
    return true;
}

/* Moves everything to a table with room for n keys. */
static ninho_status resize(ninho_dict *dict, uint64_t n)
{
    struct nh_probe_table old = dict->table.probe;

    ninho_status status = start(dict, n);
    if (!status && !refill(dict, &old)) {
        finish(dict);
        status = NH_CROWDED;
    }
    if (status) {
        dict->table.probe = old;
        nh_probe_publish(dict);
        return status;
    }
    nh_dict_table_free(dict, &old.groups);
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
    const struct nh_probe_table *const t = &dict->table.probe;

    if (dict->words.count >= t->max_used) {
        const ninho_status status = resize(dict, dict->words.count + 1);
        if (status)
            return status;
    } else if (t->n_stuck > t->n_groups / MOST_STUCK) {
        (void)resize(dict, t->max_used); /* if that cannot be, it stays as it is */
    }
    return place(dict, hash, entry) ? NINHO_OK : NH_CROWDED;
}

static void erase(ninho_dict *dict, uint8_t *entry)
{
    struct nh_probe_table *const t = &dict->table.probe;
    const uint64_t slot = slot_of(dict, entry), group = slot / NINHO_GROUP_SLOTS_;
    const uint64_t hash = nh_entry_hash(dict, entry);
    uint64_t at = nh_probe_home(t, hash);

    nh_dict_tell(dict, NINHO_EVENT_TAG_REMOVED, slot, 0, nh_entry_value(dict, entry));
    for (uint64_t n = 1; at != group; at = following(t, at, n++)) {
        t->n_stuck += !count_passed(nh_probe_tags(t, at), hash, -1);
        nh_step();
    }
    nh_probe_tags(t, group)[slot % NINHO_GROUP_SLOTS_] = 0;
}

static uint64_t n_slots(const ninho_dict *dict)
{
    return dict->table.probe.n_groups * NINHO_GROUP_SLOTS_;
}

/* Every tag is its key's, and every group that a key went past has counted it. (That every key is
 * found, verify sees to.) */
static bool is_sound(const ninho_dict *dict)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    uint64_t cursor = 0;

    for (const uint8_t *entry; (entry = next(dict, &cursor));) {
        const uint64_t hash = nh_entry_hash(dict, entry);
        const uint64_t slot = slot_of(dict, entry), group = slot / NINHO_GROUP_SLOTS_;
        uint64_t at = nh_probe_home(t, hash);
        if (nh_probe_tags(t, group)[slot % NINHO_GROUP_SLOTS_] != ninho_tag_of_(hash))
            return false;
        for (uint64_t n = 1; at != group; at = following(t, at, n++))
            if (!ninho_group_passed_(nh_probe_tags(t, at), hash) || n == t->max_walk)
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
