/* SPDX-License-Identifier: MIT */
#include "filter/quotient_table.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"

#define BLOCK NH_QUOTIENT_BLOCK

enum plane { OCCUPIED, CONTINUED, SHIFTED };

static uint8_t *plane_at(const struct nh_quotient_table *t, enum plane plane,
                         uint64_t block)
{
    return t->body + block * t->stride + 8 * (t->r + (unsigned)plane);
}

static bool get_bit(const struct nh_quotient_table *t, enum plane plane, uint64_t slot)
{
    return nh_load_le64(plane_at(t, plane, slot / BLOCK)) >> (slot % BLOCK) & 1;
}

static void put_bit(const struct nh_quotient_table *t, enum plane plane, uint64_t slot,
                    bool value)
{
    uint8_t *const at = plane_at(t, plane, slot / BLOCK);
    const uint64_t bit = UINT64_C(1) << (slot % BLOCK);
    const uint64_t word = nh_load_le64(at);
    nh_store_le64(at, value ? word | bit : word & ~bit);
}

/* Eight bytes from where a remainder begins never leave the block: the planes come
 * after. */
static uint64_t get_remainder(const struct nh_quotient_table *t, uint64_t slot)
{
    const unsigned bit = (unsigned)(slot % BLOCK) * t->r;
    const uint8_t *const at = t->body + slot / BLOCK * t->stride + bit / 8;
    return nh_load_le64(at) >> (bit % 8) & nh_low_mask(t->r);
}

static void put_remainder(const struct nh_quotient_table *t, uint64_t slot,
                          uint64_t remainder)
{
    const unsigned bit = (unsigned)(slot % BLOCK) * t->r;
    uint8_t *const at = t->body + slot / BLOCK * t->stride + bit / 8;
    const uint64_t mask = nh_low_mask(t->r) << (bit % 8);
    nh_store_le64(at, (nh_load_le64(at) & ~mask) | remainder << (bit % 8));
}

static uint64_t next_slot(const struct nh_quotient_table *t, uint64_t slot)
{
    return slot + 1 == t->n ? 0 : slot + 1;
}

static uint64_t slot_after(const struct nh_quotient_table *t, uint64_t slot,
                           uint64_t n_steps)
{
    return slot + n_steps < t->n ? slot + n_steps : slot + n_steps - t->n;
}

/* Steps from a to b, to the right. */
static uint64_t distance(const struct nh_quotient_table *t, uint64_t a, uint64_t b)
{
    return b >= a ? b - a : b + t->n - a;
}

/* ---- Sets of slots, 64 at a time --------------------------------------------------- */

static unsigned highest_bit(uint64_t word)
{
#ifdef __GNUC__
    return 63 - (unsigned)__builtin_clzll(word);
#else
    for (unsigned shift = 1; shift < 64; shift *= 2)
        word |= word >> shift;
    return nh_popcount(word) - 1;
#endif
}

/* Where the k-th of the bits that are set lies, k counted from 0 and below their number.
 * Byte i of `sums` is how many are set in bytes 0 to i, so that those not above k are the
 * bytes to skip. */
