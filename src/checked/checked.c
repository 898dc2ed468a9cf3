/* SPDX-License-Identifier: MIT */
/* A filter and the exact dictionary of its keys, changed together or not at all. Built on the
 * public interface of both: it knows neither's inside.
 *
 *     file:  header | tables of the filter | attachment = the dictionary's own file
 *
 * That each key is kept once is no property of the filter (a set alone could not remove): it
 * stands in the filter's metadata, as ninho.semantics=set. */
#include <ninho/checked.h>

#include <assert.h>
#include <string.h>

#include <ninho/probe.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/versioned.h"

#define ONCE_NAME  "ninho.semantics"
#define ONCE_VALUE "set"

static_assert(sizeof ONCE_NAME + sizeof ONCE_VALUE == NINHO_CHECKED_META_BYTES,
              "each counts as its bytes, one for '=' and one for the end of the line");

struct ninho_checked {
    ninho_filter *filter;
    ninho_dict *dict;
    ninho_alloc alloc;
    bool is_once;
};

/* ---- Life -------------------------------------------------------------------------- */

static bool remembers_once(const ninho_filter *filter)
{
    char value[sizeof ONCE_VALUE];

    return ninho_filter_meta(filter, ONCE_NAME, value, sizeof value, NULL) ==
               sizeof value - 1 &&
           strcmp(value, ONCE_VALUE) == 0;
}

/* Whether a filter with these capabilities and keys can be checked at all. */
static ninho_status check_can(uint32_t can, ninho_key_encoding encoding,
                              ninho_error *error)
{
    if (!(can & NINHO_CAN_REMOVE))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED,
                       "only kinds that can remove keys can be checked");
    if (encoding == NINHO_KEY_HASHES || encoding == NINHO_KEY_KMER)
        return nh_fail(error, NINHO_ERR_UNSUPPORTED,
                       "keys of type %s cannot be kept in a dictionary beside the filter",
                       ninho_key_encoding_name(encoding));
    return NINHO_OK;
}

static ninho_status check_pair(const ninho_filter *filter, const ninho_dict *dict,
                               ninho_error *error)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    ninho_hasher hasher;

    (void)ninho_filter_spec(filter, &spec);
    (void)ninho_dict_info_of(dict, &info);
    const ninho_status keyed = ninho_filter_hasher(filter, &hasher);
    if (keyed == NINHO_ERR_KEY_MISSING)
        return nh_fail(error, keyed, "the filter is keyed: its secret key is needed");
    const ninho_status status =
        check_can(ninho_filter_can(filter), spec.key_encoding, error);
    if (status)
        return status;
    if (spec.key_encoding != info.key_encoding)
        return nh_fail_differ(error, NINHO_FIELD_KEY_ENCODING,
                              "differs: %s in the filter, %s in the dictionary",
                              ninho_key_encoding_name(spec.key_encoding),
                              ninho_key_encoding_name(info.key_encoding));
    return NINHO_OK;
}

ninho_status ninho_checked_join(ninho_filter *filter, ninho_dict *dict,
                                ninho_semantics semantics, const ninho_alloc *alloc,
                                ninho_checked **out, ninho_error *error)
{
    const ninho_alloc from = nh_alloc_or_default(alloc);
    const bool is_once = semantics == NINHO_SET;

    if (!filter || !dict || !out)
        return nh_fail(error, NINHO_ERR_ARG, "an argument is NULL");
    if (semantics != NINHO_SET && semantics != NINHO_MULTISET)
        return nh_fail_field(error, NINHO_FIELD_SEMANTICS, 0, 0,
                             "must be multiset or set");
    ninho_status status = check_pair(filter, dict, error);
    if (status)
        return status;
    ninho_checked *checked = nh_alloc_zeroed(&from, sizeof *checked);
    if (!checked)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    if (is_once != remembers_once(filter))
        status = ninho_filter_set_meta(filter, ONCE_NAME, is_once ? ONCE_VALUE : NULL);
    if (status) {
        nh_alloc_free(&from, checked, sizeof *checked);
        return nh_fail(error, status, "%s", ninho_status_text(status));
    }
    *checked = (ninho_checked){filter, dict, from, is_once};
    *out = checked;
    return NINHO_OK;
}

/* The dictionary has the filter's hash and secret, so that whoever cannot craft keys against
 * the one cannot against the other. */
