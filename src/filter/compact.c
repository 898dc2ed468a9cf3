/* SPDX-License-Identifier: MIT */
/* Hash compaction (Wolper and Leroy, 1993; Stern and Dill, 1995): a hash table that
 * keeps, instead of each key, l bits of its hash.
 *
 *     key --H--> l bits: the signature --h--> slot        (h: signature * m / 2^l)
 *
 *     slot: | copies: 4 bits | signature: l bits |         packed, m slots
 *
 * The search begins where the signature itself says and compares nothing but signatures,
 * so an absent key is taken for a member if and only if its signature is that of some
 * stored key: with n of them, with probability 1 - (1 - 2^-l)^n. (2^-l alone is the rate
 * for one comparison.)
 *
 * Collisions go to the next slot (linear probing), round the end of the table if need be.
 * Entries stand in the order of their signatures, which is that of their homes, since h
 * keeps order: a search ends at the first entry that would come after, and a removal
 * moves what follows back by one, so that no grave is left. The layout does not depend on
 * the order of adds and removals.
 *
 * Keys with equal signatures are copies of each other: an entry counts 1 to 15 of them,
 * and further ones take further entries directly behind:
 *
 *     31 copies of s:  | 15 x s | 15 x s | 1 x s |
 *
 * so that no copy is ever lost: a removal takes one from the last. A count of 0 is an
 * empty slot.
 *
 * When the table doubles, the signatures stay and only h changes; l is chosen for
 * max_capacity beforehand. */
#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"
#include "filter/ops.h"

#define COUNT_BITS 4
#define MOST       15U /* copies in one slot */
#define MAX_L      60
#define MAX_KEYS   (UINT64_C(1) << 48)
#define SPARE \
    8 /* bytes behind the table, so that a slot can be read as a word and a byte */

/* ---- Geometry ---------------------------------------------------------------------- */

/* stored[0]: bits 0-7 l, 8-15 doublings made; stored[1]: max_capacity. part->capacity is
 * the one it was created with. */
static unsigned signature_bits(const struct nh_part *part)
{
    return part->stored[0] & 0xff;
}

static unsigned doublings_made(const struct nh_part *part)
{
    return part->stored[0] >> 8 & 0xff;
}

static unsigned slot_bits(const struct nh_part *part)
{
    return signature_bits(part) + COUNT_BITS;
}

static uint64_t bytes_for(uint64_t n_slots, unsigned width)
{
    return (n_slots * width + 7) / 8 + SPARE;
}

/* How many keys it takes before it must double. */
static uint64_t limit_of(const struct nh_part *part)
{
    const uint64_t limit = part->capacity << doublings_made(part);
    return limit < part->stored[1] ? limit : part->stored[1];
}

/* At seven eighths an absent key's search ends after four or five slots. One slot is
 * always empty. */
static uint64_t slots_for(uint64_t n_keys)
{
    return n_keys + n_keys / 7 + 1;
}

/* The least l with 1 - (1 - 2^-l)^n <= fpr. The millionth taken off before rounding up
 * keeps two machines' logarithms from differing in the result. */
static unsigned bits_for(uint64_t n_keys, double fpr)
{
    const double one = -expm1(log1p(-fpr) / (double)n_keys); /* 2^-l must not exceed it */
    const double l = ceil(-log2(one) - 1e-6);
    return l < 1 ? 1 : (unsigned)l;
}

/* The rate with the longest tags. */
static double least_fpr(uint64_t n_keys)
{
    return -expm1((double)n_keys * log1p(-ldexp(1, -MAX_L)));
}

static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    const uint64_t most = spec->max_capacity ? spec->max_capacity : spec->capacity;
    const unsigned l = spec->tag_bits ? spec->tag_bits : bits_for(most, spec->fpr);

    if (l > MAX_L && !spec->tag_bits)
        return nh_fail_field(error, NINHO_FIELD_FPR, least_fpr(most), 1,
                             "of a compact filter must be at least %.3g for %" PRIu64
                             " keys, not %g",
                             least_fpr(most), most, spec->fpr);
    if (l > MAX_L)
        return nh_fail_field(error, NINHO_FIELD_TAG_BITS, 1, MAX_L,
                             "of a compact filter must be 1 to %d, not %u", MAX_L, l);
    part->n_cells = slots_for(spec->capacity);
    part->stored[0] = l;
    part->stored[1] = most;
    part->size = bytes_for(part->n_cells, l + COUNT_BITS);
    return NINHO_OK;
}

