/* SPDX-License-Identifier: MIT */
#include <ninho/probe.h>

#include <assert.h>

#include "base/versioned.h"
#include "format/frame.h"

ninho_status ninho_probe(const void *bytes, size_t size, ninho_probe_info *info,
                         ninho_error *error)
{
    struct nh_frame frame;

    static_assert(NINHO_PROBE_BYTES == NH_MAX_HEADER, "every header fits");
    if (!info || (!bytes && size))
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", info ? "bytes" : "info");
    const ninho_status status =
        nh_frame_decode(bytes, size, NH_TOTAL_UNKNOWN, &frame, error);
    if (status)
        return status;
    ninho_probe_info found = {
        .is_filter = nh_kind_numbered(frame.kind) != 0,
        .is_dict = ninho_dict_kind_name((ninho_dict_kind)frame.kind) != NULL,
        .is_keyed = frame.key_check != 0,
        .has_attachment = frame.parts[frame.n_parts - 1].kind == NH_ATTACHMENT,
        .count_is_estimate = frame.flags & NH_FLAG_COUNT_IS_ESTIMATE,
        .hash = (ninho_hash_id)frame.hash,
        .key_encoding = (ninho_key_encoding)frame.key_encoding,
        .format_version = NH_FRAME_VERSION,
        .header_bytes = frame.header_size,
        .body_bytes = frame.body_size,
        .capacity = frame.capacity,
        .count = frame.count,
    };
    if (found.is_filter)
        found.filter_kind = nh_kind_numbered(frame.kind);
    else if (found.is_dict)
        found.dict_kind = (ninho_dict_kind)frame.kind;
    else
        return nh_fail(error, NINHO_ERR_VERSION,
                       "kind %u is not known to this version of ninho", frame.kind);
    if (!nh_struct_out(info, &found, sizeof found))
        return nh_fail(error, NINHO_ERR_ARG,
                       "info is uninitialised: start from NINHO_PROBE_INIT");
    return NINHO_OK;
}
