/* SPDX-License-Identifier: MIT */
/* Hash compaction: how often it errs with n keys stored, and how many keys collide, against the length l of
 * a compressed key. */
#include "36-compaction/run.h"

#include <math.h>
#include <ninho/ninho.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/samples.h"
#include "harness/words.h"

const struct figure compaction_figures[] = {
    {.name = "rate",
     .caption =
         "False positive rate against l, with Wilson's intervals: measured, the claimed "
         "bound 2^(−l), and 1 − "
         "(1 − 2^(−l))^n.",
     .rows = "A15"},
    {.name = "collisions",
     .caption =
         "Share of the stored keys whose compressed key is another's too, against l, and "
         "theory: 1 − (1 − "
         "2^(−l))^(n−1). The arrow is at l = log2 n, from where on none is claimed.",
     .rows = "A15"},
    {.name = NULL},
};

enum { N_LENGTHS = 14, BATCH = 1 << 14 };
static const uint32_t lengths[N_LENGTHS] = {8,  10, 12, 14, 16, 18, 20,
                                            22, 24, 26, 28, 32, 36, 40};

enum field { ASKED, FALSE_POSITIVES, COLLIDED };
#define FIELDS "n_asked,n_false,n_collided"

struct context {
    const struct study *study;
    size_t n;
    size_t n_asked;
    uint64_t *hashes;
    uint64_t *maybe;
};

static void measure(void *argument, size_t variant, size_t repetition, double *values)
{
    struct context *context = argument;
    const uint64_t stream = mix64(context->study->seed + 1000 * (repetition + 1));
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    uint64_t n_false = 0, n_collided = 0;

    spec.kind = NINHO_COMPACT;
    spec.capacity = context->n;
    spec.tag_bits = lengths[variant];
    if (ninho_filter_create(&spec, NULL, &filter, &error))
        fail("compact: %s", error.text);
    for (size_t i = 0; i < context->n; i++)
        context->hashes[i] = mix64(stream + i);
    if (ninho_filter_add_many(filter, context->hashes, context->n, NULL))
        fail("compact: an add failed");
    if (ninho_filter_has_many(filter, context->hashes, context->n, context->maybe) !=
        context->n)
        fail("compact: a key that was added is denied");
    for (size_t i = 0; i < context->n; i++)
        n_collided += ninho_filter_copies(filter, context->hashes[i]) > 1;
    for (size_t done = 0; done < context->n_asked; done += BATCH) {
        for (size_t i = 0; i < BATCH; i++)
            context->hashes[i] = mix64(stream + context->n + done + i);
        n_false += ninho_filter_has_many(filter, context->hashes, BATCH, context->maybe);
    }
    ninho_filter_free(filter);
    values[ASKED] = (double)context->n_asked;
    values[FALSE_POSITIVES] = (double)n_false;
    values[COLLIDED] = (double)n_collided;
}

static void describe(void *argument, size_t variant, char text[VARIANT_TEXT])
{
    (void)argument;
    snprintf(text, VARIANT_TEXT, "l %u", lengths[variant]);
}

/* One of `others` keys has the same l bits. */
static double theory(uint32_t l, double others)
{
    return -expm1(others * log1p(-exp2(-(double)l)));
}

static struct interval share(const struct samples *samples, size_t variant, size_t field,
                             double of_each)
{
    double sum = 0;

    for (size_t r = 0; r < samples->n_repetitions; r++)
        sum += samples_at(samples, variant, r)[field];
    return share_interval((uint64_t)sum,
                          (uint64_t)(of_each * (double)samples->n_repetitions));
}

