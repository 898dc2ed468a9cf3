/* SPDX-License-Identifier: MIT */
#include "filter/compact_table.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/inline.h"
#include "base/le.h"
#include "base/status.h"
#include "base/steps.h"

#define MOST 15U /* copies in one slot */

/* ---- Slots ------------------------------------------------------------------------- */

/* A slot may reach into a ninth byte: up to 64 bits from bit 7. */
static struct nh_compact_entry get(const struct nh_compact_table *t, uint64_t slot)
{
    const unsigned width = t->l + NH_COMPACT_COUNT_BITS;
    const uint64_t bit = slot * width;
    const uint8_t *const at = t->body + bit / 8;
    const unsigned shift = bit % 8;
    uint64_t word = nh_load_le64(at) >> shift;

    nh_step();
    if (shift)
        word |= (uint64_t)at[8] << (64 - shift);
    word &= nh_low_mask(width);
    return (struct nh_compact_entry){word >> NH_COMPACT_COUNT_BITS, word & MOST};
}

static void put(const struct nh_compact_table *t, uint64_t slot,
                struct nh_compact_entry entry)
{
    const unsigned width = t->l + NH_COMPACT_COUNT_BITS;
    const uint64_t bit = slot * width;
    uint8_t *const at = t->body + bit / 8;
    const unsigned shift = bit % 8;
    const uint64_t word = entry.signature << NH_COMPACT_COUNT_BITS | entry.count,
                   mask = nh_low_mask(width);

    nh_store_le64(at, (nh_load_le64(at) & ~(mask << shift)) | word << shift);
    if (shift) {
        const uint8_t high = (uint8_t)(mask >> (64 - shift));
        at[8] = (uint8_t)((at[8] & ~high) | (uint8_t)(word >> (64 - shift)));
    }
}

static uint64_t next_slot(const struct nh_compact_table *t, uint64_t slot)
{
    return slot + 1 == t->m ? 0 : slot + 1;
}

/* Steps from a to b, to the right. */
static uint64_t distance(const struct nh_compact_table *t, uint64_t a, uint64_t b)
{
    return b >= a ? b - a : b + t->m - a;
}

/* ---- Searching --------------------------------------------------------------------- */

static uint64_t slot_after(const struct nh_compact_table *t, uint64_t slot,
                           uint64_t n_steps)
{
    return slot + n_steps < t->m ? slot + n_steps : slot + n_steps - t->m;
}

/* Whether the signature's place is further on than n_steps from its home, where *there was
 * found: whether that comes before it. What is further from its home than we from ours does. */
static bool is_further(const struct nh_compact_table *t, uint64_t home, uint64_t n_steps,
                       uint64_t signature, struct nh_compact_entry *there)
{
    const uint64_t slot = slot_after(t, home, n_steps);

    *there = get(t, slot);
    if (!there->count || there->signature == signature)
        return false;
    const uint64_t steps = distance(t, nh_compact_home(t, there->signature), slot);
    return steps > n_steps || (steps == n_steps && there->signature < signature);
}

#define NEAR 32 /* steps one by one: nearly every search ends there */

/* All entries up to the place come before the signature, and none behind it does, not in other
 * clusters either: so that doubling steps and then halves lead there. */
NH_NOINLINE static uint64_t find_far(const struct nh_compact_table *t, uint64_t signature,
                                     struct nh_compact_entry *there)
{
    const uint64_t home = nh_compact_home(t, signature);
    uint64_t low = NEAR - 1, high = 2 * NEAR;

    while (high < t->m && is_further(t, home, high, signature, there)) {
        low = high;
        high *= 2;
    }
    if (high > t->m)
        high = t->m;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (is_further(t, home, middle, signature, there))
            low = middle;
        else
            high = middle;
    }
    if (high == t->m) { /* a table that is damaged */
        *there = (struct nh_compact_entry){0, 0};
        return home;
    }
    (void)is_further(t, home, high, signature, there);
    return slot_after(t, home, high);
}

