/* SPDX-License-Identifier: MIT */
/* The table of a cuckoo filter: slots, tags, places. cuckoo.c is the family, and
 * cuckoo_search.c finds room where there is none at once.
 *
 * Slots are `width` bits each and packed without gaps; 0 is an empty one. A key has a *tag*
 * and two *places* of n slots, and its tag lies in one slot of one of them:
 *
 *     buckets of 4      | . . . . | . . . . | . . . . | . . . . |        place = bucket
 *                         `place 0'            `place 1'
 *     windows of 4      | . . . . . . . . . . . . . . . . . . . |        place = first slot
 *                             `place 0'    `place 1'
 *
 * Whoever finds a tag in a slot must be able to tell its other place from the tag and the
 * slot alone, since the key is gone. Under `xor` the two places differ by a number that
 * follows from the tag: the way there is the way back. Under `offset` place 1 is place 0
 * plus that number, modulo the number of places, so that the stored value says which of
 * the two it is; in windows it says too which slot of the window it lies in:
 *
 *     value = 1 + marks x tag + (n x side + offset)      windows under offset: marks = 2 n
 *     value = 1 + marks x tag + side                     buckets under offset: marks = 2
 *     value = 1 + marks x tag + offset                   windows under xor:    marks = n
 *     value = 1 + tag                                    buckets under xor:    marks = 1
 *
 * A lookup knows the marks it must find and compares the whole value. So they cost
 * nothing: 2n slots are compared in `width` bits each, whatever the marks are. */
#ifndef NH_FILTER_CUCKOO_H
#define NH_FILTER_CUCKOO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/le.h"
#include "filter/ops.h"

#define NH_NO_SLOT UINT64_MAX

/* A table, unpacked from its part for the length of a call. */
struct nh_cuckoo {
    uint8_t *body;
    uint64_t size; /* bytes of the body */
    uint64_t n_places;
    uint64_t n_tags;
    /* If the slots of a place fit a word, they are its lanes: `ones` has the lowest bit of
     * each set, `ramp` has 0, 1, 2, ... in them in windows and 0 in buckets. Otherwise
     * both are 0. */
    uint64_t ones, ramp;
    unsigned width;
    unsigned n;         /* slots of a place */
    unsigned n_offsets; /* that values tell apart: n in windows, 1 in buckets */
    unsigned n_marks;
    bool is_windows;
    bool is_offset;
    bool is_set;
    bool is_random; /* not the emptier place first */
    bool is_walk;   /* not bfs */
    uint32_t limit; /* kicks or nodes */
};

/* What a table needs to know of a key. */
struct nh_cuckoo_key {
    uint64_t place[2];
    uint64_t tag;
    uint64_t seed; /* of a random walk */
};

/* What a slot holds. */
struct nh_cuckoo_tag {
    uint64_t tag;
    uint64_t place;
    unsigned side;
};

/* Finds room for a key whose places are full, and puts it there. False, with nothing
 * changed, if none was found. (cuckoo_search.c) */
bool nh_cuckoo_search(const struct nh_live *live, const struct nh_cuckoo *t,
                      const struct nh_cuckoo_key *key);

/* Bytes of scratch memory that a search needs. */
size_t nh_cuckoo_scratch_size(bool is_walk, uint32_t limit);

/* ---- Numbers ----------------------------------------------------------------------- */

/* Tags of that many marks and bits. `widened` is how many of the bits were added in nested
 * growth, where the number of tags doubles exactly with each bit. */
static inline uint64_t nh_cuckoo_n_tags(unsigned width, unsigned n_marks,
                                        unsigned widened)
{
    return nh_low_mask(width - widened) / n_marks << widened;
}

/* The place comes from the high bits of the hash. The tag comes from those of its product
 * with an odd number, on which all bits bear, so that it is independent of the place as
 * long as there are bits for both. Both maps keep order, which nested growth needs: with g
 * times as many places (or tags) each is divided into g. */
static inline uint64_t nh_cuckoo_place_of(uint64_t hash, uint64_t n_places)
{
    return nh_reduce(hash, n_places);
}

static inline uint64_t nh_cuckoo_tag_of(uint64_t hash, uint64_t n_tags)
{
    return nh_reduce(hash * UINT64_C(0x9e3779b97f4a7c15), n_tags);
}

/* How far apart the two places of a tag are: 1 .. n_places - 1 (0 where there is but one).
 * The tag is hashed first. A multiple of the tag would do for two places, but paths go
 * through many tags: sums of multiples of one number meet again and again, and a search
 * would see the same few places. */
static inline uint64_t nh_cuckoo_distance(uint64_t tag, uint64_t n_places)
{
    uint64_t x = (tag + 1) * UINT64_C(0xd1342543de82ef95);

    x = (x ^ x >> 32) * UINT64_C(0xff51afd7ed558ccd);
    return 1 + nh_reduce(x, n_places - 1);
}

/* The other place of a tag that lies at `place`, which is its place number `side` (any
 * number under xor). other(other(place)) == place, for every number of places. */
static inline uint64_t nh_cuckoo_other(uint64_t place, unsigned side, uint64_t tag,
                                       uint64_t n_places, bool is_offset)
{
    const uint64_t distance = nh_cuckoo_distance(tag, n_places);

    if (!is_offset)
        return place ^ (distance & (n_places - 1));
    if (side)
        return place >= distance ? place - distance : place + n_places - distance;
    return place + distance < n_places ? place + distance : place + distance - n_places;
}

