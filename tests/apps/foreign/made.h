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

/* What is odd about a file of one column of 32-bit integers, "c", and one row group, whose filter is empty. */
enum made_oddity {
    MADE_NOTHING,
    MADE_ELSEWHERE, /* the chunk lies in another file */
    MADE_ENCRYPTED, /* the chunk is encrypted, the metadata are not */
    MADE_OWN_FIELD, /* field 15 of the chunk is a list, by a writer that had it before Parquet */
    MADE_EARLY_GROUP, /* the row group, without chunks, stands before the schema */
    MADE_LATE_OFFSET, /* the filter begins behind the end */
    MADE_LONG_FILTER, /* the filter is told to be longer than the file */
    MADE_LARGE /* the filter has many blocks, and the values 0 to MADE_LARGE_VALUES - 1 */
};
enum { MADE_LARGE_VALUES = 1000 };
size_t made_odd_file(uint8_t *bytes, enum made_oddity oddity);

/* XXH64 with seed 0, the hash of Parquet. */
uint64_t made_hash(const void *bytes, size_t size);

/* A file in memory. */
struct memory_file {
    const uint8_t *bytes;
    size_t size;
    size_t n_read; /* bytes, so far */
};
ninho_parquet_source memory_source(struct memory_file *file);

/* Puts the metadata bytes[4..size) between the marks of a file; returns its size. */
size_t made_finish(uint8_t *bytes, size_t footer_at, size_t size);

#endif
