/* SPDX-License-Identifier: MIT */
#include "format/source.h"

#include <string.h>

#include "base/versioned.h"

#define FIRST_STEP ((size_t)1 << 20)

ninho_status nh_source_frame(const struct nh_source *source,
                             uint8_t header[NH_MAX_HEADER], struct nh_frame *frame,
                             ninho_error *error)
{
    const size_t n_start =
        source->total < NH_START_BYTES ? (size_t)source->total : NH_START_BYTES;
    uint32_t header_size = 0;

    ninho_status status = source->read(source->context, header, n_start, error);
    if (!status)
        status = nh_frame_start(header, n_start, source->total, &header_size, error);
    if (!status)
        status =
            source->read(source->context, header + n_start, header_size - n_start, error);
    return status ? status
                  : nh_frame_decode(header, header_size, source->total, frame, error);
}

ninho_status nh_source_ahead(const struct nh_source *source, const ninho_alloc *alloc,
                             size_t size, struct nh_ahead *ahead, ninho_error *error)
{
    *ahead = (struct nh_ahead){0};
    if (source->total != NH_TOTAL_UNKNOWN || size <= FIRST_STEP)
        return NINHO_OK;
    while (ahead->n < size / 2) {
        const size_t room = ahead->n ? 2 * ahead->n : FIRST_STEP; /* less than size */
        uint8_t *bytes = alloc->alloc(alloc->context, room);
        if (!bytes) {
            nh_ahead_free(alloc, ahead);
            return nh_fail(error, NINHO_ERR_NOMEM, "not enough memory");
        }
        if (ahead->n)
            memcpy(bytes, ahead->bytes, ahead->n);
        const size_t n_before = ahead->n;
        nh_ahead_free(alloc, ahead);
        *ahead = (struct nh_ahead){bytes, room};
        const ninho_status status =
            source->read(source->context, bytes + n_before, room - n_before, error);
        if (status) {
            nh_ahead_free(alloc, ahead);
            return status;
        }
    }
    return NINHO_OK;
}

ninho_status nh_source_rest(const struct nh_source *source, const struct nh_ahead *ahead,
                            uint8_t *room, size_t size, ninho_error *error)
{
    if (ahead->n)
        memcpy(room, ahead->bytes, ahead->n);
    return size > ahead->n
               ? source->read(source->context, room + ahead->n, size - ahead->n, error)
               : NINHO_OK;
}

void nh_ahead_free(const ninho_alloc *alloc, struct nh_ahead *ahead)
{
    nh_alloc_free(alloc, ahead->bytes, ahead->n);
    *ahead = (struct nh_ahead){0};
}

ninho_status nh_open_options_in(const ninho_open_options *theirs,
                                ninho_open_options *options, ninho_error *error)
{
    *options = (ninho_open_options)NINHO_OPEN_INIT;
    if (theirs && !nh_struct_in(options, sizeof *options, theirs))
        return nh_fail(error, NINHO_ERR_ARG,
                       "options are uninitialised: start from NINHO_OPEN_INIT");
    if (options->pages != NINHO_PAGES_AUTO && options->pages != NINHO_PAGES_SMALL)
        return nh_fail_field(error, NINHO_FIELD_PAGES, 0, 0, "must be auto or small");
    options->size_of_struct = sizeof *options; /* they are handed on as ours */
    return NINHO_OK;
}
