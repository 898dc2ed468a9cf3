/* SPDX-License-Identifier: MIT */
#include "hashes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "memory.h"
#include "threads.h"

#define FIRST_ROOM ((size_t)1 << 16)
/* Below this many, insertion is faster than counting 256 digits. */
#define FEW        48
#define DIGIT_BITS 8
#define DIGITS     ((size_t)1 << DIGIT_BITS)

int hash_bag_append(struct hash_bag *bag, const uint64_t *hashes, size_t n)
{
    if (n > bag->room - bag->n) {
        size_t room = bag->room ? bag->room : FIRST_ROOM;
        while (room - bag->n < n) {
            if (room > SIZE_MAX / 2 / sizeof *bag->hashes)
                return fail_no_memory();
            room *= 2;
        }
        /* In the worst case old and new exist together while the system moves one. */
        const int status =
            memory_check("the hashes of all keys (--capacity N does without)",
                         (uint64_t)(room - bag->room) * sizeof *bag->hashes);
        if (status)
            return status;
        uint64_t *moved = realloc(bag->hashes, room * sizeof *moved);
        if (!moved)
            return fail_no_memory();
        bag->hashes = moved;
        bag->room = room;
    }
    if (n)
        memcpy(bag->hashes + bag->n, hashes, n * sizeof *hashes);
    bag->n += n;
    return EXIT_YES;
}

static void insertion_sort(uint64_t *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t value = a[i];
        size_t at = i;
        for (; at > 0 && a[at - 1] > value; at--)
            a[at] = a[at - 1];
        a[at] = value;
    }
}

/* The digit of `bits` bits below the highest ones, which are equal; `left` bits are not. */
static size_t digit_of(uint64_t value, unsigned left, unsigned bits)
{
    return (size_t)(value >> (left - bits)) & (((size_t)1 << bits) - 1);
}

/* Sorts by one digit, in place. Every value is swapped to the next free place of its digit's
 * stretch, stretch by stretch, as often as it takes for all to be at home: twice as fast as
 * following one value after the other ("American flag"), since no swap waits for the last one.
 * ends[d] is where digit d's stretch ends. */
static void partition(uint64_t *a, size_t n, unsigned left, unsigned bits,
                      size_t ends[DIGITS])
{
    const size_t n_digits = (size_t)1 << bits;
    size_t starts[DIGITS];
    size_t at = 0;
    bool is_done = false;

    memset(ends, 0, n_digits * sizeof *ends);
    for (size_t i = 0; i < n; i++)
        ends[digit_of(a[i], left, bits)]++;
    for (size_t d = 0; d < n_digits; d++) {
        starts[d] = at;
        at += ends[d];
        ends[d] = at;
    }
    while (!is_done) {
        is_done = true;
        for (size_t d = 0; d < n_digits; d++) {
            for (size_t i = starts[d]; i < ends[d]; i++) {
                const uint64_t value = a[i];
                const size_t to = starts[digit_of(value, left, bits)]++;
                a[i] = a[to];
                a[to] = value;
            }
            is_done &= starts[d] == ends[d];
        }
    }
}

/* Room to sort thousands there and back by a digit so wide that next to nothing is left to do. */
#define WIDE_BITS 12
#define WIDE      ((size_t)1 << WIDE_BITS)
struct room {
    uint32_t ends[WIDE];
    uint64_t hashes[8 * WIDE];
};

static void radix_sort(uint64_t *a, size_t n, unsigned left, struct room *room);

/* Sorts n values, at most as many as there is room for, by the lowest `left` bits. */
static void spread_sort(uint64_t *a, size_t n, unsigned left, struct room *room)
{
    uint32_t at = 0;

    memset(room->ends, 0, sizeof room->ends);
    for (size_t i = 0; i < n; i++)
        room->ends[digit_of(a[i], left, WIDE_BITS)]++;
    for (size_t d = 0; d < WIDE; d++) {
        const uint32_t count = room->ends[d];
        room->ends[d] = at;
        at += count;
    }
    for (size_t i = 0; i < n; i++)
        room->hashes[room->ends[digit_of(a[i], left, WIDE_BITS)]++] = a[i];
    memcpy(a, room->hashes, n * sizeof *a);
    at = 0;
    for (size_t d = 0; d < WIDE; at = room->ends[d++])
        if (room->ends[d] - at > 1)
            radix_sort(a + at, room->ends[d] - at, left - WIDE_BITS, NULL);
}

/* The same for any number, and without room if `room` is NULL. At most 8 calls deep. */
static void radix_sort(uint64_t *a, size_t n, unsigned left, struct room *room)
{
    const unsigned bits = left < DIGIT_BITS ? left : DIGIT_BITS;
    size_t ends[DIGITS];
    size_t at = 0;

    if (n <= FEW) {
        insertion_sort(a, n);
        return;
    }
    if (room && left > WIDE_BITS && n >= WIDE / 4 && n <= 8 * WIDE) {
        spread_sort(a, n, left, room);
        return;
    }
    partition(a, n, left, bits, ends);
    for (size_t d = 0; bits < left && d < (size_t)1 << bits; at = ends[d++])
        if (ends[d] - at > 1)
            radix_sort(a + at, ends[d] - at, left - bits, room);
}

struct stretches {
    uint64_t *hashes;
    size_t ends[DIGITS];
};

static void sort_stretch(void *context, size_t i)
{
    const struct stretches *s = context;
    const size_t start = i ? s->ends[i - 1] : 0;
    const size_t n = s->ends[i] - start;
    struct room *room = n >= WIDE / 4 ? malloc(sizeof *room) : NULL;

    radix_sort(s->hashes + start, n, 64 - DIGIT_BITS, room);
    free(room);
}

void hash_bag_sort(struct hash_bag *bag, unsigned n_threads)
{
    struct stretches stretches = {.hashes = bag->hashes};

    partition(bag->hashes, bag->n, 64, DIGIT_BITS, stretches.ends);
    parallel_for(bag->n < FIRST_ROOM ? 1 : n_threads, DIGITS, sort_stretch, &stretches);
}

void hash_bag_drop_copies(struct hash_bag *bag)
{
    size_t kept = 0;

    for (size_t i = 0; i < bag->n; i++)
        if (i == 0 || bag->hashes[i] != bag->hashes[i - 1])
            bag->hashes[kept++] = bag->hashes[i];
    bag->n = kept;
}

void hash_bag_free(struct hash_bag *bag)
{
    free(bag->hashes);
    *bag = (struct hash_bag){0};
}
