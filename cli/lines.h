/* SPDX-License-Identifier: MIT */
/* The lines of a file as a set in memory.
 *
 *     blocks   |aaa.bbb.cc.|dddd.e.f.|...      whole lines, as they were read; never moved
 *     set       ^   ^   ^   ^               borrows them, each distinct line once */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "apps/sets/sets.h"
#include "keys.h"

struct lines {
    char **blocks;
    size_t n_blocks, room;
    ninho_set *set;
};

/* Can it be opened? Better to know before anything else is begun. "-": standard input. Answers an
 * exit status. */
int lines_check(char *file);

/* Reads all of it. Answers an exit status; lines_free() in any case. */
int lines_read(struct lines *lines, char *file, const struct key_options *options);
void lines_free(struct lines *lines);

/* Random bytes from the system, for what nobody may foresee. Answers an exit status. */
int random_bytes(void *bytes, size_t n);

#endif
