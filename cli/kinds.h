/* SPDX-License-Identifier: MIT */
/* The kinds of filters and of exact dictionaries together. The library has a type for each, and
 * their numbers never meet: here a kind is an int that is one or the other. */
#ifndef CLI_KINDS_H
#define CLI_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"

/* The index-th kind, filters first; 0 past the last. */
int kind_at(size_t index);

/* NULL for an unknown number; 0 for an unknown name. */
const char *kind_name(int kind);
int kind_from_name(const char *name);

/* Is it a dictionary, which never errs? */
bool kind_is_exact(int kind);

/* NINHO_CAN_* bits: what files of this kind can do, as long as no option says otherwise. */
uint32_t kind_can(int kind);

/* "bloom, blocked": the kinds that can do all of `can`, those that never err only if wanted; last
 * come those that can with the right sub-filters. What does not fit is cut. */
void kind_list(uint32_t can, bool with_exact, char *names, size_t names_size);

/* Appends to a list in words; what does not fit is cut. */
void append_name(char *list, size_t list_size, const char *name);

#endif
