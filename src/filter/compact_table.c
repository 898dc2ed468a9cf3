/* SPDX-License-Identifier: MIT */
#include "filter/compact_table.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"

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

uint64_t nh_compact_find(const struct nh_compact_table *t, uint64_t signature,
                         struct nh_compact_entry *there)
{
    const uint64_t home = nh_compact_home(t, signature);
    uint64_t slot = home;

    for (uint64_t n_steps = 0; n_steps < t->m; n_steps++, slot = next_slot(t, slot)) {
        *there = get(t, slot);
        if (!there->count || there->signature == signature)
            return slot;
        /* What is further from its home than we from ours came first. */
        const uint64_t steps = distance(t, nh_compact_home(t, there->signature), slot);
        if (steps < n_steps || (steps == n_steps && there->signature > signature))
            return slot;
    }
    *there = (struct nh_compact_entry){0, 0};
    return slot;
}

static bool holds(const struct nh_compact_table *t, uint64_t slot, uint64_t signature)
{
    const struct nh_compact_entry entry = get(t, slot);
    return entry.count && entry.signature == signature;
}

static uint64_t slot_after(const struct nh_compact_table *t, uint64_t slot,
                           uint64_t n_steps)
{
    return slot + n_steps < t->m ? slot + n_steps : slot + n_steps - t->m;
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

static uint64_t empty_from(const struct nh_compact_table *t, uint64_t slot)
{
    for (uint64_t i = 0; i < t->m; i++, slot = next_slot(t, slot))
        if (!get(t, slot).count)
            return slot;
    return t->m;
}

static void move_entry(const struct nh_live *live, const struct nh_compact_table *t,
                       uint64_t from, uint64_t to)
{
    const struct nh_compact_entry entry = get(t, from);
    put(t, to, entry);
    nh_tell(live, NINHO_EVENT_TAG_MOVED, from, to, entry.signature);
}

/* Puts an entry into this slot; what lies there and behind moves right, into the next
 * empty one. False, with nothing changed, if there is none. */
static bool insert_at(const struct nh_live *live, const struct nh_compact_table *t,
                      uint64_t slot, struct nh_compact_entry entry)
{
    uint64_t to = empty_from(t, slot);

    if (to == t->m)
        return false;
    while (to != slot) {
        const uint64_t from = (to ? to : t->m) - 1;
        move_entry(live, t, from, to);
        to = from;
    }
    put(t, slot, entry);
    nh_tell(live, NINHO_EVENT_TAG_PLACED, 0, slot, entry.signature);
    for (unsigned count = 2; count <= entry.count; count++)
        nh_tell(live, NINHO_EVENT_COUNTER_UP, 0, slot, count);
    return true;
}

/* Empties this slot; what follows moves left as far as it may. */
static void remove_at(const struct nh_live *live, const struct nh_compact_table *t,
                      uint64_t slot)
{
    nh_tell(live, NINHO_EVENT_TAG_REMOVED, slot, 0, get(t, slot).signature);
    for (uint64_t i = 0; i < t->m; i++) {
        const uint64_t next = next_slot(t, slot);
        const struct nh_compact_entry entry = get(t, next);
        if (!entry.count || nh_compact_home(t, entry.signature) == next)
            break;
        move_entry(live, t, next, slot);
        slot = next;
    }
    put(t, slot, (struct nh_compact_entry){0, 0});
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
        return insert_at(live, t, slot, (struct nh_compact_entry){signature, 1});
    if (there.count == MOST)
        return insert_at(live, t, next_slot(t, slot),
                         (struct nh_compact_entry){signature, 1});
    there.count++;
    put(t, slot, there);
    nh_tell(live, NINHO_EVENT_COUNTER_UP, 0, slot, there.count);
    return true;
}

bool nh_compact_remove(const struct nh_live *live, const struct nh_compact_table *t,
                       uint64_t signature)
{
    struct nh_compact_entry there;
    const uint64_t slot = find_last(t, signature, &there);

    if (!there.count)
        return false;
    if (there.count == 1) {
        remove_at(live, t, slot);
    } else {
        there.count--;
        put(t, slot, there);
        nh_tell(live, NINHO_EVENT_COUNTER_DOWN, 0, slot, there.count);
    }
    return true;
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
        const uint64_t at = find_last(t, entry.signature, &there);
        insert_at(live, t, there.count ? next_slot(t, at) : at, entry);
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
