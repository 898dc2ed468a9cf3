/* SPDX-License-Identifier: MIT */
#define _FILE_OFFSET_BITS 64
#include "setpipe.h"

#include <string.h>
#include <sys/stat.h>

#include "memory.h"
#include "output.h"

bool is_stdout_name(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

const char *shown_input(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

bool is_pipe(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    struct stat file;

    if (is_stdin_name(path))
        return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return stat(path, &file) == 0 && !S_ISREG(file.st_mode);
    return false;
}

int check_one_stdin(const struct args *args, const char *path, char *const *files,
                    size_t n_files)
{
    bool is_read = n_files == 0;

    for (size_t i = 0; i < n_files; i++)
        is_read |= is_standard_input(files[i]);
    if (!is_read || !is_standard_input(path))
        return EXIT_YES;
    return usage_error(args->command,
                       "FILE and the keys cannot both come from standard input");
}

int check_stdin_once(const struct args *args, char *const *files, size_t n_files)
{
    size_t n = 0;

    for (size_t i = 0; i < n_files; i++)
        n += is_standard_input(files[i]);
    return n > 1 ? usage_error(args->command, "standard input is named twice") : EXIT_YES;
}

/* ---- Reading ------------------------------------------------------------------------------- */

struct source {
    struct input input;
    uint8_t start[NINHO_PROBE_BYTES]; /* read to find out what it is */
    size_t n_start, at;
};

static ninho_status io_error(const struct source *source, ninho_error *error)
{
    return ninho_error_set(error, NINHO_ERR_IO, "cannot read: %s", source->input.error);
}

/* As many bytes as there are, up to `size`. */
static ninho_status read_up_to(struct source *source, uint8_t *bytes, size_t size,
                               size_t *n_read, ninho_error *error)
{
    *n_read = 0;
    while (*n_read < size) {
        const ssize_t n = input_read(&source->input, bytes + *n_read, size - *n_read);
        if (n < 0)
            return io_error(source, error);
        if (n == 0)
            break;
        *n_read += (size_t)n;
    }
    return NINHO_OK;
}

static ninho_status read_exactly(void *context, void *bytes, size_t size,
                                 ninho_error *error)
{
    struct source *source = context;
    const size_t kept = source->n_start - source->at;
    const size_t n = size < kept ? size : kept;
    size_t n_read = 0;

    memcpy(bytes, source->start + source->at, n);
    source->at += n;
    const ninho_status status =
        read_up_to(source, (uint8_t *)bytes + n, size - n, &n_read, error);
    if (status)
        return status;
    return n + n_read == size
               ? NINHO_OK
               : ninho_error_set(error, NINHO_ERR_FORMAT, "truncated: the input ends");
}

static ninho_status read_set(struct source *source, const char *path,
                             const ninho_open_options *how, struct set *set,
                             bool *is_dict, ninho_error *error)
{
    ninho_probe_info info = NINHO_PROBE_INIT;

    ninho_status status =
        read_up_to(source, source->start, sizeof source->start, &source->n_start, error);
    if (!status)
        status = ninho_probe(source->start, source->n_start, &info, error);
    if (status)
        return status;
    *is_dict = info.is_dict;
    if (memory_check(shown_input(path), info.body_bytes * (info.is_dict ? 2 : 1)))
        return NINHO_ERR_NOMEM;
    status = info.is_dict
                 ? ninho_dict_read(read_exactly, source, how, &set->dict, error)
                 : ninho_filter_read(read_exactly, source, how, &set->filter, error);
    if (status)
        return status;
    uint8_t byte = 0;
    size_t n_more = source->n_start - source->at;
    if (!n_more)
        status = read_up_to(source, &byte, 1, &n_more, error);
    if (!status && n_more)
        status = ninho_error_set(error, NINHO_ERR_FORMAT, "bytes follow its end");
    if (status)
        set_free(set);
    return status;
}

ninho_status set_read_pipe(const char *path, const ninho_open_options *how,
                           struct set *set, bool *is_dict, ninho_error *error)
{
    struct source source = {.n_start = 0};

    *is_dict = false;
    if (!input_open(&source.input, is_stdin_name(path) ? "-" : path))
        return ninho_error_set(error, NINHO_ERR_IO, "cannot open: %s",
                               source.input.error);
    source.input.is_begun = true; /* nothing is unpacked */
    const ninho_status status = read_set(&source, path, how, set, is_dict, error);
    input_close(&source.input);
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static ninho_status write_all(void *context, const void *bytes, size_t size,
                              ninho_error *error)
{
    (void)context;
    output_write(bytes, size);
    return output_failed()
               ? ninho_error_set(error, NINHO_ERR_IO, "standard output cannot be written")
               : NINHO_OK;
}

ninho_status set_write_pipe(const struct set *set, ninho_error *error)
{
    return set->filter ? ninho_filter_write(set->filter, write_all, NULL, error)
                       : ninho_dict_write(set->dict, write_all, NULL, error);
}
