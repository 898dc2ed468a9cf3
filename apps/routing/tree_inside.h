/* SPDX-License-Identifier: MIT */
/* The tree from inside, for the files that build it, change it, and route in it. */
#ifndef NINHO_ROUTING_TREE_INSIDE_H
#define NINHO_ROUTING_TREE_INSIDE_H

#include "apps/base/base.h"
#include "holdings.h"
#include "link.h"
#include "tree.h"

/* One filter of a link: what lies below at one distance. */
struct rt_table {
    ninho_filter *filter; /* NULL: there is nothing, or nobody knows */
    uint64_t n_keys;      /* that should be in it, copies counted */
    uint64_t n_stale;     /* that should not be, and are */
    uint64_t capacity;
    uint64_t bytes;  /* of its table */
    bool is_claimed; /* the node's own word, not built here: nothing is taken out of it */
};

enum rt_mark {
    RT_UNKNOWN = 1,   /* of a link: its filter was refused or had no room */
    RT_INCOMPLETE = 2 /* somewhere below is an unknown link */
};

/* Nodes are numbered by the caller. `order` lists them parents first, and children of one node
 * stand together in it:
 *
 *     order     root | a b | c d | ...
 *     first     where in `order` the children of a node begin; n_children says how many
 *     position  where in `order` a node stands
 *
 * News from below an unknown link do not pass it: filters above it lack what lies there, so each
 * link above carries the mark RT_INCOMPLETE. */
struct ninho_route_tree {
    ninho_alloc alloc;
    ninho_route_tree_options options;
    bool can_remove;
    bool is_pending; /* resources were placed, and no filter knows */
    size_t n;
    uint32_t root;
    uint32_t *parent, *depth, *order, *position, *first, *n_children;
    uint8_t *marks;          /* enum rt_mark, of the link from a node to its parent */
    uint8_t *n_claims;       /* heard since the last tick */
    struct rt_table *tables; /* n_levels for each node */
    struct rt_holdings holdings;
    ninho_route_tree_info cost; /* its counters of bytes */
};

static inline struct rt_table *rt_table_of(const ninho_route_tree *tree, uint32_t node,
                                           uint32_t level)
{
    return &tree->tables[(size_t)node * tree->options.n_levels + level];
}

/* What the filters of a link see of a resource. A filter that takes a key for another one does so for
 * bits they have in common; were they the same bits in the next filter below, one wrong turn would
 * lead to the next. So each depth mixes anew, but where filters must be ORed. */
static inline uint64_t rt_key(const ninho_route_tree *tree, uint32_t node, uint64_t hash)
{
    return tree->options.geometry == NINHO_ROUTE_SAME
               ? hash
               : ninho_mix64(hash + tree->depth[node] * UINT64_C(0x9e3779b97f4a7c15));
}

/* The level at which the link of `node` seems to have it, n_levels if none. */
uint32_t rt_match(const ninho_route_tree *tree, uint32_t node, uint64_t hash,
                  uint64_t *questions);

/* Is there something that nobody above knows about? */
static inline bool rt_is_marked(const ninho_route_tree *tree, uint32_t node)
{
    return tree->marks[node] != 0;
}

/* Makes the link's filters anew from what lies below, at least for n_keys each. Full: the link
 * becomes unknown. */
ninho_status rt_rebuild_link(ninho_route_tree *tree, uint32_t node, ninho_error *error);

/* The link is not to be trusted from now on; everybody above is told. */
void rt_forget_link(ninho_route_tree *tree, uint32_t node);

#endif