uint64_t nh_compact_find(const struct nh_compact_table *t, uint64_t signature,
                         struct nh_compact_entry *there)
{
    const uint64_t home = nh_compact_home(t, signature);
    uint64_t slot = home;

    for (uint64_t n_steps = 0; n_steps < NEAR; n_steps++, slot = next_slot(t, slot)) {
        if (n_steps == t->m) {
            *there = (struct nh_compact_entry){0, 0};
            return slot;
        }
        *there = get(t, slot);
        if (!there->count || there->signature == signature)
            return slot;
        const uint64_t steps = distance(t, nh_compact_home(t, there->signature), slot);
        if (steps < n_steps || (steps == n_steps && there->signature > signature))
            return slot;
    }
    return find_far(t, signature, there);
}

static bool holds(const struct nh_compact_table *t, uint64_t slot, uint64_t signature)
{
    const struct nh_compact_entry entry = get(t, slot);
    return entry.count && entry.signature == signature;
}

/* How many slots from `first` on hold its signature. They stand together, so that looking
 * at every second, fourth, ... will do: a million copies are no reason to look at a
 * million slots. */
static uint64_t n_slots_of(const struct nh_compact_table *t, uint64_t first,
                           uint64_t signature)
{
    uint64_t low = 0, high = 1;

    while (high < t->m && holds(t, slot_after(t, first, high), signature)) {
        low = high;
        high *= 2;
    }
    if (high > t->m)
        high = t->m;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (holds(t, slot_after(t, first, middle), signature))
            low = middle;
        else
            high = middle;
    }
    return low + 1;
}

uint64_t nh_compact_copies(const struct nh_compact_table *t, uint64_t signature)
{
    struct nh_compact_entry there;
    const uint64_t slot = nh_compact_find(t, signature, &there);

    if (!there.count || there.signature != signature)
        return 0;
    const uint64_t n = n_slots_of(t, slot, signature);
    return MOST * (n - 1) + get(t, slot_after(t, slot, n - 1)).count;
}

/* ---- Changes ----------------------------------------------------------------------- */

/* How many slots from this one on hold the same signature as it: they can be passed over
 * together. */
static uint64_t n_alike(const struct nh_compact_table *t, uint64_t slot,
                        struct nh_compact_entry entry)
{
    return entry.count == MOST ? n_slots_of(t, slot, entry.signature) : 1;
}

/* The first empty one of the n slots from this one on, as the number of steps to it; n if
 * there is none, or more than `most` signatures come before it. *n_signatures is how many
 * different ones were passed. */
static uint64_t steps_to_empty(const struct nh_compact_table *t, uint64_t slot,
                               uint64_t n, uint64_t most, uint64_t *n_signatures)
{
    uint64_t at = 0;

    for (*n_signatures = 0; at < n && *n_signatures <= most; ++*n_signatures) {
        const struct nh_compact_entry entry = get(t, slot_after(t, slot, at));
        if (!entry.count)
            return at;
        at += n_alike(t, slot_after(t, slot, at), entry);
    }
    return n;
}

/* The first empty slot from this one on; m if there is none, or it is too far. */
static uint64_t empty_within(const struct nh_compact_table *t, uint64_t slot,
                             uint64_t most)
{
    uint64_t n_signatures;
    const uint64_t steps = steps_to_empty(t, slot, t->m, most, &n_signatures);

    return steps == t->m ? t->m : slot_after(t, slot, steps);
}

static uint64_t empty_from(const struct nh_compact_table *t, uint64_t slot)
{
    return empty_within(t, slot, t->m);
}

/* Tells that slots [from, to) move one to the right, the last one first. */
static void tell_right(const struct nh_live *live, const struct nh_compact_table *t,
                       uint64_t from, uint64_t to)
{
    while (live->observer && to != from) {
        const uint64_t before = (to ? to : t->m) - 1;
        nh_tell(live, NINHO_EVENT_TAG_MOVED, before, to, get(t, before).signature);
        to = before;
    }
}

