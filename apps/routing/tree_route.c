/* SPDX-License-Identifier: MIT */
/* A request on its way.
 *
 *     up:    s -> parent -> ... -> root       at each: have I it? which child has it?
 *     down:  into a child that matches, and there into its children; nothing there: back up,
 *            and on with the next child that matches
 *
 * Nothing is remembered on the way: who comes back from a child goes on with the children after
 * it, in a fixed order. So a request carries a hash, its TTL, and whether it climbs. A node on the
 * way up is left for good before its parent is asked, and subtrees are disjoint: no subtree is
 * entered twice, and the search ends.
 *
 * If the root has nothing more to try and there are marked links, a second search starts there, and
 * takes marked links for matching ones, after those that match. */
#include "tree_inside.h"

uint32_t rt_match(const ninho_route_tree *tree, uint32_t node, uint64_t hash,
                  uint64_t *questions)
{
    const uint32_t n_levels = tree->options.n_levels;
    const struct rt_table *tables = rt_table_of(tree, node, 0);
    const uint64_t key = rt_key(tree, node, hash);

    for (uint32_t i = 0; i < n_levels; i++) {
        if (!tables[i].filter)
            continue;
        ++*questions;
        if (ninho_filter_has(tables[i].filter, key))
            return i;
    }
    return n_levels;
}

struct search {
    const ninho_route_tree *tree;
    uint64_t hash, ttl;
    ninho_route_trace trace;
    void *context;
    ninho_route_result result;
    bool takes_marked;
};

/* One hop; false if the TTL does not allow it. */
static bool hop(struct search *search, uint32_t to)
{
    ninho_route_result *result = &search->result;

    if (search->ttl && result->hops >= search->ttl) {
        result->outcome = NINHO_ROUTE_EXPIRED;
        return false;
    }
    result->hops++;
    result->node = to;
    if (search->trace)
        search->trace(search->context, to);
    return true;
}

static bool is_there(struct search *search, uint32_t node)
{
    if (rt_holdings_find(&search->tree->holdings, node, search->hash) == RT_NONE)
        return false;
    search->result.outcome = NINHO_ROUTE_DELIVERED;
    return true;
}

/* How soon a child is tried: its level, then, if they are wanted, those that are marked; UINT32_MAX
 * for those that are not tried. */
static uint32_t rank_of(struct search *search, uint32_t child)
{
    const uint32_t n_levels = search->tree->options.n_levels;
    const uint32_t level =
        rt_match(search->tree, child, search->hash, &search->result.questions);

    if (level < n_levels)
        return level;
    return search->takes_marked && rt_is_marked(search->tree, child) ? n_levels
                                                                     : UINT32_MAX;
}

/* The child of `node` to try after `last` (RT_NONE: the first), `skipped` left out; RT_NONE if there
 * is no other. Children are tried by rank, equal ones as they stand. */
static uint32_t next_child(struct search *search, uint32_t node, uint32_t last,
                           uint32_t skipped)
{
    const ninho_route_tree *tree = search->tree;
    const uint32_t *children = tree->order + tree->first[node];
    const uint32_t n = tree->n_children[node];
    const bool ranks_vary = tree->options.n_levels > 1 || search->takes_marked;
    uint32_t start = 0;
    uint32_t last_rank = 0;
    uint32_t best = RT_NONE;
    uint32_t best_rank = UINT32_MAX;

    if (last != RT_NONE) {
        const uint32_t at = tree->position[last] - tree->first[node];
        last_rank = ranks_vary ? rank_of(search, last) : 0;
        start = ranks_vary ? 0 : at + 1;
    }
    for (uint32_t i = start; i < n; i++) {
        const uint32_t child = children[i];
        if (child == skipped || child == last)
            continue;
        const uint32_t rank = rank_of(search, child);
        if (rank >= best_rank || rank < last_rank)
            continue;
        if (last != RT_NONE && rank == last_rank &&
            tree->position[child] < tree->position[last])
            continue;
        best = child;
        best_rank = rank;
        if (rank == last_rank)
            break;
    }
    return best;
}

/* Searches the children of `top`, except one, and everything below those that match. True: the
 * outcome is known. False: nothing, and the request is at `top` again. */
static bool search_below(struct search *search, uint32_t top, uint32_t skipped)
{
    const ninho_route_tree *tree = search->tree;
    uint32_t at = top;
    uint32_t last = RT_NONE;

    for (;;) {
        const uint32_t child =
            next_child(search, at, last, at == top ? skipped : RT_NONE);
        if (child != RT_NONE) {
            if (!hop(search, child) || is_there(search, child))
                return true;
            at = child;
            last = RT_NONE;
        } else if (at == top) {
            return false;
        } else {
            if (!hop(search, tree->parent[at]))
                return true;
            search->result.wrong_turns++;
            last = at;
            at = tree->parent[at];
        }
    }
}

static bool has_marked_child(const ninho_route_tree *tree, uint32_t node)
{
    for (uint32_t i = 0; i < tree->n_children[node]; i++)
        if (rt_is_marked(tree, tree->order[tree->first[node] + i]))
            return true;
    return false;
}

ninho_route_result ninho_route_tree_find(const ninho_route_tree *tree, uint32_t from,
                                         uint64_t hash, uint64_t ttl,
                                         ninho_route_trace trace, void *context)
{
    struct search search = {.tree = tree,
                            .hash = hash,
                            .ttl = ttl,
                            .trace = trace,
                            .context = context,
                            .result = {.outcome = NINHO_ROUTE_NOT_FOUND, .node = from}};
    uint32_t came_from = RT_NONE;

    if (from >= tree->n)
        return search.result;
    if (trace)
        trace(context, from);
    for (uint32_t at = from; at != RT_NONE; at = tree->parent[at]) {
        if (at != from && !hop(&search, at))
            return search.result;
        if (is_there(&search, at) || search_below(&search, at, came_from))
            return search.result;
        came_from = at;
    }
    if (has_marked_child(tree, tree->root)) {
        search.takes_marked = true;
        (void)search_below(&search, tree->root, RT_NONE);
    }
    return search.result;
}
