/* SPDX-License-Identifier: MIT */
/* The study's statistics, against values from tables and from R. */
#include "support/test.h"

#include <math.h>

#include "harness/stats.h"

#define CHECK_NEAR(got, expected, digits) \
    CHECK(fabs((got) - (expected)) <= 0.5 * pow(10, -(digits)))

static void a_mean_has_students_interval(void **state)
{
    /* t.test(1:5) */
    const double five[] = {1, 2, 3, 4, 5};
    const struct interval mean = mean_interval(five, 5);
    /* two samples: t is 12.7062 with one degree of freedom */
    const double two[] = {10, 12};
    const struct interval pair = mean_interval(two, 2);

    (void)state;
    CHECK_NEAR(mean.low, 1.036757, 6);
    CHECK_NEAR(mean.value, 3, 12);
    CHECK_NEAR(mean.high, 4.963243, 6);
    CHECK_NEAR(pair.value, 11, 12);
    CHECK_NEAR(pair.high - pair.value, 12.7062, 4);
}

static void thirty_samples_use_t_of_29(void **state)
{
    double samples[30];

    (void)state;
    /* Half of them 1 below and half 1 above: the standard deviation is sqrt(30 / 29). */
    for (size_t i = 0; i < 30; i++)
        samples[i] = i % 2 ? 101 : 99;
    const struct interval mean = mean_interval(samples, 30);
    CHECK_NEAR(mean.value, 100, 12);
    CHECK_NEAR(mean.high - 100, 2.045230 / sqrt(29), 6);
    CHECK_NEAR(100 - mean.low, 2.045230 / sqrt(29), 6);
}

/* The classical table: of n samples the i-th smallest and the i-th largest. */
static void a_median_has_the_tables_order_statistics(void **state)
{
    static const struct {
        size_t n;
        double low;
        double high;
    } table[] = {{6, 1, 6},   {8, 1, 8},   {9, 2, 8},    {11, 2, 10},  {15, 4, 12},
                 {20, 6, 15}, {25, 8, 18}, {30, 10, 21}, {50, 18, 33}, {100, 40, 61}};

    (void)state;
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        double samples[100];
        const size_t n = table[t].n;
        test_where("n = %zu", n);
        for (size_t i = 0; i < n; i++)
            samples[i] =
                (double)(i * 7 % n + 1); /* 1..n in disorder, where 7 does not divide n */
        const struct interval median = median_interval(samples, n);
        CHECK(median.low == table[t].low);
        CHECK(median.value == (double)(n + 1) / 2);
        CHECK(median.high == table[t].high);
    }
}

/* The least and the largest of five hold the median with 15/16, which is no 95 %. */
static void fewer_than_six_have_no_interval(void **state)
{
    const double samples[] = {5, 3, 1, 2, 4};

    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        const struct interval median = median_interval(samples, n);
        CHECK(isnan(median.low) && isnan(median.high) && !isnan(median.value));
    }
    CHECK(median_interval(samples, 5).value == 3);
}

static void a_median_leaves_its_samples_alone(void **state)
{
    const double samples[] = {3, 1, 2};

    (void)state;
    CHECK(median_interval(samples, 3).value == 2);
    CHECK(samples[0] == 3 && samples[1] == 1 && samples[2] == 2);
}

static void a_line_has_the_intervals_of_the_textbook(void **state)
{
    /* confint(lm(y1 ~ x1, anscombe)) */
    const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    const double y[] = {8.04, 6.95, 7.58,  8.81, 8.33, 9.96,
                        7.24, 4.26, 10.84, 4.82, 5.68};
    const struct line line = fit_line(x, y, 11);

    (void)state;
    CHECK_NEAR(line.intercept.low, 0.4557369, 6);
    CHECK_NEAR(line.intercept.value, 3.0000909, 6);
    CHECK_NEAR(line.intercept.high, 5.5444449, 6);
    CHECK_NEAR(line.slope.low, 0.2333701, 6);
    CHECK_NEAR(line.slope.value, 0.5000909, 6);
    CHECK_NEAR(line.slope.high, 0.7668117, 6);
}

static void points_on_a_line_leave_no_doubt(void **state)
{
    const double x[] = {1, 2, 3, 4};
    const double y[] = {1, 3, 5, 7};
    const struct line line = fit_line(x, y, 4);

    (void)state;
    CHECK_NEAR(line.slope.low, 2, 9);
    CHECK_NEAR(line.slope.high, 2, 9);
    CHECK_NEAR(line.intercept.value, -1, 9);
}

static void a_share_has_wilsons_interval(void **state)
{
    static const struct {
        uint64_t n_yes;
        uint64_t n;
        double low;
        double high;
    } table[] = {{10, 100, 0.0552291, 0.1743657},
                 {5, 10, 0.2365931, 0.7634069},
                 {0, 10, 0, 0.2775328},
                 {10, 10, 0.7224672, 1}};

    (void)state;
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        const struct interval share = share_interval(table[t].n_yes, table[t].n);
        test_where("%u of %u", (unsigned)table[t].n_yes, (unsigned)table[t].n);
        CHECK_NEAR(share.low, table[t].low, 6);
        CHECK(share.value == (double)table[t].n_yes / (double)table[t].n);
        CHECK_NEAR(share.high, table[t].high, 6);
    }
}

static void no_interval_is_no_number(void **state)
{
    const struct interval none = no_interval();

    (void)state;
    CHECK(isnan(none.low) && isnan(none.value) && isnan(none.high));
}

static void scaling_scales_all_three(void **state)
{
    const struct interval twice = scaled((struct interval){1, 2, 4}, 2);

    (void)state;
    CHECK(twice.low == 2 && twice.value == 4 && twice.high == 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mean_has_students_interval),
        cmocka_unit_test(thirty_samples_use_t_of_29),
        cmocka_unit_test(a_median_has_the_tables_order_statistics),
        cmocka_unit_test(fewer_than_six_have_no_interval),
        cmocka_unit_test(a_median_leaves_its_samples_alone),
        cmocka_unit_test(a_line_has_the_intervals_of_the_textbook),
        cmocka_unit_test(points_on_a_line_leave_no_doubt),
        cmocka_unit_test(a_share_has_wilsons_interval),
        cmocka_unit_test(no_interval_is_no_number),
        cmocka_unit_test(scaling_scales_all_three),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
