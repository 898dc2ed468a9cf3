/* SPDX-License-Identifier: MIT */
/* The table of a cuckoo filter: slots, tags, places. cuckoo.c is the family, cuckoo_plan.c
 * its geometry; cuckoo_kernels.c looks up and puts where there is room, cuckoo_search.c
 * finds room where there is none at once.
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

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/steps.h"
#include "filter/ops.h"

#define NH_NO_SLOT UINT64_MAX

/* With the shape of a table known, these fold to a few instructions, but only where they
 * are inlined, whatever the compiler thinks of their size before. */
#ifdef __GNUC__
#define NH_FOLDED static inline __attribute__((always_inline))
#else
#define NH_FOLDED static inline
#endif

/* ---- The words of a part ----------------------------------------------------------- */

/* stored[0]: bits 0-7 width, 8-15 slots of a place, 16 windows, 17 offset, 18 set, 19 random,
 * 20 walk, 21 near, 24-31 bits that nested growth added to the tags; the rest 0.
 * stored[1]: the limit of a search, kicks or nodes. */
enum nh_cuckoo_word {
    NH_CUCKOO_WINDOWS = 1 << 16,
    NH_CUCKOO_OFFSET = 1 << 17,
    NH_CUCKOO_SET = 1 << 18,
    NH_CUCKOO_RANDOM = 1 << 19,
    NH_CUCKOO_WALK = 1 << 20,
    NH_CUCKOO_NEAR = 1 << 21,
    NH_CUCKOO_WIDENED = 1 << 24 | 1, /* one bit more, in both places that say so */
    NH_CUCKOO_FLAGS = NH_CUCKOO_WINDOWS | NH_CUCKOO_OFFSET | NH_CUCKOO_SET |
                      NH_CUCKOO_RANDOM | NH_CUCKOO_WALK | NH_CUCKOO_NEAR,
};

#define NH_CUCKOO_LONGEST_RUN 16 /* log2 of its places */

/* Under near pairing: log2 of the places of a run, for a table of that many buckets. Eight to fifteen
 * runs, so that little is lost by whole runs and few keys more than others come to one of them; more
 * where a run is long enough for both. */
static inline unsigned nh_cuckoo_run(uint64_t n_buckets)
{
    unsigned run = 1;

    while (run < NH_CUCKOO_LONGEST_RUN && n_buckets >> (run + 4))
        run++;
    return run;
}

/* Tags of that many marks and bits. `widened` is how many of the bits were added in nested
 * growth, where the number of tags doubles exactly with each bit. */
NH_FOLDED uint64_t nh_cuckoo_n_tags(unsigned width, unsigned n_marks, unsigned widened)
{
    assert(n_marks > 0);
    return nh_low_mask(width - widened) / n_marks << widened;
}

static inline unsigned nh_cuckoo_width(const struct nh_part *part)
{
    return part->stored[0] & 0xff;
}

static inline unsigned nh_cuckoo_n(const struct nh_part *part)
{
    return part->stored[0] >> 8 & 0xff;
}

static inline unsigned nh_cuckoo_widened(const struct nh_part *part)
{
    return part->stored[0] >> 24 & 0xff;
}

static inline bool nh_cuckoo_is(const struct nh_part *part, uint64_t flag)
{
    return part->stored[0] & flag;
}

static inline ninho_pairing nh_cuckoo_pairing(const struct nh_part *part)
{
    return nh_cuckoo_is(part, NH_CUCKOO_OFFSET) ? NINHO_PAIRING_OFFSET
           : nh_cuckoo_is(part, NH_CUCKOO_NEAR) ? NINHO_PAIRING_NEAR
                                                : NINHO_PAIRING_XOR;
}

static inline unsigned nh_cuckoo_marks(const struct nh_part *part)
{
    return (nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) ? nh_cuckoo_n(part) : 1) *
           (nh_cuckoo_is(part, NH_CUCKOO_OFFSET) ? 2 : 1);
}

static inline uint64_t nh_cuckoo_places(const struct nh_part *part)
{
    assert(nh_cuckoo_n(part) > 0);
    if (nh_cuckoo_is(part, NH_CUCKOO_NEAR)) {
        const uint64_t n_buckets = part->n_cells / nh_cuckoo_n(part);
        return n_buckets >> nh_cuckoo_run(n_buckets) << nh_cuckoo_run(n_buckets);
    }
    return nh_cuckoo_is(part, NH_CUCKOO_WINDOWS) ? part->n_cells - (nh_cuckoo_n(part) - 1)
                                                 : part->n_cells / nh_cuckoo_n(part);
}