static void spec_back(const struct nh_part *part, ninho_spec *spec)
{
    spec->tag_bits = signature_bits(part);
    spec->max_capacity = part->stored[1] > part->capacity ? part->stored[1] : 0;
}

static void as_created(struct nh_part *part)
{
    part->stored[0] = signature_bits(part);
    part->n_cells = slots_for(part->capacity);
    part->size = bytes_for(part->n_cells, slot_bits(part));
}

static bool grows(const struct nh_part *part)
{
    return part->stored[1] > part->capacity;
}

static uint32_t tag_bits(const struct nh_part *part)
{
    return signature_bits(part);
}

static double expected_fpr(const struct nh_part *part, double n_keys)
{
    const double one = ldexp(1, -(int)signature_bits(part));
    return n_keys > 0 ? -expm1(n_keys * log1p(-one)) : 0;
}

static const char *note(const struct nh_part *part, double fpr)
{
    (void)part;
    (void)fpr;
    return "keeps whole signatures: quotient does the same in log2(capacity) fewer bits "
           "a key";
}

static bool fits(const struct nh_part *part)
{
    const unsigned l = signature_bits(part), made = doublings_made(part);

    if (l < 1 || l > MAX_L || part->stored[0] >> 16 || part->n_hashes ||
        part->capacity < 1 || part->stored[1] < part->capacity ||
        part->stored[1] > MAX_KEYS)
        return false;
    if (made > nh_doublings(part->capacity, part->stored[1]))
        return false;
    return part->n_cells == slots_for(limit_of(part)) &&
           part->size == bytes_for(part->n_cells, slot_bits(part)) &&
           part->count <= limit_of(part);
}

/* ---- Slots ------------------------------------------------------------------------- */

struct table {
    uint8_t *body;
    uint64_t m;
    unsigned l;
};

struct entry {
    uint64_t signature;
    unsigned count; /* 0: empty */
};

static struct table table_of(const struct nh_part *part)
{
    return (struct table){part->body, part->n_cells, signature_bits(part)};
}

/* A slot may reach into a ninth byte: up to 64 bits from bit 7. */
static struct entry get(const struct table *t, uint64_t slot)
{
    const unsigned width = t->l + COUNT_BITS;
    const uint64_t bit = slot * width;
    const uint8_t *const at = t->body + bit / 8;
    const unsigned shift = bit % 8;
    uint64_t word = nh_load_le64(at) >> shift;

    if (shift)
        word |= (uint64_t)at[8] << (64 - shift);
    word &= nh_low_mask(width);
    return (struct entry){word >> COUNT_BITS, word & MOST};
}

static void put(const struct table *t, uint64_t slot, struct entry entry)
{
    const unsigned width = t->l + COUNT_BITS;
    const uint64_t bit = slot * width;
    uint8_t *const at = t->body + bit / 8;
    const unsigned shift = bit % 8;
    const uint64_t word = entry.signature << COUNT_BITS | entry.count,
                   mask = nh_low_mask(width);

    nh_store_le64(at, (nh_load_le64(at) & ~(mask << shift)) | word << shift);
    if (shift) {
        const uint8_t high = (uint8_t)(mask >> (64 - shift));
        at[8] = (uint8_t)((at[8] & ~high) | (uint8_t)(word >> (64 - shift)));
    }
}

static uint64_t signature_of(const struct table *t, uint64_t hash)
{
    return hash >> (64 - t->l);
}

static uint64_t home_of(const struct table *t, uint64_t signature)
{
    return nh_reduce(signature << (64 - t->l), t->m);
}

static uint64_t next_slot(const struct table *t, uint64_t slot)
{
    return slot + 1 == t->m ? 0 : slot + 1;
}

/* Steps from a to b, to the right. */
static uint64_t distance(const struct table *t, uint64_t a, uint64_t b)
{
    return b >= a ? b - a : b + t->m - a;
}

/* ---- Searching --------------------------------------------------------------------- */

/* The first slot, from its home on, that holds the signature or comes after it; *there is
 * what it holds. At most m steps, whatever the table holds. */
