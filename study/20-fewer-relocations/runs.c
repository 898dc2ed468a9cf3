/* SPDX-License-Identifier: MIT */
#include "20-fewer-relocations/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/fail.h"
#include "harness/timing.h"

const enum subject compared[N_COMPARED] = {
    [ORIGINAL] = SEMINAR_RANDOM_BUCKET,
    [EMPTIER] = SEMINAR_EMPTIER_BUCKET,
    OURS_EMPTIER,
    OURS_BFS,
    OURS_WINDOWS,
};

const uint32_t lengths[N_LENGTHS] = {10, 20, 31, 50, 100, 200};

double ratio_at(size_t ratio)
{
    return 0.5 + 0.05 * (double)ratio;
}

struct context {
    const struct study *study;
    const struct genome *genome;
    size_t stride;   /* of the k-mers that are searched in the end */
    size_t n_passes; /* for the time until a table is full */
    /* what was listed last */
    struct kmers kmers;
    size_t repetition;
    bool *is_stored;
};

/* ---- One run ------------------------------------------------------------------------------- */

static void list(struct context *context, uint32_t k, size_t repetition)
{
    if (context->kmers.k == k && context->repetition == repetition)
        return;
    kmers_free(&context->kmers);
    kmers_list(&context->kmers, context->genome, k);
    kmers_hash(&context->kmers, context->study->seed + repetition);
    context->repetition = repetition;
}

/* Inserts everything. In a table that may become full, the clock is read often enough to know when. */
static void fill(struct context *context, struct filled *filled, bool may_be_full,
                 double *values)
{
    const size_t n = context->kmers.n;
    const size_t step = may_be_full ? n / 2048 + 1 : n;
    double seconds = 0;

    values[FULL_SECONDS] = values[FULL_MOVES] = -1;
    for (size_t done = 0; done < n;) {
        const size_t to = n - done < step ? n : done + step;
        const double start = seconds_of_thread();
        for (; done < to; done++)
            context->is_stored[done] = subject_insert(filled, done);
        seconds += seconds_of_thread() - start;
        const struct filled_counts counts = subject_counts(filled);
        if (counts.n_stored == filled->n_slots && values[FULL_SECONDS] < 0) {
            values[FULL_SECONDS] = seconds;
            values[FULL_MOVES] = (double)counts.n_moves;
        }
    }
    values[TABLE_NS] = 1e9 * seconds / (double)n;
}

static double share_lost(const struct context *context, const struct filled *filled)
{
    uint64_t n_stored = 0, n_lost = 0;

    for (size_t i = 0; i < context->kmers.n; i += context->stride) {
        n_stored += context->is_stored[i];
        n_lost += context->is_stored[i] && !subject_search(filled, i);
    }
    return n_stored ? (double)n_lost / (double)n_stored : 0;
}

static void check(const struct context *context, const struct filled *filled,
                  const struct filled_counts *counts, double lost)
{
    size_t n_taken = 0;

    for (size_t i = 0; i < context->kmers.n; i++)
        n_taken += context->is_stored[i];
    if (n_taken + counts->n_failed != context->kmers.n)
        fail("%s: k-mers taken and failed are not all", subject_name(filled->subject));
    if (counts->n_stored > filled->n_slots || counts->n_wasted > counts->n_moves ||
        counts->n_stored == 0)
        fail("%s: counts that cannot be", subject_name(filled->subject));
    if (subject_is_ours(filled->subject) && lost > 0)
        fail("%s: a k-mer was lost", subject_name(filled->subject));
}

/* The time until a table is full is some milliseconds, which a busy machine easily doubles: it is taken
 * again in equal tables, and the quickest counts. The moves must be the same each time. */
static void fill_again(struct context *context, enum subject subject,
                       const struct subject_table *table, uint64_t seed, double *values)
{
    for (size_t pass = 1; pass < context->n_passes; pass++) {
        double again[N_RUN_FIELDS];
        struct filled filled;

        subject_make(&filled, subject, &context->kmers, table, seed);
        fill(context, &filled, true, again);
        subject_free(&filled);
        if (again[FULL_MOVES] != values[FULL_MOVES])
            fail("%s: other moves in the same table", subject_name(subject));
        values[FULL_SECONDS] = fmin(values[FULL_SECONDS], again[FULL_SECONDS]);
    }
}

