/* SPDX-License-Identifier: MIT */
#include "collector.h"

#include <stdio.h>
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

static ninho_status fail(ninho_error *error, ninho_status status, const char *text)
{
    if (error) {
        *error = (ninho_error){.status = status};
        (void)snprintf(error->text, sizeof error->text, "%s", text);
    }
    return status;
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
    if (error) {
        *error = (ninho_error){.status = NINHO_ERR_SPACE};
        (void)snprintf(error->text, sizeof error->text,
                       "a filter of %llu bytes: at most %llu can be kept here",
                       (unsigned long long)plan.size_bytes, (unsigned long long)limit);
    }
    return NINHO_ERR_SPACE;
}

#define DISTINCT_FROM ((size_t)1 << 16) /* hashes */

/* ---- Hashes -------------------------------------------------------------------------- */

#define FEW       32 /* so many are sorted faster by insertion */
#define MOST_BITS 11 /* of a digit */

static void insertion_sort(uint64_t *hashes, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t hash = hashes[i];
        size_t at = i;
        for (; at > 0 && hashes[at - 1] > hash; at--)
            hashes[at] = hashes[at - 1];
        hashes[at] = hash;
    }
}

/* How wide a digit to sort n hashes by: so that few of them share one, if their stretches are in the caches. */
static unsigned digit_bits(size_t n)
{
    if (n > (size_t)1 << 18)
        return 8;
    return n >= 4096 ? MOST_BITS : n >= 512 ? 8 : 5;
}

static size_t digit_of(uint64_t hash, unsigned shift, unsigned bits)
{
    return (size_t)(hash >> shift) & (((size_t)1 << bits) - 1);
}

/* Sorts by the lowest `left` bits, the others being equal: by a digit, in place, and what has one digit by the rest. At
 * most 13 calls deep. A comparing sort would take longer than the rest of an aggregate. */
static void radix_sort(uint64_t *hashes, size_t n, unsigned left)
{
    size_t ends[1 << MOST_BITS], next[1 << MOST_BITS];
    size_t at = 0;

    if (n <= FEW) {
        insertion_sort(hashes, n);
        return;
    }
    const unsigned wanted = digit_bits(n);
    unsigned bits, shift;
    do { /* equal hashes, of equal rows, are not to go deeper for each digit that they share */
        bits = wanted < left ? wanted : left;
        shift = left - bits;
        memset(ends, 0, sizeof *ends << bits);
        for (size_t i = 0; i < n; i++)
            ends[digit_of(hashes[i], shift, bits)]++;
        left = shift;
    } while (left && ends[digit_of(hashes[0], shift, bits)] == n);
    const size_t n_digits = (size_t)1 << bits;
    for (size_t d = 0; d < n_digits; d++) {
        next[d] = at;
        at += ends[d];
        ends[d] = at;
    }
    /* Each swap brings one hash to its digit's next free place, one digit after the other and as often as it takes: to
     * follow one hash until its own place is filled would let each swap wait for the one before. */
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (size_t d = 0; d < n_digits; d++) {
            for (size_t i = next[d]; i < ends[d]; i++) {
                const uint64_t hash = hashes[i];
                const size_t to = next[digit_of(hash, shift, bits)]++;
                hashes[i] = hashes[to];
                hashes[to] = hash;
            }
            is_done = is_done && next[d] == ends[d];
        }
    }
    at = 0;
    for (size_t d = 0; left && d < n_digits; at = ends[d++])
        if (ends[d] - at > 1)
            radix_sort(hashes + at, ends[d] - at, left);
}

/* Drops equal hashes. */
static void make_distinct(struct collector *collector)
{
    size_t n = 0;

    radix_sort(collector->hashes, collector->n, 64);
    for (size_t i = 0; i < collector->n; i++)
        if (i == 0 || collector->hashes[i] != collector->hashes[n - 1])
            collector->hashes[n++] = collector->hashes[i];
    collector->n = n;
}