static uint64_t find(const struct table *t, uint64_t signature, struct entry *there)
{
    const uint64_t home = home_of(t, signature);
    uint64_t slot = home;

    for (uint64_t n_steps = 0; n_steps < t->m; n_steps++, slot = next_slot(t, slot)) {
        *there = get(t, slot);
        if (!there->count || there->signature == signature)
            return slot;
        /* What is further from its home than we from ours came first. */
        const uint64_t steps = distance(t, home_of(t, there->signature), slot);
        if (steps < n_steps || (steps == n_steps && there->signature > signature))
            return slot;
    }
    *there = (struct entry){0, 0};
    return slot;
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    const struct table t = table_of(part);
    const uint64_t signature = signature_of(&t, hash);
    struct entry there;

    find(&t, signature, &there);
    return there.count && there.signature == signature;
}

static bool holds(const struct table *t, uint64_t slot, uint64_t signature)
{
    const struct entry entry = get(t, slot);
    return entry.count && entry.signature == signature;
}

static uint64_t slot_after(const struct table *t, uint64_t slot, uint64_t n_steps)
{
    return slot + n_steps < t->m ? slot + n_steps : slot + n_steps - t->m;
}

/* How many slots from `first` on hold its signature. They stand together, so that looking
 * at every second, fourth, ... will do: a million copies are no reason to look at a
 * million slots. */
static uint64_t n_slots_of(const struct table *t, uint64_t first, uint64_t signature)
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

static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    const struct table t = table_of(part);
    const uint64_t signature = signature_of(&t, hash);
    struct entry there;
    const uint64_t slot = find(&t, signature, &there);

    if (!there.count || there.signature != signature)
        return 0;
    const uint64_t n = n_slots_of(&t, slot, signature);
    return MOST * (n - 1) + get(&t, slot_after(&t, slot, n - 1)).count;
}

static void prefetch(const struct nh_part *part, uint64_t hash)
{
    const struct table t = table_of(part);
    nh_prefetch(t.body + home_of(&t, signature_of(&t, hash)) * (t.l + COUNT_BITS) / 8);
}

/* ---- Changes ----------------------------------------------------------------------- */

static uint64_t empty_from(const struct table *t, uint64_t slot)
{
    for (uint64_t i = 0; i < t->m; i++, slot = next_slot(t, slot))
        if (!get(t, slot).count)
            return slot;
    return t->m;
}

static void move_entry(const struct nh_live *live, const struct table *t, uint64_t from,
                       uint64_t to)
{
    const struct entry entry = get(t, from);
    put(t, to, entry);
    nh_tell(live, NINHO_EVENT_TAG_MOVED, from, to, entry.signature);
}

/* Puts an entry into this slot; what lies there and behind moves right, into the next
 * empty one. False, with nothing changed, if there is none. */
static bool insert_at(const struct nh_live *live, const struct table *t, uint64_t slot,
                      struct entry entry)
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
static void remove_at(const struct nh_live *live, const struct table *t, uint64_t slot)
{
    nh_tell(live, NINHO_EVENT_TAG_REMOVED, slot, 0, get(t, slot).signature);
    for (uint64_t i = 0; i < t->m; i++) {
        const uint64_t next = next_slot(t, slot);
        const struct entry entry = get(t, next);
        if (!entry.count || home_of(t, entry.signature) == next)
            break;
        move_entry(live, t, next, slot);
        slot = next;
    }
    put(t, slot, (struct entry){0, 0});
}

/* Where the signature's last entry stands, *there what it holds; or, with a count of 0 in
 * *there, where its first one must go. */
static uint64_t find_last(const struct table *t, uint64_t signature, struct entry *there)
{
    uint64_t slot = find(t, signature, there);

    if (!there->count || there->signature != signature) {
        *there = (struct entry){signature, 0};
        return slot;
    }
    if (there->count == MOST) {
        slot = slot_after(t, slot, n_slots_of(t, slot, signature) - 1);
        *there = get(t, slot);
    }
    return slot;
}

