/* SPDX-License-Identifier: MIT */
/* Small languages for tests of the hyphenation library: made from strings, asked in strings. */
#ifndef NINHO_TEST_HYPHEN_SMALL_H
#define NINHO_TEST_HYPHEN_SMALL_H

#include "apps/hyphen/exceptions.h"
#include "apps/hyphen/hyphen.h"
#include "apps/hyphen/text.h"

/* Enough of English for "hy-phen-ation" and a few others; ours, not a copy of anything. */
extern const char small_patterns[];

/* Rules out of two strings; either may be NULL. Fails the test if they are refused. */
ninho_hyphen_rules *small_rules(const char *patterns, const char *exceptions);

/* A language of these, with minima left and right (0: 2 and 3). */
ninho_hyphen_language *small_language(const char *patterns, const char *exceptions,
                                      unsigned left, unsigned right);

/* The word with "-" at its breaks; in a buffer that the next call but seven uses again. */
const char *broken(const ninho_hyphen_language *language, const char *word);

/* The same by a hyphenator. */
const char *broken_by(ninho_hyphenator *hyphenator, const char *word);

#define CHECK_BROKEN(language, word, expected)                                     \
    do {                                                                           \
        const char *got_ = broken((language), (word));                             \
        if (strcmp(got_, (expected)) != 0)                                         \
            test_fail(__FILE__, __LINE__, "%s is broken %s, not %s", (word), got_, \
                      (expected));                                                 \
    } while (0)

#endif
