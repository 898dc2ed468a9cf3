/* SPDX-License-Identifier: MIT */
/* LevelDB databases that differ in their filters and in nothing else: made, settled, asked.
 *
 * How block reads are counted. For each table that a get comes to, LevelDB finds the one block that could
 * hold the key, asks the filter of that block, and reads the block (from the block cache, if it is there)
 * exactly when the filter says "maybe". So a policy that counts its answers counts the reads. One database
 * is opened in two ways: with the policy itself, to be timed, and with one that counts. LevelDB's own
 * filter cannot be asked from C; its blocks are read by a policy that has its name (see builtin.h). */
#ifndef STUDY_44_DATABASE_H
#define STUDY_44_DATABASE_H

#include <ninho/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum filter_source { NO_FILTER, BUILT_IN, OURS };

struct filters {
    enum filter_source source;
    ninho_kind kind;     /* ours */
    double bits_per_key; /* ours and LevelDB's; 0: fpr */
    double fpr;
};

struct extent {
    size_t n_keys;
    size_t value_bytes;
    size_t cache_bytes; /* of the block cache */
    uint64_t stream;    /* keys are numbers of this stream */
};

/* Makes a database whose keys are numbers 0 .. n_keys - 1 of the stream, in the place of what is there, and
 * compacts it to one level. Returns the bytes of its tables. */
uint64_t database_make(const char *path, const struct filters *filters,
                       const struct extent *extent);

/* Removes one; nothing, where there is none. */
void database_remove(const char *path);

enum purpose { TO_TIME, TO_COUNT };

struct database *database_open(const char *path, const struct filters *filters,
                               const struct extent *extent, enum purpose purpose);
void database_close(struct database *database);

/* Gets the keys with n numbers, which may lie beyond those that are there. Returns how many were found. */
size_t database_ask(struct database *database, const uint64_t *numbers, size_t n);

/* Blocks that were wanted since the last call. Only where it was opened TO_COUNT. */
uint64_t database_reads(struct database *database);

#endif
