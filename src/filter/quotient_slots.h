/* SPDX-License-Identifier: MIT */
/* The slots of a quotient table: their bits and remainders, and sets of them, 64 at a time. For
 * quotient_table.c and quotient_whole.c. */
#ifndef NH_FILTER_QUOTIENT_SLOTS_H
#define NH_FILTER_QUOTIENT_SLOTS_H

#include "base/bits.h"
#include "base/le.h"
#include "base/steps.h"
#include "filter/quotient_table.h"

enum nh_qt_plane { NH_QT_OCCUPIED, NH_QT_CONTINUED, NH_QT_SHIFTED };

static inline uint8_t *nh_qt_plane_at(const struct nh_quotient_table *t,
                                      enum nh_qt_plane plane, uint64_t block)
{
    return t->body + block * t->stride + 8 * (t->r + (unsigned)plane);
}

static inline bool nh_qt_get_bit(const struct nh_quotient_table *t,
                                 enum nh_qt_plane plane, uint64_t slot)
{
    return nh_load_le64(nh_qt_plane_at(t, plane, slot / NH_QUOTIENT_BLOCK)) >>
               (slot % NH_QUOTIENT_BLOCK) &
           1;
}

static inline void nh_qt_put_bit(const struct nh_quotient_table *t,
                                 enum nh_qt_plane plane, uint64_t slot, bool value)
{
    uint8_t *const at = nh_qt_plane_at(t, plane, slot / NH_QUOTIENT_BLOCK);
    const uint64_t bit = UINT64_C(1) << (slot % NH_QUOTIENT_BLOCK);
    const uint64_t word = nh_load_le64(at);
    nh_store_le64(at, value ? word | bit : word & ~bit);
}

/* Eight bytes from where a remainder begins never leave the block: the planes come
 * after. */
static inline uint64_t nh_qt_get_remainder(const struct nh_quotient_table *t,
                                           uint64_t slot)
{
    const unsigned bit = (unsigned)(slot % NH_QUOTIENT_BLOCK) * t->r;
    const uint8_t *const at = t->body + slot / NH_QUOTIENT_BLOCK * t->stride + bit / 8;
    return nh_load_le64(at) >> (bit % 8) & nh_low_mask(t->r);
}

static inline void nh_qt_put_remainder(const struct nh_quotient_table *t, uint64_t slot,
                                       uint64_t remainder)
{
    const unsigned bit = (unsigned)(slot % NH_QUOTIENT_BLOCK) * t->r;
    uint8_t *const at = t->body + slot / NH_QUOTIENT_BLOCK * t->stride + bit / 8;
    const uint64_t mask = nh_low_mask(t->r) << (bit % 8);
    nh_store_le64(at, (nh_load_le64(at) & ~mask) | remainder << (bit % 8));
}

static inline uint64_t nh_qt_next_slot(const struct nh_quotient_table *t, uint64_t slot)
{
    return slot + 1 == t->n ? 0 : slot + 1;
}

static inline uint64_t nh_qt_slot_after(const struct nh_quotient_table *t, uint64_t slot,
                                        uint64_t n_steps)
{
    return slot + n_steps < t->n ? slot + n_steps : slot + n_steps - t->n;
}

/* Steps from a to b, to the right. */
static inline uint64_t nh_qt_distance(const struct nh_quotient_table *t, uint64_t a,
                                      uint64_t b)
{
    return b >= a ? b - a : b + t->n - a;
}

/* ---- Sets of slots, 64 at a time --------------------------------------------------- */

static inline unsigned nh_qt_highest_bit(uint64_t word)
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
static inline unsigned nh_qt_nth_bit(uint64_t word, unsigned k)
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
enum nh_qt_set { NH_QT_QUOTIENTS, NH_QT_HEADS, NH_QT_HOMES, NH_QT_EMPTY };

