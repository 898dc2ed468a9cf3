/* SPDX-License-Identifier: MIT */
/* The front door: making filters, and keys as hashes. (Kinds are in kinds.c, specs in spec.c,
 * keys as bytes in keys.c, whole filters in whole.c, filters as bytes in encode.c and decode.c.)
 * Families are reached through ops.h only. */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/inline.h"
#include "base/status.h"
#include "filter/codec.h"
#include "filter/ops.h"
#include "filter/sharing.h"
#include "hash/hash.h"

/* ---- Life -------------------------------------------------------------------------- */

ninho_filter *nh_filter_new(const struct nh_family *family,
                            const struct nh_family *part_family, const ninho_alloc *alloc)
{
    const ninho_alloc from = nh_alloc_or_default(alloc);
    ninho_filter *filter = nh_alloc_zeroed(&from, sizeof *filter);

    if (!filter)
        return NULL;
    filter->family = family;
    filter->part_family = part_family;
    filter->alloc = from;
    filter->live.stats = &filter->stats;
    filter->live.scratch = &filter->scratch;
    filter->live.alloc = &filter->alloc;
    filter->live.pages = &filter->pages;
    filter->parts = &filter->only;
    if (family->compound) {
        filter->parts = nh_alloc_zeroed(&from, NH_MAX_PARTS * sizeof *filter->parts);
        if (!filter->parts) {
            nh_alloc_free(&from, filter, sizeof *filter);
            return NULL;
        }
    }
    return filter;
}

ninho_status nh_filter_append_part(ninho_filter *filter, const struct nh_part *geometry)
{
    struct nh_part *part = &filter->parts[filter->n_parts];
    struct nh_table table;

    if (!nh_live_table(&filter->live, geometry->size, &table))
        return NINHO_ERR_NOMEM;
    *part = *geometry;
    part->table = table;
    part->body = table.bytes;
    nh_attach(filter->part_family, part);
    filter->n_parts++;
    return NINHO_OK;
}

void ninho_filter_free(ninho_filter *filter)
{
    if (!filter)
        return;
    const ninho_alloc alloc = filter->alloc;
    nh_sharing_free(filter);
    if (filter->release) {
        filter->release(filter->borrowed, filter->borrowed_size);
    } else {
        nh_alloc_free(&alloc, filter->meta, NINHO_META_BYTES);
        nh_alloc_free(&alloc, filter->attachment, filter->attachment_size);
    }
    for (uint32_t i = 0; i < filter->n_parts; i++)
        nh_table_free(&alloc, &filter->parts[i].table);
    nh_alloc_free(&alloc, filter->scratch.bytes, filter->scratch.size);
    if (filter->parts != &filter->only)
        nh_alloc_free(&alloc, filter->parts, NH_MAX_PARTS * sizeof *filter->parts);
    nh_wipe(&filter->hasher, sizeof filter->hasher);
    nh_alloc_free(&alloc, filter, sizeof *filter);
}

/* What create and build share: a filter with one empty table. */
static ninho_status make(const ninho_spec *spec, const ninho_alloc *alloc,
                         ninho_filter **out, ninho_error *error)
{
    struct nh_geometry g;

    ninho_status status = nh_plan_geometry(spec, &g, error);
    if (status)
        return status;
    ninho_filter *filter = nh_filter_new(g.family, g.part_family, alloc);
    if (!filter)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    filter->live.observer = spec->observer;
    filter->live.context = spec->observer_context;
    filter->live.is_stopped = spec->is_stopped;
    filter->live.stop_context = spec->stop_context;
    filter->pages = spec->pages;
    nh_filter_hash_with(filter, spec->hash, spec->seed, spec->key_encoding);
    if (spec->secret) {
        memcpy(filter->hasher.secret, spec->secret, NINHO_SECRET_BYTES);
        filter->key_check = ninho_secret_check(spec->secret);
    }
    filter->capacity = spec->capacity;
    filter->options = g.options;
    filter->fpr = g.fpr;
    status = nh_filter_append_part(filter, &g.first);
    if (status) {
        ninho_filter_free(filter);
        return nh_fail(error, status,
                       "not enough memory: the table needs %" PRIu64 " bytes",
                       g.first.size);
    }
    *out = filter;
    return NINHO_OK;
}

