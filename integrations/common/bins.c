/* SPDX-License-Identifier: MIT */
#include "bins.h"

#include <string.h>

#define FIRST_ROOM 512               /* hashes: one page */
#define MOST_FEW   ((size_t)1 << 16) /* in one array: they fit the caches */
#define SORT_AGAIN 16                /* times as many */

/* ---- Sorting ------------------------------------------------------------------------- */

#define BY_INSERTION 32 /* so many are sorted faster by insertion */
#define DIGIT_BITS   8  /* of a digit to sort by in place */
#define WIDE_BITS    12 /* of one to sort by with memory to spare */

static void insertion_sort(uint64_t *hashes, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t hash = hashes[i];
        size_t at = i;
        for (; at > 0 && hashes[at - 1] > hash; at--)
            hashes[at] = hashes[at - 1];
        hashes[at] = hash;
    }
}

static size_t digit_of(uint64_t hash, unsigned shift, unsigned bits)
{
    return (size_t)(hash >> shift) & (((size_t)1 << bits) - 1);
}

/* Sorts by the lowest `left` bits, the others being equal: by a digit, in place, and what has one digit by the rest. At
 * most 13 calls deep. A comparing sort would take longer than the rest of an aggregate. */
static void sort_in_place(uint64_t *hashes, size_t n, unsigned left)
{
    size_t ends[1 << DIGIT_BITS], next[1 << DIGIT_BITS];
    size_t at = 0;

    if (n <= BY_INSERTION) {
        insertion_sort(hashes, n);
        return;
    }
    const unsigned wanted = n >= 512 ? DIGIT_BITS : 5;
    unsigned bits, shift;
    do { /* equal hashes, of equal rows, are not to go deeper for each digit that they share */
        bits = wanted < left ? wanted : left;
        shift = left - bits;
        memset(ends, 0, sizeof *ends << bits);
        for (size_t i = 0; i < n; i++)
            ends[digit_of(hashes[i], shift, bits)]++;
        left = shift;
    } while (left && ends[digit_of(hashes[0], shift, bits)] == n);
    const size_t n_digits = (size_t)1 << bits;
    for (size_t d = 0; d < n_digits; d++) {
        next[d] = at;
        at += ends[d];
        ends[d] = at;
    }
    /* Each swap brings one hash to its digit's next free place, one digit after the other and as often as it takes: to
     * follow one hash until its own place is filled would let each swap wait for the one before. */
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (size_t d = 0; d < n_digits; d++) {
            for (size_t i = next[d]; i < ends[d]; i++) {
                const uint64_t hash = hashes[i];
                const size_t to = next[digit_of(hash, shift, bits)]++;
                hashes[i] = hashes[to];
                hashes[to] = hash;
            }
            is_done = is_done && next[d] == ends[d];
        }
    }
    at = 0;
    for (size_t d = 0; left && d < n_digits; at = ends[d++])
        if (ends[d] - at > 1)
            sort_in_place(hashes + at, ends[d] - at, left);
}

/* Appends sorted hashes to sorted ones, equal ones once. */
static size_t append_distinct(uint64_t *out, size_t n_out, const uint64_t *hashes,
                              size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (n_out == 0 || hashes[i] != out[n_out - 1])
            out[n_out++] = hashes[i];
    return n_out;
}

/* Sorts a bin, whose hashes differ in the lowest `left` bits, and drops equal ones. */
static void make_distinct(struct bin *bin, unsigned left)
{
    sort_in_place(bin->hashes, bin->n, left);
    bin->n = append_distinct(bin->hashes, 0, bin->hashes, bin->n);
}

/* The same of one of many bins, with memory to spare for all of its hashes: by a digit so wide that next to nothing is
 * left to do, there and back. */
static void make_distinct_through(struct bin *bin, uint64_t *spare)
{
    const unsigned left = 64 - BIN_BITS - WIDE_BITS;
    size_t ends[1 << WIDE_BITS] = {0};
    size_t at = 0, n_kept = 0;

    for (size_t i = 0; i < bin->n; i++)
        ends[digit_of(bin->hashes[i], left, WIDE_BITS)]++;
    for (size_t d = 0; d < (size_t)1 << WIDE_BITS; d++) {
        const size_t count = ends[d];
        ends[d] = at;
        at += count;
    }
    for (size_t i = 0; i < bin->n; i++)
        spare[ends[digit_of(bin->hashes[i], left, WIDE_BITS)]++] = bin->hashes[i];
    at = 0;
    for (size_t d = 0; d < (size_t)1 << WIDE_BITS; at = ends[d++]) {
        sort_in_place(spare + at, ends[d] - at, left);
        n_kept = append_distinct(bin->hashes, n_kept, spare + at, ends[d] - at);
    }
    bin->n = n_kept;
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
        make_distinct(bin, 64 - BIN_BITS);
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
        make_distinct(few, 64);
        return few->n <= few->room / 2 || spread(bins);
    }
    return grow_bin(bins, few, few->room ? 2 * few->room : FIRST_ROOM);
}

/* ---- All of them --------------------------------------------------------------------- */

bool bins_make_distinct(struct bins *bins)
{
    size_t most = 0;

    if (!bins->many) {
        make_distinct(&bins->few, 64);
        return true;
    }
    if (!put_away(bins))
        return false;
    for (size_t i = 0; i < N_BINS; i++)
        most = bins->many[i].n > most ? bins->many[i].n : most;
    uint64_t *spare = bins->alloc.alloc(bins->alloc.context, most * sizeof *spare);
    for (size_t i = 0; i < N_BINS; i++) {
        if (spare)
            make_distinct_through(&bins->many[i], spare);
        else
            make_distinct(&bins->many[i], 64 - BIN_BITS);
        take_a_pause(bins);
    }
    if (spare)
        bins->alloc.free(bins->alloc.context, spare, most * sizeof *spare);
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
