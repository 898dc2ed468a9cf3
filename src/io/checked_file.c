/* SPDX-License-Identifier: MIT */
/* Checked filters in files. */
#include <ninho/checked.h>

#include "base/status.h"

ninho_status ninho_checked_save(ninho_checked *checked, const char *path,
                                ninho_error *error)
{
    const ninho_status status = ninho_checked_pack(checked);
    if (status)
        return nh_fail(error, status, "%s", ninho_status_text(status));
    return ninho_filter_save(ninho_checked_filter(checked), path, error);
}

ninho_status ninho_checked_open(const char *path, const ninho_open_options *options,
                                ninho_checked **out, ninho_error *error)
{
    ninho_filter *filter = NULL;

    if (!out)
        return nh_fail(error, NINHO_ERR_ARG, "out is NULL");
    ninho_status status = ninho_filter_open(path, options, &filter, error);
    if (!status)
        status = ninho_checked_of(filter, options, out, error);
    if (status)
        ninho_filter_free(filter);
    return status;
}