static ninho_status read_spec_to_make(const ninho_spec *theirs, ninho_spec *spec,
                                      ninho_error *error)
{
    const ninho_status status = nh_read_spec(theirs, spec, error);
    if (status)
        return status;
    if (spec->hash == NINHO_HASH_SIPHASH && !spec->secret)
        return nh_fail(error, NINHO_ERR_KEY_MISSING,
                       "siphash needs a secret key of %d bytes", NINHO_SECRET_BYTES);
    return NINHO_OK;
}

ninho_status ninho_filter_create(const ninho_spec *theirs, const ninho_alloc *alloc,
                                 ninho_filter **out, ninho_error *error)
{
    ninho_spec spec;

    if (!out)
        return nh_fail(error, NINHO_ERR_ARG, "out is NULL");
    const ninho_status status = read_spec_to_make(theirs, &spec, error);
    if (status)
        return status;
    if (!(ninho_kind_can(spec.kind) & NINHO_CAN_ADD))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED,
                       "%s is built from all its keys at once",
                       ninho_kind_name(spec.kind));
    return make(&spec, alloc, out, error);
}

ninho_status ninho_filter_build(const ninho_spec *theirs, const uint64_t *hashes,
                                size_t n, const ninho_alloc *alloc, ninho_filter **out,
                                ninho_error *error)
{
    ninho_filter *filter = NULL;
    ninho_spec spec;

    if (!out || (n && !hashes))
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", out ? "hashes" : "out");
    ninho_status status = read_spec_to_make(theirs, &spec, error);
    if (!status)
        status = make(&spec, alloc, &filter, error);
    if (status)
        return status;
    if (filter->family->build) {
        status = filter->family->build(&filter->live, filter->parts, hashes, n, error);
        filter->count = filter->parts[0].count;
        nh_attach(filter->part_family,
                  filter->parts); /* to what was built: the seed is chosen now */
    } else {
        status = ninho_filter_add_many(filter, hashes, n, NULL);
        if (status)
            (void)nh_fail_to_add(filter, status, 1, error);
    }
    if (status) {
        ninho_filter_free(filter);
        return status;
    }
    *out = filter;
    return NINHO_OK;
}

ninho_status ninho_filter_copy(const ninho_filter *filter, const ninho_alloc *alloc,
                               ninho_filter **out, ninho_error *error)
{
    if (!filter || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", filter ? "out" : "filter");
    /* Queries are safe whatever a view's body holds; changes need one that is sound. */
    if (filter->is_read_only) {
        const ninho_status status = ninho_filter_verify(filter, error);
        if (status)
            return status;
    }
    return nh_filter_copy_sound(filter, alloc, out, error);
}

ninho_status nh_filter_copy_sound(const ninho_filter *filter, const ninho_alloc *alloc,
                                  ninho_filter **out, ninho_error *error)
{
    ninho_filter *copy = nh_filter_new(filter->family, filter->part_family, alloc);
    if (!copy)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    copy->pages = filter->pages;
    nh_filter_hash_with(copy, filter->hasher.id, filter->hasher.seed,
                        filter->key_encoding);
    copy->hasher = filter->hasher; /* the secret too */
    copy->key_check = filter->key_check;
    copy->capacity = filter->capacity;
    copy->count = filter->count;
    copy->options = filter->options;
    copy->fpr = filter->fpr;
    copy->count_is_estimate = filter->count_is_estimate;
    copy->has_uncounted = nh_has_uncounted(filter);
    copy->is_sealed = filter->is_sealed;
    ninho_status status = nh_meta_copy(copy, filter->meta, filter->meta_size);
    if (!status)
        status = ninho_filter_set_attachment(copy, filter->attachment,
                                             filter->attachment_size);
    for (uint32_t i = 0; !status && i < filter->n_parts; i++) {
        status = nh_filter_append_part(copy, &filter->parts[i]);
        if (!status)
            ninho_fetch_(copy->parts[i].body, filter->parts[i].body,
                         (size_t)filter->parts[i].size);
    }
    if (status) {
        ninho_filter_free(copy);
        return nh_fail(error, status, "not enough memory");
    }
    if (filter->parts[0].is_bare) { /* what the bytes did not say the table may */
        copy->parts[0].count = copy->count = nh_count_of(filter);
        copy->parts[0].is_bare = false;
    }
    *out = copy;
    return NINHO_OK;
}

/* ---- Keys as hashes ---------------------------------------------------------------- */

static ninho_status add_one(ninho_filter *filter, uint64_t hash)
{
    if (filter->family->compound)
        return filter->family->compound->add(filter, hash);
    const uint64_t before = filter->parts->count;
    const ninho_status status =
        filter->part_family->add(&filter->live, filter->parts, hash);
    filter->count += filter->parts->count - before;
    return status;
}

/* Not inlined, as few filters have readers. */
NH_NOINLINE static ninho_status add_beside_readers(ninho_filter *filter, uint64_t hash)
{
    nh_sharing_begin(filter, &hash, 1);
    const ninho_status status = add_one(filter, hash);
    nh_sharing_end(filter);
    return status;
}

ninho_status ninho_filter_add(ninho_filter *filter, uint64_t hash)
{
    if (!filter)
        return NINHO_ERR_ARG;
    if (filter->is_read_only || !(filter->family->can & NINHO_CAN_ADD))
        return NINHO_ERR_UNSUPPORTED;
    if (NINHO_SELDOM_(filter->live.sharing != NULL))
        return add_beside_readers(filter, hash);
    return add_one(filter, hash);
}

ninho_status ninho_filter_has_and_add(ninho_filter *filter, uint64_t hash,
                                      bool *was_there)
{
    bool has = false;

    if (!filter || !was_there)
        return NINHO_ERR_ARG;
    if (filter->is_read_only || !(filter->family->can & NINHO_CAN_ADD))
        return NINHO_ERR_UNSUPPORTED;
    ninho_status status;
    if (filter->family->has_and_add) {
        const uint64_t before = filter->parts->count;
        nh_change_begin(filter, &hash, 1);
        status = filter->family->has_and_add(&filter->live, filter->parts, hash, &has);
        nh_change_end(filter);
        filter->count += filter->parts->count - before;
    } else {
        has = ninho_filter_has(filter, hash);
        status = ninho_filter_add(filter, hash);
    }
    if (!status)
        *was_there = has;
    return status;
}

#define GROUP 32 /* keys whose lines are asked for before the first is looked at */

static void prefetch_group(const ninho_filter *filter, const struct nh_part *part,
                           const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; filter->part_family->prefetch && i < GROUP && i < n; i++)
        filter->part_family->prefetch(part, hashes[i]);
}