static ninho_status make_room(struct collector *collector, size_t n, ninho_error *error)
{
    if (collector->n + n <= collector->room)
        return NINHO_OK;
    /* Rows with equal values are not to cost memory. Where few are equal it is not tried again before there are
     * sixteen times as many, so that all the sorting adds up to little more than the last. */
    if (!collector->filter && collector->n >= DISTINCT_FROM &&
        collector->n >= collector->next_sort) {
        make_distinct(collector);
        if (collector->n + n <= collector->room / 2)
            return NINHO_OK;
        collector->next_sort = 16 * collector->n;
    }
    size_t room = collector->room ? 2 * collector->room : COLLECTOR_BATCH;
    if (room < collector->n + n)
        room = collector->n + n;
    if (room > SIZE_MAX / 2 / sizeof(uint64_t))
        return fail(error, NINHO_ERR_NOMEM, "not enough memory");
    uint64_t *hashes =
        collector->alloc.alloc(collector->alloc.context, room * sizeof *hashes);
    if (!hashes)
        return fail(error, NINHO_ERR_NOMEM, "not enough memory");
    if (collector->n)
        memcpy(hashes, collector->hashes, collector->n * sizeof *hashes);
    if (collector->room)
        collector->alloc.free(collector->alloc.context, collector->hashes,
                              collector->room * sizeof *hashes);
    collector->hashes = hashes;
    collector->room = room;
    return NINHO_OK;
}

/* ---- Collecting ---------------------------------------------------------------------- */

/* Tells why adding failed, if it did. */
static ninho_status fail_adding(ninho_status status, uint64_t capacity,
                                ninho_error *error)
{
    if (status == NINHO_ERR_FULL && error) {
        *error = (ninho_error){.status = status};
        (void)snprintf(error->text, sizeof error->text,
                       "the filter is full: a larger capacity than %llu is wanted",
                       (unsigned long long)capacity);
    } else if (status) {
        return fail(error, status, ninho_status_text(status));
    }
    return status;
}

static ninho_status add_batch(struct collector *collector, ninho_error *error)
{
    if (collector->n == 0)
        return NINHO_OK;
    const ninho_status status =
        ninho_filter_add_many(collector->filter, collector->hashes, collector->n, NULL);
    collector->n = 0;
    return fail_adding(status, collector->spec.capacity, error);
}

ninho_status collector_begin(struct collector *collector, const ninho_spec *spec,
                             const ninho_alloc *alloc, uint64_t limit, ninho_error *error)
{
    const ninho_alloc plain = {.alloc = plain_alloc, .free = plain_free};
    ninho_spec tried = *spec;

    *collector = (struct collector){.spec = *spec, .alloc = alloc ? *alloc : plain};
    tried.capacity =
        spec->capacity ? spec->capacity : 1; /* a bad fpr or kind is told now */
    ninho_status status = check_size(&tried, limit, error);
    if (status || !is_streamed(spec))
        return status;
    status = make_room(collector, COLLECTOR_BATCH, error);
    if (!status)
        status = ninho_filter_create(spec, alloc, &collector->filter, error);
    if (status)
        collector_free(collector);
    return status;
}

ninho_status collector_add(struct collector *collector, uint64_t hash, ninho_error *error)
{
    ninho_status status = NINHO_OK;

    if (collector->filter && collector->n == COLLECTOR_BATCH)
        status = add_batch(collector, error);
    else if (!collector->filter)
        status = make_room(collector, 1, error);
    if (!status)
        collector->hashes[collector->n++] = hash;
    return status;
}

ninho_status collector_merge(struct collector *collector, struct collector *other,
                             ninho_error *error)
{
    ninho_status status = NINHO_OK;

    if (collector->filter && other->filter) {
        status = add_batch(other, error);
        if (!status)
            status = ninho_filter_union(collector->filter, other->filter, error);
    } else {
        status = make_room(collector, other->n, error);
        if (!status && other->n) {
            memcpy(collector->hashes + collector->n, other->hashes,
                   other->n * sizeof *other->hashes);
            collector->n += other->n;
        }
    }
    collector_free(other);
    return status;
}

ninho_status collector_flush(struct collector *collector, ninho_error *error)
{
    return collector->filter ? add_batch(collector, error) : NINHO_OK;
}

ninho_status collector_build(struct collector *collector, uint64_t limit,
                             ninho_filter **out, ninho_error *error)
{
    ninho_spec spec = collector->spec;

    make_distinct(collector);
    if (!spec.capacity)
        spec.capacity = collector->n ? collector->n : 1;
    ninho_status status = check_size(&spec, limit, error);
    if (status)
        return status;
    status = ninho_filter_build(&spec, collector->hashes, collector->n, &collector->alloc,
                                out, error);
    return status == NINHO_ERR_FULL ? fail_adding(status, spec.capacity, error) : status;
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
    if (collector->room)
        collector->alloc.free(collector->alloc.context, collector->hashes,
                              collector->room * sizeof *collector->hashes);
    collector->filter = NULL;
    collector->hashes = NULL;
    collector->n = collector->room = 0;
}