static inline uint64_t nh_cuckoo_tags(const struct nh_part *part)
{
    return nh_cuckoo_n_tags(nh_cuckoo_width(part), nh_cuckoo_marks(part),
                            nh_cuckoo_widened(part));
}

/* ---- The table --------------------------------------------------------------------- */

/* A table, unpacked from its part for the length of a call. */
struct nh_cuckoo_shape {
    uint8_t *body;
    uint64_t size; /* bytes of the body */
    uint64_t n_places;
    uint64_t n_tags;
    /* The slots of a place are the lanes of a word if they fit it, and two by two those of
     * two words if there are 3 or 4. `ones` has the lowest bit of each lane set, `ramp` has
     * 0, 1, 2, ... in them in windows and 0 in buckets. Both are 0 for larger places. */
    uint64_t ones, ramp;
    unsigned width;
    unsigned n;          /* slots of a place */
    unsigned step;       /* slots from a place to the next: 1 in windows, n in buckets */
    unsigned n_offsets;  /* that values tell apart: n in windows, 1 in buckets */
    unsigned n_per_side; /* values from side 0 to side 1: 0 under xor */
    unsigned n_marks;
    unsigned run_shift; /* near: 64 - log2 of the places of a run; 0 under xor, offset */
    bool is_wide;       /* two words */
    bool is_narrow; /* the lanes fit a word, whichever bit of a byte they begin with */
    bool is_windows;
    bool is_offset;
    bool is_set;
    bool is_random; /* not the emptier place first */
    bool is_walk;   /* not bfs */
    uint32_t limit; /* kicks or nodes */
};

/* Does a place of n slots take two words? */
NH_FOLDED bool nh_cuckoo_takes_two(unsigned width, unsigned n)
{
    return n * width > 64 && n <= 4; /* 2 slots of 32 bits fit one */
}

/* The fields that lookups need. A caller for whom n, is_windows, pairing, is_wide and
 * perhaps width are constants gets code for that shape. */
NH_FOLDED struct nh_cuckoo_shape nh_cuckoo_unpacked(const struct nh_part *part,
                                                    unsigned width, unsigned n,
                                                    bool is_windows,
                                                    ninho_pairing pairing, bool is_wide)
{
    const bool is_offset = pairing == NINHO_PAIRING_OFFSET;

    return (struct nh_cuckoo_shape){
        .body = part->body,
        .size = part->size,
        .n_places = part->cached.cuckoo.n_places,
        .n_tags = part->cached.cuckoo.n_tags,
        .ones = part->cached.cuckoo.ones,
        .ramp = part->cached.cuckoo.first - part->cached.cuckoo.ones,
        .width = width,
        .n = n,
        .step = is_windows ? 1 : n,
        .n_offsets = is_windows ? n : 1,
        .n_per_side = is_offset ? (is_windows ? n : 1) : 0,
        .n_marks = (is_windows ? n : 1) * (is_offset ? 2U : 1U),
        .run_shift = pairing == NINHO_PAIRING_NEAR ? part->cached.cuckoo.run_shift : 0,
        .is_wide = is_wide,
        .is_narrow = (is_wide ? 2 : n) * width <= 57 ||
                     ((is_windows ? 1 : n) * width % 8 == 0 && !(is_wide && width % 4)),
        .is_windows = is_windows,
        .is_offset = is_offset,
    };
}

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

#define NH_AHEAD 16 /* keys whose lines are on their way in batches */

/* What was taken out. */
struct nh_cuckoo_taken {
    uint64_t slot, tag;
};

/* For tables of one shape. put_hash puts a hash's tag where there is room at once and
 * answers the slot, or NH_NO_SLOT; *key is filled either way. (cuckoo_kernels.c) */
