/* SPDX-License-Identifier: MIT */
#include "43-routing/networks.h"

#include <assert.h>
#include <stdlib.h>

#include "apps/routing/geo.h"
#include "apps/routing/tree.h"
#include "harness/fail.h"
#include "harness/words.h"

enum { FAN_OUT = 4, ABSENT_PER_LINK = 40 };

/* The i-th resource, and where it is among n places; resources from n_resources on are nowhere. */
static uint64_t resource(uint64_t seed, size_t i)
{
    return mix64(mix64(seed) ^ mix64(i));
}

static uint32_t place(uint64_t seed, size_t i, size_t n)
{
    return (uint32_t)(mix64(resource(seed, i) + 1) % n);
}

/* Where request number i starts, and which resource it is for. */
static uint32_t start(uint64_t seed, size_t i, size_t n)
{
    return (uint32_t)(mix64(mix64(seed + 1) ^ mix64(i)) % n);
}

static size_t wanted(uint64_t seed, size_t i, const struct extent *extent)
{
    assert(extent->n_resources > 0);
    return (size_t)(mix64(mix64(seed + 2) ^ mix64(i)) % extent->n_resources);
}

static ninho_route_tree_options options_for(enum network_kind network, ninho_kind kind,
                                            double fpr, const struct extent *extent)
{
    ninho_route_tree_options options = NINHO_ROUTE_TREE_INIT;

    options.spec = (ninho_spec)NINHO_SPEC_INIT;
    options.spec.kind = kind;
    options.spec.fpr = fpr;
    options.geometry = network == NETWORK_OR ? NINHO_ROUTE_SAME : NINHO_ROUTE_SIZED;
    options.capacity = network == NETWORK_OR ? extent->n_resources : 0;
    options.max_fpr = 0.9;
    return options;
}

/* ---- The census ---------------------------------------------------------------------------- */

/* Asks the link above each node on the way from a holder to the root for the resource: it lies below
 * all of them. */
static void ask_above(const ninho_route_tree *tree, uint32_t node, uint64_t hash,
                      struct tally *tally)
{
    for (; ninho_route_tree_parent(tree, node) != NINHO_ROUTE_NONE;
         node = ninho_route_tree_parent(tree, node)) {
        const ninho_filter *filter = ninho_route_tree_link(tree, node, 0);
        const uint64_t key = ninho_route_tree_key(tree, node, hash);
        tally->n_below++;
        tally->n_denied += !filter || !ninho_filter_has(filter, key);
    }
}

static void take_census(const ninho_route_tree *tree, const struct extent *extent,
                        uint64_t seed, struct tally *tally)
{
    for (size_t i = 0; i < extent->n_resources; i++)
        ask_above(tree, place(seed, i, extent->n_nodes), resource(seed, i), tally);
    for (uint32_t node = 1; node < extent->n_nodes; node++) {
        const ninho_filter *filter = ninho_route_tree_link(tree, node, 0);
        for (size_t i = 0; filter && i < ABSENT_PER_LINK; i++) {
            const uint64_t absent = resource(seed, extent->n_resources * (i + 2) + node);
            tally->n_absent++;
            tally->n_false +=
                ninho_filter_has(filter, ninho_route_tree_key(tree, node, absent));
        }
    }
}

/* ---- Trees --------------------------------------------------------------------------------- */

static void count_present(struct tally *tally, ninho_route_outcome outcome, uint64_t hops,
                          uint64_t wrong_turns, uint64_t questions, uint64_t shortest)
{
    tally->n_requests++;
    tally->n_lost += outcome != NINHO_ROUTE_DELIVERED;
    tally->hops += hops;
    tally->wrong_turns += wrong_turns;
    tally->questions += questions;
    tally->shortest += shortest;
}

static void send_in_tree(const ninho_route_tree *tree, const struct extent *extent,
                         uint64_t seed, struct tally *tally)
{
    for (size_t i = 0; i < extent->n_requests; i++) {
        const uint32_t from = start(seed, i, extent->n_nodes);
        const uint64_t hash = resource(seed, wanted(seed, i, extent));
        const ninho_route_result found =
            ninho_route_tree_find(tree, from, hash, 0, NULL, NULL);
        count_present(tally, found.outcome, found.hops, found.wrong_turns,
                      found.questions, ninho_route_tree_distance(tree, from, hash));
        const ninho_route_result absent = ninho_route_tree_find(
            tree, from, resource(seed, extent->n_resources + i), 0, NULL, NULL);
        tally->absent_wrong_turns += absent.wrong_turns;
        tally->n_invented += absent.outcome == NINHO_ROUTE_DELIVERED;
    }
}