static void write_csv(const struct context *context, const struct samples *samples,
                      const char *folder)
{
    char path[4300];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "l,n,n_repetitions,n_asked,rate,rate_low,rate_high,claimed,theory,collided,"
              "collided_low,collided_high,collided_theory");
    for (size_t v = 0; v < N_LENGTHS; v++) {
        const struct interval rate =
            share(samples, v, FALSE_POSITIVES, (double)context->n_asked);
        const struct interval collided = share(samples, v, COLLIDED, (double)context->n);

        csv_count(csv, lengths[v]);
        csv_count(csv, context->n);
        csv_count(csv, samples->n_repetitions);
        csv_count(csv, context->n_asked * samples->n_repetitions);
        csv_number(csv, rate.value);
        csv_number(csv, rate.low);
        csv_number(csv, rate.high);
        csv_number(csv, exp2(-(double)lengths[v]));
        csv_number(csv, theory(lengths[v], (double)context->n));
        csv_number(csv, collided.value);
        csv_number(csv, collided.low);
        csv_number(csv, collided.high);
        csv_number(csv, theory(lengths[v], (double)context->n - 1));
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void add_table(const struct context *context, const struct samples *samples,
                      struct answer *answer)
{
    struct table *table = answer_add_table(
        answer, NULL,
        "l|rate measured [95 %]|2^−l|1 − (1 − 2^−l)^n|keys that collide|theory");

    for (size_t v = 0; v < N_LENGTHS; v++) {
        const struct interval rate =
            share(samples, v, FALSE_POSITIVES, (double)context->n_asked);
        char(*row)[CELL_TEXT] = table_add_row(table);
        size_t i = 0;

        snprintf(row[i++], CELL_TEXT, "%u", lengths[v]);
        snprintf(row[i++], CELL_TEXT, "%.3g [%.3g, %.3g]", rate.value, rate.low,
                 rate.high);
        snprintf(row[i++], CELL_TEXT, "%.3g", exp2(-(double)lengths[v]));
        snprintf(row[i++], CELL_TEXT, "%.3g", theory(lengths[v], (double)context->n));
        snprintf(row[i++], CELL_TEXT, "%.4g %%",
                 100 * share(samples, v, COLLIDED, (double)context->n).value);
        snprintf(row[i++], CELL_TEXT, "%.4g %%",
                 100 * theory(lengths[v], (double)context->n - 1));
    }
}

/* Measured over theory, all lengths at which enough false positives are expected together. */
static struct interval against_theory(const struct context *context,
                                      const struct samples *samples)
{
    double *ratios = allocate(samples->n_repetitions, sizeof *ratios);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        double n_false = 0, expected = 0;
        for (size_t v = 0; v < N_LENGTHS; v++) {
            n_false += samples_at(samples, v, r)[FALSE_POSITIVES];
            expected += theory(lengths[v], (double)context->n) * (double)context->n_asked;
        }
        ratios[r] = n_false / expected;
    }
    const struct interval mean = mean_interval(ratios, samples->n_repetitions);
    free(ratios);
    return mean;
}

static void judge(const struct context *context, const struct samples *samples,
                  struct answer *answer)
{
    const double log2_n = log2((double)context->n);
    size_t v = 0;

    while (lengths[v] < log2_n)
        v++; /* the shortest l at which no collision is claimed */
    const struct interval rate =
        share(samples, v, FALSE_POSITIVES, (double)context->n_asked);
    const struct interval ratio = scaled(rate, exp2(lengths[v]));
    const struct interval collided = share(samples, v, COLLIDED, (double)context->n);
    const struct interval fit = against_theory(context, samples);
    const enum verdict none = collided.value > 0 ? DOES_NOT_HOLD : HOLDS;

    answer->verdict = verdict_both(verdict_at_most(&ratio, 1), none);
    answer_judge(
        answer, "A15", answer->verdict, ratio,
        "rate measured / 2^(−l) at the least l that is at least log2 n",
        "With n = %zu keys stored and l = %u ≥ log2 n = %.1f, the rate is %.3g "
        "where 2^(−l) is %.3g, and %.1f %% of the keys share their compressed key "
        "with another. 2^(−l) is the chance to meet one given key; there are n of "
        "them. Measured over 1 − (1 − 2^(−l))^n, all l: %.4f [%.4f, %.4f].",
        context->n, lengths[v], log2_n, rate.value, exp2(-(double)lengths[v]),
        100 * collided.value, fit.value, fit.low, fit.high);
    answer_mark(answer, "A15", BY_DEFINITION,
                "A question meets n stored keys, not one: that the rate is 1 − (1 − "
                "2^(−l))^n follows by counting. Measured is how well random keys follow "
                "it.");
    snprintf(
        answer->summary, sizeof answer->summary,
        "With %zu keys and l = %u the rate is %.0f times 2^(−l), and %.1f %% of the "
        "keys collide. Over 1 − (1 − 2^(−l))^n, for all l, it is %.4f [%.4f, %.4f]. From "
        "l = 2 log2 n = %.0f on most sets of so many keys are all apart.",
        context->n, lengths[v], ratio.value, 100 * collided.value, fit.value, fit.low,
        fit.high, 2 * log2_n);
}

void run_compaction(const struct study *study, const char *folder, struct answer *answer)
{
    struct context context = {
        .study = study,
        .n = study_pick(study, 1000, 10000, 100000),
        .n_asked = study_pick(study, BATCH, 16 * BATCH, 256 * BATCH),
    };
    const struct sampling sampling = {
        .name = "samples",
        .fields = FIELDS,
        .n_variants = N_LENGTHS,
        .n_repetitions = study_pick(study, 2, 5, 30),
        .describe = describe,
        .measure = measure,
        .context = &context,
    };

    context.hashes = allocate(context.n + BATCH, sizeof *context.hashes);
    context.maybe = allocate(context.n / 64 + BATCH, sizeof *context.maybe);
    struct samples samples = samples_take(study, folder, &sampling);
    write_csv(&context, &samples, folder);
    add_table(&context, &samples, answer);
    judge(&context, &samples, answer);
    snprintf(
        answer->setup, sizeof answer->setup,
        "Filters of the kind compact with l by hand, filled with %zu random hashes "
        "and asked for %zu others; %zu repetitions under different seeds. A key "
        "collides if the filter counts more than one copy of it, though all keys are "
        "different. Intervals: Wilson's over all keys.",
        context.n, context.n_asked, samples.n_repetitions);
    samples_free(&samples);
    free(context.hashes);
    free(context.maybe);
}
