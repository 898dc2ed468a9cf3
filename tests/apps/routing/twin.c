/* SPDX-License-Identifier: MIT */
#include "twin.h"

#include <string.h>

void twin_tree(struct twin *twin, size_t n_asked, unsigned lean, struct test_rng *rng)
{
    uint32_t names[TWIN_MAX_NODES] = {0};
    const size_t n = n_asked < TWIN_MAX_NODES ? n_asked : TWIN_MAX_NODES;

    memset(twin, 0, sizeof *twin);
    twin->n_nodes = n;
    for (size_t i = 0; i < n; i++)
        names[i] = (uint32_t)i;
    for (size_t i = n; i-- > 1;) {
        const size_t j = (size_t)rng_below(rng, i + 1);
        const uint32_t name = names[i];
        names[i] = names[j];
        names[j] = name;
    }
    twin->parents[names[0]] = NINHO_ROUTE_NONE;
    for (size_t i = 1; i < n; i++)
        twin->parents[names[i]] =
            names[rng_below(rng, 100) < lean ? i - 1 : rng_below(rng, i)];
}

static size_t find(const struct twin *twin, uint32_t node, uint64_t hash)
{
    size_t i = 0;

    while (i < twin->n_pairs &&
           (twin->pairs[i].node != node || twin->pairs[i].hash != hash))
        i++;
    return i;
}

bool twin_holds(const struct twin *twin, uint32_t node, uint64_t hash)
{
    return find(twin, node, hash) < twin->n_pairs;
}

void twin_add(struct twin *twin, uint32_t node, uint64_t hash)
{
    if (twin_holds(twin, node, hash))
        return;
    CHECK(twin->n_pairs < TWIN_MAX_PAIRS);
    twin->pairs[twin->n_pairs].node = node;
    twin->pairs[twin->n_pairs++].hash = hash;
}

void twin_remove(struct twin *twin, uint32_t node, uint64_t hash)
{
    const size_t i = find(twin, node, hash);

    CHECK(i < twin->n_pairs);
    twin->pairs[i] = twin->pairs[--twin->n_pairs];
}

uint64_t twin_distance(const struct twin *twin, uint32_t from, uint64_t hash)
{
    uint32_t queue[TWIN_MAX_NODES];
    uint64_t distances[TWIN_MAX_NODES];
    size_t n = 0;

    for (size_t v = 0; v < twin->n_nodes; v++)
        distances[v] = UINT64_MAX;
    distances[from] = 0;
    queue[n++] = from;
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = queue[i];
        if (twin_holds(twin, at, hash))
            return distances[at];
        for (uint32_t v = 0; v < twin->n_nodes; v++) {
            if (distances[v] != UINT64_MAX ||
                (twin->parents[v] != at && twin->parents[at] != v))
                continue;
            distances[v] = distances[at] + 1;
            queue[n++] = v;
        }
    }
    return UINT64_MAX;
}

struct way {
    const struct twin *twin;
    uint32_t at;
    uint64_t n_stops;
};

static void follow(void *context, uint32_t node)
{
    struct way *way = context;

    CHECK(node < way->twin->n_nodes);
    if (way->n_stops++)
        CHECK(way->twin->parents[node] == way->at || way->twin->parents[way->at] == node);
    way->at = node;
}

ninho_route_result twin_check(const struct twin *twin, const ninho_route_tree *tree,
                              uint32_t from, uint64_t hash, uint64_t ttl)
{
    struct way way = {.twin = twin};
    const uint64_t truth = twin_distance(twin, from, hash);
    const ninho_route_result result =
        ninho_route_tree_find(tree, from, hash, ttl, follow, &way);

    CHECK_U64(ninho_route_tree_distance(tree, from, hash), truth);
    CHECK_U64(way.n_stops, result.hops + 1);
    CHECK_U64(way.at, result.node);
    CHECK(!ttl || result.hops <= ttl);
    switch (result.outcome) {
    case NINHO_ROUTE_DELIVERED:
        CHECK(twin_holds(twin, result.node, hash));
        CHECK(result.hops >= truth);
        break;
    case NINHO_ROUTE_NOT_FOUND:
        CHECK_U64(truth, UINT64_MAX);
        break;
    case NINHO_ROUTE_EXPIRED:
        CHECK(ttl && result.hops == ttl);
        break;
    }
    return result;
}

const ninho_kind twin_kinds[N_KINDS] = {NINHO_BLOOM, NINHO_BLOCKED, NINHO_COUNTING,
                                        NINHO_CUCKOO, NINHO_QUOTIENT};

ninho_route_tree_options options_of(ninho_kind kind, double fpr)
{
    ninho_route_tree_options options = NINHO_ROUTE_TREE_INIT;

    options.spec.kind = kind;
    options.spec.fpr = fpr;
    return options;
}

ninho_route_tree *tree_of(const struct twin *twin,
                          const ninho_route_tree_options *options)
{
    ninho_route_tree *tree = NULL;

    CHECK_OK(ninho_route_tree_create(twin->parents, twin->n_nodes, options, NULL, &tree,
                                     NULL));
    for (size_t i = 0; i < twin->n_pairs; i++)
        CHECK_OK(ninho_route_tree_place(tree, twin->pairs[i].node, twin->pairs[i].hash));
    CHECK_OK(ninho_route_tree_build(tree, NULL));
    return tree;
}

void scatter(struct twin *twin, size_t n, size_t n_distinct, struct test_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        twin_add(twin, (uint32_t)rng_below(rng, twin->n_nodes),
                 mix64(1 + rng_below(rng, n_distinct)));
}

void ask_all(const struct twin *twin, const ninho_route_tree *tree, size_t n,
             size_t n_distinct, struct test_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        (void)twin_check(twin, tree, (uint32_t)rng_below(rng, twin->n_nodes),
                         mix64(1 + rng_below(rng, n_distinct + n_distinct / 8 + 1)), 0);
}

ninho_route_tree_info info_of(const ninho_route_tree *tree)
{
    ninho_route_tree_info info = NINHO_ROUTE_TREE_INFO_INIT;

    CHECK_OK(ninho_route_tree_info_get(tree, &info));
    return info;
}