/* Puts an entry into this slot; what lies there and behind moves right, into the empty slot
 * `to`. Of slots alike only the first and the last change. */
static void insert_at(const struct nh_live *live, const struct nh_compact_table *t,
                      uint64_t slot, uint64_t to, struct nh_compact_entry entry)
{
    const struct nh_compact_entry new = entry;
    const uint64_t place = slot;

    tell_right(live, t, slot, to);
    while (slot != to) {
        struct nh_compact_entry there = get(t, slot);
        const uint64_t last = slot_after(t, slot, n_alike(t, slot, there) - 1);
        put(t, slot, entry);
        if (last != slot) {
            entry = get(t, last);
            put(t, last, there);
            there = entry;
        }
        entry = there;
        slot = next_slot(t, last);
    }
    put(t, slot, entry);
    nh_tell(live, NINHO_EVENT_TAG_PLACED, 0, place, new.signature);
    for (unsigned count = 2; count <= new.count; count++)
        nh_tell(live, NINHO_EVENT_COUNTER_UP, 0, place, count);
}

/* ---- Zones ------------------------------------------------------------------------- */

struct zone {
    uint64_t first;
    uint64_t n;
};

static uint64_t n_zones(const struct nh_compact_table *t)
{
    return t->m < NH_COMPACT_ZONE ? 1 : t->m / NH_COMPACT_ZONE;
}

static struct zone zone_at(const struct nh_compact_table *t, uint64_t number)
{
    const uint64_t first = number * NH_COMPACT_ZONE;
    return (struct zone){first,
                         number + 1 == n_zones(t) ? t->m - first : NH_COMPACT_ZONE};
}

static uint64_t zone_of(const struct nh_compact_table *t, uint64_t slot)
{
    const uint64_t number = slot / NH_COMPACT_ZONE;
    return number < n_zones(t) ? number : n_zones(t) - 1;
}

/* How many signatures the zone has behind its last empty slot, *is_full if there is none such.
 * `taken` counts as in use. */
static uint64_t n_behind_empty(const struct nh_compact_table *t, struct zone zone,
                               uint64_t taken, bool *is_full)
{
    uint64_t n = 0, at = 0;

    *is_full = true;
    while (at < zone.n) {
        uint64_t n_signatures;
        at += steps_to_empty(t, zone.first + at, zone.n - at, zone.n, &n_signatures);
        n += n_signatures;
        if (at < zone.n && zone.first + at != taken) {
            *is_full = false;
            n = 0;
        }
        at++;
    }
    return n;
}

/* Whether the cluster that comes about when the last empty slot of its zone is taken has too
 * many signatures. Looks back zone by zone, then ahead. */
NH_NOINLINE static bool is_crowd(const struct nh_compact_table *t, uint64_t empty)
{
    const uint64_t here = zone_of(t, empty);
    uint64_t n = 0, zone = here, ahead;
    bool is_full = true;

    do {
        n += n_behind_empty(t, zone_at(t, zone), empty, &is_full);
        zone = (zone ? zone : n_zones(t)) - 1;
    } while (is_full && zone != here && n <= NH_COMPACT_ZONE);
    if (n > NH_COMPACT_ZONE || zone == here)
        return true;
    const struct zone last = zone_at(t, here);
    (void)steps_to_empty(t, slot_after(t, last.first, last.n % t->m), t->m - last.n,
                         NH_COMPACT_ZONE, &ahead);
    return n + ahead > NH_COMPACT_ZONE;
}

/* Whether this empty slot may be taken: another one of its zone is empty, or what stands there
 * is copies for the most part. */
static bool may_take(const struct nh_compact_table *t, uint64_t empty)
{
    const struct zone zone = zone_at(t, zone_of(t, empty));
    const uint64_t n_behind = zone.first + zone.n - empty - 1;
    const uint64_t n_before = empty - zone.first;
    uint64_t n_signatures;

    return (n_behind &&
            steps_to_empty(t, empty + 1, n_behind, zone.n, &n_signatures) < n_behind) ||
           (n_before &&
            steps_to_empty(t, zone.first, n_before, zone.n, &n_signatures) < n_before) ||
           (n_zones(t) > 1 && !is_crowd(t, empty));
}

