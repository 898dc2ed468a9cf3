/* SPDX-License-Identifier: MIT */
/* Filling the links, and news on their way up. */
#include <string.h>

#include "tree_inside.h"

/* Bytes of one piece of news: the hash and, where links have several filters, the distance. */
static uint64_t news_bytes(const ninho_route_tree *tree)
{
    return tree->options.n_levels > 1 ? 9 : 8;
}

/* The level of what lies `distance` links below the node that a link leads to. */
static uint32_t level_at(const ninho_route_tree *tree, uint64_t distance)
{
    const uint32_t last = tree->options.n_levels - 1;
    return distance < last ? (uint32_t)distance : last;
}

static ninho_status make_filter(const ninho_route_tree *tree, uint64_t capacity,
                                struct rt_table *table, ninho_error *error)
{
    const bool is_same = tree->options.geometry == NINHO_ROUTE_SAME;
    const ninho_spec spec =
        rt_link_spec(&tree->options.spec, is_same ? tree->options.capacity : capacity);
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_filter *filter = NULL;
    ninho_status status = ninho_filter_plan(&spec, &plan, error);

    if (!status)
        status = ninho_filter_create(&spec, &tree->alloc, &filter, error);
    if (status)
        return status;
    table->filter = filter;
    table->capacity = spec.capacity;
    table->bytes = plan.table_bytes;
    return NINHO_OK;
}

static void drop_filter(struct rt_table *table)
{
    ninho_filter_free(table->filter);
    *table = (struct rt_table){0};
}

/* ---- Marks ------------------------------------------------------------------------- */

/* Is a link above the root's, or one that hears nothing? Then news end there. */
static bool is_deaf(const ninho_route_tree *tree, uint32_t node)
{
    return node == tree->root || tree->marks[node] & RT_UNKNOWN;
}

void rt_forget_link(ninho_route_tree *tree, uint32_t node)
{
    for (uint32_t i = 0; i < tree->options.n_levels; i++)
        drop_filter(rt_table_of(tree, node, i));
    tree->marks[node] |= RT_UNKNOWN;
    for (uint32_t v = tree->parent[node]; v != RT_NONE && v != tree->root;
         v = tree->parent[v])
        tree->marks[v] |= RT_INCOMPLETE;
}

/* Sets the marks of all links above from those of unknown links. */
static void mark_anew(ninho_route_tree *tree)
{
    for (size_t v = 0; v < tree->n; v++)
        tree->marks[v] &= RT_UNKNOWN;
    for (size_t i = tree->n; i-- > 1;) {
        const uint32_t v = tree->order[i];
        if (tree->marks[v] && tree->parent[v] != tree->root)
            tree->marks[tree->parent[v]] |= RT_INCOMPLETE;
    }
}

/* ---- All at once ------------------------------------------------------------------- */

static void free_tables(ninho_route_tree *tree, struct rt_table *tables, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ninho_filter_free(tables[i].filter);
    na_free(&tree->alloc, tables, n, sizeof *tables);
}

/* Calls for each table that the resource of `item` belongs to. */
typedef bool (*table_call)(ninho_route_tree *tree, struct rt_table *table, uint32_t node,
                           uint64_t hash);

static bool for_all_above(ninho_route_tree *tree, const struct rt_holding *item,
                          table_call call)
{
    uint64_t distance = 0;

    for (uint32_t v = item->node; !is_deaf(tree, v); v = tree->parent[v], distance++)
        if (!call(tree, rt_table_of(tree, v, level_at(tree, distance)), v, item->hash))
            return false;
    return true;
}

static bool for_all_held(ninho_route_tree *tree, table_call call)
{
    const struct rt_holdings *all = &tree->holdings;

    /* From the root down, so that the outcome does not depend on the history of the list. */
    for (size_t i = 0; i < tree->n; i++)
        for (uint32_t p = all->nodes[tree->order[i]]; p != RT_NONE;
             p = all->items[p].next)
            if (!for_all_above(tree, &all->items[p], call))
                return false;
    return true;
}

static bool count_in(ninho_route_tree *tree, struct rt_table *table, uint32_t node,
                     uint64_t hash)
{
    (void)tree;
    (void)node;
    (void)hash;
    table->n_keys++;
    return true;
}

/* A filter that has no room, though it was made for so many, holds too many copies of a key: the
 * link is left without. The counts of what was taken in stay right, since nothing passes it from
 * now on, and what passed before costs wrong turns at most. */