struct nh_cuckoo_kernel {
    bool (*has)(const struct nh_part *part, uint64_t hash);
    void (*has_many)(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe);
    uint64_t (*put_hash)(const struct nh_part *part, uint64_t hash,
                         struct nh_cuckoo_key *key);
    /* Puts hashes[at] and those behind it, up to the first for which there is no room at
     * once, or n: returns which. Key number i is ring[i % NH_AHEAD], for the next NH_AHEAD
     * of them. */
    size_t (*put_many)(const struct nh_part *part, const uint64_t *hashes, size_t n,
                       size_t at, struct nh_cuckoo_key *ring);
    /* Takes out the first copy of a hash's tag; false if there is none. Tells which if `taken` is not
     * NULL. */
    bool (*take)(const struct nh_part *part, uint64_t hash,
                 struct nh_cuckoo_taken *taken);
};

/* Whether a lookup loads each place as one word, as <ninho/kernels.h> does. */
bool nh_cuckoo_is_word(const struct nh_cuckoo_shape *t);

/* The pairing for which <ninho/kernels.h> has a lookup in such a table, 0 if it has none. */
unsigned nh_cuckoo_word_pairing(const struct nh_cuckoo_shape *t);

const struct nh_cuckoo_kernel *nh_cuckoo_select(const struct nh_cuckoo_shape *t);

/* The same for a key of any table. */
uint64_t nh_cuckoo_put_any(const struct nh_part *part, const struct nh_cuckoo_key *key);

/* Finds copies of a key: returns the slot of the first, NH_NO_SLOT if there is none, and
 * how many there are. */
uint64_t nh_cuckoo_find_copies(const struct nh_cuckoo_shape *t,
                               const struct nh_cuckoo_key *key, uint64_t *n);

/* The table of any part. */
struct nh_cuckoo_shape nh_cuckoo_of(const struct nh_part *part);

/* Geometry, for the family's table of functions; see ops.h. (cuckoo_plan.c) */
ninho_status nh_cuckoo_plan(const ninho_spec *spec, struct nh_part *part,
                            ninho_error *error);
void nh_cuckoo_spec_back(const struct nh_part *part, ninho_spec *spec);
double nh_cuckoo_expected_fpr(const struct nh_part *part, double n_keys);
const char *nh_cuckoo_note(const struct nh_part *part, double fpr);
bool nh_cuckoo_fits(const struct nh_part *part);
bool nh_cuckoo_nest(const struct nh_part *before, uint32_t growth, double fpr,
                    struct nh_part *part);
bool nh_cuckoo_is_nested(const struct nh_part *before, uint32_t growth,
                         const struct nh_part *part);
unsigned nh_cuckoo_bare_tail(const struct nh_part *part, uint8_t tail[2]);
bool nh_cuckoo_bare_fits(const uint8_t *bytes, size_t size, struct nh_part *part);

/* Finds room for a key whose places are full, and puts it there. NINHO_ERR_FULL if none was
 * found, NINHO_ERR_NOMEM if there is no memory to search in: nothing changed.
 * (cuckoo_search.c) */
ninho_status nh_cuckoo_search(const struct nh_live *live, const struct nh_cuckoo_shape *t,
                              const struct nh_cuckoo_key *key);

/* Lookups beside the writer; and what it does before it takes a copy of a key out.
 * (cuckoo_beside.c) */
nh_has_beside nh_cuckoo_beside(const struct nh_part *part);
void nh_cuckoo_before_taking(const struct nh_live *live, const struct nh_part *part,
                             uint64_t hash);

/* The tag has been copied to its new slot. Readers who looked there before will look again. */
void nh_cuckoo_has_moved(const struct nh_live *live, const struct nh_cuckoo_shape *t,
                         const struct nh_cuckoo_tag *tag);

/* Whether every slot of both places holds a copy of the key itself. */
bool nh_cuckoo_is_own_obstacle(const struct nh_cuckoo_shape *t,
                               const struct nh_cuckoo_key *key);

/* ---- Numbers ----------------------------------------------------------------------- */

NH_FOLDED uint64_t nh_cuckoo_place_of(uint64_t hash, uint64_t n_places)
{
    return ninho_cuckoo_place_(hash, n_places);
}

NH_FOLDED uint64_t nh_cuckoo_tag_of(uint64_t hash, uint64_t n_tags, bool is_near)
{
    return is_near ? ninho_cuckoo_near_tag_(hash, n_tags)
                   : ninho_cuckoo_tag_(hash, n_tags);
}

/* The other place of a tag that lies at `place`, which is its place number `side` (any
 * number under xor). other(other(place)) == place, for every number of places. */
