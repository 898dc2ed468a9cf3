/* SPDX-License-Identifier: MIT */
/* Hashes that come one after another, equal ones among them, and are wanted in order and once at the end.
 *
 * Few of them are kept in one array. Many are kept in bins by their highest bits:
 *
 *     bin 0    | 00.. 00.. 00.. 00..         |        each grows by itself
 *     bin 1    | 01.. 01.. 01.. 01.. 01..    |
 *     ...
 *     bin 255  | ff.. ff.. ff..              |
 *
 * To put one there costs next to nothing, and it is most of the sorting: a bin of some ten thousand hashes is sorted in the
 * caches, and sorted bins one behind the other are all hashes in order.
 *
 * Rows with equal values are not to cost memory: a bin that is full drops equal hashes before it grows. Where few are
 * equal it is not tried again before there are sixteen times as many, so that all that sorting adds up to little. */
#ifndef NINHO_INTEGRATIONS_BINS_H
#define NINHO_INTEGRATIONS_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/alloc.h>

#define N_BINS   256
#define BIN_BITS 8

struct bin {
    uint64_t *hashes;
    size_t n;
    size_t room;
    size_t
        next_sort; /* how many there are to be before equal ones are looked for again */
};

/* Zeroed, with an allocator, it is empty. */
struct bins {
    ninho_alloc alloc;
    /* NULL, or called now and then while hashes are sorted. It need not return, where the allocator's memory is freed
     * as a whole. */
    void (*pause)(void);
    /* All of them, as long as there are few. Then those that came last: they go to their bins some hundred at a time,
     * in a loop that does not wait for each of these far apart lines. */
    struct bin few;
    struct bin *many; /* N_BINS, once there are many */
};

/* Makes room for a hash. false: there is no memory, and no hash is lost. */
bool bins_make_room(struct bins *bins);

/* Adds a hash. false: there is no memory. */
static inline bool bins_add(struct bins *bins, uint64_t hash)
{
    if (bins->few.n == bins->few.room && !bins_make_room(bins))
        return false;
    bins->few.hashes[bins->few.n++] = hash;
    return true;
}

/* Sorts all and drops equal ones. More can be added afterwards. false: there is no memory, and no hash is lost. */
bool bins_make_distinct(struct bins *bins);

/* How many hashes there are. */
size_t bins_count(const struct bins *bins);

/* The index-th bin, NULL behind the last. Once they are distinct, it is the order of their hashes. */
const struct bin *bins_at(const struct bins *bins, size_t index);

/* Copies all of them, bin by bin, to memory with room for bins_count() of them, aligned or not. */
void bins_copy(const struct bins *bins, void *out);

/* Frees the hashes; then it is empty. */
void bins_free(struct bins *bins);

#endif
