/* SPDX-License-Identifier: MIT */
/* Makes a filter from keys that come one after another and are not known beforehand: what an aggregate
 * function of a database does.
 *
 * With a capacity, Bloom filters are made at once and keys are added in batches, in fixed memory. Otherwise the
 * hashes are kept, 8 bytes for each distinct one, and the filter is made at the end: without a capacity for as many as
 * there were; for kinds that are only built, or that two collectors could not unite; and for kinds that would keep a
 * copy for every row with the same value, where one is meant. */
#ifndef NINHO_INTEGRATIONS_COLLECTOR_H
#define NINHO_INTEGRATIONS_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#define COLLECTOR_BATCH 512

struct collector {
    ninho_spec spec;
    ninho_alloc alloc;
    ninho_filter *filter; /* NULL: hashes are kept */
    uint64_t *hashes;
    size_t n;    /* of them */
    size_t room; /* for them */
    size_t
        next_sort; /* how many there are to be before equal ones are looked for again */
};

/* Begins. spec->capacity 0 means that it is not known. `alloc` may be NULL. `limit` is the size in bytes
 * that the encoded filter may have: a plan above it is refused with NINHO_ERR_SPACE. Fails as
 * ninho_filter_create() does; then there is nothing to free. */
ninho_status collector_begin(struct collector *collector, const ninho_spec *spec,
                             const ninho_alloc *alloc, uint64_t limit,
                             ninho_error *error);

/* Takes a key. NINHO_ERR_NOMEM; NINHO_ERR_FULL if the filter has no room for more, told with its capacity. */
ninho_status collector_add(struct collector *collector, uint64_t hash,
                           ninho_error *error);

/* Takes all of another's keys, which was begun with an equal spec, and leaves it empty. */
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
