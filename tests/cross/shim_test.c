/* SPDX-License-Identifier: MIT */
/* The stand-in for cmocka must be able to fail: every assertion is made once so that it holds and
 * once so that it does not, and the number of failures told is what it must be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "cmocka.h"

#include <stdio.h>

static const char *const abc = "abc";

static void everything_holds(void **state)
{
    (void)state;
    assert_true(1);
    assert_false(0);
    assert_non_null(abc);
    assert_null(NULL);
    assert_int_equal(-1, UINTMAX_MAX);
    assert_int_not_equal(1, 2);
    assert_ptr_equal(abc, abc);
    assert_ptr_not_equal(abc, NULL);
    assert_in_range(5, 5, 6);
    assert_string_equal(abc, "abc");
    assert_string_not_equal(abc, "abd");
    assert_memory_equal(abc, "abd", 2);
    assert_memory_equal(abc, "xyz", 0);
    assert_memory_not_equal(abc, "abd", 3);
    assert_float_equal(1.0, 1.25, 0.25);
    assert_float_not_equal(1.0, 1.5, 0.25);
}

#define FAILING(name, statement)   \
    static void name(void **state) \
    {                              \
        (void)state;               \
        statement;                 \
        puts(#name " went on");    \
    }
FAILING(fails_true, assert_true(0))
FAILING(fails_false, assert_false(1))
FAILING(fails_non_null, assert_non_null(NULL))
FAILING(fails_null, assert_null(abc))
FAILING(fails_int_equal, assert_int_equal(1, 2))
FAILING(fails_int_not_equal, assert_int_not_equal(2, 2))
FAILING(fails_ptr_equal, assert_ptr_equal(abc, NULL))
FAILING(fails_ptr_not_equal, assert_ptr_not_equal(abc, abc))
FAILING(fails_in_range, assert_in_range(4, 5, 6))
FAILING(fails_in_range_above, assert_in_range(7, 5, 6))
FAILING(fails_string_equal, assert_string_equal(abc, "abd"))
FAILING(fails_string_not_equal, assert_string_not_equal(abc, "abc"))
FAILING(fails_memory_equal, assert_memory_equal(abc, "abd", 3))
FAILING(fails_memory_not_equal, assert_memory_not_equal(abc, "abd", 2))
FAILING(fails_float_equal, assert_float_equal(1.0, 1.5, 0.25))
FAILING(fails_float_not_equal, assert_float_not_equal(1.0, 1.25, 0.25))
FAILING(fails_fail_msg, fail_msg("%s", "asked for"))

static int bad_fixture(void **state)
{
    (void)state;
    return -1;
}

static void is_skipped(void **state)
{
    (void)state;
    skip();
}

static void sees_its_state(void **state)
{
    assert_ptr_equal(*state, abc);
}

int main(void)
{
    static char text[] = "abc";
    const struct CMUnitTest good[] = {
        cmocka_unit_test(everything_holds),
        cmocka_unit_test(is_skipped),
    };
    const struct CMUnitTest bad[] = {
        cmocka_unit_test(fails_true),
        cmocka_unit_test(fails_false),
        cmocka_unit_test(fails_non_null),
        cmocka_unit_test(fails_null),
        cmocka_unit_test(fails_int_equal),
        cmocka_unit_test(fails_int_not_equal),
        cmocka_unit_test(fails_ptr_equal),
        cmocka_unit_test(fails_ptr_not_equal),
        cmocka_unit_test(fails_in_range),
        cmocka_unit_test(fails_in_range_above),
        cmocka_unit_test(fails_string_equal),
        cmocka_unit_test(fails_string_not_equal),
        cmocka_unit_test(fails_memory_equal),
        cmocka_unit_test(fails_memory_not_equal),
        cmocka_unit_test(fails_float_equal),
        cmocka_unit_test(fails_float_not_equal),
        cmocka_unit_test(fails_fail_msg),
        cmocka_unit_test_setup(everything_holds, bad_fixture),
        cmocka_unit_test_teardown(everything_holds, bad_fixture),
        cmocka_unit_test_prestate(sees_its_state, text),
    };
    const int n_bad = (int)(sizeof bad / sizeof bad[0]);
    const int good_failed = cmocka_run_group_tests(good, NULL, NULL);
    const int bad_failed = cmocka_run_group_tests(bad, NULL, NULL);
    const int group_failed = cmocka_run_group_tests(good, bad_fixture, NULL);

    if (good_failed != 0 || bad_failed != n_bad || group_failed != 2) {
        printf("expected 0, %d and 2 failures\n", n_bad);
        return 1;
    }
    return 0;
}
