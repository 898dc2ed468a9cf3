/* SPDX-License-Identifier: MIT */
/* The first layout of a quotient table, kind 5 in files, which is only read: lookups, walks and
 * verification. What changes such a filter lays it out anew first (quotient.c).
 *
 * Runs lie as in quotient_table.h, but round the end of the whole table, and three bits per slot
 * tell where:
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
 * many runs.
 *
 *     block: | 64 remainders of r bits, packed | 64 occupied | 64 continued | 64 shifted |
 *
 * A file may hold clusters of any length: a search that would have to look at more than
 * NH_FIRST_MOST blocks is given up. */
#ifndef NH_FILTER_QUOTIENT_FIRST_H
#define NH_FILTER_QUOTIENT_FIRST_H

#include <stdbool.h>
#include <stdint.h>

#include <ninho/status.h>

enum {
    NH_FIRST_BLOCK = 64,   /* slots */
    NH_FIRST_BITS = 24,    /* bytes of a block for the three bits of its slots */
    NH_FIRST_MOST = 16384, /* blocks */
};

struct nh_first_table {
    const uint8_t *body;
    uint64_t n; /* slots: a multiple of the block */
    uint64_t n_blocks;
    unsigned r;      /* bits of a remainder */
    unsigned stride; /* bytes of a block */
};

static inline struct nh_first_table nh_first_table_of(const uint8_t *body,
                                                      uint64_t n_slots, unsigned r)
{
    return (struct nh_first_table){body, n_slots, n_slots / NH_FIRST_BLOCK, r,
                                   8 * r + NH_FIRST_BITS};
}

/* Bytes of such a table. */
static inline uint64_t nh_first_table_size(uint64_t n_slots, unsigned r)
{
    return n_slots / NH_FIRST_BLOCK * (NH_FIRST_BITS + 8 * (uint64_t)r);
}

/* Whether it is there; true, too, in a cluster too long to be searched. Like all lookups it
 * ends inside the table, whatever that holds. */
bool nh_first_has(const struct nh_first_table *t, uint64_t fingerprint);

/* How often it is there; UINT64_MAX in a cluster too long to be searched. */
uint64_t nh_first_copies(const struct nh_first_table *t, uint64_t fingerprint);

/* Asks for the lines that a lookup looks at first. */
void nh_first_prefetch(const struct nh_first_table *t, uint64_t fingerprint);

/* Stored fingerprints in ascending order. A cluster round the end pushes some out of their place,
 * so that a walk begins with the tail of the table, if its last fingerprints are smaller than
 * those before. */
struct nh_first_walk {
    uint64_t slot;
    uint64_t quotient;
    uint64_t n_left; /* slots to look at */
    uint64_t last;   /* fingerprint */
    bool in_tail, has_begun;
};

struct nh_first_walk nh_first_walk_from_start(const struct nh_first_table *t);

/* The next one into *fingerprint; false at the end. */
bool nh_first_walk_on(const struct nh_first_table *t, struct nh_first_walk *walk,
                      uint64_t *fingerprint);

/* The first one in or behind slot *cursor, which becomes the slot behind it; false at the
 * end, and *cursor the number of slots. Slower than a walk, and needs no state besides. */
bool nh_first_next(const struct nh_first_table *t, uint64_t *cursor,
                   uint64_t *fingerprint);

/* Whether the table is as inserts left it, and how many fingerprints are in it. */
ninho_status nh_first_verify(const struct nh_first_table *t, uint64_t *n_used,
                             ninho_error *error);

#endif
