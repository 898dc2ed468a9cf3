/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    if (clock_gettime(clock, &now))
        die("clock_gettime: the system has no such clock");
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double seconds_of_thread(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double seconds_elapsed(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

void run_repetition(struct job *jobs, size_t n_jobs, size_t repetition)
{
    for (size_t i = 0; i < n_jobs; i++) {
        struct job *job = &jobs[(i + repetition) % n_jobs];
        job->samples[repetition] = job->run(job->context);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The probability that at most `most` of n samples lie below the median: each does with 1/2. */
static double binomial_tail(size_t n, size_t most)
{
    double term = pow(0.5, (double)n); /* C(n, 0) / 2^n */
    double sum = term;

    for (size_t i = 0; i < most; i++) {
        term *= (double)(n - i) / (double)(i + 1);
        sum += term;
    }
    return sum;
}

/* Timings are skewed, and mean plus deviation would claim a symmetry they do not have: so order
 * statistics. The interval from the (low+1)-th smallest to the (low+1)-th largest misses the median
 * when at most `low` samples fell on one side of it. */
struct estimate median_interval(const double *samples, size_t n)
{
    assert(n % 2 == 1);
    double *sorted = allocate(n, sizeof *sorted);
    size_t low = 0;

    memcpy(sorted, samples, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    while (low + 1 < n / 2 && 2 * binomial_tail(n, low + 1) <= 0.05)
        low++;
    const struct estimate estimate = {sorted[low], sorted[n / 2], sorted[n - 1 - low],
                                      1 - 2 * binomial_tail(n, low)};
    free(sorted);
    return estimate;
}

struct estimate ratio_interval(const double *numerator, const double *denominator,
                               size_t n)
{
    double *ratios = allocate(n, sizeof *ratios);

    for (size_t i = 0; i < n; i++)
        ratios[i] = numerator[i] / denominator[i];
    const struct estimate estimate = median_interval(ratios, n);
    free(ratios);
    return estimate;
}

const char *verdict_on(const struct estimate *ratio, double target)
{
    if (ratio->low >= target)
        return "reached";
    return ratio->high < target ? "not reached" : "undecided";
}
