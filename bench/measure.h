/* SPDX-License-Identifier: MIT */
/* How time is measured here, and how much of it is doubt.
 *
 * Everything to be compared runs in the same process and minute: a *job* is one thing that is
 * timed once per repetition, and each repetition runs every job of a group, beginning with another
 * one each time. What the machine does meanwhile then falls on all of them alike, and the ratio of
 * two jobs is taken inside each repetition, not between medians of different moments. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>

/* Seconds of processor time of this thread; seconds that passed. */
double seconds_of_thread(void);
double seconds_elapsed(void);

struct job {
    double (*run)(
        void *context); /* does the work once and returns what is recorded of it */
    void *context;
    double *samples; /* one per repetition */
};

/* Runs every job once, as the `repetition`-th of the run, and records the answers. */
void run_repetition(struct job *jobs, size_t n_jobs, size_t repetition);

/* A median and an interval around it that holds the true median with probability `coverage`,
 * whatever the distribution. */
struct estimate {
    double low;
    double median;
    double high;
    double coverage;
};

/* Of n samples, n odd. The interval is the narrowest pair of order statistics that covers at least
 * 95 %; below six samples no pair does, and it is the smallest and the largest. The samples keep
 * their order. */
struct estimate median_interval(const double *samples, size_t n);

/* Of the n quotients numerator[i] / denominator[i]: each from one repetition. */
struct estimate ratio_interval(const double *numerator, const double *denominator,
                               size_t n);

/* "reached" where all of the interval is at least `target`, "not reached" where none of it is,
 * "undecided" where the target lies inside. */
const char *verdict_on(const struct estimate *ratio, double target);

#endif
