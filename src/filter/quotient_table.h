/* SPDX-License-Identifier: MIT */
/* The table of a quotient filter: a sorted multiset of fingerprints, kept compactly by
 * linear probing. quotient.c is the family around it.
 *
 * A fingerprint's remainder wants to lie in the slot that its quotient names. Those of one
 * quotient form a *run*, sorted; runs stand in the order of their quotients and push each
 * other to the right. Slots in use without a gap form a *cluster*. Two bits per slot tell
 * where things are (Pandey, Bender, Johnson and Patro, 2017):
 *
 *     occupied    some remainder has this slot's number as its quotient (it may lie further right)
 *     end         what lies here is the last of its run
 *
 *     slot          0     1     2     3     4     5     6     7
 *     occupied      0     1     0     1     1     0     0     0
 *     end           0     0     1     0     1     1     0     0     runs of 1: a b, of 3: c d, of 4: e
 *     remainder     -     a     b     c     d     e     -     -
 *
 * The k-th quotient that is occupied has the k-th end. So that nobody counts from the start
 * of the table, each block of 64 slots has its *offset*: how many slots, from its first one
 * on, are taken by quotients of blocks before it. The ends of its own runs follow those:
 *
 *     block: | 64 occupied | 64 end | offset: 16 bits | 64 remainders of r bits, packed |
 *
 * The table is cut into *zones* of 1024 blocks (the last one up to twice as long; a small table
 * is one zone). What a zone has no room for goes round its end to its start, never into the next
 * one, and each zone keeps one slot empty. So nothing is searched or moved over more than a zone,
 * whoever has chosen the keys, and an offset fits its 16 bits; the last zone, which could come to
 * more, refuses what would not fit. With keys of nobody's choice n slots in a row are all in
 * use with probability e^(-0.00082 n) at the full load of 96 %, a whole zone with 10^-23. Many
 * copies of one key are many slots, and can fill a zone. Behind the blocks, 8 bytes for each zone
 * tell how many of its slots are in use. */
#ifndef NH_FILTER_QUOTIENT_TABLE_H
#define NH_FILTER_QUOTIENT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/steps.h"
#include "filter/ops.h"

enum {
    NH_QUOTIENT_BLOCK = 64,  /* slots */
    NH_QUOTIENT_ENDS = 8,    /* where in a block the ends are, */
    NH_QUOTIENT_OFFSET = 16, /* the offset, */
    NH_QUOTIENT_HEAD = 18,   /* and the remainders */
    NH_QUOTIENT_MAX_R =
        57, /* a remainder fits eight bytes, whichever bit it begins with */
    NH_QUOTIENT_ZONE_BLOCKS = 1024,
    NH_QUOTIENT_ZONE = 65536,       /* slots */
    NH_QUOTIENT_MAX_OFFSET = 65535, /* slots */
};

/* ---- Geometry ---------------------------------------------------------------------- */

static inline uint64_t nh_quotient_n_zones(uint64_t n_blocks)
{
    return n_blocks < NH_QUOTIENT_ZONE_BLOCKS ? 1 : n_blocks / NH_QUOTIENT_ZONE_BLOCKS;
}

/* Bytes of such a table. */
static inline uint64_t nh_quotient_table_size(uint64_t n_slots, unsigned r)
{
    const uint64_t n_blocks = n_slots / NH_QUOTIENT_BLOCK;
    return n_blocks * (NH_QUOTIENT_HEAD + 8 * (uint64_t)r) +
           8 * nh_quotient_n_zones(n_blocks);
}

/* The table in these bytes, which stay the caller's. */
static inline struct nh_quotient_table nh_quotient_table_of(uint8_t *body,
                                                            uint64_t n_slots, unsigned r)
{
    struct nh_quotient_table t = {body,
                                  n_slots << r,
                                  n_slots / NH_QUOTIENT_BLOCK,
                                  0,
                                  0,
                                  r,
                                  8 * r + NH_QUOTIENT_HEAD};

    for (unsigned bit = 0; bit + r <= NH_QUOTIENT_MAX_R; bit += r)
        t.ones |= UINT64_C(1) << bit;
    t.tops = t.ones << (r - 1);
    return t;
}

