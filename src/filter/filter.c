/* SPDX-License-Identifier: MIT */
/* The front door: kinds, specs, making filters, and keys as hashes. (Keys as bytes are in
 * keys.c, whole filters in whole.c, filters as bytes in encode.c and decode.c.) Families are reached
 * through ops.h only. */
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

#define MIN_FPR 0x1p-50
/* n keys and an absent one agree in all 64 hash bits with probability n 2^-64; at this
 * floor that adds at most one sixteenth to the promise. */
#define HASH_FLOOR 0x1p-60

/* ---- Kinds ------------------------------------------------------------------------- */

static const struct nh_family *const families[] = {
    &nh_bloom,    &nh_blocked, &nh_counting, &nh_cuckoo,
    &nh_quotient, &nh_fuse,    &nh_compact,  &nh_scalable,
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

const char *ninho_can_name(uint32_t can, size_t index)
{
    /* bit 0, bit 1, ... */
    static const char *const names[] = {"add",      "remove", "union", "grow",
                                        "overfill", "view",   "bare",  "estimate"};

    for (size_t bit = 0; bit < sizeof names / sizeof *names; bit++)
        if ((can >> bit & 1) && index-- == 0)
            return names[bit];
    return NULL;
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

ninho_status nh_check_hash(const ninho_spec *spec, ninho_error *error)
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
    if (spec->capacity < 1 || spec->capacity > NH_MAX_CAPACITY)
        return nh_fail(error, NINHO_ERR_ARG, "capacity must be 1 to 2^48, not %" PRIu64,
                       spec->capacity);
    if (spec->max_capacity &&
        (spec->max_capacity < spec->capacity || spec->max_capacity > NH_MAX_CAPACITY))
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
        {NH_TAKES_PLACES, spec->slots != 0, "slots"},
        {NH_TAKES_PLACES, spec->place_slots != 0, "place_slots"},
        {NH_TAKES_PLACES, spec->choice != 0, "choice"},
        {NH_TAKES_PLACES, spec->search != 0, "search"},
        {NH_TAKES_PLACES, spec->pairing != 0, "pairing"},
        {NH_TAKES_PLACES, spec->max_kicks != 0, "max_kicks"},
        {NH_TAKES_PLACES, spec->budget != 0, "budget"},
        {NH_TAKES_PLACES, spec->semantics != NINHO_MULTISET, "semantics"},
        {NH_TAKES_SLOTS, spec->n_slots != 0, "n_slots"},
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
        spec->base = NINHO_BLOCKED; /* the fastest, for who does not ask */
    if ((*family)->takes & NH_TAKES_GROWTH && !spec->growth)
        spec->growth = 2;
    if (!is_enum((long)spec->pages, NINHO_PAGES_SMALL))
        return nh_fail(error, NINHO_ERR_ARG, "pages must be auto or small");
    status = check_capacity(spec, error);
    if (!status)
        status = check_fpr(spec, error);
    return status ? status : nh_check_hash(spec, error);
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
    ninho_plan ours = {
        .kind = spec.kind,
        .can = nh_can_of(g.family, g.cell, &g.first),
        .capacity = spec.capacity,
        .fpr_target = spec.fpr,
        .fpr_expected = g.cell->expected_fpr(&g.first, (double)spec.capacity),
        .bits_per_key = 8.0 * (double)size / (double)spec.capacity,
        .size_bytes = size,
        .table_bytes = g.first.size,
        .n_cells = g.first.n_cells,
        .n_hashes = g.first.n_hashes,
        .tag_bits = nh_tag_bits_of(g.cell, &g.first),
        .note = g.family->part_spec ? nh_scalable_note(nh_tag_bits_of(g.cell, &g.first))
                : g.cell->note      ? g.cell->note(&g.first, spec.fpr)
                                    : NULL,
    };
    if (g.cell->takes & NH_TAKES_PLACES) {
        ninho_spec made = NINHO_SPEC_INIT;
        g.cell->spec_back(&g.first, &made);
        ours.slots = made.slots;
        ours.place_slots = made.place_slots;
        ours.load = (double)spec.capacity / (double)g.first.n_cells;
    }
    if (!nh_struct_out(plan, &ours, sizeof ours))
        return nh_fail(error, NINHO_ERR_ARG,
                       "plan has no size: start from NINHO_PLAN_INIT");
    return NINHO_OK;
}

void ninho_spec_original(ninho_spec *spec)
{
    if (!spec)
        return;
    spec->slots = NINHO_BUCKETS;
    spec->place_slots = 4;
    spec->choice = NINHO_CHOICE_RANDOM;
    spec->search = NINHO_SEARCH_WALK;
    spec->pairing = NINHO_PAIRING_XOR;
    spec->max_kicks = 500;
    spec->budget = 0;
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
    filter->live.stats = &filter->stats;
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

/* Scratch memory for changes of this part too. */
static bool make_scratch(ninho_filter *filter, const struct nh_part *part)
{
    struct nh_live *const live = &filter->live;
    const size_t size = filter->cell->scratch_size ? filter->cell->scratch_size(part) : 0;

    if (size <= live->scratch_size)
        return true;
    void *const scratch = filter->alloc.alloc(filter->alloc.context, size);
    if (!scratch)
        return false;
    nh_alloc_free(&filter->alloc, live->scratch, live->scratch_size);
    live->scratch = scratch;
    live->scratch_size = size;
    return true;
}

ninho_status nh_filter_append_part(ninho_filter *filter, const struct nh_part *geometry)
{
    struct nh_part *part = &filter->parts[filter->n_parts];
    struct nh_table table;

    if (!make_scratch(filter, geometry))
        return NINHO_ERR_NOMEM;
    if (!nh_live_table(&filter->live, geometry->size, &table))
        return NINHO_ERR_NOMEM;
    *part = *geometry;
    part->table = table;
    part->body = table.bytes;
    nh_attach(filter->cell, part);
    filter->n_parts++;
    return NINHO_OK;
}

void ninho_filter_free(ninho_filter *filter)
{
    if (!filter)
        return;
    const ninho_alloc alloc = filter->alloc;
    if (filter->release) {
        filter->release(filter->borrowed, filter->borrowed_size);
    } else {
        nh_alloc_free(&alloc, filter->meta, NINHO_META_BYTES);
        nh_alloc_free(&alloc, filter->attachment, filter->attachment_size);
    }
    for (uint32_t i = 0; i < filter->n_parts; i++)
        nh_table_free(&alloc, &filter->parts[i].table);
    nh_alloc_free(&alloc, filter->live.scratch, filter->live.scratch_size);
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
    filter->live.is_stopped = spec->is_stopped;
    filter->live.stop_context = spec->stop_context;
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
        return nh_fail(error, NINHO_ERR_KEY_MISSING,
                       "siphash needs a secret key of %d bytes", NINHO_SECRET_BYTES);
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
            ninho_error_set(error, status, "%s", ninho_status_text(status));
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
    const uint64_t before = filter->parts->count;
    const ninho_status status = filter->cell->add(&filter->live, filter->parts, hash);
    filter->count += filter->parts->count - before;
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
        const uint64_t before = filter->parts->count;
        status = filter->cell->add_many(&filter->live, filter->parts, hashes, n, &done);
        filter->count += filter->parts->count - before;
    }
    if (n_added)
        *n_added = done;
    return status;
}

static bool some_part_has(const ninho_filter *filter, uint64_t hash)
{
    for (uint32_t i = filter->n_parts; i-- > 0;) /* the newest is the largest */
        if (filter->parts[i].has(&filter->parts[i], hash))
            return true;
    return false;
}

bool ninho_filter_has(const ninho_filter *filter, uint64_t hash)
{
    if (!filter)
        return true;
    if (filter->n_parts == 1)
        return filter->parts->has(filter->parts, hash);
    return some_part_has(filter, hash);
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
    if (filter->is_read_only || !(nh_filter_can(filter) & NINHO_CAN_REMOVE))
        return NINHO_ERR_UNSUPPORTED;
    /* From the newest, which divides keys most finely: see scalable.c. */
    for (uint32_t i = filter->n_parts; i-- > 0;) {
        const ninho_status status =
            filter->cell->remove(nh_live_of(filter, i), &filter->parts[i], hash);
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
    return sum > 1 && !(nh_filter_can(filter) & NINHO_CAN_REMOVE) ? 1 : sum;
}
