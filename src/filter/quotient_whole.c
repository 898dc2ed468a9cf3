/* SPDX-License-Identifier: MIT */
/* A quotient table as a whole: laid out in one pass, walked over, verified. */
#include <inttypes.h>

#include "base/status.h"
#include "filter/quotient_table.h"

/* The block and slot of a zone's slot number, which may be round its end. */
static uint8_t *block_of(const struct nh_quotient_table *t,
                         const struct nh_quotient_zone *z, uint64_t slot)
{
    return nh_quotient_block(t, z, slot / NH_QUOTIENT_BLOCK);
}

static unsigned in_block(uint64_t slot)
{
    return slot % NH_QUOTIENT_BLOCK;
}

static bool is_end(const struct nh_quotient_table *t, const struct nh_quotient_zone *z,
                   uint64_t slot)
{
    return nh_quotient_ends(block_of(t, z, slot)) >> in_block(slot) & 1;
}

/* ---- Layout ------------------------------------------------------------------------ */

struct nh_quotient_layout nh_quotient_lay_begin(const struct nh_quotient_table *t,
                                                uint64_t zone, uint64_t next,
                                                bool is_for_real)
{
    const struct nh_quotient_zone z = nh_quotient_zone_at(t, zone);
    struct nh_quotient_layout layout = {.next = next, .is_for_real = is_for_real};

    layout.is_crowded = next > NH_QUOTIENT_MAX_OFFSET || next >= NH_QUOTIENT_BLOCK * z.n;
    if (is_for_real)
        nh_quotient_put_offset(nh_quotient_block(t, &z, 0), next);
    return layout;
}

/* Blocks up to this one get their offsets: what is to come has quotients from there on. */
static void lay_offsets(const struct nh_quotient_table *t,
                        const struct nh_quotient_zone *z,
                        struct nh_quotient_layout *layout, uint64_t block)
{
    while (layout->block < block) {
        const uint64_t start = ++layout->block * NH_QUOTIENT_BLOCK;
        const uint64_t offset = layout->next > start ? layout->next - start : 0;
        layout->is_crowded |= offset > NH_QUOTIENT_MAX_OFFSET;
        if (layout->is_for_real && layout->block < z->n)
            nh_quotient_put_offset(nh_quotient_block(t, z, layout->block), offset);
    }
}

void nh_quotient_lay(const struct nh_live *live, const struct nh_quotient_table *t,
                     uint64_t zone, struct nh_quotient_layout *layout,
                     uint64_t fingerprint)
{
    const struct nh_quotient_zone z = nh_quotient_zone_at(t, zone);
    const uint64_t q = (fingerprint >> t->r) - NH_QUOTIENT_BLOCK * z.first;
    const uint64_t remainder = fingerprint & nh_low_mask(t->r);
    const bool is_more = layout->count && layout->last >> t->r == fingerprint >> t->r;

    lay_offsets(t, &z, layout, q / NH_QUOTIENT_BLOCK);
    const uint64_t at = q > layout->next ? q : layout->next;
    layout->last = fingerprint;
    layout->next = at + 1;
    if (++layout->count >= NH_QUOTIENT_BLOCK * z.n)
        layout->is_crowded = true;
    if (!layout->is_for_real || layout->is_crowded)
        return;
    uint8_t *const block = block_of(t, &z, at);
    nh_quotient_put_remainder(t, block, in_block(at), remainder);
    nh_quotient_put_bit(block + NH_QUOTIENT_ENDS, in_block(at), true);
    if (is_more)
        nh_quotient_put_bit(block_of(t, &z, at - 1) + NH_QUOTIENT_ENDS, in_block(at - 1),
                            false);
    else
        nh_quotient_put_bit(block_of(t, &z, q), in_block(q), true);
    nh_tell(live, NINHO_EVENT_TAG_PLACED, 0,
            NH_QUOTIENT_BLOCK * z.first + at % (NH_QUOTIENT_BLOCK * z.n), remainder);
}

uint64_t nh_quotient_lay_end(const struct nh_quotient_table *t, uint64_t zone,
                             struct nh_quotient_layout *layout)
{
    const struct nh_quotient_zone z = nh_quotient_zone_at(t, zone);
    const uint64_t n = NH_QUOTIENT_BLOCK * z.n;

    lay_offsets(t, &z, layout, z.n);
    if (layout->is_for_real)
        nh_store_le64(nh_quotient_count(t, &z), layout->count);
    return layout->next > n ? layout->next - n : 0;
}

/* ---- Walks ------------------------------------------------------------------------- */

