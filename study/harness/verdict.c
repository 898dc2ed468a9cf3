/* SPDX-License-Identifier: MIT */
#include "harness/verdict.h"

const char *verdict_text(enum verdict verdict)
{
    return verdict == HOLDS           ? "holds"
           : verdict == DOES_NOT_HOLD ? "does not hold"
                                      : "open";
}

enum verdict verdict_at_most(const struct interval *interval, double bound)
{
    if (interval->high <= bound)
        return HOLDS;
    return interval->low > bound ? DOES_NOT_HOLD : OPEN;
}

enum verdict verdict_both(enum verdict a, enum verdict b)
{
    if (a == DOES_NOT_HOLD || b == DOES_NOT_HOLD)
        return DOES_NOT_HOLD;
    return a == HOLDS && b == HOLDS ? HOLDS : OPEN;
}
