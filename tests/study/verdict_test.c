/* SPDX-License-Identifier: MIT */
/* The rule of docs/claims.md, with made-up data for every outcome. */
#include "support/test.h"

#include <string.h>

#include "harness/verdict.h"

/* Where the value of a second run lies, and what is to be said of it. */
struct trial {
    double low;
    double high;
    enum verdict expected;
};

/* The interval of a run whose second value lies from low to high. */
static struct interval reaching(double low, double high)
{
    const double value = (low + high) / 2;
    const double half = (high - low) / 2 / 1.41421356237309504880;

    return (struct interval){value - half, value, value + half};
}

static struct interval of(const struct trial *trial)
{
    return reaching(trial->low, trial->high);
}

#define CHECK_TRIALS(trials, verdict)                                 \
    for (size_t i = 0; i < sizeof(trials) / sizeof(trials)[0]; i++) { \
        const struct interval interval = of(&(trials)[i]);            \
        test_where("[%g, %g]", interval.low, interval.high);          \
        CHECK((verdict) == (trials)[i].expected);                     \
    }

static void a_bound_needs_the_whole_interval(void **state)
{
    static const struct trial at_most[] = {
        {0.9, 1.05, HOLDS}, {1.0, 1.099, HOLDS},
        {1.1, 1.1, HOLDS}, /* the bound itself is allowed */
        {1.0, 1.2, OPEN},   {1.11, 1.2, DOES_NOT_HOLD},
    };
    static const struct trial at_least[] = {
        {1.2, 1.3, HOLDS}, {1.101, 1.3, HOLDS},       {1.1, 1.1, HOLDS},
        {1.0, 1.2, OPEN},  {0.9, 1.0, DOES_NOT_HOLD},
    };

    (void)state;
    CHECK_TRIALS(at_most, verdict_at_most(&interval, 1.1));
    CHECK_TRIALS(at_least, verdict_at_least(&interval, 1.1));
}

static void a_ratio_near_one_is_no_difference(void **state)
{
    static const struct trial below[] = {
        {0.5, 0.9, HOLDS},
        {0.9, 0.999, HOLDS},           /* reaches into the 2 %, but not wholly inside */
        {0.985, 0.995, DOES_NOT_HOLD}, /* on the claimed side, but no difference */
        {0.99, 1.01, DOES_NOT_HOLD},
        {0.981, 1.019, DOES_NOT_HOLD},
        {0.97, 1.01, OPEN},
        {0.5, 1.5, OPEN},
        {1.001, 1.5, DOES_NOT_HOLD},
    };

    (void)state;
    CHECK_TRIALS(below, verdict_ratio_below(&interval));
    /* The other claim on the mirrored interval must get the same verdict. */
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        const struct interval mirrored = reaching(2 - below[i].high, 2 - below[i].low);
        test_where("mirrored [%g, %g]", mirrored.low, mirrored.high);
        CHECK(verdict_ratio_above(&mirrored) == below[i].expected);
    }
}

static void a_slope_is_compared_with_the_whole(void **state)
{
    /* 2 % of 50 is 1 */
    static const struct trial below[] = {
        {-5, -2, HOLDS},
        {-5, -0.5, HOLDS},
        {-0.9, -0.1, DOES_NOT_HOLD},
        {-0.99, 0.99, DOES_NOT_HOLD},
        {-5, 1, OPEN},
        {0.1, 9, DOES_NOT_HOLD},
    };

    (void)state;
    CHECK_TRIALS(below, verdict_below_zero(&interval, 50));
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        const struct interval mirrored = reaching(-below[i].high, -below[i].low);
        test_where("mirrored [%g, %g]", mirrored.low, mirrored.high);
        CHECK(verdict_above_zero(&mirrored, 50) == below[i].expected);
    }
}

static void equality_is_within_five_per_cent(void **state)
{
    static const struct trial ratio[] = {
        {0.96, 1.04, HOLDS}, {1.01, 1.02, HOLDS},         {0.94, 1.04, OPEN},
        {1.04, 1.06, OPEN},  {1.051, 1.2, DOES_NOT_HOLD}, {0.5, 0.94, DOES_NOT_HOLD},
        {0.5, 1.5, OPEN},
    };
    /* 5 % of 100 is 5 */
    static const struct trial slope[] = {
        {-4, 4, HOLDS},          {1, 2, HOLDS},           {-6, 4, OPEN},
        {5.1, 8, DOES_NOT_HOLD}, {-9, -6, DOES_NOT_HOLD},
    };

    (void)state;
    CHECK_TRIALS(ratio, verdict_equal(&interval));
    CHECK_TRIALS(slope, verdict_zero(&interval, 100));
}