static bool add_in(ninho_route_tree *tree, struct rt_table *table, uint32_t node,
                   uint64_t hash)
{
    if (table->filter && ninho_filter_add(table->filter, rt_key(tree, node, hash)))
        rt_forget_link(tree, node);
    return true;
}

/* Same geometry: a link's filters are the node's own resources and the union of what it has from
 * its children, a level further. */
static bool unite_into(ninho_route_tree *tree, uint32_t node)
{
    const struct rt_holdings *all = &tree->holdings;

    for (uint32_t p = all->nodes[node]; p != RT_NONE; p = all->items[p].next)
        if (ninho_filter_add(rt_table_of(tree, node, 0)->filter, all->items[p].hash))
            return false;
    for (uint32_t c = 0; c < tree->n_children[node]; c++) {
        const uint32_t child = tree->order[tree->first[node] + c];
        for (uint32_t i = 0; i < tree->options.n_levels; i++) {
            const struct rt_table *from = rt_table_of(tree, child, i);
            const struct rt_table *to = rt_table_of(tree, node, level_at(tree, i + 1));
            if (from->filter && to->filter &&
                ninho_filter_union(to->filter, from->filter, NULL))
                return false;
        }
    }
    return true;
}

static void fill_all(ninho_route_tree *tree)
{
    if (tree->options.geometry == NINHO_ROUTE_SIZED) {
        (void)for_all_held(tree, add_in);
        return;
    }
    for (size_t i = tree->n; i-- > 1;) {
        const uint32_t v = tree->order[i];
        if (!(tree->marks[v] & RT_UNKNOWN) && !unite_into(tree, v))
            rt_forget_link(tree, v);
    }
}

ninho_status ninho_route_tree_place(ninho_route_tree *tree, uint32_t node, uint64_t hash)
{
    if (node >= tree->n)
        return NINHO_ERR_ARG;
    if (rt_holdings_find(&tree->holdings, node, hash) != RT_NONE)
        return NINHO_OK;
    const ninho_status status = rt_holdings_add(&tree->holdings, node, hash);
    tree->is_pending |= !status;
    return status;
}

ninho_status ninho_route_tree_build(ninho_route_tree *tree, ninho_error *error)
{
    const size_t n = tree->n * tree->options.n_levels;
    struct rt_table *before = tree->tables;
    struct rt_table *tables = na_alloc_zeroed(&tree->alloc, n, sizeof *tables);
    const uint64_t capacity = tree->options.capacity;
    ninho_status status = NINHO_OK;
    uint64_t sent = 0;
    uint64_t n_keys = 0;

    if (!tables)
        return na_no_memory(error);
    if (!capacity)
        tree->options.capacity = tree->holdings.n ? tree->holdings.n : 1;
    tree->tables = tables;
    (void)for_all_held(tree, count_in);
    for (size_t i = 0; !status && i < n; i++)
        if (tables[i].n_keys) {
            status = make_filter(tree, tables[i].n_keys, &tables[i], error);
            sent += tree->options.geometry == NINHO_ROUTE_SAME
                        ? tables[i].bytes
                        : tables[i].n_keys * news_bytes(tree);
            n_keys += tables[i].n_keys;
        }
    if (status) {
        free_tables(tree, tables, n);
        tree->tables = before;
        tree->options.capacity = capacity;
        return status;
    }
    mark_anew(tree);
    fill_all(tree);
    free_tables(tree, before, n);
    tree->cost.built_bytes += sent;
    tree->cost.n_built += n_keys;
    tree->is_pending = false;
    return NINHO_OK;
}

/* ---- One link ---------------------------------------------------------------------- */

/* The node after `at` in a walk through everything below `top` that passes no deaf link; RT_NONE
 * after the last. */
static uint32_t walk_on(const ninho_route_tree *tree, uint32_t top, uint32_t at)
{
    uint32_t child = tree->n_children[at] ? tree->order[tree->first[at]] : RT_NONE;

    for (;;) {
        if (child == RT_NONE) { /* no more here: the next sibling, of this or one above */
            if (at == top)
                return RT_NONE;
            const uint32_t parent = tree->parent[at];
            const uint32_t next = tree->position[at] + 1;
            child = next < tree->first[parent] + tree->n_children[parent]
                        ? tree->order[next]
                        : RT_NONE;
            at = parent;
            if (child == RT_NONE)
                continue;
        }
        if (!(tree->marks[child] & RT_UNKNOWN))
            return child;
        at = child; /* left out, with all below it */
        child = RT_NONE;
    }
}

