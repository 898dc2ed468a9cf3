/* SPDX-License-Identifier: MIT */
/* A quotient table as a whole: laid out in one pass, walked over, verified. */
#include "filter/quotient_slots.h"

#include <inttypes.h>

#include "base/status.h"

/* ---- Layout ------------------------------------------------------------------------ */

/* Slots [from, to) stay empty. Zones before theirs that had none so far will have none. */
static void lay_gap(const struct nh_quotient_table *t, struct nh_quotient_layout *layout,
                    uint64_t from, uint64_t to)
{
    if (from >= to)
        return;
    layout->is_crowded = layout->is_crowded || nh_qt_zone_of(t, from) > layout->n_zones;
    if (nh_qt_zone_of(t, to - 1) >= layout->n_zones)
        layout->n_zones = nh_qt_zone_of(t, to - 1) + 1;
}

void nh_quotient_lay(const struct nh_live *live, const struct nh_quotient_table *t,
                     bool is_for_real, struct nh_quotient_layout *layout,
                     uint64_t fingerprint)
{
    const uint64_t q = fingerprint >> t->r, remainder = fingerprint & nh_low_mask(t->r);
    const bool is_new_run = !layout->has_begun || layout->last >> t->r != q;
    const uint64_t at = q > layout->next ? q : layout->next;

    lay_gap(t, layout, layout->next, at);
    layout->has_begun = true;
    layout->last = fingerprint;
    layout->next = at + 1;
    if (!is_for_real)
        return;
    const uint64_t slot = at < t->n ? at : at - t->n;
    nh_qt_put_remainder(t, slot, remainder);
    nh_qt_put_bit(t, NH_QT_CONTINUED, slot, !is_new_run);
    nh_qt_put_bit(t, NH_QT_SHIFTED, slot, slot != q);
    nh_qt_put_bit(t, NH_QT_OCCUPIED, q, true);
    nh_tell(live, NINHO_EVENT_TAG_PLACED, 0, slot, remainder);
}

void nh_quotient_lay_end(const struct nh_quotient_table *t,
                         struct nh_quotient_layout *layout)
{
    lay_gap(t, layout, layout->next, t->n);
    layout->is_crowded = layout->is_crowded || layout->n_zones < nh_qt_n_zones(t);
}

/* ---- Walks and verification -------------------------------------------------------- */

struct nh_quotient_walk nh_quotient_walk_from_start(const struct nh_quotient_table *t)
{
    for (uint64_t block = 0; block < t->n_blocks; block++) {
        const uint64_t starts = nh_qt_set_word(t, NH_QT_QUOTIENTS, block) &
                                nh_qt_set_word(t, NH_QT_HEADS, block) &
                                nh_qt_set_word(t, NH_QT_HOMES, block);
        if (starts)
            return (struct nh_quotient_walk){
                NH_QUOTIENT_BLOCK * block + nh_lowest_bit64(starts), 0, t->n};
    }
    return (struct nh_quotient_walk){0, 0, 0};
}

bool nh_quotient_walk_on(const struct nh_quotient_table *t, struct nh_quotient_walk *walk,
                         uint64_t *fingerprint)
{
    while (walk->n_left) {
        const uint64_t slot = walk->slot;
        walk->slot = nh_qt_next_slot(t, slot);
        walk->n_left--;
        if (!nh_qt_get_bit(t, NH_QT_SHIFTED, slot)) {
            if (!nh_qt_get_bit(t, NH_QT_OCCUPIED, slot))
                continue; /* empty */
            walk->quotient = slot;
        } else if (!nh_qt_get_bit(t, NH_QT_CONTINUED, slot)) {
            const uint64_t next = nh_qt_nth_within(
                t, NH_QT_QUOTIENTS, nh_qt_next_slot(t, walk->quotient), 0, UINT64_MAX);
            if (next == t->n || nh_qt_distance(t, walk->quotient, next) >
                                    nh_qt_distance(t, walk->quotient, slot))
                break; /* a run without a quotient: the table is damaged */
            walk->quotient = next;
        }
        *fingerprint = walk->quotient << t->r | nh_qt_get_remainder(t, slot);
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
        if (nh_qt_set_word(t, NH_QT_EMPTY, slot / NH_QUOTIENT_BLOCK) >>
                (slot % NH_QUOTIENT_BLOCK) &
            1)
            continue;
        const uint64_t cluster = nh_qt_last_up_to(t, NH_QT_HOMES, slot, UINT64_MAX);
        if (cluster == t->n)
            break; /* damaged */
        const uint64_t n_runs = nh_qt_count_between(
            t, NH_QT_HEADS, nh_qt_next_slot(t, cluster), nh_qt_next_slot(t, slot));
        const uint64_t q =
            nh_qt_nth_within(t, NH_QT_QUOTIENTS, cluster, n_runs, UINT64_MAX);
        if (q == t->n)
            break; /* damaged */
        *fingerprint = q << t->r | nh_qt_get_remainder(t, slot);
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
    for (uint64_t i = 0; i < t->n; i++, slot = nh_qt_next_slot(t, slot)) {
        const bool is_occupied = nh_qt_get_bit(t, NH_QT_OCCUPIED, slot);
        const bool is_continued = nh_qt_get_bit(t, NH_QT_CONTINUED, slot);
        const bool is_shifted = nh_qt_get_bit(t, NH_QT_SHIFTED, slot);
        const uint64_t remainder = nh_qt_get_remainder(t, slot);
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
                nh_qt_set_word(t, NH_QT_EMPTY,
                               nh_qt_slot_after(t, slot, t->n - 1) / NH_QUOTIENT_BLOCK) >>
                        (nh_qt_slot_after(t, slot, t->n - 1) % NH_QUOTIENT_BLOCK) &
                    1)
                return damaged("a run continues from nowhere", slot, error);
            if (remainder < last)
                return damaged("a run is not sorted", slot, error);
        } else {
            if (++n_runs > n_quotients)
                return damaged("a run has no quotient", slot, error);
            quotient =
                i == 0 ? slot
                       : nh_qt_nth_within(t, NH_QT_QUOTIENTS,
                                          nh_qt_next_slot(t, quotient), 0, UINT64_MAX);
            if (is_shifted != (quotient != slot))
                return damaged("a run is not where it must be", slot, error);
        }
        last = remainder;
    }
    if (n_runs != n_quotients)
        return damaged("a run is missing", slot, error);
    return NINHO_OK;
}
