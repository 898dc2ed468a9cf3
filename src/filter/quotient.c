/* SPDX-License-Identifier: MIT */
/* The quotient filter (Bender, Farach-Colton, Johnson, Kraner, Kuszmaul, Medjedovic,
 * Montes, Shetty, Spillane and Zadok, 2012): a sorted multiset of fingerprints, kept
 * compactly by linear probing.
 *
 *     fingerprint F = hash * N / 2^64, a number below N = n * 2^r
 *     F: | quotient: below n | remainder: r bits |      n need not be a power of two
 *
 * The remainder wants to lie in the slot that its quotient names. Those of one quotient
 * form a *run*, sorted; runs stand in the order of their quotients and push each other to
 * the right, round the end of the table if need be. Slots in use without a gap form a
 * *cluster*. Three bits per slot tell where things are:
 *
 *     occupied    some remainder has this slot's number as its quotient (it may lie further right)
 *     continued   what lies here continues the run of the slot before
 *     shifted     what lies here is not in the slot of its quotient
 *
 *     slot          0     1     2     3     4     5     6     7
 *     occupied      0     1     0     1     1     0     0     0
 *     continued     0     0     1     0     1     0     0     0     runs of 1: a b, of 3: c d, of 4: e
 *     shifted       0     0     1     0     1     1     0     0
 *     remainder     -     a     b     c     d     e     -     -
 *
 * To find the run of quotient q: go back from q to the start of the cluster (the first
 * slot that is not shifted), count the occupied slots on the way, and go forward over as
 * many runs. The table is laid out in blocks of 64 slots with each of the three bits as a
 * word, so that all of this goes 64 slots at a time and a table can be 96 % full:
 *
 *     block: | 64 remainders of r bits, packed | 64 occupied | 64 continued | 64 shifted |
 *
 * The layout is the same whatever the order of the adds and removals. When n doubles, the
 * top bit of each remainder moves to its quotient and F stays: a filter that is to grow
 * buys the bits beforehand. The same fingerprints make two filters one. */
#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"
#include "filter/ops.h"

/* How far above the fpr asked for the expected one may lie; the promise is 1.1. */
#define SLACK 1.04

#define BLOCK 64
#define MAX_R \
    57 /* so that eight bytes hold a remainder wherever it begins in its first */
#define MAX_SLOTS  (UINT64_C(1) << 56)
#define MAX_KEYS   (UINT64_C(1) << 48)
#define META_BYTES 24

/* ---- Geometry ---------------------------------------------------------------------- */

/* words[0]: bits 0-7 the remainder's bits now, 8-15 doublings made, 16-23 doublings
 * bought; words[1]: max_capacity. part->capacity is the one it was created with. */
static unsigned remainder_bits(const struct nh_part *part)
{
    return part->words[0] & 0xff;
}

static unsigned doublings_made(const struct nh_part *part)
{
    return part->words[0] >> 8 & 0xff;
}

static unsigned doublings_bought(const struct nh_part *part)
{
    return part->words[0] >> 16 & 0xff;
}

static uint64_t word_of(unsigned r, unsigned made, unsigned bought)
{
    return r | made << 8 | bought << 16;
}

