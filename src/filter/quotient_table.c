/* SPDX-License-Identifier: MIT */
#include "filter/quotient_slots.h"

/* ---- Runs -------------------------------------------------------------------------- */

struct run {
    uint64_t start;
    uint64_t size;
};

/* Where the run of quotient q begins, or where it would; t->n if that is too far, or the table
 * is damaged. */
static uint64_t run_start(const struct nh_quotient_table *t, uint64_t q)
{
    const uint64_t cluster = nh_qt_last_up_to(t, NH_QT_HOMES, q, NH_QUOTIENT_MOST);

    if (cluster == t->n)
        return t->n;
    return nh_qt_nth_from(t, NH_QT_HEADS, cluster,
                          nh_qt_count_between(t, NH_QT_QUOTIENTS, cluster, q));
}

/* The run that begins there; of size 0 if it is too long. */
static struct run run_at(const struct nh_quotient_table *t, uint64_t start)
{
    const uint64_t end = nh_qt_nth_from(t, NH_QT_HEADS, nh_qt_next_slot(t, start), 0);
    return (struct run){start, end == t->n    ? 0
                               : end != start ? nh_qt_distance(t, start, end)
                                              : 1};
}

static struct run run_of(const struct nh_quotient_table *t, uint64_t q)
{
    const uint64_t start = run_start(t, q);
    return start == t->n ? (struct run){start, 0} : run_at(t, start);
}

/* How many of the run's remainders are smaller (or, with `or_equal`, not larger). */
static uint64_t rank_in(const struct nh_quotient_table *t, struct run run,
                        uint64_t remainder, bool or_equal)
{
    uint64_t low = 0, high = run.size;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint64_t there =
            nh_qt_get_remainder(t, nh_qt_slot_after(t, run.start, middle));
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

    if (!nh_qt_get_bit(t, NH_QT_OCCUPIED, q))
        return 0;
    const struct run run = run_of(t, q);
    if (!run.size)
        return UINT64_MAX;
    return rank_in(t, run, remainder, true) - rank_in(t, run, remainder, false);
}

bool nh_quotient_has(const struct nh_quotient_table *t, uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);

    if (!nh_qt_get_bit(t, NH_QT_OCCUPIED,
                       q)) /* true of 38 % of the quotients when it is full */
        return false;
    const uint64_t start = run_start(t, q);
    if (start == t->n)
        return true;
    const uint64_t first = nh_qt_get_remainder(t, start);
    if (first >= remainder) /* it is sorted: most searches end here */
        return first == remainder;
    const struct run run = run_at(t, start);
    if (!run.size)
        return true;
    const uint64_t rank = rank_in(t, run, remainder, false);
    return rank < run.size &&
           nh_qt_get_remainder(t, nh_qt_slot_after(t, run.start, rank)) == remainder;
}

void nh_quotient_prefetch(const struct nh_quotient_table *t, uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r;
    const uint8_t *const block = t->body + q / NH_QUOTIENT_BLOCK * t->stride;

    nh_prefetch(block + q % NH_QUOTIENT_BLOCK * t->r / 8);
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
    uint8_t *const continued = nh_qt_plane_at(t, NH_QT_CONTINUED, block);
    uint8_t *const shifted = nh_qt_plane_at(t, NH_QT_SHIFTED, block);
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
    uint8_t *const continued = nh_qt_plane_at(t, NH_QT_CONTINUED, block);
    uint8_t *const shifted = nh_qt_plane_at(t, NH_QT_SHIFTED, block);
    const uint64_t word = nh_load_le64(continued);
    nh_store_le64(continued, (word & ~moved) | (word >> 1 & moved));
    nh_store_le64(shifted, nh_load_le64(shifted) | moved);
}

static void copy_slot(const struct nh_quotient_table *t, uint64_t from, uint64_t to)
{
    nh_qt_put_remainder(t, to, nh_qt_get_remainder(t, from));
    nh_qt_put_bit(t, NH_QT_CONTINUED, to, nh_qt_get_bit(t, NH_QT_CONTINUED, from));
    nh_qt_put_bit(t, NH_QT_SHIFTED, to, true);
}

/* Slots [from, to) move one to the right, into the empty slot `to`. */
static void move_right(const struct nh_live *live, const struct nh_quotient_table *t,
                       uint64_t from, uint64_t to)
{
    for (uint64_t left = live->observer ? nh_qt_distance(t, from, to) : 0; left > 0;
         left--) {
        const uint64_t slot = nh_qt_slot_after(t, from, left - 1);
        nh_tell(live, NINHO_EVENT_TAG_MOVED, slot, nh_qt_next_slot(t, slot),
                nh_qt_get_remainder(t, slot));
    }
    while (to / NH_QUOTIENT_BLOCK != from / NH_QUOTIENT_BLOCK || to < from) {
        const uint64_t block = to / NH_QUOTIENT_BLOCK;
        const uint64_t before = (block ? block : t->n_blocks) - 1;
        block_right(t, block, 0, (unsigned)(to % NH_QUOTIENT_BLOCK));
        copy_slot(t, NH_QUOTIENT_BLOCK * before + NH_QUOTIENT_BLOCK - 1,
                  NH_QUOTIENT_BLOCK * block);
        to = NH_QUOTIENT_BLOCK * before + NH_QUOTIENT_BLOCK - 1;
    }
    block_right(t, to / NH_QUOTIENT_BLOCK, (unsigned)(from % NH_QUOTIENT_BLOCK),
                (unsigned)(to % NH_QUOTIENT_BLOCK));
}