static struct tally try_tree(const ninho_route_tree_options *options,
                             const struct extent *extent, uint64_t seed)
{
    struct tally tally = {0};
    uint32_t *parents = allocate(extent->n_nodes, sizeof *parents);
    ninho_route_tree *tree;
    ninho_route_tree_info info = NINHO_ROUTE_TREE_INFO_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    parents[0] = NINHO_ROUTE_NONE;
    for (size_t v = 1; v < extent->n_nodes; v++)
        parents[v] = (uint32_t)((v - 1) / FAN_OUT);
    if (ninho_route_tree_create(parents, extent->n_nodes, options, NULL, &tree, &error))
        fail("a tree cannot be made: %s", error.text);
    for (size_t i = 0; i < extent->n_resources; i++)
        if (ninho_route_tree_place(tree, place(seed, i, extent->n_nodes),
                                   resource(seed, i)))
            fail("no memory for resources");
    if (ninho_route_tree_build(tree, &error) || ninho_route_tree_info_get(tree, &info))
        fail("a tree cannot be filled: %s", error.text);
    if (info.n_unknown)
        fail("%llu links of a tree have no filter", (unsigned long long)info.n_unknown);
    tally.n_filters = info.n_filters;
    tally.filter_bytes = info.filter_bytes;
    take_census(tree, extent, seed, &tally);
    send_in_tree(tree, extent, seed, &tally);
    ninho_route_tree_free(tree);
    free(parents);
    return tally;
}

/* ---- Squares ------------------------------------------------------------------------------- */

static struct tally try_squares(const ninho_route_tree_options *options,
                                const struct extent *extent, uint64_t seed)
{
    struct tally tally = {0};
    ninho_route_geo *geo;
    ninho_route_tree_info info = NINHO_ROUTE_TREE_INFO_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_route_geo_create((uint32_t)extent->n_divisions, options, NULL, &geo,
                               &error))
        fail("a square cannot be made: %s", error.text);
    const uint32_t side = ninho_route_geo_side(geo);
    const size_t n_cells = (size_t)side * side;
    for (size_t i = 0; i < extent->n_resources; i++) {
        const uint32_t cell = place(seed, i, n_cells);
        if (ninho_route_geo_place(geo, cell % side, cell / side, resource(seed, i)))
            fail("no memory for devices");
    }
    if (ninho_route_geo_build(geo, &error) || ninho_route_geo_info_get(geo, &info))
        fail("a square cannot be filled: %s", error.text);
    tally.n_filters = info.n_filters;
    tally.filter_bytes = info.filter_bytes;
    for (size_t i = 0; i < extent->n_requests; i++) {
        const uint32_t from = start(seed, i, n_cells);
        const uint64_t hash = resource(seed, wanted(seed, i, extent));
        const ninho_route_geo_result found =
            ninho_route_geo_find(geo, from % side, from / side, hash, 0, NULL, NULL);
        count_present(&tally, found.outcome, found.hops, found.wrong_turns,
                      found.questions,
                      ninho_route_geo_distance(geo, from % side, from / side, hash));
        const ninho_route_geo_result absent =
            ninho_route_geo_find(geo, from % side, from / side,
                                 resource(seed, extent->n_resources + i), 0, NULL, NULL);
        tally.absent_wrong_turns += absent.wrong_turns;
        tally.n_invented += absent.outcome == NINHO_ROUTE_DELIVERED;
    }
    ninho_route_geo_free(geo);
    return tally;
}

struct tally network_try(enum network_kind network, ninho_kind kind, double fpr,
                         const struct extent *extent, uint64_t seed)
{
    const ninho_route_tree_options options = options_for(network, kind, fpr, extent);

    return network == NETWORK_SQUARES ? try_squares(&options, extent, seed)
                                      : try_tree(&options, extent, seed);
}
