/* SPDX-License-Identifier: MIT */
/* Standard output, every write of it checked: a result that could not be written is an error, and
 * a script must see it. Errors are remembered, so that only output_finish() needs asking. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli.h"
#include "visible.h"

void output_write(const void *bytes, size_t size);
void output_text(const char *text);
void output_format(const char *format, ...) PRINTF_LIKE(1, 2);

/* Is standard output a terminal? */
bool output_is_terminal(void);

/* Bytes from outside within a line: control characters are made visible (visible.h). */
void output_visible(const char *bytes, size_t size, enum visible_manner manner);
/* The same for text that ends with a NUL, as a word. */
void output_name(const char *name);

/* Lines of the user's own data, each with its separator: into files and pipes as they are; on a
 * terminal control characters other than the separator and tabs are made visible. Pieces may cut
 * characters in two; whatever follows within such lines goes through here too. */
void output_lines(const char *bytes, size_t size, char separator);

/* Hands everything to the system, for readers that wait at the other end of a pipe. */
void output_flush(void);

/* Has a write failed? For loops that would otherwise go on for nothing. */
bool output_failed(void);

/* Is all of it written? To be asked before a file that goes with it is put where it belongs. */
bool output_is_written(void);

/* Closes standard output. Answers `status`, or EXIT_ERROR (having said why) if a write failed. */
int output_finish(int status);

#endif
