/* SPDX-License-Identifier: MIT */
/* What run.c measures and judge.c judges. */
#ifndef STUDY_03_EXPERIMENT_H
#define STUDY_03_EXPERIMENT_H

#include "harness/hyphenation.h"
#include "harness/samples.h"
#include "harness/trend.h"

/* bloom and cuckoo are the monograph's two; the third is the cuckoo filter as this library makes it. */
enum { BLOOM, CUCKOO, OWN_CUCKOO, N_FILTERS };

enum { N_RATES = 20, N_VARIANTS = N_FILTERS * N_RATES };

/* Fields of the two series. */
enum { INIT_NS, FILTER_NS };
enum { TOTAL_NS, ASKED, LOOKUPS, FOUND, FALSE_POSITIVES };

struct experiment {
    const struct study *study;
    struct hyphen_data data;
    uint64_t *hashes; /* scratch, of the exceptions */
    size_t n_builds;  /* filters built in one measurement */
    struct samples init;
    struct samples dictionary;
};

/* The three filters of one rate are measured one after another, so that they meet the same weather; the
 * rates in an order that goes up and down, so that bad weather does not look like a trend in them. */
enum { STRIDE = 7, STRIDE_BACK = 3 }; /* 7 x 3 = 21, which is 1 modulo 20 */

static inline size_t filter_of(size_t variant)
{
    return variant % N_FILTERS;
}

static inline size_t percent_of(size_t variant)
{
    return variant / N_FILTERS * STRIDE % N_RATES + 1;
}

static inline size_t variant_of(size_t filter, size_t percent)
{
    return (percent - 1) * STRIDE_BACK % N_RATES * N_FILTERS + filter;
}

/* The filter of a variant; its seed is another in every repetition. */
ninho_spec hyphenation_spec(const struct experiment *e, size_t variant,
                            size_t repetition);

/* The line through all measurements of one filter, x in per cent. */
struct trend hyphenation_trend(const struct samples *samples, size_t filter,
                               size_t field);

/* Adds the judgements on rows A1 to A7. */
void judge_hyphenation(const struct experiment *e, struct answer *answer);

#endif
