/* SPDX-License-Identifier: MIT */
#include "holdings.h"

#include <string.h>

#include "apps/base/base.h"

/* Hashes may be the caller's own: they are mixed before they choose a bucket. */
static size_t resource_bucket(const struct rt_holdings *all, uint64_t hash)
{
    return (size_t)ninho_mix64(hash) & (all->n_buckets - 1);
}

static size_t pair_bucket(const struct rt_holdings *all, uint32_t node, uint64_t hash)
{
    return (size_t)ninho_mix64(hash +
                               (node + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15)) &
           (all->n_buckets - 1);
}

static uint32_t *heads(const ninho_alloc *alloc, size_t n)
{
    uint32_t *made = na_alloc_zeroed(alloc, n, sizeof *made);

    if (made)
        memset(made, 0xff, n * sizeof *made);
    return made;
}

ninho_status rt_holdings_init(struct rt_holdings *all, size_t n_nodes,
                              const ninho_alloc *alloc)
{
    *all = (struct rt_holdings){
        .alloc = *alloc, .free_head = RT_NONE, .n_buckets = 16, .n_nodes = n_nodes};
    all->pairs = heads(alloc, all->n_buckets);
    all->resources = heads(alloc, all->n_buckets);
    all->nodes = heads(alloc, n_nodes ? n_nodes : 1);
    if (all->pairs && all->resources && all->nodes)
        return NINHO_OK;
    rt_holdings_free(all);
    return NINHO_ERR_NOMEM;
}

void rt_holdings_free(struct rt_holdings *all)
{
    na_free(&all->alloc, all->items, all->room, sizeof *all->items);
    na_free(&all->alloc, all->pairs, all->n_buckets, sizeof *all->pairs);
    na_free(&all->alloc, all->resources, all->n_buckets, sizeof *all->resources);
    na_free(&all->alloc, all->nodes, all->n_nodes, sizeof *all->nodes);
    all->items = NULL;
    all->pairs = all->resources = all->nodes = NULL;
}

uint32_t rt_holdings_find(const struct rt_holdings *all, uint32_t node, uint64_t hash)
{
    uint32_t pair = all->pairs[pair_bucket(all, node, hash)];

    while (pair != RT_NONE &&
           (all->items[pair].node != node || all->items[pair].hash != hash))
        pair = all->items[pair].next_pair;
    return pair;
}

static uint32_t matching(const struct rt_holdings *all, uint32_t pair, uint64_t hash)
{
    while (pair != RT_NONE && all->items[pair].hash != hash)
        pair = all->items[pair].next_hash;
    return pair;
}

uint32_t rt_holdings_of(const struct rt_holdings *all, uint64_t hash)
{
    return matching(all, all->resources[resource_bucket(all, hash)], hash);
}

uint32_t rt_holdings_after(const struct rt_holdings *all, uint32_t pair)
{
    return matching(all, all->items[pair].next_hash, all->items[pair].hash);
}

static void chain_in(struct rt_holdings *all, uint32_t pair)
{
    struct rt_holding *item = &all->items[pair];
    uint32_t *of_pair = &all->pairs[pair_bucket(all, item->node, item->hash)];
    uint32_t *of_hash = &all->resources[resource_bucket(all, item->hash)];

    item->next_pair = *of_pair;
    item->next_hash = *of_hash;
    *of_pair = *of_hash = pair;
}

static bool grow_buckets(struct rt_holdings *all)
{
    const size_t n_before = all->n_buckets;
    const size_t n = n_before * 2;
    uint32_t *pairs = heads(&all->alloc, n);
    uint32_t *resources = heads(&all->alloc, n);

    if (!pairs || !resources) {
        na_free(&all->alloc, pairs, n, sizeof *pairs);
        na_free(&all->alloc, resources, n, sizeof *resources);
        return false;
    }
    na_free(&all->alloc, all->pairs, n_before, sizeof *pairs);
    na_free(&all->alloc, all->resources, n_before, sizeof *resources);
    all->pairs = pairs;
    all->resources = resources;
    all->n_buckets = n;
    for (size_t v = 0; v < all->n_nodes; v++)
        for (uint32_t p = all->nodes[v]; p != RT_NONE; p = all->items[p].next)
            chain_in(all, p);
    return true;
}

ninho_status rt_holdings_add(struct rt_holdings *all, uint32_t node, uint64_t hash)
{
    uint32_t pair = all->free_head;

    if (all->n >= all->n_buckets && !grow_buckets(all))
        return NINHO_ERR_NOMEM;
    if (pair != RT_NONE) {
        all->free_head = all->items[pair].next_pair;
    } else {
        if (all->n_used == RT_NONE || !na_grow(&all->alloc, &all->items, all->n_used,
                                               &all->room, sizeof *all->items, 1))
            return NINHO_ERR_NOMEM;
        pair = (uint32_t)all->n_used++;
    }
    all->items[pair] = (struct rt_holding){
        .hash = hash, .node = node, .next = all->nodes[node], .previous = RT_NONE};
    if (all->nodes[node] != RT_NONE)
        all->items[all->nodes[node]].previous = pair;
    all->nodes[node] = pair;
    chain_in(all, pair);
    all->n++;
    return NINHO_OK;
}

void rt_holdings_remove(struct rt_holdings *all, uint32_t pair)
{
    struct rt_holding *item = &all->items[pair];
    uint32_t *link = &all->pairs[pair_bucket(all, item->node, item->hash)];

    while (*link != pair)
        link = &all->items[*link].next_pair;
    *link = item->next_pair;
    link = &all->resources[resource_bucket(all, item->hash)];
    while (*link != pair)
        link = &all->items[*link].next_hash;
    *link = item->next_hash;

    if (item->previous != RT_NONE)
        all->items[item->previous].next = item->next;
    else
        all->nodes[item->node] = item->next;
    if (item->next != RT_NONE)
        all->items[item->next].previous = item->previous;
    item->next_pair = all->free_head;
    all->free_head = pair;
    all->n--;
}
