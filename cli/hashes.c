/* SPDX-License-Identifier: MIT */
#include "hashes.h"

#include <stdlib.h>
#include <string.h>

#include <ninho/hash.h>

#include "cli.h"
#include "memory.h"
#include "threads.h"

#define FIRST_ROOM ((size_t)1 << 16)

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

void hash_bag_sort(struct hash_bag *bag, unsigned n_threads)
{
    struct stretches stretches = {.hashes = bag->hashes};

    if (n_threads < 2 || bag->n < FIRST_ROOM) {
        ninho_hash_sort(bag->hashes, bag->n);
        return;
    }
    ninho_hash_partition(bag->hashes, bag->n, stretches.ends);
    parallel_for(n_threads, 256, sort_stretch, &stretches);
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