static unsigned nth_bit(uint64_t word, unsigned k)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t sums = word - (word >> 1 & UINT64_C(0x5555555555555555));

    if (k == 0)
        return nh_lowest_bit64(word);
    sums = (sums & UINT64_C(0x3333333333333333)) +
           (sums >> 2 & UINT64_C(0x3333333333333333));
    sums = ((sums + (sums >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * ones;
    const uint64_t skipped =
        ((k * ones | tops) - sums) & tops; /* a top bit where sum <= k */
    const unsigned at = 8 * (unsigned)((skipped >> 7) * ones >> 56);
    k -= (unsigned)(sums << 8 >> at & 0xff);
    word >>= at;
    while (k--)
        word &= word - 1;
    return at + nh_lowest_bit64(word);
}

/* The sets that lookups walk over: slots that are somebody's quotient; slots where a run
 * begins, or nothing lies; slots at the start of a cluster, or behind the end of one. */
enum set { QUOTIENTS, HEADS, HOMES, EMPTY };

static uint64_t set_word(const struct nh_quotient_table *t, enum set set, uint64_t block)
{
    switch (set) {
    case QUOTIENTS:
        return nh_load_le64(plane_at(t, OCCUPIED, block));
    case HEADS:
        return ~nh_load_le64(plane_at(t, CONTINUED, block));
    case HOMES:
        return ~nh_load_le64(plane_at(t, SHIFTED, block));
    default:
        return ~(nh_load_le64(plane_at(t, OCCUPIED, block)) |
                 nh_load_le64(plane_at(t, CONTINUED, block)) |
                 nh_load_le64(plane_at(t, SHIFTED, block)));
    }
}

/* The last member at or before `slot`; `slot` itself if the set is empty. These searches
 * look at each block once (the first one twice), so that they end whatever the table
 * holds. */
static uint64_t last_up_to(const struct nh_quotient_table *t, enum set set, uint64_t slot)
{
    uint64_t block = slot / BLOCK, mask = nh_low_mask(slot % BLOCK + 1);

    for (uint64_t i = 0; i <= t->n_blocks; i++, mask = UINT64_MAX) {
        const uint64_t word = set_word(t, set, block) & mask;
        if (word)
            return BLOCK * block + highest_bit(word);
        block = block ? block - 1 : t->n_blocks - 1;
    }
    return slot;
}

/* The k-th member from `slot` on, k counted from 0; t->n if there are not so many. */
static uint64_t nth_from(const struct nh_quotient_table *t, enum set set, uint64_t slot,
                         uint64_t k)
{
    uint64_t block = slot / BLOCK, mask = ~nh_low_mask(slot % BLOCK);

    for (uint64_t i = 0; i <= t->n_blocks; i++, mask = UINT64_MAX) {
        const uint64_t word = set_word(t, set, block) & mask;
        const unsigned n = nh_popcount(word);
        if (k < n)
            return BLOCK * block + nth_bit(word, (unsigned)k);
        k -= n;
        block = block + 1 == t->n_blocks ? 0 : block + 1;
    }
    return t->n;
}

/* Members in [from, to), to the right of `from`. */
static uint64_t count_between(const struct nh_quotient_table *t, enum set set,
                              uint64_t from, uint64_t to)
{
    uint64_t left = distance(t, from, to), n = 0;

    while (left) {
        const unsigned at = (unsigned)(from % BLOCK);
        const unsigned here = (unsigned)(left < BLOCK - at ? left : BLOCK - at);
        n += nh_popcount(set_word(t, set, from / BLOCK) >> at & nh_low_mask(here));
        from = slot_after(t, from, here);
        left -= here;
    }
    return n;
}

/* ---- Runs -------------------------------------------------------------------------- */

struct run {
    uint64_t start;
    uint64_t size;
};

/* Where the run of quotient q begins, or where it would. */
static uint64_t run_start(const struct nh_quotient_table *t, uint64_t q)
{
    const uint64_t cluster = last_up_to(t, HOMES, q);
    const uint64_t start =
        nth_from(t, HEADS, cluster, count_between(t, QUOTIENTS, cluster, q));
    return start < t->n ? start
                        : q; /* not there: the table is damaged, and any slot will do */
}

static struct run run_at(const struct nh_quotient_table *t, uint64_t start)
{
    const uint64_t end = nth_from(t, HEADS, next_slot(t, start), 0);
    return (struct run){start, end < t->n && end != start ? distance(t, start, end) : 1};
}

static struct run run_of(const struct nh_quotient_table *t, uint64_t q)
{
    return run_at(t, run_start(t, q));
}

/* How many of the run's remainders are smaller (or, with `or_equal`, not larger). */
static uint64_t rank_in(const struct nh_quotient_table *t, struct run run,
                        uint64_t remainder, bool or_equal)
{
    uint64_t low = 0, high = run.size;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint64_t there = get_remainder(t, slot_after(t, run.start, middle));
        if (there < remainder || (or_equal && there == remainder))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t nh_quotient_copies(const struct nh_quotient_table *t, uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);

    if (!get_bit(t, OCCUPIED, q))
        return 0;
    const struct run run = run_of(t, q);
    return rank_in(t, run, remainder, true) - rank_in(t, run, remainder, false);
}

bool nh_quotient_has(const struct nh_quotient_table *t, uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);

    if (!get_bit(t, OCCUPIED, q)) /* true of 38 % of the quotients when it is full */
        return false;
    const uint64_t start = run_start(t, q);
    const uint64_t first = get_remainder(t, start);
    if (first >= remainder) /* it is sorted: most searches end here */
        return first == remainder;
    const struct run run = run_at(t, start);
    const uint64_t rank = rank_in(t, run, remainder, false);
    return rank < run.size &&
           get_remainder(t, slot_after(t, run.start, rank)) == remainder;
}

void nh_quotient_prefetch(const struct nh_quotient_table *t, uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r;
    const uint8_t *const block = t->body + q / BLOCK * t->stride;

    nh_prefetch(block + q % BLOCK * t->r / 8);
    nh_prefetch(block + 8 * t->r);
}

/* ---- Moving ------------------------------------------------------------------------ */

/* Inside a block, slots [from, to) move one to the right. The packed remainders are r
 * words of 64 bits; all of them shift by r bits, and only those that moved are taken. */
static void block_right(const struct nh_quotient_table *t, uint64_t block, unsigned from,
                        unsigned to)
{
    uint8_t *const words = t->body + block * t->stride;
    const uint64_t moved = nh_low_mask(to + 1) & ~nh_low_mask(from + 1);
    const unsigned first = (from + 1) * t->r, end = (to + 1) * t->r; /* bits written to */

    if (from >= to)
        return;
    for (unsigned i = (end - 1) / 64; i + 1 > first / 64; i--) {
        const uint64_t word = nh_load_le64(words + 8 * i);
        const uint64_t below = i ? nh_load_le64(words + 8 * i - 8) >> (64 - t->r) : 0;
        const uint64_t low = first > 64 * i ? nh_low_mask(first - 64 * i) : 0;
        const uint64_t mask = ~low & nh_low_mask(end - 64 * i < 64 ? end - 64 * i : 64);
        nh_store_le64(words + 8 * i, (word & ~mask) | ((word << t->r | below) & mask));
    }
    uint8_t *const continued = plane_at(t, CONTINUED, block);
    uint8_t *const shifted = plane_at(t, SHIFTED, block);
    const uint64_t word = nh_load_le64(continued);
    nh_store_le64(continued, (word & ~moved) | (word << 1 & moved));
    nh_store_le64(shifted, nh_load_le64(shifted) | moved);
}

/* Slots (from, to] move one to the left. */
static void block_left(const struct nh_quotient_table *t, uint64_t block, unsigned from,
                       unsigned to)
{
    uint8_t *const words = t->body + block * t->stride;
    const uint64_t moved = nh_low_mask(to) & ~nh_low_mask(from);
    const unsigned first = from * t->r, end = to * t->r; /* bits written to */

    if (from >= to)
        return;
    for (unsigned i = first / 64; i <= (end - 1) / 64; i++) {
        const uint64_t word = nh_load_le64(words + 8 * i);
        const uint64_t above =
            i + 1 < t->r ? nh_load_le64(words + 8 * i + 8) << (64 - t->r) : 0;
        const uint64_t low = first > 64 * i ? nh_low_mask(first - 64 * i) : 0;
        const uint64_t mask = ~low & nh_low_mask(end - 64 * i < 64 ? end - 64 * i : 64);
        nh_store_le64(words + 8 * i, (word & ~mask) | ((word >> t->r | above) & mask));
    }
    uint8_t *const continued = plane_at(t, CONTINUED, block);
    uint8_t *const shifted = plane_at(t, SHIFTED, block);
    const uint64_t word = nh_load_le64(continued);
    nh_store_le64(continued, (word & ~moved) | (word >> 1 & moved));
    nh_store_le64(shifted, nh_load_le64(shifted) | moved);
}

static void copy_slot(const struct nh_quotient_table *t, uint64_t from, uint64_t to)
{
    put_remainder(t, to, get_remainder(t, from));
    put_bit(t, CONTINUED, to, get_bit(t, CONTINUED, from));
    put_bit(t, SHIFTED, to, true);
}

/* Slots [from, to) move one to the right, into the empty slot `to`. */
static void move_right(const struct nh_live *live, const struct nh_quotient_table *t,
                       uint64_t from, uint64_t to)
{
    for (uint64_t left = live->observer ? distance(t, from, to) : 0; left > 0; left--) {
        const uint64_t slot = slot_after(t, from, left - 1);
        nh_tell(live, NINHO_EVENT_TAG_MOVED, slot, next_slot(t, slot),
                get_remainder(t, slot));
    }
    while (to / BLOCK != from / BLOCK || to < from) {
        const uint64_t block = to / BLOCK;
        const uint64_t before = (block ? block : t->n_blocks) - 1;
        block_right(t, block, 0, (unsigned)(to % BLOCK));
        copy_slot(t, BLOCK * before + BLOCK - 1, BLOCK * block);
        to = BLOCK * before + BLOCK - 1;
    }
    block_right(t, to / BLOCK, (unsigned)(from % BLOCK), (unsigned)(to % BLOCK));
}

/* Slots (from, last] move one to the left, and `last` becomes empty. */
static void move_left(const struct nh_live *live, const struct nh_quotient_table *t,
                      uint64_t from, uint64_t last)
{
    for (uint64_t slot = from; live->observer && slot != last; slot = next_slot(t, slot))
        nh_tell(live, NINHO_EVENT_TAG_MOVED, next_slot(t, slot), slot,
                get_remainder(t, next_slot(t, slot)));
    while (from / BLOCK != last / BLOCK || last < from) {
        const uint64_t after = from / BLOCK + 1 == t->n_blocks ? 0 : from / BLOCK + 1;
        block_left(t, from / BLOCK, (unsigned)(from % BLOCK), BLOCK - 1);
        copy_slot(t, BLOCK * after, BLOCK * (from / BLOCK) + BLOCK - 1);
        from = BLOCK * after;
    }
    block_left(t, from / BLOCK, (unsigned)(from % BLOCK), (unsigned)(last % BLOCK));
    put_remainder(t, last, 0);
    put_bit(t, CONTINUED, last, false);
    put_bit(t, SHIFTED, last, false);
}

/* ---- Changes ----------------------------------------------------------------------- */

bool nh_quotient_insert(const struct nh_live *live, const struct nh_quotient_table *t,
                        uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);
    const bool has_run = get_bit(t, OCCUPIED, q);
    const uint64_t start = run_start(t, q);
    uint64_t at = start;

    if (has_run)
        at = slot_after(t, start, rank_in(t, run_at(t, start), remainder, true));
    const uint64_t empty = nth_from(t, EMPTY, at, 0);
    if (empty == t->n)
        return false;
    move_right(live, t, at, empty);
    if (has_run && at == start) /* the run's old head follows the new one */
        put_bit(t, CONTINUED, next_slot(t, at), true);
    put_remainder(t, at, remainder);
    put_bit(t, CONTINUED, at, at != start);
    put_bit(t, SHIFTED, at, at != q);
    put_bit(t, OCCUPIED, q, true);
    nh_tell(live, NINHO_EVENT_TAG_PLACED, 0, at, remainder);
    return true;
}

