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

/* A random tree of n nodes (TWIN_MAX_NODES at most) whose numbers are shuffled; `lean` in 0..100 makes it long and thin. */
void twin_tree(struct twin *twin, size_t n, unsigned lean, struct test_rng *rng);

bool twin_holds(const struct twin *twin, uint32_t node, uint64_t hash);
void twin_add(struct twin *twin, uint32_t node, uint64_t hash);
void twin_remove(struct twin *twin, uint32_t node, uint64_t hash);

/* Links to the nearest holder, breadth first; UINT64_MAX: there is none. */
uint64_t twin_distance(const struct twin *twin, uint32_t from, uint64_t hash);

/* Sends a request, follows it from node to node, and holds all it says against the oracle. */
ninho_route_result twin_check(const struct twin *twin, const ninho_route_tree *tree,
                              uint32_t from, uint64_t hash, uint64_t ttl);

/* All kinds that links can have, and how many there are. */
extern const ninho_kind twin_kinds[];
#define N_KINDS 5

ninho_route_tree_options options_of(ninho_kind kind, double fpr);

/* The tree of the twin, filled and built. */
ninho_route_tree *tree_of(const struct twin *twin,
                          const ninho_route_tree_options *options);

/* Places n random ones of n_distinct resources; asks for random ones, a few more than there are. */
void scatter(struct twin *twin, size_t n, size_t n_distinct, struct test_rng *rng);
void ask_all(const struct twin *twin, const ninho_route_tree *tree, size_t n,
             size_t n_distinct, struct test_rng *rng);

ninho_route_tree_info info_of(const ninho_route_tree *tree);

#endif