/* The walk stands before the first block of its zone. */
static void enter_zone(const struct nh_quotient_table *t, struct nh_quotient_walk *walk)
{
    const struct nh_quotient_zone z = nh_quotient_zone_at(t, walk->zone);

    walk->block = 0;
    walk->occupied = nh_quotient_occupied(nh_quotient_block(t, &z, 0));
    walk->slot = nh_quotient_offset(nh_quotient_block(t, &z, 0));
    walk->end = NH_QUOTIENT_BLOCK * z.n + walk->slot;
}

struct nh_quotient_walk nh_quotient_walk_from_start(const struct nh_quotient_table *t)
{
    struct nh_quotient_walk walk = {0};

    enter_zone(t, &walk);
    return walk;
}

/* The next quotient that is occupied; false if there is none. */
static bool next_quotient(const struct nh_quotient_table *t,
                          struct nh_quotient_walk *walk)
{
    const uint64_t n_zones = nh_quotient_n_zones(t->n_blocks);

    while (!walk->occupied) {
        const struct nh_quotient_zone z = nh_quotient_zone_at(t, walk->zone);
        if (++walk->block < z.n) {
            walk->occupied = nh_quotient_occupied(nh_quotient_block(t, &z, walk->block));
        } else if (walk->zone + 1 < n_zones) {
            walk->zone++;
            enter_zone(t, walk);
        } else {
            walk->block = z.n - 1; /* it is over, and stays so */
            return false;
        }
    }
    walk->quotient = NH_QUOTIENT_BLOCK * walk->block + nh_lowest_bit64(walk->occupied);
    walk->occupied &= walk->occupied - 1;
    if (walk->slot < walk->quotient)
        walk->slot = walk->quotient;
    return true;
}

bool nh_quotient_walk_on(const struct nh_quotient_table *t, struct nh_quotient_walk *walk,
                         uint64_t *fingerprint)
{
    if (!walk->in_run && !next_quotient(t, walk))
        return false;
    const struct nh_quotient_zone z = nh_quotient_zone_at(t, walk->zone);
    const uint64_t slot = walk->slot++;
    if (slot >= walk->end || walk->end >= 2 * NH_QUOTIENT_BLOCK * z.n) { /* damaged */
        walk->zone = nh_quotient_n_zones(t->n_blocks) - 1;
        walk->block = nh_quotient_zone_at(t, walk->zone).n - 1;
        walk->occupied = 0;
        walk->in_run = false;
        return false;
    }
    walk->in_run = !is_end(t, &z, slot);
    *fingerprint = (NH_QUOTIENT_BLOCK * z.first + walk->quotient) << t->r |
                   nh_quotient_remainder(t, block_of(t, &z, slot), in_block(slot));
    return true;
}

/* Ends of runs in slots [from, to). */
static uint64_t n_ends(const struct nh_quotient_table *t,
                       const struct nh_quotient_zone *z, uint64_t from, uint64_t to)
{
    uint64_t n = 0;

    while (from < to) {
        const unsigned at = in_block(from);
        const uint64_t left = to - from;
        const unsigned here =
            left < NH_QUOTIENT_BLOCK - at ? (unsigned)left : NH_QUOTIENT_BLOCK - at;
        nh_step();
        n +=
            nh_popcount(nh_quotient_ends(block_of(t, z, from)) >> at & nh_low_mask(here));
        from += here;
    }
    return n;
}

/* Whose remainder lies in a slot of a zone, the slots round its end counted on: as many ends before
 * it, as many quotients. UINT64_MAX if it is empty. */
static uint64_t quotient_in(const struct nh_quotient_table *t,
                            const struct nh_quotient_zone *z, uint64_t slot)
{
    uint64_t block = slot / NH_QUOTIENT_BLOCK;

    if (block >= z->n)
        block = z->n - 1;
    while (block && NH_QUOTIENT_BLOCK * block +
                            nh_quotient_offset(nh_quotient_block(t, z, block)) >
                        slot)
        block--; /* a quotient of a block before has it */
    uint64_t n_before = n_ends(t, z,
                               NH_QUOTIENT_BLOCK * block +
                                   nh_quotient_offset(nh_quotient_block(t, z, block)),
                               slot);
    uint64_t occupied = nh_quotient_occupied(nh_quotient_block(t, z, block));
    while (occupied && n_before--)
        occupied &= occupied - 1;
    const uint64_t q =
        occupied ? NH_QUOTIENT_BLOCK * block + nh_lowest_bit64(occupied) : UINT64_MAX;
    return q <= slot ? q : UINT64_MAX;
}

/* The cursor is how many slots were looked at: in each zone they begin with what its first block
 * has for quotients of its own. */
