/* SPDX-License-Identifier: MIT */
/* The monograph's rows A1 to A7 on one program: times by filter and by rate. */
#ifndef STUDY_HARNESS_RATES_H
#define STUDY_HARNESS_RATES_H

#include "harness/samples.h"
#include "harness/trend.h"

enum { RATES_BLOOM, RATES_CUCKOO, N_RATE_FILTERS, MAX_RATES = 20 };

struct rates {
    const struct samples *init;       /* that hold the time of the initialisation */
    const struct samples *dictionary; /* and that of all words */
    size_t init_field, dictionary_field;
    double to_ms; /* what makes milliseconds of both */
    size_t n; /* rates: 1 % first, at least one more below 3 % and one from there on */
    double percents[MAX_RATES];                 /* ascending */
    size_t variants[N_RATE_FILTERS][MAX_RATES]; /* of either filter, in both series */
    bool forgets[N_RATE_FILTERS]; /* whether a key that is removed is forgotten */
    const char *suffix;           /* of the rows: "" or "c" */
};

/* The line through all measurements of one filter, x in per cent. */
struct trend rates_trend(const struct rates *rates, const struct samples *samples,
                         size_t filter, size_t field);

/* Cuckoo over Bloom: the median over the rates inside each repetition, and of these the median. */
struct interval rates_usual(const struct rates *rates, const struct samples *samples,
                            size_t field);

/* Adds the judgements on rows A1 to A7, each with the suffix. */
void rates_judge(const struct rates *rates, struct answer *answer);

#endif
