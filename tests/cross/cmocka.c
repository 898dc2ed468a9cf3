/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "cmocka.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum outcome { PASSED, FAILED, SKIPPED };

static jmp_buf end_of_test;

_Noreturn void cmocka_shim_skip(void)
{
    longjmp(end_of_test, SKIPPED);
}

_Noreturn void cmocka_shim_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    longjmp(end_of_test, FAILED);
}

void print_message(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void print_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void cmocka_shim_true(int holds, const char *text, const char *file, int line)
{
    if (!holds)
        cmocka_shim_fail(file, line, "does not hold: %s", text);
}

void cmocka_shim_compare(int holds, uintmax_t a, const char *relation, uintmax_t b,
                         const char *file, int line)
{
    if (!holds)
        cmocka_shim_fail(file, line, "%#" PRIxMAX " %s %#" PRIxMAX " does not hold", a,
                         relation, b);
}

void cmocka_shim_strings(int want_equal, const char *a, const char *b, const char *file,
                         int line)
{
    if ((strcmp(a, b) == 0) != want_equal)
        cmocka_shim_fail(file, line, "\"%s\" %s \"%s\"", a, want_equal ? "!=" : "==", b);
}

void cmocka_shim_memory(int want_equal, const void *a, const void *b, size_t size,
                        const char *file, int line)
{
    const unsigned char *left = a;
    const unsigned char *right = b;
    size_t at = 0;

    if ((size == 0 || memcmp(a, b, size) == 0) == want_equal)
        return;
    if (!want_equal)
        cmocka_shim_fail(file, line, "%zu bytes are equal", size);
    while (left[at] == right[at])
        at++;
    cmocka_shim_fail(file, line, "byte %zu of %zu differs: %02x, %02x", at, size,
                     left[at], right[at]);
}

void cmocka_shim_floats(int want_equal, double a, double b, double epsilon,
                        const char *file, int line)
{
    if ((fabs(a - b) <= epsilon) != want_equal)
        cmocka_shim_fail(file, line, "%.17g %s %.17g (within %g)", a,
                         want_equal ? "!=" : "==", b, epsilon);
}

/* Runs a fixture or a test (one of them is NULL) and says how it ended. */
static enum outcome run(CMUnitTestFunction test, CMFixtureFunction fixture, void **state)
{
    switch (setjmp(end_of_test)) {
    case PASSED:
        if (test)
            test(state);
        else if (fixture && fixture(state) != 0)
            return FAILED;
        return PASSED;
    case SKIPPED:
        return SKIPPED;
    default:
        return FAILED;
    }
}

int cmocka_shim_run(const char *group, const struct CMUnitTest *tests, size_t n,
                    CMFixtureFunction setup, CMFixtureFunction teardown)
{
    static const char *const words[] = {"ok", "FAILED", "skipped"};
    int n_failed = 0;
    void *group_state = NULL;

    if (run(NULL, setup, &group_state) != PASSED) {
        fprintf(stderr, "%s: group setup failed\n", group);
        return (int)n;
    }
    for (size_t i = 0; i < n; i++) {
        void *state = tests[i].initial_state ? tests[i].initial_state : group_state;
        enum outcome outcome = run(NULL, tests[i].setup_func, &state);

        if (outcome == PASSED)
            outcome = run(tests[i].test_func, NULL, &state);
        if (run(NULL, tests[i].teardown_func, &state) != PASSED)
            outcome = FAILED;
        printf("%s: %s\n", tests[i].name, words[outcome]);
        fflush(stdout);
        n_failed += outcome == FAILED;
    }
    if (run(NULL, teardown, &group_state) != PASSED) {
        fprintf(stderr, "%s: group teardown failed\n", group);
        n_failed++;
    }
    printf("%s: %zu tests, %d failed\n", group, n, n_failed);
    return n_failed;
}
