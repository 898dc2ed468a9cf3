/* SPDX-License-Identifier: MIT */
/* The cuckoo filter's choices in all combinations that its tests want, and its table as
 * docs/format.md lays it out. */
#ifndef NINHO_TEST_CUCKOOS_H
#define NINHO_TEST_CUCKOOS_H

#include "unit/inside.h"

struct cuckoo {
    const char *name;
    ninho_spec spec; /* all but capacity and fpr */
};

extern const struct cuckoo cuckoos[];
extern const size_t n_cuckoos;

#define FOR_EACH_CUCKOO(cuckoo) \
    for (const struct cuckoo *cuckoo = cuckoos; cuckoo < cuckoos + n_cuckoos; cuckoo++)

/* The first two of the list. */
#define DEFAULT_CUCKOO  (&cuckoos[0])
#define ORIGINAL_CUCKOO (&cuckoos[1])

/* For hashes of the test's own. */
ninho_spec cuckoo_spec(const struct cuckoo *cuckoo, uint64_t capacity, double fpr);

/* One of these, empty. */
ninho_filter *cuckoo_filter(const struct cuckoo *cuckoo, uint64_t capacity, double fpr);

/* What a filter's table is like. */
struct shape {
    uint64_t n_slots, n_places, n_tags;
    unsigned width, n, n_marks;
    bool is_windows, is_offset, is_walk;
    uint32_t limit;
};
struct shape shape_of(const ninho_filter *filter);

/* The identity of a hash in such a table: two keys are alike if these two numbers are equal. */
struct identity {
    uint64_t place; /* under xor, the smaller of the two */
    uint64_t tag;
};
struct identity identity_of(const struct shape *shape, uint64_t hash);

/* The tag in each slot as events tell it: tag + 1, and 0 for an empty slot. The caller's to
 * free(). */
uint64_t *tags_of(const ninho_filter *filter);

/* Adds mix64(first), mix64(first + 1), ... until one is FULL; how many went in. */
uint64_t fill_until_full(ninho_filter *filter, uint64_t first);

/* Fails unless mix64(first) ... are all found. */
void check_hashes(const ninho_filter *filter, uint64_t first, uint64_t n);

ninho_stats stats_of(const ninho_filter *filter);

#endif
