/* SPDX-License-Identifier: MIT */
/* Networks with resources at random nodes, and what requests in them cost. */
#ifndef STUDY_43_NETWORKS_H
#define STUDY_43_NETWORKS_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

/* How many of everything. */
struct extent {
    size_t n_nodes;     /* of a tree in which every node has four children */
    size_t n_divisions; /* of a square */
    size_t n_resources; /* each at one node or in one cell */
    size_t
        n_requests; /* for something that is there, and as many for something that is not */
};

/* What was counted. */
struct tally {
    uint64_t n_requests;
    uint64_t n_lost;      /* not delivered although it is there */
    uint64_t n_invented;  /* delivered although it is nowhere */
    uint64_t wrong_turns; /* of requests for what is there */
    uint64_t hops;
    uint64_t shortest;
    uint64_t questions;          /* to filters */
    uint64_t absent_wrong_turns; /* of requests for what is nowhere */
    uint64_t n_filters;
    uint64_t filter_bytes;
    /* A census of the links of a tree: every key below every link was asked for, and for each link
     * some that are not below it. */
    uint64_t n_below;
    uint64_t n_denied;
    uint64_t n_absent;
    uint64_t n_false;
};

enum network_kind {
    NETWORK_TREE, /* each link's filter is as large as what lies below it needs */
    NETWORK_OR,   /* all filters of one size: a node ORs what its children sent */
    NETWORK_SQUARES
};

/* Makes a network with filters of this kind and rate and sends the requests. Fails with the program. */
struct tally network_try(enum network_kind network, ninho_kind kind, double fpr,
                         const struct extent *extent, uint64_t seed);

#endif
