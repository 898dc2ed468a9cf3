/* SPDX-License-Identifier: MIT */
/* What is done with one fingerprint of a quotient table, written once; quotient_scalar.c and
 * quotient_bmi2.c include it, each with its own
 *
 *     TUNED              of a function: its instruction set
 *     COUNT(word)        how many bits are set
 *     NTH(word, n)       the n-th of them (from 0), as a word of one bit; 0 if there are not so many
 *     BEHIND(word)       the number of the highest of them and 1 more; 0 if there are none
 *
 * Positions count from the first slot of the block that the quotient is in, round the zone: they
 * are below 64 (n + 1) where the zone has n blocks. */
#include "base/inline.h"
#include "filter/quotient_table.h"

#define STEP    TUNED NH_ALWAYS_INLINE
#define NOWHERE UINT64_MAX

/* Where a fingerprint belongs, and the run of its quotient; without one, `start` is where it
 * would be, and `end` nothing. */
struct seat {
    struct nh_quotient_zone zone;
    uint64_t b; /* block of the zone */
    unsigned i; /* slot of the block */
    bool is_occupied;
    uint64_t start, end; /* positions; the end is the last of the run */
};

/* ---- Runs -------------------------------------------------------------------------- */

/* The end number n, from 0, at a position from `from` on; NOWHERE if there are not so many. */
TUNED static uint64_t nth_end(const struct nh_quotient_table *t, const struct seat *s,
                              uint64_t from, unsigned n)
{
    uint64_t mask = ~nh_low_mask(from % NH_QUOTIENT_BLOCK);

    for (uint64_t at = from / NH_QUOTIENT_BLOCK; at <= s->zone.n;
         at++, mask = UINT64_MAX) {
        const uint64_t word =
            nh_quotient_ends(nh_quotient_block(t, &s->zone, s->b + at)) & mask;
        nh_step();
        const unsigned n_here = COUNT(word);
        if (n < n_here)
            return NH_QUOTIENT_BLOCK * at + nh_lowest_bit64(NTH(word, n));
        n -= n_here;
    }
    return NOWHERE;
}

/* The run of a quotient by the 64 ends behind the offset, among which nearly all are found; false
 * if it is not there. No branch hangs on where it is. `end` is of the next run if the quotient has
 * none. */
STEP bool find_near(const uint8_t *block, const uint8_t *next, unsigned i,
                    unsigned *start, unsigned *end)
{
    const unsigned offset = nh_quotient_offset(block);

    if (NINHO_SELDOM_(offset >= NH_QUOTIENT_BLOCK))
        return false;
    const uint64_t ends = nh_quotient_ends(block) >> offset | nh_quotient_ends(next)
                                                                  << 1 << (63 - offset);
    const uint64_t bit =
        NTH(ends, COUNT(nh_quotient_occupied(block) & ((UINT64_C(1) << i) - 1)));
    if (NINHO_SELDOM_(!bit))
        return false;
    const unsigned behind = offset + BEHIND(ends & (bit - 1));
    *start = behind > i ? behind : i;
    *end = offset + nh_lowest_bit64(bit);
    return true;
}

/* The same wherever it is; false if the table is damaged. */
TUNED NH_NOINLINE static bool find_far(const struct nh_quotient_table *t, struct seat *s)
{
    const uint8_t *const block = nh_quotient_block(t, &s->zone, s->b);
    const unsigned rank =
        COUNT(nh_quotient_occupied(block) & ((UINT64_C(1) << s->i) - 1));
    uint64_t behind = nh_quotient_offset(block);

    if (behind >= NH_QUOTIENT_BLOCK * s->zone.n)
        return false;
    if (rank) {
        behind = nth_end(t, s, behind, rank - 1) + 1;
        if (behind == NOWHERE + 1)
            return false;
    }
    s->start = behind > s->i ? behind : s->i;
    s->end = s->is_occupied ? nth_end(t, s, s->start, 0) : s->start;
    return s->end != NOWHERE;
}

/* Where a fingerprint belongs; false if the table is damaged. */
STEP bool find_seat(const struct nh_quotient_table *t, uint64_t fingerprint,
                    struct seat *s)
{
    const uint64_t q = fingerprint >> t->r, block = q / NH_QUOTIENT_BLOCK;
    unsigned start, end;

