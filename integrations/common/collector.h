/* SPDX-License-Identifier: MIT */
/* Makes a filter from keys that come one after another and are not known beforehand: what an aggregate
 * function of a database does.
 *
 * With a capacity, Bloom filters are made at once and keys are added in batches, in fixed memory. Otherwise the
 * hashes are kept, 8 bytes for each distinct one, and the filter is made at the end: without a capacity for as many as
 * there were; for kinds that are only built, or that two collectors could not unite; and for kinds that would keep a
 * copy for every row with the same value, where one is meant. They are added in order then, so that the order of the
 * rows does not matter, and the cuckoo filter of a set is the one that `ninho build` makes. */
#ifndef NINHO_INTEGRATIONS_COLLECTOR_H
#define NINHO_INTEGRATIONS_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#include "bins.h"

#define COLLECTOR_BATCH 512

struct collector {
    ninho_spec spec;
    ninho_filter *filter; /* NULL: hashes are kept */
    uint64_t *batch;      /* COLLECTOR_BATCH hashes that wait for the filter */
    size_t n_batch;
    struct bins bins;
};

/* Begins. spec->capacity 0 means that it is not known. `alloc` may be NULL. `limit` is the size in bytes
 * that the encoded filter may have: a plan above it is refused with NINHO_ERR_SPACE. Fails as
 * ninho_filter_create() does; then there is nothing to free. */
ninho_status collector_begin(struct collector *collector, const ninho_spec *spec,
                             const ninho_alloc *alloc, uint64_t limit,
                             ninho_error *error);

/* From now on `pause` is called now and then in calls that take long. It need not return, where the allocator's memory is
 * freed as a whole: the collector is then gone. */
void collector_set_pause(struct collector *collector, void (*pause)(void));

/* Takes a key. NINHO_ERR_NOMEM; NINHO_ERR_FULL if the filter has no room for more, told with its capacity. */
ninho_status collector_add(struct collector *collector, uint64_t hash,
                           ninho_error *error);

/* Takes all of another's keys, and leaves it empty. NINHO_ERR_MISMATCH if it was begun with another spec. */
ninho_status collector_merge(struct collector *collector, struct collector *other,
                             ninho_error *error);

/* Adds what waits to the filter, if there is one: it is then all that was collected. */
ninho_status collector_flush(struct collector *collector, ninho_error *error);

/* A filter of the hashes, where they are kept. It is the caller's; the collector can go on. */
ninho_status collector_build(struct collector *collector, uint64_t limit,
                             ninho_filter **out, ninho_error *error);

/* The filter, which is the caller's. The collector is then empty, and only to be freed. */
ninho_status collector_finish(struct collector *collector, uint64_t limit,
                              ninho_filter **out, ninho_error *error);

/* Frees what it has; it may be zeroed memory. */
void collector_free(struct collector *collector);

#endif
