/* SPDX-License-Identifier: MIT */
/* Lines and ratios that a busy machine cannot bend: built on medians. What disturbs a measurement only
 * ever makes it longer, sometimes much longer, and a few such would decide over a mean. */
#ifndef STUDY_HARNESS_TREND_H
#define STUDY_HARNESS_TREND_H

#include "harness/samples.h"

struct trend {
    struct line line;
    double mean;  /* of the points */
    double whole; /* what the slope is compared with: the mean over the range of x */
    struct interval percent; /* change over the range of x, in per cent of the mean */
};

/* The straight line through n points, x ascending. */
struct trend trend_of_points(const double *x, const double *y, size_t n);

/* The line through the medians of `field` of n variants, the i-th of which stands at x[i]; x ascends. A
 * repetition is a block, as statisticians say: what all of it has in common is taken out first. */
struct trend trend_of(const struct samples *samples, const size_t *variants,
                      const double *x, size_t n, size_t field);

/* The median of n numbers, which are put in order. */
double median_of(double *numbers, size_t n);

/* The ratio field(a) / field(b) inside each repetition: its median with the order-statistic interval. */
struct interval paired_ratio(const struct samples *samples, size_t a, size_t b,
                             size_t field);

#endif
