/* SPDX-License-Identifier: MIT */
/* A bag of hashes that becomes a set: what `build` keeps when it must find out how many distinct
 * keys there are. Eight bytes for each key read, and no second copy of all to sort them. */
#ifndef CLI_HASHES_H
#define CLI_HASHES_H

#include <stddef.h>
#include <stdint.h>

struct hash_bag {
    uint64_t *hashes;
    size_t n;
    size_t room;
};

/* Appends n hashes. EXIT_YES, or EXIT_ERROR having said that memory does not suffice. */
int hash_bag_append(struct hash_bag *bag, const uint64_t *hashes, size_t n);

void hash_bag_sort(struct hash_bag *bag, unsigned n_threads);

/* Drops all but one of equal ones. The bag must be sorted. */
void hash_bag_drop_copies(struct hash_bag *bag);

void hash_bag_free(struct hash_bag *bag);

#endif
