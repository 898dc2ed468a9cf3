/* SPDX-License-Identifier: MIT */
/* "Did you mean": the word nearest to one that was mistyped. */
#ifndef OPTIONS_NEAREST_H
#define OPTIONS_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *typed;
    size_t size;      /* of it */
    const char *word; /* the nearest so far; NULL: none is near */
    unsigned distance;
};

/* Begins for `size` bytes, which are borrowed. */
struct nearest nearest_to(const char *typed, size_t size);

/* Tries one more word, which is borrowed. Near is what differs in a third of the letters or less (a
 * letter more, less or other, or two that changed places), and what begins with all that was typed. */
void nearest_try(struct nearest *nearest, const char *word);

/* Writes " (did you mean BEFOREword?)" to `text`, or nothing if no word is near. Answers `text`. */
const char *nearest_hint(const struct nearest *nearest, const char *before, char *text,
                         size_t text_size);

#endif