typedef ninho_status (*held_call)(struct rt_table *table, uint64_t key);

static ninho_status for_all_below(ninho_route_tree *tree, uint32_t node,
                                  struct rt_table *tables, held_call call)
{
    const struct rt_holdings *all = &tree->holdings;

    for (uint32_t v = node; v != RT_NONE; v = walk_on(tree, node, v)) {
        const uint32_t level = level_at(tree, tree->depth[v] - tree->depth[node]);
        for (uint32_t p = all->nodes[v]; p != RT_NONE; p = all->items[p].next) {
            const ninho_status status =
                call(&tables[level], rt_key(tree, node, all->items[p].hash));
            if (status)
                return status;
        }
    }
    return NINHO_OK;
}

static ninho_status count_held(struct rt_table *table, uint64_t key)
{
    (void)key;
    table->n_keys++;
    return NINHO_OK;
}

static ninho_status add_held(struct rt_table *table, uint64_t key)
{
    return ninho_filter_add(table->filter, key);
}

ninho_status rt_rebuild_link(ninho_route_tree *tree, uint32_t node, ninho_error *error)
{
    const uint32_t n_levels = tree->options.n_levels;
    const bool is_same = tree->options.geometry == NINHO_ROUTE_SAME;
    struct rt_table tables[NINHO_ROUTE_MAX_LEVELS] = {{.filter = NULL}};
    ninho_status status = NINHO_OK;
    uint64_t sent = 0;
    uint64_t n_made = 0;

    (void)for_all_below(tree, node, tables, count_held);
    for (uint32_t i = 0; !status && i < n_levels; i++) {
        if (!tables[i].n_keys)
            continue;
        /* Who had to grow once will again: with room for half as many more. */
        const struct rt_table *before = rt_table_of(tree, node, i);
        const bool has_grown = before->filter && tables[i].n_keys > before->capacity;
        status = make_filter(
            tree, tables[i].n_keys + (has_grown ? tables[i].n_keys / 2 + 4 : 0),
            &tables[i], error);
        sent += is_same ? tables[i].bytes : tables[i].n_keys * news_bytes(tree);
        n_made++;
    }
    if (status) {
        for (uint32_t i = 0; i < n_levels; i++)
            ninho_filter_free(tables[i].filter);
        return status;
    }
    const ninho_status filled = for_all_below(tree, node, tables, add_held);
    for (uint32_t i = 0; i < n_levels; i++) {
        drop_filter(rt_table_of(tree, node, i));
        *rt_table_of(tree, node, i) = tables[i];
    }
    tree->cost.rebuilt_bytes += sent;
    tree->cost.n_rebuilt += n_made;
    if (filled)
        rt_forget_link(tree, node);
    return NINHO_OK;
}

/* ---- News -------------------------------------------------------------------------- */

/* Is a filter that takes any number so full that its promise is worth nothing? */
static bool is_overfull(const ninho_route_tree *tree, const struct rt_table *table)
{
    return tree->options.geometry == NINHO_ROUTE_SIZED &&
           table->n_keys > table->capacity + table->capacity / 4 + 4;
}

/* One link hears of a resource that is there by now. */
static ninho_status hear_add(ninho_route_tree *tree, uint32_t node, uint32_t level,
                             uint64_t hash)
{
    struct rt_table *table = rt_table_of(tree, node, level);

    tree->cost.update_bytes += news_bytes(tree);
    tree->cost.n_updates++;
    table->n_keys++;
    if (!table->filter) {
        const ninho_status status = make_filter(tree, 4, table, NULL);
        if (status) {
            table->n_keys--;
            return status;
        }
    }
    const bool is_full =
        ninho_filter_add(table->filter, rt_key(tree, node, hash)) != NINHO_OK;
    if (!is_full && !is_overfull(tree, table))
        return NINHO_OK;
    if (rt_rebuild_link(tree, node, NULL) && is_full) {
        table->n_keys--;
        return NINHO_ERR_NOMEM;
    }
    return NINHO_OK;
}