/* A zone: its blocks are a ring. */
struct nh_quotient_zone {
    uint64_t number;
    uint64_t first; /* its first block in the table */
    uint64_t n;     /* blocks */
};

static inline struct nh_quotient_zone nh_quotient_zone_at(
    const struct nh_quotient_table *t, uint64_t number)
{
    const uint64_t first = number * NH_QUOTIENT_ZONE_BLOCKS;
    const bool is_last = number + 1 == nh_quotient_n_zones(t->n_blocks);

    return (struct nh_quotient_zone){
        number, first, is_last ? t->n_blocks - first : NH_QUOTIENT_ZONE_BLOCKS};
}

/* Where it is told how many of its slots are in use. */
static inline uint8_t *nh_quotient_count(const struct nh_quotient_table *t,
                                         const struct nh_quotient_zone *z)
{
    return t->body + t->n_blocks * t->stride + 8 * z->number;
}

/* The zone of a block. */
static inline uint64_t nh_quotient_zone_of(const struct nh_quotient_table *t,
                                           uint64_t block)
{
    const uint64_t zone = block / NH_QUOTIENT_ZONE_BLOCKS;
    const uint64_t last = nh_quotient_n_zones(t->n_blocks) - 1;
    return zone < last ? zone : last;
}

/* ---- Blocks ------------------------------------------------------------------------ */

/* Block `b` of a zone's ring, b less than twice the number of its blocks. */
static inline uint8_t *nh_quotient_block(const struct nh_quotient_table *t,
                                         const struct nh_quotient_zone *z, uint64_t b)
{
    return t->body + (z->first + (b < z->n ? b : b - z->n)) * t->stride;
}

static inline uint64_t nh_quotient_occupied(const uint8_t *block)
{
    return nh_load_le64(block);
}

static inline uint64_t nh_quotient_ends(const uint8_t *block)
{
    return nh_load_le64(block + NH_QUOTIENT_ENDS);
}

static inline unsigned nh_quotient_offset(const uint8_t *block)
{
    return block[NH_QUOTIENT_OFFSET] | (unsigned)block[NH_QUOTIENT_OFFSET + 1] << 8;
}

static inline void nh_quotient_put_offset(uint8_t *block, uint64_t offset)
{
    nh_store_le16(block + NH_QUOTIENT_OFFSET, (uint16_t)offset);
}

static inline void nh_quotient_put_bit(uint8_t *word, unsigned slot, bool value)
{
    const uint64_t bit = UINT64_C(1) << slot, was = nh_load_le64(word);
    nh_store_le64(word, value ? was | bit : was & ~bit);
}

/* Eight bytes from where a remainder begins go past the block by less than eight, and behind the
 * last block are the counts. */
static inline uint64_t nh_quotient_remainder(const struct nh_quotient_table *t,
                                             const uint8_t *block, unsigned slot)
{
    const unsigned bit = slot * t->r;
    return nh_load_le64(block + NH_QUOTIENT_HEAD + bit / 8) >> (bit % 8) &
           nh_low_mask(t->r);
}

static inline void nh_quotient_put_remainder(const struct nh_quotient_table *t,
                                             uint8_t *block, unsigned slot,
                                             uint64_t remainder)
{
    const unsigned bit = slot * t->r;
    uint8_t *const at = block + NH_QUOTIENT_HEAD + bit / 8;
    const uint64_t mask = nh_low_mask(t->r) << (bit % 8);
    nh_store_le64(at, (nh_load_le64(at) & ~mask) | remainder << (bit % 8));
}

/* ---- What is done with a table ------------------------------------------------------- */

/* One set of functions per instruction set; the scalar one is the oracle. Lookups end inside the
 * table, whatever that holds. Those that change one want it sound. */