/* One copy more. */
static bool add_signature(const struct nh_live *live, const struct table *t,
                          uint64_t signature)
{
    struct entry there;
    const uint64_t slot = find_last(t, signature, &there);

    if (there.count == 0)
        return insert_at(live, t, slot, (struct entry){signature, 1});
    if (there.count == MOST)
        return insert_at(live, t, next_slot(t, slot), (struct entry){signature, 1});
    there.count++;
    put(t, slot, there);
    nh_tell(live, NINHO_EVENT_COUNTER_UP, 0, slot, there.count);
    return true;
}

/* Moves all entries over, from the start of a cluster on, so that those of one signature
 * come in their order. */
static void copy_entries(const struct nh_live *live, const struct table *old,
                         const struct table *t)
{
    uint64_t slot = empty_from(old, 0) % old->m;

    for (uint64_t i = 0; i < old->m; i++, slot = next_slot(old, slot)) {
        const struct entry entry = get(old, slot);
        struct entry there;
        if (!entry.count)
            continue;
        const uint64_t at = find_last(t, entry.signature, &there);
        insert_at(live, t, there.count ? next_slot(t, at) : at, entry);
    }
}

/* A table for twice as many keys, or, the last time, for max_capacity. */
static ninho_status grow(const struct nh_live *live, struct nh_part *part)
{
    const struct table old = table_of(part);
    struct nh_part grown = *part;

    grown.stored[0] += UINT64_C(1) << 8;
    grown.n_cells = slots_for(limit_of(&grown));
    grown.size = bytes_for(grown.n_cells, slot_bits(&grown));
    if (!nh_live_table(live, grown.size, &grown.table))
        return NINHO_ERR_NOMEM;
    grown.body = grown.table.bytes;
    nh_tell(live, NINHO_EVENT_RESIZED, part->n_cells, grown.n_cells, 0);
    const struct table t = table_of(&grown);
    copy_entries(live, &old, &t);
    nh_table_free(live->alloc, &part->table);
    *part = grown;
    return NINHO_OK;
}

static ninho_status add(const struct nh_live *live, struct nh_part *part, uint64_t hash)
{
    if (part->count >= limit_of(part)) {
        if (limit_of(part) >= part->stored[1])
            return NINHO_ERR_FULL;
        const ninho_status status = grow(live, part);
        if (status)
            return status;
    }
    const struct table t = table_of(part);
    if (!add_signature(live, &t, signature_of(&t, hash)))
        return NINHO_ERR_FULL;
    part->count++;
    return NINHO_OK;
}

static ninho_status remove_one(const struct nh_live *live, struct nh_part *part,
                               uint64_t hash)
{
    const struct table t = table_of(part);
    const uint64_t signature = signature_of(&t, hash);
    struct entry there;
    const uint64_t slot = find_last(&t, signature, &there);

    if (!there.count)
        return NINHO_ERR_NOT_FOUND;
    if (there.count == 1) {
        remove_at(live, &t, slot);
    } else {
        there.count--;
        put(&t, slot, there);
        nh_tell(live, NINHO_EVENT_COUNTER_DOWN, 0, slot, there.count);
    }
    part->count -= part->count != 0;
    return NINHO_OK;
}

/* ---- The whole table --------------------------------------------------------------- */

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *tally)
{
    const struct table t = table_of(part);
    const double n = ldexp(1, (int)t.l);
    struct entry last = {0, 0};
    uint64_t n_distinct = 0;
    uint64_t slot = empty_from(&t, 0) % t.m;

    (void)other; /* the kind has no unions */
    tally->used = tally->copies = 0;
    tally->cells = t.m;
    for (uint64_t i = 0; i < t.m; i++, slot = next_slot(&t, slot)) {
        const struct entry entry = get(&t, slot);
        tally->used += entry.count != 0;
        tally->copies += entry.count;
        n_distinct += entry.count && !(last.count && last.signature == entry.signature);
        last = entry;
    }
    tally->fpr = (double)n_distinct < n ? (double)n_distinct / n : 1;
    tally->n_keys = (double)n_distinct < n
                        ? log1p(-(double)n_distinct / n) / log1p(-1 / n)
                        : INFINITY;
}

static ninho_status damaged(const char *what, uint64_t slot, ninho_error *error)
{
    return nh_fail(error, NINHO_ERR_FORMAT, "%s, at slot %" PRIu64, what, slot);
}

/* Whether an entry may stand in this slot, `n_before` slots of its cluster and `last`
 * before it. */
