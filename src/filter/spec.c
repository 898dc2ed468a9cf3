/* SPDX-License-Identifier: MIT */
/* From a spec to the geometry of a filter: reading and checking the caller's fields, and what
 * ninho_filter_plan() tells of the result. */
#include <inttypes.h>
#include <math.h>

#include "base/status.h"
#include "base/versioned.h"
#include "filter/codec.h"
#include "filter/ops.h"
#include "hash/hash.h"

#define MIN_FPR 0x1p-50
/* n keys and an absent one agree in all 64 hash bits with probability n 2^-64; at this
 * floor that adds at most one sixteenth to the promise. */
#define HASH_FLOOR 0x1p-60

static ninho_status check_fpr(const ninho_spec *spec, ninho_error *error)
{
    const uint64_t most = spec->max_capacity ? spec->max_capacity : spec->capacity;
    const double floor = (double)most * HASH_FLOOR;

    if ((spec->n_bits || spec->tag_bits) && spec->fpr == 0) /* by hand: its fpr follows */
        return NINHO_OK;
    if (!(spec->fpr > 0 && spec->fpr < 1)) /* NaN fails both */
        return nh_fail_field(error, NINHO_FIELD_FPR, MIN_FPR, 1,
                             "must lie between 0 and 1, both excluded, not %g",
                             spec->fpr);
    if (spec->fpr < MIN_FPR)
        return nh_fail_field(error, NINHO_FIELD_FPR, MIN_FPR, 1,
                             "must be at least 2^-50, about 8.9e-16, not %g", spec->fpr);
    if (spec->fpr < floor)
        return nh_fail_field(error, NINHO_FIELD_FPR, floor, 1,
                             "must be at least %.3g for %" PRIu64
                             " keys: 64-bit hashes cannot promise less",
                             floor, most);
    return NINHO_OK;
}

ninho_status nh_check_hash(const ninho_spec *spec, ninho_error *error)
{
    return nh_hash_check(spec->hash, spec->key_encoding, spec->seed, spec->secret, error);
}

static ninho_status check_capacity(const ninho_spec *spec, ninho_error *error)
{
    if (spec->capacity < 1 || spec->capacity > NH_MAX_CAPACITY)
        return nh_fail_field(error, NINHO_FIELD_CAPACITY, 1, (double)NH_MAX_CAPACITY,
                             "must be 1 to 2^48, not %" PRIu64, spec->capacity);
    if (spec->max_capacity &&
        (spec->max_capacity < spec->capacity || spec->max_capacity > NH_MAX_CAPACITY))
        return nh_fail_field(error, NINHO_FIELD_MAX_CAPACITY, (double)spec->capacity,
                             (double)NH_MAX_CAPACITY,
                             "must be the capacity, %" PRIu64 ", to 2^48, not %" PRIu64,
                             spec->capacity, spec->max_capacity);
    return NINHO_OK;
}

ninho_field nh_field_not_taken(const ninho_spec *spec)
{
    const struct {
        ninho_field field;
        bool is_given;
    } given[] = {
        {NINHO_FIELD_N_BITS, spec->n_bits != 0},
        {NINHO_FIELD_N_HASHES, spec->n_hashes != 0},
        {NINHO_FIELD_K_RULE, spec->k_rule != NINHO_K_BEST},
        {NINHO_FIELD_BASE, spec->base != 0},
        {NINHO_FIELD_GROWTH, spec->growth != 0},
        {NINHO_FIELD_MAX_CAPACITY, spec->max_capacity != 0},
        {NINHO_FIELD_TAG_BITS, spec->tag_bits != 0},
        {NINHO_FIELD_ARITY, spec->arity != 0},
        {NINHO_FIELD_SLOTS, spec->slots != 0},
        {NINHO_FIELD_PLACE_SLOTS, spec->place_slots != 0},
        {NINHO_FIELD_CHOICE, spec->choice != 0},
        {NINHO_FIELD_SEARCH, spec->search != 0},
        {NINHO_FIELD_PAIRING, spec->pairing != 0},
        {NINHO_FIELD_MAX_KICKS, spec->max_kicks != 0},
        {NINHO_FIELD_BUDGET, spec->budget != 0},
        {NINHO_FIELD_SEMANTICS, spec->semantics != NINHO_MULTISET},
        {NINHO_FIELD_N_SLOTS, spec->n_slots != 0},
        {NINHO_FIELD_PREFER, spec->prefer != 0},
    };

    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].is_given && !ninho_kind_takes(spec->kind, given[i].field))
            return given[i].field;
    return NINHO_FIELD_NONE;
}

