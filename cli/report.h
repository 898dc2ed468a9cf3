/* SPDX-License-Identifier: MIT */
/* What filters are and can do, as text and as JSON; the same names wherever they are told. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"
#include "json.h"

/* "add union overfill": the words for NINHO_CAN_* bits. */
void report_can_text(uint32_t can, char *text, size_t text_size);
void report_can_json(struct json *json, uint32_t can);

/* Everything about a filter: members of the object that is open, or lines "name  value". */
void report_filter_json(struct json *json, const ninho_filter *filter);
void report_filter_text(const ninho_filter *filter);

/* One line "name  value", aligned with those of report_filter_text(). */
void report_line(const char *name, const char *format, ...) PRINTF_LIKE(2, 3);

/* Warns if there are more keys in a filter than it was made for and its fpr suffers from it. */
void report_overfull(const char *path, const ninho_filter *filter);

#endif
