/* SPDX-License-Identifier: MIT */
#include "bins.h"

#include <string.h>

#include <ninho/hash.h>

#define FIRST_ROOM 512               /* hashes: one page */
#define MOST_FEW   ((size_t)1 << 16) /* in one array: they fit the caches */
#define SORT_AGAIN 16                /* times as many */

/* Sorts a bin and drops equal hashes. */
static void make_distinct(struct bin *bin)
{
    bin->n = ninho_hash_sort_unique(bin->hashes, bin->n);
}

static void take_a_pause(const struct bins *bins)
{
    if (bins->pause)
        bins->pause();
}

/* ---- Growing ------------------------------------------------------------------------- */

static void free_bin(const struct bins *bins, struct bin *bin)
{
    if (bin->room)
        bins->alloc.free(bins->alloc.context, bin->hashes,
                         bin->room * sizeof *bin->hashes);
    *bin = (struct bin){0};
}

static bool grow_bin(const struct bins *bins, struct bin *bin, size_t room)
{
    if (room > SIZE_MAX / 2 / sizeof *bin->hashes)
        return false;
    uint64_t *hashes = bins->alloc.alloc(bins->alloc.context, room * sizeof *hashes);
    if (!hashes)
        return false;
    const struct bin grown = {
        .hashes = hashes, .n = bin->n, .room = room, .next_sort = bin->next_sort};
    if (bin->n)
        memcpy(hashes, bin->hashes, bin->n * sizeof *hashes);
    free_bin(bins, bin);
    *bin = grown;
    return true;
}

/* Makes room in one of many bins. */
static bool make_room_in(const struct bins *bins, struct bin *bin)
{
    if (bin->n < bin->room)
        return true;
    if (bin->n >= bin->next_sort) {
        take_a_pause(bins);
        make_distinct(bin);
        if (bin->n <= bin->room / 2)
            return true;
        bin->next_sort = SORT_AGAIN * bin->n;
    }
    return grow_bin(bins, bin, bin->room ? 2 * bin->room : FIRST_ROOM);
}

/* Puts all that wait into their bins. */
static bool put_away(struct bins *bins)
{
    struct bin *const few = &bins->few;

    for (; few->n > 0; few->n--) {
        const uint64_t hash = few->hashes[few->n - 1];
        struct bin *bin = &bins->many[hash >> (64 - BIN_BITS)];
        if (bin->n == bin->room && !make_room_in(bins, bin))
            return false;
        bin->hashes[bin->n++] = hash;
    }
    return true;
}

/* From one array to many bins. What is left of it is room for those that wait. */
static bool spread(struct bins *bins)
{
    bins->many = bins->alloc.alloc(bins->alloc.context, N_BINS * sizeof *bins->many);
    if (!bins->many)
        return false;
    memset(bins->many, 0, N_BINS * sizeof *bins->many);
    for (size_t i = 0; i < N_BINS; i++)
        bins->many[i].next_sort = SORT_AGAIN * MOST_FEW / N_BINS;
    if (!put_away(bins))
        return false;
    free_bin(bins, &bins->few);
    return grow_bin(bins, &bins->few, FIRST_ROOM);
}

bool bins_make_room(struct bins *bins)
{
    struct bin *const few = &bins->few;

    if (bins->many)
        return few->room ? put_away(bins) : grow_bin(bins, few, FIRST_ROOM);
    if (few->n >= MOST_FEW) {
        take_a_pause(bins);
        make_distinct(few);
        return few->n <= few->room / 2 || spread(bins);
    }
    return grow_bin(bins, few, few->room ? 2 * few->room : FIRST_ROOM);
}

/* ---- All of them --------------------------------------------------------------------- */

bool bins_make_distinct(struct bins *bins)
{
    if (!bins->many) {
        make_distinct(&bins->few);
        return true;
    }
    if (!put_away(bins))
        return false;
    for (size_t i = 0; i < N_BINS; i++) {
        make_distinct(&bins->many[i]);
        take_a_pause(bins);
    }
    return true;
}

const struct bin *bins_at(const struct bins *bins, size_t index)
{
    const size_t n_bins = bins->many ? N_BINS : 0;

    if (index > n_bins)
        return NULL;
    return index < n_bins ? &bins->many[index] : &bins->few;
}

size_t bins_count(const struct bins *bins)
{
    const struct bin *bin;
    size_t n = 0;

    for (size_t i = 0; (bin = bins_at(bins, i)) != NULL; i++)
        n += bin->n;
    return n;
}

void bins_copy(const struct bins *bins, void *out)
{
    const struct bin *bin;
    char *at = out;

    for (size_t i = 0; (bin = bins_at(bins, i)) != NULL; i++) {
        const size_t size = bin->n * sizeof *bin->hashes;
        if (size)
            memcpy(at, bin->hashes, size);
        at += size;
    }
}

void bins_free(struct bins *bins)
{
    free_bin(bins, &bins->few);
    if (!bins->many)
        return;
    for (size_t i = 0; i < N_BINS; i++)
        free_bin(bins, &bins->many[i]);
    bins->alloc.free(bins->alloc.context, bins->many, N_BINS * sizeof *bins->many);
    bins->many = NULL;
}