    s->zone = nh_quotient_zone_at(t, nh_quotient_zone_of(t, block));
    s->b = block - s->zone.first;
    s->i = q % NH_QUOTIENT_BLOCK;
    const uint8_t *const here = nh_quotient_block(t, &s->zone, s->b);
    nh_prefetch(here + NH_QUOTIENT_BLOCK);
    s->is_occupied = nh_quotient_occupied(here) >> s->i & 1;
    if (!find_near(here, nh_quotient_block(t, &s->zone, s->b + 1), s->i, &start, &end))
        return find_far(t, s);
    s->start = start;
    s->end = end;
    return true;
}

static inline uint64_t remainder_at(const struct nh_quotient_table *t,
                                    const struct seat *s, uint64_t position)
{
    return nh_quotient_remainder(
        t, nh_quotient_block(t, &s->zone, s->b + position / NH_QUOTIENT_BLOCK),
        position % NH_QUOTIENT_BLOCK);
}

/* ---- Remainders of a run ----------------------------------------------------------- */

/* A word of remainders, of which those from `start` to `end` count; false if they are not in
 * one. t->ones and t->tops are the lowest and the highest bits of as many as are sure to be. */
STEP bool load_run(const struct nh_quotient_table *t, const uint8_t *block,
                   const uint8_t *next, unsigned start, unsigned end, uint64_t *word,
                   uint64_t *mask)
{
    const unsigned bits = (end - start + 1) * t->r;

    if (NINHO_SELDOM_(bits > NH_QUOTIENT_MAX_R) ||
        NINHO_SELDOM_((start ^ end) & NH_QUOTIENT_BLOCK))
        return false;
    const unsigned bit = start % NH_QUOTIENT_BLOCK * t->r;
    const ptrdiff_t from = (ptrdiff_t)(start / NH_QUOTIENT_BLOCK) * (next - block);
    *word = nh_load_le64(block + from + NH_QUOTIENT_HEAD + bit / 8) >> (bit % 8);
    *mask = t->tops & ((UINT64_C(1) << bits) - 1);
    return true;
}

/* The top bit of each remainder of the word that is `remainder`. A field is not 0 if its top bit is
 * set, or if the others carry into it. */
STEP uint64_t equal_in(const struct nh_quotient_table *t, uint64_t word,
                       uint64_t remainder)
{
    const uint64_t differ = word ^ remainder * t->ones, others = t->tops - t->ones;
    return ~(((differ & others) + others) | differ);
}

/* The same of each that is not larger: the remainder less the field, without what the fields above
 * would lend, and then their top bits compared. */
STEP uint64_t not_above_in(const struct nh_quotient_table *t, uint64_t word,
                           uint64_t remainder)
{
    const uint64_t all = remainder * t->ones;
    const uint64_t rest = (all | t->tops) - (word & ~t->tops);
    return (all & ~word) | (~(all ^ word) & rest);
}

/* How many of the run's remainders are smaller (or, with `or_equal`, not larger): by halves, for one
 * key may have very many copies. */
TUNED NH_NOINLINE static uint64_t rank_far(const struct nh_quotient_table *t,
                                           const struct seat *s, uint64_t remainder,
                                           bool or_equal)
{
    uint64_t low = s->start, high = s->end + 1;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint64_t there = remainder_at(t, s, middle);
        if (there < remainder || (or_equal && there == remainder))
            low = middle + 1;
        else
            high = middle;
    }
    return low - s->start;
}

/* How many are not larger. */
STEP uint64_t rank_of(const struct nh_quotient_table *t, const struct seat *s,
                      uint64_t remainder)
{
    uint64_t word, mask;

    if (s->end < 2 * NH_QUOTIENT_BLOCK &&
        load_run(t, nh_quotient_block(t, &s->zone, s->b),
                 nh_quotient_block(t, &s->zone, s->b + 1), (unsigned)s->start,
                 (unsigned)s->end, &word, &mask))
        return COUNT(not_above_in(t, word, remainder) & mask);
    return rank_far(t, s, remainder, true);
}

/* ---- Asking ------------------------------------------------------------------------ */

TUNED NH_NOINLINE static bool has_far(const struct nh_quotient_table *t,
                                      uint64_t fingerprint)
{
    const uint64_t remainder = fingerprint & ((UINT64_C(1) << t->r) - 1);
    struct seat s;

    if (!find_seat(t, fingerprint, &s))
        return true;
    if (!s.is_occupied)
        return false;
    if (s.end < s.start)
        return true;
    const uint64_t rank = rank_far(t, &s, remainder, false);
    return rank <= s.end - s.start && remainder_at(t, &s, s.start + rank) == remainder;
}

/* Without a branch that cannot be foreseen: the run is looked at whether its quotient has one or not,
 * so that the core goes ahead to the next lookup. */