/* Runs behind a removed remainder moved to the left; one that came home is no longer
 * shifted. `at` is where the first of them begins now, `last` the slot that became
 * empty. */
static void bring_home(const struct nh_quotient_table *t, uint64_t q, uint64_t at,
                       uint64_t last)
{
    for (uint64_t i = 0; i < t->n && at != last && at < t->n; i++) {
        q = nth_from(t, QUOTIENTS, next_slot(t, q), 0);
        if (q == t->n)
            return; /* runs without a quotient: the table is damaged */
        if (q == at)
            put_bit(t, SHIFTED, at, false);
        at = nth_from(t, HEADS, next_slot(t, at), 0);
    }
}

bool nh_quotient_remove(const struct nh_live *live, const struct nh_quotient_table *t,
                        uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);

    if (!get_bit(t, OCCUPIED, q))
        return false;
    const struct run run = run_of(t, q);
    const uint64_t n_up_to = rank_in(t, run, remainder, true);
    if (n_up_to == 0)
        return false;
    const uint64_t rank = n_up_to - 1; /* of its copies the last: the least moves */
    const uint64_t at = slot_after(t, run.start, rank);
    if (get_remainder(t, at) != remainder)
        return false;
    /* what is at home behind it, or an empty slot, stays */
    const uint64_t stays = nth_from(t, HOMES, next_slot(t, at), 0);
    const uint64_t last = stays == t->n ? at : slot_after(t, stays, t->n - 1);
    if (run.size == 1)
        put_bit(t, OCCUPIED, q, false);
    else if (rank == 0)
        put_bit(t, CONTINUED, next_slot(t, at), false);
    nh_tell(live, NINHO_EVENT_TAG_REMOVED, at, 0, remainder);
    move_left(live, t, at, last);
    if (run.size > 1 && rank == 0)
        put_bit(t, SHIFTED, at, at != q);
    bring_home(t, q, slot_after(t, run.start, run.size - 1), last);
    return true;
}

