/* SPDX-License-Identifier: MIT */
/* A small Parquet file, made by hand: for tests that must not need a writer of Parquet. */
#ifndef TESTS_FOREIGN_MADE_H
#define TESTS_FOREIGN_MADE_H

#include <stddef.h>
#include <stdint.h>

#include "apps/foreign/parquet.h"

enum { MADE_ROOM = 8192, MADE_COLUMNS = 9, MADE_GROUPS = 2 };

/* The columns: see made_columns[]. The last one, "deep.leaf", has no filter in row group 1. In group g
 * column c has the values made_values[c], except where g is 1: nothing. */
struct made_column {
    const char *name;
    ninho_parquet_type type;
    int old_meaning;   /* -1: none */
    int new_meaning;   /* field of LogicalType, 0: none */
    int fixed_size;    /* 0: none */
    int scale;         /* of decimals */
    const char *value; /* in row group 0, as text */
};
extern const struct made_column made_columns[MADE_COLUMNS];

/* Writes the file to bytes[0..MADE_ROOM); returns its size. `without_lengths`: filters are told by their
 * offset alone, as old writers do. */
size_t made_file(uint8_t *bytes, int without_lengths);

/* A file in memory. */
struct memory_file {
    const uint8_t *bytes;
    size_t size;
};
ninho_parquet_source memory_source(struct memory_file *file);

#endif
