/* SPDX-License-Identifier: MIT */
/* Routing in a rooted tree by filters. Nodes hold resources; of each child a node keeps a filter of
 * everything that lies below, and nothing else. A request goes down a child whose filter says
 * "maybe", or up.
 *
 *                     root            keeps of each child the union of all below it:
 *                    /    \             F(a) = {a's} + {c's} + {d's}      F(b) = {b's}
 *                   a      b
 *                  / \                  F(c) = {c's}, F(d) = {d's}
 *                 c   d
 *
 * What it promises:
 *   - nothing that is there is lost: a filter has no false negatives, and after a wrong turn (a
 *     false positive) the request comes back and tries the next child, then goes up;
 *   - a request ends: it enters no subtree twice in one search, and its TTL bounds it anyway;
 *   - what a node cannot know of a child (its filter was refused, or had no room) is marked, the
 *     mark is handed upwards, and such branches are searched when everything else has failed;
 *   - the same calls give the same answers on every machine.
 *
 * Two ways to size filters. *Sized*: each for what lies below it; an add climbs as the 8 bytes of
 * a hash. *Same*: all of one geometry, so that a node ORs (ninho_filter_union) what its children
 * sent and hands the result up: the textbook's, for small trees, since the root's filter must not
 * be full and every leaf's is as large.
 *
 * A resource is a 64-bit hash; the caller hashes names (ninho_hash_bytes). Two names with equal
 * hashes are one resource.
 *
 * Threads: many readers or one writer. Routing is reading. */
#ifndef NINHO_ROUTING_TREE_H
#define NINHO_ROUTING_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ninho_route_tree ninho_route_tree;

/* No node: the parent of the root. */
#define NINHO_ROUTE_NONE       UINT32_MAX
#define NINHO_ROUTE_MAX_NODES  (UINT32_C(1) << 30)
#define NINHO_ROUTE_MAX_LEVELS 16

/* ---- Making one -------------------------------------------------------------------- */

typedef enum ninho_route_geometry {
    NINHO_ROUTE_SIZED = 0, /* each filter for what lies below it */
    NINHO_ROUTE_SAME = 1   /* all filters for all resources: they can be ORed */
} ninho_route_geometry;

/* Start from NINHO_ROUTE_TREE_INIT. */
typedef struct ninho_route_tree_options {
    size_t size_of_struct;
    /* Of the links' filters: kind (0: bloom), fpr (0: 0.01), and what the family has; hash, secret and
     * key encoding are ours, since filters see hashes. Any kind that can add, without being built at
     * once, for sized links; one that can unite for same ones. */
    ninho_spec spec;
    ninho_route_geometry geometry;
    /* Attenuated filters: per link an array of this many, 1 .. 16; 0: 1. The i-th (from 1) is for
     * what lies i links away; the last is for everything from there on, so that nothing is out
     * of sight. A request takes the child where it seems nearest. */
    uint32_t n_levels;
    /* Same geometry: how many resources (copies counted) the filters are for. 0: as many as
     * there are at ninho_route_tree_build(). */
    uint64_t capacity;
    /* A filter that would answer "maybe" to this share of all questions is saturated, and
     * refused: 0 < limit < 1; 0: 0.5. */
    double max_fpr;
    /* How many claims of one link are read between two ticks, 1 .. 255; 0: 4. */
    uint32_t max_claims;
} ninho_route_tree_options;

#define NINHO_ROUTE_TREE_INIT NINHO_INIT_(ninho_route_tree_options)

/* A tree without resources. parents[v] is the parent of node v; exactly one is
 * NINHO_ROUTE_NONE. NINHO_ERR_ARG for what is no tree (error says which node: two roots, a
 * cycle, a parent that is not there) or an option out of range, NINHO_ERR_UNSUPPORTED for a kind
 * that cannot do it, NINHO_ERR_NOMEM. `parents` is not kept. *out is the caller's. */
ninho_status ninho_route_tree_create(const uint32_t *parents, size_t n_nodes,
                                     const ninho_route_tree_options *options,
                                     const ninho_alloc *alloc, ninho_route_tree **out,
                                     ninho_error *error);
/* NULL is fine. */
void ninho_route_tree_free(ninho_route_tree *tree);

/* ---- Resources --------------------------------------------------------------------- */

/* Places a resource without telling anybody: for the first filling. Nobody finds it before
 * ninho_route_tree_build(), which other changes call where it is due. A pair that is there already is left alone. NINHO_ERR_ARG,
 * NINHO_ERR_NOMEM. */
ninho_status ninho_route_tree_place(ninho_route_tree *tree, uint32_t node, uint64_t hash);

/* Makes all filters anew from what nodes hold, whatever was there. Links that were refused stay
 * so. NINHO_ERR_NOMEM: the tree is as it was. */
ninho_status ninho_route_tree_build(ninho_route_tree *tree, ninho_error *error);

/* A resource appears at a node, and the news climb to the root. A pair that is there already is
 * left alone. A filter without room is made anew, larger. NINHO_ERR_NOMEM: the resource is not
 * there; filters may hold it, which costs wrong turns only. */
ninho_status ninho_route_tree_add(ninho_route_tree *tree, uint32_t node, uint64_t hash);

/* A resource leaves. Kinds that can remove take it out on the way up; others (bloom, blocked)
 * keep a stale entry, which costs wrong turns until ninho_route_tree_refresh().
 * NINHO_ERR_NOT_FOUND: this node does not hold it. */
ninho_status ninho_route_tree_remove(ninho_route_tree *tree, uint32_t node,
                                     uint64_t hash);

