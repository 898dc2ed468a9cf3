/* SPDX-License-Identifier: MIT */
/* Filters on the wire, in ninho's bare encoding (the parameters are in the request), and what
 * each way of going on would cost in bytes. */
#ifndef NINHO_SETS_FILTERS_H
#define NINHO_SETS_FILTERS_H

#include "apps/base/base.h"
#include "apps/base/reader.h"
#include "numbers.h"
#include "sets.h"

struct ns_filter {
    ninho_kind kind;    /* NINHO_BLOOM or NINHO_FUSE */
    uint32_t bits_x256; /* per key; of a fuse filter: its tag */
    double fpr;
    double bytes; /* about */
};

/* Whether a peer may ask for that. */
bool ns_filter_is_fine(const struct ns_filter *filter);

/* A filter of n hashes, appended to *data. NINHO_ERR_NOMEM, NINHO_ERR_BUILD. */
ninho_status ns_filter_write(const struct ns_filter *filter, const uint64_t *hashes,
                             size_t n, const ninho_alloc *alloc, struct na_bytes *data,
                             ninho_error *error);

/* The peer's filter, in place. NINHO_ERR_FORMAT. */
ninho_status ns_filter_read(ninho_view *view, ninho_kind kind,
                            const struct na_bytes *data, const ninho_filter **out,
                            ninho_error *error);

/* Of a Bloom filter with the best number of hashes, and the bits that a rate needs. */
double ns_bloom_fpr(double bits_per_key);
uint32_t ns_bloom_bits_x256(double fpr);

/* The filter of `n_small` keys, which `n_large` will be held against, that makes filter and
 * false candidates (candidate_bytes each) cheapest together. */
struct ns_filter ns_filter_for_common(double n_small, double n_large,
                                      double candidate_bytes);

/* Bytes that name one of the hashes of n items, when m are named, so that a wrong one is meant
 * with a probability of at most 2^-spare_bits in all: 1 .. 8. */
unsigned ns_width(double n, double m, double spare_bits);

/* What is known of two sets before they are compared. */
struct ns_sizes {
    double n_here;
    double n_there;
    double bytes_there;
    double difference; /* an estimate */
};

/* The cheapest way, and (in *bits_x256) the best bits per key if it were bloom. */
ninho_sets_method ns_plan_difference(const struct ns_sizes *sizes, uint32_t *bits_x256);

/* Bytes of the peer's whole list. */
double ns_list_bytes(const struct ns_sizes *sizes);

#endif
