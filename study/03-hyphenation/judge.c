/* SPDX-License-Identifier: MIT */
/* What the data say about rows A1 to A7. */
#include <stdlib.h>

#include "03-hyphenation/experiment.h"
#include "harness/fail.h"

/* ---- Estimates ----------------------------------------------------------------------------- */

struct trend hyphenation_trend(const struct samples *samples, size_t filter, size_t field)
{
    size_t variants[N_RATES];
    double x[N_RATES];

    for (size_t i = 0; i < N_RATES; i++) {
        variants[i] = variant_of(filter, i + 1);
        x[i] = (double)(i + 1);
    }
    return trend_of(samples, variants, x, N_RATES, field);
}

static double ratio_at(const struct samples *samples, size_t field, size_t percent,
                       size_t repetition)
{
    return samples_at(samples, variant_of(CUCKOO, percent), repetition)[field] /
           samples_at(samples, variant_of(BLOOM, percent), repetition)[field];
}

/* Cuckoo over Bloom: the median over the rates inside each repetition, and of these the median. */
static struct interval usual_ratio(const struct samples *samples, size_t field)
{
    double *medians = allocate(samples->n_repetitions, sizeof *medians);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        double ratios[N_RATES];
        for (size_t p = 1; p <= N_RATES; p++)
            ratios[p - 1] = ratio_at(samples, field, p, r);
        medians[r] = median_of(ratios, N_RATES);
    }
    const struct interval interval = median_interval(medians, samples->n_repetitions);
    free(medians);
    return interval;
}

/* How much smaller that ratio is at 1 % and 2 % than it usually is at the others. */
static struct interval shrinking(const struct samples *samples, size_t field)
{
    double *differences = allocate(samples->n_repetitions, sizeof *differences);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        double others[N_RATES];
        for (size_t p = 3; p <= N_RATES; p++)
            others[p - 3] = ratio_at(samples, field, p, r);
        differences[r] =
            (ratio_at(samples, field, 1, r) + ratio_at(samples, field, 2, r)) / 2 -
            median_of(others, N_RATES - 2);
    }
    const struct interval interval = median_interval(differences, samples->n_repetitions);
    free(differences);
    return interval;
}

/* For each rate, the verdict of `judge` on cuckoo / bloom; the verdict for most of them. */
static enum verdict most_rates(const struct samples *samples, size_t field,
                               enum verdict (*judge)(const struct interval *),
                               size_t *n_holds)
{
    enum verdict verdicts[N_RATES];

    *n_holds = 0;
    for (size_t p = 1; p <= N_RATES; p++) {
        const struct interval ratio =
            paired_ratio(samples, variant_of(CUCKOO, p), variant_of(BLOOM, p), field);
        verdicts[p - 1] = judge(&ratio);
        *n_holds += verdicts[p - 1] == HOLDS;
    }
    return verdict_most(verdicts, N_RATES);
}

/* The time behind a Bloom filter at 1 % over what it usually is at the other rates. */
static struct interval first_ratio(const struct samples *samples, size_t field)
{
    double *ratios = allocate(samples->n_repetitions, sizeof *ratios);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        double others[N_RATES];
        for (size_t p = 2; p <= N_RATES; p++)
            others[p - 2] = samples_at(samples, variant_of(BLOOM, p), r)[field];
        ratios[r] = samples_at(samples, variant_of(BLOOM, 1), r)[field] /
                    median_of(others, N_RATES - 1);
    }
    const struct interval interval = median_interval(ratios, samples->n_repetitions);
    free(ratios);
    return interval;
}

/* ---- Judgements ---------------------------------------------------------------------------- */

static void judge_slope(struct answer *answer, const char *row, const char *quantity,
                        const struct trend *trend, bool falls, const char *unit,
                        double factor)
{
    const enum verdict verdict =
        falls ? verdict_below_zero(&trend->line.slope, trend->whole)
              : verdict_zero(&trend->line.slope, trend->whole);
    const struct interval change = trend->percent;

    answer_judge(
        answer, row, verdict, change, quantity,
        "The mean is %.4g %s; from 1 %% to 20 %% the line through the medians changes by "
        "%+.2f %% of it [%+.2f, %+.2f].",
        factor * trend->mean, unit, change.value, change.low, change.high);
}

/* Falls, and is largest at the smallest rate: at the least, larger than it usually is at the others. */
static void judge_a2(const struct experiment *e, const struct trend *trend,
                     struct answer *answer)
{
    const struct interval first = first_ratio(&e->dictionary, TOTAL_NS);
    const enum verdict falls = verdict_below_zero(&trend->line.slope, trend->whole);
    const enum verdict largest = verdict_ratio_above(&first);

    answer_judge(
        answer, "A2", verdict_both(falls, largest), trend->percent,
        "change of the time for the dictionary from 1 % to 20 %, per cent of its mean",
        "The mean is %.4g ms; from 1 %% to 20 %% the line through the medians changes by "
        "%+.2f %% of it [%+.2f, %+.2f] (%s). The time at 1 %% is %.3f times what it "
        "usually is at the other rates [%.3f, %.3f] (%s). A larger rate spares probes of "
        "the filter and costs lookups in vain.",
        1e-6 * trend->mean, trend->percent.value, trend->percent.low, trend->percent.high,
        verdict_text(falls), first.value, first.low, first.high, verdict_text(largest));
}

