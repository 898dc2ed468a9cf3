/* SPDX-License-Identifier: MIT */
#include "harness/rates.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/fail.h"

/* ---- Estimates ----------------------------------------------------------------------------- */

struct trend rates_trend(const struct rates *rates, const struct samples *samples,
                         size_t filter, size_t field)
{
    return trend_of(samples, rates->variants[filter], rates->percents, rates->n, field);
}

static double time_at(const struct rates *rates, const struct samples *samples,
                      size_t filter, size_t rate, size_t repetition, size_t field)
{
    return samples_at(samples, rates->variants[filter][rate], repetition)[field];
}

static double ratio_at(const struct rates *rates, const struct samples *samples,
                       size_t field, size_t rate, size_t repetition)
{
    return time_at(rates, samples, RATES_CUCKOO, rate, repetition, field) /
           time_at(rates, samples, RATES_BLOOM, rate, repetition, field);
}

/* A number for each repetition, and their median. */
typedef double (*of_repetition)(const struct rates *rates, const struct samples *samples,
                                size_t field, size_t repetition);

static struct interval over_repetitions(const struct rates *rates,
                                        const struct samples *samples, size_t field,
                                        of_repetition number)
{
    double *values = allocate(samples->n_repetitions, sizeof *values);

    for (size_t r = 0; r < samples->n_repetitions; r++)
        values[r] = number(rates, samples, field, r);
    const struct interval interval = median_interval(values, samples->n_repetitions);
    free(values);
    return interval;
}

static double one_usual(const struct rates *rates, const struct samples *samples,
                        size_t field, size_t repetition)
{
    double ratios[MAX_RATES];

    for (size_t i = 0; i < rates->n; i++)
        ratios[i] = ratio_at(rates, samples, field, i, repetition);
    return median_of(ratios, rates->n);
}

struct interval rates_usual(const struct rates *rates, const struct samples *samples,
                            size_t field)
{
    return over_repetitions(rates, samples, field, one_usual);
}

/* How much smaller the ratio is below 3 % than it usually is at the others. */
static double one_shrinking(const struct rates *rates, const struct samples *samples,
                            size_t field, size_t repetition)
{
    double others[MAX_RATES], small = 0;
    size_t n_small = 0, n_others = 0;

    for (size_t i = 0; i < rates->n; i++)
        if (rates->percents[i] < 3) {
            small += ratio_at(rates, samples, field, i, repetition);
            n_small++;
        } else {
            others[n_others++] = ratio_at(rates, samples, field, i, repetition);
        }
    return small / (double)n_small - median_of(others, n_others);
}

/* The time behind a Bloom filter at 1 % over what it usually is at the other rates. */
static double one_first(const struct rates *rates, const struct samples *samples,
                        size_t field, size_t repetition)
{
    double others[MAX_RATES];

    for (size_t i = 1; i < rates->n; i++)
        others[i - 1] = time_at(rates, samples, RATES_BLOOM, i, repetition, field);
    return time_at(rates, samples, RATES_BLOOM, 0, repetition, field) /
           median_of(others, rates->n - 1);
}

/* For each rate, the verdict of `judge` on cuckoo / bloom; the verdict for most of them. */
static enum verdict most_rates(const struct rates *rates, const struct samples *samples,
                               size_t field,
                               enum verdict (*judge)(const struct interval *),
                               size_t *n_holds)
{
    enum verdict verdicts[MAX_RATES];

    *n_holds = 0;
    for (size_t i = 0; i < rates->n; i++) {
        const struct interval ratio =
            paired_ratio(samples, rates->variants[RATES_CUCKOO][i],
                         rates->variants[RATES_BLOOM][i], field);
        verdicts[i] = judge(&ratio);
        *n_holds += verdicts[i] == HOLDS;
    }
    return verdict_most(verdicts, rates->n);
}

/* ---- Judgements ---------------------------------------------------------------------------- */

static const char *row_of(const struct rates *rates, const char *row, char text[8])
{
    snprintf(text, 8, "%s%s", row, rates->suffix);
    return text;
}

#define CHANGE_INIT "change of the initialisation from 1 % to 20 %, per cent of its mean"
#define CHANGE_ALL \
    "change of the time for the dictionary from 1 % to 20 %, per cent of its mean"
#define RATIO_ALL                                                                    \
    "time for the dictionary behind cuckoo over that behind Bloom, median over the " \
    "rates"

static void judge_slope(const struct rates *rates, struct answer *answer, const char *row,
                        const char *quantity, const struct trend *trend, bool falls)
{
    char text[8];

    answer_judge(answer, row_of(rates, row, text),
                 falls ? verdict_below_zero(&trend->line.slope, trend->whole)
                       : verdict_zero(&trend->line.slope, trend->whole),
                 trend->percent, quantity, "The mean is %.4g ms.",
                 rates->to_ms * trend->mean);
}

