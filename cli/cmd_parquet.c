/* SPDX-License-Identifier: MIT */
/* ninho parquet: which row groups of a Parquet file may hold a value, by the file's own Bloom filters; and
 * a filter of ours in Parquet's bytes. */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/foreign/parquet.h"
#include "json.h"
#include "memory.h"
#include "options/numbers.h"
#include "outfile.h"
#include "output.h"
#include "setfile.h"

struct parquet_options {
    bool json;
    bool export;
    const char *output;
};

static const struct option own_options[] = {
    {FLAG("json", struct parquet_options, json, "print JSON")},
    {FLAG("export", struct parquet_options, export, "write a filter as Parquet does")},
    {VALUE("output", "FILE", parse_text, struct parquet_options, output, "file to write"),
     .letter = 'o'},
    {0},
};

/* ---- The file ---------------------------------------------------------------------------- */

struct file {
    const char *path;
    int descriptor;
    ninho_parquet *parquet;
};

static ninho_status read_at(void *context, uint64_t at, void *bytes, size_t size,
                            ninho_error *error)
{
    const struct file *file = context;
    size_t n = 0;

    while (n < size) {
        const ssize_t got =
            pread(file->descriptor, (char *)bytes + n, size - n, (off_t)(at + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            *error =
                (ninho_error){.status = NINHO_ERR_IO, .system_errno = got ? errno : 0};
            (void)snprintf(error->text, sizeof error->text, "cannot read: %s",
                           got ? strerror(errno) : "it became shorter meanwhile");
            return NINHO_ERR_IO;
        }
        n += (size_t)got;
    }
    return NINHO_OK;
}

static int open_file(struct file *file, const char *path)
{
    ninho_parquet_source source = {.context = file, .read = read_at};
    struct stat about;
    ninho_error error = NINHO_ERROR_INIT;

    file->path = path;
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor < 0 || fstat(file->descriptor, &about) != 0)
        return fail_io(path, "cannot open", errno);
    if (!S_ISREG(about.st_mode))
        return fail("%s: is not a regular file", path);
    source.size = (uint64_t)about.st_size;
    if (ninho_parquet_open(&source, NULL, &file->parquet, &error))
        return fail_error(path, &error);
    return EXIT_YES;
}

static void close_file(struct file *file)
{
    ninho_parquet_free(file->parquet);
    if (file->descriptor >= 0)
        (void)close(file->descriptor);
}

/* ---- Columns ----------------------------------------------------------------------------- */

static const char *type_text(const ninho_parquet_column *column)
{
    static const char *const types[] = {"boolean", "int32",  "int64", "int96",
                                        "float",   "double", "bytes", "fixed"};
    static const char *const meanings[] = {NULL,        "unsigned", "date", "time",
                                           "timestamp", "decimal",  "uuid", NULL};
    const char *meaning = meanings[column->meaning];
    return meaning ? meaning : types[column->type];
}

/* How many row groups have a filter of this column, and how many bytes they take together. */
static int measure_column(struct file *file, size_t column, size_t *n_filters,
                          uint64_t *n_bytes)
{
    *n_filters = 0;
    *n_bytes = 0;
    for (size_t group = 0; group < ninho_parquet_n_groups(file->parquet); group++) {
        ninho_error error = NINHO_ERROR_INIT;
        uint64_t size;
        if (ninho_parquet_filter_size(file->parquet, group, column, &size, &error))
            return fail_error(file->path, &error);
        *n_filters += size > 0;
        *n_bytes += size;
    }
    return EXIT_YES;
}

static int list_columns(struct file *file, bool is_json)
{
    const size_t n_groups = ninho_parquet_n_groups(file->parquet);
    struct json json = {0};
    int status = EXIT_YES;

    if (is_json) {
        json_object(&json, NULL);
        json_string(&json, "file", file->path);
        json_uint(&json, "row_groups", n_groups);
        json_list(&json, "columns");
    } else {
        output_text("column\ttype\trow_groups\tfilters\tbytes\n");
    }
    for (size_t i = 0; i < ninho_parquet_n_columns(file->parquet) && !status; i++) {
        const ninho_parquet_column *column = ninho_parquet_column_at(file->parquet, i);
        size_t n_filters;
        uint64_t n_bytes;
        status = measure_column(file, i, &n_filters, &n_bytes);
        if (status)
            break;
        if (is_json) {
            json_object(&json, NULL);
            json_string(&json, "column", column->path);
            json_string(&json, "type", type_text(column));
            json_uint(&json, "filters", n_filters);
            json_uint(&json, "bytes", n_bytes);
            json_object_end(&json);
        } else {
            output_name(column->path);
            output_format("\t%s\t%zu\t%zu\t%" PRIu64 "\n", type_text(column), n_groups,
                          n_filters, n_bytes);
        }
    }
    if (is_json && !status) {
        json_array_end(&json);
        json_object_end(&json);
    }
    return status;
}

