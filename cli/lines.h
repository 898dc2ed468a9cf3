/* SPDX-License-Identifier: MIT */
/* The lines of a file as a set in memory, or their fields.
 *
 *     blocks   |aaa.bbb.cc.|dddd.e.f.|...      whole lines, as they were read; never moved
 *     set       ^   ^   ^   ^               borrows them, each distinct line once
 *
 * Where keys are fields the set has those, and the first line of each is remembered. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "apps/sets/sets.h"
#include "keys.h"

struct whole_line {
    const char *bytes; /* without its separator */
    size_t size;
};

struct lines {
    char **blocks;
    size_t n_blocks, room;
    ninho_set *set;
    /* Where keys are fields: which line a key stands in. */
    ninho_dict *numbers;
    struct whole_line *whole;
    size_t n_whole, whole_room;
};

/* Can it be opened? Better to know before anything else is begun. "-": standard input. Answers an
 * exit status. */
int lines_check(char *file);

/* Reads all of it. Answers an exit status; lines_free() in any case. */
int lines_read(struct lines *lines, char *file, const struct key_format *format);
void lines_free(struct lines *lines);

/* The first line that has this key, where keys are fields; NULL: there is none. */
const struct whole_line *lines_of_key(const struct lines *lines, const void *key,
                                      size_t size);

/* Random bytes from the system, for what nobody may foresee. Answers an exit status. */
int random_bytes(void *bytes, size_t n);

#endif
