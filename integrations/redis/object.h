/* SPDX-License-Identifier: MIT */
/* What a key holds: a list of filters under one promise.
 *
 *     object ---- layers[0] ---- ninho_filter    level 0
 *        |   `--- layers[1] ---- ninho_filter    level 1, larger
 *        |   `--- ...                            ascending levels
 *        |
 *        +-- face: which commands it answers to (BF.*, CF.*, NINHO.*)
 *        +-- account: every byte of its memory, for MEMORY USAGE and the cap
 *
 * A NINHO key has one layer of any kind. A BF key is a list of Bloom filters: an item is in
 * one of them. A CF key is a list of *nested* cuckoo filters (chain.h). All layers hash
 * alike, so that an item is hashed once.
 *
 * While LOADCHUNK brings a filter in pieces the object has no layers but the bytes so far:
 * it answers nothing until it is whole. What a file or a primary brought and this module
 * cannot read has no layers either: opaque.h. */
#ifndef NR_OBJECT_H
#define NR_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#include "redis_module.h"

enum nr_face { NR_NINHO = 1, NR_BF = 2, NR_CF = 3 };

#define NR_MAX_LAYERS 64

struct nr_layer {
    ninho_filter *filter;
    uint64_t capacity; /* items it was made for */
    uint32_t level;
};

/* Bytes in use; on its own, since filters keep a pointer to it. */
struct nr_account {
    size_t used;
};

struct nr_object {
    enum nr_face face;
    /* As asked for */
    double error;
    uint64_t capacity;
    uint32_t expansion;  /* 0: it does not grow */
    uint32_t bucket;     /* CF */
    uint32_t iterations; /* CF */
    uint64_t n_deleted;  /* CF */
    bool has_secret;     /* NINHO, siphash */
    uint8_t secret[NINHO_SECRET_BYTES];

    struct nr_layer *layers;
    uint32_t n_layers, layers_room;
    struct nr_account *account;

    /* LOADCHUNK: n_bytes of n_total have come */
    uint8_t *bytes;
    size_t n_bytes, n_room, n_total;

    struct nr_opaque *opaque; /* the bytes cannot be read; NULL: they can */
};

extern RedisModuleType *nr_type;

/* An object without layers. Never NULL: the server ends itself when there is no memory for
 * so little. */
struct nr_object *nr_object_new(enum nr_face face);
void nr_object_free(struct nr_object *object);

/* NULL with *error filled when there is no memory, or not under the cap. */
struct nr_object *nr_object_copy(const struct nr_object *object, ninho_error *error);

/* The allocator for its filters: refuses what would exceed the cap. */
ninho_alloc nr_object_alloc(const struct nr_object *object);

/* Takes over a filter as a layer, behind those of the same or a lower level. False if
 * there are too many. */
bool nr_object_insert(struct nr_object *object, ninho_filter *filter, uint64_t capacity,
                      uint32_t level);
void nr_object_drop_last(struct nr_object *object);

/* All of its memory, the object itself included. */
size_t nr_object_bytes(const struct nr_object *object);

static inline bool nr_object_is_loading(const struct nr_object *object)
{
    return object->n_total != 0;
}

/* Items in it, copies counted; at most INT64_MAX, which is what a reply can tell. */
uint64_t nr_object_count(const struct nr_object *object);

/* The most bytes that a key may take from here on; 0: no limit. Main thread only. Set at
 * the start of each command: what a primary or a file has accepted is never refused. */
extern size_t nr_cap;

#endif