NH_FOLDED uint64_t nh_cuckoo_other(uint64_t place, unsigned side, uint64_t tag,
                                   uint64_t n_places, bool is_offset)
{
    if (!is_offset || !side)
        return ninho_cuckoo_second_(place, tag, n_places, is_offset);
    const uint64_t distance = ninho_cuckoo_distance_(tag, n_places);
    return place >= distance ? place - distance : place + n_places - distance;
}

/* The same in a table. */
NH_FOLDED uint64_t nh_cuckoo_other_place(const struct nh_cuckoo_shape *t, uint64_t place,
                                         unsigned side, uint64_t tag)
{
    if (t->run_shift)
        return ninho_cuckoo_near_(place, tag, t->run_shift);
    return nh_cuckoo_other(place, side, tag, t->n_places, t->is_offset);
}

NH_FOLDED struct nh_cuckoo_key nh_cuckoo_key_of(const struct nh_cuckoo_shape *t,
                                                uint64_t hash)
{
    const uint64_t place = nh_cuckoo_place_of(hash, t->n_places);
    const uint64_t tag = nh_cuckoo_tag_of(hash, t->n_tags, t->run_shift);
    const uint64_t other = nh_cuckoo_other_place(t, place, 0, tag);

    return (struct nh_cuckoo_key){{place, other}, tag, hash};
}

/* ---- Slots ------------------------------------------------------------------------- */

/* Where a word ends beyond the body, its bytes are taken one by one: a table has no spare
 * bytes, and a view's may end where the memory ends. */
uint64_t nh_cuckoo_last_word(const uint8_t *body, uint64_t size, uint64_t bit);

/* At least 57 bits from bit number `bit` on, all 64 if it begins a byte; zeros beyond the
 * end. */
NH_FOLDED uint64_t nh_cuckoo_word(const struct nh_cuckoo_shape *t, uint64_t bit)
{
    if (bit / 8 + 8 > t->size)
        return nh_cuckoo_last_word(t->body, t->size, bit);
    return nh_load_le64(t->body + bit / 8) >> bit % 8;
}

/* All 64 of them: the last ones may lie in a ninth byte. */
NH_FOLDED uint64_t nh_cuckoo_whole_word(const struct nh_cuckoo_shape *t, uint64_t bit)
{
    if (bit / 8 + 9 > t->size)
        return nh_cuckoo_last_word(t->body, t->size, bit);
    const uint64_t ninth = ninho_load8_(&t->body[bit / 8 + 8]);
    return nh_load_le64(t->body + bit / 8) >> bit % 8 | (ninth << 1) << (63 - bit % 8);
}

NH_FOLDED uint64_t nh_cuckoo_get(const struct nh_cuckoo_shape *t, uint64_t slot)
{
    return nh_cuckoo_word(t, slot * t->width) & nh_low_mask(t->width);
}

/* A slot is at most 32 bits from bit 7 on: five bytes hold it. */
NH_FOLDED void nh_cuckoo_put(const struct nh_cuckoo_shape *t, uint64_t slot,
                             uint64_t value)
{
    const uint64_t bit = slot * t->width;
    const unsigned shift = bit % 8;
    uint8_t *const at = t->body + bit / 8;
    uint64_t mask = nh_low_mask(t->width) << shift, bits = value << shift;

    nh_before_store();
    if (bit / 8 + 8 <= t->size) {
        nh_store_le64(at, (nh_load_le64(at) & ~mask) | bits);
        return;
    }
    for (unsigned i = 0; mask; i++, mask >>= 8, bits >>= 8)
        at[i] = (uint8_t)((at[i] & ~mask) | bits);
}

NH_FOLDED uint64_t nh_cuckoo_first_slot(const struct nh_cuckoo_shape *t, uint64_t place)
{
    return place * t->step;
}

/* Where word number `word` of a place begins. */
NH_FOLDED uint64_t nh_cuckoo_bit(const struct nh_cuckoo_shape *t, uint64_t place,
                                 unsigned word)
{
    return place * (t->step * t->width) + word * 2 * t->width;
}

/* The slots of a place as the lanes of a word; what is above them is others'. */
NH_FOLDED uint64_t nh_cuckoo_lanes(const struct nh_cuckoo_shape *t, uint64_t place,
                                   unsigned word)
{
    const uint64_t bit = nh_cuckoo_bit(t, place, word);
    return t->is_narrow ? nh_cuckoo_word(t, bit) : nh_cuckoo_whole_word(t, bit);
}

