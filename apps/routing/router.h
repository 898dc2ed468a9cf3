/* SPDX-License-Identifier: MIT */
/* One host of a network that routes by filters: what a program embeds, where tree.h and geo.h hold whole
 * networks. It knows what it has itself, and of each neighbour what that one advertised: an array of
 * filters, the i-th for what lies i links away in that direction (attenuated filters). It does no I/O
 * and reads no clock: it takes bytes and gives bytes, and is told the time.
 *
 *     tell(to b) --> bytes -->  hear(from a)         every now and then, both ways
 *     route(request from b) --> "forward to c", "back to b", "here it is"
 *
 *                level 1        level 2            level 3
 *     a tells b: {a's own}      {a's neighbours'}  {theirs}      by union of what they told,
 *                                                                b itself left out
 *
 * A request goes to the neighbour that seems nearest to what it wants; from where there is nothing it
 * comes back, and the next neighbour is tried. A host remembers requests for a while: one that comes round
 * in a circle is sent back at once, and its TTL ends it if the host has forgotten. What lies within
 * n_levels links is found, if advertisements are up to date; with `has_rest`, in networks without circles,
 * everything is.
 *
 * Advertisements are hostile bytes: checked whole before anything changes, bounded in size, refused if
 * saturated, not read if they come too often, not believed when they are old. Of a neighbour that is not
 * believed nothing is known: it is tried last, and the advertisement to others says so.
 *
 * Threads: one at a time. */
#ifndef NINHO_ROUTING_ROUTER_H
#define NINHO_ROUTING_ROUTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ninho_router ninho_router;

#define NINHO_ROUTER_MAX_LEVELS 16
/* No link: the host itself. */
#define NINHO_ROUTER_HERE UINT32_MAX

/* Start from NINHO_ROUTER_INIT. All hosts of a network have the same spec and n_levels. */
typedef struct ninho_router_options {
    size_t size_of_struct;
    /* Of the filters: a kind that can unite (0: bloom), capacity (0: 10,000) and fpr (0: 0.01); hash,
     * key encoding and semantics are ours. */
    ninho_spec spec;
    uint32_t n_levels; /* 1 .. 16; 0: 4 */
    /* The last filter holds everything from there on: for networks without circles. In one with
     * circles what left would go round for ever. */
    bool has_rest;
    double max_fpr; /* a filter that errs more is saturated; 0: 0.5 */
    uint64_t
        min_interval; /* between two advertisements of a neighbour, in the caller's time */
    uint64_t max_age;   /* of an advertisement that is believed; 0: any */
    uint32_t max_links; /* 1 .. 2^24; 0: 1,000,000 */
    /* Requests that are remembered, 1 .. 2^24; 0: 4,096. More than are on their way at once: one that
     * comes back to a host that has forgotten it is dropped. */
    uint32_t n_remembered;
} ninho_router_options;

#define NINHO_ROUTER_INIT NINHO_INIT_(ninho_router_options)

/* NINHO_ERR_ARG, UNSUPPORTED (a kind that cannot unite), NOMEM. *out is the caller's. */
ninho_status ninho_router_create(const ninho_router_options *options,
                                 const ninho_alloc *alloc, ninho_router **out,
                                 ninho_error *error);
/* NULL is fine. */
void ninho_router_free(ninho_router *router);

/* What the host has itself, as hashes. Adding what is there changes nothing. NINHO_ERR_NOMEM;
 * NINHO_ERR_NOT_FOUND. Neighbours learn of it by the next advertisement. */
ninho_status ninho_router_add(ninho_router *router, uint64_t hash);
ninho_status ninho_router_remove(ninho_router *router, uint64_t hash);

/* ---- Neighbours -------------------------------------------------------------------- */

/* A new neighbour, of whom nothing is known yet. Numbers of links that are gone are used again.
 * NINHO_ERR_FULL (max_links), NINHO_ERR_NOMEM. */
ninho_status ninho_router_connect(ninho_router *router, uint32_t *link);
/* NINHO_ERR_NOT_FOUND. */
ninho_status ninho_router_disconnect(ninho_router *router, uint32_t link);

typedef enum ninho_router_verdict {
    NINHO_ROUTER_TAKEN = 0,
    NINHO_ROUTER_TOO_SOON = 1, /* not read: the last one is younger than min_interval */
    NINHO_ROUTER_SATURATED =
        2 /* refused: nothing is known of this neighbour from now on */
} ninho_router_verdict;

/* An advertisement from a neighbour. NINHO_OK, and *verdict says what became of it. NINHO_ERR_FORMAT,
 * CHECKSUM, VERSION or MISMATCH (another spec or number of levels): what was known before
 * stays, until it is too old. NINHO_ERR_NOT_FOUND, NINHO_ERR_NOMEM. `bytes` are not kept. */
ninho_status ninho_router_hear(ninho_router *router, uint32_t link, const void *bytes,
                               size_t size, uint64_t now, ninho_router_verdict *verdict,
                               ninho_error *error);

/* The most bytes an advertisement can have. */
size_t ninho_router_tell_size(const ninho_router *router);

/* The advertisement for a neighbour: writes it to bytes[0..capacity), *size bytes. NINHO_ERR_SPACE
 * if capacity is less than ninho_router_tell_size(), NINHO_ERR_NOT_FOUND, NINHO_ERR_NOMEM;
 * NINHO_ERR_FULL if the union has no room (kinds with tags). */
ninho_status ninho_router_tell(ninho_router *router, uint32_t to, uint64_t now,
                               void *bytes, size_t capacity, size_t *size);

/* ---- Requests ---------------------------------------------------------------------- */

/* What travels between hosts with a request. */
typedef struct ninho_router_request {
    uint64_t id;   /* unique, a random number say */
    uint64_t hash; /* of what is wanted */
    uint32_t ttl;  /* hops it may still take */
    bool is_back;  /* it comes back: there was nothing */
} ninho_router_request;

typedef enum ninho_router_action {
    NINHO_ROUTER_DELIVER = 0, /* the host has it */
    NINHO_ROUTER_FORWARD = 1, /* send it over *link */
    NINHO_ROUTER_BACK = 2,    /* send it back over *link; is_back is set */
    NINHO_ROUTER_FAIL = 3,    /* it began here, and nobody has it */
    NINHO_ROUTER_EXPIRE = 4,  /* its TTL is spent: drop it */
    NINHO_ROUTER_DROP = 5     /* it comes back, and nobody remembers it */
} ninho_router_action;

/* What to do with a request that came over `from` (NINHO_ROUTER_HERE: it begins here). Changes its ttl
 * and is_back; *link is where it goes. */
ninho_router_action ninho_router_route(ninho_router *router,
                                       ninho_router_request *request, uint32_t from,
                                       uint64_t now, uint32_t *link);

#ifdef __cplusplus
}
#endif

#endif
