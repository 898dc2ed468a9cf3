/* SPDX-License-Identifier: MIT */
/* Numbers as the report prints them. */
#include "support/test.h"

#include <math.h>

#include "report/lookup.h"
#include "study.h"

/* The report goes through the questions of the program; here there are none. */
const struct question questions[] = {{.name = NULL}};

static void check_text(struct interval interval, const char *expected)
{
    char text[96];

    interval_text(&interval, text, sizeof text);
    assert_string_equal(text, expected);
}

static void digits_tell_the_ends_apart(void **state)
{
    (void)state;
    check_text((struct interval){0.31, 0.36, 0.42}, "0.36 [0.31, 0.42]");
    check_text((struct interval){0.9694, 0.9704, 0.9714}, "0.9704 [0.9694, 0.9714]");
    check_text((struct interval){7450, 7464, 7478}, "7464 [7450, 7478]");
    check_text((struct interval){1e-6, 2e-6, 3e-6}, "2e-06 [1e-06, 3e-06]");
}

static void what_is_exact_has_no_interval(void **state)
{
    (void)state;
    check_text((struct interval){0, 0, 0}, "0 (exact)");
    check_text((struct interval){1.114, 1.114, 1.114}, "1.114 (exact)");
}

static void what_was_not_measured_has_no_text(void **state)
{
    (void)state;
    check_text((struct interval){NAN, NAN, NAN}, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_tell_the_ends_apart),
        cmocka_unit_test(what_is_exact_has_no_interval),
        cmocka_unit_test(what_was_not_measured_has_no_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