/* Every fingerprint once more: by value, since the table changes under our feet. */
void nh_quotient_double_copies(const struct nh_live *live,
                               const struct nh_quotient_table *t)
{
    for (uint64_t q = 0; q < t->n; q++) {
        if (!get_bit(t, OCCUPIED, q))
            continue;
        for (uint64_t at = 0; at < run_of(t, q).size;) {
            const uint64_t remainder =
                get_remainder(t, slot_after(t, run_of(t, q).start, at));
            const uint64_t fingerprint = q << t->r | remainder;
            const uint64_t n = nh_quotient_copies(t, fingerprint);
            for (uint64_t i = 0; i < n; i++)
                nh_quotient_insert(live, t, fingerprint);
            at += 2 * n;
        }
    }
}

/* ---- The whole table --------------------------------------------------------------- */

struct nh_quotient_walk nh_quotient_walk_from_start(const struct nh_quotient_table *t)
{
    for (uint64_t block = 0; block < t->n_blocks; block++) {
        const uint64_t starts = set_word(t, QUOTIENTS, block) &
                                set_word(t, HEADS, block) & set_word(t, HOMES, block);
        if (starts)
            return (struct nh_quotient_walk){BLOCK * block + nh_lowest_bit64(starts), 0,
                                             t->n};
    }
    return (struct nh_quotient_walk){0, 0, 0};
}

