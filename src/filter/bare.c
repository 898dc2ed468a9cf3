/* SPDX-License-Identifier: MIT */
/* The bare encoding: a table and a few bytes, for hosts that keep the rest. */
#include <inttypes.h>
#include <string.h>

#include "base/status.h"
#include "base/versioned.h"
#include "filter/codec.h"
#include "hash/hash.h"

ninho_status ninho_filter_encode_bare(const ninho_filter *filter, void *bytes,
                                      size_t capacity, size_t *size)
{
    uint8_t tail[NH_BARE_TAIL];

    if (!filter)
        return NINHO_ERR_ARG;
    if (!(filter->family->can & NINHO_CAN_BARE))
        return NINHO_ERR_UNSUPPORTED;
    const struct nh_part *part = filter->parts;
    const unsigned n_tail = filter->part_family->bare_tail(part, tail);
    const size_t needed = (size_t)part->size + n_tail;
    if (size)
        *size = needed;
    if (capacity < needed)
        return NINHO_ERR_SPACE;
    if (!bytes)
        return NINHO_ERR_ARG;
    memcpy(bytes, part->body, (size_t)part->size);
    memcpy((uint8_t *)bytes + part->size, tail, n_tail);
    return NINHO_OK;
}

ninho_status ninho_filter_view_bare(ninho_view *storage, const ninho_spec *theirs,
                                    const void *bytes, size_t size,
                                    const ninho_filter **out, ninho_error *error)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    if (!storage || !theirs || !out || (!bytes && size))
        return nh_fail(error, NINHO_ERR_ARG, "an argument is NULL");
    if (!nh_struct_in(&spec, sizeof spec, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "spec is uninitialised: start from NINHO_SPEC_INIT");
    const struct nh_family *family = nh_family_of(spec.kind);
    if (!family)
        return nh_fail_field(error, NINHO_FIELD_KIND, 0, 0, "%d is unknown",
                             (int)spec.kind);
    if (!(family->can & NINHO_CAN_BARE))
        return nh_fail(error, NINHO_ERR_UNSUPPORTED, "kind %s has no bare encoding",
                       family->name);
    if (!spec.hash)
        spec.hash = NINHO_HASH_XXH3;
    if (!spec.key_encoding)
        spec.key_encoding = NINHO_KEY_BYTES;
    const ninho_status status = nh_check_hash(&spec, error);
    if (status)
        return status;
    if (spec.capacity > NH_MAX_CAPACITY)
        return nh_fail_field(error, NINHO_FIELD_CAPACITY, 0, (double)NH_MAX_CAPACITY,
                             "must be at most 2^48, not %" PRIu64, spec.capacity);
    struct nh_part part = {.capacity = spec.capacity, .is_bare = true};
    const bool is_ours = family->bare_fits(bytes, size, &part);
    if (!part.capacity)
        part.capacity = 1;
    if (!is_ours || !family->fits(&part))
        return nh_fail(error, NINHO_ERR_FORMAT, "not the bare bytes of a %s filter",
                       family->name);
    ninho_filter *filter = nh_view_start(storage, family, family);
    nh_filter_hash_with(filter, spec.hash, spec.seed, spec.key_encoding);
    if (spec.hash == NINHO_HASH_SIPHASH) {
        if (!spec.secret)
            return nh_fail(error, NINHO_ERR_KEY_MISSING,
                           "the filter is keyed: its secret key is needed");
        memcpy(filter->hasher.secret, spec.secret, NINHO_SECRET_BYTES);
        filter->key_check = ninho_secret_check(spec.secret);
    }
    part.body = (uint8_t *)(uintptr_t)bytes;
    nh_attach(family, &part);
    filter->capacity = part.capacity;
    filter->fpr = spec.fpr > 0 && spec.fpr < 1
                      ? spec.fpr
                      : nh_fpr_stored(family->expected_fpr(&part, (double)part.capacity));
    filter->count_is_estimate = true; /* bare bytes do not say */
    filter->is_read_only = true;
    filter->parts[0] = part;
    filter->n_parts = 1;
    *out = filter;
    return NINHO_OK;
}

bool ninho_filter_has_bare(ninho_kind kind, const void *bytes, size_t size, uint64_t hash)
{
    const struct nh_family *family = nh_family_of(kind);

    if (!family || !(family->can & NINHO_CAN_BARE) || !bytes)
        return true;
    if (family->has_bare)
        return family->has_bare(bytes, size, hash);
    struct nh_part part = {.capacity = 1, .is_bare = true};
    if (!family->bare_fits(bytes, size, &part) || !family->fits(&part))
        return true;
    part.body = (uint8_t *)(uintptr_t)bytes; /* read-only: never written through */
    nh_attach(family, &part);
    return part.has(&part, hash);
}