/* The highest bits of the lanes of a word: where marks of lanes are set. */
NH_FOLDED uint64_t nh_cuckoo_tops(const struct nh_cuckoo_shape *t, unsigned word)
{
    return (word && t->n == 3 ? 1 : t->ones) << (t->width - 1);
}

/* The highest bit of each lane that is 0, set. A sum of low bits reaches the highest bit
 * unless they are all 0; no lane's sum leaves it. */
NH_FOLDED uint64_t nh_cuckoo_zero_lanes(const struct nh_cuckoo_shape *t, uint64_t word)
{
    const uint64_t high = t->ones << (t->width - 1), low = high - t->ones;
    return ~(((word & low) + low) | word) & high;
}

/* The lane of the lowest mark, of some at their highest bits. No division by a width that only the
 * table knows: adds would wait for it. */
NH_FOLDED unsigned nh_cuckoo_lane(const struct nh_cuckoo_shape *t, uint64_t marks)
{
    const unsigned bit = nh_lowest_bit64(marks);

    if (t->n > 4)
        return bit / t->width;
    return (unsigned)(bit >= t->width) + (unsigned)(t->n > 2 && bit >= 2 * t->width) +
           (unsigned)(t->n > 3 && bit >= 3 * t->width);
}

/* What a slot of place number `side` holds if the tag lies in its first slot. In the
 * others of a window it is 1, 2, ... more. */
NH_FOLDED uint64_t nh_cuckoo_value(const struct nh_cuckoo_shape *t, uint64_t tag,
                                   unsigned side)
{
    return 1 + tag * t->n_marks + side * t->n_per_side;
}

NH_FOLDED void nh_cuckoo_put_tag(const struct nh_cuckoo_shape *t, uint64_t slot,
                                 const struct nh_cuckoo_tag *tag)
{
    const uint64_t offset = t->is_windows ? slot - tag->place : 0;
    nh_cuckoo_put(t, slot, nh_cuckoo_value(t, tag->tag, tag->side) + offset);
}

/* value / n_marks: the marks are 1 or 3 times a power of two. (A third of a 32-bit number
 * is the high part of its product with 2^33 / 3, rounded up.) */
NH_FOLDED uint32_t nh_cuckoo_tag_part(const struct nh_cuckoo_shape *t, uint32_t value)
{
    if (t->n_marks % 3)
        return value >> nh_lowest_bit(t->n_marks);
    return (uint32_t)((uint64_t)(value >> nh_lowest_bit(t->n_marks)) *
                          UINT64_C(0xaaaaaaab) >>
                      33);
}

/* Reads the tag in a slot that is not empty. */
NH_FOLDED struct nh_cuckoo_tag nh_cuckoo_tag_in(const struct nh_cuckoo_shape *t,
                                                uint64_t slot)
{
    const uint32_t value = (uint32_t)nh_cuckoo_get(t, slot) - 1;
    const uint32_t tag = nh_cuckoo_tag_part(t, value), marks = value - tag * t->n_marks;
    const uint32_t side = marks >= t->n_offsets;
    const uint32_t offset = marks - side * t->n_offsets;

    return (struct nh_cuckoo_tag){tag, t->is_windows ? slot - offset : slot / t->n, side};
}

NH_FOLDED uint64_t nh_cuckoo_other_of(const struct nh_cuckoo_shape *t,
                                      const struct nh_cuckoo_tag *tag)
{
    return nh_cuckoo_other_place(t, tag->place, tag->side, tag->tag);
}

/* An empty slot of a place, NH_NO_SLOT if there is none. */
NH_FOLDED uint64_t nh_cuckoo_free_slot(const struct nh_cuckoo_shape *t, uint64_t place)
{
    const uint64_t first = nh_cuckoo_first_slot(t, place);

    if (t->ones) {
        const uint64_t zeros = nh_cuckoo_zero_lanes(t, nh_cuckoo_lanes(t, place, 0));
        if (zeros || !t->is_wide)
            return zeros ? first + nh_cuckoo_lane(t, zeros) : NH_NO_SLOT;
        const uint64_t others =
            nh_cuckoo_zero_lanes(t, nh_cuckoo_lanes(t, place, 1)) & nh_cuckoo_tops(t, 1);
        return others ? first + 2 + nh_cuckoo_lane(t, others) : NH_NO_SLOT;
    }
    for (unsigned i = 0; i < t->n; i++)
        if (!nh_cuckoo_get(t, first + i))
            return first + i;
    return NH_NO_SLOT;
}