bool nh_quotient_walk_on(const struct nh_quotient_table *t, struct nh_quotient_walk *walk,
                         uint64_t *fingerprint)
{
    while (walk->n_left) {
        const uint64_t slot = walk->slot;
        walk->slot = next_slot(t, slot);
        walk->n_left--;
        if (!get_bit(t, SHIFTED, slot)) {
            if (!get_bit(t, OCCUPIED, slot))
                continue; /* empty */
            walk->quotient = slot;
        } else if (!get_bit(t, CONTINUED, slot)) {
            const uint64_t next = nth_from(t, QUOTIENTS, next_slot(t, walk->quotient), 0);
            if (next == t->n ||
                distance(t, walk->quotient, next) > distance(t, walk->quotient, slot))
                break; /* a run without a quotient: the table is damaged */
            walk->quotient = next;
        }
        *fingerprint = walk->quotient << t->r | get_remainder(t, slot);
        return true;
    }
    walk->n_left = 0;
    return false;
}

/* The fingerprint in a slot: as many runs into its cluster, as many quotients. */
bool nh_quotient_next(const struct nh_quotient_table *t, uint64_t *cursor,
                      uint64_t *fingerprint)
{
    while (*cursor < t->n) {
        const uint64_t slot = (*cursor)++;
        if (set_word(t, EMPTY, slot / BLOCK) >> (slot % BLOCK) & 1)
            continue;
        const uint64_t cluster = last_up_to(t, HOMES, slot);
        const uint64_t n_runs =
            count_between(t, HEADS, next_slot(t, cluster), next_slot(t, slot));
        const uint64_t q = nth_from(t, QUOTIENTS, cluster, n_runs);
        if (q == t->n)
            break; /* damaged */
        *fingerprint = q << t->r | get_remainder(t, slot);
        return true;
    }
    *cursor = t->n;
    return false;
}

static ninho_status damaged(const char *what, uint64_t slot, ninho_error *error)
{
    return nh_fail(error, NINHO_ERR_FORMAT, "%s, at slot %" PRIu64, what, slot);
}

/* Goes once round the table from the first cluster and lays it out again in thought: what
 * each slot must hold follows from those before it. */
ninho_status nh_quotient_verify(const struct nh_quotient_table *t, uint64_t *n_used,
                                ninho_error *error)
{
    const struct nh_quotient_walk start = nh_quotient_walk_from_start(t);
    uint64_t slot = start.slot, quotient = 0, last = 0;
    uint64_t n_quotients = 0, n_runs = 0;

    *n_used = 0;
    for (uint64_t i = 0; i < t->n; i++, slot = next_slot(t, slot)) {
        const bool is_occupied = get_bit(t, OCCUPIED, slot);
        const bool is_continued = get_bit(t, CONTINUED, slot);
        const bool is_shifted = get_bit(t, SHIFTED, slot);
        const uint64_t remainder = get_remainder(t, slot);
        n_quotients += is_occupied;
        if (!is_occupied && !is_continued && !is_shifted) {
            if (remainder)
                return damaged("an empty slot holds a remainder", slot, error);
            if (n_runs != n_quotients)
                return damaged("a run is missing", slot, error);
            continue;
        }
        (*n_used)++;
        if (is_continued) {
            if (!is_shifted || i == 0 ||
                set_word(t, EMPTY, slot_after(t, slot, t->n - 1) / BLOCK) >>
                        (slot_after(t, slot, t->n - 1) % BLOCK) &
                    1)
                return damaged("a run continues from nowhere", slot, error);
            if (remainder < last)
                return damaged("a run is not sorted", slot, error);
        } else {
            if (++n_runs > n_quotients)
                return damaged("a run has no quotient", slot, error);
            quotient = i == 0 ? slot : nth_from(t, QUOTIENTS, next_slot(t, quotient), 0);
            if (is_shifted != (quotient != slot))
                return damaged("a run is not where it must be", slot, error);
        }
        last = remainder;
    }
    if (n_runs != n_quotients)
        return damaged("a run is missing", slot, error);
    return NINHO_OK;
}