static void judge_a5(const struct experiment *e, struct answer *answer)
{
    size_t n_holds;
    const enum verdict verdict =
        most_rates(&e->init, INIT_NS, verdict_ratio_above, &n_holds);
    const struct interval ratio = usual_ratio(&e->init, INIT_NS);
    const struct interval filter = usual_ratio(&e->init, FILTER_NS);

    answer_judge(
        answer, "A5", verdict, ratio,
        "initialisation with cuckoo over that with Bloom, median over the rates",
        "Cuckoo is certainly slower at %zu of 20 rates. The whole initialisation takes "
        "%.3f times as long [%.3f, %.3f]; building the filter alone %.2f times [%.2f, "
        "%.2f], but that is a small part of it.",
        n_holds, ratio.value, ratio.low, ratio.high, filter.value, filter.low,
        filter.high);
}

static void judge_a6(const struct experiment *e, struct answer *answer)
{
    const struct samples *samples = &e->dictionary;
    const struct interval first =
        paired_ratio(samples, variant_of(CUCKOO, 1), variant_of(BLOOM, 1), TOTAL_NS);
    const struct interval shrinks = shrinking(samples, TOTAL_NS);
    const struct interval ratio = usual_ratio(samples, TOTAL_NS);
    size_t n_holds;
    const enum verdict longer =
        most_rates(samples, TOTAL_NS, verdict_ratio_above, &n_holds);
    const enum verdict verdict =
        verdict_both(longer, verdict_both(verdict_below_zero(&shrinks, 1),
                                          verdict_ratio_below(&first)));

    answer_judge(
        answer, "A6", verdict, ratio,
        "time for the dictionary behind cuckoo over that behind Bloom, median over the "
        "rates",
        "Cuckoo takes certainly longer at %zu of 20 rates (%s). The ratio at 1 %% and 2 "
        "%% less that at the others is %+.3f [%+.3f, %+.3f] (%s). At 1 %% the ratio is "
        "%.3f [%.3f, %.3f] (%s).",
        n_holds, verdict_text(longer), shrinks.value, shrinks.low, shrinks.high,
        verdict_text(verdict_below_zero(&shrinks, 1)), first.value, first.low, first.high,
        verdict_text(verdict_ratio_below(&first)));
}

/* Takes an exception out of a store behind the filter; whether the filter forgot it too. */
static bool can_forget(const struct experiment *e, size_t filter)
{
    const struct hyphen_way way = {.store = HYPHEN_IN_MEMORY,
                                   .filter =
                                       hyphenation_spec(e, variant_of(filter, 1), 0)};
    struct hyphen_engine engine = hyphen_start(&e->data, &way, NULL);
    ninho_error said = NINHO_ERROR_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    ninho_hyphen_rules *rules = hyphen_read_exceptions(&e->data);
    char word[NINHO_HYPHEN_MAX_EXCEPTION];

    const size_t length = ninho_hyphen_rules_exception(rules, 0, word, sizeof word);
    if (ninho_hyphen_exceptions_remove(engine.exceptions, word, length, &said, &error))
        fail("%s: %s", word, error.text);
    ninho_hyphen_rules_free(rules);
    hyphen_stop(&engine);
    return said.status == NINHO_OK;
}

static void judge_a7(const struct experiment *e, struct answer *answer)
{
    size_t n_equal;
    const enum verdict alike =
        most_rates(&e->dictionary, TOTAL_NS, verdict_equal, &n_equal);
    const struct interval ratio = usual_ratio(&e->dictionary, TOTAL_NS);
    const bool bloom = can_forget(e, BLOOM);
    const bool cuckoo = can_forget(e, CUCKOO);

    answer_judge(
        answer, "A7", verdict_both(alike, cuckoo && !bloom ? HOLDS : DOES_NOT_HOLD),
        ratio,
        "time for the dictionary behind cuckoo over that behind Bloom, median over the "
        "rates",
        "Within 5 %% of each other for certain at %zu of 20 rates. An exception that was "
        "taken out of the store is %s by the cuckoo filter and %s by the Bloom filter.",
        n_equal, cuckoo ? "forgotten" : "not forgotten",
        bloom ? "forgotten" : "not forgotten");
}

void judge_hyphenation(const struct experiment *e, struct answer *answer)
{
    const struct trend init_bloom = hyphenation_trend(&e->init, BLOOM, INIT_NS);
    const struct trend init_cuckoo = hyphenation_trend(&e->init, CUCKOO, INIT_NS);
    const struct trend total_bloom = hyphenation_trend(&e->dictionary, BLOOM, TOTAL_NS);
    const struct trend total_cuckoo = hyphenation_trend(&e->dictionary, CUCKOO, TOTAL_NS);

    judge_slope(answer, "A1",
                "change of the initialisation from 1 % to 20 %, per cent of its mean",
                &init_bloom, false, "ms", 1e-6);
    judge_a2(e, &total_bloom, answer);
    judge_slope(answer, "A3",
                "change of the initialisation from 1 % to 20 %, per cent of its mean",
                &init_cuckoo, true, "ms", 1e-6);
    judge_slope(
        answer, "A4",
        "change of the time for the dictionary from 1 % to 20 %, per cent of its mean",
        &total_cuckoo, true, "ms", 1e-6);
    judge_a5(e, answer);
    judge_a6(e, answer);
    judge_a7(e, answer);
}
