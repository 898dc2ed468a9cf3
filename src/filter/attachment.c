/* SPDX-License-Identifier: MIT */
/* The attachment: bytes of an application's, behind the tables. */
#include <string.h>

#include "filter/ops.h"

ninho_status ninho_filter_set_attachment(ninho_filter *filter, const void *bytes,
                                         size_t size)
{
    uint8_t *copy = NULL;

    if (!filter || (size && !bytes))
        return NINHO_ERR_ARG;
    if (filter->is_read_only)
        return NINHO_ERR_UNSUPPORTED;
    if (size) {
        copy = filter->alloc.alloc(filter->alloc.context, size);
        if (!copy)
            return NINHO_ERR_NOMEM;
        memcpy(copy, bytes, size);
    }
    nh_alloc_free(&filter->alloc, filter->attachment, filter->attachment_size);
    filter->attachment = copy;
    filter->attachment_size = size;
    return NINHO_OK;
}

const void *ninho_filter_attachment(const ninho_filter *filter, size_t *size)
{
    if (size)
        *size = filter ? filter->attachment_size : 0;
    return filter ? filter->attachment : NULL;
}
