/* SPDX-License-Identifier: MIT */
/* What filters and dictionaries are and can do, as text and as JSON; the same names wherever they
 * are told. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"
#include "json.h"
#include "set.h"

/* "add union overfill": the words for NINHO_CAN_* bits. */
void report_can_text(uint32_t can, char *text, size_t text_size);
void report_can_json(struct json *json, uint32_t can);

/* Everything about a set: members of the object that is open, or lines "name  value". */
void report_set_json(struct json *json, const struct set *set);
void report_set_text(const struct set *set);

/* How hard it was to place keys: of a cuckoo filter or table that was just filled, nothing for
 * others. */
void report_moves_json(struct json *json, const struct set *set);
void report_moves_text(const struct set *set);

/* One line "name  value", aligned with those of report_set_text(). */
void report_line(const char *name, const char *format, ...) PRINTF_LIKE(2, 3);

/* "xxh3", and "own" for the fast one that dictionaries have of their own. */
const char *report_hash_name(ninho_hash_id hash);

/* Warns if there are more keys in a filter than it was made for and its fpr suffers from it. */
void report_overfull(const char *path, const struct set *set);

#endif
