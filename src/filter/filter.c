/* SPDX-License-Identifier: MIT */
/* The front door: what is common to all kinds. Families are reached through ops.h
 * only. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/status.h"
#include "base/versioned.h"
#include "filter/codec.h"
#include "filter/ops.h"
#include "hash/hash.h"

#define MAX_CAPACITY (UINT64_C(1) << 48)
#define MIN_FPR      0x1p-50
/* n keys and an absent one agree in all 64 hash bits with probability n 2^-64; at this
 * floor that adds at most one sixteenth to the promise. */
#define HASH_FLOOR 0x1p-60

/* ---- Kinds ------------------------------------------------------------------------- */

static const struct nh_family *const families[] = {
    &nh_bloom, &nh_blocked, &nh_counting, &nh_quotient,
    &nh_fuse,  &nh_compact, &nh_scalable,
};

#define N_FAMILIES (sizeof families / sizeof *families)

const struct nh_family *nh_family_of(ninho_kind kind)
{
    for (size_t i = 0; i < N_FAMILIES; i++)
        if (families[i]->kind == kind)
            return families[i];
    return NULL;
}

const char *ninho_kind_name(ninho_kind kind)
{
    const struct nh_family *family = nh_family_of(kind);
    return family ? family->name : NULL;
}

const char *ninho_kind_summary(ninho_kind kind)
{
    const struct nh_family *family = nh_family_of(kind);
    return family ? family->summary : NULL;
}

ninho_kind ninho_kind_from_name(const char *name)
{
    for (size_t i = 0; name && i < N_FAMILIES; i++)
        if (strcmp(families[i]->name, name) == 0)
            return families[i]->kind;
    return (ninho_kind)0;
}

ninho_kind ninho_kind_at(size_t index)
{
    return index < N_FAMILIES ? families[index]->kind : (ninho_kind)0;
}

uint32_t ninho_kind_can(ninho_kind kind)
{
    const struct nh_family *family = nh_family_of(kind);
    return family ? family->can : 0;
}

/* ---- From spec to geometry --------------------------------------------------------- */

static ninho_status check_fpr(const ninho_spec *spec, ninho_error *error)
{
    const uint64_t most = spec->max_capacity ? spec->max_capacity : spec->capacity;

    if ((spec->n_bits || spec->tag_bits) && spec->fpr == 0) /* by hand: its fpr follows */
        return NINHO_OK;
    if (!(spec->fpr > 0 && spec->fpr < 1)) /* NaN fails both */
        return nh_fail(error, NINHO_ERR_ARG,
                       "fpr must lie between 0 and 1, both excluded, not %g", spec->fpr);
    if (spec->fpr < MIN_FPR)
        return nh_fail(error, NINHO_ERR_ARG,
                       "fpr must be at least 2^-50, about 8.9e-16, not %g", spec->fpr);
    if (spec->fpr < (double)most * HASH_FLOOR)
        return nh_fail(error, NINHO_ERR_ARG,
                       "fpr must be at least %.3g for %" PRIu64
                       " keys: 64-bit hashes cannot promise less",
                       (double)most * HASH_FLOOR, most);
    return NINHO_OK;
}

static ninho_status check_hash(const ninho_spec *spec, ninho_error *error)
{
    if (!ninho_hash_name(spec->hash))
        return nh_fail(error, NINHO_ERR_ARG, "unknown hash %d", (int)spec->hash);
    if (!ninho_key_encoding_name(spec->key_encoding))
        return nh_fail(error, NINHO_ERR_ARG, "unknown key encoding %d",
                       (int)spec->key_encoding);
    if (spec->hash == NINHO_HASH_SIPHASH && spec->seed)
        return nh_fail(error, NINHO_ERR_ARG,
                       "siphash takes a secret, not a seed: seed must be 0");
    if (spec->hash != NINHO_HASH_SIPHASH && spec->secret)
        return nh_fail(error, NINHO_ERR_ARG,
                       "a secret key goes with hash siphash only, not %s",
                       ninho_hash_name(spec->hash));
    return NINHO_OK;
}

static ninho_status check_capacity(const ninho_spec *spec, ninho_error *error)
{
    if (spec->capacity < 1 || spec->capacity > MAX_CAPACITY)
        return nh_fail(error, NINHO_ERR_ARG, "capacity must be 1 to 2^48, not %" PRIu64,
                       spec->capacity);
    if (spec->max_capacity &&
        (spec->max_capacity < spec->capacity || spec->max_capacity > MAX_CAPACITY))
        return nh_fail(error, NINHO_ERR_ARG,
                       "max_capacity must be the capacity, %" PRIu64
                       ", to 2^48, not %" PRIu64,
                       spec->capacity, spec->max_capacity);
    return NINHO_OK;
}