STEP bool has_near(const struct nh_quotient_table *t, uint64_t hash, bool is_alone)
{
    const uint64_t fingerprint = nh_reduce(hash, t->n_fingerprints);
    const uint64_t q = fingerprint >> t->r, b = q / NH_QUOTIENT_BLOCK;
    const uint8_t *const block = t->body + b * t->stride, *const next = block + t->stride;
    const unsigned i = q % NH_QUOTIENT_BLOCK;
    unsigned start, end;
    uint64_t word, mask;

    if (is_alone) /* remainders: which, the words are to tell */
        nh_prefetch(block + NH_QUOTIENT_BLOCK);
    /* what goes round a zone is seldom */
    if (NINHO_SELDOM_((b + 1) % NH_QUOTIENT_ZONE_BLOCKS == 0) ||
        NINHO_SELDOM_(b + 1 == t->n_blocks) ||
        NINHO_SELDOM_(!find_near(block, next, i, &start, &end)) ||
        NINHO_SELDOM_(!load_run(t, block, next, start, end, &word, &mask)))
        return has_far(t, fingerprint);
    const bool is_there =
        (equal_in(t, word, fingerprint & ((UINT64_C(1) << t->r) - 1)) & mask) != 0;
    return is_there & (nh_quotient_occupied(block) >> i & 1);
}

TUNED static bool has(const struct nh_part *part, uint64_t hash)
{
    return has_near(&part->cached.quotient, hash, true);
}

TUNED static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                           uint64_t *maybe)
{
    enum { AHEAD = 24 }; /* keys, whose lines are asked for */
    const struct nh_quotient_table *const t = &part->cached.quotient;

    for (size_t i = 0; i < n && i < AHEAD; i++)
        nh_quotient_prefetch(t, nh_reduce(hashes[i], t->n_fingerprints));
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            nh_quotient_prefetch(t, nh_reduce(hashes[i + AHEAD], t->n_fingerprints));
        maybe[i / 64] |= (uint64_t)has_near(t, hashes[i], false) << i % 64;
    }
}

TUNED static uint64_t copies(const struct nh_quotient_table *t, uint64_t fingerprint)
{
    const uint64_t remainder = fingerprint & ((UINT64_C(1) << t->r) - 1);
    struct seat s;

    if (!find_seat(t, fingerprint, &s))
        return UINT64_MAX;
    if (!s.is_occupied)
        return 0;
    if (s.end < s.start)
        return UINT64_MAX;
    return rank_far(t, &s, remainder, true) - rank_far(t, &s, remainder, false);
}

/* ---- Gaps -------------------------------------------------------------------------- */

/* The first position from `at` on (behind the run of s, or where it would begin) that is empty; or,
 * with `or_home`, that no run of a smaller quotient reaches. NOWHERE if the zone has none; and, if
 * not `or_home`, if an offset on the way cannot become larger. Each step goes behind the runs of all
 * quotients up to here. */
TUNED static uint64_t next_gap(const struct nh_quotient_table *t, const struct seat *s,
                               uint64_t at, bool or_home)
{
    uint64_t base = 0;
    const uint8_t *block = nh_quotient_block(t, &s->zone, s->b);
    unsigned offset = nh_quotient_offset(block);

    for (uint64_t n_blocks = 0;;) {
        if (at < base + NH_QUOTIENT_BLOCK) {
            const unsigned x = (unsigned)(at - base);
            const unsigned rank =
                COUNT(nh_quotient_occupied(block) & nh_low_mask(or_home ? x : x + 1));
            if (!rank)
                return at;
            const uint64_t end =
                NTH(nh_quotient_ends(block) >> offset << offset, rank - 1);
            nh_step();
            if (end && end < UINT64_C(1) << x)
                return at;
            at = base + (end ? nh_lowest_bit64(end) + 1 : NH_QUOTIENT_BLOCK);
        } else {
            if (n_blocks++ == s->zone.n)
                return NOWHERE;
            base += NH_QUOTIENT_BLOCK;
            block = nh_quotient_block(t, &s->zone, s->b + base / NH_QUOTIENT_BLOCK);
            offset = nh_quotient_offset(block);
            nh_step();
            if (offset == NH_QUOTIENT_MAX_OFFSET && !or_home)
                return NOWHERE;
            at = at > base + offset ? at : base + offset;
        }
    }
}

/* ---- Moving ------------------------------------------------------------------------ */

/* Inside a block, slots [from, to) move one to the right. The packed remainders are r words of 64
 * bits; all of them shift by r bits, and only those that moved are taken. */
