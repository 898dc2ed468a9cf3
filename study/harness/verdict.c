/* SPDX-License-Identifier: MIT */
#include "harness/verdict.h"

#include <string.h>

/* Nearer than this to no difference is none; nearer than that is equal. */
#define NO_DIFFERENCE 0.02
#define EQUAL         0.05

#define SQRT2 1.41421356237309504880

/* Comparisons with NAN are false, so that an interval that is none leaves every claim open. */

/* Where a second run's value lies. An interval of no width is exact: it is found again. */
static struct interval reach_of(const struct interval *interval)
{
    const double value = interval->value;

    return (struct interval){value - SQRT2 * (value - interval->low), value,
                             value + SQRT2 * (interval->high - value)};
}

static bool is_within(const struct interval *interval, double centre, double half)
{
    return interval->low >= centre - half && interval->high <= centre + half;
}

static bool is_outside(const struct interval *interval, double centre, double half)
{
    return interval->high < centre - half || interval->low > centre + half;
}

static enum verdict below(const struct interval *interval, double none, double half)
{
    const struct interval reach = reach_of(interval);

    if (reach.low > none || is_within(&reach, none, half))
        return DOES_NOT_HOLD;
    return reach.high < none ? HOLDS : OPEN;
}

static enum verdict above(const struct interval *interval, double none, double half)
{
    const struct interval mirrored = {-interval->high, -interval->value, -interval->low};

    return below(&mirrored, -none, half);
}

static enum verdict equal(const struct interval *interval, double to, double half)
{
    const struct interval reach = reach_of(interval);

    if (is_within(&reach, to, half))
        return HOLDS;
    return is_outside(&reach, to, half) ? DOES_NOT_HOLD : OPEN;
}

static const char *const texts[] = {
    [HOLDS] = "holds", [DOES_NOT_HOLD] = "does not hold", [OPEN] = "open"};

const char *verdict_text(enum verdict verdict)
{
    return texts[verdict];
}

bool verdict_parse(const char *text, enum verdict *verdict)
{
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(text, texts[i]) == 0) {
            *verdict = (enum verdict)i;
            return true;
        }
    return false;
}

enum verdict verdict_at_most(const struct interval *interval, double bound)
{
    const struct interval reach = reach_of(interval);

    if (reach.high <= bound)
        return HOLDS;
    return reach.low > bound ? DOES_NOT_HOLD : OPEN;
}

enum verdict verdict_at_least(const struct interval *interval, double bound)
{
    const struct interval reach = reach_of(interval);

    if (reach.low >= bound)
        return HOLDS;
    return reach.high < bound ? DOES_NOT_HOLD : OPEN;
}

enum verdict verdict_ratio_below(const struct interval *ratio)
{
    return below(ratio, 1, NO_DIFFERENCE);
}

enum verdict verdict_ratio_above(const struct interval *ratio)
{
    return above(ratio, 1, NO_DIFFERENCE);
}

enum verdict verdict_below_zero(const struct interval *difference, double whole)
{
    return below(difference, 0, NO_DIFFERENCE * whole);
}

enum verdict verdict_above_zero(const struct interval *difference, double whole)
{
    return above(difference, 0, NO_DIFFERENCE * whole);
}

enum verdict verdict_equal(const struct interval *ratio)
{
    return equal(ratio, 1, EQUAL);
}

enum verdict verdict_zero(const struct interval *difference, double whole)
{
    return equal(difference, 0, EQUAL * whole);
}

enum verdict verdict_both(enum verdict a, enum verdict b)
{
    if (a == DOES_NOT_HOLD || b == DOES_NOT_HOLD)
        return DOES_NOT_HOLD;
    return a == HOLDS && b == HOLDS ? HOLDS : OPEN;
}

enum verdict verdict_most(const enum verdict *cases, size_t n)
{
    size_t n_hold = 0;
    size_t n_not = 0;

    for (size_t i = 0; i < n; i++) {
        n_hold += cases[i] == HOLDS;
        n_not += cases[i] == DOES_NOT_HOLD;
    }
    if (2 * n_hold > n)
        return HOLDS;
    return n && 2 * n_not >= n ? DOES_NOT_HOLD : OPEN;
}