/* Refuses an option that the kind does not take, and says whose it is. */
static ninho_status check_options(const ninho_spec *spec, const struct nh_family *family,
                                  ninho_error *error)
{
    const struct {
        uint32_t option;
        bool is_given;
        const char *name;
    } options[] = {
        {NH_TAKES_BITS, spec->n_bits != 0, "n_bits"},
        {NH_TAKES_HASHES, spec->n_hashes != 0, "n_hashes"},
        {NH_TAKES_K_RULE, spec->k_rule != NINHO_K_BEST, "k_rule"},
        {NH_TAKES_BASE, spec->base != 0, "base"},
        {NH_TAKES_GROWTH, spec->growth != 0, "growth"},
        {NH_TAKES_MAX_CAPACITY, spec->max_capacity != 0, "max_capacity"},
        {NH_TAKES_TAG_BITS, spec->tag_bits != 0, "tag_bits"},
        {NH_TAKES_ARITY, spec->arity != 0, "arity"},
    };
    char kinds[100] = "";

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!options[i].is_given || family->takes & options[i].option)
            continue;
        for (size_t j = 0; j < N_FAMILIES; j++) {
            if (!(families[j]->takes & options[i].option))
                continue;
            const size_t n = strlen(kinds);
            snprintf(kinds + n, sizeof kinds - n, "%s%s", n ? ", " : "",
                     families[j]->name);
        }
        return nh_fail(error, NINHO_ERR_ARG, "%s is for kind %s, not %s", options[i].name,
                       kinds, family->name);
    }
    return NINHO_OK;
}

static bool is_enum(long value, long last)
{
    return value >= 0 && value <= last;
}

/* Reads the caller's spec into ours, with defaults for 0, and checks what all kinds
 * share. */