/* Slots (from, last] move one to the left, and `last` becomes empty. */
static void move_left(const struct nh_live *live, const struct nh_quotient_table *t,
                      uint64_t from, uint64_t last)
{
    for (uint64_t slot = from; live->observer && slot != last;
         slot = nh_qt_next_slot(t, slot))
        nh_tell(live, NINHO_EVENT_TAG_MOVED, nh_qt_next_slot(t, slot), slot,
                nh_qt_get_remainder(t, nh_qt_next_slot(t, slot)));
    while (from / NH_QUOTIENT_BLOCK != last / NH_QUOTIENT_BLOCK || last < from) {
        const uint64_t after = from / NH_QUOTIENT_BLOCK + 1 == t->n_blocks
                                   ? 0
                                   : from / NH_QUOTIENT_BLOCK + 1;
        block_left(t, from / NH_QUOTIENT_BLOCK, (unsigned)(from % NH_QUOTIENT_BLOCK),
                   NH_QUOTIENT_BLOCK - 1);
        copy_slot(t, NH_QUOTIENT_BLOCK * after,
                  NH_QUOTIENT_BLOCK * (from / NH_QUOTIENT_BLOCK) + NH_QUOTIENT_BLOCK - 1);
        from = NH_QUOTIENT_BLOCK * after;
    }
    block_left(t, from / NH_QUOTIENT_BLOCK, (unsigned)(from % NH_QUOTIENT_BLOCK),
               (unsigned)(last % NH_QUOTIENT_BLOCK));
    nh_qt_put_remainder(t, last, 0);
    nh_qt_put_bit(t, NH_QT_CONTINUED, last, false);
    nh_qt_put_bit(t, NH_QT_SHIFTED, last, false);
}

/* ---- Changes ----------------------------------------------------------------------- */

/* Whether another slot of its zone is empty too. */
static bool may_take(const struct nh_quotient_table *t, uint64_t empty)
{
    const uint64_t zone = nh_qt_zone_of(t, empty);
    const uint64_t other = nh_qt_nth_from(t, NH_QT_EMPTY, nh_qt_next_slot(t, empty), 0);

    if (other != t->n && other != empty && nh_qt_zone_of(t, other) == zone)
        return true;
    return nh_qt_nth_from(t, NH_QT_EMPTY, zone * NH_QUOTIENT_ZONE, 0) != empty;
}

bool nh_quotient_insert(const struct nh_live *live, const struct nh_quotient_table *t,
                        uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);
    const bool has_run = nh_qt_get_bit(t, NH_QT_OCCUPIED, q);
    const uint64_t start = run_start(t, q);
    uint64_t at = start;

    if (start == t->n)
        return false;
    if (has_run) {
        const struct run run = run_at(t, start);
        if (!run.size)
            return false;
        at = nh_qt_slot_after(t, start, rank_in(t, run, remainder, true));
    }
    const uint64_t empty = nh_qt_nth_from(t, NH_QT_EMPTY, at, 0);
    if (empty == t->n || !may_take(t, empty))
        return false;
    move_right(live, t, at, empty);
    if (has_run && at == start) /* the run's old head follows the new one */
        nh_qt_put_bit(t, NH_QT_CONTINUED, nh_qt_next_slot(t, at), true);
    nh_qt_put_remainder(t, at, remainder);
    nh_qt_put_bit(t, NH_QT_CONTINUED, at, at != start);
    nh_qt_put_bit(t, NH_QT_SHIFTED, at, at != q);
    nh_qt_put_bit(t, NH_QT_OCCUPIED, q, true);
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
        q = nh_qt_nth_within(t, NH_QT_QUOTIENTS, nh_qt_next_slot(t, q), 0, UINT64_MAX);
        if (q == t->n)
            return; /* runs without a quotient: the table is damaged */
        if (q == at)
            nh_qt_put_bit(t, NH_QT_SHIFTED, at, false);
        at = nh_qt_nth_within(t, NH_QT_HEADS, nh_qt_next_slot(t, at), 0, UINT64_MAX);
    }
}

ninho_status nh_quotient_remove(const struct nh_live *live,
                                const struct nh_quotient_table *t, uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);

    if (!nh_qt_get_bit(t, NH_QT_OCCUPIED, q))
        return NINHO_ERR_NOT_FOUND;
    const struct run run = run_of(t, q);
    if (!run.size)
        return NINHO_ERR_FULL;
    const uint64_t n_up_to = rank_in(t, run, remainder, true);
    if (n_up_to == 0)
        return NINHO_ERR_NOT_FOUND;
    const uint64_t rank = n_up_to - 1; /* of its copies the last: the least moves */
    const uint64_t at = nh_qt_slot_after(t, run.start, rank);
    if (nh_qt_get_remainder(t, at) != remainder)
        return NINHO_ERR_NOT_FOUND;
    /* what is at home behind it, or an empty slot, stays */
    const uint64_t stays = nh_qt_nth_from(t, NH_QT_HOMES, nh_qt_next_slot(t, at), 0);
    if (stays == t->n)
        return NINHO_ERR_FULL;
    const uint64_t last = nh_qt_slot_after(t, stays, t->n - 1);
    if (run.size == 1)
        nh_qt_put_bit(t, NH_QT_OCCUPIED, q, false);
    else if (rank == 0)
        nh_qt_put_bit(t, NH_QT_CONTINUED, nh_qt_next_slot(t, at), false);
    nh_tell(live, NINHO_EVENT_TAG_REMOVED, at, 0, remainder);
    move_left(live, t, at, last);
    if (run.size > 1 && rank == 0)
        nh_qt_put_bit(t, NH_QT_SHIFTED, at, at != q);
    bring_home(t, q, nh_qt_slot_after(t, run.start, run.size - 1), last);
    return NINHO_OK;
}
