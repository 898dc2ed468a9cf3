/* SPDX-License-Identifier: MIT */
#include "hashes.h"

#include <stdlib.h>
#include <string.h>

#include <ninho/hash.h>

#include "cli.h"
#include "memory.h"
#include "threads.h"

#define FIRST_ROOM ((size_t)1 << 16)

/* With fewer hashes than this (256 MiB), copies are left for the end. */
#define MANY_HASHES ((size_t)1 << 25)

struct stretches {
    uint64_t *hashes;
    size_t ends[256];
};

static void sort_stretch(void *context, size_t i)
{
    const struct stretches *s = context;
    const size_t start = i ? s->ends[i - 1] : 0;

    ninho_hash_sort(s->hashes + start, s->ends[i] - start);
}

static void sort(struct hash_bag *bag)
{
    struct stretches stretches = {.hashes = bag->hashes};

    if (bag->n_threads < 2 || bag->n < FIRST_ROOM) {
        ninho_hash_sort(bag->hashes, bag->n);
        return;
    }
    ninho_hash_partition(bag->hashes, bag->n, stretches.ends);
    parallel_for(bag->n_threads, 256, sort_stretch, &stretches);
}

void hash_bag_finish(struct hash_bag *bag)
{
    size_t kept = 0;

    sort(bag);
    for (size_t i = 0; i < bag->n; i++)
        if (i == 0 || bag->has_distinct || bag->hashes[i] != bag->hashes[i - 1])
            bag->hashes[kept++] = bag->hashes[i];
    bag->n = bag->n_kept = kept;
}

/* Room for so many in all. */
static int grow(struct hash_bag *bag, size_t room)
{
    if (room > SIZE_MAX / sizeof *bag->hashes)
        return fail_no_memory();
    const int status =
        memory_check(bag->what, (uint64_t)(room - bag->room) * sizeof *bag->hashes);
    if (status)
        return status;
    uint64_t *moved = realloc(bag->hashes, room * sizeof *moved);
    if (!moved)
        return fail_no_memory();
    bag->hashes = moved;
    bag->room = room;
    return EXIT_YES;
}

/* Drops copies, if at least one in `share` came after the last time: so that sorting takes no longer in
 * all than once at the end, times a small number. Is there room for n then? */
static bool drop_copies(struct hash_bag *bag, size_t share, size_t n)
{
    if (!bag->has_distinct && bag->n - bag->n_kept >= bag->n / share)
        hash_bag_finish(bag);
    return n <= bag->room - bag->n;
}

static bool has_memory(size_t n_hashes)
{
    return n_hashes <= memory_available() / sizeof(uint64_t);
}

/* The bag doubles. Where memory does not suffice for that it grows by less, but not by so little that
 * it would be moved again and again. */
static int make_room(struct hash_bag *bag, size_t n)
{
    size_t more = bag->room ? bag->room : FIRST_ROOM;

    if (bag->n >= MANY_HASHES && drop_copies(bag, 2, n))
        return EXIT_YES;
    while (more < n && more <= SIZE_MAX / 2)
        more *= 2;
    if (!has_memory(more)) {
        if (drop_copies(bag, 4, n))
            return EXIT_YES;
        while (more / 2 >= n && more / 2 >= bag->room / 8 && !has_memory(more))
            more /= 2;
    }
    return more > SIZE_MAX - bag->room ? fail_no_memory() : grow(bag, bag->room + more);
}

int hash_bag_append(struct hash_bag *bag, const uint64_t *hashes, size_t n)
{
    if (n > bag->room - bag->n) {
        const int status = make_room(bag, n);
        if (status)
            return status;
    }
    if (n)
        memcpy(bag->hashes + bag->n, hashes, n * sizeof *hashes);
    bag->n += n;
    return EXIT_YES;
}

void hash_bag_free(struct hash_bag *bag)
{
    free(bag->hashes);
    *bag = (struct hash_bag){0};
}
