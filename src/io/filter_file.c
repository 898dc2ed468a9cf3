/* SPDX-License-Identifier: MIT */
/* Filters in files: saved, read, mapped. */
#include <stdint.h>

#include <ninho/file.h>

#include "filter/codec.h"
#include "io/reading.h"

ninho_status ninho_filter_save(const ninho_filter *filter, const char *path,
                               ninho_error *error)
{
    ninho_file *file;

    if (!filter)
        return nh_fail(error, NINHO_ERR_ARG, "filter is NULL");
    ninho_status status = ninho_file_begin(path, NULL, &file, error);
    if (status)
        return status;
    status = ninho_filter_write(filter, ninho_file_sink, file, error);
    if (!status)
        return ninho_file_commit(file, error);
    ninho_file_drop(file);
    return status;
}

ninho_status ninho_filter_open(const char *path, const ninho_open_options *options,
                               ninho_filter **out, ninho_error *error)
{
    struct nh_file_in file;

    if (!path || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", path ? "out" : "path");
    ninho_status status = nh_file_open(path, &file, error);
    if (status)
        return status;
    const struct nh_source source = {nh_file_read, &file, file.size};
    status = nh_filter_read(&source, options, out, error);
    nh_file_close(&file);
    return status;
}

/* The header is read before anything is mapped, so that a file that is not ours fails for that
 * reason. */
static ninho_status map_file(struct nh_file_in *file, const ninho_open_options *options,
                             ninho_filter **out, ninho_error *error)
{
    const struct nh_source source = {nh_file_read, file, file->size};
    uint8_t header[NH_MAX_HEADER];
    struct nh_frame frame;

    ninho_status status = nh_source_frame(&source, header, &frame, error);
    if (status)
        return status;
    void *bytes = nh_file_map(file);
    if (!bytes)
        return nh_fail(error, NINHO_ERR_NOMEM, "cannot map %" PRIu64 " bytes",
                       file->size);
    status =
        nh_filter_over(bytes, (size_t)file->size, options, nh_file_unmap, out, error);
    if (status)
        nh_file_unmap(bytes, (size_t)file->size);
    return status;
}

ninho_status ninho_filter_map(const char *path, const ninho_open_options *theirs,
                              ninho_filter **out, ninho_error *error)
{
    ninho_open_options options;
    struct nh_file_in file;

    if (!path || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", path ? "out" : "path");
    ninho_status status = nh_open_options_in(theirs, &options, error);
    if (!status)
        status = nh_file_open(path, &file, error);
    if (status)
        return status;
    status = map_file(&file, &options, out, error);
    nh_file_close(&file);
    return status;
}
