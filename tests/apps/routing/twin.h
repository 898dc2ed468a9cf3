/* SPDX-License-Identifier: MIT */
/* A network as a plain list of pairs and a breadth-first search: the oracle of the routing tests. */
#ifndef TESTS_ROUTING_TWIN_H
#define TESTS_ROUTING_TWIN_H

#include "apps/routing/tree.h"
#include "support/test.h"

#define TWIN_MAX_NODES 600
#define TWIN_MAX_PAIRS 4000

struct twin {
    uint32_t parents[TWIN_MAX_NODES];
    size_t n_nodes;
    struct {
        uint32_t node;
        uint64_t hash;
    } pairs[TWIN_MAX_PAIRS];
    size_t n_pairs;
};

/* A random tree of n nodes whose numbers are shuffled; `lean` in 0..100 makes it long and thin. */
void twin_tree(struct twin *twin, size_t n, unsigned lean, struct test_rng *rng);

bool twin_holds(const struct twin *twin, uint32_t node, uint64_t hash);
void twin_add(struct twin *twin, uint32_t node, uint64_t hash);
void twin_remove(struct twin *twin, uint32_t node, uint64_t hash);

/* Links to the nearest holder, breadth first; UINT64_MAX: there is none. */
uint64_t twin_distance(const struct twin *twin, uint32_t from, uint64_t hash);

/* Sends a request, follows it from node to node, and holds all it says against the oracle. */
ninho_route_result twin_check(const struct twin *twin, const ninho_route_tree *tree,
                              uint32_t from, uint64_t hash, uint64_t ttl);

#endif
