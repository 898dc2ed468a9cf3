/* SPDX-License-Identifier: MIT */
/* Estimates with their doubt. All intervals cover 95 %. */
#ifndef STUDY_HARNESS_STATS_H
#define STUDY_HARNESS_STATS_H

#include <stddef.h>
#include <stdint.h>

struct interval {
    double low;
    double value;
    double high;
};

/* The mean of n >= 2 independent samples, with Student's interval. */
struct interval mean_interval(const double *samples, size_t n);

/* The probability behind n_yes yeses in n independent trials, n >= 1, with Wilson's interval: it
 * stays inside 0..1 and is honest for few yeses, where the textbook's plus-minus is not. */
struct interval share_interval(uint64_t n_yes, uint64_t n);

/* The interval of a quantity that is `factor` times another, factor > 0. */
struct interval scaled(struct interval interval, double factor);

#endif