/* An entry that is new goes here. False, with nothing changed, if there is no room. */
static bool add_entry(const struct nh_live *live, const struct nh_compact_table *t,
                      uint64_t slot, struct nh_compact_entry entry)
{
    const uint64_t to = empty_within(t, slot, NH_COMPACT_MOST);

    if (to == t->m || !may_take(t, to))
        return false;
    insert_at(live, t, slot, to, entry);
    return true;
}

/* Empties this slot; what follows moves left as far as it may. Of slots alike only the first
 * and the last change. False if that is too much: then all has moved back. */
static bool remove_at(const struct nh_live *live, const struct nh_compact_table *t,
                      uint64_t slot)
{
    const struct nh_compact_entry removed = get(t, slot);
    const uint64_t place = slot;

    nh_tell(live, NINHO_EVENT_TAG_REMOVED, slot, 0, removed.signature);
    for (uint64_t i = 0; i < t->m; i++) {
        if (i == NH_COMPACT_MOST) {
            put(t, slot,
                (struct nh_compact_entry){0, 0}); /* else it is taken for a copy */
            insert_at(live, t, place, slot, removed);
            return false;
        }
        const uint64_t next = next_slot(t, slot);
        const struct nh_compact_entry entry = get(t, next);
        if (!entry.count || nh_compact_home(t, entry.signature) == next)
            break;
        const uint64_t n = n_alike(t, next, entry);
        const uint64_t last = slot_after(t, next, n - 1);
        for (uint64_t j = 0; live->observer && j < n; j++)
            nh_tell(live, NINHO_EVENT_TAG_MOVED, slot_after(t, next, j),
                    slot_after(t, slot, j), entry.signature);
        put(t, slot, entry);
        if (n > 1)
            put(t, slot_after(t, slot, n - 1), get(t, last));
        slot = last;
    }
    put(t, slot, (struct nh_compact_entry){0, 0});
    return true;
}

/* Where the signature's last entry stands, *there what it holds; or, with a count of 0 in
 * *there, where its first one must go. */
static uint64_t find_last(const struct nh_compact_table *t, uint64_t signature,
                          struct nh_compact_entry *there)
{
    uint64_t slot = nh_compact_find(t, signature, there);

    if (!there->count || there->signature != signature) {
        *there = (struct nh_compact_entry){signature, 0};
        return slot;
    }
    if (there->count == MOST) {
        slot = slot_after(t, slot, n_slots_of(t, slot, signature) - 1);
        *there = get(t, slot);
    }
    return slot;
}

bool nh_compact_add(const struct nh_live *live, const struct nh_compact_table *t,
                    uint64_t signature)
{
    struct nh_compact_entry there;
    const uint64_t slot = find_last(t, signature, &there);

    if (there.count == 0)
        return add_entry(live, t, slot, (struct nh_compact_entry){signature, 1});
    if (there.count == MOST)
        return add_entry(live, t, next_slot(t, slot),
                         (struct nh_compact_entry){signature, 1});
    there.count++;
    put(t, slot, there);
    nh_tell(live, NINHO_EVENT_COUNTER_UP, 0, slot, there.count);
    return true;
}

ninho_status nh_compact_remove(const struct nh_live *live,
                               const struct nh_compact_table *t, uint64_t signature)
{
    struct nh_compact_entry there;
    const uint64_t slot = find_last(t, signature, &there);

    if (!there.count)
        return NINHO_ERR_NOT_FOUND;
    if (there.count == 1)
        return remove_at(live, t, slot) ? NINHO_OK : NINHO_ERR_FULL;
    there.count--;
    put(t, slot, there);
    nh_tell(live, NINHO_EVENT_COUNTER_DOWN, 0, slot, there.count);
    return NINHO_OK;
}

