/* SPDX-License-Identifier: MIT */
/* Chaining and linear probing as textbooks draw them: 64-bit keys, a fixed number of places, nothing
 * clever. The library's tables grow before they are crowded; these let themselves be filled to any load,
 * and count the keys they compare, so that theory can be held against them.
 *
 *     chaining         lists: | . | 2 | . | 0 |    nodes: 0: | k | next |  1: | k | next | ...
 *     linear probing   slots: | k | k | . | k | k | k | . | .      0 is a free slot: no key is 0
 */
#ifndef STUDY_09_TEXTBOOK_H
#define STUDY_09_TEXTBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct textbook;

enum textbook_kind { TEXTBOOK_CHAINING, TEXTBOOK_PROBING };

/* n_places lists or slots, room for max_keys keys. With `equal_hashes` every key has the same hash, the
 * worst there is. Fails with the program. */
struct textbook *textbook_create(enum textbook_kind kind, size_t n_places,
                                 size_t max_keys, bool equal_hashes);
void textbook_free(struct textbook *table);

/* A key that is not there yet, and is not 0. */
void textbook_put(struct textbook *table, uint64_t key);
bool textbook_has(const struct textbook *table, uint64_t key);
/* Whether it was there. Linear probing closes the gap, as Knuth's algorithm R does. */
bool textbook_remove(struct textbook *table, uint64_t key);

/* As textbook_has(), and adds to *n_looked the places looked at: keys compared in a list; slots, with the
 * free one that ends the search. */
bool textbook_has_counted(const struct textbook *table, uint64_t key, uint64_t *n_looked);

#endif
