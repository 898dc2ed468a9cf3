/* SPDX-License-Identifier: MIT */
/* From an interval to a verdict: a claim holds only where the whole interval is on its side. */
#ifndef STUDY_HARNESS_VERDICT_H
#define STUDY_HARNESS_VERDICT_H

#include "harness/stats.h"

enum verdict { HOLDS, DOES_NOT_HOLD, OPEN };

/* "holds", "does not hold", "open". */
const char *verdict_text(enum verdict verdict);

/* On the claim that the quantity is at most `bound`. */
enum verdict verdict_at_most(const struct interval *interval, double bound);

/* On the claim that two claims hold: one that does not is enough against it. */
enum verdict verdict_both(enum verdict a, enum verdict b);

#endif
