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

/* The names, for tables of options: of all kinds, of filters, of those that sub-filters may be.
 * NULL past the last. */
const char *kind_name_at(size_t index);
const char *kind_filter_at(size_t index);
const char *kind_base_at(size_t index);

/* Is it a dictionary, which never errs? */
bool kind_is_exact(int kind);

/* NINHO_CAN_* bits: what files of this kind can do, as long as no option says otherwise. */
uint32_t kind_can(int kind);

/* Does a spec of this kind take the field? Buckets are a field of filters and of dictionaries:
 * NINHO_FIELD_BUCKET_SIZE is either. */
bool kind_takes(int kind, ninho_field field);

/* "bloom, blocked": the kinds that take the field. What does not fit is cut. */
void kind_list_takers(ninho_field field, char *names, size_t names_size);

/* "bloom, blocked": the kinds that can do all of `can`, those that never err only if wanted; last
 * come those that can with the right sub-filters. What does not fit is cut. */
void kind_list(uint32_t can, bool with_exact, char *names, size_t names_size);

#endif
