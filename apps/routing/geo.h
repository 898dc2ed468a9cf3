/* SPDX-License-Identifier: MIT */
/* Geographic routing by filters. A square is divided into four, each of them into four, and so on;
 * devices are in the smallest squares, the cells. Every square has a *head*, a host near its centre,
 * which keeps four filters: what is reachable below its own square, and below each of its three
 * siblings.
 *
 *     +-------+-------+      the message is in a cell of A and knows a device's name, no place:
 *     |       | C     |        1. the cell's head asks its filters of the three sibling cells;
 *     |   D   |   .---|        2. none has it: on to the head of the square around, which asks its
 *     |       |   | x |           filters of three larger siblings, and so on outwards;
 *     +---+---+---+---+        3. C's says "maybe": on to the nearest quadrant of C, whose head
 *     | s |   |       |           has filters of all four, and so on inwards, to the cell of x.
 *     |---A---|   B   |
 *     +-------+-------+      A wrong turn is left for the next square that matches: the message
 *                            carries those it has not tried yet, three for each level at most.
 *
 * Nothing that is there is lost, and devices move: news of it reach the squares around its old and its
 * new cell up to the smallest square that holds both. The promises are those of tree.h.
 *
 * Distances are in cells, along rows and columns. Cells are counted by column and row from 0.
 *
 * Threads: many readers or one writer. Routing is reading. */
#ifndef NINHO_ROUTING_GEO_H
#define NINHO_ROUTING_GEO_H

#include "tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 2^14 cells on a side: 358 million squares in all. */
#define NINHO_ROUTE_GEO_MAX_DIVISIONS 14

typedef struct ninho_route_geo ninho_route_geo;

/* A square that is divided `n_divisions` times, 0 .. 14, into 4^n_divisions cells. The options are
 * those of the tree of squares; one level only. NINHO_ERR_ARG, NINHO_ERR_UNSUPPORTED,
 * NINHO_ERR_NOMEM. *out is the caller's. */
ninho_status ninho_route_geo_create(uint32_t n_divisions,
                                    const ninho_route_tree_options *options,
                                    const ninho_alloc *alloc, ninho_route_geo **out,
                                    ninho_error *error);
/* NULL is fine. */
void ninho_route_geo_free(ninho_route_geo *geo);

/* Cells on a side. */
uint32_t ninho_route_geo_side(const ninho_route_geo *geo);

/* A device appears in a cell (`place` tells nobody until ninho_route_geo_build(), for the first
 * filling), leaves, moves. A device is one 64-bit hash and should be in one cell. As their namesakes in
 * tree.h. */
ninho_status ninho_route_geo_place(ninho_route_geo *geo, uint32_t column, uint32_t row,
                                   uint64_t device);
ninho_status ninho_route_geo_build(ninho_route_geo *geo, ninho_error *error);
ninho_status ninho_route_geo_add(ninho_route_geo *geo, uint32_t column, uint32_t row,
                                 uint64_t device);
ninho_status ninho_route_geo_remove(ninho_route_geo *geo, uint32_t column, uint32_t row,
                                    uint64_t device);
ninho_status ninho_route_geo_move(ninho_route_geo *geo, uint32_t column, uint32_t row,
                                  uint32_t to_column, uint32_t to_row, uint64_t device);
ninho_status ninho_route_geo_refresh(ninho_route_geo *geo, ninho_error *error);

/* A square says what is below it, as ninho_route_tree_claim(). Squares are told by the number of
 * divisions (0: the whole) and the column and row among the squares of that size. */
ninho_status ninho_route_geo_claim(ninho_route_geo *geo, uint32_t divisions,
                                   uint32_t column, uint32_t row,
                                   const ninho_filter *claimed, ninho_error *error);

typedef struct ninho_route_geo_result {
    ninho_route_outcome outcome;
    uint32_t column, row; /* where the message is in the end */
    uint64_t hops;        /* cells it went through, along rows and columns */
    uint64_t moves;       /* from one head to another */
    uint64_t wrong_turns; /* squares entered that did not have it */
    uint64_t questions;   /* to filters */
} ninho_route_geo_result;

/* Called for each head the message is at, the first cell too; `divisions` of its square. */
typedef void (*ninho_route_geo_trace)(void *context, uint32_t divisions, uint32_t column,
                                      uint32_t row);

/* Sends a message to a device from a cell. `ttl` is the most hops, 0: no bound. */
ninho_route_geo_result ninho_route_geo_find(const ninho_route_geo *geo, uint32_t column,
                                            uint32_t row, uint64_t device, uint64_t ttl,
                                            ninho_route_geo_trace trace, void *context);

/* The truth: cells between here and the nearest cell of the device, UINT64_MAX if there is none. */
uint64_t ninho_route_geo_distance(const ninho_route_geo *geo, uint32_t column,
                                  uint32_t row, uint64_t device);

/* Sizes and costs. Every square's filter is kept four times, by itself and its siblings, and news of
 * a square go to four heads: its siblings' and that of the square around. filter_bytes,
 * n_below and the costs count that. */
ninho_status ninho_route_geo_info_get(const ninho_route_geo *geo,
                                      ninho_route_tree_info *info);

#ifdef __cplusplus
}
#endif

#endif
