/* SPDX-License-Identifier: MIT */
#include "harness/estimate.h"

#include <math.h>

/* The guess counts as much as finished questions of this weight. */
#define TRUST 30

void estimate_begin(struct estimate *estimate, double weight, double guess)
{
    *estimate = (struct estimate){.guess = guess, .weight_left = weight};
}

void estimate_begin_question(struct estimate *estimate, double weight, double now)
{
    estimate->weight_here = weight;
    estimate->weight_left -= weight;
    estimate->start_here = now;
}

/* A question that is done at once was left out, or nearly finished before: it does not tell how fast
 * the machine is. */
void estimate_end_question(struct estimate *estimate, double now)
{
    const double seconds = now - estimate->start_here;

    if (seconds > estimate->weight_here / 10) {
        estimate->known_weight += estimate->weight_here;
        estimate->known_seconds += seconds;
    }
    estimate->weight_here = 0;
}

static double pace_of(const struct estimate *estimate)
{
    if (estimate->guess > 0)
        return (estimate->known_seconds + TRUST * estimate->guess) /
               (estimate->known_weight + TRUST);
    return estimate->known_seconds / estimate->known_weight;
}

/* A question's share is not even in time: of one that opens large files first it stays at 0 for
 * seconds. So its whole time is not taken for elapsed / share, but for the mean of that, weighted
 * with the share, and of what its weight says, weighted with the rest. */
double estimate_left(const struct estimate *estimate, double share, double now)
{
    if (estimate->known_weight <= 0 && estimate->guess <= 0)
        return NAN;
    const double pace = pace_of(estimate);
    const double elapsed = now - estimate->start_here;
    const double whole = (1 - share) * pace * estimate->weight_here + elapsed;

    return (1 - share) * whole + pace * fmax(estimate->weight_left, 0);
}
