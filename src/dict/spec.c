/* SPDX-License-Identifier: MIT */
/* The kinds of dictionary, and the spec: reading and checking the caller's fields. */
#include <inttypes.h>
#include <string.h>

#include "base/status.h"
#include "base/versioned.h"
#include "dict/ops.h"
#include "hash/hash.h"

#define MAX_BUCKETS   (UINT64_C(1) << 40)
#define DEFAULT_MOVES 250

/* ---- Kinds ------------------------------------------------------------------------- */

static const struct nh_dict_ops *const kinds[] = {
    &nh_dict_chain,
    &nh_dict_probe,
    &nh_dict_cuckoo_table,
};

#define N_KINDS (sizeof kinds / sizeof *kinds)

const struct nh_dict_ops *nh_dict_ops_of(ninho_dict_kind kind)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i]->kind == kind)
            return kinds[i];
    return NULL;
}

const char *ninho_dict_kind_name(ninho_dict_kind kind)
{
    const struct nh_dict_ops *ops = nh_dict_ops_of(kind);
    return ops ? ops->name : NULL;
}

const char *ninho_dict_kind_summary(ninho_dict_kind kind)
{
    const struct nh_dict_ops *ops = nh_dict_ops_of(kind);
    return ops ? ops->summary : NULL;
}

ninho_dict_kind ninho_dict_kind_from_name(const char *name)
{
    for (size_t i = 0; name && i < N_KINDS; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i]->kind;
    return (ninho_dict_kind)0;
}

ninho_dict_kind ninho_dict_kind_at(size_t index)
{
    return index < N_KINDS ? kinds[index]->kind : (ninho_dict_kind)0;
}

/* ---- The spec ---------------------------------------------------------------------- */

/* Whether a number lies in its range; 0 was replaced by the default where there is one. */
static ninho_status check_range(ninho_field field, uint64_t least, uint64_t most,
                                uint64_t value, ninho_error *error)
{
    if (value >= least && value <= most)
        return NINHO_OK;
    return nh_fail_field(error, field, (double)least, (double)most,
                         "must be %" PRIu64 " to %" PRIu64 ", not %" PRIu64, least, most,
                         value);
}

/* What only a cuckoo table takes. */
static ninho_status check_options(const ninho_dict_spec *spec, ninho_error *error)
{
    const struct {
        ninho_field field;
        bool is_given;
    } given[] = {
        {NINHO_FIELD_N_FUNCTIONS, spec->n_functions != 0},
        {NINHO_FIELD_BUCKET_SIZE, spec->bucket_size != 0},
        {NINHO_FIELD_N_TABLES, spec->n_tables != 0},
        {NINHO_FIELD_STASH_SIZE, spec->stash_size != 0},
        {NINHO_FIELD_MAX_MOVES, spec->max_moves != 0},
        {NINHO_FIELD_N_BUCKETS, spec->n_buckets != 0},
    };

    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].is_given)
            return nh_fail_field(error, given[i].field, 0, 0,
                                 "is for kind cuckoo-table, not %s",
                                 ninho_dict_kind_name(spec->kind));
    if (spec->places)
        return nh_fail(error, NINHO_ERR_ARG, "places is for kind cuckoo-table, not %s",
                       ninho_dict_kind_name(spec->kind));
    return NINHO_OK;
}

