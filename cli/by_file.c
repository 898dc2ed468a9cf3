/* SPDX-License-Identifier: MIT */
#define _FILE_OFFSET_BITS 64
#include "by_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "terminal.h"

/* What readers call it, and what grep does. */
#define READ_NAME  "standard input"
#define SHOWN_NAME "(standard input)"

static void print_name(const char *file)
{
    const bool has_color = terminal_has_color(STDOUT_FILENO);

    output_text(has_color ? COLOR_FILE : "");
    output_name(strcmp(file, "-") == 0 || strcmp(file, READ_NAME) == 0 ? SHOWN_NAME
                                                                       : file);
    output_text(has_color ? COLOR_END : "");
}

static void print_prefix(const char *file)
{
    print_name(file);
    output_text(terminal_has_color(STDOUT_FILENO) ? COLOR_BETWEEN ":" COLOR_END : ":");
}

int by_file_begin(struct by_file *by_file, char *const *files, size_t n_files)
{
    static char dash[] = "-";
    static char *const only_stdin[] = {dash};

    by_file->files = n_files ? files : only_stdin;
    by_file->n_files = n_files ? n_files : 1;
    by_file->counts = calloc(by_file->n_files, sizeof *by_file->counts);
    return by_file->counts ? EXIT_YES : fail_no_memory();
}

void by_file_free(struct by_file *by_file)
{
    free(by_file->counts);
    by_file->counts = NULL;
}

/* Is it the file that chunks call so? */
static bool is_called(const char *file, const char *name)
{
    return strcmp(file, name) == 0 ||
           (strcmp(file, "-") == 0 && strcmp(name, READ_NAME) == 0);
}

/* Finds the chunk's file: they come in order, but for those that have no lines. */
static void find_file(struct by_file *by_file, const struct chunk *chunk)
{
    if (by_file->counted && !chunk->starts_file)
        return;
    by_file->at += by_file->counted != NULL;
    while (by_file->at + 1 < by_file->n_files &&
           !is_called(by_file->files[by_file->at], chunk->file))
        by_file->at++;
    by_file->counted = chunk->file;
}

void by_file_add(struct by_file *by_file, const struct chunk *chunk)
{
    find_file(by_file, chunk);
    uint64_t *count = &by_file->counts[by_file->at];
    if (by_file->listed && !*count && chunk->n_selected) {
        print_name(chunk->file);
        output_text("\n");
    }
    *count += chunk->n_selected;
}

void by_file_lines(const struct chunk *chunk, char separator)
{
    const char *at = chunk->data;
    const char *const end = at + chunk->n_output;

    while (at < end) {
        const char *stop = memchr(at, separator, (size_t)(end - at));
        const size_t size = stop ? (size_t)(stop - at) + 1 : (size_t)(end - at);
        print_prefix(chunk->file);
        output_lines(at, size, separator);
        at += size;
    }
}

/* It may have no lines; of what cannot be read something has been said already. */
static bool can_be_read(const char *file)
{
    struct stat status;

    return strcmp(file, "-") == 0 ||
           (stat(file, &status) == 0 && !S_ISDIR(status.st_mode) &&
            access(file, R_OK) == 0);
}

void by_file_counts(const struct by_file *by_file)
{
    for (size_t i = 0; i < by_file->n_files; i++) {
        if (!by_file->counts[i] && !can_be_read(by_file->files[i]))
            continue;
        print_prefix(by_file->files[i]);
        output_format("%" PRIu64 "\n", by_file->counts[i]);
    }
}