static uint64_t bytes_for(uint64_t n_slots, unsigned r)
{
    return n_slots / BLOCK * (META_BYTES + 8 * (uint64_t)r);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How many keys it takes after `made` doublings. */
static uint64_t limit_at(const struct nh_part *part, unsigned made)
{
    return min_u64(part->capacity << made, part->words[1]);
}

static uint64_t n_fingerprints(const struct nh_part *part)
{
    return part->n_cells << remainder_bits(part);
}

static uint64_t fingerprint_of(const struct nh_part *part, uint64_t hash)
{
    return nh_reduce(hash, n_fingerprints(part));
}

/* Slots for that many keys at 96 %, where clusters still are short enough. */
static uint64_t slots_for(uint64_t n_keys)
{
    return n_keys + n_keys / 24 + 1;
}

/* ceil(m * 2^shift), or a number too large to be of use. */
static uint64_t scaled(uint64_t m, int shift)
{
    if (shift > 6)
        return UINT64_MAX;
    if (shift >= 0)
        return m << shift;
    return shift <= -64 ? 1 : (m + nh_low_mask((unsigned)-shift)) >> -shift;
}

/* An absent key agrees with one of M others with probability 1 - (1 - 1/N)^M, so that N
 * must be at least x M with x = -1 / ln(1 - fpr). Many slots with short remainders may
 * serve as well as few with longer ones: the smallest table is taken. Of the tenth that
 * the promise leaves, a part is spent where it saves a bit. */
static ninho_status plan(const ninho_spec *spec, struct nh_part *part, ninho_error *error)
{
    const uint64_t most = spec->max_capacity ? spec->max_capacity : spec->capacity;
    const unsigned n_doublings = nh_doublings(spec->capacity, most);
    int exponent;

    /* x = units / 512 * 2^exponent: so coarse that every machine has the same */
    const double mantissa = frexp(-1 / log1p(-fmin(SLACK * spec->fpr, 0.99)), &exponent);
    const uint64_t units = (uint64_t)ceil(mantissa * 512 - 1e-6);
    part->size = UINT64_MAX;
    for (unsigned r = n_doublings + 1; r <= MAX_R; r++) {
        uint64_t n = scaled(most * units, exponent - 9 - (int)r);
        if (n < slots_for(spec->capacity))
            n = slots_for(spec->capacity);
        if (n > MAX_SLOTS >> n_doublings || n > UINT64_C(1) << (62 - r))
            continue;
        n = nh_round_up(n, BLOCK);
        if (bytes_for(n, r) >= part->size)
            continue;
        part->n_cells = n;
        part->size = bytes_for(n, r);
        part->words[0] = word_of(r, 0, n_doublings);
    }
    if (part->size == UINT64_MAX)
        return nh_fail(error, NINHO_ERR_NOMEM,
                       "a quotient filter cannot address fpr %g for %" PRIu64 " keys",
                       spec->fpr, most);
    part->words[1] = most;
    return NINHO_OK;
}

static void spec_back(const struct nh_part *part, ninho_spec *spec)
{
    spec->max_capacity = part->words[1] > part->capacity ? part->words[1] : 0;
}

static void as_created(struct nh_part *part)
{
    const unsigned made = doublings_made(part);

    part->n_cells >>= made;
    part->words[0] = word_of(remainder_bits(part) + made, 0, doublings_bought(part));
    part->size = bytes_for(part->n_cells, remainder_bits(part));
}

static bool grows(const struct nh_part *part)
{
    return part->words[1] > part->capacity;
}

static uint32_t tag_bits(const struct nh_part *part)
{
    return remainder_bits(part);
}

static double fpr_of(const struct nh_part *part, double n_keys)
{
    return -expm1(n_keys * log1p(-1 / (double)n_fingerprints(part)));
}

static double expected_fpr(const struct nh_part *part, double n_keys)
{
    return n_keys > 0 ? fpr_of(part, n_keys) : 0;
}

static const char *note(const struct nh_part *part, double fpr)
{
    if (grows(part))
        return "each doubling up to max_capacity is a bit per slot bought now";
    return fpr > 0.04 ? "above 4 % its three bits beside each remainder weigh heavily"
                      : NULL;
}

static bool fits(const struct nh_part *part)
{
    const unsigned r = remainder_bits(part), made = doublings_made(part);
    const unsigned bought = doublings_bought(part);
    const uint64_t n = part->n_cells;

    if (part->capacity < 1 || part->words[1] < part->capacity ||
        part->words[1] > MAX_KEYS ||
        bought != nh_doublings(part->capacity, part->words[1]))
        return false;
    if (r < 1 || made > bought || r + made > MAX_R || r <= bought - made ||
        part->words[0] >> 24 || part->n_hashes)
        return false;
    if (n < BLOCK || n > MAX_SLOTS || n > UINT64_C(1) << (63 - r) ||
        n % ((uint64_t)BLOCK << made) != 0 || part->size != bytes_for(n, r))
        return false;
    return part->capacity < n >> made && part->count < n &&
           part->count <= limit_at(part, made);
}

/* ---- The table --------------------------------------------------------------------- */

struct table {
    uint8_t *body;
    uint64_t n;
    uint64_t n_blocks;
    unsigned r;
    unsigned stride; /* bytes of a block */
};

static struct table table_of(const struct nh_part *part)
{
    const unsigned r = remainder_bits(part);
    return (struct table){part->body, part->n_cells, part->n_cells / BLOCK, r,
                          8 * r + META_BYTES};
}

enum plane { OCCUPIED, CONTINUED, SHIFTED };

static uint8_t *plane_at(const struct table *t, enum plane plane, uint64_t block)
{
    return t->body + block * t->stride + 8 * (t->r + (unsigned)plane);
}

static bool get_bit(const struct table *t, enum plane plane, uint64_t slot)
{
    return nh_load_le64(plane_at(t, plane, slot / BLOCK)) >> (slot % BLOCK) & 1;
}

static void put_bit(const struct table *t, enum plane plane, uint64_t slot, bool value)
{
    uint8_t *const at = plane_at(t, plane, slot / BLOCK);
    const uint64_t bit = UINT64_C(1) << (slot % BLOCK);
    const uint64_t word = nh_load_le64(at);
    nh_store_le64(at, value ? word | bit : word & ~bit);
}

/* Eight bytes from where a remainder begins never leave the block: the planes come
 * after. */
static uint64_t get_remainder(const struct table *t, uint64_t slot)
{
    const unsigned bit = (unsigned)(slot % BLOCK) * t->r;
    const uint8_t *const at = t->body + slot / BLOCK * t->stride + bit / 8;
    return nh_load_le64(at) >> (bit % 8) & nh_low_mask(t->r);
}

static void put_remainder(const struct table *t, uint64_t slot, uint64_t remainder)
{
    const unsigned bit = (unsigned)(slot % BLOCK) * t->r;
    uint8_t *const at = t->body + slot / BLOCK * t->stride + bit / 8;
    const uint64_t mask = nh_low_mask(t->r) << (bit % 8);
    nh_store_le64(at, (nh_load_le64(at) & ~mask) | remainder << (bit % 8));
}

static uint64_t next_slot(const struct table *t, uint64_t slot)
{
    return slot + 1 == t->n ? 0 : slot + 1;
}

static uint64_t slot_after(const struct table *t, uint64_t slot, uint64_t n_steps)
{
    return slot + n_steps < t->n ? slot + n_steps : slot + n_steps - t->n;
}

/* Steps from a to b, to the right. */
static uint64_t distance(const struct table *t, uint64_t a, uint64_t b)
{
    return b >= a ? b - a : b + t->n - a;
}

/* ---- Sets of slots, 64 at a time --------------------------------------------------- */

static unsigned lowest_bit(uint64_t word)
{
#ifdef __GNUC__
    return (unsigned)__builtin_ctzll(word);
#else
    return nh_popcount((word & -word) - 1);
#endif
}

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
        return lowest_bit(word);
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
    return at + lowest_bit(word);
}