/* The whole interval keeps the bound, but the value of a second run may not: 0.945 + 1.41 * 0.05 > 1. */
static void what_a_second_run_may_undo_is_open(void **state)
{
    const struct interval near = {0.895, 0.945, 0.995};
    const struct interval far = {0.88, 0.93, 0.975};

    (void)state;
    CHECK(verdict_ratio_below(&near) == OPEN);
    CHECK(verdict_ratio_below(&far) == HOLDS);
    CHECK(verdict_at_most(&near, 1) == OPEN);
    CHECK(verdict_at_most(&far, 1) == HOLDS);
    CHECK(verdict_at_least(&near, 0.89) == OPEN);
    CHECK(verdict_at_least(&near, 0.85) == HOLDS);
    CHECK(verdict_equal(&(struct interval){0.96, 1, 1.04}) == OPEN);
    CHECK(verdict_equal(&(struct interval){0.97, 1, 1.03}) == HOLDS);
    CHECK(verdict_equal(&(struct interval){1.06, 1.1, 1.14}) == OPEN);
    CHECK(verdict_equal(&(struct interval){1.08, 1.11, 1.14}) == DOES_NOT_HOLD);
}

static void without_an_interval_all_is_open(void **state)
{
    const struct interval none = no_interval();

    (void)state;
    CHECK(verdict_at_most(&none, 1) == OPEN);
    CHECK(verdict_at_least(&none, 1) == OPEN);
    CHECK(verdict_ratio_below(&none) == OPEN);
    CHECK(verdict_ratio_above(&none) == OPEN);
    CHECK(verdict_below_zero(&none, 1) == OPEN);
    CHECK(verdict_above_zero(&none, 1) == OPEN);
    CHECK(verdict_equal(&none) == OPEN);
    CHECK(verdict_zero(&none, 1) == OPEN);
}

static void one_that_does_not_hold_is_enough(void **state)
{
    (void)state;
    CHECK(verdict_both(HOLDS, HOLDS) == HOLDS);
    CHECK(verdict_both(HOLDS, OPEN) == OPEN);
    CHECK(verdict_both(OPEN, OPEN) == OPEN);
    CHECK(verdict_both(OPEN, DOES_NOT_HOLD) == DOES_NOT_HOLD);
    CHECK(verdict_both(DOES_NOT_HOLD, HOLDS) == DOES_NOT_HOLD);
}

/* The first n_hold of twenty hold, the next n_not do not, the rest are open. */
static enum verdict most(size_t n_hold, size_t n_not)
{
    enum verdict cases[20];

    for (size_t i = 0; i < 20; i++)
        cases[i] = i < n_hold ? HOLDS : i < n_hold + n_not ? DOES_NOT_HOLD : OPEN;
    return verdict_most(cases, 20);
}

static void most_is_more_than_half_of_them(void **state)
{
    (void)state;
    CHECK(most(11, 9) == HOLDS);
    CHECK(most(11, 0) == HOLDS);
    CHECK(most(10, 9) == OPEN); /* the open one could still make it eleven */
    CHECK(most(10, 10) == DOES_NOT_HOLD);
    CHECK(most(0, 10) == DOES_NOT_HOLD);
    CHECK(most(0, 0) == OPEN);
    CHECK(verdict_most(NULL, 0) == OPEN);
}

static void verdicts_are_written_and_read(void **state)
{
    enum verdict verdict;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        CHECK(verdict_parse(verdict_text((enum verdict)i), &verdict));
        CHECK(verdict == (enum verdict)i);
    }
    CHECK(strcmp(verdict_text(DOES_NOT_HOLD), "does not hold") == 0);
    CHECK(!verdict_parse("maybe", &verdict));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_needs_the_whole_interval),
        cmocka_unit_test(a_ratio_near_one_is_no_difference),
        cmocka_unit_test(a_slope_is_compared_with_the_whole),
        cmocka_unit_test(equality_is_within_five_per_cent),
        cmocka_unit_test(what_a_second_run_may_undo_is_open),
        cmocka_unit_test(without_an_interval_all_is_open),
        cmocka_unit_test(one_that_does_not_hold_is_enough),
        cmocka_unit_test(most_is_more_than_half_of_them),
        cmocka_unit_test(verdicts_are_written_and_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