/* Not 0 in the highest bits if some lane of the word holds this value (in windows: plus its
 * offset). */
NH_FOLDED uint64_t nh_cuckoo_matches(const struct nh_cuckoo_shape *t, uint64_t word,
                                     uint64_t value)
{
    const uint64_t differs = word ^ (value * t->ones + t->ramp);
    return (differs - t->ones) & ~differs;
}

/* What a slot of the second word holds, if one of the first would hold `value`. */
NH_FOLDED uint64_t nh_cuckoo_second_value(const struct nh_cuckoo_shape *t, uint64_t value)
{
    return t->is_windows ? value + 2 : value;
}

/* Not 0 if some lane of the place holds this value (in windows: plus its offset). */
NH_FOLDED uint64_t nh_cuckoo_lanes_with(const struct nh_cuckoo_shape *t, uint64_t place,
                                        uint64_t value)
{
    uint64_t marks =
        nh_cuckoo_matches(t, nh_cuckoo_lanes(t, place, 0), value) & nh_cuckoo_tops(t, 0);

    if (t->is_wide)
        marks |= nh_cuckoo_matches(t, nh_cuckoo_lanes(t, place, 1),
                                   nh_cuckoo_second_value(t, value)) &
                 nh_cuckoo_tops(t, 1);
    return marks;
}

/* The slots of a large place, one by one. */
static inline bool nh_cuckoo_is_in_large_place(const struct nh_cuckoo_shape *t,
                                               uint64_t place, uint64_t value)
{
    const uint64_t first = nh_cuckoo_first_slot(t, place);

    for (unsigned i = 0; i < t->n; i++)
        if (nh_cuckoo_get(t, first + i) == value + (t->is_windows ? i : 0))
            return true;
    return false;
}

static inline bool nh_cuckoo_has(const struct nh_cuckoo_shape *t,
                                 const struct nh_cuckoo_key *key)
{
    const uint64_t first = nh_cuckoo_value(t, key->tag, 0);
    const uint64_t second = nh_cuckoo_value(t, key->tag, 1);

    if (t->ones)
        return nh_cuckoo_lanes_with(t, key->place[0], first) |
               nh_cuckoo_lanes_with(t, key->place[1], second);
    return nh_cuckoo_is_in_large_place(t, key->place[0], first) ||
           nh_cuckoo_is_in_large_place(t, key->place[1], second);
}

static inline unsigned nh_cuckoo_n_free(const struct nh_cuckoo_shape *t, uint64_t place)
{
    const uint64_t first = nh_cuckoo_first_slot(t, place);
    unsigned n = 0;

    for (unsigned i = 0; i < t->n; i++)
        n += !nh_cuckoo_get(t, first + i);
    return n;
}

/* A bucket seldom lies in two lines and a window often does: both are asked for. */
NH_FOLDED void nh_cuckoo_prefetch(const struct nh_cuckoo_shape *t, uint64_t place)
{
    const unsigned stride = t->step * t->width;
    const uint8_t *const at =
        t->body + (stride % 8 ? place * stride / 8 : place * (stride / 8));

    nh_prefetch(at);
    if (t->is_windows)
        nh_prefetch(at + (t->n * t->width - 1) / 8);
}

/* Key number `at` is done: the one that comes NH_AHEAD later takes its place in the ring,
 * and its lines are asked for. */
NH_FOLDED void nh_cuckoo_look_ahead(const struct nh_cuckoo_shape *t,
                                    const uint64_t *hashes, size_t n, size_t at,
                                    struct nh_cuckoo_key *ring)
{
    struct nh_cuckoo_key *const key = &ring[at % NH_AHEAD];

    if (n - at <= NH_AHEAD)
        return;
    *key = nh_cuckoo_key_of(t, hashes[at + NH_AHEAD]);
    nh_cuckoo_prefetch(t, key->place[0]);
    nh_cuckoo_prefetch(t, key->place[1]);
}

#endif