static void hear_remove(ninho_route_tree *tree, uint32_t node, uint32_t level,
                        uint64_t hash)
{
    struct rt_table *table = rt_table_of(tree, node, level);

    tree->cost.update_bytes += news_bytes(tree);
    tree->cost.n_updates++;
    table->n_keys--;
    if (tree->can_remove && !table->is_claimed)
        (void)ninho_filter_remove(table->filter, rt_key(tree, node, hash));
    else
        table->n_stale++;
}

/* News climb from `node` to the link below `end` (RT_NONE: to the root). */
static void climb_remove(ninho_route_tree *tree, uint32_t node, uint32_t end,
                         uint64_t hash)
{
    uint64_t distance = 0;

    for (uint32_t v = node; v != end && !is_deaf(tree, v);
         v = tree->parent[v], distance++)
        hear_remove(tree, v, level_at(tree, distance), hash);
}

/* The same for what is new. A link that becomes unknown on the way ends it. On failure the links
 * that have heard are told otherwise. */
static ninho_status climb_add(ninho_route_tree *tree, uint32_t node, uint32_t end,
                              uint64_t hash)
{
    uint64_t distance = 0;

    for (uint32_t v = node; v != end && !is_deaf(tree, v);
         v = tree->parent[v], distance++) {
        const ninho_status status = hear_add(tree, v, level_at(tree, distance), hash);
        if (status) {
            climb_remove(tree, node, v, hash);
            return status;
        }
    }
    return NINHO_OK;
}

/* What was placed must be in the filters before anything is taken out of them. */
static ninho_status settle(ninho_route_tree *tree)
{
    return tree->is_pending ? ninho_route_tree_build(tree, NULL) : NINHO_OK;
}

ninho_status ninho_route_tree_add(ninho_route_tree *tree, uint32_t node, uint64_t hash)
{
    if (node >= tree->n)
        return NINHO_ERR_ARG;
    if (rt_holdings_find(&tree->holdings, node, hash) != RT_NONE)
        return NINHO_OK;
    ninho_status status = settle(tree);
    if (!status)
        status = rt_holdings_add(&tree->holdings, node, hash);
    if (status)
        return status;
    status = climb_add(tree, node, RT_NONE, hash);
    if (status)
        rt_holdings_remove(&tree->holdings,
                           rt_holdings_find(&tree->holdings, node, hash));
    return status;
}

ninho_status ninho_route_tree_remove(ninho_route_tree *tree, uint32_t node, uint64_t hash)
{
    if (node >= tree->n)
        return NINHO_ERR_ARG;
    const uint32_t pair = rt_holdings_find(&tree->holdings, node, hash);
    if (pair == RT_NONE)
        return NINHO_ERR_NOT_FOUND;
    const ninho_status status = settle(tree);
    if (status)
        return status;
    rt_holdings_remove(&tree->holdings, pair);
    climb_remove(tree, node, RT_NONE, hash);
    return NINHO_OK;
}

/* The lowest node above both, or one of them. *is_open: no link on the way is unknown. */
static uint32_t meeting_point(const ninho_route_tree *tree, uint32_t a, uint32_t b,
                              bool *is_open)
{
    *is_open = true;
    while (a != b) {
        uint32_t *lower = tree->depth[a] >= tree->depth[b] ? &a : &b;
        *is_open &= !(tree->marks[*lower] & RT_UNKNOWN);
        *lower = tree->parent[*lower];
    }
    return a;
}

ninho_status ninho_route_tree_move(ninho_route_tree *tree, uint32_t from, uint32_t to,
                                   uint64_t hash)
{
    if (from >= tree->n || to >= tree->n)
        return NINHO_ERR_ARG;
    if (rt_holdings_find(&tree->holdings, from, hash) == RT_NONE)
        return NINHO_ERR_NOT_FOUND;
    if (from == to)
        return NINHO_OK;
    if (rt_holdings_find(&tree->holdings, to, hash) != RT_NONE)
        return ninho_route_tree_remove(tree, from, hash);

    /* Above the place where both ways meet nothing changes, if all of them are at one level
     * and an unknown link has kept nothing back. */
    ninho_status status = settle(tree);
    if (status)
        return status;
    bool is_open = true;
    const uint32_t meeting = meeting_point(tree, from, to, &is_open);
    const bool is_short = is_open && tree->options.n_levels == 1;
    status = rt_holdings_add(&tree->holdings, to, hash);
    if (status)
        return status;
    status = climb_add(tree, to, is_short ? meeting : RT_NONE, hash);
    if (status) {
        rt_holdings_remove(&tree->holdings, rt_holdings_find(&tree->holdings, to, hash));
        return status;
    }
    /* A link on the way up may have become unknown just now: what is above was not told. */
    bool is_still_open = true;
    (void)meeting_point(tree, from, to, &is_still_open);
    rt_holdings_remove(&tree->holdings, rt_holdings_find(&tree->holdings, from, hash));
    climb_remove(tree, from, is_short && is_still_open == is_open ? meeting : RT_NONE,
                 hash);
    return NINHO_OK;
}

