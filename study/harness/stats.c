/* SPDX-License-Identifier: MIT */
#include "harness/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>

#include "harness/fail.h"

/* What is left out on either side of a 95 % interval. */
#define TAIL 0.025

/* 2 (1/2)^n <= 5 % from here on. */
enum { LEAST_FOR_MEDIAN = 6 };

/* Student's two-sided 95 % point. */
static double student95(size_t df)
{
    return gsl_cdf_tdist_Qinv(TAIL, (double)df);
}

static struct interval around(double value, double half)
{
    return (struct interval){value - half, value, value + half};
}

struct interval no_interval(void)
{
    return (struct interval){NAN, NAN, NAN};
}

struct interval mean_interval(const double *samples, size_t n)
{
    assert(n >= 2);
    const double mean = gsl_stats_mean(samples, 1, n);
    const double deviation = gsl_stats_sd_m(samples, 1, n, mean);
    return around(mean, student95(n - 1) * deviation / sqrt((double)n));
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* How many samples to leave out at either end, of n >= LEAST_FOR_MEDIAN. The median lies below the
 * (i + 1)-th smallest of n with the probability that at most i of n fair coins show heads. */
static size_t outside_median(size_t n)
{
    size_t i = 0;

    while (gsl_cdf_binomial_P((unsigned)i, 0.5, (unsigned)n) <= TAIL)
        i++;
    return i - 1;
}

struct interval median_interval(const double *samples, size_t n)
{
    assert(n >= 1);
    double *sorted = allocate(n, sizeof *sorted);
    memcpy(sorted, samples, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    struct interval median = {NAN, (sorted[(n - 1) / 2] + sorted[n / 2]) / 2, NAN};
    if (n >= LEAST_FOR_MEDIAN) {
        const size_t outside = outside_median(n);
        median.low = sorted[outside];
        median.high = sorted[n - 1 - outside];
    }
    free(sorted);
    return median;
}

struct line fit_line(const double *x, const double *y, size_t n)
{
    double intercept, slope, var_intercept, covariance, var_slope, residue;

    assert(n >= 3);
    gsl_fit_linear(x, 1, y, 1, n, &intercept, &slope, &var_intercept, &covariance,
                   &var_slope, &residue);
    const double t = student95(n - 2);
    return (struct line){around(intercept, t * sqrt(var_intercept)),
                         around(slope, t * sqrt(var_slope))};
}

struct interval share_interval(uint64_t n_yes, uint64_t n)
{
    const double z = gsl_cdf_ugaussian_Qinv(TAIL);
    const double trials = (double)n;
    const double share = (double)n_yes / trials;
    const double z2 = z * z;

    assert(n >= 1 && n_yes <= n);
    const double centre = (share + z2 / (2 * trials)) / (1 + z2 / trials);
    const double half = z / (1 + z2 / trials) *
                        sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials));
    return (struct interval){fmax(0, centre - half), share, fmin(1, centre + half)};
}

struct interval scaled(struct interval interval, double factor)
{
    assert(factor > 0);
    return (struct interval){interval.low * factor, interval.value * factor,
                             interval.high * factor};
}
