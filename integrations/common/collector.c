/* SPDX-License-Identifier: MIT */
#include "collector.h"

#include <stdlib.h>
#include <string.h>

static void *plain_alloc(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void plain_free(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

static ninho_status fail_no_memory(ninho_error *error)
{
    return ninho_error_set(error, NINHO_ERR_NOMEM, "not enough memory");
}

/* Can keys be added as they come? */
static bool is_streamed(const ninho_spec *spec)
{
    const uint32_t can = ninho_kind_can(spec->kind);
    return spec->capacity && (can & NINHO_CAN_ADD) && (can & NINHO_CAN_UNION) &&
           !(can & NINHO_CAN_REMOVE);
}

/* Refuses a filter whose bytes the host could not keep, before it is made. */
static ninho_status check_size(const ninho_spec *spec, uint64_t limit, ninho_error *error)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    const ninho_status status = ninho_filter_plan(spec, &plan, error);

    if (status || plan.size_bytes <= limit)
        return status;
    return ninho_error_set(
        error, NINHO_ERR_SPACE, "a filter of %llu bytes: at most %llu can be kept here",
        (unsigned long long)plan.size_bytes, (unsigned long long)limit);
}

/* Tells why adding failed, if it did. */
static ninho_status fail_adding(ninho_status status, uint64_t capacity,
                                ninho_error *error)
{
    if (status == NINHO_ERR_FULL)
        return ninho_error_set(
            error, status, "the filter is full: a larger capacity than %llu is wanted",
            (unsigned long long)capacity);
    if (status)
        return ninho_error_set(error, status, "%s", ninho_status_text(status));
    return NINHO_OK;
}

/* ---- Collecting ---------------------------------------------------------------------- */

static ninho_status add_batch(struct collector *collector, ninho_error *error)
{
    if (collector->n_batch == 0)
        return NINHO_OK;
    const ninho_status status = ninho_filter_add_many(collector->filter, collector->batch,
                                                      collector->n_batch, NULL);
    collector->n_batch = 0;
    return fail_adding(status, collector->spec.capacity, error);
}

ninho_status collector_begin(struct collector *collector, const ninho_spec *spec,
                             const ninho_alloc *alloc, uint64_t limit, ninho_error *error)
{
    const ninho_alloc plain = {.alloc = plain_alloc, .free = plain_free};
    ninho_spec tried = *spec;

    *collector = (struct collector){.spec = *spec, .bins.alloc = alloc ? *alloc : plain};
    tried.capacity =
        spec->capacity ? spec->capacity : 1; /* a bad fpr or kind is told now */
    ninho_status status = check_size(&tried, limit, error);
    if (status || !is_streamed(spec))
        return status;
    const ninho_alloc *from = &collector->bins.alloc;
    collector->batch =
        from->alloc(from->context, COLLECTOR_BATCH * sizeof *collector->batch);
    if (!collector->batch)
        return fail_no_memory(error);
    status = ninho_filter_create(spec, alloc, &collector->filter, error);
    if (status)
        collector_free(collector);
    return status;
}

void collector_set_pause(struct collector *collector, void (*pause)(void))
{
    collector->bins.pause = pause;
}

ninho_status collector_add(struct collector *collector, uint64_t hash, ninho_error *error)
{
    if (!collector->filter)
        return bins_add(&collector->bins, hash) ? NINHO_OK : fail_no_memory(error);
    if (collector->n_batch == COLLECTOR_BATCH) {
        const ninho_status status = add_batch(collector, error);
        if (status)
            return status;
    }
    collector->batch[collector->n_batch++] = hash;
    return NINHO_OK;
}

static bool is_same_spec(const ninho_spec *a, const ninho_spec *b)
{
    return a->kind == b->kind && a->capacity == b->capacity && a->fpr == b->fpr &&
           a->hash == b->hash && a->key_encoding == b->key_encoding;
}

static ninho_status take_hashes(struct collector *collector, const struct bins *from,
                                ninho_error *error)
{
    const struct bin *bin;

    for (size_t i = 0; (bin = bins_at(from, i)) != NULL; i++)
        for (size_t j = 0; j < bin->n; j++)
            if (!bins_add(&collector->bins, bin->hashes[j]))
                return fail_no_memory(error);
    return NINHO_OK;
}

ninho_status collector_merge(struct collector *collector, struct collector *other,
                             ninho_error *error)
{
    ninho_status status;

    if (!is_same_spec(&collector->spec, &other->spec)) {
        status = ninho_error_set(
            error, NINHO_ERR_MISMATCH,
            "capacity, fpr and kind must be the same in all rows of a group");
    } else if (collector->filter) {
        status = add_batch(other, error);
        if (!status)
            status = ninho_filter_union(collector->filter, other->filter, error);
    } else {
        status = take_hashes(collector, &other->bins, error);
    }
    collector_free(other);
    return status;
}

/* ---- The filter ---------------------------------------------------------------------- */

ninho_status collector_flush(struct collector *collector, ninho_error *error)
{
    return collector->filter ? add_batch(collector, error) : NINHO_OK;
}

/* Adds the hashes to an empty filter. */
static ninho_status add_bins(const struct bins *bins, ninho_filter *filter)
{
    ninho_status status = NINHO_OK;
    const struct bin *bin;

    for (size_t i = 0; !status && (bin = bins_at(bins, i)) != NULL; i++) {
        status = ninho_filter_add_many(filter, bin->hashes, bin->n, NULL);
        if (bins->pause)
            bins->pause();
    }
    return status;
}

static ninho_status make_by_adding(const struct bins *bins, const ninho_spec *spec,
                                   ninho_filter **out, ninho_error *error)
{
    ninho_filter *filter = NULL;
    ninho_status status = ninho_filter_create(spec, &bins->alloc, &filter, error);

    if (status)
        return status;
    status = add_bins(bins, filter);
    if (status) {
        ninho_filter_free(filter);
        return fail_adding(status, spec->capacity, error);
    }
    *out = filter;
    return NINHO_OK;
}

/* For kinds that want all hashes at once. */
static ninho_status make_at_once(const struct bins *bins, const ninho_spec *spec,
                                 ninho_filter **out, ninho_error *error)
{
    const size_t n = bins_count(bins);
    const size_t size = n * sizeof(uint64_t);
    uint64_t *all = NULL;

    if (bins->many) {
        all = bins->alloc.alloc(bins->alloc.context, size);
        if (!all)
            return fail_no_memory(error);
        bins_copy(bins, all);
    }
    const ninho_status status = ninho_filter_build(spec, all ? all : bins->few.hashes, n,
                                                   &bins->alloc, out, error);
    if (all)
        bins->alloc.free(bins->alloc.context, all, size);
    return status == NINHO_ERR_FULL ? fail_adding(status, spec->capacity, error) : status;
}

ninho_status collector_build(struct collector *collector, uint64_t limit,
                             ninho_filter **out, ninho_error *error)
{
    const bool can_add = ninho_kind_can(collector->spec.kind) & NINHO_CAN_ADD;
    ninho_spec spec = collector->spec;

    /* What is built at once takes any order, and equal hashes too, as long as they are not too many. */
    if ((can_add || bins_count(&collector->bins) > spec.capacity) &&
        !bins_make_distinct(&collector->bins))
        return fail_no_memory(error);
    if (!spec.capacity) {
        const size_t n = bins_count(&collector->bins);
        spec.capacity = n ? n : 1;
    }
    const ninho_status status = check_size(&spec, limit, error);
    if (status)
        return status;
    return can_add ? make_by_adding(&collector->bins, &spec, out, error)
                   : make_at_once(&collector->bins, &spec, out, error);
}

ninho_status collector_finish(struct collector *collector, uint64_t limit,
                              ninho_filter **out, ninho_error *error)
{
    if (!collector->filter)
        return collector_build(collector, limit, out, error);
    const ninho_status status = add_batch(collector, error);
    if (!status) {
        *out = collector->filter;
        collector->filter = NULL;
    }
    return status;
}

void collector_free(struct collector *collector)
{
    ninho_filter_free(collector->filter);
    if (collector->batch)
        collector->bins.alloc.free(collector->bins.alloc.context, collector->batch,
                                   COLLECTOR_BATCH * sizeof *collector->batch);
    bins_free(&collector->bins);
    collector->filter = NULL;
    collector->batch = NULL;
    collector->n_batch = 0;
}
