/* SPDX-License-Identifier: MIT */
#include "filter/quotient_first.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"
#include "base/steps.h"

/* ---- Slots --------------------------------------------------------------------------- */

enum plane { OCCUPIED, CONTINUED, SHIFTED };

static const uint8_t *plane_at(const struct nh_first_table *t, enum plane plane,
                               uint64_t block)
{
    return t->body + block * t->stride + 8 * (t->r + (unsigned)plane);
}

static bool get_bit(const struct nh_first_table *t, enum plane plane, uint64_t slot)
{
    return nh_load_le64(plane_at(t, plane, slot / NH_FIRST_BLOCK)) >>
               (slot % NH_FIRST_BLOCK) &
           1;
}

/* Eight bytes from where a remainder begins never leave the block: the planes come
 * after. */
static uint64_t get_remainder(const struct nh_first_table *t, uint64_t slot)
{
    const unsigned bit = (unsigned)(slot % NH_FIRST_BLOCK) * t->r;
    const uint8_t *const at = t->body + slot / NH_FIRST_BLOCK * t->stride + bit / 8;
    return nh_load_le64(at) >> (bit % 8) & nh_low_mask(t->r);
}

static uint64_t next_slot(const struct nh_first_table *t, uint64_t slot)
{
    return slot + 1 == t->n ? 0 : slot + 1;
}

static uint64_t slot_after(const struct nh_first_table *t, uint64_t slot,
                           uint64_t n_steps)
{
    return slot + n_steps < t->n ? slot + n_steps : slot + n_steps - t->n;
}

/* Steps from a to b, to the right. */
static uint64_t distance(const struct nh_first_table *t, uint64_t a, uint64_t b)
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

static uint64_t set_word(const struct nh_first_table *t, enum set set, uint64_t block)
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

/* The last member at or before `slot`; t->n if there is none in that many blocks. These
 * searches look at each block once (the first one twice), so that they end whatever the table
 * holds. */
static uint64_t last_up_to(const struct nh_first_table *t, enum set set, uint64_t slot,
                           uint64_t most_blocks)
{
    uint64_t block = slot / NH_FIRST_BLOCK, mask = nh_low_mask(slot % NH_FIRST_BLOCK + 1);

    for (uint64_t i = 0; i <= t->n_blocks && i < most_blocks; i++, mask = UINT64_MAX) {
        const uint64_t word = set_word(t, set, block) & mask;
        nh_step();
        if (word)
            return NH_FIRST_BLOCK * block + highest_bit(word);
        block = block ? block - 1 : t->n_blocks - 1;
    }
    return t->n;
}

/* The k-th member from `slot` on, k counted from 0; t->n if there are not so many in that many
 * blocks. */
static uint64_t nth_within(const struct nh_first_table *t, enum set set, uint64_t slot,
                           uint64_t k, uint64_t most_blocks)
{
    uint64_t block = slot / NH_FIRST_BLOCK, mask = ~nh_low_mask(slot % NH_FIRST_BLOCK);

    for (uint64_t i = 0; i <= t->n_blocks && i < most_blocks; i++, mask = UINT64_MAX) {
        const uint64_t word = set_word(t, set, block) & mask;
        nh_step();
        const unsigned n = nh_popcount(word);
        if (k < n)
            return NH_FIRST_BLOCK * block + nth_bit(word, (unsigned)k);
        k -= n;
        block = block + 1 == t->n_blocks ? 0 : block + 1;
    }
    return t->n;
}

static uint64_t nth_from(const struct nh_first_table *t, enum set set, uint64_t slot,
                         uint64_t k)
{
    return nth_within(t, set, slot, k, NH_FIRST_MOST);
}