static ninho_status verify_entry(const struct table *t, uint64_t slot, struct entry entry,
                                 struct entry last, uint64_t n_before, ninho_error *error)
{
    const uint64_t home = home_of(t, entry.signature);

    if (distance(t, home, slot) > n_before)
        return damaged("an entry cannot be found from its home", slot, error);
    if (!n_before)
        return NINHO_OK;
    const uint64_t last_home = home_of(t, last.signature);
    const uint64_t cluster = slot_after(t, slot, t->m - n_before);
    const uint64_t steps = distance(t, cluster, home),
                   last_steps = distance(t, cluster, last_home);
    if (steps < last_steps || (steps == last_steps && entry.signature < last.signature))
        return damaged("entries are not in order", slot, error);
    if (entry.signature == last.signature && last.count != MOST)
        return damaged("copies are spread over two entries", slot, error);
    return NINHO_OK;
}

static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    const struct table t = table_of(part);
    const uint64_t n_bits = t.m * slot_bits(part);
    const uint64_t empty = empty_from(&t, 0);
    struct entry last = {0, 0};
    uint64_t n_before = 0, n_copies = 0, slot = empty;

    for (uint64_t bit = n_bits; bit < 8 * part->size; bit++)
        if (part->body[bit / 8] >> (bit % 8) & 1)
            return nh_fail(error, NINHO_ERR_FORMAT,
                           "bits are set past the end of the table");
    if (empty == t.m)
        return nh_fail(error, NINHO_ERR_FORMAT, "no slot is empty");
    for (uint64_t i = 0; i < t.m; i++, slot = next_slot(&t, slot)) {
        const struct entry entry = get(&t, slot);
        if (!entry.count) {
            if (entry.signature)
                return damaged("an empty slot holds a signature", slot, error);
            n_before = 0;
            continue;
        }
        const ninho_status status = verify_entry(&t, slot, entry, last, n_before, error);
        if (status)
            return status;
        n_copies += entry.count;
        n_before++;
        last = entry;
    }
    if (!part->is_bare && n_copies != part->count)
        return nh_fail(error, NINHO_ERR_FORMAT,
                       "%" PRIu64 " keys where the header says %" PRIu64, n_copies,
                       part->count);
    return NINHO_OK;
}

/* ---- Bare -------------------------------------------------------------------------- */

/* l, and how many bits behind the last slot are spare. */
static unsigned bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    tail[0] = (uint8_t)signature_bits(part);
    tail[1] = (uint8_t)(8 * (part->size - SPARE) - part->n_cells * slot_bits(part));
    return 2;
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    if (size < SPARE + 3 || bytes[size - 1] > 7)
        return false;
    const unsigned width = bytes[size - 2] + COUNT_BITS;
    const uint64_t n_bits = 8 * (uint64_t)(size - 2 - SPARE) - bytes[size - 1];
    if (n_bits < 2 * (uint64_t)width || n_bits % width)
        return false;
    part->size = size - 2;
    part->n_cells = n_bits / width;
    part->stored[0] = bytes[size - 2];
    /* slots_for() backwards; every eighth number of slots it never gives, and `fits`
     * refuses */
    part->capacity = part->n_cells - 1 - (part->n_cells - 1) / 8;
    part->stored[1] = part->capacity;
    return true;
}

const struct nh_family nh_family_compact = {
    .kind = NINHO_COMPACT,
    .can = NINHO_CAN_ADD | NINHO_CAN_REMOVE | NINHO_CAN_VIEW | NINHO_CAN_BARE |
           NINHO_CAN_ESTIMATE,
    .takes = NH_TAKES_MAX_CAPACITY | NH_TAKES_TAG_BITS,
    .counts_itself = true,
    .name = "compact",
    .summary = "hash compaction: a table of l-bit compressed keys, equal ones as copies",
    .plan = plan,
    .spec_back = spec_back,
    .expected_fpr = expected_fpr,
    .note = note,
    .fits = fits,
    .tag_bits = tag_bits,
    .as_created = as_created,
    .grows = grows,
    .has = has,
    .prefetch = prefetch,
    .copies = copies,
    .tally = tally,
    .verify = verify,
    .add = add,
    .remove = remove_one,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
};
