/* SPDX-License-Identifier: MIT */
/* Processor time, and repetitions that are fair to everyone who is timed. */
#ifndef STUDY_HARNESS_TIMING_H
#define STUDY_HARNESS_TIMING_H

#include <stddef.h>

/* Seconds of processor time of this thread; seconds that passed. */
double seconds_of_thread(void);
double seconds_elapsed(void);

/* Calls task(context, i) once for every i below n, beginning with another one in every
 * repetition: what the machine does meanwhile then falls on all of them alike. */
void run_interleaved(size_t n, size_t repetition, void (*task)(void *context, size_t i),
                     void *context);

#endif