STEP void block_right(const struct nh_quotient_table *t, uint8_t *block, unsigned from,
                      unsigned to)
{
    uint8_t *const words = block + NH_QUOTIENT_HEAD;
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
    const uint64_t ends = nh_quotient_ends(block);
    nh_store_le64(block + NH_QUOTIENT_ENDS, (ends & ~moved) | (ends << 1 & moved));
}

/* Slots (from, to] move one to the left. */
STEP void block_left(const struct nh_quotient_table *t, uint8_t *block, unsigned from,
                     unsigned to)
{
    uint8_t *const words = block + NH_QUOTIENT_HEAD;
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
    const uint64_t ends = nh_quotient_ends(block);
    nh_store_le64(block + NH_QUOTIENT_ENDS, (ends & ~moved) | (ends >> 1 & moved));
}

static inline void put_end(uint8_t *block, unsigned slot, bool is_end)
{
    nh_quotient_put_bit(block + NH_QUOTIENT_ENDS, slot, is_end);
}

static inline void copy_slot(const struct nh_quotient_table *t, const uint8_t *from,
                             unsigned from_slot, uint8_t *to, unsigned to_slot)
{
    nh_quotient_put_remainder(t, to, to_slot, nh_quotient_remainder(t, from, from_slot));
    put_end(to, to_slot, nh_quotient_ends(from) >> from_slot & 1);
}

/* The number of a position's slot in the table, for the observer. */
static inline uint64_t slot_number(const struct seat *s, uint64_t position)
{
    const uint64_t slot = NH_QUOTIENT_BLOCK * s->b + position;
    const uint64_t n = NH_QUOTIENT_BLOCK * s->zone.n;
    return NH_QUOTIENT_BLOCK * s->zone.first + (slot < n ? slot : slot - n);
}

static void tell_move(const struct nh_live *live, const struct nh_quotient_table *t,
                      const struct seat *s, uint64_t from, uint64_t to)
{
    nh_tell(live, NINHO_EVENT_TAG_MOVED, slot_number(s, from), slot_number(s, to),
            remainder_at(t, s, from));
}

/* Positions [from, to) move one to the right, into the empty one, and the blocks on the way from
 * the quotient's to there have one more in their offsets. */
STEP void move_right(const struct nh_live *live, const struct nh_quotient_table *t,
                     const struct seat *s, uint64_t from, uint64_t to)
{
    for (uint64_t at = to; NINHO_SELDOM_(live->observer != NULL) && at > from; at--)
        tell_move(live, t, s, at - 1, at);
    for (uint64_t b = to / NH_QUOTIENT_BLOCK; b > 0; b--) {
        uint8_t *const block = nh_quotient_block(t, &s->zone, s->b + b);
        nh_quotient_put_offset(block, nh_quotient_offset(block) + 1U);
    }
    while (to / NH_QUOTIENT_BLOCK != from / NH_QUOTIENT_BLOCK) {
        const uint64_t b = s->b + to / NH_QUOTIENT_BLOCK;
        uint8_t *const block = nh_quotient_block(t, &s->zone, b);
        block_right(t, block, 0, to % NH_QUOTIENT_BLOCK);
        copy_slot(t, nh_quotient_block(t, &s->zone, b - 1), NH_QUOTIENT_BLOCK - 1, block,
                  0);
        to = to / NH_QUOTIENT_BLOCK * NH_QUOTIENT_BLOCK - 1;
    }
    block_right(t, nh_quotient_block(t, &s->zone, s->b + to / NH_QUOTIENT_BLOCK),
                from % NH_QUOTIENT_BLOCK, to % NH_QUOTIENT_BLOCK);
}

/* Positions (from, last] move one to the left, and `last` becomes empty; the reverse. */
STEP void move_left(const struct nh_live *live, const struct nh_quotient_table *t,
                    const struct seat *s, uint64_t from, uint64_t last)
{
    for (uint64_t at = from; NINHO_SELDOM_(live->observer != NULL) && at < last; at++)
        tell_move(live, t, s, at + 1, at);
    for (uint64_t b = last / NH_QUOTIENT_BLOCK; b > 0; b--) {
        uint8_t *const block = nh_quotient_block(t, &s->zone, s->b + b);
        nh_quotient_put_offset(block, nh_quotient_offset(block) - 1U);
    }
    uint8_t *block = nh_quotient_block(t, &s->zone, s->b + from / NH_QUOTIENT_BLOCK);
    while (from / NH_QUOTIENT_BLOCK != last / NH_QUOTIENT_BLOCK) {
        uint8_t *const next =
            nh_quotient_block(t, &s->zone, s->b + from / NH_QUOTIENT_BLOCK + 1);
        block_left(t, block, from % NH_QUOTIENT_BLOCK, NH_QUOTIENT_BLOCK - 1);
        copy_slot(t, next, 0, block, NH_QUOTIENT_BLOCK - 1);
        from = (from / NH_QUOTIENT_BLOCK + 1) * NH_QUOTIENT_BLOCK;
        block = next;
    }
    block_left(t, block, from % NH_QUOTIENT_BLOCK, last % NH_QUOTIENT_BLOCK);
    nh_quotient_put_remainder(t, block, last % NH_QUOTIENT_BLOCK, 0);
    put_end(block, last % NH_QUOTIENT_BLOCK, false);
}

