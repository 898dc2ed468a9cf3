/* SPDX-License-Identifier: MIT */
/* The part of cmocka's interface that our tests use, for machines and C libraries that Debian
 * packages no cmocka for: a big-endian one, 32 bits, musl. Everywhere else the tests are built on
 * cmocka itself, so a call that is missing here is noticed when those are built, by name.
 *
 * As with cmocka, include <setjmp.h>, <stdarg.h>, <stddef.h> and <stdint.h> before. */
#ifndef NINHO_TESTS_CROSS_CMOCKA_H
#define NINHO_TESTS_CROSS_CMOCKA_H

#include <stdint.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func;
    CMFixtureFunction teardown_func;
    void *initial_state;
};

#define cmocka_unit_test(f) cmocka_unit_test_prestate_setup_teardown(f, NULL, NULL, NULL)
#define cmocka_unit_test_setup(f, setup) \
    cmocka_unit_test_prestate_setup_teardown(f, setup, NULL, NULL)
#define cmocka_unit_test_teardown(f, teardown) \
    cmocka_unit_test_prestate_setup_teardown(f, NULL, teardown, NULL)
#define cmocka_unit_test_setup_teardown(f, setup, teardown) \
    cmocka_unit_test_prestate_setup_teardown(f, setup, teardown, NULL)
#define cmocka_unit_test_prestate(f, state) \
    cmocka_unit_test_prestate_setup_teardown(f, NULL, NULL, state)
/* clang-format off */
#define cmocka_unit_test_prestate_setup_teardown(f, setup, teardown, state)              \
    {#f, f, setup, teardown, state}
/* clang-format on */

/* The number of tests that failed. */
int cmocka_shim_run(const char *group, const struct CMUnitTest *tests, size_t n,
                    CMFixtureFunction setup, CMFixtureFunction teardown);
#define cmocka_run_group_tests(tests, setup, teardown) \
    cmocka_shim_run(#tests, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    cmocka_shim_run(name, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

/* End the test that runs now. */
_Noreturn void cmocka_shim_skip(void);
_Noreturn void cmocka_shim_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define skip()        cmocka_shim_skip()
#define fail()        cmocka_shim_fail(__FILE__, __LINE__, "failed")
#define fail_msg(...) cmocka_shim_fail(__FILE__, __LINE__, __VA_ARGS__)

void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Comparisons: end the test unless `holds`. */
void cmocka_shim_true(int holds, const char *text, const char *file, int line);
void cmocka_shim_compare(int holds, uintmax_t a, const char *relation, uintmax_t b,
                         const char *file, int line);
void cmocka_shim_strings(int want_equal, const char *a, const char *b, const char *file,
                         int line);
void cmocka_shim_memory(int want_equal, const void *a, const void *b, size_t size,
                        const char *file, int line);
void cmocka_shim_floats(int want_equal, double a, double b, double epsilon,
                        const char *file, int line);

/* Each side is evaluated once, as cmocka does. */
#define CMOCKA_SHIM_COMPARE_(a, relation, b)                                           \
    do {                                                                               \
        const uintmax_t left_ = (uintmax_t)(a), right_ = (uintmax_t)(b);               \
        cmocka_shim_compare(left_ relation right_, left_, #relation, right_, __FILE__, \
                            __LINE__);                                                 \
    } while (0)

#define assert_true(x)             cmocka_shim_true(!!(x), #x, __FILE__, __LINE__)
#define assert_false(x)            cmocka_shim_true(!(x), "!(" #x ")", __FILE__, __LINE__)
#define assert_non_null(p)         cmocka_shim_true((p) != NULL, #p, __FILE__, __LINE__)
#define assert_null(p)             cmocka_shim_true((p) == NULL, "!" #p, __FILE__, __LINE__)
#define assert_int_equal(a, b)     CMOCKA_SHIM_COMPARE_(a, ==, b)
#define assert_int_not_equal(a, b) CMOCKA_SHIM_COMPARE_(a, !=, b)
#define assert_ptr_equal(a, b)     CMOCKA_SHIM_COMPARE_((uintptr_t)(a), ==, (uintptr_t)(b))
#define assert_ptr_not_equal(a, b) \
    CMOCKA_SHIM_COMPARE_((uintptr_t)(a), !=, (uintptr_t)(b))
#define assert_in_range(x, low, high)      \
    do {                                   \
        CMOCKA_SHIM_COMPARE_(x, >=, low);  \
        CMOCKA_SHIM_COMPARE_(x, <=, high); \
    } while (0)
#define assert_string_equal(a, b)     cmocka_shim_strings(1, a, b, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) cmocka_shim_strings(0, a, b, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size) \
    cmocka_shim_memory(1, a, b, size, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, size) \
    cmocka_shim_memory(0, a, b, size, __FILE__, __LINE__)
#define assert_float_equal(a, b, epsilon) \
    cmocka_shim_floats(1, (double)(a), (double)(b), (double)(epsilon), __FILE__, __LINE__)
#define assert_float_not_equal(a, b, epsilon) \
    cmocka_shim_floats(0, (double)(a), (double)(b), (double)(epsilon), __FILE__, __LINE__)

#endif