/* For kinds without a batch of their own, and for filters that are watched. */
static ninho_status add_one_by_one(ninho_filter *filter, const uint64_t *hashes, size_t n,
                                   size_t *n_added)
{
    ninho_status status = NINHO_OK;

    for (*n_added = 0; *n_added < n && !status; *n_added += !status) {
        if (*n_added % GROUP == 0)
            prefetch_group(filter, filter->parts, hashes + *n_added, n - *n_added);
        status = ninho_filter_add(filter, hashes[*n_added]);
    }
    return status;
}

ninho_status ninho_filter_add_many(ninho_filter *filter, const uint64_t *hashes, size_t n,
                                   size_t *n_added)
{
    size_t done = 0;
    ninho_status status = NINHO_OK;

    if (n_added)
        *n_added = 0;
    if (!filter || (n && !hashes))
        return NINHO_ERR_ARG;
    if (filter->is_read_only || !(filter->family->can & NINHO_CAN_ADD))
        return NINHO_ERR_UNSUPPORTED;
    /* Readers of tables that must not be read while they change look in between. */
    const bool is_whole =
        filter->live.sharing && nh_sharing_is_whole(filter->live.sharing);
    const bool has_batch = filter->family->compound ||
                           (filter->part_family->add_many && !filter->live.observer);
    if (is_whole || !has_batch) {
        status = add_one_by_one(filter, hashes, n, &done);
    } else if (filter->family->compound) {
        nh_change_begin(filter, NULL, 0);
        status = filter->family->compound->add_many(filter, hashes, n, &done);
        nh_change_end(filter);
    } else {
        const uint64_t before = filter->parts->count;
        nh_change_begin(filter, NULL, 0);
        status =
            filter->part_family->add_many(&filter->live, filter->parts, hashes, n, &done);
        nh_change_end(filter);
        filter->count += filter->parts->count - before;
    }
    if (n_added)
        *n_added = done;
    return status;
}

/* Not inlined: what it keeps in registers, ninho_filter_has would save for everyone. */
NH_NOINLINE bool nh_some_part_has(const ninho_filter *filter, uint64_t hash)
{
    for (uint32_t i = filter->n_parts; i-- > 0;) /* the newest is the largest */
        if (filter->parts[i].has(&filter->parts[i], hash))
            return true;
    return false;
}

