/* SPDX-License-Identifier: MIT */
/* The twin of long tests: a multiset of 64-bit keys that is simple enough to be right. Distinct keys
 * lie in one array, in no order; an open-addressing index of twice their number finds them.
 *
 *     index    | 0 | 3 | 1 | 0 | 2 | 0 | ...     0: free; else 1 + the place in entries
 *     entries  | key, copies | key, copies | key, copies |
 */
#ifndef NINHO_TEST_MULTISET_H
#define NINHO_TEST_MULTISET_H

#include <stddef.h>
#include <stdint.h>

struct multiset_entry {
    uint64_t key;
    uint64_t copies; /* at least 1 */
};

struct multiset {
    struct multiset_entry *entries;
    uint32_t *index;
    size_t n_distinct;
    size_t n_slots;  /* of the index: a power of two */
    uint64_t n_keys; /* copies counted */
};

/* An empty one; to be freed. These fail the test when memory runs out. */
void multiset_init(struct multiset *set);
void multiset_free(struct multiset *set);
void multiset_copy(struct multiset *set, const struct multiset *source);
void multiset_clear(struct multiset *set);

/* How many copies there are. */
uint64_t multiset_copies(const struct multiset *set, uint64_t key);

/* One copy more. Answers how many there are then. */
uint64_t multiset_add(struct multiset *set, uint64_t key);

/* One copy less; there must be one. Answers how many are left. */
uint64_t multiset_take(struct multiset *set, uint64_t key);

#endif
