/* SPDX-License-Identifier: MIT */
/* A word list as a set, and words that are certainly not in it. */
#ifndef STUDY_HARNESS_WORDS_H
#define STUDY_HARNESS_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct word {
    const char *text; /* not terminated */
    size_t length;
};

/* Distinct words, sorted by bytes. */
struct word_set {
    struct word *words;
    size_t n;
    char *bytes; /* what the words point into */
};

/* Reads a file of one word per line. Fails with the program. */
struct word_set words_read(const char *path);
void words_free(struct word_set *set);

/* Keeps about n of them, evenly spread; all if there are fewer. */
void words_thin(struct word_set *set, size_t n);

/* The longest word there is. */
size_t words_longest(const struct word_set *set);

/* The number-th of an endless sequence of words that are not in the set: two words of the set
 * written together, as compounds are, other two where those happen to be a word. Distinct numbers
 * give distinct draws; the words themselves may repeat, once in a very long while. Writes it to
 * text[0..2 * words_longest) and returns its length. */
size_t words_absent(const struct word_set *set, uint64_t seed, uint64_t number,
                    char *text);

/* The x-th number of splitmix64: distinct for distinct x. */
uint64_t mix64(uint64_t x);

#endif
