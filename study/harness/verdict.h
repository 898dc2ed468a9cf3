/* SPDX-License-Identifier: MIT */
/* From an interval to a verdict: a claim holds only where the whole interval is on its side, and so is the
 * value that a second run would find. The values of two runs differ by more noise than either has, so the
 * interval is first widened by the root of 2: it then holds, with 95 %, a second run's value. A row that
 * is nearer to its bound than that is open.
 *
 *     claimed: less than 1                     0.98   1   1.02
 *       [----]                                   |    |    |          holds
 *                                                | [--] |             does not hold: no difference
 *                                                |    |    | [---]    does not hold: the other side
 *                     [-------------------------------]               open
 */
#ifndef STUDY_HARNESS_VERDICT_H
#define STUDY_HARNESS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/stats.h"

enum verdict { HOLDS, DOES_NOT_HOLD, OPEN };

/* "holds", "does not hold", "open"; and back, false where it is none of them. */
const char *verdict_text(enum verdict verdict);
bool verdict_parse(const char *text, enum verdict *verdict);

/* On the claim that the quantity is at most `bound`; at least `bound`. */
enum verdict verdict_at_most(const struct interval *interval, double bound);
enum verdict verdict_at_least(const struct interval *interval, double bound);

/* On the claim that a ratio is below (above) 1: does not hold where the interval lies wholly on the
 * other side, or wholly within 2 % of 1, even if that is on the claimed side. */
enum verdict verdict_ratio_below(const struct interval *ratio);
enum verdict verdict_ratio_above(const struct interval *ratio);

/* On the claim that a difference or a slope is below (above) 0. `whole` is what a change is compared
 * with (the mean of the quantity; for a slope, divided by the range of x): wholly within 2 % of it is no
 * difference. */
enum verdict verdict_below_zero(const struct interval *difference, double whole);
enum verdict verdict_above_zero(const struct interval *difference, double whole);

/* On the claim that a ratio is 1 (two things are equal): holds wholly within 5 %, does not hold wholly
 * outside. The same for a slope or difference that is claimed to be 0. */
enum verdict verdict_equal(const struct interval *ratio);
enum verdict verdict_zero(const struct interval *difference, double whole);

/* On the claim that two claims hold: one that does not is enough against it. */
enum verdict verdict_both(enum verdict a, enum verdict b);

/* On the claim that something is so for most of n cases, each judged by itself: holds where more than
 * half hold, does not hold where at least half do not, else open. */
enum verdict verdict_most(const enum verdict *cases, size_t n);

#endif
