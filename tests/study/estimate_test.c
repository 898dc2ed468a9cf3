/* SPDX-License-Identifier: MIT */
/* The time that the study says is left. */
#include "support/test.h"

#include <math.h>

#include "harness/estimate.h"

enum { N_QUESTIONS = 20, WEIGHT = 20 };

static struct estimate begin(double guess)
{
    struct estimate estimate;

    estimate_begin(&estimate, N_QUESTIONS * WEIGHT, guess);
    return estimate;
}

/* Answers n questions that take `seconds` each; the time at the end. */
static double answer(struct estimate *estimate, size_t n, double seconds, double now)
{
    for (size_t i = 0; i < n; i++) {
        estimate_begin_question(estimate, WEIGHT, now);
        now += seconds;
        estimate_end_question(estimate, now);
    }
    return now;
}

static void a_slow_start_is_not_taken_for_the_whole(void **state)
{
    (void)state;
    struct estimate estimate = begin(1);

    /* Ten seconds, and nothing to show for them yet: the quotient would be hours. */
    estimate_begin_question(&estimate, WEIGHT, 0);
    const double left = estimate_left(&estimate, 0.001, 10);
    assert_true(left > 395 && left < 450);
}

static void the_pace_is_learnt_from_what_is_finished(void **state)
{
    (void)state;
    struct estimate estimate = begin(1);
    const double now = answer(&estimate, N_QUESTIONS / 2, 3 * WEIGHT, 0);

    estimate_begin_question(&estimate, WEIGHT, now);
    const double left = estimate_left(&estimate, 0, now);
    assert_true(left > 0.85 * 600 && left < 600);
}

static void a_question_that_takes_longer_than_its_weight_says_so(void **state)
{
    (void)state;
    struct estimate estimate = begin(1);

    answer(&estimate, N_QUESTIONS - 1, WEIGHT, 0);
    estimate_begin_question(&estimate, WEIGHT, 0);
    const double left = estimate_left(&estimate, 0.5, 100);
    assert_true(left > 50 && left <= 100);
    assert_true(estimate_left(&estimate, 1, 200) == 0);
}

static void what_was_left_out_is_no_sign_of_a_fast_machine(void **state)
{
    (void)state;
    struct estimate estimate = begin(1);
    const double now = answer(&estimate, 5, 0.01, 0);

    estimate_begin_question(&estimate, WEIGHT, now);
    assert_true(fabs(estimate_left(&estimate, 0, now) - 15 * WEIGHT) < 1);
}

static void without_a_guess_it_waits_for_the_first_answer(void **state)
{
    (void)state;
    struct estimate estimate = begin(0);

    estimate_begin_question(&estimate, WEIGHT, 0);
    assert_true(isnan(estimate_left(&estimate, 0.5, 300)));
    estimate_end_question(&estimate, 600);
    estimate_begin_question(&estimate, WEIGHT, 600);
    assert_true(fabs(estimate_left(&estimate, 0, 600) - 19 * 600) < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_start_is_not_taken_for_the_whole),
        cmocka_unit_test(the_pace_is_learnt_from_what_is_finished),
        cmocka_unit_test(a_question_that_takes_longer_than_its_weight_says_so),
        cmocka_unit_test(what_was_left_out_is_no_sign_of_a_fast_machine),
        cmocka_unit_test(without_a_guess_it_waits_for_the_first_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
