/* SPDX-License-Identifier: MIT */
/* What the files of this folder share: memory through the caller's allocator, errors with a
 * sentence, the exact lists of who holds what. */
#ifndef NINHO_ROUTING_BASE_H
#define NINHO_ROUTING_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

/* ---- Errors ------------------------------------------------------------------------ */

/* Fills *error (may be NULL). */
void rt_say(ninho_error *error, ninho_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says it and answers `status`, in sight of the compiler. */
#define rt_fail(error, status, ...) (rt_say((error), (status), __VA_ARGS__), (status))

static inline ninho_status rt_no_memory(ninho_error *error)
{
    return rt_fail(error, NINHO_ERR_NOMEM, "not enough memory");
}

/* Copies an options struct of the caller's over `mine`, which holds the defaults and is `size`
 * bytes: what an older program does not know stays as it is; false if a newer one set something
 * that we do not know, or if the size is 0. `theirs` may be NULL. */
bool rt_take_options(void *mine, size_t size, const void *theirs);

/* A spec that fits routing: kind, fpr and what the family has are the caller's, the rest is chosen here,
 * for many filters that are mostly small. `capacity` is at least 1. */
ninho_spec rt_link_spec(const ninho_spec *asked, uint64_t capacity);

/* A bijection of the 64-bit numbers that mixes all of them (the finaliser of splitmix64). */
static inline uint64_t rt_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* ---- Memory ------------------------------------------------------------------------ */

/* The allocator to use: a copy of *alloc, or malloc and free. */
ninho_alloc rt_allocator(const ninho_alloc *alloc);
/* n items of `size` bytes, zeroed; NULL if there is no memory or the product does not fit. Of
 * no items, one is made. */
void *rt_array(const ninho_alloc *alloc, size_t n, size_t size);
void rt_array_free(const ninho_alloc *alloc, void *array, size_t n, size_t size);
/* Makes room for one item more in an array of `n`, *room of them there. */
bool rt_grow(const ninho_alloc *alloc, void **array, size_t n, size_t *room, size_t size);

/* ---- Who holds what ---------------------------------------------------------------- */

#define RT_NONE UINT32_MAX

/* A pair: this node holds this resource. */
struct rt_holding {
    uint64_t hash;
    uint32_t node;
    uint32_t next_pair;      /* in the chain of the pair's bucket */
    uint32_t next_hash;      /* in the chain of the resource's bucket */
    uint32_t next, previous; /* of the same node */
};

/* All pairs: found by pair, by resource, and by node.
 *
 *     pairs[]      first pair whose (node, hash) falls there  --next_pair--> ...
 *     resources[]  first pair whose hash falls there          --next_hash--> ...
 *     nodes[]      first pair of the node                     --next-------> ...
 *
 * Freed pairs are chained by next_pair. */
struct rt_holdings {
    ninho_alloc alloc;
    struct rt_holding *items;
    size_t n_used, room; /* items ever used, and those there is room for */
    uint32_t free_head;
    size_t n; /* pairs there are */
    uint32_t *pairs, *resources;
    size_t n_buckets; /* a power of two */
    uint32_t *nodes;
    size_t n_nodes;
};

ninho_status rt_holdings_init(struct rt_holdings *all, size_t n_nodes,
                              const ninho_alloc *alloc);
void rt_holdings_free(struct rt_holdings *all);

/* The pair, RT_NONE if there is none. */
uint32_t rt_holdings_find(const struct rt_holdings *all, uint32_t node, uint64_t hash);
/* Adds a pair that is not there. NINHO_ERR_NOMEM: nothing changed. */
ninho_status rt_holdings_add(struct rt_holdings *all, uint32_t node, uint64_t hash);
void rt_holdings_remove(struct rt_holdings *all, uint32_t pair);
/* The first pair of a resource, and the one after `pair`. */
uint32_t rt_holdings_of(const struct rt_holdings *all, uint64_t hash);
uint32_t rt_holdings_after(const struct rt_holdings *all, uint32_t pair);

#endif