static ninho_status read_spec(const ninho_spec *theirs, ninho_spec *spec,
                              const struct nh_family **family, ninho_error *error)
{
    *spec = (ninho_spec)NINHO_SPEC_INIT;
    if (!theirs || !nh_struct_in(spec, sizeof *spec, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "spec has no size, or fields that this library does not know");
    spec->size_of_struct = sizeof *spec;
    *family = nh_family_of(spec->kind);
    if (!*family)
        return nh_fail(error, NINHO_ERR_ARG, "unknown kind %d", (int)spec->kind);
    if (!spec->hash)
        spec->hash = NINHO_HASH_XXH3;
    if (!spec->key_encoding)
        spec->key_encoding = NINHO_KEY_BYTES;
    ninho_status status = check_options(spec, *family, error);
    if (status)
        return status;
    if ((*family)->takes & NH_TAKES_BASE && !spec->base)
        spec->base = NINHO_BLOCKED;
    if ((*family)->takes & NH_TAKES_GROWTH && !spec->growth)
        spec->growth = 2;
    if (!is_enum((long)spec->pages, NINHO_PAGES_SMALL))
        return nh_fail(error, NINHO_ERR_ARG, "pages must be auto or small");
    status = check_capacity(spec, error);
    if (!status)
        status = check_fpr(spec, error);
    return status ? status : check_hash(spec, error);
}

double nh_fpr_stored(double fpr)
{
    int exponent;

    if (fpr < NH_MIN_FPR)
        return NH_MIN_FPR;
    if (fpr > 1 - 0x1p-20)
        return 1 - 0x1p-20;
    const double digits = frexp(fpr, &exponent);
    return ldexp(floor(digits * 0x1p20 + 0.5), exponent - 20);
}

struct geometry {
    const struct nh_family *family, *cell;
    uint64_t options;
    struct nh_part first;
};

static ninho_status plan_geometry(ninho_spec *spec, struct geometry *g,
                                  ninho_error *error)
{
    ninho_spec first = *spec;
    ninho_status status = NINHO_OK;

    g->options = 0;
    g->cell = g->family;
    if (g->family->part_spec) {
        status = g->family->part_spec(spec, 0, &first, error);
        if (status)
            return status;
        g->options = (uint64_t)spec->base | (uint64_t)spec->growth << 16;
        g->cell = g->family->cell_of(g->options);
    }
    g->first = (struct nh_part){.capacity = first.capacity};
    status = g->cell->plan(&first, &g->first, error);
    if (status)
        return status;
    if (spec->fpr == 0)
        spec->fpr =
            nh_fpr_stored(g->cell->expected_fpr(&g->first, (double)spec->capacity));
    return NINHO_OK;
}

static uint32_t can_of(const struct nh_family *family, const struct nh_family *cell,
                       const struct nh_part *part)
{
    return family->can | (cell->grows && cell->grows(part) ? NINHO_CAN_GROW : 0U);
}

static uint32_t tag_bits_of(const struct nh_family *cell, const struct nh_part *part)
{
    return cell->tag_bits ? cell->tag_bits(part) : 0;
}

ninho_status ninho_filter_plan(const ninho_spec *theirs, ninho_plan *plan,
                               ninho_error *error)
{
    struct geometry g;
    ninho_spec spec;

    if (!plan)
        return nh_fail(error, NINHO_ERR_ARG, "plan is NULL");
    ninho_status status = read_spec(theirs, &spec, &g.family, error);
    if (status)
        return status;
    status = plan_geometry(&spec, &g, error);
    if (status)
        return status;
    const uint64_t size = nh_framed_size(1, 0, g.first.size);
    const ninho_plan ours = {
        .kind = spec.kind,
        .can = can_of(g.family, g.cell, &g.first),
        .capacity = spec.capacity,
        .fpr_target = spec.fpr,
        .fpr_expected = g.cell->expected_fpr(&g.first, (double)spec.capacity),
        .bits_per_key = 8.0 * (double)size / (double)spec.capacity,
        .size_bytes = size,
        .table_bytes = g.first.size,
        .n_cells = g.first.n_cells,
        .n_hashes = g.first.n_hashes,
        .tag_bits = tag_bits_of(g.cell, &g.first),
        .note = g.cell->note ? g.cell->note(&g.first, spec.fpr) : NULL,
    };
    if (!nh_struct_out(plan, &ours, sizeof ours))
        return nh_fail(error, NINHO_ERR_ARG,
                       "plan has no size: start from NINHO_PLAN_INIT");
    return NINHO_OK;
}

/* ---- Life -------------------------------------------------------------------------- */

ninho_filter *nh_filter_new(const struct nh_family *family, const struct nh_family *cell,
                            const ninho_alloc *alloc)
{
    const ninho_alloc from = nh_alloc_or_default(alloc);
    ninho_filter *filter = nh_alloc_zeroed(&from, sizeof *filter);

    if (!filter)
        return NULL;
    filter->family = family;
    filter->cell = cell;
    filter->alloc = from;
    filter->live.alloc = &filter->alloc;
    filter->live.pages = &filter->pages;
    filter->parts = &filter->only;
    if (family->part_spec) {
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
    if (filter->cell->attach)
        filter->cell->attach(part);
    filter->n_parts++;
    return NINHO_OK;
}

void ninho_filter_free(ninho_filter *filter)
{
    if (!filter)
        return;
    const ninho_alloc alloc = filter->alloc;
    if (filter->map) {
        nh_unmap(filter);
    } else {
        nh_alloc_free(&alloc, filter->meta, NINHO_META_BYTES);
        nh_alloc_free(&alloc, filter->attachment, filter->attachment_size);
    }
    for (uint32_t i = 0; i < filter->n_parts; i++)
        nh_table_free(&alloc, &filter->parts[i].table);
    if (filter->parts != &filter->only)
        nh_alloc_free(&alloc, filter->parts, NH_MAX_PARTS * sizeof *filter->parts);
    nh_alloc_free(&alloc, filter, sizeof *filter);
}

/* What create and build share: a filter with one empty table. */
static ninho_status make(const ninho_spec *spec, const struct nh_family *family,
                         const ninho_alloc *alloc, ninho_filter **out, ninho_error *error)
{
    struct geometry g = {.family = family};
    ninho_spec ours = *spec;

    ninho_status status = plan_geometry(&ours, &g, error);
    if (status)
        return status;
    ninho_filter *filter = nh_filter_new(g.family, g.cell, alloc);
    if (!filter)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    filter->live.observer = spec->observer;
    filter->live.context = spec->observer_context;
    filter->pages = spec->pages;
    filter->hasher = (ninho_hasher){.id = spec->hash, .seed = spec->seed};
    if (spec->secret) {
        memcpy(filter->hasher.secret, spec->secret, NINHO_SECRET_BYTES);
        filter->key_check = ninho_secret_check(spec->secret);
    }
    filter->key_encoding = spec->key_encoding;
    filter->capacity = spec->capacity;
    filter->options = g.options;
    filter->fpr = ours.fpr;
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
                                      const struct nh_family **family, ninho_error *error)
{
    const ninho_status status = read_spec(theirs, spec, family, error);
    if (status)
        return status;
    if (spec->hash == NINHO_HASH_SIPHASH && !spec->secret)
        return nh_fail(error, NINHO_ERR_KEY, "siphash needs a secret key of %d bytes",
                       NINHO_SECRET_BYTES);
    return NINHO_OK;
}

ninho_status ninho_filter_create(const ninho_spec *theirs, const ninho_alloc *alloc,
                                 ninho_filter **out, ninho_error *error)
{
    const struct nh_family *family;
    ninho_spec spec;

    if (!out)
        return nh_fail(error, NINHO_ERR_ARG, "out is NULL");
    const ninho_status status = read_spec_to_make(theirs, &spec, &family, error);
    if (status)
        return status;
    if (!(family->can & NINHO_CAN_ADD))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED,
                       "%s is built from all its keys at once", family->name);
    return make(&spec, family, alloc, out, error);
}

ninho_status ninho_filter_build(const ninho_spec *theirs, const uint64_t *hashes,
                                size_t n, const ninho_alloc *alloc, ninho_filter **out,
                                ninho_error *error)
{
    const struct nh_family *family;
    ninho_filter *filter = NULL;
    ninho_spec spec;

    if (!out || (n && !hashes))
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", out ? "hashes" : "out");
    ninho_status status = read_spec_to_make(theirs, &spec, &family, error);
    if (!status)
        status = make(&spec, family, alloc, &filter, error);
    if (status)
        return status;
    if (family->build) {
        status = family->build(&filter->live, filter->parts, hashes, n, error);
        filter->count = filter->parts[0].count;
    } else {
        status = ninho_filter_add_many(filter, hashes, n, NULL);
        if (status)
            nh_error_set(error, status, "%s", ninho_status_text(status));
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
    ninho_filter *copy = nh_filter_new(filter->family, filter->cell, alloc);
    if (!copy)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    copy->pages = filter->pages;
    copy->hasher = filter->hasher;
    copy->key_encoding = filter->key_encoding;
    copy->key_check = filter->key_check;
    copy->capacity = filter->capacity;
    copy->count = filter->count;
    copy->options = filter->options;
    copy->fpr = filter->fpr;
    copy->count_is_estimate = filter->count_is_estimate;
    copy->is_sealed = filter->is_sealed;
    ninho_status status = nh_meta_copy(copy, filter->meta, filter->meta_size);
    if (!status)
        status = ninho_filter_set_attachment(copy, filter->attachment,
                                             filter->attachment_size);
    for (uint32_t i = 0; !status && i < filter->n_parts; i++) {
        status = nh_filter_append_part(copy, &filter->parts[i]);
        if (!status)
            memcpy(copy->parts[i].body, filter->parts[i].body,
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

ninho_status ninho_filter_add(ninho_filter *filter, uint64_t hash)
{
    if (!filter)
        return NINHO_ERR_ARG;
    if (filter->is_read_only || !(filter->family->can & NINHO_CAN_ADD))
        return NINHO_ERR_UNSUPPORTED;
    if (filter->family->part_spec)
        return nh_scalable_add(filter, hash);
    const ninho_status status = filter->cell->add(&filter->live, filter->parts, hash);
    if (!status)
        filter->count++;
    return status;
}

#define GROUP 32 /* keys whose lines are asked for before the first is looked at */

static void prefetch_group(const ninho_filter *filter, const struct nh_part *part,
                           const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; filter->cell->prefetch && i < GROUP && i < n; i++)
        filter->cell->prefetch(part, hashes[i]);
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
    if (filter->family->part_spec) {
        status = nh_scalable_add_many(filter, hashes, n, &done);
    } else if (filter->live.observer || !filter->cell->add_many) {
        status = add_one_by_one(filter, hashes, n, &done);
    } else {
        status = filter->cell->add_many(filter->parts, hashes, n, &done);
        filter->count += done;
    }
    if (n_added)
        *n_added = done;
    return status;
}

bool ninho_filter_has(const ninho_filter *filter, uint64_t hash)
{
    if (!filter)
        return true;
    for (uint32_t i = filter->n_parts; i-- > 0;) /* the newest is the largest */
        if (filter->cell->has(&filter->parts[i], hash))
            return true;
    return false;
}

static void has_one_by_one(const ninho_filter *filter, const struct nh_part *part,
                           const uint64_t *hashes, size_t n, uint64_t *maybe)
{
    for (size_t i = 0; i < n; i++) {
        if (i % GROUP == 0)
            prefetch_group(filter, part, hashes + i, n - i);
        maybe[i / 64] |= (uint64_t)filter->cell->has(part, hashes[i]) << (i % 64);
    }
}

size_t ninho_filter_has_many(const ninho_filter *filter, const uint64_t *hashes, size_t n,
                             uint64_t *maybe)
{
    const size_t n_words = n / 64 + (n % 64 != 0);
    size_t n_maybe = 0;

    if (!maybe || !n)
        return 0;
    if (!filter || !hashes) { /* who cannot be asked must not say "certainly not" */
        memset(maybe, 0xff, n_words * sizeof *maybe);
        if (n % 64)
            maybe[n_words - 1] = nh_low_mask(n % 64);
        return n;
    }
    memset(maybe, 0, n_words * sizeof *maybe);
    for (uint32_t i = 0; i < filter->n_parts; i++) {
        if (filter->cell->has_many)
            filter->cell->has_many(&filter->parts[i], hashes, n, maybe);
        else
            has_one_by_one(filter, &filter->parts[i], hashes, n, maybe);
    }
    for (size_t i = 0; i < n_words; i++)
        n_maybe += nh_popcount(maybe[i]);
    return n_maybe;
}

ninho_status ninho_filter_remove(ninho_filter *filter, uint64_t hash)
{
    if (!filter)
        return NINHO_ERR_ARG;
    if (filter->is_read_only || !(filter->family->can & NINHO_CAN_REMOVE))
        return NINHO_ERR_UNSUPPORTED;
    for (uint32_t i = filter->n_parts; i-- > 0;) {
        const ninho_status status =
            filter->cell->remove(&filter->live, &filter->parts[i], hash);
        if (status == NINHO_OK)
            filter->count -= filter->count != 0;
        if (status != NINHO_ERR_NOT_FOUND)
            return status;
    }
    return NINHO_ERR_NOT_FOUND;
}

uint64_t ninho_filter_copies(const ninho_filter *filter, uint64_t hash)
{
    uint64_t sum = 0;

    if (!filter)
        return UINT64_MAX;
    for (uint32_t i = 0; i < filter->n_parts; i++)
        if (!nh_add_fits(sum, filter->cell->copies(&filter->parts[i], hash), &sum))
            return UINT64_MAX;
    /* Kinds that keep no copies do not count them over the parts either. */
    return sum > 1 && !(filter->family->can & NINHO_CAN_REMOVE) ? 1 : sum;
}

/* ---- Keys as bytes ----------------------------------------------------------------- */

ninho_status ninho_filter_hasher(const ninho_filter *filter, ninho_hasher *hasher)
{
    if (!filter || !hasher)
        return NINHO_ERR_ARG;
    if (filter->key_encoding == NINHO_KEY_HASHES)
        return NINHO_ERR_UNSUPPORTED;
    if (filter->is_sealed)
        return NINHO_ERR_KEY;
    *hasher = filter->hasher;
    return NINHO_OK;
}

/* Whether a key of that shape can be asked for, and its hash. */
static ninho_status hash_key(const ninho_filter *filter, const void *key, size_t key_size,
                             uint64_t *hash)
{
    if (!filter || (!key && key_size))
        return NINHO_ERR_ARG;
    if (filter->key_encoding == NINHO_KEY_HASHES)
        return NINHO_ERR_UNSUPPORTED;
    if (filter->is_sealed)
        return NINHO_ERR_KEY;
    if ((filter->key_encoding == NINHO_KEY_INT64 && key_size != 8) ||
        (filter->key_encoding == NINHO_KEY_UUID && key_size != 16))
        return NINHO_ERR_ARG;
    *hash = ninho_hash_bytes(&filter->hasher, key, key_size);
    return NINHO_OK;
}

ninho_status ninho_filter_add_key(ninho_filter *filter, const void *key, size_t key_size)
{
    uint64_t hash;
    const ninho_status status = hash_key(filter, key, key_size, &hash);
    return status ? status : ninho_filter_add(filter, hash);
}

bool ninho_filter_has_key(const ninho_filter *filter, const void *key, size_t key_size)
{
    uint64_t hash;
    return hash_key(filter, key, key_size, &hash) || ninho_filter_has(filter, hash);
}

ninho_status ninho_filter_remove_key(ninho_filter *filter, const void *key,
                                     size_t key_size)
{
    uint64_t hash;
    const ninho_status status = hash_key(filter, key, key_size, &hash);
    return status ? status : ninho_filter_remove(filter, hash);
}

#define KEY_GROUP 256 /* hashes kept on the stack at once; a multiple of 64 */

ninho_status ninho_filter_add_keys(ninho_filter *filter, const void *const *keys,
                                   const size_t *key_sizes, size_t n, size_t *n_added)
{
    uint64_t hashes[KEY_GROUP];
    size_t done = 0;
    ninho_status status = NINHO_OK;

    if (n_added)
        *n_added = 0;
    if (!filter || (n && (!keys || !key_sizes)))
        return NINHO_ERR_ARG;
    while (!status && done < n) {
        size_t n_group = 0, n_done = 0;
        ninho_status shape = NINHO_OK;
        while (n_group < KEY_GROUP && done + n_group < n && !shape) {
            const size_t i = done + n_group;
            shape = hash_key(filter, keys[i], key_sizes[i], &hashes[n_group]);
            n_group += !shape;
        }
        status = ninho_filter_add_many(filter, hashes, n_group, &n_done);
        done += n_done;
        if (!status)
            status = shape;
    }
    if (n_added)
        *n_added = done;
    return status;
}

size_t ninho_filter_has_keys(const ninho_filter *filter, const void *const *keys,
                             const size_t *key_sizes, size_t n, uint64_t *maybe)
{
    uint64_t hashes[KEY_GROUP];
    size_t n_maybe = 0;

    if (!filter || !keys || !key_sizes)
        return ninho_filter_has_many(NULL, NULL, n, maybe);
    if (!maybe)
        return 0;
    for (size_t at = 0; at < n; at += KEY_GROUP) {
        const size_t n_group = n - at < KEY_GROUP ? n - at : KEY_GROUP;
        uint64_t unasked[KEY_GROUP / 64] = {0}; /* keys whose shape cannot be asked for */
        for (size_t i = 0; i < n_group; i++) {
            hashes[i] = 0;
            if (hash_key(filter, keys[at + i], key_sizes[at + i], &hashes[i]))
                unasked[i / 64] |= UINT64_C(1) << (i % 64);
        }
        ninho_filter_has_many(filter, hashes, n_group, maybe + at / 64);
        for (size_t i = 0; i < (n_group + 63) / 64; i++) {
            maybe[at / 64 + i] |= unasked[i];
            n_maybe += nh_popcount(maybe[at / 64 + i]);
        }
    }
    return n_maybe;
}

/* ---- Whole filters ----------------------------------------------------------------- */

uint64_t ninho_filter_count(const ninho_filter *filter)
{
    return filter ? filter->count : 0;
}

/* Back to the geometry as created, for an emptied table that grew in place. Without
 * memory for a smaller one it stays where it is and uses less of it. */
static void shrink(ninho_filter *filter)
{
    struct nh_part *part = filter->parts;
    const uint64_t size = part->size;
    struct nh_table table;

    filter->cell->as_created(part);
    if (part->size == size || !nh_live_table(&filter->live, part->size, &table))
        return;
    nh_table_free(&filter->alloc, &part->table);
    part->table = table;
    part->body = table.bytes;
}

ninho_status ninho_filter_clear(ninho_filter *filter)
{
    if (!filter)
        return NINHO_ERR_ARG;
    if (filter->is_read_only || !(filter->family->can & NINHO_CAN_ADD))
        return NINHO_ERR_UNSUPPORTED;
    for (; filter->n_parts > 1; filter->n_parts--)
        nh_table_free(&filter->alloc, &filter->parts[filter->n_parts - 1].table);
    memset(filter->parts[0].body, 0, (size_t)filter->parts[0].size);
    if (filter->cell->as_created)
        shrink(filter);
    filter->parts[0].count = 0;
    filter->count = 0;
    filter->count_is_estimate = false;
    return NINHO_OK;
}

static ninho_status mismatch(const char *field, uint64_t a, uint64_t b,
                             ninho_error *error)
{
    return nh_fail(error, NINHO_ERR_MISMATCH, "%s differs: %" PRIu64 " and %" PRIu64,
                   field, a, b);
}

static ninho_status mismatch_name(const char *field, const char *a, const char *b,
                                  ninho_error *error)
{
    return nh_fail(error, NINHO_ERR_MISMATCH, "%s differs: %s and %s", field, a, b);
}

/* Geometries as they were created, so that one table may have grown further than the
 * other. */
static ninho_status check_geometry(const ninho_filter *a, const ninho_filter *b,
                                   ninho_error *error)
{
    struct nh_part p = a->parts[0], q = b->parts[0];

    if (a->cell->as_created) {
        a->cell->as_created(&p);
        a->cell->as_created(&q);
    }
    if (p.n_cells != q.n_cells)
        return mismatch("table size", p.n_cells, q.n_cells, error);
    if (p.n_hashes != q.n_hashes)
        return mismatch("number of hashes", p.n_hashes, q.n_hashes, error);
    if (tag_bits_of(a->cell, &p) != tag_bits_of(a->cell, &q))
        return mismatch("number of tag bits", tag_bits_of(a->cell, &p),
                        tag_bits_of(a->cell, &q), error);
    if (p.words[0] != q.words[0] || p.words[1] != q.words[1] || a->options != b->options)
        return nh_fail(error, NINHO_ERR_MISMATCH, "options differ");
    return NINHO_OK;
}

/* Whether two filters could be united. */
static ninho_status check_alike(const ninho_filter *a, const ninho_filter *b,
                                ninho_error *error)
{
    if (a->family != b->family)
        return mismatch_name("kind", a->family->name, b->family->name, error);
    if (!(a->family->can & NINHO_CAN_UNION))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED,
                       "filters of kind %s cannot be united", a->family->name);
    if (a->key_encoding != b->key_encoding)
        return mismatch_name("key encoding", ninho_key_encoding_name(a->key_encoding),
                             ninho_key_encoding_name(b->key_encoding), error);
    if (a->hasher.id != b->hasher.id)
        return mismatch_name("hash", ninho_hash_name(a->hasher.id),
                             ninho_hash_name(b->hasher.id), error);
    if (a->hasher.seed != b->hasher.seed)
        return mismatch("seed", a->hasher.seed, b->hasher.seed, error);
    if (a->key_check != b->key_check)
        return nh_fail(error, NINHO_ERR_MISMATCH, "secret key differs");
    return check_geometry(a, b, error);
}

/* What the count of a union is. Copies add up; of sets only an estimate can be had,
 * unless one of them was empty or they are the same. */
static void count_union(ninho_filter *target, const ninho_filter *source,
                        uint64_t source_count)
{
    uint64_t sum;
    struct nh_tally tally;

    /* Copies double when a filter is united with itself again and again; the count stops
     * where it can still be stored, with room for more adds than there is time for. */
    if (!nh_add_fits(target->count, source_count, &sum) || sum > NH_MAX_COUNT / 2)
        sum = NH_MAX_COUNT / 2;
    if (target->family->can & NINHO_CAN_REMOVE) {
        target->count = sum;
        target->count_is_estimate |= source->count_is_estimate;
    } else if (source_count == 0 && !source->count_is_estimate) {
        return;
    } else if (target->count == 0 && !target->count_is_estimate) {
        target->count = source_count;
        target->count_is_estimate = source->count_is_estimate;
    } else if (target != source) {
        target->cell->tally(target->parts, NULL, &tally);
        target->count = tally.n_keys < (double)sum ? (uint64_t)(tally.n_keys + 0.5) : sum;
        target->count_is_estimate = true;
    }
    target->parts[0].count = target->count;
}

ninho_status ninho_filter_union(ninho_filter *target, const ninho_filter *source,
                                ninho_error *error)
{
    if (!target || !source)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", target ? "source" : "target");
    ninho_status status = check_alike(target, source, error);
    if (status)
        return status;
    if (target->is_read_only)
        return nh_fail(error, NINHO_ERR_UNSUPPORTED, "target is read-only");
    const uint64_t source_count = nh_count_of(source);
    status = target->cell->unite(&target->live, target->parts, source->parts);
    if (status)
        return nh_fail(error, status, "%s", ninho_status_text(status));
    count_union(target, source, source_count);
    return NINHO_OK;
}

ninho_status ninho_filter_estimate(const ninho_filter *filter, double *n_keys)
{
    double sum = 0;

    if (!filter || !n_keys)
        return NINHO_ERR_ARG;
    if (!(filter->family->can & NINHO_CAN_ESTIMATE))
        return NINHO_ERR_UNSUPPORTED;
    for (uint32_t i = 0; i < filter->n_parts; i++) {
        struct nh_tally tally;
        filter->cell->tally(&filter->parts[i], NULL, &tally);
        sum += tally.n_keys;
    }
    if (isinf(sum))
        return NINHO_ERR_FULL;
    *n_keys = sum;
    return NINHO_OK;
}

ninho_status ninho_filter_estimate_pair(const ninho_filter *a, const ninho_filter *b,
                                        double *n_union, double *n_intersection,
                                        ninho_error *error)
{
    struct nh_tally of_a, of_b, of_both;

    if (!a || !b)
        return nh_fail(error, NINHO_ERR_ARG, "a filter is NULL");
    const ninho_status status = check_alike(a, b, error);
    if (status)
        return status;
    if (!(a->family->can & NINHO_CAN_ESTIMATE))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED, "kind %s cannot estimate",
                       a->family->name);
    a->cell->tally(a->parts, NULL, &of_a);
    b->cell->tally(b->parts, NULL, &of_b);
    a->cell->tally(a->parts, b->parts, &of_both);
    if (isinf(of_both.n_keys))
        return nh_fail(error, NINHO_ERR_FULL,
                       "every bit is set: nothing can be estimated");
    const double common = of_a.n_keys + of_b.n_keys - of_both.n_keys;
    if (n_union)
        *n_union = of_both.n_keys;
    if (n_intersection)
        *n_intersection = common > 0 ? common : 0;
    return NINHO_OK;
}

bool ninho_filter_next_fingerprint(const ninho_filter *filter, uint64_t *cursor,
                                   uint64_t *fingerprint)
{
    return filter && cursor && fingerprint && filter->cell->next_fingerprint &&
           filter->cell->next_fingerprint(filter->parts, cursor, fingerprint);
}

ninho_status ninho_filter_info(const ninho_filter *filter, ninho_info *info)
{
    uint64_t used = 0, cells = 0;
    double log_miss = 0; /* ln P(no part is wrong): 1 - p would lose small ones */

    if (!filter || !info)
        return NINHO_ERR_ARG;
    const struct nh_part *newest = &filter->parts[filter->n_parts - 1];
    const uint64_t size = ninho_filter_encoded_size(filter);
    const uint64_t keys =
        filter->count > filter->capacity ? filter->count : filter->capacity;
    ninho_info ours = {
        .kind = filter->family->kind,
        .hash = filter->hasher.id,
        .key_encoding = filter->key_encoding,
        .can = can_of(filter->family, filter->cell, newest),
        .capacity = filter->capacity,
        .count = filter->count,
        .fpr_target = filter->fpr,
        .bits_per_key = 8.0 * (double)size / (double)keys,
        .size_bytes = size,
        .seed = filter->hasher.seed,
        .n_cells = newest->n_cells,
        .n_hashes = newest->n_hashes,
        .tag_bits = tag_bits_of(filter->cell, newest),
        .n_parts = filter->n_parts,
        .format_version = NINHO_FORMAT_VERSION,
        .count_is_estimate = filter->count_is_estimate,
        .is_keyed = filter->key_check != 0,
        .is_sealed = filter->is_sealed,
        .is_read_only = filter->is_read_only,
        .has_huge_pages = newest->table.has_huge_pages,
    };
    for (uint32_t i = 0; i < filter->n_parts; i++) {
        struct nh_tally tally;
        filter->cell->tally(&filter->parts[i], NULL, &tally);
        used += tally.used;
        cells += tally.cells;
        log_miss += log1p(-tally.fpr);
        ours.table_bytes += filter->parts[i].size;
    }
    ours.fpr_expected = log_miss < 0 ? -expm1(log_miss) : 0;
    ours.load = cells ? (double)used / (double)cells : 0;
    return nh_struct_out(info, &ours, sizeof ours) ? NINHO_OK : NINHO_ERR_ARG;
}

ninho_spec nh_filter_spec_of(const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = filter->family->kind;
    spec.hash = filter->hasher.id;
    spec.key_encoding = filter->key_encoding;
    spec.pages = filter->pages;
    spec.capacity = filter->capacity;
    spec.fpr = filter->fpr;
    spec.seed = filter->hasher.seed;
    if (filter->family->part_spec) {
        spec.base = (ninho_kind)(filter->options & 0xffff);
        spec.growth = (uint32_t)(filter->options >> 16);
    } else {
        filter->cell->spec_back(filter->parts, &spec);
    }
    return spec;
}

ninho_status ninho_filter_spec(const ninho_filter *filter, ninho_spec *spec)
{
    if (!filter || !spec)
        return NINHO_ERR_ARG;
    const ninho_spec ours = nh_filter_spec_of(filter);
    return nh_struct_out(spec, &ours, sizeof ours) ? NINHO_OK : NINHO_ERR_ARG;
}

ninho_status ninho_filter_verify(const ninho_filter *filter, ninho_error *error)
{
    if (!filter)
        return nh_fail(error, NINHO_ERR_ARG, "filter is NULL");
    ninho_status status = nh_verify_body(filter, error);
    for (uint32_t i = 0; !status && i < filter->n_parts; i++)
        status = filter->cell->verify(&filter->parts[i], error);
    return status;
}
