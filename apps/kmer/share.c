/* SPDX-License-Identifier: MIT */
/* What a sample says about the whole, and how surely. */
#include <assert.h>
#include <math.h>

#include "kmer.h"

/* Of the normal distribution: 95 % lie within so many deviations. */
#define DEVIATIONS 1.959963984540054
#define DOUBT      .05

static double clamp(double share)
{
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* A k-mer that is not there is "found" with probability fpr: found = share + (1 - share) fpr. */
static double corrected(double found, double fpr)
{
    return clamp((found - fpr) / (1 - fpr));
}

/* The logarithm of the probability of `hits` among n at this rate. */
static double log_probability(double n, double hits, double rate)
{
    double sum = lgamma(n + 1) - lgamma(hits + 1) - lgamma(n - hits + 1);

    if (hits > 0)
        sum += hits * log(rate);
    if (hits < n)
        sum += (n - hits) * log1p(-rate);
    return sum;
}

/* The probability of n_found or more among n at this rate: a sum that soon adds nothing. Beyond the
 * mean terms only get smaller; where even the first one is 0 (<= and not <) all are. */
static double tail(uint64_t n, uint64_t n_found, double rate)
{
    double sum = 0;
    /* Below the mean the tail is more than a half: that is enough to know. */
    if ((double)n_found <= rate * (double)n)
        return 1;
    for (uint64_t i = n_found; i <= n; i++) {
        const double term = exp(log_probability((double)n, (double)i, rate));
        sum += term;
        if (term <= sum * 1e-12)
            break;
    }
    return sum;
}

/* The least rate that does not make so many hits surprising (Clopper and Pearson's lower bound),
 * by halving: the tail grows with the rate. */
static double lower_bound(uint64_t n, uint64_t n_found)
{
    double low = 0;
    double high = (double)n_found / (double)n;

    if (n_found == 0)
        return 0;
    if (n_found == n)
        return exp(log(DOUBT) / (double)n);
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (tail(n, n_found, middle) < DOUBT)
            low = middle;
        else
            high = middle;
    }
    return low;
}

ninho_kmer_share ninho_kmer_share_of(uint64_t n, uint64_t n_found, double fpr)
{
    const double size = (double)n;
    const double found = (double)n_found / size;
    const double z2 = DEVIATIONS * DEVIATIONS;
    const double middle = (found + z2 / (2 * size)) / (1 + z2 / size);
    const double width = DEVIATIONS / (1 + z2 / size) *
                         sqrt(found * (1 - found) / size + z2 / (4 * size * size));

    assert(n >= 1 && n_found <= n && fpr >= 0 && fpr < 1);
    return (ninho_kmer_share){
        .found = found,
        .corrected = corrected(found, fpr),
        .low = corrected(n_found == 0 ? 0 : middle - width, fpr),
        .high = corrected(n_found == n ? 1 : middle + width, fpr),
        .at_least = corrected(lower_bound(n, n_found), fpr),
    };
}