/* From the start of a cluster on, so that entries of one signature come in their order. */
void nh_compact_copy(const struct nh_live *live, const struct nh_compact_table *old,
                     const struct nh_compact_table *t)
{
    uint64_t slot = empty_from(old, 0) % old->m;

    for (uint64_t i = 0; i < old->m; i++, slot = next_slot(old, slot)) {
        const struct nh_compact_entry entry = get(old, slot);
        struct nh_compact_entry there;
        if (!entry.count)
            continue;
        uint64_t at = find_last(t, entry.signature, &there);
        if (there.count)
            at = next_slot(t, at);
        insert_at(live, t, at, empty_from(t, at), entry);
    }
}

/* ---- The whole table --------------------------------------------------------------- */

struct nh_compact_totals nh_compact_total(const struct nh_compact_table *t)
{
    struct nh_compact_totals totals = {0, 0, 0};
    struct nh_compact_entry last = {0, 0};
    uint64_t slot = empty_from(t, 0) % t->m;

    for (uint64_t i = 0; i < t->m; i++, slot = next_slot(t, slot)) {
        const struct nh_compact_entry entry = get(t, slot);
        totals.n_used += entry.count != 0;
        totals.n_copies += entry.count;
        totals.n_distinct +=
            entry.count && !(last.count && last.signature == entry.signature);
        last = entry;
    }
    return totals;
}

static ninho_status damaged(const char *what, uint64_t slot, ninho_error *error)
{
    return nh_fail(error, NINHO_ERR_FORMAT, "%s, at slot %" PRIu64, what, slot);
}

/* Whether an entry may stand in this slot, `n_before` slots of its cluster and `last`
 * before it. */
static ninho_status verify_entry(const struct nh_compact_table *t, uint64_t slot,
                                 struct nh_compact_entry entry,
                                 struct nh_compact_entry last, uint64_t n_before,
                                 ninho_error *error)
{
    const uint64_t home = nh_compact_home(t, entry.signature);

    if (distance(t, home, slot) > n_before)
        return damaged("an entry cannot be found from its home", slot, error);
    if (!n_before)
        return NINHO_OK;
    const uint64_t last_home = nh_compact_home(t, last.signature);
    const uint64_t cluster = slot_after(t, slot, t->m - n_before);
    const uint64_t steps = distance(t, cluster, home),
                   last_steps = distance(t, cluster, last_home);
    if (steps < last_steps || (steps == last_steps && entry.signature < last.signature))
        return damaged("entries are not in order", slot, error);
    if (entry.signature == last.signature && last.count != MOST)
        return damaged("copies are spread over two entries", slot, error);
    return NINHO_OK;
}

ninho_status nh_compact_verify(const struct nh_compact_table *t, uint64_t *n_copies,
                               ninho_error *error)
{
    const uint64_t n_bits = t->m * (t->l + NH_COMPACT_COUNT_BITS);
    const uint64_t empty = empty_from(t, 0);
    struct nh_compact_entry last = {0, 0};
    uint64_t n_before = 0, slot = empty;

    *n_copies = 0;
    for (uint64_t bit = n_bits; bit < 8 * nh_compact_table_size(t->m, t->l); bit++)
        if (t->body[bit / 8] >> (bit % 8) & 1)
            return nh_fail(error, NINHO_ERR_FORMAT,
                           "bits are set past the end of the table");
    if (empty == t->m)
        return nh_fail(error, NINHO_ERR_FORMAT, "no slot is empty");
    for (uint64_t i = 0; i < t->m; i++, slot = next_slot(t, slot)) {
        const struct nh_compact_entry entry = get(t, slot);
        if (!entry.count) {
            if (entry.signature)
                return damaged("an empty slot holds a signature", slot, error);
            n_before = 0;
            continue;
        }
        const ninho_status status = verify_entry(t, slot, entry, last, n_before, error);
        if (status)
            return status;
        *n_copies += entry.count;
        n_before++;
        last = entry;
    }
    return NINHO_OK;
}
