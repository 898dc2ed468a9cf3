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
 *     block: | 64 remainders of r bits, packed | 64 occupied | 64 continued | 64 shifted |
 *
 * Whoever chooses the keys can give all of them neighbouring quotients, and make one cluster of
 * them. So the table is cut into zones of NH_QUOTIENT_ZONE slots (the last one up to twice as
 * long), and what would take a zone's last empty slot is refused: no cluster is longer than
 * three zones. With keys of nobody's choice n slots in a row are all in use with probability
 * e^(-0.00082 n) at the full load of 96 %, a whole zone with 10^-23. Many copies of one key are
 * many slots, and can fill a zone. A file may hold longer clusters: what would have to look at more
 * than NH_QUOTIENT_MOST blocks is given up. */
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
    NH_QUOTIENT_ZONE = 65536, /* slots */
    NH_QUOTIENT_MOST = 16384, /* blocks */
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

/* Whether it is there; true, too, in a cluster too long to be searched. Like all lookups it
 * ends inside the table, whatever that holds. */
bool nh_quotient_has(const struct nh_quotient_table *t, uint64_t fingerprint);

/* How often it is there; UINT64_MAX in a cluster too long to be searched. */
uint64_t nh_quotient_copies(const struct nh_quotient_table *t, uint64_t fingerprint);

/* Asks for the lines that a lookup looks at first. */
void nh_quotient_prefetch(const struct nh_quotient_table *t, uint64_t fingerprint);

/* Puts a fingerprint into a table; false, with nothing changed, if that would fill a zone. */
bool nh_quotient_insert(const struct nh_live *live, const struct nh_quotient_table *t,
                        uint64_t fingerprint);

/* Takes one copy out. NINHO_ERR_NOT_FOUND if there is none, NINHO_ERR_FULL if its cluster is
 * too long: nothing has changed. */
ninho_status nh_quotient_remove(const struct nh_live *live,
                                const struct nh_quotient_table *t, uint64_t fingerprint);

/* Fills an empty table with fingerprints that come in ascending order. Those at the end may go
 * round it, so that `next` must be at first what `next` - n was at the end of a trial (or 0 if
 * that is less): a layout with is_for_real = false, from 0 on. */
struct nh_quotient_layout {
    uint64_t next; /* slot for the next one at the least; n and more are round the end */
    uint64_t last; /* fingerprint */
    uint64_t n_zones; /* that are known to have an empty slot, from the first on */
    bool has_begun;
    bool is_crowded; /* a zone has none */
};
void nh_quotient_lay(const struct nh_live *live, const struct nh_quotient_table *t,
                     bool is_for_real, struct nh_quotient_layout *layout,
                     uint64_t fingerprint);
/* Nothing more comes: is_crowded is known. */
void nh_quotient_lay_end(const struct nh_quotient_table *t,
                         struct nh_quotient_layout *layout);

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