static ninho_status check_cuckoo(ninho_dict_spec *spec, ninho_error *error)
{
    spec->n_functions = spec->n_functions ? spec->n_functions : 2;
    spec->bucket_size = spec->bucket_size ? spec->bucket_size : 4;
    spec->n_tables = spec->n_tables ? spec->n_tables : 1;
    spec->max_moves = spec->max_moves ? spec->max_moves : DEFAULT_MOVES;
    const struct {
        ninho_field field;
        uint64_t least, most, value;
    } ranges[] = {
        {NINHO_FIELD_N_FUNCTIONS, 2, 4, spec->n_functions},
        {NINHO_FIELD_BUCKET_SIZE, 1, 8, spec->bucket_size},
        {NINHO_FIELD_N_TABLES, 1, 2, spec->n_tables},
        {NINHO_FIELD_STASH_SIZE, 0, 16, spec->stash_size},
        {NINHO_FIELD_MAX_MOVES, 1, 1000, spec->max_moves},
        {NINHO_FIELD_N_BUCKETS, 0, MAX_BUCKETS, spec->n_buckets},
    };
    ninho_status status = NINHO_OK;

    for (size_t i = 0; !status && i < sizeof ranges / sizeof *ranges; i++)
        status = check_range(ranges[i].field, ranges[i].least, ranges[i].most,
                             ranges[i].value, error);
    return status;
}

static ninho_status check_hash(const ninho_dict_spec *spec, ninho_error *error)
{
    const ninho_status status =
        nh_hash_check(spec->hash, spec->key_encoding, spec->seed, spec->secret, error);
    if (status)
        return status;
    if (spec->hash == NINHO_HASH_SIPHASH && !spec->secret)
        return nh_fail(error, NINHO_ERR_KEY_MISSING,
                       "siphash needs a secret key of %d bytes", NINHO_SECRET_BYTES);
    return NINHO_OK;
}

static ninho_status check_capacity(const ninho_dict_spec *spec, ninho_error *error)
{
    if (spec->max_capacity > NH_DICT_MAX_CAPACITY)
        return nh_fail_field(error, NINHO_FIELD_MAX_CAPACITY, 0,
                             (double)NH_DICT_MAX_CAPACITY,
                             "must be at most 2^48, not %" PRIu64, spec->max_capacity);
    if (spec->capacity > NH_DICT_MAX_CAPACITY)
        return nh_fail_field(error, NINHO_FIELD_CAPACITY, 0, (double)NH_DICT_MAX_CAPACITY,
                             "must be at most 2^48, not %" PRIu64, spec->capacity);
    if (spec->max_capacity && spec->capacity > spec->max_capacity)
        return nh_fail_field(error, NINHO_FIELD_CAPACITY, 0, (double)spec->max_capacity,
                             "must be at most max_capacity, %" PRIu64 ", not %" PRIu64,
                             spec->max_capacity, spec->capacity);
    return NINHO_OK;
}

ninho_status nh_dict_read_spec(const ninho_dict_spec *theirs, ninho_dict_spec *spec,
                               ninho_error *error)
{
    *spec = (ninho_dict_spec)NINHO_DICT_SPEC_INIT;
    if (!theirs)
        return nh_fail(error, NINHO_ERR_ARG, "spec is NULL");
    if (!nh_struct_in(spec, sizeof *spec, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "spec is uninitialised: start from NINHO_DICT_SPEC_INIT");
    spec->size_of_struct = sizeof *spec;
    if (!spec->kind)
        spec->kind = NINHO_PROBE;
    if (!spec->key_encoding)
        spec->key_encoding = NINHO_KEY_BYTES;
    if (!nh_dict_ops_of(spec->kind))
        return nh_fail_field(error, NINHO_FIELD_KIND, 0, 0, "%d is unknown",
                             (int)spec->kind);
    if (spec->pages != NINHO_PAGES_AUTO && spec->pages != NINHO_PAGES_SMALL)
        return nh_fail_field(error, NINHO_FIELD_PAGES, 0, 0, "must be auto or small");
    ninho_status status = check_range(NINHO_FIELD_KEY_SIZE, 0, NINHO_DICT_MAX_KEY_SIZE,
                                      spec->key_size, error);
    if (!status)
        status = check_capacity(spec, error);
    if (!status)
        status = check_hash(spec, error);
    if (status)
        return status;
    return spec->kind == NINHO_CUCKOO_TABLE ? check_cuckoo(spec, error)
                                            : check_options(spec, error);
}
