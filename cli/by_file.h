/* SPDX-License-Identifier: MIT */
/* What is printed for each file of several, as grep -H, -l and -c do. */
#ifndef CLI_BY_FILE_H
#define CLI_BY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keys.h"

struct by_file {
    bool listed; /* -l: the names of files that have a selected line, and nothing else */
    char *const *files;
    size_t n_files;
    uint64_t *counts;    /* of selected lines, for each file */
    const char *counted; /* the file of the last chunk, */
    size_t at;           /* and its number */
};

/* Begins with these files (none: standard input). Answers an exit status. by_file_free() follows. */
int by_file_begin(struct by_file *by_file, char *const *files, size_t n_files);
void by_file_free(struct by_file *by_file);

/* Takes in a chunk, its selected lines moved to its start: counts them, and prints the name of its
 * file if it is to be listed. */
void by_file_add(struct by_file *by_file, const struct chunk *chunk);

/* Prints the chunk's selected lines, each behind the name of its file. */
void by_file_lines(const struct chunk *chunk, char separator);

/* Prints "FILE:COUNT" for each file that can be read. */
void by_file_counts(const struct by_file *by_file);

#endif
