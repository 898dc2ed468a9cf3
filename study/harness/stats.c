/* SPDX-License-Identifier: MIT */
#include "harness/stats.h"

#include <assert.h>
#include <math.h>

#define Z95 1.959963984540054 /* the normal distribution's two-sided 95 % point */

/* Student's two-sided 95 % point. Exact values where the series below is off by more than 0.001;
 * the series is the classical expansion around the normal point in 1/df (Fisher and Cornish). */
static double student95(size_t df)
{
    static const double exact[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706};
    const double z = Z95;
    const double d = (double)df;

    assert(df >= 1);
    if (df <= sizeof exact / sizeof exact[0])
        return exact[df - 1];
    const double z3 = z * z * z;
    const double z5 = z3 * z * z;
    const double z7 = z5 * z * z;
    return z + (z3 + z) / (4 * d) + (5 * z5 + 16 * z3 + 3 * z) / (96 * d * d) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * d * d * d);
}

struct interval mean_interval(const double *samples, size_t n)
{
    double sum = 0;
    double squares = 0;

    assert(n >= 2);
    for (size_t i = 0; i < n; i++)
        sum += samples[i];
    const double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (samples[i] - mean) * (samples[i] - mean);
    const double half = student95(n - 1) * sqrt(squares / (double)(n - 1) / (double)n);
    return (struct interval){mean - half, mean, mean + half};
}

struct interval share_interval(uint64_t n_yes, uint64_t n)
{
    const double trials = (double)n;
    const double share = (double)n_yes / trials;
    const double z2 = Z95 * Z95;

    assert(n >= 1 && n_yes <= n);
    const double centre = (share + z2 / (2 * trials)) / (1 + z2 / trials);
    const double half = Z95 / (1 + z2 / trials) *
                        sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials));
    return (struct interval){centre - half, share, centre + half};
}

struct interval scaled(struct interval interval, double factor)
{
    return (struct interval){interval.low * factor, interval.value * factor,
                             interval.high * factor};
}
