/* SPDX-License-Identifier: MIT */
/* Trends and paired ratios, on made-up measurements. */
#include "support/test.h"

#include <math.h>

#include "harness/trend.h"

#define CHECK_NEAR(got, expected) CHECK(fabs((got) - (expected)) <= 1e-9)

enum { N_VARIANTS = 5, N_REPETITIONS = 9 };

/* n_variants x n_repetitions x 1 */
struct made {
    double values[N_VARIANTS * N_REPETITIONS];
    struct samples samples;
};

static double *at(struct made *made, size_t variant, size_t repetition)
{
    return &made->values[variant * N_REPETITIONS + repetition];
}

/* 100 + 2 v, in a machine whose mood changes from one repetition to the next. */
static void make(struct made *made)
{
    made->samples = (struct samples){N_VARIANTS, N_REPETITIONS, 1, made->values};
    for (size_t v = 0; v < N_VARIANTS; v++)
        for (size_t r = 0; r < N_REPETITIONS; r++)
            *at(made, v, r) = 100 + 2 * (double)v + 10 * (double)r;
}

static const size_t variants[N_VARIANTS] = {0, 1, 2, 3, 4};
static const double x[N_VARIANTS] = {1, 2, 3, 4, 5};

static void a_median_is_the_middle_or_between_two(void **state)
{
    double odd[] = {5, 1, 9};
    double even[] = {4, 1, 3, 2};
    double one[] = {7};

    (void)state;
    CHECK_NEAR(median_of(odd, 3), 5);
    CHECK_NEAR(median_of(even, 4), 2.5);
    CHECK_NEAR(median_of(one, 1), 7);
}

static void what_a_repetition_has_in_common_is_no_trend(void **state)
{
    struct made made;

    (void)state;
    make(&made);
    const struct trend trend = trend_of(&made.samples, variants, x, N_VARIANTS, 0);
    CHECK_NEAR(trend.line.slope.value, 2);
    CHECK_NEAR(trend.line.slope.low, 2);
    CHECK_NEAR(trend.line.slope.high, 2);
    CHECK_NEAR(trend.mean, 144);                 /* in the middle of all */
    CHECK_NEAR(trend.whole, 36);                 /* over four steps */
    CHECK_NEAR(trend.percent.value, 100.0 / 18); /* 8 of 144 */
}

/* A mean would take a disturbed measurement for a trend. */
static void a_few_disturbed_measurements_do_not_bend_it(void **state)
{
    struct made made;

    (void)state;
    make(&made);
    *at(&made, 0, 3) += 1000;
    *at(&made, 0, 5) += 400;
    *at(&made, 4, 1) += 700;
    const struct trend trend = trend_of(&made.samples, variants, x, N_VARIANTS, 0);
    CHECK(fabs(trend.line.slope.value - 2) < 0.5);
    CHECK(trend.line.slope.low <= trend.line.slope.value);
    CHECK(trend.line.slope.value <= trend.line.slope.high);
}

static void a_paired_ratio_goes_by_repetition(void **state)
{
    struct made made;

    (void)state;
    make(&made);
    for (size_t r = 0; r < N_REPETITIONS; r++)
        *at(&made, 1, r) = 1.5 * *at(&made, 0, r);
    *at(&made, 1, 7) *= 50; /* one that was disturbed */
    const struct interval ratio = paired_ratio(&made.samples, 1, 0, 0);
    CHECK_NEAR(ratio.value, 1.5);
    CHECK_NEAR(ratio.low, 1.5);
    CHECK_NEAR(ratio.high, 1.5); /* the eighth of nine: the disturbed one is outside */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_median_is_the_middle_or_between_two),
        cmocka_unit_test(what_a_repetition_has_in_common_is_no_trend),
        cmocka_unit_test(a_few_disturbed_measurements_do_not_bend_it),
        cmocka_unit_test(a_paired_ratio_goes_by_repetition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
