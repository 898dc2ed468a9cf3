/* SPDX-License-Identifier: MIT */
/* Handles: what <ninho/inline.h> needs to know of a filter to look keys up by itself. */
#include <string.h>

#include <ninho/inline.h>

#include "base/status.h"
#include "filter/cuckoo.h"
#include "filter/fuse.h"
#include "filter/ops.h"
#include "filter/sharing.h"

/* Any of them. */
union handle {
    ninho_blocked_handle blocked;
    ninho_bloom_handle bloom;
    ninho_cuckoo_handle cuckoo;
    ninho_fuse_handle fuse;
    ninho_near_handle near;
    ninho_ribbon_handle ribbon;
    ninho_blocked_adder blocked_adder;
    ninho_bloom_adder bloom_adder;
};

ninho_handle_keys nh_handle_keys_of(const ninho_filter *filter)
{
    return (ninho_handle_keys){.hasher = &filter->hasher,
                               .flip = filter->word_flip,
                               .takes_words = filter->takes_words,
                               .key_size = (uint32_t)nh_key_size_of(filter),
                               .status = nh_can_hash(filter)};
}

static size_t fill_cuckoo(const ninho_filter *filter, ninho_cuckoo_handle *handle)
{
    const struct nh_part *const part = filter->parts;
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);

    *handle = (ninho_cuckoo_handle){part->body,
                                    part->size,
                                    part->cached.cuckoo,
                                    nh_cuckoo_word_pairing(&t),
                                    filter,
                                    nh_handle_keys_of(filter)};
    return sizeof *handle;
}

static size_t fill_fuse(const ninho_filter *filter, ninho_fuse_handle *handle)
{
    const struct nh_fuse_shape s = nh_fuse_shape_of(filter->parts);

    *handle = (ninho_fuse_handle){
        filter->parts->body,      s.region, s.inside, s.turn, s.arity, s.bits, filter,
        nh_handle_keys_of(filter)};
    if (filter->parts->stored[1]) /* a seed */
        handle->arity = 0;
    return sizeof *handle;
}

/* Fills what looks keys up; returns how large it is, 0 if there is none for the kind. */
static size_t fill_handle(const ninho_filter *filter, union handle *handle)
{
    const struct nh_part *const part = filter->parts;

    switch (filter->family->kind) {
    case NINHO_BLOCKED:
        handle->blocked =
            (ninho_blocked_handle){part->body, part->n_cells, nh_handle_keys_of(filter)};
        return sizeof handle->blocked;
    case NINHO_BLOOM:
        handle->bloom = (ninho_bloom_handle){part->body, part->n_cells, part->n_hashes,
                                             nh_handle_keys_of(filter)};
        return sizeof handle->bloom;
    case NINHO_CUCKOO:
        return fill_cuckoo(filter, &handle->cuckoo);
    case NINHO_FUSE:
        return fill_fuse(filter, &handle->fuse);
    case NINHO_RIBBON:
        handle->ribbon =
            (ninho_ribbon_handle){part->body, part->cached.ribbon, part->stored[1] != 0,
                                  filter, nh_handle_keys_of(filter)};
        return sizeof handle->ribbon;
    default:
        return 0;
    }
}

/* The same of what adds them. */
static size_t fill_adder(ninho_filter *filter, union handle *handle)
{
    struct nh_part *const part = filter->parts;

    switch (filter->family->kind) {
    case NINHO_BLOCKED:
        handle->blocked_adder = (ninho_blocked_adder){part->body,
                                                      part->n_cells,
                                                      {&part->count, &filter->count},
                                                      &filter->has_uncounted,
                                                      nh_handle_keys_of(filter)};
        return sizeof handle->blocked_adder;
    case NINHO_BLOOM:
        handle->bloom_adder = (ninho_bloom_adder){part->body,
                                                  part->n_cells,
                                                  part->n_hashes,
                                                  {&part->count, &filter->count},
                                                  &filter->has_uncounted,
                                                  nh_handle_keys_of(filter)};
        return sizeof handle->bloom_adder;
    default:
        return 0;
    }
}

static ninho_status copy_out(const union handle *made, size_t size, void *handle,
                             size_t layout, ninho_error *error)
{
    if (layout != (size | (size_t)NINHO_HANDLE_LAYOUT_ << 16))
        return nh_fail(error, NINHO_ERR_VERSION,
                       "the program was compiled with the headers of another version");
    memcpy(handle, made, size);
    return NINHO_OK;
}

static ninho_status check(const ninho_filter *filter, ninho_kind kind, const void *handle,
                          ninho_error *error)
{
    if (!filter || !handle)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", filter ? "handle" : "filter");
    if (filter->family->kind != kind)
        return nh_fail(error, NINHO_ERR_ARG, "a handle of kind %s is not for kind %s",
                       ninho_kind_name(kind), filter->family->name);
    return NINHO_OK;
}

ninho_status ninho_handle_of_(const ninho_filter *filter, ninho_kind kind, void *handle,
                              size_t layout, ninho_error *error)
{
    union handle made;
    const ninho_status status = check(filter, kind, handle, error);

    return status ? status
                  : copy_out(&made, fill_handle(filter, &made), handle, layout, error);
}

ninho_status ninho_near_handle_of_(const ninho_filter *filter, void *handle,
                                   size_t layout, ninho_error *error)
{
    union handle made;
    const ninho_status status = check(filter, NINHO_CUCKOO, handle, error);

    if (status)
        return status;
    const struct nh_part *const part = filter->parts;
    const struct nh_cuckoo_shape t = nh_cuckoo_of(part);
    if (nh_cuckoo_word_pairing(&t) != NINHO_PAIRING_NEAR || !filter->takes_words)
        return nh_fail(error, NINHO_ERR_UNSUPPORTED,
                       "this handle is for pairing near, with a spare bucket, and xxh3");
    made.near =
        (ninho_near_handle){part->body, part->cached.cuckoo, nh_handle_keys_of(filter)};
    return copy_out(&made, sizeof made.near, handle, layout, error);
}

ninho_status ninho_adder_of_(ninho_filter *filter, ninho_kind kind, void *adder,
                             size_t layout, ninho_error *error)
{
    union handle made;
    const ninho_status status = check(filter, kind, adder, error);

    if (status)
        return status;
    if (filter->is_read_only || filter->live.observer)
        return nh_fail(error, NINHO_ERR_UNSUPPORTED, "%s",
                       filter->is_read_only ? "a view or a mapped file cannot be changed"
                                            : "a filter with an observer adds by calls");
    return copy_out(&made, fill_adder(filter, &made), adder, layout, error);
}