static ninho_status check_options(const ninho_spec *spec, ninho_error *error)
{
    const ninho_field field = nh_field_not_taken(spec);
    char kinds[NH_KINDS_TEXT];

    if (!field)
        return NINHO_OK;
    return nh_fail_field(error, field, 0, 0, "is for kind %s, not %s",
                         nh_kinds_that_take(field, kinds), ninho_kind_name(spec->kind));
}

ninho_status nh_read_spec(const ninho_spec *theirs, ninho_spec *spec, ninho_error *error)
{
    *spec = (ninho_spec)NINHO_SPEC_INIT;
    if (!theirs)
        return nh_fail(error, NINHO_ERR_ARG, "spec is NULL");
    if (!nh_struct_in(spec, sizeof *spec, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "spec is uninitialised: start from NINHO_SPEC_INIT");
    spec->size_of_struct = sizeof *spec;
    if (!nh_family_of(spec->kind))
        return nh_fail_field(error, NINHO_FIELD_KIND, 0, 0, "%d is unknown",
                             (int)spec->kind);
    if (!spec->hash)
        spec->hash = NINHO_HASH_XXH3;
    if (!spec->key_encoding)
        spec->key_encoding = NINHO_KEY_BYTES;
    ninho_status status = check_options(spec, error);
    if (!status && spec->pages != NINHO_PAGES_AUTO && spec->pages != NINHO_PAGES_SMALL)
        status = nh_fail_field(error, NINHO_FIELD_PAGES, 0, 0, "must be auto or small");
    if (!status)
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

ninho_status nh_plan_geometry(const ninho_spec *spec, struct nh_geometry *g,
                              ninho_error *error)
{
    const struct nh_family *const family = nh_family_of(spec->kind);
    ninho_status status;

    *g = (struct nh_geometry){
        .family = family,
        .part_family = family,
        .fpr = spec->fpr,
        .first = {.capacity = spec->capacity},
    };
    if (family->compound)
        status = family->compound->plan(spec, g, error);
    else
        status = family->plan(spec, &g->first, error);
    if (!status && g->fpr == 0)
        g->fpr = nh_fpr_stored(
            g->part_family->expected_fpr(&g->first, (double)spec->capacity));
    return status;
}

static const char *note_on(const struct nh_geometry *g)
{
    if (g->family->compound)
        return g->family->compound->note(g);
    return g->family->note ? g->family->note(&g->first, g->fpr) : NULL;
}

ninho_status ninho_filter_plan(const ninho_spec *theirs, ninho_plan *plan,
                               ninho_error *error)
{
    struct nh_geometry g;
    ninho_spec spec;

    if (!plan)
        return nh_fail(error, NINHO_ERR_ARG, "plan is NULL");
    ninho_status status = nh_read_spec(theirs, &spec, error);
    if (!status)
        status = nh_plan_geometry(&spec, &g, error);
    if (status)
        return status;
    const uint64_t size = nh_framed_size(1, 0, g.first.size);
    ninho_plan ours = {
        .kind = spec.kind,
        .can = nh_can_of(g.family, g.part_family, &g.first),
        .capacity = spec.capacity,
        .fpr_target = g.fpr,
        .fpr_expected = g.part_family->expected_fpr(&g.first, (double)spec.capacity),
        .bits_per_key = 8.0 * (double)size / (double)spec.capacity,
        .size_bytes = size,
        .table_bytes = g.first.size,
        .n_cells = g.first.n_cells,
        .n_hashes = g.first.n_hashes,
        .tag_bits = nh_tag_bits_of(g.part_family, &g.first),
        .note = note_on(&g),
    };
    if (g.part_family->takes & NH_TAKES_CUCKOO) {
        ninho_spec made = NINHO_SPEC_INIT;
        g.part_family->spec_back(&g.first, &made);
        ours.slots = made.slots;
        ours.place_slots = made.place_slots;
        ours.load = (double)spec.capacity / (double)g.first.n_cells;
    }
    if (!nh_struct_out(plan, &ours, sizeof ours))
        return nh_fail(error, NINHO_ERR_ARG,
                       "plan is uninitialised: start from NINHO_PLAN_INIT");
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