/* ---- Changes ----------------------------------------------------------------------- */

TUNED static bool insert(const struct nh_live *live, const struct nh_quotient_table *t,
                         uint64_t fingerprint)
{
    const uint64_t remainder = fingerprint & ((UINT64_C(1) << t->r) - 1);
    struct seat s;

    if (!find_seat(t, fingerprint, &s))
        return false;
    uint8_t *const n_used = nh_quotient_count(t, &s.zone);
    const uint64_t count = nh_load_le64(n_used);
    if (count + 1 >= NH_QUOTIENT_BLOCK * s.zone.n) /* one stays empty */
        return false;
    uint64_t at = s.start;
    if (s.is_occupied)
        at += rank_of(t, &s, remainder);
    if (s.is_occupied || s.start != s.i) { /* otherwise its own slot is empty */
        const uint64_t empty =
            next_gap(t, &s, s.is_occupied ? s.end + 1 : s.start, false);
        if (empty == NOWHERE)
            return false;
        move_right(live, t, &s, at, empty);
    }
    uint8_t *const block = nh_quotient_block(t, &s.zone, s.b + at / NH_QUOTIENT_BLOCK);
    nh_quotient_put_remainder(t, block, at % NH_QUOTIENT_BLOCK, remainder);
    put_end(block, at % NH_QUOTIENT_BLOCK, !s.is_occupied || at > s.end);
    if (!s.is_occupied)
        nh_quotient_put_bit(nh_quotient_block(t, &s.zone, s.b), s.i, true);
    else if (at > s.end) /* behind what was the last */
        put_end(nh_quotient_block(t, &s.zone, s.b + s.end / NH_QUOTIENT_BLOCK),
                s.end % NH_QUOTIENT_BLOCK, false);
    nh_store_le64(n_used, count + 1);
    if (NINHO_SELDOM_(live->observer != NULL))
        nh_tell(live, NINHO_EVENT_TAG_PLACED, 0, slot_number(&s, at), remainder);
    return true;
}

TUNED static ninho_status take_out(const struct nh_live *live,
                                   const struct nh_quotient_table *t,
                                   uint64_t fingerprint)
{
    const uint64_t remainder = fingerprint & ((UINT64_C(1) << t->r) - 1);
    struct seat s;

    if (!find_seat(t, fingerprint, &s))
        return NINHO_ERR_FULL;
    if (!s.is_occupied)
        return NINHO_ERR_NOT_FOUND;
    const uint64_t n_up_to = rank_of(t, &s, remainder);
    const uint64_t at =
        s.start + n_up_to - 1; /* of its copies the last: the least moves */
    if (n_up_to == 0 || remainder_at(t, &s, at) != remainder)
        return NINHO_ERR_NOT_FOUND;
    /* what is at home behind it, or an empty slot, stays */
    const uint64_t stays = next_gap(t, &s, s.end + 1, true);
    if (stays == NOWHERE)
        return NINHO_ERR_FULL;
    if (NINHO_SELDOM_(live->observer != NULL))
        nh_tell(live, NINHO_EVENT_TAG_REMOVED, slot_number(&s, at), 0, remainder);
    if (s.start == s.end)
        nh_quotient_put_bit(nh_quotient_block(t, &s.zone, s.b), s.i, false);
    else if (at == s.end) /* the one before is now the last */
        put_end(nh_quotient_block(t, &s.zone, s.b + (at - 1) / NH_QUOTIENT_BLOCK),
                (at - 1) % NH_QUOTIENT_BLOCK, true);
    move_left(live, t, &s, at, stays - 1);
    uint8_t *const n_used = nh_quotient_count(t, &s.zone);
    nh_store_le64(n_used, nh_load_le64(n_used) - 1);
    return NINHO_OK;
}