static ninho_status make_dict(const ninho_spec *spec, const ninho_alloc *alloc,
                              ninho_dict **dict, ninho_error *error)
{
    ninho_dict_spec ours = NINHO_DICT_SPEC_INIT;

    ours.key_encoding = spec->key_encoding;
    ours.key_size = spec->key_encoding == NINHO_KEY_INT64  ? 8
                    : spec->key_encoding == NINHO_KEY_UUID ? 16
                                                           : 0;
    ours.pages = spec->pages;
    if (spec->hash == NINHO_HASH_SIPHASH) {
        ours.hash = NINHO_HASH_SIPHASH;
        ours.secret = spec->secret;
    }
    return ninho_dict_create(&ours, alloc, dict, error);
}

ninho_status ninho_checked_create(const ninho_spec *theirs, const ninho_alloc *alloc,
                                  ninho_checked **out, ninho_error *error)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_filter *filter = NULL;
    ninho_dict *dict = NULL;

    if (!theirs || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", out ? "spec" : "out");
    if (!nh_struct_in(&spec, sizeof spec, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "spec is uninitialised: start from NINHO_SPEC_INIT");
    spec.size_of_struct = sizeof spec;
    const ninho_semantics semantics = spec.semantics;
    spec.semantics = NINHO_MULTISET;
    ninho_status status = ninho_filter_plan(&spec, &plan, error);
    if (!status)
        status = check_can(plan.can, spec.key_encoding, error);
    if (!status)
        status = ninho_filter_create(&spec, alloc, &filter, error);
    if (!status)
        status = make_dict(&spec, alloc, &dict, error);
    if (!status)
        status = ninho_checked_join(filter, dict, semantics, alloc, out, error);
    if (status) {
        ninho_dict_free(dict);
        ninho_filter_free(filter);
    }
    return status;
}

ninho_status ninho_checked_of(ninho_filter *filter, const ninho_open_options *theirs,
                              ninho_checked **out, ninho_error *error)
{
    ninho_open_options options = NINHO_OPEN_INIT;
    ninho_dict *dict = NULL;
    size_t size = 0;

    if (!filter || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", filter ? "out" : "filter");
    if (theirs && !nh_struct_in(&options, sizeof options, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "options are uninitialised: start from NINHO_OPEN_INIT");
    options.size_of_struct = sizeof options;
    const void *bytes = ninho_filter_attachment(filter, &size);
    if (!bytes)
        return nh_fail(error, NINHO_ERR_NOT_FOUND, "there is no dictionary beside it");
    ninho_status status = ninho_dict_decode(bytes, size, &options, &dict, error);
    if (!status)
        status = ninho_checked_join(filter, dict,
                                    remembers_once(filter) ? NINHO_SET : NINHO_MULTISET,
                                    options.alloc, out, error);
    if (status)
        ninho_dict_free(dict);
    return status;
}

bool ninho_filter_is_checked(const ninho_filter *filter)
{
    ninho_probe_info info = NINHO_PROBE_INIT;
    size_t size = 0;
    const void *bytes = ninho_filter_attachment(filter, &size);

    const ninho_status status = ninho_probe(bytes, size, &info, NULL);
    return status == NINHO_ERR_VERSION || (status == NINHO_OK && info.is_dict);
}

void ninho_checked_free(ninho_checked *checked)
{
    if (!checked)
        return;
    const ninho_alloc alloc = checked->alloc;
    ninho_filter_free(checked->filter);
    ninho_dict_free(checked->dict);
    nh_alloc_free(&alloc, checked, sizeof *checked);
}

const ninho_filter *ninho_checked_filter(const ninho_checked *checked)
{
    return checked ? checked->filter : NULL;
}

const ninho_dict *ninho_checked_dict(const ninho_checked *checked)
{
    return checked ? checked->dict : NULL;
}

ninho_semantics ninho_checked_semantics(const ninho_checked *checked)
{
    return checked && checked->is_once ? NINHO_SET : NINHO_MULTISET;
}

/* ---- Keys -------------------------------------------------------------------------- */

uint64_t ninho_checked_copies(const ninho_checked *checked, const void *key,
                              size_t key_size)
{
    return checked ? ninho_dict_copies(checked->dict, key, key_size) : 0;
}

ninho_status ninho_checked_add_key(ninho_checked *checked, const void *key,
                                   size_t key_size, bool *was_there)
{
    if (!checked)
        return NINHO_ERR_ARG;
    const bool is_there = ninho_dict_copies(checked->dict, key, key_size) > 0;
    ninho_status status = NINHO_OK;
    if (!is_there || !checked->is_once) {
        /* The dictionary first: it can give the key back, whatever the filter says. */
        status = ninho_dict_add_copies(checked->dict, key, key_size, 1);
        if (status)
            return status;
        status = ninho_filter_add_key(checked->filter, key, key_size);
        if (status)
            (void)ninho_dict_take_copies(checked->dict, key, key_size, 1);
    }
    if (!status && was_there)
        *was_there = is_there;
    return status;
}

ninho_status ninho_checked_remove_key(ninho_checked *checked, const void *key,
                                      size_t key_size)
{
    if (!checked)
        return NINHO_ERR_ARG;
    if (!ninho_dict_copies(checked->dict, key, key_size))
        return NINHO_ERR_NOT_FOUND;
    const ninho_status status = ninho_filter_remove_key(checked->filter, key, key_size);
    if (status)
        return status == NINHO_ERR_NOT_FOUND ? NINHO_ERR_FORMAT : status;
    return ninho_dict_take_copies(checked->dict, key, key_size, 1);
}

/* ---- Agreement --------------------------------------------------------------------- */

static ninho_status check_agreement(const ninho_checked *checked, ninho_error *error)
{
    ninho_info info = NINHO_INFO_INIT;
    ninho_hasher hasher;
    const void *key = NULL;
    size_t key_size = 0;
    uint64_t cursor = 0, value = 0, total = 0;

    (void)ninho_filter_hasher(checked->filter, &hasher); /* join() has seen its secret */
    while (ninho_dict_next(checked->dict, &cursor, &key, &key_size, &value)) {
        const uint64_t copies = value ? value : 1;
        const uint64_t hash = ninho_hash_bytes(&hasher, key, key_size);
        if (ninho_filter_copies(checked->filter, hash) < copies)
            return nh_fail(error, NINHO_ERR_FORMAT,
                           "the dictionary beside the filter has keys, or copies of "
                           "keys, that the filter has not");
        total = total > UINT64_MAX - copies ? UINT64_MAX : total + copies;
    }
    (void)ninho_filter_info(checked->filter, &info);
    if (!info.count_is_estimate && info.count != total)
        return nh_fail(error, NINHO_ERR_FORMAT,
                       "the filter has %llu keys, and the dictionary beside it %llu",
                       (unsigned long long)info.count, (unsigned long long)total);
    return NINHO_OK;
}

/* ---- Union ------------------------------------------------------------------------- */

/* Takes the first n keys of `source`, with their copies, out of `dict` again. */
static void take_back(ninho_dict *dict, const ninho_dict *source, uint64_t n)
{
    const void *key = NULL;
    size_t key_size = 0;
    uint64_t cursor = 0, value = 0;

    while (n-- && ninho_dict_next(source, &cursor, &key, &key_size, &value))
        (void)ninho_dict_take_copies(dict, key, key_size, value ? value : 1);
}

/* Copies add up: the dictionaries first, since that can be taken back. */
static ninho_status unite_copies(ninho_checked *target, const ninho_checked *source,
                                 ninho_error *error)
{
    const void *key = NULL;
    size_t key_size = 0;
    uint64_t cursor = 0, value = 0, n_done = 0;
    ninho_status status = NINHO_OK;

    while (!status && ninho_dict_next(source->dict, &cursor, &key, &key_size, &value)) {
        status = ninho_dict_add_copies(target->dict, key, key_size, value ? value : 1);
        n_done += !status;
    }
    if (status)
        (void)ninho_error_set(error, status, "%s", ninho_status_text(status));
    else
        status = ninho_filter_union(target->filter, source->filter, error);
    if (status)
        take_back(target->dict, source->dict, n_done);
    return status;
}

/* Adds the keys of `source` that the target has not, and notes which they are, by their number,
 * in the bits of `added`. Returns how many it came to in *n. */
static ninho_status add_missing(ninho_checked *target, const ninho_checked *source,
                                uint8_t *added, uint64_t *n)
{
    const void *key = NULL;
    size_t key_size = 0;
    uint64_t cursor = 0;
    ninho_status status = NINHO_OK;

    for (*n = 0; !status && ninho_dict_next(source->dict, &cursor, &key, &key_size, NULL);
         ++*n) {
        bool was_there = false;
        status = ninho_checked_add_key(target, key, key_size, &was_there);
        if (!status && !was_there)
            added[*n / 8] |= (uint8_t)(1U << (*n % 8));
    }
    return status;
}

static void take_added(ninho_checked *target, const ninho_checked *source,
                       const uint8_t *added, uint64_t n)
{
    const void *key = NULL;
    size_t key_size = 0;
    uint64_t cursor = 0;

    for (uint64_t i = 0;
         i < n && ninho_dict_next(source->dict, &cursor, &key, &key_size, NULL); i++)
        if (added[i / 8] >> (i % 8) & 1)
            (void)ninho_checked_remove_key(target, key, key_size);
}

static ninho_status unite_once(ninho_checked *target, const ninho_checked *source,
                               ninho_error *error)
{
    const size_t size = (size_t)(ninho_dict_count(source->dict) / 8 + 1);
    uint64_t n = 0;

    /* Of filters that differ this says in what; what else it says is of no interest, and must
     * not be said. */
    if (ninho_filter_estimate_pair(target->filter, source->filter, NULL, NULL, NULL) ==
        NINHO_ERR_MISMATCH)
        return ninho_filter_estimate_pair(target->filter, source->filter, NULL, NULL,
                                          error);
    if (!(ninho_filter_can(target->filter) & NINHO_CAN_UNION))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED,
                       "filters of kind %s cannot be united",
                       ninho_kind_name(ninho_filter_kind(target->filter)));
    uint8_t *added = nh_alloc_zeroed(&target->alloc, size);
    if (!added)
        return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
    const ninho_status status = add_missing(target, source, added, &n);
    if (status) {
        take_added(target, source, added, n);
        (void)ninho_error_set(error, status, "%s", ninho_status_text(status));
    }
    nh_alloc_free(&target->alloc, added, size);
    return status;
}

ninho_status ninho_checked_union(ninho_checked *target, const ninho_checked *source,
                                 ninho_error *error)
{
    ninho_dict_info to = NINHO_DICT_INFO_INIT, from = NINHO_DICT_INFO_INIT;

    if (!target || !source || target == source)
        return nh_fail(error, NINHO_ERR_ARG, "two checked filters are needed");
    if (target->is_once != source->is_once)
        return nh_fail_differ(error, NINHO_FIELD_SEMANTICS,
                              "differs: only one of them keeps each key once");
    (void)ninho_dict_info_of(target->dict, &to);
    (void)ninho_dict_info_of(source->dict, &from);
    if (to.key_size != from.key_size)
        return nh_fail_differ(error, NINHO_FIELD_KEY_SIZE, "differs: %u and %u",
                              (unsigned)to.key_size, (unsigned)from.key_size);
    ninho_status status = check_agreement(target, error);
    if (!status)
        status = check_agreement(source, error);
    if (status)
        return status;
    return target->is_once ? unite_once(target, source, error)
                           : unite_copies(target, source, error);
}

/* ---- The whole --------------------------------------------------------------------- */

ninho_status ninho_checked_verify(const ninho_checked *checked, ninho_error *error)
{
    if (!checked)
        return nh_fail(error, NINHO_ERR_ARG, "checked is NULL");
    ninho_status status = ninho_filter_verify(checked->filter, error);
    if (!status)
        status = ninho_dict_verify(checked->dict, error);
    return status ? status : check_agreement(checked, error);
}

ninho_status ninho_checked_pack(ninho_checked *checked)
{
    if (!checked)
        return NINHO_ERR_ARG;
    const size_t size = ninho_dict_encoded_size(checked->dict);
    void *bytes = checked->alloc.alloc(checked->alloc.context, size);
    if (!bytes)
        return NINHO_ERR_NOMEM;
    ninho_status status = ninho_dict_encode(checked->dict, bytes, size, NULL);
    if (!status)
        status = ninho_filter_set_attachment(checked->filter, bytes, size);
    nh_alloc_free(&checked->alloc, bytes, size);
    return status;
}
