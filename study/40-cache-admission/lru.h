/* SPDX-License-Identifier: MIT */
/* A cache of so many bytes that throws out what was used longest ago. It knows sizes only: there is
 * nothing to be kept in a simulation. */
#ifndef STUDY_40_LRU_H
#define STUDY_40_LRU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lru {
    uint64_t room; /* bytes */
    uint64_t used;
    const uint32_t *sizes; /* of all objects */
    /* A ring through the objects that are there and a head, number n_objects: newest first. */
    uint32_t *newer;
    uint32_t *older; /* of an object that is not there: itself */
    size_t n_objects;
};

struct lru lru_make(uint64_t room, const uint32_t *sizes, size_t n_objects);
void lru_free(struct lru *lru);

/* Whether the object is there; it is the newest then. */
bool lru_use(struct lru *lru, uint32_t object);

/* Writes an object that is not there, and throws out what must go. False: it is larger than the cache,
 * and nothing was done. */
bool lru_write(struct lru *lru, uint32_t object);

#endif