/* ---- Values ------------------------------------------------------------------------------ */

/* answers[group * n + value]. */
static int ask(struct file *file, size_t column, const ninho_parquet_value *values,
               size_t n, ninho_parquet_answer *answers)
{
    for (size_t group = 0; group < ninho_parquet_n_groups(file->parquet); group++)
        for (size_t i = 0; i < n; i++) {
            ninho_error error = NINHO_ERROR_INIT;
            if (ninho_parquet_ask(file->parquet, group, column, &values[i],
                                  &answers[group * n + i], &error))
                return fail_error(file->path, &error);
        }
    return EXIT_YES;
}

static void print_groups(struct json *json, const char *name,
                         const ninho_parquet_answer *answers, size_t n_groups, size_t n,
                         ninho_parquet_answer wanted)
{
    json_array(json, name);
    for (size_t group = 0; group < n_groups; group++)
        if (answers[group * n] == wanted)
            json_uint(json, NULL, group);
    json_array_end(json);
}

static void print_json(const struct file *file, const char *column, char **values,
                       const ninho_parquet_answer *answers, size_t n)
{
    const size_t n_groups = ninho_parquet_n_groups(file->parquet);
    struct json json = {0};

    json_object(&json, NULL);
    json_string(&json, "file", file->path);
    json_string(&json, "column", column);
    json_uint(&json, "row_groups", n_groups);
    json_list(&json, "values");
    for (size_t i = 0; i < n; i++) {
        json_object(&json, NULL);
        json_string(&json, "value", values[i]);
        print_groups(&json, "maybe", answers + i, n_groups, n, NINHO_PARQUET_MAYBE);
        print_groups(&json, "no_filter", answers + i, n_groups, n,
                     NINHO_PARQUET_NO_FILTER);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
}

static void print_lines(const struct file *file, char **values,
                        const ninho_parquet_answer *answers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t group = 0; group < ninho_parquet_n_groups(file->parquet); group++)
            if (answers[group * n + i] != NINHO_PARQUET_NO) {
                output_name(values[i]);
                output_format("\t%zu\t%s\n", group,
                              answers[group * n + i] == NINHO_PARQUET_MAYBE
                                  ? "maybe"
                                  : "no filter");
            }
}

/* Names the columns that there are, or the first of many. */
static int fail_no_column(const struct file *file, const char *path)
{
    const size_t n = ninho_parquet_n_columns(file->parquet);
    char names[1024] = "";
    size_t size = 0, i = 0;

    for (; i < n; i++) {
        const char *name = ninho_parquet_column_at(file->parquet, i)->path;
        if (strlen(name) + 2 >= sizeof names - size)
            break;
        size += (size_t)snprintf(names + size, sizeof names - size, "%s%s", i ? ", " : "",
                                 name);
    }
    if (i < n)
        return fail("%s: there is no column %s; of %zu columns the first are %s; 'ninho "
                    "parquet %s' lists them all",
                    file->path, path, n, names, file->path);
    return fail("%s: there is no column %s; there %s %s", file->path, path,
                n == 1 ? "is" : "are", n ? names : "none");
}

static int answer_values(struct file *file, size_t column, char **texts, size_t n,
                         ninho_parquet_value *values, ninho_parquet_answer *answers,
                         bool is_json)
{
    const ninho_parquet_column *about = ninho_parquet_column_at(file->parquet, column);
    const size_t n_groups = ninho_parquet_n_groups(file->parquet);
    ninho_error error = NINHO_ERROR_INIT;

    for (size_t i = 0; i < n; i++)
        if (ninho_parquet_value_of(about, texts[i], strlen(texts[i]), &values[i], &error))
            return fail_error(file->path, &error);
    int status = ask(file, column, values, n, answers);
    if (status)
        return status;
    if (is_json)
        print_json(file, about->path, texts, answers, n);
    else
        print_lines(file, texts, answers, n);
    status = EXIT_NO;
    for (size_t i = 0; i < n_groups * n; i++)
        if (answers[i] != NINHO_PARQUET_NO)
            status = EXIT_YES;
    return status;
}