bool nh_quotient_next(const struct nh_quotient_table *t, uint64_t *cursor,
                      uint64_t *fingerprint)
{
    const uint64_t n = NH_QUOTIENT_BLOCK * t->n_blocks;

    while (*cursor < n) {
        const uint64_t number = (*cursor)++;
        const struct nh_quotient_zone z =
            nh_quotient_zone_at(t, nh_quotient_zone_of(t, number / NH_QUOTIENT_BLOCK));
        const uint64_t offset = nh_quotient_offset(nh_quotient_block(t, &z, 0));
        if (offset >= NH_QUOTIENT_BLOCK * z.n)
            break; /* damaged */
        const uint64_t slot = number - NH_QUOTIENT_BLOCK * z.first + offset;
        const uint64_t q = quotient_in(t, &z, slot);
        if (q == UINT64_MAX)
            continue;
        *fingerprint = (NH_QUOTIENT_BLOCK * z.first + q) << t->r |
                       nh_quotient_remainder(t, block_of(t, &z, slot), in_block(slot));
        return true;
    }
    *cursor = n;
    return false;
}

/* ---- Verification ------------------------------------------------------------------ */

/* One zone on the way: all of it up to here is as it must be. */
struct check {
    const struct nh_quotient_table *t;
    struct nh_quotient_zone zone;
    uint64_t slot; /* the next */
    uint64_t end;  /* where it has gone round */
    uint64_t n_used;
};

static ninho_status damaged(const struct check *c, const char *what, ninho_error *error)
{
    return nh_fail(error, NINHO_ERR_FORMAT, "%s, at slot %" PRIu64, what,
                   NH_QUOTIENT_BLOCK * c->zone.first +
                       c->slot % (NH_QUOTIENT_BLOCK * c->zone.n));
}

static uint64_t remainder_here(const struct check *c)
{
    return nh_quotient_remainder(c->t, block_of(c->t, &c->zone, c->slot),
                                 in_block(c->slot));
}

/* Slots up to that one are empty. */
static ninho_status check_gap(struct check *c, uint64_t to, ninho_error *error)
{
    for (; c->slot < to; c->slot++) {
        if (is_end(c->t, &c->zone, c->slot))
            return damaged(c, "a run has no quotient", error);
        if (remainder_here(c))
            return damaged(c, "an empty slot holds a remainder", error);
    }
    return NINHO_OK;
}

/* A run begins here. */
static ninho_status check_run(struct check *c, ninho_error *error)
{
    for (uint64_t last = 0; c->slot < c->end;) {
        const uint64_t remainder = remainder_here(c);
        if (remainder < last)
            return damaged(c, "a run is not sorted", error);
        last = remainder;
        c->n_used++;
        if (is_end(c->t, &c->zone, c->slot++))
            return NINHO_OK;
    }
    return damaged(c, "a run does not end", error);
}

/* Lays the zone out again in thought: what each slot must hold follows from those before it. Each is
 * looked at once. */
static ninho_status check_zone(struct check *c, ninho_error *error)
{
    const uint64_t n = NH_QUOTIENT_BLOCK * c->zone.n;
    ninho_status status = NINHO_OK;

    c->n_used = 0;
    c->slot = nh_quotient_offset(nh_quotient_block(c->t, &c->zone, 0));
    c->end = n + c->slot;
    if (c->slot >= n)
        return damaged(c, "an offset is wrong", error);
    for (uint64_t b = 0; b < c->zone.n; b++) {
        const uint8_t *const block = nh_quotient_block(c->t, &c->zone, b);
        const uint64_t start = NH_QUOTIENT_BLOCK * b;
        if (nh_quotient_offset(block) != (c->slot > start ? c->slot - start : 0))
            return damaged(c, "an offset is wrong", error);
        for (uint64_t left = nh_quotient_occupied(block); !status && left;
             left &= left - 1) {
            status = check_gap(c, start + nh_lowest_bit64(left), error);
            if (!status)
                status = check_run(c, error);
        }
        if (status)
            return status;
    }
    status = check_gap(c, n, error);
    if (status)
        return status;
    if (c->slot != c->end)
        return damaged(c, "an offset is wrong", error);
    if (c->n_used == n || c->n_used != nh_load_le64(nh_quotient_count(c->t, &c->zone)))
        return damaged(c, "a zone's count is wrong", error);
    return NINHO_OK;
}

ninho_status nh_quotient_verify(const struct nh_quotient_table *t, uint64_t *n_used,
                                ninho_error *error)
{
    *n_used = 0;
    for (uint64_t zone = 0; zone < nh_quotient_n_zones(t->n_blocks); zone++) {
        struct check c = {.t = t, .zone = nh_quotient_zone_at(t, zone)};
        const ninho_status status = check_zone(&c, error);
        if (status)
            return status;
        *n_used += c.n_used;
    }
    return NINHO_OK;
}
