/* SPDX-License-Identifier: MIT */
/* Networks as text: what is where, what is asked, what changes. One thing on a line, words between
 * blanks; a line that begins with # is a comment. Lines are carried out in order.
 *
 *     a tree                             a square
 *     node NAME [PARENT]                 divide N               2^N cells on a side; once, first
 *     has NODE RESOURCE                  device NAME COLUMN ROW
 *     ask NODE RESOURCE                  send NAME NAME         from one device to another
 *     add NODE RESOURCE                  move NAME COLUMN ROW
 *     remove NODE RESOURCE               leave NAME
 *     refresh                            refresh                makes stale filters anew
 *
 * The node without a parent is the root. A parent may be named before its own line. `has` and `device`
 * describe the beginning, and come before the first line of another kind that needs them;
 * names are 1 .. 255 bytes. */
#ifndef NINHO_ROUTING_NETWORK_H
#define NINHO_ROUTING_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ninho_route_op {
    NINHO_ROUTE_PLACE = 1, /* has, device */
    NINHO_ROUTE_ASK = 2,   /* ask, send */
    NINHO_ROUTE_ADD = 3,
    NINHO_ROUTE_REMOVE = 4, /* remove, leave */
    NINHO_ROUTE_MOVE = 5,
    NINHO_ROUTE_REFRESH = 6
} ninho_route_op;

typedef struct ninho_route_step {
    ninho_route_op op;
    uint32_t line;
    /* The node it is about; in a square, the device that asks. */
    uint32_t at;
    uint32_t what;        /* the resource or device */
    uint32_t column, row; /* place and move, in a square */
} ninho_route_step;

typedef struct ninho_route_name {
    size_t offset; /* in `names`; ends with a NUL */
    size_t size;
    uint64_t hash; /* resources and devices */
} ninho_route_name;

/* All arrays are the network's. */
typedef struct ninho_route_network {
    bool is_square;
    uint32_t n_divisions;
    char *names;
    ninho_route_name *nodes;
    uint32_t *parents; /* NINHO_ROUTE_NONE: the root's */
    size_t n_nodes;
    ninho_route_name *things; /* resources or devices */
    size_t n_things;
    ninho_route_step *steps;
    size_t n_steps;
    /* rooms of the arrays, and the allocator, for ninho_route_network_free() */
    size_t names_size, names_room, nodes_room, parents_room, things_room, steps_room;
    ninho_alloc alloc;
} ninho_route_network;

/* Reads a network from text. The hasher turns the names of resources and devices into the hashes that
 * filters see. NINHO_ERR_FORMAT: error says the line and what is wrong; NINHO_ERR_NOMEM. On failure
 * *out is untouched. The text is not kept. That a tree is one (one root, no circle) is for
 * ninho_route_tree_create() to say. Any thread. */
ninho_status ninho_route_network_parse(const char *text, size_t size, bool is_square,
                                       const ninho_hasher *hasher,
                                       const ninho_alloc *alloc, ninho_route_network *out,
                                       ninho_error *error);
/* Frees the arrays, not the struct. */
void ninho_route_network_free(ninho_route_network *network);

/* The name, for people. */
const char *ninho_route_name_text(const ninho_route_network *network,
                                  const ninho_route_name *name);

#ifdef __cplusplus
}
#endif

#endif
