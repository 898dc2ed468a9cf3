/* SPDX-License-Identifier: MIT */
/* The table of a quotient filter: a sorted multiset of fingerprints, kept compactly by
 * linear probing. quotient.c is the family around it.
 *
 * A fingerprint's remainder wants to lie in the slot that its quotient names. Those of one
 * quotient form a *run*, sorted; runs stand in the order of their quotients and push each
 * other to the right, round the end of the table if need be. Slots in use without a gap form a
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
 *     block: | 64 remainders of r bits, packed | 64 occupied | 64 continued | 64 shifted | */
#ifndef NH_FILTER_QUOTIENT_TABLE_H
#define NH_FILTER_QUOTIENT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "filter/ops.h"

enum {
    NH_QUOTIENT_BLOCK = 64, /* slots */
    NH_QUOTIENT_BITS = 24,  /* bytes of a block for the three bits of its slots */
    NH_QUOTIENT_MAX_R =
        57, /* a remainder fits eight bytes, whichever bit it begins with */
};

/* A table. A fingerprint is a number below n 2^r. */
struct nh_quotient_table {
    uint8_t *body;
    uint64_t n; /* slots: a multiple of the block */
    uint64_t n_blocks;
    unsigned r;      /* bits of a remainder */
    unsigned stride; /* bytes of a block */
};

/* The table in these bytes, which stay the caller's. */
static inline struct nh_quotient_table nh_quotient_table_of(uint8_t *body,
                                                            uint64_t n_slots, unsigned r)
{
    return (struct nh_quotient_table){body, n_slots, n_slots / NH_QUOTIENT_BLOCK, r,
                                      8 * r + NH_QUOTIENT_BITS};
}

/* Bytes of such a table. */
static inline uint64_t nh_quotient_table_size(uint64_t n_slots, unsigned r)
{
    return n_slots / NH_QUOTIENT_BLOCK * (NH_QUOTIENT_BITS + 8 * (uint64_t)r);
}

/* Whether it is there. Like all lookups it ends inside the table, whatever that holds. */
bool nh_quotient_has(const struct nh_quotient_table *t, uint64_t fingerprint);

/* How often it is there. */
uint64_t nh_quotient_copies(const struct nh_quotient_table *t, uint64_t fingerprint);

/* Asks for the lines that a lookup looks at first. */
void nh_quotient_prefetch(const struct nh_quotient_table *t, uint64_t fingerprint);

/* Puts a fingerprint into a table with an empty slot to spare; false, with nothing
 * changed, if it has none. */
bool nh_quotient_insert(const struct nh_live *live, const struct nh_quotient_table *t,
                        uint64_t fingerprint);

/* Takes one copy out. False, with nothing changed, if there is none. */
bool nh_quotient_remove(const struct nh_live *live, const struct nh_quotient_table *t,
                        uint64_t fingerprint);

/* Puts every fingerprint in once more. There must be room. */
void nh_quotient_double_copies(const struct nh_live *live,
                               const struct nh_quotient_table *t);

/* Stored fingerprints in order, from the first cluster that begins in the table. */
struct nh_quotient_walk {
    uint64_t slot;
    uint64_t quotient;
    uint64_t n_left; /* slots to look at */
};

struct nh_quotient_walk nh_quotient_walk_from_start(const struct nh_quotient_table *t);

/* The next one into *fingerprint; false at the end. */
bool nh_quotient_walk_on(const struct nh_quotient_table *t, struct nh_quotient_walk *walk,
                         uint64_t *fingerprint);

/* The first one in or behind slot *cursor, which becomes the slot behind it; false at the
 * end, and *cursor the number of slots. Slower than a walk, and needs no state besides. */
bool nh_quotient_next(const struct nh_quotient_table *t, uint64_t *cursor,
                      uint64_t *fingerprint);

/* Whether the table is as inserts leave it, and how many fingerprints are in it. */
ninho_status nh_quotient_verify(const struct nh_quotient_table *t, uint64_t *n_used,
                                ninho_error *error);

#endif
