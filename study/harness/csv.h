/* SPDX-License-Identifier: MIT */
/* Comma-separated values (RFC 4180): a heading, then rows; texts are quoted where they must be. */
#ifndef STUDY_HARNESS_CSV_H
#define STUDY_HARNESS_CSV_H

#include <stdint.h>

struct csv;

/* Every file ends its rows with the columns `size` and `seed` of the run. */
void csv_begin_run(const char *size, uint64_t seed);

/* A new file with this heading, given as "a,b,c". Fails with the program. */
struct csv *csv_open(const char *path, const char *heading);

/* The next field of the row. */
void csv_text(struct csv *csv, const char *text);
void csv_number(struct csv *csv, double number);
void csv_count(struct csv *csv, uint64_t count);

void csv_end_row(struct csv *csv);

/* Closes the file; fails if it could not be written whole. */
void csv_close(struct csv *csv);

#endif
