/* SPDX-License-Identifier: MIT */
#include "hashes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "memory.h"
#include "stream.h"

#define FIRST_ROOM ((size_t)1 << 16)
/* Below this many, insertion is faster than counting 256 digits. */
#define FEW 48

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

static unsigned digit_of(uint64_t value, unsigned shift)
{
    return (unsigned)(value >> shift) & 255;
}

/* Sorts by one byte, in place ("American flag"): counts, then swaps each value into the next free
 * place of its digit's stretch. ends[d] is where digit d's stretch ends. */
static void partition(uint64_t *a, size_t n, unsigned shift, size_t ends[256])
{
    size_t starts[256];
    size_t at = 0;

    memset(ends, 0, 256 * sizeof *ends);
    for (size_t i = 0; i < n; i++)
        ends[digit_of(a[i], shift)]++;
    for (unsigned d = 0; d < 256; d++) {
        starts[d] = at;
        at += ends[d];
        ends[d] = at;
    }
    for (unsigned d = 0; d < 256; d++) {
        while (starts[d] < ends[d]) {
            uint64_t value = a[starts[d]];
            unsigned digit = digit_of(value, shift);
            while (digit != d) {
                const uint64_t other = a[starts[digit]];
                a[starts[digit]++] = value;
                value = other;
                digit = digit_of(value, shift);
            }
            a[starts[d]++] = value;
        }
    }
}

/* Sorts by the byte at `shift` and those below it. At most 8 calls deep. */
static void radix_sort(uint64_t *a, size_t n, unsigned shift)
{
    size_t ends[256];
    size_t at = 0;

    if (n <= FEW) {
        insertion_sort(a, n);
        return;
    }
    partition(a, n, shift, ends);
    if (shift == 0)
        return;
    for (unsigned d = 0; d < 256; at = ends[d++])
        if (ends[d] - at > 1)
            radix_sort(a + at, ends[d] - at, shift - 8);
}

struct stretches {
    uint64_t *hashes;
    size_t ends[256];
};

static void sort_stretch(void *context, size_t i)
{
    const struct stretches *s = context;
    const size_t start = i ? s->ends[i - 1] : 0;

    radix_sort(s->hashes + start, s->ends[i] - start, 48);
}

void hash_bag_sort(struct hash_bag *bag, unsigned n_threads)
{
    struct stretches stretches = {.hashes = bag->hashes};

    partition(bag->hashes, bag->n, 56, stretches.ends);
    parallel_for(bag->n < FIRST_ROOM ? 1 : n_threads, 256, sort_stretch, &stretches);
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