/* ---- Links made anew, and claims --------------------------------------------------- */

ninho_status ninho_route_tree_refresh(ninho_route_tree *tree, ninho_error *error)
{
    for (size_t i = tree->n; i-- > 1;) {
        const uint32_t v = tree->order[i];
        bool is_stale = false;
        for (uint32_t level = 0; level < tree->options.n_levels; level++)
            is_stale |= rt_table_of(tree, v, level)->n_stale > 0;
        const ninho_status status = is_stale ? rt_rebuild_link(tree, v, error) : NINHO_OK;
        if (status)
            return status;
    }
    return NINHO_OK;
}

ninho_status ninho_route_tree_claim(ninho_route_tree *tree, uint32_t node,
                                    const ninho_filter *claimed, ninho_error *error)
{
    ninho_info info = NINHO_INFO_INIT;
    ninho_filter *copy = NULL;

    if (node >= tree->n || node == tree->root || !claimed)
        return na_fail(error, NINHO_ERR_ARG, "this node has no link upwards");
    if (tree->options.n_levels > 1)
        return na_fail(error, NINHO_ERR_UNSUPPORTED,
                       "claims are of one filter, and links here have %u",
                       (unsigned)tree->options.n_levels);
    if (tree->n_claims[node] >= tree->options.max_claims) {
        tree->cost.n_limited++;
        return na_fail(error, NINHO_ERR_SPACE,
                       "more than %u claims since the last tick: not read",
                       (unsigned)tree->options.max_claims);
    }
    tree->n_claims[node]++;
    if (ninho_filter_info(claimed, &info))
        return na_fail(error, NINHO_ERR_ARG, "the filter cannot be read");
    if (info.kind != tree->options.spec.kind || info.key_encoding != NINHO_KEY_HASHES)
        return na_fail(error, NINHO_ERR_MISMATCH,
                       "the filter is %s of %s, and links here have %s of hashes",
                       ninho_kind_name(info.kind),
                       ninho_key_encoding_name(info.key_encoding),
                       ninho_kind_name(tree->options.spec.kind));
    if (info.fpr_expected >= tree->options.max_fpr) {
        rt_forget_link(tree, node);
        tree->cost.n_refused++;
        return na_fail(error, NINHO_ERR_FULL,
                       "the filter says \"maybe\" to %.3g of all questions: refused",
                       info.fpr_expected);
    }
    const ninho_status status = ninho_filter_copy(claimed, &tree->alloc, &copy, error);
    if (status)
        return status;
    struct rt_table *table = rt_table_of(tree, node, 0);
    const uint64_t n_keys = table->n_keys;
    drop_filter(table);
    *table = (struct rt_table){.filter = copy,
                               .n_keys = n_keys,
                               .capacity = info.capacity,
                               .bytes = info.table_bytes,
                               .is_claimed = true};
    tree->cost.update_bytes += info.table_bytes;
    return NINHO_OK;
}

void ninho_route_tree_tick(ninho_route_tree *tree)
{
    memset(tree->n_claims, 0, tree->n);
}

ninho_status ninho_route_tree_restore(ninho_route_tree *tree, uint32_t node,
                                      ninho_error *error)
{
    if (node >= tree->n || node == tree->root)
        return na_fail(error, NINHO_ERR_ARG, "this node has no link upwards");
    tree->marks[node] &= (uint8_t)~RT_UNKNOWN;
    ninho_status status = NINHO_OK;
    for (uint32_t v = node; !status && !is_deaf(tree, v); v = tree->parent[v])
        status = rt_rebuild_link(tree, v, error);
    if (status)
        rt_forget_link(tree, node);
    mark_anew(tree);
    return status;
}

uint64_t ninho_route_tree_key(const ninho_route_tree *tree, uint32_t node, uint64_t hash)
{
    return node < tree->n ? rt_key(tree, node, hash) : hash;
}
