/* SPDX-License-Identifier: MIT */
/* Estimates with their doubt. All intervals cover 95 %, or what their comment says. */
#ifndef STUDY_HARNESS_STATS_H
#define STUDY_HARNESS_STATS_H

#include <stddef.h>
#include <stdint.h>

#define LN2 0.69314718055994530942 /* the natural logarithm of 2 */

struct interval {
    double low;
    double value;
    double high;
};

/* All three NAN: no interval. */
struct interval no_interval(void);

/* The mean of n >= 2 independent samples, with Student's interval. */
struct interval mean_interval(const double *samples, size_t n);

/* The median of n >= 1 samples, with the narrowest symmetrical pair of order statistics around it that
 * covers at least 95 %. Of fewer than six samples no pair does (the smallest and the largest of three
 * cover 75 %): then both ends are NAN, and every claim on it stays open. */
struct interval median_interval(const double *samples, size_t n);

/* A straight line y = intercept + slope x through n >= 3 points, by least squares, with Student's
 * interval of each (GSL). */
struct line {
    struct interval intercept;
    struct interval slope;
};
struct line fit_line(const double *x, const double *y, size_t n);

/* The probability behind n_yes yeses in n independent trials, n >= 1, with Wilson's interval: it
 * stays inside 0..1 and is honest for few yeses, where the textbook's plus-minus is not. */
struct interval share_interval(uint64_t n_yes, uint64_t n);

/* The interval of a quantity that is `factor` times another, factor > 0. */
struct interval scaled(struct interval interval, double factor);

#endif