/* The sets that lookups walk over: slots that are somebody's quotient; slots where a run
 * begins, or nothing lies; slots at the start of a cluster, or behind the end of one. */
enum set { QUOTIENTS, HEADS, HOMES, EMPTY };

static uint64_t set_word(const struct table *t, enum set set, uint64_t block)
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
static uint64_t last_up_to(const struct table *t, enum set set, uint64_t slot)
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
static uint64_t nth_from(const struct table *t, enum set set, uint64_t slot, uint64_t k)
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
static uint64_t count_between(const struct table *t, enum set set, uint64_t from,
                              uint64_t to)
{
    uint64_t left = distance(t, from, to), n = 0;

    while (left) {
        const unsigned at = (unsigned)(from % BLOCK);
        const unsigned here = (unsigned)min_u64(left, BLOCK - at);
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
static uint64_t run_start(const struct table *t, uint64_t q)
{
    const uint64_t cluster = last_up_to(t, HOMES, q);
    const uint64_t start =
        nth_from(t, HEADS, cluster, count_between(t, QUOTIENTS, cluster, q));
    return start < t->n ? start
                        : q; /* not there: the table is damaged, and any slot will do */
}

static struct run run_at(const struct table *t, uint64_t start)
{
    const uint64_t end = nth_from(t, HEADS, next_slot(t, start), 0);
    return (struct run){start, end < t->n && end != start ? distance(t, start, end) : 1};
}

static struct run run_of(const struct table *t, uint64_t q)
{
    return run_at(t, run_start(t, q));
}

/* How many of the run's remainders are smaller (or, with `or_equal`, not larger). */
static uint64_t rank_in(const struct table *t, struct run run, uint64_t remainder,
                        bool or_equal)
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

static uint64_t copies_of(const struct table *t, uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);

    if (!get_bit(t, OCCUPIED, q))
        return 0;
    const struct run run = run_of(t, q);
    return rank_in(t, run, remainder, true) - rank_in(t, run, remainder, false);
}

static bool has(const struct nh_part *part, uint64_t hash)
{
    const struct table t = table_of(part);
    const uint64_t fingerprint = fingerprint_of(part, hash);
    const uint64_t q = fingerprint >> t.r, remainder = fingerprint & nh_low_mask(t.r);

    if (!get_bit(&t, OCCUPIED, q)) /* true of 38 % of the quotients when it is full */
        return false;
    const uint64_t start = run_start(&t, q);
    const uint64_t first = get_remainder(&t, start);
    if (first >= remainder) /* it is sorted: most searches end here */
        return first == remainder;
    const struct run run = run_at(&t, start);
    const uint64_t rank = rank_in(&t, run, remainder, false);
    return rank < run.size &&
           get_remainder(&t, slot_after(&t, run.start, rank)) == remainder;
}

static uint64_t copies(const struct nh_part *part, uint64_t hash)
{
    const struct table t = table_of(part);
    return copies_of(&t, fingerprint_of(part, hash));
}

static void prefetch(const struct nh_part *part, uint64_t hash)
{
    const struct table t = table_of(part);
    const uint64_t q = fingerprint_of(part, hash) >> t.r;
    const uint8_t *const block = t.body + q / BLOCK * t.stride;

    nh_prefetch(block + q % BLOCK * t.r / 8);
    nh_prefetch(block + 8 * t.r);
}

/* ---- Moving ------------------------------------------------------------------------ */

/* Inside a block, slots [from, to) move one to the right. The packed remainders are r
 * words of 64 bits; all of them shift by r bits, and only those that moved are taken. */
static void block_right(const struct table *t, uint64_t block, unsigned from, unsigned to)
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
static void block_left(const struct table *t, uint64_t block, unsigned from, unsigned to)
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

static void copy_slot(const struct table *t, uint64_t from, uint64_t to)
{
    put_remainder(t, to, get_remainder(t, from));
    put_bit(t, CONTINUED, to, get_bit(t, CONTINUED, from));
    put_bit(t, SHIFTED, to, true);
}

/* Slots [from, to) move one to the right, into the empty slot `to`. */
static void move_right(const struct nh_live *live, const struct table *t, uint64_t from,
                       uint64_t to)
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
static void move_left(const struct nh_live *live, const struct table *t, uint64_t from,
                      uint64_t last)
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

/* Puts a fingerprint into a table with an empty slot to spare; false, with nothing
 * changed, if it has none. */
static bool insert(const struct nh_live *live, const struct table *t,
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

/* Stored fingerprints in order, from the first cluster that begins in the table. */
struct walk {
    uint64_t slot;
    uint64_t quotient;
    uint64_t n_left; /* slots to look at */
};

static struct walk walk_from_start(const struct table *t)
{
    for (uint64_t block = 0; block < t->n_blocks; block++) {
        const uint64_t starts = set_word(t, QUOTIENTS, block) &
                                set_word(t, HEADS, block) & set_word(t, HOMES, block);
        if (starts)
            return (struct walk){BLOCK * block + lowest_bit(starts), 0, t->n};
    }
    return (struct walk){0, 0, 0};
}

static bool walk_on(const struct table *t, struct walk *walk, uint64_t *fingerprint)
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

/* A table of 2^by times as many slots with the same fingerprints. */
static ninho_status grow(const struct nh_live *live, struct nh_part *part, unsigned by)
{
    const struct table old = table_of(part);
    struct nh_part grown = *part;
    uint64_t fingerprint;

    grown.n_cells = part->n_cells << by;
    grown.words[0] = word_of(remainder_bits(part) - by, doublings_made(part) + by,
                             doublings_bought(part));
    grown.size = bytes_for(grown.n_cells, remainder_bits(&grown));
    if (!nh_live_table(live, grown.size, &grown.table))
        return NINHO_ERR_NOMEM;
    grown.body = grown.table.bytes;
    nh_tell(live, NINHO_EVENT_RESIZED, part->n_cells, grown.n_cells, 0);
    const struct table t = table_of(&grown);
    struct walk walk = walk_from_start(&old);
    while (walk_on(&old, &walk, &fingerprint))
        insert(live, &t, fingerprint);
    nh_table_free(live->alloc, &part->table);
    *part = grown;
    return NINHO_OK;
}

/* Room for n_more keys. */
static ninho_status make_room(const struct nh_live *live, struct nh_part *part,
                              uint64_t n_more)
{
    const unsigned made = doublings_made(part), bought = doublings_bought(part);
    unsigned by = 0;

    if (n_more > part->words[1] || part->count > part->words[1] - n_more)
        return NINHO_ERR_FULL;
    while (part->count + n_more > limit_at(part, made + by) && made + by < bought)
        by++;
    return by ? grow(live, part, by) : NINHO_OK;
}

static ninho_status add(const struct nh_live *live, struct nh_part *part, uint64_t hash)
{
    const ninho_status status = make_room(live, part, 1);
    if (status)
        return status;
    const struct table t = table_of(part);
    if (part->count + 1 >= t.n || !insert(live, &t, fingerprint_of(part, hash)))
        return NINHO_ERR_FULL;
    part->count++;
    return NINHO_OK;
}

/* Runs behind a removed remainder moved to the left; one that came home is no longer
 * shifted. `at` is where the first of them begins now, `last` the slot that became
 * empty. */
static void bring_home(const struct table *t, uint64_t q, uint64_t at, uint64_t last)
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

static ninho_status remove_one(const struct nh_live *live, struct nh_part *part,
                               uint64_t hash)
{
    const struct table t = table_of(part);
    const uint64_t fingerprint = fingerprint_of(part, hash);
    const uint64_t q = fingerprint >> t.r, remainder = fingerprint & nh_low_mask(t.r);

    if (!get_bit(&t, OCCUPIED, q))
        return NINHO_ERR_NOT_FOUND;
    const struct run run = run_of(&t, q);
    const uint64_t n_up_to = rank_in(&t, run, remainder, true);
    if (n_up_to == 0)
        return NINHO_ERR_NOT_FOUND;
    const uint64_t rank = n_up_to - 1; /* of its copies the last: the least moves */
    const uint64_t at = slot_after(&t, run.start, rank);
    if (get_remainder(&t, at) != remainder)
        return NINHO_ERR_NOT_FOUND;
    /* what is at home behind it, or an empty slot, stays */
    const uint64_t stays = nth_from(&t, HOMES, next_slot(&t, at), 0);
    const uint64_t last = stays == t.n ? at : slot_after(&t, stays, t.n - 1);
    if (run.size == 1)
        put_bit(&t, OCCUPIED, q, false);
    else if (rank == 0)
        put_bit(&t, CONTINUED, next_slot(&t, at), false);
    nh_tell(live, NINHO_EVENT_TAG_REMOVED, at, 0, remainder);
    move_left(live, &t, at, last);
    if (run.size > 1 && rank == 0)
        put_bit(&t, SHIFTED, at, at != q);
    bring_home(&t, q, slot_after(&t, run.start, run.size - 1), last);
    part->count -= part->count != 0;
    return NINHO_OK;
}

/* Every fingerprint once more: by value, since the table changes under our feet. */
static void unite_with_itself(const struct nh_live *live, const struct table *t)
{
    for (uint64_t q = 0; q < t->n; q++) {
        if (!get_bit(t, OCCUPIED, q))
            continue;
        for (uint64_t at = 0; at < run_of(t, q).size;) {
            const uint64_t remainder =
                get_remainder(t, slot_after(t, run_of(t, q).start, at));
            const uint64_t fingerprint = q << t->r | remainder;
            const uint64_t n = copies_of(t, fingerprint);
            for (uint64_t i = 0; i < n; i++)
                insert(live, t, fingerprint);
            at += 2 * n;
        }
    }
}

static ninho_status verify(const struct nh_part *part, ninho_error *error);

static ninho_status unite(const struct nh_live *live, struct nh_part *target,
                          const struct nh_part *source)
{
    const bool is_itself = target == source;
    uint64_t fingerprint, n_more = 0;

    /* A damaged view must not spread, nor end half-way; nor may a damaged copy of one go
     * on for ever with itself. */
    ninho_status status = verify(source, NULL);
    if (status)
        return status;
    const struct table from = table_of(source);
    struct walk walk = walk_from_start(&from);
    while (walk_on(&from, &walk, &fingerprint))
        n_more++;
    status = make_room(live, target, n_more);
    if (status)
        return status;
    const struct table t = table_of(target);
    if (is_itself) {
        unite_with_itself(live, &t);
    } else {
        walk = walk_from_start(&from);
        while (walk_on(&from, &walk, &fingerprint))
            insert(live, &t, fingerprint);
    }
    target->count += n_more;
    return NINHO_OK;
}

/* ---- The whole table --------------------------------------------------------------- */

/* The fingerprint in a slot: as many runs into its cluster, as many quotients. */
static bool next_fingerprint(const struct nh_part *part, uint64_t *cursor,
                             uint64_t *fingerprint)
{
    const struct table t = table_of(part);

    while (*cursor < t.n) {
        const uint64_t slot = (*cursor)++;
        if (set_word(&t, EMPTY, slot / BLOCK) >> (slot % BLOCK) & 1)
            continue;
        const uint64_t cluster = last_up_to(&t, HOMES, slot);
        const uint64_t n_runs =
            count_between(&t, HEADS, next_slot(&t, cluster), next_slot(&t, slot));
        const uint64_t q = nth_from(&t, QUOTIENTS, cluster, n_runs);
        if (q == t.n)
            break; /* damaged */
        *fingerprint = q << t.r | get_remainder(&t, slot);
        return true;
    }
    *cursor = t.n;
    return false;
}

static void tally(const struct nh_part *part, const struct nh_part *other,
                  struct nh_tally *tally)
{
    const struct table t = table_of(part);
    const double n = (double)n_fingerprints(part);
    struct walk walk = walk_from_start(&t);
    uint64_t fingerprint, last = UINT64_MAX, n_distinct = 0, n_used = 0;

    while (walk_on(&t, &walk, &fingerprint)) {
        n_used++;
        n_distinct += fingerprint != last;
        last = fingerprint;
    }
    tally->used = tally->copies = n_used;
    tally->cells = part->n_cells;
    if (other) { /* what only the other one has */
        const struct table u = table_of(other);
        walk = walk_from_start(&u);
        last = UINT64_MAX;
        while (walk_on(&u, &walk, &fingerprint)) {
            n_distinct += fingerprint != last && copies_of(&t, fingerprint) == 0;
            last = fingerprint;
        }
    }
    tally->fpr = (double)n_distinct / n;
    tally->n_keys = (double)n_distinct < n
                        ? log1p(-(double)n_distinct / n) / log1p(-1 / n)
                        : INFINITY;
}

static ninho_status damaged(const char *what, uint64_t slot, ninho_error *error)
{
    return nh_fail(error, NINHO_ERR_FORMAT, "%s, at slot %" PRIu64, what, slot);
}

/* Goes once round the table from the first cluster and lays it out again in thought: what
 * each slot must hold follows from those before it. */
static ninho_status verify(const struct nh_part *part, ninho_error *error)
{
    const struct table t = table_of(part);
    const struct walk start = walk_from_start(&t);
    uint64_t slot = start.slot, quotient = 0, last = 0;
    uint64_t n_quotients = 0, n_runs = 0, n_used = 0;

    for (uint64_t i = 0; i < t.n; i++, slot = next_slot(&t, slot)) {
        const bool is_occupied = get_bit(&t, OCCUPIED, slot);
        const bool is_continued = get_bit(&t, CONTINUED, slot);
        const bool is_shifted = get_bit(&t, SHIFTED, slot);
        const uint64_t remainder = get_remainder(&t, slot);
        n_quotients += is_occupied;
        if (!is_occupied && !is_continued && !is_shifted) {
            if (remainder)
                return damaged("an empty slot holds a remainder", slot, error);
            if (n_runs != n_quotients)
                return damaged("a run is missing", slot, error);
            continue;
        }
        n_used++;
        if (is_continued) {
            if (!is_shifted || i == 0 ||
                set_word(&t, EMPTY, slot_after(&t, slot, t.n - 1) / BLOCK) >>
                        (slot_after(&t, slot, t.n - 1) % BLOCK) &
                    1)
                return damaged("a run continues from nowhere", slot, error);
            if (remainder < last)
                return damaged("a run is not sorted", slot, error);
        } else {
            if (++n_runs > n_quotients)
                return damaged("a run has no quotient", slot, error);
            quotient =
                i == 0 ? slot : nth_from(&t, QUOTIENTS, next_slot(&t, quotient), 0);
            if (is_shifted != (quotient != slot))
                return damaged("a run is not where it must be", slot, error);
        }
        last = remainder;
    }
    if (n_runs != n_quotients)
        return damaged("a run is missing", slot, error);
    if (n_used == t.n || (!part->is_bare && n_used != part->count))
        return nh_fail(error, NINHO_ERR_FORMAT,
                       "%" PRIu64 " keys where the header says %" PRIu64, n_used,
                       part->count);
    return NINHO_OK;
}

/* ---- Bare -------------------------------------------------------------------------- */

static unsigned bare_tail(const struct nh_part *part, uint8_t tail[2])
{
    tail[0] = (uint8_t)remainder_bits(part);
    return 1;
}

static bool bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part)
{
    const unsigned r = size ? bytes[size - 1] : 0;

    if (size < 2 || (size - 1) % (META_BYTES + 8 * r))
        return false;
    part->size = size - 1;
    part->n_cells = part->size / (META_BYTES + 8 * r) * BLOCK;
    part->words[0] = r;
    /* slots_for() backwards, whatever it was created for: it may have grown since */
    part->capacity = part->n_cells - part->n_cells / 25 - 1;
    part->words[1] = part->capacity;
    return true;
}

const struct nh_family nh_quotient = {
    .kind = NINHO_QUOTIENT,
    .can = NINHO_CAN_ADD | NINHO_CAN_REMOVE | NINHO_CAN_UNION | NINHO_CAN_VIEW |
           NINHO_CAN_BARE | NINHO_CAN_ESTIMATE,
    .takes = NH_TAKES_MAX_CAPACITY,
    .counts_itself = true,
    .name = "quotient",
    .summary =
        "sorted remainders: keys can be removed, filters merged, the table doubled",
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
    .next_fingerprint = next_fingerprint,
    .add = add,
    .remove = remove_one,
    .unite = unite,
    .bare_tail = bare_tail,
    .bare_fits = bare_fits,
};
