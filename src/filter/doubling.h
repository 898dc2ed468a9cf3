/* SPDX-License-Identifier: MIT */
/* Tables that double in place, up to a capacity that was given beforehand: what compact and
 * quotient filters share. part->capacity stays the one that the filter was created with, and
 *
 *     stored[0]: bits 8-15 doublings made; the others are the family's own
 *     stored[1]: max_capacity, or the capacity where none was given */
#ifndef NH_FILTER_DOUBLING_H
#define NH_FILTER_DOUBLING_H

#include "filter/ops.h"

/* How often a capacity must double to reach `most`. Both are at most 2^48. */
static inline unsigned nh_doublings(uint64_t capacity, uint64_t most)
{
    unsigned n = 0;

    while (capacity << n < most)
        n++;
    return n;
}

static inline unsigned nh_doublings_made(const struct nh_part *part)
{
    return part->stored[0] >> 8 & 0xff;
}

/* How many keys the table takes after `made` doublings. */
static inline uint64_t nh_doubling_limit(const struct nh_part *part, unsigned made)
{
    const uint64_t limit = part->capacity << made;
    return limit < part->stored[1] ? limit : part->stored[1];
}

/* What stored[1] is to be. */
static inline uint64_t nh_doubling_most(const ninho_spec *spec)
{
    return spec->max_capacity ? spec->max_capacity : spec->capacity;
}

/* A family's `grows`, and its `spec_back` as far as this goes. */
bool nh_doubling_grows(const struct nh_part *part);
void nh_doubling_spec_back(const struct nh_part *part, ninho_spec *spec);

/* A family's `is_crowded`. */
bool nh_doubling_is_crowded(const struct nh_part *part, uint64_t n_more);

/* Whether capacities and doublings from a file are possible. */
bool nh_doubling_fits(const struct nh_part *part);

/* Memory for the table that `part` is to become; `grown` is a copy of it with the new words,
 * n_cells and size. False if there is none. */
bool nh_doubling_begin(const struct nh_live *live, const struct nh_part *part,
                       struct nh_part *grown);

/* The keys were put into it: *part becomes *grown, and the old table is freed. */
void nh_doubling_end(const struct nh_live *live, struct nh_part *part,
                     const struct nh_part *grown);

#endif
