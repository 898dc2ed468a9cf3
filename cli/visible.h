/* SPDX-License-Identifier: MIT */
/* Bytes from outside, made safe to show. Items of a peer, metadata, names of sequences, files and
 * columns may hold what a terminal would obey, or what looks like the end of a line. Everything of
 * that kind that the tool prints goes through here:
 *
 *     \n \r \t     newline, carriage return, tab
 *     \xNN         one byte: of a control character (C0, DEL, C1, the ones that change the direction
 *                  of text, line and paragraph separators), or one that is not UTF-8
 *     \\           a backslash, with VISIBLE_EXACT
 *
 * All other characters stay as they are. */
#ifndef CLI_VISIBLE_H
#define CLI_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum visible_manner {
    VISIBLE_WORD, /* within a line: of a message or of a table */
    VISIBLE_EXACT /* the same, and the bytes can be had back: --escape */
};

/* What one character takes at the most: four bytes as \xNN. */
#define VISIBLE_ROOM 16

/* Shows the character at bytes[0..size), size > 0. Answers how many bytes it was, and in *n_shown how
 * many it takes in `shown`. */
size_t visible_next(const char *bytes, size_t size, enum visible_manner manner,
                    char shown[VISIBLE_ROOM], size_t *n_shown);

/* Shows as much as there is room for, and a NUL behind it; room > 0. Answers how many bytes that
 * are without the NUL. */
size_t visible_copy(char *to, size_t room, const char *bytes, size_t size);

/* Is there nothing in it that would be shown otherwise than it is? */
bool visible_is_plain(const char *bytes, size_t size);

/* Lines for a terminal, which come in pieces: a character that a piece cuts in two waits for the rest
 * of it. Start from {0}. */
struct visible_lines {
    char held[4];
    size_t n_held;
};

/* Appends the piece to `out`: the separator and tabs stay as they are. */
void visible_lines_add(struct visible_lines *lines, const char *bytes, size_t size,
                       char separator, struct text *out);
/* And what is left at the end. */
void visible_lines_end(struct visible_lines *lines, struct text *out);

/* Is this a character that nobody sees and that terminals obey? */
bool visible_is_control(uint32_t point);

#endif
