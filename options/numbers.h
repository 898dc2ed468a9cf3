/* SPDX-License-Identifier: MIT */
/* Values as people type them, numbers strictly and whatever the locale: option parsers (see
 * options.h) and what they are made of. */
#ifndef OPTIONS_NUMBERS_H
#define OPTIONS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options/options.h"

/* Whole numbers: digits, with a fraction and a power of ten where the result is whole ("1e9",
 * "1.5e3"), or one of the suffixes k, M, G, T (powers of 1000). Nothing before or after. */
enum count_status { COUNT_OK, COUNT_SYNTAX, COUNT_OVERFLOW };
enum count_status read_count(const char *text, uint64_t *value);

/* A decimal int64 of `size` bytes: an optional '-' and digits, nothing else. */
bool read_int64(const char *text, size_t size, int64_t *value);

/* uint64_t and uint32_t within the option's min..max. */
bool parse_u64(const struct option *option, const char *text, void *target, char *why,
               size_t why_size);
bool parse_u32(const struct option *option, const char *text, void *target, char *why,
               size_t why_size);

/* size_t within the option's min..max. */
bool parse_size(const struct option *option, const char *text, void *target, char *why,
                size_t why_size);

/* uint64_t from option->min on; too large becomes UINT64_MAX, for a later and better message. */
bool parse_saturating(const struct option *option, const char *text, void *target,
                      char *why, size_t why_size);

/* double, 0 < p < 1: "0.01", "1e-3", "1%" or "2^-13". */
bool parse_fpr(const struct option *option, const char *text, void *target, char *why,
               size_t why_size);

/* uint64_t, decimal or 0x and hexadecimal digits. */
bool parse_seed(const struct option *option, const char *text, void *target, char *why,
                size_t why_size);

/* int: the word's number among the option's words, and option->min added to it. */
bool parse_word(const struct option *option, const char *text, void *target, char *why,
                size_t why_size);
/* The number alone; a negative one, and why, if it is none of them. */
int word_number(const struct option *option, const char *text, char *why,
                size_t why_size);

/* Appends to a list in words; what does not fit is cut. */
void append_name(char *list, size_t list_size, const char *name);

/* const char *, any text but the empty one. */
bool parse_text(const struct option *option, const char *text, void *target, char *why,
                size_t why_size);

#endif
