/* SPDX-License-Identifier: MIT */
/* A hyphenator to compare with: slow, and so simple that it can be checked by reading. It tries
 * every pattern at every position, has its own reader of patterns, and shares no line with
 * apps/hyphen. */
#ifndef TEST_HYPHEN_REFERENCE_H
#define TEST_HYPHEN_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFERENCE_EXCEPTION 11 /* the level of a break that an exception says */

struct reference;

/* Patterns and exceptions between white space, as in TeX's .pat.txt and .hyp.txt. */
struct reference *reference_make(const char *patterns, const char *exceptions);
void reference_free(struct reference *reference);

/* The letters of the index-th pattern, without digits and dots, in UTF-8 with a NUL: something to
 * make words of. Answers its length in bytes; 0 past the last. */
size_t reference_letters(const struct reference *reference, size_t index, char *out,
                         size_t room);
size_t reference_count(const struct reference *reference);

/* Whether the patterns use the code point as a letter. */
bool reference_uses(const struct reference *reference, uint32_t point);

/* levels[i] becomes the level of the break before word[i], 0 where there is none, for every
 * i < size. The word is UTF-8. Capitals are folded only in ASCII and Latin-1, and apart from what
 * the patterns use only those letters, and Latin Extended-A and -B, are known as such. */
void reference_hyphenate(const struct reference *reference, const char *word, size_t size,
                         unsigned left, unsigned right, uint8_t *levels);

/* Reads one code point of well-formed UTF-8, and moves on. */
uint32_t reference_decode(const char **text);

#endif