static int ask_values(struct file *file, const char *path, char **texts, size_t n,
                      bool is_json)
{
    const size_t n_groups = ninho_parquet_n_groups(file->parquet);
    const size_t column = ninho_parquet_find(file->parquet, path);
    int status;

    if (column == SIZE_MAX)
        return fail_no_column(file, path);
    ninho_parquet_value *values = calloc(n, sizeof *values);
    ninho_parquet_answer *answers = n_groups > SIZE_MAX / n / sizeof *answers
                                        ? NULL
                                        : calloc(n_groups * n + 1, sizeof *answers);
    if (values && answers)
        status = answer_values(file, column, texts, n, values, answers, is_json);
    else
        status = fail_no_memory();
    free(values);
    free(answers);
    return status;
}

/* ---- Export ------------------------------------------------------------------------------ */

static int write_bytes(const char *path, const char *bytes, size_t size)
{
    if (!path) {
        if (isatty(STDOUT_FILENO))
            return fail("parquet: these bytes are not for a terminal: name a file with "
                        "--output");
        output_write(bytes, size);
        return EXIT_YES;
    }
    return outfile_save(path, bytes, size);
}

/* A filter in Parquet's bytes, for the caller to free; NULL, having said why. */
static char *encode(const ninho_filter *filter, const char *path, size_t *size)
{
    ninho_error error = NINHO_ERROR_INIT;
    char *bytes = NULL;

    ninho_status status = ninho_parquet_encode(filter, NULL, 0, size, &error);
    if (status == NINHO_ERR_SPACE) {
        bytes = malloc(*size);
        if (!bytes) {
            (void)fail_no_memory();
            return NULL;
        }
        status = ninho_parquet_encode(filter, bytes, *size, size, &error);
    }
    if (status) {
        (void)fail_error(path, &error);
        free(bytes);
        return NULL;
    }
    return bytes;
}

static int export_filter(const struct open_options *opening, const char *path,
                         const char *output)
{
    struct set set = {0};
    size_t size = 0;
    int status =
        output ? outfile_check(output, (char *const *)&path, 1, NULL, 0) : EXIT_YES;

    if (!status)
        status = set_open(path, opening, SEALED_REFUSED, SET_TO_ASK, &set);
    if (status)
        return status;
    if (!set.filter) {
        set_free(&set);
        return fail(
            "%s: is an exact dictionary: Parquet has filters of kind blocked only", path);
    }
    char *bytes = encode(set.filter, path, &size);
    status = bytes ? write_bytes(output, bytes, size) : EXIT_ERROR;
    free(bytes);
    set_free(&set);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct parquet_options options = {0};
    struct open_options opening = {0};
    void *const targets[] = {&options, &opening};
    struct file file = {.descriptor = -1};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status))
        return status;
    if (options.export) {
        if (options.json)
            return usage_error(command, "--json does not go with --export");
        if (!args_operands(&args, 1, 1, "--export FILTER", &status))
            return status;
        return export_filter(&opening, args.operands[0], options.output);
    }
    if (options.output || opening.key_file)
        return usage_error(command, "%s goes with --export only",
                           options.output ? "--output" : "--key-file");
    if (!args_operands(&args, 1, SIZE_MAX, "FILE [COLUMN VALUE...]", &status))
        return status;
    if (args.n_operands == 2)
        return usage_error(command, "which values of column %s?", args.operands[1]);
    status = open_file(&file, args.operands[0]);
    if (!status)
        status = args.n_operands == 1
                     ? list_columns(&file, options.json)
                     : ask_values(&file, args.operands[1], args.operands + 2,
                                  args.n_operands - 2, options.json);
    close_file(&file);
    return status;
}

static const struct option *const tables[] = {own_options, key_file_options, NULL};

const struct command cmd_parquet = {
    .name = "parquet", .run = run, .options = tables, .is_application = true};
