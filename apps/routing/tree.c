/* SPDX-License-Identifier: MIT */
/* The tree's life, and what it tells about itself. */
#include <inttypes.h>
#include <string.h>

#include "tree_inside.h"

/* ---- Making one -------------------------------------------------------------------- */

static ninho_status check_parents(const uint32_t *parents, size_t n, uint32_t *root,
                                  ninho_error *error)
{
    *root = RT_NONE;
    if (!parents || n == 0)
        return na_fail(error, NINHO_ERR_ARG, "a tree has one node at least");
    if (n > NINHO_ROUTE_MAX_NODES)
        return na_fail(error, NINHO_ERR_ARG, "a tree has at most %" PRIu32 " nodes",
                       NINHO_ROUTE_MAX_NODES);
    for (size_t v = 0; v < n; v++) {
        if (parents[v] == RT_NONE) {
            if (*root != RT_NONE)
                return na_fail(error, NINHO_ERR_ARG,
                               "nodes %" PRIu32 " and %zu both have no parent", *root, v);
            *root = (uint32_t)v;
        } else if (parents[v] >= n) {
            return na_fail(error, NINHO_ERR_ARG,
                           "the parent of node %zu is %" PRIu32 ", which is no node", v,
                           parents[v]);
        }
    }
    if (*root == RT_NONE)
        return na_fail(error, NINHO_ERR_ARG, "no node is the root: all have a parent");
    return NINHO_OK;
}

/* Lists the nodes breadth first. Nodes that the root does not reach go round in a cycle.
 * Until a node is listed, `first` is its first child and `position` its next sibling. */
static ninho_status put_in_order(ninho_route_tree *tree, ninho_error *error)
{
    size_t n_listed = 1;

    for (size_t v = 0; v < tree->n; v++)
        tree->first[v] = tree->position[v] = RT_NONE;
    for (size_t v = tree->n; v-- > 0;) {
        const uint32_t parent = tree->parent[v];
        if (parent == RT_NONE)
            continue;
        tree->n_children[parent]++;
        tree->position[v] = tree->first[parent];
        tree->first[parent] = (uint32_t)v;
    }
    tree->order[0] = tree->root;
    for (size_t i = 0; i < n_listed; i++) {
        const uint32_t v = tree->order[i];
        uint32_t child = tree->first[v];
        tree->first[v] = (uint32_t)n_listed;
        while (child != RT_NONE) {
            const uint32_t next = tree->position[child];
            tree->depth[child] = tree->depth[v] + 1;
            tree->position[child] = (uint32_t)n_listed;
            tree->order[n_listed++] = child;
            child = next;
        }
    }
    tree->position[tree->root] = 0;
    tree->cost.height = tree->depth[tree->order[n_listed - 1]];
    if (n_listed == tree->n)
        return NINHO_OK;
    size_t lost = 0;
    while (tree->depth[lost] || lost == tree->root)
        lost++;
    return na_fail(error, NINHO_ERR_ARG,
                   "node %zu is not below the root: its parents go round in a circle",
                   lost);
}

static ninho_status check_options(ninho_route_tree_options *options, ninho_error *error)
{
    if (!options->spec.kind)
        options->spec.kind = NINHO_BLOOM;
    if (!(options->spec.fpr != 0))
        options->spec.fpr = 0.01;
    if (!options->n_levels)
        options->n_levels = 1;
    if (!(options->max_fpr != 0))
        options->max_fpr = 0.5;
    if (!options->max_claims)
        options->max_claims = 4;
    if (options->max_claims > UINT8_MAX)
        return na_fail(error, NINHO_ERR_ARG, "max_claims must be 1 .. %d", UINT8_MAX);
    if (options->n_levels > NINHO_ROUTE_MAX_LEVELS)
        return na_fail(error, NINHO_ERR_ARG, "n_levels must be 1 .. %d",
                       NINHO_ROUTE_MAX_LEVELS);
    if (!(options->max_fpr > 0 && options->max_fpr < 1))
        return na_fail(error, NINHO_ERR_ARG, "max_fpr must be between 0 and 1");
    if (options->geometry != NINHO_ROUTE_SIZED && options->geometry != NINHO_ROUTE_SAME)
        return na_fail(error, NINHO_ERR_ARG, "geometry must be sized or same");
    if (options->spec.semantics != NINHO_MULTISET)
        return na_fail(error, NINHO_ERR_ARG, "semantics must be that of a multiset");

    const uint32_t can = ninho_kind_can(options->spec.kind);
    const bool must_unite = options->geometry == NINHO_ROUTE_SAME;
    if (!(can & NINHO_CAN_ADD) || (must_unite && !(can & NINHO_CAN_UNION)))
        return na_fail(error, NINHO_ERR_UNSUPPORTED, "a filter of kind %s cannot %s",
                       can ? ninho_kind_name(options->spec.kind) : "unknown",
                       can & NINHO_CAN_ADD ? "be united" : "be added to");
    /* Whatever else is wrong with the spec is said now, not when the first filter is made. */
    ninho_plan plan = NINHO_PLAN_INIT;
    const ninho_spec spec = rt_link_spec(&options->spec, options->capacity);
    return ninho_filter_plan(&spec, &plan, error);
}

static void free_tables(ninho_route_tree *tree)
{
    const size_t n = tree->n * tree->options.n_levels;

    for (size_t i = 0; tree->tables && i < n; i++)
        ninho_filter_free(tree->tables[i].filter);
    na_free(&tree->alloc, tree->tables, n, sizeof *tree->tables);
}

