/* SPDX-License-Identifier: MIT */
#include "40-cache-admission/lru.h"

#include <stdlib.h>

#include "harness/fail.h"

struct lru lru_make(uint64_t room, const uint32_t *sizes, size_t n_objects)
{
    struct lru lru = {.room = room, .sizes = sizes, .n_objects = n_objects};

    lru.newer = allocate(n_objects + 1, sizeof *lru.newer);
    lru.older = allocate(n_objects + 1, sizeof *lru.older);
    for (size_t i = 0; i <= n_objects; i++)
        lru.newer[i] = lru.older[i] = (uint32_t)i;
    return lru;
}

void lru_free(struct lru *lru)
{
    free(lru->newer);
    free(lru->older);
}

static void take_out(struct lru *lru, uint32_t object)
{
    lru->newer[lru->older[object]] = lru->newer[object];
    lru->older[lru->newer[object]] = lru->older[object];
    lru->newer[object] = lru->older[object] = object;
}

static void put_first(struct lru *lru, uint32_t object)
{
    const uint32_t head = (uint32_t)lru->n_objects;

    lru->newer[object] = head;
    lru->older[object] = lru->older[head];
    lru->newer[lru->older[head]] = object;
    lru->older[head] = object;
}

bool lru_use(struct lru *lru, uint32_t object)
{
    if (lru->older[object] == object)
        return false;
    take_out(lru, object);
    put_first(lru, object);
    return true;
}

bool lru_write(struct lru *lru, uint32_t object)
{
    const uint32_t head = (uint32_t)lru->n_objects;

    if (lru->sizes[object] > lru->room)
        return false;
    put_first(lru, object);
    lru->used += lru->sizes[object];
    while (lru->used > lru->room) {
        const uint32_t oldest = lru->newer[head];
        lru->used -= lru->sizes[oldest];
        take_out(lru, oldest);
    }
    return true;
}
