/* SPDX-License-Identifier: MIT */
/* Dictionaries in files. */
#include <ninho/file.h>

#include "dict/codec.h"
#include "io/reading.h"

ninho_status ninho_dict_save(const ninho_dict *dict, const char *path, ninho_error *error)
{
    ninho_file *file;

    if (!dict)
        return nh_fail(error, NINHO_ERR_ARG, "dict is NULL");
    ninho_status status = ninho_file_begin(path, NULL, &file, error);
    if (status)
        return status;
    status = ninho_dict_write(dict, ninho_file_sink, file, error);
    if (!status)
        return ninho_file_commit(file, error);
    ninho_file_drop(file);
    return status;
}

ninho_status ninho_dict_open(const char *path, const ninho_open_options *options,
                             ninho_dict **out, ninho_error *error)
{
    struct nh_file_in file;

    if (!path || !out)
        return nh_fail(error, NINHO_ERR_ARG, "%s is NULL", path ? "out" : "path");
    ninho_status status = nh_file_open(path, &file, error);
    if (status)
        return status;
    const struct nh_source source = {nh_file_read, &file, file.size};
    status = nh_dict_read(&source, options, out, error);
    nh_file_close(&file);
    return status;
}
