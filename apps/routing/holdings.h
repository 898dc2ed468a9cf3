/* SPDX-License-Identifier: MIT */
/* The exact lists of who holds what. */
#ifndef NINHO_ROUTING_HOLDINGS_H
#define NINHO_ROUTING_HOLDINGS_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

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