static inline uint64_t nh_qt_set_word(const struct nh_quotient_table *t,
                                      enum nh_qt_set set, uint64_t block)
{
    switch (set) {
    case NH_QT_QUOTIENTS:
        return nh_load_le64(nh_qt_plane_at(t, NH_QT_OCCUPIED, block));
    case NH_QT_HEADS:
        return ~nh_load_le64(nh_qt_plane_at(t, NH_QT_CONTINUED, block));
    case NH_QT_HOMES:
        return ~nh_load_le64(nh_qt_plane_at(t, NH_QT_SHIFTED, block));
    default:
        return ~(nh_load_le64(nh_qt_plane_at(t, NH_QT_OCCUPIED, block)) |
                 nh_load_le64(nh_qt_plane_at(t, NH_QT_CONTINUED, block)) |
                 nh_load_le64(nh_qt_plane_at(t, NH_QT_SHIFTED, block)));
    }
}

/* The last member at or before `slot`; t->n if there is none in that many blocks. These
 * searches look at each block once (the first one twice), so that they end whatever the table
 * holds. */
static inline uint64_t nh_qt_last_up_to(const struct nh_quotient_table *t,
                                        enum nh_qt_set set, uint64_t slot,
                                        uint64_t most_blocks)
{
    uint64_t block = slot / NH_QUOTIENT_BLOCK,
             mask = nh_low_mask(slot % NH_QUOTIENT_BLOCK + 1);

    for (uint64_t i = 0; i <= t->n_blocks && i < most_blocks; i++, mask = UINT64_MAX) {
        const uint64_t word = nh_qt_set_word(t, set, block) & mask;
        nh_step();
        if (word)
            return NH_QUOTIENT_BLOCK * block + nh_qt_highest_bit(word);
        block = block ? block - 1 : t->n_blocks - 1;
    }
    return t->n;
}

/* The k-th member from `slot` on, k counted from 0; t->n if there are not so many in that many
 * blocks. */
static inline uint64_t nh_qt_nth_within(const struct nh_quotient_table *t,
                                        enum nh_qt_set set, uint64_t slot, uint64_t k,
                                        uint64_t most_blocks)
{
    uint64_t block = slot / NH_QUOTIENT_BLOCK,
             mask = ~nh_low_mask(slot % NH_QUOTIENT_BLOCK);

    for (uint64_t i = 0; i <= t->n_blocks && i < most_blocks; i++, mask = UINT64_MAX) {
        const uint64_t word = nh_qt_set_word(t, set, block) & mask;
        nh_step();
        const unsigned n = nh_popcount(word);
        if (k < n)
            return NH_QUOTIENT_BLOCK * block + nh_qt_nth_bit(word, (unsigned)k);
        k -= n;
        block = block + 1 == t->n_blocks ? 0 : block + 1;
    }
    return t->n;
}

static inline uint64_t nh_qt_nth_from(const struct nh_quotient_table *t,
                                      enum nh_qt_set set, uint64_t slot, uint64_t k)
{
    return nh_qt_nth_within(t, set, slot, k, NH_QUOTIENT_MOST);
}

/* Members in [from, to), to the right of `from`. */
static inline uint64_t nh_qt_count_between(const struct nh_quotient_table *t,
                                           enum nh_qt_set set, uint64_t from, uint64_t to)
{
    uint64_t left = nh_qt_distance(t, from, to), n = 0;

    while (left) {
        const unsigned at = (unsigned)(from % NH_QUOTIENT_BLOCK);
        const unsigned here =
            (unsigned)(left < NH_QUOTIENT_BLOCK - at ? left : NH_QUOTIENT_BLOCK - at);
        n += nh_popcount(nh_qt_set_word(t, set, from / NH_QUOTIENT_BLOCK) >> at &
                         nh_low_mask(here));
        nh_step();
        from = nh_qt_slot_after(t, from, here);
        left -= here;
    }
    return n;
}

/* ---- Zones ------------------------------------------------------------------------- */

static inline uint64_t nh_qt_n_zones(const struct nh_quotient_table *t)
{
    return t->n < NH_QUOTIENT_ZONE ? 1 : t->n / NH_QUOTIENT_ZONE;
}

static inline uint64_t nh_qt_zone_of(const struct nh_quotient_table *t, uint64_t slot)
{
    const uint64_t zone = slot / NH_QUOTIENT_ZONE;
    return zone < nh_qt_n_zones(t) ? zone : nh_qt_n_zones(t) - 1;
}

#endif
