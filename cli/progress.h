/* SPDX-License-Identifier: MIT */
/* A line on stderr that tells how far a long job is: on a terminal that can go back to the start of a
 * line, after the job has taken a second. With --progress always also elsewhere: then lines follow
 * one another, and the last one comes at the end whatever time it took. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* Starts a job; `what` is a static string such as "keys read". */
void progress_begin(const char *what);

/* The bytes of these files ("-": standard input) are the job. If the sizes of all are known there are
 * a bar, a percentage and the time left. */
void progress_expect(char *const *files, size_t n_files);

/* How many are done by now. Cheap enough to be called for every chunk. */
void progress_update(uint64_t n_done, uint64_t n_bytes);

/* Takes the line away, before anything else is printed. */
void progress_clear(void);

/* Ends the job. */
void progress_end(void);

#endif
