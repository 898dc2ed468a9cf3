/* SPDX-License-Identifier: MIT */
/* A line on stderr that tells how far a long job is: only on a terminal that can go back to the
 * start of a line, and only after the job has taken a second. No colours, so NO_COLOR changes
 * nothing. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

/* Starts a job; `what` is a static string such as "keys read". */
void progress_begin(const char *what);

/* How many bytes there will be, if that is known: then there is a bar. */
void progress_expect(uint64_t n_bytes);

/* How many are done by now. Cheap enough to be called for every chunk. */
void progress_update(uint64_t n_done, uint64_t n_bytes);

/* Takes the line away, before anything else is printed. */
void progress_clear(void);

#endif