struct nh_quotient_kernel {
    /* Of a part whose table is cached. True, too, where the table is damaged. */
    bool (*has)(const struct nh_part *part, uint64_t hash);
    /* ORs the answers into maybe[]. */
    void (*has_many)(const struct nh_part *part, const uint64_t *hashes, size_t n,
                     uint64_t *maybe);
    /* How often it is there; UINT64_MAX where the table is damaged. */
    uint64_t (*copies)(const struct nh_quotient_table *t, uint64_t fingerprint);
    /* Puts a fingerprint into a table; false, with nothing changed, if its zone has no room. */
    bool (*insert)(const struct nh_live *live, const struct nh_quotient_table *t,
                   uint64_t fingerprint);
    /* Takes one copy out. NINHO_ERR_NOT_FOUND if there is none. */
    ninho_status (*remove)(const struct nh_live *live, const struct nh_quotient_table *t,
                           uint64_t fingerprint);
};

extern const struct nh_quotient_kernel nh_quotient_scalar;
extern const struct nh_quotient_kernel
    nh_quotient_bmi2; /* x86-64, where NH_CPU_AVX2 is */

/* The best for this machine. */
const struct nh_quotient_kernel *nh_quotient_select(void);

/* Asks for the lines that a lookup looks at. */
static inline void nh_quotient_prefetch(const struct nh_quotient_table *t,
                                        uint64_t fingerprint)
{
    const uint8_t *const block =
        t->body + (fingerprint >> t->r) / NH_QUOTIENT_BLOCK * t->stride;

    nh_prefetch(block);
    nh_prefetch(block + NH_QUOTIENT_BLOCK);
    nh_prefetch(block + t->stride + NH_QUOTIENT_HEAD - 1);
}

/* ---- quotient_whole.c ---------------------------------------------------------------- */

/* Fills the zones of an empty table, one after another, with fingerprints that come in ascending
 * order. Those at the end of a zone may go round it, so that `next` must be at first what `next` was
 * at the end of a trial (is_for_real = false, from 0 on) less the zone's slots, or 0 if that is less:
 * nh_quotient_lay_end() returns it. */
struct nh_quotient_layout {
    uint64_t next;  /* slot of the zone for the next one at the least */
    uint64_t count; /* fingerprints so far */
    uint64_t last;  /* fingerprint */
    uint64_t block; /* of the zone: those up to here have their offsets */
    bool is_for_real;
    bool is_crowded; /* there is no room for all of them */
};
struct nh_quotient_layout nh_quotient_lay_begin(const struct nh_quotient_table *t,
                                                uint64_t zone, uint64_t next,
                                                bool is_for_real);
void nh_quotient_lay(const struct nh_live *live, const struct nh_quotient_table *t,
                     uint64_t zone, struct nh_quotient_layout *layout,
                     uint64_t fingerprint);
/* No more come for this zone. */
uint64_t nh_quotient_lay_end(const struct nh_quotient_table *t, uint64_t zone,
                             struct nh_quotient_layout *layout);

/* Stored fingerprints in ascending order. */
struct nh_quotient_walk {
    uint64_t zone, block; /* the block is the zone's */
    uint64_t occupied;    /* quotients of the block that are still to come */
    uint64_t quotient;
    uint64_t slot; /* of the zone; what is round its end counts on */
    uint64_t end;  /* where the zone has gone round */
    bool in_run;
};

struct nh_quotient_walk nh_quotient_walk_from_start(const struct nh_quotient_table *t);

/* The next one into *fingerprint; false at the end. */
bool nh_quotient_walk_on(const struct nh_quotient_table *t, struct nh_quotient_walk *walk,
                         uint64_t *fingerprint);

/* The next one from *cursor on, which is 0 at first; false at the end. Slower than a walk, and
 * needs no state besides. */
bool nh_quotient_next(const struct nh_quotient_table *t, uint64_t *cursor,
                      uint64_t *fingerprint);

/* Whether the table is as inserts leave it, and how many fingerprints are in it. */
ninho_status nh_quotient_verify(const struct nh_quotient_table *t, uint64_t *n_used,
                                ninho_error *error);

#endif