void ninho_route_tree_free(ninho_route_tree *tree)
{
    if (!tree)
        return;
    const ninho_alloc alloc = tree->alloc;
    uint32_t *const arrays[] = {tree->parent,   tree->depth, tree->order,
                                tree->position, tree->first, tree->n_children};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        na_free(&alloc, arrays[i], tree->n, sizeof(uint32_t));
    na_free(&alloc, tree->marks, tree->n, 1);
    na_free(&alloc, tree->n_claims, tree->n, 1);
    free_tables(tree);
    if (tree->holdings.nodes)
        rt_holdings_free(&tree->holdings);
    na_free(&alloc, tree, 1, sizeof *tree);
}

static ninho_status allocate(ninho_route_tree *tree)
{
    uint32_t **const arrays[] = {&tree->parent,   &tree->depth, &tree->order,
                                 &tree->position, &tree->first, &tree->n_children};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = na_alloc_zeroed(&tree->alloc, tree->n, sizeof(uint32_t));
        if (!*arrays[i])
            return NINHO_ERR_NOMEM;
    }
    tree->marks = na_alloc_zeroed(&tree->alloc, tree->n, 1);
    tree->n_claims = na_alloc_zeroed(&tree->alloc, tree->n, 1);
    tree->tables = na_alloc_zeroed(&tree->alloc, tree->n * tree->options.n_levels,
                                   sizeof *tree->tables);
    if (!tree->marks || !tree->n_claims || !tree->tables)
        return NINHO_ERR_NOMEM;
    return rt_holdings_init(&tree->holdings, tree->n, &tree->alloc);
}

ninho_status ninho_route_tree_create(const uint32_t *parents, size_t n_nodes,
                                     const ninho_route_tree_options *options,
                                     const ninho_alloc *alloc, ninho_route_tree **out,
                                     ninho_error *error)
{
    ninho_route_tree_options mine = NINHO_ROUTE_TREE_INIT;
    uint32_t root = RT_NONE;

    mine.spec.size_of_struct = sizeof mine.spec;
    if (!out || !na_struct_in(&mine, sizeof mine, options))
        return na_fail(error, NINHO_ERR_ARG, "options of a newer version, or none");
    mine.spec.size_of_struct = sizeof mine.spec;
    ninho_status status = check_options(&mine, error);
    if (!status)
        status = check_parents(parents, n_nodes, &root, error);
    if (status)
        return status;

    const ninho_alloc from = na_allocator(alloc);
    ninho_route_tree *tree = na_alloc_zeroed(&from, 1, sizeof *tree);
    if (!tree)
        return na_no_memory(error);
    tree->alloc = from;
    tree->options = mine;
    tree->can_remove = ninho_kind_can(mine.spec.kind) & NINHO_CAN_REMOVE;
    tree->n = n_nodes;
    tree->root = root;
    status = allocate(tree);
    if (status) {
        ninho_route_tree_free(tree);
        return na_no_memory(error);
    }
    memcpy(tree->parent, parents, n_nodes * sizeof *parents);
    status = put_in_order(tree, error);
    if (status)
        ninho_route_tree_free(tree);
    else
        *out = tree;
    return status;
}

/* ---- What it tells ----------------------------------------------------------------- */

ninho_status ninho_route_tree_info_get(const ninho_route_tree *tree,
                                       ninho_route_tree_info *info)
{
    ninho_route_tree_info all = tree->cost;

    all.n_nodes = tree->n;
    all.n_links = tree->n - 1;
    all.n_held = tree->holdings.n;
    for (size_t i = 0; i < tree->n * tree->options.n_levels; i++) {
        const struct rt_table *table = &tree->tables[i];
        all.n_below += table->n_keys;
        all.n_stale += table->n_stale;
        all.filter_bytes += table->bytes;
        all.n_filters += table->filter != NULL;
    }
    for (size_t v = 0; v < tree->n; v++)
        all.n_unknown += (tree->marks[v] & RT_UNKNOWN) != 0;
    return na_struct_out(info, &all, sizeof all);
}

uint32_t ninho_route_tree_parent(const ninho_route_tree *tree, uint32_t node)
{
    return node < tree->n ? tree->parent[node] : RT_NONE;
}

uint32_t ninho_route_tree_n_children(const ninho_route_tree *tree, uint32_t node)
{
    return node < tree->n ? tree->n_children[node] : 0;
}

uint32_t ninho_route_tree_child(const ninho_route_tree *tree, uint32_t node,
                                uint32_t index)
{
    if (index >= ninho_route_tree_n_children(tree, node))
        return RT_NONE;
    return tree->order[tree->first[node] + index];
}

const ninho_filter *ninho_route_tree_link(const ninho_route_tree *tree, uint32_t node,
                                          uint32_t level)
{
    if (node >= tree->n || level >= tree->options.n_levels)
        return NULL;
    return rt_table_of(tree, node, level)->filter;
}

bool ninho_route_tree_holds(const ninho_route_tree *tree, uint32_t node, uint64_t hash)
{
    return node < tree->n && rt_holdings_find(&tree->holdings, node, hash) != RT_NONE;
}

static uint64_t links_between(const ninho_route_tree *tree, uint32_t a, uint32_t b)
{
    uint64_t n = 0;

    while (a != b) {
        if (tree->depth[a] >= tree->depth[b])
            a = tree->parent[a];
        else
            b = tree->parent[b];
        n++;
    }
    return n;
}

uint64_t ninho_route_tree_distance(const ninho_route_tree *tree, uint32_t from,
                                   uint64_t hash)
{
    const struct rt_holdings *all = &tree->holdings;
    uint64_t nearest = UINT64_MAX;

    if (from >= tree->n)
        return nearest;
    for (uint32_t p = rt_holdings_of(all, hash); p != RT_NONE;
         p = rt_holdings_after(all, p)) {
        const uint64_t distance = links_between(tree, from, all->items[p].node);
        nearest = distance < nearest ? distance : nearest;
    }
    return nearest;
}