static inline struct nh_cuckoo_key nh_cuckoo_key_of(const struct nh_cuckoo *t,
                                                    uint64_t hash)
{
    const uint64_t place = nh_cuckoo_place_of(hash, t->n_places);
    const uint64_t tag = nh_cuckoo_tag_of(hash, t->n_tags);
    const uint64_t other = nh_cuckoo_other(place, 0, tag, t->n_places, t->is_offset);

    return (struct nh_cuckoo_key){{place, other}, tag, hash};
}

/* ---- Slots ------------------------------------------------------------------------- */

/* Where a word ends beyond the body, its bytes are taken one by one: a table has no spare
 * bytes, and a view's may end where the memory ends. */
uint64_t nh_cuckoo_last_word(const struct nh_cuckoo *t, uint64_t bit);

/* 64 bits from bit number `bit` on, zeros beyond the end. */
static inline uint64_t nh_cuckoo_word(const struct nh_cuckoo *t, uint64_t bit)
{
    const uint64_t byte = bit / 8;
    const unsigned shift = bit % 8;

    if (byte + 9 > t->size)
        return nh_cuckoo_last_word(t, bit);
    return nh_load_le64(t->body + byte) >> shift | ((uint64_t)t->body[byte + 8] << 1)
                                                       << (63 - shift);
}

static inline uint64_t nh_cuckoo_get(const struct nh_cuckoo *t, uint64_t slot)
{
    return nh_cuckoo_word(t, slot * t->width) & nh_low_mask(t->width);
}

/* A slot is at most 32 bits from bit 7 on: five bytes hold it. */
static inline void nh_cuckoo_put(const struct nh_cuckoo *t, uint64_t slot, uint64_t value)
{
    const uint64_t bit = slot * t->width;
    const unsigned shift = bit % 8;
    uint8_t *const at = t->body + bit / 8;
    uint64_t mask = nh_low_mask(t->width) << shift, bits = value << shift;

    if (bit / 8 + 8 <= t->size) {
        nh_store_le64(at, (nh_load_le64(at) & ~mask) | bits);
        return;
    }
    for (unsigned i = 0; mask; i++, mask >>= 8, bits >>= 8)
        at[i] = (uint8_t)((at[i] & ~mask) | bits);
}

static inline uint64_t nh_cuckoo_first_slot(const struct nh_cuckoo *t, uint64_t place)
{
    return t->is_windows ? place : place * t->n;
}

static inline uint64_t nh_cuckoo_n_slots(const struct nh_cuckoo *t)
{
    return t->is_windows ? t->n_places + t->n - 1 : t->n_places * t->n;
}

/* The slots of a place as the lanes of a word; what is above them is others'. */
static inline uint64_t nh_cuckoo_lanes(const struct nh_cuckoo *t, uint64_t place)
{
    return nh_cuckoo_word(t, nh_cuckoo_first_slot(t, place) * t->width);
}

/* The highest bit of each lane that is 0, set. A sum of low bits reaches the highest bit
 * unless they are all 0; no lane's sum leaves it. */
static inline uint64_t nh_cuckoo_zero_lanes(const struct nh_cuckoo *t, uint64_t word)
{
    const uint64_t high = t->ones << (t->width - 1), low = high - t->ones;
    return ~(((word & low) + low) | word) & high;
}

/* What a slot of place number `side` holds if the tag lies in its first slot. In the
 * others of a window it is 1, 2, ... more. */
static inline uint64_t nh_cuckoo_value(const struct nh_cuckoo *t, uint64_t tag,
                                       unsigned side)
{
    return 1 + tag * t->n_marks + (t->is_offset ? side * t->n_offsets : 0);
}

static inline void nh_cuckoo_put_tag(const struct nh_cuckoo *t, uint64_t slot,
                                     const struct nh_cuckoo_tag *tag)
{
    const uint64_t offset = t->is_windows ? slot - tag->place : 0;
    nh_cuckoo_put(t, slot, nh_cuckoo_value(t, tag->tag, tag->side) + offset);
}

/* Reads the tag in a slot that is not empty. */
static inline struct nh_cuckoo_tag nh_cuckoo_tag_in(const struct nh_cuckoo *t,
                                                    uint64_t slot)
{
    const uint32_t value = (uint32_t)nh_cuckoo_get(t, slot) - 1;
    const uint32_t tag = value / t->n_marks, marks = value - tag * t->n_marks;
    const uint32_t side = marks >= t->n_offsets;
    const uint32_t offset = marks - side * t->n_offsets;

    return (struct nh_cuckoo_tag){tag, t->is_windows ? slot - offset : slot / t->n, side};
}

static inline uint64_t nh_cuckoo_other_of(const struct nh_cuckoo *t,
                                          const struct nh_cuckoo_tag *tag)
{
    return nh_cuckoo_other(tag->place, tag->side, tag->tag, t->n_places, t->is_offset);
}

/* An empty slot of a place, NH_NO_SLOT if there is none. */
static inline uint64_t nh_cuckoo_free_slot(const struct nh_cuckoo *t, uint64_t place)
{
    const uint64_t first = nh_cuckoo_first_slot(t, place);

    if (t->ones) {
        const uint64_t zeros = nh_cuckoo_zero_lanes(t, nh_cuckoo_lanes(t, place));
        return zeros ? first + nh_lowest_bit64(zeros) / t->width : NH_NO_SLOT;
    }
    for (unsigned i = 0; i < t->n; i++)
        if (!nh_cuckoo_get(t, first + i))
            return first + i;
    return NH_NO_SLOT;
}

static inline void nh_cuckoo_prefetch(const struct nh_cuckoo *t, uint64_t place)
{
    nh_prefetch(t->body + nh_cuckoo_first_slot(t, place) * t->width / 8);
}

#endif