/* A resource moves: news climb from both nodes to the lowest node above both, not further.
 * NINHO_ERR_NOT_FOUND as remove, NINHO_ERR_NOMEM: it has not moved. If `to` holds it already,
 * this is a remove. */
ninho_status ninho_route_tree_move(ninho_route_tree *tree, uint32_t from, uint32_t to,
                                   uint64_t hash);

/* Makes the filters with stale entries anew. NINHO_ERR_NOMEM: those that were not reached are
 * stale as before. */
ninho_status ninho_route_tree_refresh(ninho_route_tree *tree, ninho_error *error);

/* What the filter of a node's link sees of a resource: its hash, mixed anew at each depth where filters
 * are sized, so that false positives at one depth tell nothing of those at the next. */
uint64_t ninho_route_tree_key(const ninho_route_tree *tree, uint32_t node, uint64_t hash);

/* A node says to its parent what lies below it: a copy of `claimed` takes the place of the link's
 * filter (of one level only: NINHO_ERR_UNSUPPORTED for attenuated trees). NINHO_ERR_MISMATCH for
 * another kind or key encoding. NINHO_ERR_FULL for a saturated one: it is refused, and the link
 * is unknown from then on, and searched last. NINHO_ERR_SPACE for one claim too many since the last
 * tick: it is not read. NINHO_ERR_NOMEM. */
ninho_status ninho_route_tree_claim(ninho_route_tree *tree, uint32_t node,
                                    const ninho_filter *claimed, ninho_error *error);

/* Time goes on: links may claim anew. As often as the caller likes, every second say. */
void ninho_route_tree_tick(ninho_route_tree *tree);

/* Makes a link known again: its filter is built from what lies below. */
ninho_status ninho_route_tree_restore(ninho_route_tree *tree, uint32_t node,
                                      ninho_error *error);

/* ---- Routing ----------------------------------------------------------------------- */

typedef enum ninho_route_outcome {
    NINHO_ROUTE_DELIVERED = 0,
    NINHO_ROUTE_NOT_FOUND = 1, /* nobody holds it */
    NINHO_ROUTE_EXPIRED = 2    /* its TTL is spent */
} ninho_route_outcome;

typedef struct ninho_route_result {
    ninho_route_outcome outcome;
    uint32_t node;        /* where the request is in the end */
    uint64_t hops;        /* links it went over */
    uint64_t wrong_turns; /* links down which there was nothing, and back */
    uint64_t questions;   /* to filters */
} ninho_route_result;

/* Called for each node the request is at, the first one too. */
typedef void (*ninho_route_trace)(void *context, uint32_t node);

/* Sends a request for a resource from a node. `ttl` is the most hops it may take; 0: no bound.
 * `trace` may be NULL. A node that is not there gives NINHO_ROUTE_NOT_FOUND. Never allocates. */
ninho_route_result ninho_route_tree_find(const ninho_route_tree *tree, uint32_t from,
                                         uint64_t hash, uint64_t ttl,
                                         ninho_route_trace trace, void *context);

/* The truth, from exact lists: the number of links to the nearest holder, UINT64_MAX if nobody
 * holds it. */
uint64_t ninho_route_tree_distance(const ninho_route_tree *tree, uint32_t from,
                                   uint64_t hash);
bool ninho_route_tree_holds(const ninho_route_tree *tree, uint32_t node, uint64_t hash);

/* ---- What it is and what it cost --------------------------------------------------- */

typedef struct ninho_route_tree_info {
    size_t size_of_struct; /* set by the caller */
    uint64_t n_nodes, n_links;
    uint64_t n_held;       /* pairs of node and resource */
    uint64_t n_below;      /* keys of all links together: entries of full lists */
    uint64_t height;       /* links from the root to the farthest node */
    uint64_t filter_bytes; /* tables of all links */
    uint64_t n_filters;    /* tables there are */
    uint64_t n_unknown;    /* links without a filter to trust */
    uint64_t n_stale;      /* entries of things that left */
    /* Since the tree was made, in bytes: */
    uint64_t built_bytes;   /* sent to fill all filters: ninho_route_tree_build() */
    uint64_t update_bytes;  /* adds, removes, moves on their way up */
    uint64_t rebuilt_bytes; /* sent to make filters anew, stale ones and full ones */
    uint64_t n_rebuilt;     /* filters made anew */
    uint64_t n_updates;     /* links that adds, removes and moves went over */
    uint64_t n_refused;     /* claims refused as saturated */
    uint64_t n_limited;     /* claims not read, since there were too many */
} ninho_route_tree_info;

#define NINHO_ROUTE_TREE_INFO_INIT NINHO_INIT_(ninho_route_tree_info)

/* NINHO_ERR_ARG for a size_of_struct that is 0. */
ninho_status ninho_route_tree_info_get(const ninho_route_tree *tree,
                                       ninho_route_tree_info *info);

/* The parent of a node, NINHO_ROUTE_NONE for the root and for what is no node. */
uint32_t ninho_route_tree_parent(const ninho_route_tree *tree, uint32_t node);
/* The number of children, and the index-th of them. */
uint32_t ninho_route_tree_n_children(const ninho_route_tree *tree, uint32_t node);
uint32_t ninho_route_tree_child(const ninho_route_tree *tree, uint32_t node,
                                uint32_t index);
/* The filter that node's parent keeps of it, at a level (from 0); NULL where nothing lies, and for
 * an unknown link. Lives until the next change. */
const ninho_filter *ninho_route_tree_link(const ninho_route_tree *tree, uint32_t node,
                                          uint32_t level);

#ifdef __cplusplus
}
#endif

#endif