/* Falls, and is largest at the smallest rate: at the least, larger than it usually is at the others. */
static void judge_a2(const struct rates *rates, struct answer *answer)
{
    const struct trend trend =
        rates_trend(rates, rates->dictionary, RATES_BLOOM, rates->dictionary_field);
    const struct interval first =
        over_repetitions(rates, rates->dictionary, rates->dictionary_field, one_first);
    const enum verdict falls = verdict_below_zero(&trend.line.slope, trend.whole);
    const enum verdict largest = verdict_ratio_above(&first);
    /* Beside the verdict stands what decided. */
    const bool is_first = falls == HOLDS && largest != HOLDS;
    char text[8];

    answer_judge(
        answer, row_of(rates, "A2", text), verdict_both(falls, largest),
        is_first ? first : trend.percent,
        is_first ? "time for the dictionary at 1 % over what it usually is at other rates"
                 : CHANGE_ALL,
        "The mean is %.4g ms; from 1 %% to 20 %% the line through the medians changes by "
        "%+.2f %% of it [%+.2f, %+.2f] (%s). The time at 1 %% is %.3f times what it "
        "usually is at the other rates [%.3f, %.3f] (%s).",
        rates->to_ms * trend.mean, trend.percent.value, trend.percent.low,
        trend.percent.high, verdict_text(falls), first.value, first.low, first.high,
        verdict_text(largest));
}

static void judge_a5(const struct rates *rates, struct answer *answer)
{
    size_t n_holds;
    const enum verdict verdict =
        most_rates(rates, rates->init, rates->init_field, verdict_ratio_above, &n_holds);
    char text[8];

    answer_judge(answer, row_of(rates, "A5", text), verdict,
                 rates_usual(rates, rates->init, rates->init_field),
                 "initialisation with cuckoo over that with Bloom, median over the rates",
                 "Cuckoo is certainly slower at %zu of %zu rates.", n_holds, rates->n);
}

static void judge_a6(const struct rates *rates, struct answer *answer)
{
    const struct samples *samples = rates->dictionary;
    const size_t field = rates->dictionary_field;
    const struct interval first = paired_ratio(samples, rates->variants[RATES_CUCKOO][0],
                                               rates->variants[RATES_BLOOM][0], field);
    const struct interval shrinks =
        over_repetitions(rates, samples, field, one_shrinking);
    size_t n_holds;
    const enum verdict longer =
        most_rates(rates, samples, field, verdict_ratio_above, &n_holds);
    const enum verdict smaller = verdict_below_zero(&shrinks, 1);
    const enum verdict faster = verdict_ratio_below(&first);
    char text[8];

    answer_judge(
        answer, row_of(rates, "A6", text),
        verdict_both(longer, verdict_both(smaller, faster)),
        rates_usual(rates, samples, field), RATIO_ALL,
        "Cuckoo takes certainly longer at %zu of %zu rates (%s). The ratio below "
        "3 %% less that at the others is %+.3f [%+.3f, %+.3f] (%s). At 1 %% the "
        "ratio is %.3f [%.3f, %.3f] (%s).",
        n_holds, rates->n, verdict_text(longer), shrinks.value, shrinks.low, shrinks.high,
        verdict_text(smaller), first.value, first.low, first.high, verdict_text(faster));
}

static void judge_a7(const struct rates *rates, struct answer *answer)
{
    const size_t field = rates->dictionary_field;
    size_t n_equal;
    const enum verdict alike =
        most_rates(rates, rates->dictionary, field, verdict_equal, &n_equal);
    const bool bloom = rates->forgets[RATES_BLOOM];
    const bool cuckoo = rates->forgets[RATES_CUCKOO];
    char text[8];

    answer_judge(
        answer, row_of(rates, "A7", text),
        verdict_both(alike, cuckoo && !bloom ? HOLDS : DOES_NOT_HOLD),
        rates_usual(rates, rates->dictionary, field), RATIO_ALL,
        "Within 5 %% of each other for certain at %zu of %zu rates. An exception that is "
        "taken out is %s by the cuckoo filter and %s by the Bloom filter.",
        n_equal, rates->n, cuckoo ? "forgotten" : "not forgotten",
        bloom ? "forgotten" : "not forgotten");
}

void rates_judge(const struct rates *rates, struct answer *answer)
{
    const struct trend init_bloom =
        rates_trend(rates, rates->init, RATES_BLOOM, rates->init_field);
    const struct trend init_cuckoo =
        rates_trend(rates, rates->init, RATES_CUCKOO, rates->init_field);
    const struct trend total_cuckoo =
        rates_trend(rates, rates->dictionary, RATES_CUCKOO, rates->dictionary_field);

    judge_slope(rates, answer, "A1", CHANGE_INIT, &init_bloom, false);
    judge_a2(rates, answer);
    judge_slope(rates, answer, "A3", CHANGE_INIT, &init_cuckoo, true);
    judge_slope(rates, answer, "A4", CHANGE_ALL, &total_cuckoo, true);
    judge_a5(rates, answer);
    judge_a6(rates, answer);
    judge_a7(rates, answer);
}
