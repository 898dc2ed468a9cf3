/* SPDX-License-Identifier: MIT */
/* The table of a compact filter: a sorted multiset of signatures, kept by linear probing.
 * compact.c is the family around it.
 *
 *     slot: | copies: 4 bits | signature: l bits |         packed, m slots
 *
 * A signature's home is slot h(signature) = signature * m / 2^l. Collisions go to the next
 * slot, round the end of the table if need be. Entries stand in the order of their
 * signatures, which is that of their homes, since h keeps order: a search ends at the first
 * entry that would come after, and a removal moves what follows back by one, so that no
 * tombstone is left. The layout does not depend on the order of adds and removals.
 *
 * Keys with equal signatures are copies of each other: an entry counts 1 to 15 of them,
 * and further ones take further entries directly behind:
 *
 *     31 copies of s:  | 15 x s | 15 x s | 1 x s |
 *
 * so that no copy is ever lost: a removal takes one from the last. A count of 0 is an
 * empty slot.
 *
 * Whoever chooses the keys can give all of them neighbouring homes, and make one cluster of
 * them. Searches in it go by halves; but what is put in or taken out moves what follows. So
 * the table is cut into zones of NH_COMPACT_ZONE slots (the last one up to twice as long), and
 * an add that would take a zone's last empty slot is refused. With keys of nobody's choice
 * n slots in a row are all in use with probability e^(-0.0085 n) at the full load of 7/8, a
 * whole zone with 10^-30. Copies are another matter: many of one key may well fill a zone. Moving
 * and passing over them takes no more steps than one entry does, so that a zone may be filled
 * if no more than NH_COMPACT_ZONE signatures stand in the cluster. Either way a change looks at
 * some 5 zones of signatures at most. A file may hold what no add made: there it is given up
 * after NH_COMPACT_MOST. */
#ifndef NH_FILTER_COMPACT_TABLE_H
#define NH_FILTER_COMPACT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "filter/ops.h"

enum {
    NH_COMPACT_COUNT_BITS = 4,
    NH_COMPACT_MAX_L = 60,
    /* bytes behind the table, so that a slot can be read as a word and a byte */
    NH_COMPACT_SPARE = 8,
    NH_COMPACT_ZONE = 8192,
    NH_COMPACT_MOST = 16 * NH_COMPACT_ZONE, /* signatures that one change moves */
};

struct nh_compact_table {
    uint8_t *body;
    uint64_t m; /* slots */
    unsigned l; /* bits of a signature */
};

struct nh_compact_entry {
    uint64_t signature;
    unsigned count; /* 0: empty */
};

/* Bytes of such a table. */
static inline uint64_t nh_compact_table_size(uint64_t m, unsigned l)
{
    return (m * (l + NH_COMPACT_COUNT_BITS) + 7) / 8 + NH_COMPACT_SPARE;
}

/* The slot that a signature wants. */
static inline uint64_t nh_compact_home(const struct nh_compact_table *t,
                                       uint64_t signature)
{
    return nh_reduce(signature << (64 - t->l), t->m);
}

/* The first slot, from its home on, that holds the signature or comes after it; *there is
 * what it holds. Some log2(m) steps, whatever the table holds. */
uint64_t nh_compact_find(const struct nh_compact_table *t, uint64_t signature,
                         struct nh_compact_entry *there);

/* How many copies there are. */
uint64_t nh_compact_copies(const struct nh_compact_table *t, uint64_t signature);

/* Asks for the line that a search looks at first. */
static inline void nh_compact_prefetch(const struct nh_compact_table *t,
                                       uint64_t signature)
{
    nh_prefetch(t->body +
                nh_compact_home(t, signature) * (t->l + NH_COMPACT_COUNT_BITS) / 8);
}

/* One copy more. False, with nothing changed, if that would fill a zone. */
bool nh_compact_add(const struct nh_live *live, const struct nh_compact_table *t,
                    uint64_t signature);

/* One copy less. NINHO_ERR_NOT_FOUND if there is none, NINHO_ERR_FULL if too much would have to
 * move: nothing has changed. */
ninho_status nh_compact_remove(const struct nh_live *live,
                               const struct nh_compact_table *t, uint64_t signature);

/* Puts all entries of `old` into an empty table with room for them. */
void nh_compact_copy(const struct nh_live *live, const struct nh_compact_table *old,
                     const struct nh_compact_table *t);

struct nh_compact_totals {
    uint64_t n_used;     /* slots */
    uint64_t n_copies;   /* copies in them */
    uint64_t n_distinct; /* signatures */
};

struct nh_compact_totals nh_compact_total(const struct nh_compact_table *t);

/* Whether the table is as adds and removals leave it, and how many copies are in it. */
ninho_status nh_compact_verify(const struct nh_compact_table *t, uint64_t *n_copies,
                               ninho_error *error);

#endif
