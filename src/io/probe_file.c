/* SPDX-License-Identifier: MIT */
#include <ninho/probe.h>

#include "base/status.h"
#include "io/reading.h"

ninho_status ninho_probe_file(const char *path, ninho_probe_info *info,
                              ninho_error *error)
{
    uint8_t start[NINHO_PROBE_BYTES];
    struct nh_file_in file;

    if (!path)
        return nh_fail(error, NINHO_ERR_ARG, "path is NULL");
    ninho_status status = nh_file_open(path, &file, error);
    if (status)
        return status;
    const size_t n = file.size < sizeof start ? (size_t)file.size : sizeof start;
    status = nh_file_read(&file, start, n, error);
    nh_file_close(&file);
    return status ? status : ninho_probe(start, n, info, error);
}
