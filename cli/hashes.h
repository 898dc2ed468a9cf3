/* SPDX-License-Identifier: MIT */
/* A bag of hashes that becomes a set: what is kept to find out how many distinct keys there are. Eight
 * bytes for each, and no second copy of all to sort them. Copies are dropped on the way, when there
 * are many hashes or memory runs short. */
#ifndef CLI_HASHES_H
#define CLI_HASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_bag {
    const char *what; /* its hashes, for messages */
    unsigned n_threads;
    bool has_distinct; /* equal ones are of different keys, and stay */
    uint64_t *hashes;
    size_t n;
    size_t room;
    size_t n_kept; /* how many were left when copies were dropped last */
};

/* Appends n hashes. EXIT_YES, or EXIT_ERROR having said that memory does not suffice. */
int hash_bag_append(struct hash_bag *bag, const uint64_t *hashes, size_t n);

/* Sorts, and drops all but one of equal ones (unless has_distinct). */
void hash_bag_finish(struct hash_bag *bag);

void hash_bag_free(struct hash_bag *bag);

#endif