static void measure(void *argument, size_t variant, size_t repetition, double *values)
{
    struct context *context = argument;
    const enum subject subject = compared[variant % N_COMPARED];
    const size_t ratio = variant / N_COMPARED % N_RATIOS;
    const struct kmers *kmers = &context->kmers;
    struct filled filled;

    list(context, lengths[variant / N_COMPARED / N_RATIOS], repetition);
    const double n_buckets = (double)kmers->n_distinct / BUCKET_SLOTS / ratio_at(ratio);
    const struct subject_table table = {(uint32_t)fmax(1, round(n_buckets)), BUCKET_SLOTS,
                                        MAX_MOVES};
    subject_make(&filled, subject, kmers, &table, context->study->seed + repetition);
    fill(context, &filled, ratio_at(ratio) > 0.99, values);
    if (ratio == LAST_RATIO && !subject_is_ours(subject))
        fill_again(context, subject, &table, context->study->seed + repetition, values);
    const struct filled_counts counts = subject_counts(&filled);
    values[HASH_NS] =
        subject_is_ours(subject) ? kmers->roll_ns + kmers->hash_ns : kmers->sha1_ns;
    values[STORED] = (double)counts.n_stored;
    values[MOVES] = (double)counts.n_moves;
    values[WASTED] = (double)counts.n_wasted;
    values[FAILED] = (double)counts.n_failed;
    values[LOST] = share_lost(context, &filled);
    values[N_KMERS] = (double)kmers->n;
    values[N_DISTINCT] = (double)kmers->n_distinct;
    values[N_BUCKETS] = table.n_buckets;
    check(context, &filled, &counts, values[LOST]);
    subject_free(&filled);
}

static void describe(void *argument, size_t variant, char text[VARIANT_TEXT])
{
    (void)argument;
    snprintf(text, VARIANT_TEXT, "%s k %u ratio %.2f",
             subject_name(compared[variant % N_COMPARED]),
             lengths[variant / N_COMPARED / N_RATIOS],
             ratio_at(variant / N_COMPARED % N_RATIOS));
}

struct samples take_runs(const struct study *study, const char *folder,
                         const struct genome *genome)
{
    struct context context = {.study = study,
                              .genome = genome,
                              .stride = study_pick(study, 1, 8, 8),
                              .n_passes = study_pick(study, 2, 3, 1),
                              .is_stored =
                                  allocate(genome->n, sizeof *context.is_stored)};
    const struct sampling sampling = {
        .name = "samples",
        .fields = RUN_FIELDS,
        .n_variants = (size_t)N_CELLS * N_COMPARED,
        .n_repetitions = study_pick(study, 2, 5, 30),
        .warm_up = study->size != STUDY_TINY,
        .describe = describe,
        .measure = measure,
        .context = &context,
    };
    const struct samples runs = samples_take(study, folder, &sampling);

    kmers_free(&context.kmers);
    free(context.is_stored);
    return runs;
}

/* ---- What the figures show ----------------------------------------------------------------- */

double run_quantity(const struct samples *runs, size_t cell, size_t filter,
                    size_t repetition, enum quantity quantity)
{
    const double *run = samples_at(runs, cell * N_COMPARED + filter, repetition);

    switch (quantity) {
    case TIME:
        return run[HASH_NS] + run[TABLE_NS];
    case FILL:
        return run[STORED] / (run[N_BUCKETS] * BUCKET_SLOTS);
    case SHARE:
        return run[STORED] / run[N_DISTINCT];
    case MOVED:
        return run[MOVES] / run[N_KMERS];
    case BUCKETS:
        return run[N_BUCKETS];
    }
    return NAN;
}

struct interval run_mean(const struct samples *runs, size_t cell, size_t filter,
                         enum quantity quantity)
{
    double *values = allocate(runs->n_repetitions, sizeof *values);

    for (size_t r = 0; r < runs->n_repetitions; r++)
        values[r] = run_quantity(runs, cell, filter, r, quantity);
    const struct interval mean = mean_interval(values, runs->n_repetitions);
    free(values);
    return mean;
}
