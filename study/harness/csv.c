/* SPDX-License-Identifier: MIT */
#include "harness/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fail.h"

struct csv {
    FILE *file;
    char path[4096];
    bool is_row_begun;
};

static struct {
    const char *size;
    uint64_t seed;
} run = {"", 0};

void csv_begin_run(const char *size, uint64_t seed)
{
    run.size = size;
    run.seed = seed;
}

struct csv *csv_open(const char *path, const char *heading)
{
    struct csv *csv = allocate(1, sizeof *csv);

    snprintf(csv->path, sizeof csv->path, "%s", path);
    csv->file = fopen(path, "w");
    if (!csv->file)
        fail("%s: %s", path, strerror(errno));
    fprintf(csv->file, "%s,size,seed\n", heading);
    return csv;
}

static FILE *next_field(struct csv *csv)
{
    if (csv->is_row_begun)
        fputc(',', csv->file);
    csv->is_row_begun = true;
    return csv->file;
}

void csv_text(struct csv *csv, const char *text)
{
    FILE *file = next_field(csv);

    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, file);
    fputc('"', file);
}

void csv_number(struct csv *csv, double number)
{
    fprintf(next_field(csv), "%.9g", number);
}

void csv_count(struct csv *csv, uint64_t count)
{
    fprintf(next_field(csv), "%" PRIu64, count);
}

void csv_end_row(struct csv *csv)
{
    fprintf(csv->file, ",%s,%" PRIu64 "\n", run.size, run.seed);
    csv->is_row_begun = false;
}

void csv_close(struct csv *csv)
{
    if (ferror(csv->file) | fclose(csv->file))
        fail("%s: could not be written", csv->path);
    free(csv);
}