/* Members in [from, to), to the right of `from`. */
static uint64_t count_between(const struct nh_first_table *t, enum set set, uint64_t from,
                              uint64_t to)
{
    uint64_t left = distance(t, from, to), n = 0;

    while (left) {
        const unsigned at = (unsigned)(from % NH_FIRST_BLOCK);
        const unsigned here =
            (unsigned)(left < NH_FIRST_BLOCK - at ? left : NH_FIRST_BLOCK - at);
        n += nh_popcount(set_word(t, set, from / NH_FIRST_BLOCK) >> at &
                         nh_low_mask(here));
        nh_step();
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

/* Where the run of quotient q begins, or where it would; t->n if that is too far, or the table
 * is damaged. */
static uint64_t run_start(const struct nh_first_table *t, uint64_t q)
{
    const uint64_t cluster = last_up_to(t, HOMES, q, NH_FIRST_MOST);

    if (cluster == t->n)
        return t->n;
    return nth_from(t, HEADS, cluster, count_between(t, QUOTIENTS, cluster, q));
}

/* The run that begins there; of size 0 if it is too long. */
static struct run run_at(const struct nh_first_table *t, uint64_t start)
{
    const uint64_t end = nth_from(t, HEADS, next_slot(t, start), 0);
    return (struct run){start, end == t->n    ? 0
                               : end != start ? distance(t, start, end)
                                              : 1};
}

static struct run run_of(const struct nh_first_table *t, uint64_t q)
{
    const uint64_t start = run_start(t, q);
    return start == t->n ? (struct run){start, 0} : run_at(t, start);
}

/* How many of the run's remainders are smaller (or, with `or_equal`, not larger). */
static uint64_t rank_in(const struct nh_first_table *t, struct run run,
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

uint64_t nh_first_copies(const struct nh_first_table *t, uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);

    if (!get_bit(t, OCCUPIED, q))
        return 0;
    const struct run run = run_of(t, q);
    if (!run.size)
        return UINT64_MAX;
    return rank_in(t, run, remainder, true) - rank_in(t, run, remainder, false);
}

bool nh_first_has(const struct nh_first_table *t, uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);

    if (!get_bit(t, OCCUPIED, q)) /* true of 38 % of the quotients when it is full */
        return false;
    const uint64_t start = run_start(t, q);
    if (start == t->n)
        return true;
    const uint64_t first = get_remainder(t, start);
    if (first >= remainder) /* it is sorted: most searches end here */
        return first == remainder;
    const struct run run = run_at(t, start);
    if (!run.size)
        return true;
    const uint64_t rank = rank_in(t, run, remainder, false);
    return rank < run.size &&
           get_remainder(t, slot_after(t, run.start, rank)) == remainder;
}

void nh_first_prefetch(const struct nh_first_table *t, uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r;
    const uint8_t *const block = t->body + q / NH_FIRST_BLOCK * t->stride;

    nh_prefetch(block + q % NH_FIRST_BLOCK * t->r / 8);
    nh_prefetch(block + 8 * t->r);
}

/* ---- Walks and verification -------------------------------------------------------- */

static struct nh_first_walk first_cluster(const struct nh_first_table *t)
{
    for (uint64_t block = 0; block < t->n_blocks; block++) {
        const uint64_t starts = set_word(t, QUOTIENTS, block) &
                                set_word(t, HEADS, block) & set_word(t, HOMES, block);
        if (starts)
            return (struct nh_first_walk){

                .slot = NH_FIRST_BLOCK * block + nh_lowest_bit64(starts), .n_left = t->n};
    }
    return (struct nh_first_walk){0};
}

/* The next one as they lie. */
static bool step(const struct nh_first_table *t, struct nh_first_walk *walk,
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
            const uint64_t next =
                nth_within(t, QUOTIENTS, next_slot(t, walk->quotient), 0, UINT64_MAX);
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

struct nh_first_walk nh_first_walk_from_start(const struct nh_first_table *t)
{
    struct nh_first_walk walk = first_cluster(t), before = walk;
    uint64_t fingerprint, last = 0;

    while (step(t, &walk, &fingerprint)) {
        if (fingerprint < last) {
            before.in_tail = true;
            return before;
        }
        last = fingerprint;
        before = walk;
    }
    return first_cluster(t);
}

bool nh_first_walk_on(const struct nh_first_table *t, struct nh_first_walk *walk,
                      uint64_t *fingerprint)
{
    if (!step(t, walk, fingerprint)) {
        if (!walk->in_tail)
            return false;
        *walk = first_cluster(t); /* now what comes before it */
        if (!step(t, walk, fingerprint))
            return false;
    } else if (!walk->in_tail && walk->has_begun && *fingerprint < walk->last) {
        walk->n_left = 0; /* its tail came first */
        return false;
    }
    walk->last = *fingerprint;
    walk->has_begun = true;
    return true;
}

/* The fingerprint in a slot: as many runs into its cluster, as many quotients. */
bool nh_first_next(const struct nh_first_table *t, uint64_t *cursor,
                   uint64_t *fingerprint)
{
    while (*cursor < t->n) {
        const uint64_t slot = (*cursor)++;
        if (set_word(t, EMPTY, slot / NH_FIRST_BLOCK) >> (slot % NH_FIRST_BLOCK) & 1)
            continue;
        const uint64_t cluster = last_up_to(t, HOMES, slot, UINT64_MAX);
        if (cluster == t->n)
            break; /* damaged */
        const uint64_t n_runs =
            count_between(t, HEADS, next_slot(t, cluster), next_slot(t, slot));
        const uint64_t q = nth_within(t, QUOTIENTS, cluster, n_runs, UINT64_MAX);
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
ninho_status nh_first_verify(const struct nh_first_table *t, uint64_t *n_used,
                             ninho_error *error)
{
    const struct nh_first_walk start = first_cluster(t);
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
                set_word(t, EMPTY, slot_after(t, slot, t->n - 1) / NH_FIRST_BLOCK) >>
                        (slot_after(t, slot, t->n - 1) % NH_FIRST_BLOCK) &
                    1)
                return damaged("a run continues from nowhere", slot, error);
            if (remainder < last)
                return damaged("a run is not sorted", slot, error);
        } else {
            if (++n_runs > n_quotients)
                return damaged("a run has no quotient", slot, error);
            quotient =
                i == 0 ? slot
                       : nth_within(t, QUOTIENTS, next_slot(t, quotient), 0, UINT64_MAX);
            if (is_shifted != (quotient != slot))
                return damaged("a run is not where it must be", slot, error);
        }
        last = remainder;
    }
    if (n_runs != n_quotients)
        return damaged("a run is missing", slot, error);
    return NINHO_OK;
}
