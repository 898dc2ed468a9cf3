/* SPDX-License-Identifier: MIT */
/* Where no line is in a set: would its keys be, in another form? */
#ifndef CLI_HINT_H
#define CLI_HINT_H

#include "set.h"

/* The first lines, all zero at the beginning. */
struct hint {
    struct text lines;
    size_t n;
};

/* Keeps lines of a chunk, as long as there are few. */
void hint_note(struct hint *hint, const struct chunk *chunk, char separator);

/* Says in one line which option would make a difference, if one would; frees the lines. Chance alone
 * says so of a filter at most once in a thousand times. */
void hint_tell(struct hint *hint, const struct set *set, const char *path,
               const struct key_format *format);

#endif
