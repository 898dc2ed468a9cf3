/* SPDX-License-Identifier: MIT */
#include "harness/trend.h"

#include <stdlib.h>

#include "harness/fail.h"

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

double median_of(double *numbers, size_t n)
{
    qsort(numbers, n, sizeof *numbers, by_size);
    return (numbers[(n - 1) / 2] + numbers[n / 2]) / 2;
}

struct trend trend_of_points(const double *x, const double *y, size_t n)
{
    struct trend trend = {.line = fit_line(x, y, n)};

    for (size_t i = 0; i < n; i++)
        trend.mean += y[i] / (double)n;
    trend.whole = trend.mean / (x[n - 1] - x[0]);
    trend.percent = scaled(trend.line.slope, 100 / trend.whole);
    return trend;
}

struct trend trend_of(const struct samples *samples, const size_t *variants,
                      const double *x, size_t n, size_t field)
{
    const size_t n_repetitions = samples->n_repetitions;
    double *levels = allocate(n_repetitions, sizeof *levels); /* of the repetitions */
    double *sorted = allocate(n_repetitions > n ? n_repetitions : n, sizeof *sorted);
    double *medians = allocate(n, sizeof *medians);

    for (size_t r = 0; r < n_repetitions; r++) {
        for (size_t i = 0; i < n; i++)
            sorted[i] = samples_at(samples, variants[i], r)[field];
        levels[r] = median_of(sorted, n);
    }
    for (size_t r = 0; r < n_repetitions; r++)
        sorted[r] = levels[r];
    const double level = median_of(sorted, n_repetitions);
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < n_repetitions; r++)
            sorted[r] = samples_at(samples, variants[i], r)[field] - levels[r];
        medians[i] = level + median_of(sorted, n_repetitions);
    }
    const struct trend trend = trend_of_points(x, medians, n);
    free(levels);
    free(sorted);
    free(medians);
    return trend;
}

struct interval paired_ratio(const struct samples *samples, size_t a, size_t b,
                             size_t field)
{
    double *ratios = allocate(samples->n_repetitions, sizeof *ratios);

    for (size_t r = 0; r < samples->n_repetitions; r++)
        ratios[r] = samples_at(samples, a, r)[field] / samples_at(samples, b, r)[field];
    const struct interval interval = median_interval(ratios, samples->n_repetitions);
    free(ratios);
    return interval;
}