bool ninho_filter_has(const ninho_filter *filter, uint64_t hash)
{
    return !filter || nh_filter_has(filter, hash);
}

static void has_one_by_one(const ninho_filter *filter, const struct nh_part *part,
                           const uint64_t *hashes, size_t n, uint64_t *maybe)
{
    for (size_t i = 0; i < n; i++) {
        if (i % GROUP == 0)
            prefetch_group(filter, part, hashes + i, n - i);
        maybe[i / 64] |= (uint64_t)filter->part_family->has(part, hashes[i]) << (i % 64);
    }
}

static size_t count_bits(const uint64_t *words, size_t n_words)
{
    size_t n = 0;

    for (size_t i = 0; i < n_words; i++)
        n += nh_popcount(words[i]);
    return n;
}

#define COUNT_GROUP 1024 /* keys asked at once where only their number is wanted */

/* Into a bitmap of our own, a group at a time. */
static size_t count_many(const ninho_filter *filter, const uint64_t *hashes, size_t n)
{
    uint64_t maybe[COUNT_GROUP / 64];
    size_t n_maybe = 0;

    for (size_t at = 0; at < n; at += COUNT_GROUP)
        n_maybe += ninho_filter_has_many(
            filter, hashes + at, n - at < COUNT_GROUP ? n - at : COUNT_GROUP, maybe);
    return n_maybe;
}

size_t ninho_filter_has_many(const ninho_filter *filter, const uint64_t *hashes, size_t n,
                             uint64_t *maybe)
{
    const size_t n_words = n / 64 + (n % 64 != 0);

    if (!n)
        return 0;
    if (!filter || !hashes) { /* who cannot be asked must not say "certainly not" */
        if (maybe)
            memset(maybe, 0xff, n_words * sizeof *maybe);
        if (maybe && n % 64)
            maybe[n_words - 1] = nh_low_mask(n % 64);
        return n;
    }
    if (!maybe)
        return count_many(filter, hashes, n);
    memset(maybe, 0, n_words * sizeof *maybe);
    for (uint32_t i = 0; i < filter->n_parts; i++) {
        if (filter->part_family->has_many)
            filter->part_family->has_many(&filter->parts[i], hashes, n, maybe);
        else
            has_one_by_one(filter, &filter->parts[i], hashes, n, maybe);
    }
    return count_bits(maybe, n_words);
}

static ninho_status remove_one(ninho_filter *filter, uint64_t hash)
{
    /* From the newest, which divides keys most finely: see scalable.c. */
    for (uint32_t i = filter->n_parts; i-- > 0;) {
        const ninho_status status =
            filter->part_family->remove(nh_live_of(filter, i), &filter->parts[i], hash);
        if (status == NINHO_OK)
            filter->count -= filter->count != 0;
        if (status != NINHO_ERR_NOT_FOUND)
            return status;
    }
    return NINHO_ERR_NOT_FOUND;
}

ninho_status ninho_filter_remove(ninho_filter *filter, uint64_t hash)
{
    if (!filter)
        return NINHO_ERR_ARG;
    if (filter->is_read_only || !filter->part_family->remove)
        return NINHO_ERR_UNSUPPORTED;
    if (!filter->family->compound && !filter->live.sharing) {
        /* a table that cannot remove says so itself */
        const ninho_status quick =
            filter->part_family->remove(&filter->live, filter->parts, hash);
        filter->count -= !quick && filter->count;
        return quick;
    }
    if (!(nh_filter_can(filter) & NINHO_CAN_REMOVE))
        return NINHO_ERR_UNSUPPORTED;
    nh_change_begin(filter, &hash, 1);
    const ninho_status status = remove_one(filter, hash);
    nh_change_end(filter);
    return status;
}

uint64_t ninho_filter_copies(const ninho_filter *filter, uint64_t hash)
{
    uint64_t sum = 0;

    if (!filter)
        return UINT64_MAX;
    for (uint32_t i = 0; i < filter->n_parts; i++)
        if (!nh_add_fits(sum, filter->part_family->copies(&filter->parts[i], hash), &sum))
            return UINT64_MAX;
    /* Kinds that keep no copies do not count them over the parts either. */
    return sum > 1 && !(nh_filter_can(filter) & NINHO_CAN_REMOVE) ? 1 : sum;
}
