/* SPDX-License-Identifier: MIT */
/* The seminar's search experiment: a share of the k-mers is inserted, and all of them are searched.
 * Beside it stands what an exact set answers. */
#include "22-found-again/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/samples.h"
#include "seminar/subject.h"

enum { N_SHARES = 10, MAX_MOVES = 100, TINY_BASES = 1500, QUICK_BASES = 154341 };

const struct figure found_again_figures[] = {
    {.name = "found-hundred",
     .of = "seminar, figure 3.8",
     .caption = "Share of all k-mers found against share inserted, k = 20, buckets of "
                "100 with room "
                "for all: "
                "above the whole, below what is missing to the true answer.",
     .rows = "C8"},
    {.name = "found-small",
     .of = "seminar, figure 3.8",
     .caption = "The same in a table that is a tenth too small, beside what an exact set "
                "answers. "
                "What ours find "
                "less, they have refused to store.",
     .rows = "C8",
     .script = "found",
     .set = "table='small'; what='buckets of 100, a tenth too few'"},
    {.name = "found-four",
     .of = "seminar, figure 3.8",
     .caption = "The same for k = 31 in buckets of 4, at a load of .95 in the end.",
     .rows = "C8",
     .script = "found",
     .set = "table='four'; what='buckets of 4, load .95'"},
    {.name = "lost",
     .caption = "Share of the k-mers counted as stored that are not found, against load: "
                "buckets of "
                "4, any number "
                "of them; and buckets of 5, a power of two of them, where only dropped "
                "entries are "
                "missing.",
     .rows = "C8"},
    {.name = NULL},
};

/* ---- What is compared ---------------------------------------------------------------------- */

/* A table: its number of buckets follows from the ratio distinct k-mers / slots; 0: the power of two
 * that has room for all. */
static const struct setting {
    const char *name;
    uint32_t k;
    uint32_t bucket_slots;
    double ratio;
} settings[] = {
    {"hundred", 20, 100, 0.97}, {"small", 20, 100, 1.10}, {"long", 100, 100, 0.97},
    {"four", 31, 4, 0.95},      {"power", 31, 5, 0},
};

static const enum subject compared[] = {
    SEMINAR_RANDOM_BUCKET,
    SEMINAR_EMPTIER_BUCKET,
    SEMINAR_RANDOM_RAW,
    SEMINAR_EMPTIER_RAW,
    OURS_RANDOM,
    OURS_EMPTIER,
    OURS_BFS,
    OURS_WINDOWS,
};

enum {
    N_SETTINGS = sizeof settings / sizeof settings[0],
    N_COMPARED = sizeof compared / sizeof compared[0],
    N_VARIANTS = N_SETTINGS * N_COMPARED * N_SHARES
};

enum { ORIGINAL, EMPTIER };

static size_t variant_of(size_t setting, size_t filter, size_t share)
{
    return (setting * N_COMPARED + filter) * N_SHARES + share;
}

enum field {
    FOUND,
    TRUE_SHARE,
    LOST,
    FALSE_SHARE,
    LOAD,
    MOVES,
    WASTED,
    FAILED,
    N_BUCKETS,
    N_DISTINCT
};
#define FIELDS \
    "found,true_share,lost,false_share,load,moves,wasted,failed,n_buckets,n_distinct"

struct context {
    const struct study *study;
    const struct genome *genome;
    size_t stride;
    struct kmers kmers;
    size_t setting, repetition;
    /* the filter at hand, and how many were inserted */
    struct filled filled;
    bool is_made;
    size_t filter;
    size_t done;
    bool *is_stored;
};

/* ---- Filling and searching ----------------------------------------------------------------- */

static uint32_t buckets_for(const struct setting *setting, uint64_t n_distinct)
{
    const double wanted = (double)n_distinct / setting->bucket_slots;

    return (uint32_t)(setting->ratio > 0 ? ceil(wanted / setting->ratio)
                                         : exp2(ceil(log2(wanted))));
}

static void begin(struct context *context, size_t setting, size_t filter,
                  size_t repetition)
{
    const uint64_t seed = context->study->seed + repetition;

    if (context->is_made)
        subject_free(&context->filled);
    if (context->kmers.k != settings[setting].k) {
        kmers_free(&context->kmers);
        kmers_list(&context->kmers, context->genome, settings[setting].k);
    }
    kmers_hash(&context->kmers, seed);
    const struct subject_table table = {
        buckets_for(&settings[setting], context->kmers.n_distinct),
        settings[setting].bucket_slots, MAX_MOVES};
    subject_make(&context->filled, compared[filter], &context->kmers, &table, seed);
    context->is_made = true;
    context->setting = setting;
    context->filter = filter;
    context->repetition = repetition;
    context->done = 0;
}

/* Searches every stride-th k-mer of the genome; the true answer is counted for the same ones. */
static void search_all(const struct context *context, size_t stride, double *values)
{
    const struct kmers *kmers = &context->kmers;
    uint64_t n = 0, n_found = 0, n_true = 0, n_stored = 0, n_lost = 0, n_false = 0;

    for (size_t i = 0; i < kmers->n; i += stride) {
        const bool is_found = subject_search(&context->filled, i);
        const bool is_true = kmers->firsts[i] < context->done;
        const bool is_stored = i < context->done && context->is_stored[i];
        n++;
        n_found += is_found;
        n_true += is_true;
        n_false += is_found && !is_true;
        n_stored += is_stored;
        n_lost += is_stored && !is_found;
    }
    values[FOUND] = (double)n_found / (double)n;
    values[TRUE_SHARE] = (double)n_true / (double)n;
    values[FALSE_SHARE] = (double)n_false / (double)n;
    values[LOST] = n_stored ? (double)n_lost / (double)n_stored : 0;
}

/* Goes on with the filter at hand if it is on the way to this share, or begins anew. */
static void measure(void *argument, size_t variant, size_t repetition, double *values)
{
    struct context *context = argument;
    const size_t share = variant % N_SHARES;
    const size_t filter = variant / N_SHARES % N_COMPARED;
    const size_t setting = variant / N_SHARES / N_COMPARED;

    if (!context->is_made || context->setting != setting || context->filter != filter ||
        context->repetition != repetition ||
        context->done > (share + 1) * context->kmers.n / N_SHARES)
        begin(context, setting, filter, repetition);
    const size_t to = (share + 1) * context->kmers.n / N_SHARES;
    for (; context->done < to; context->done++)
        context->is_stored[context->done] =
            subject_insert(&context->filled, context->done);
    search_all(context, share + 1 == N_SHARES ? 1 : context->stride, values);
    const struct filled_counts counts = subject_counts(&context->filled);
    values[LOAD] = (double)counts.n_stored / (double)context->filled.n_slots;
    values[MOVES] = (double)counts.n_moves;
    values[WASTED] = (double)counts.n_wasted;
    values[FAILED] = (double)counts.n_failed;
    values[N_BUCKETS] = (double)context->filled.n_slots / settings[setting].bucket_slots;
    values[N_DISTINCT] = (double)context->kmers.n_distinct;
    if (subject_is_ours(compared[filter]) && values[LOST] > 0)
        fail("%s: a k-mer was lost", subject_name(compared[filter]));
}

static void describe(void *argument, size_t variant, char text[VARIANT_TEXT])
{
    (void)argument;
    snprintf(text, VARIANT_TEXT, "%s %s share %zu",
             settings[variant / N_SHARES / N_COMPARED].name,
             subject_name(compared[variant / N_SHARES % N_COMPARED]),
             variant % N_SHARES + 1);
}

/* ---- Results ------------------------------------------------------------------------------- */

static void write_csv(const struct samples *samples, const char *folder)
{
    char path[4300];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv =
        csv_open(path, "table,filter,k,m,b,mnk,n_distinct,n_repetitions,share_inserted,"
                       "share_true,share_found,share_found_low,share_found_high,"
                       "share_false,share_lost,share_lost_low,share_lost_high,load,moves,"
                       "wasted_moves,failed");
    for (size_t v = 0; v < N_VARIANTS; v++) {
        const struct setting *setting = &settings[v / N_SHARES / N_COMPARED];
        const struct interval found = samples_mean(samples, v, FOUND);
        const struct interval lost = samples_mean(samples, v, LOST);

        csv_text(csv, setting->name);
        csv_text(csv, subject_name(compared[v / N_SHARES % N_COMPARED]));
        csv_count(csv, setting->k);
        csv_number(csv, samples_mean(samples, v, N_BUCKETS).value);
        csv_count(csv, setting->bucket_slots);
        csv_count(csv, MAX_MOVES);
        csv_number(csv, samples_mean(samples, v, N_DISTINCT).value);
        csv_count(csv, samples->n_repetitions);
        csv_number(csv, (double)(v % N_SHARES + 1) / N_SHARES);
        csv_number(csv, samples_mean(samples, v, TRUE_SHARE).value);
        csv_number(csv, found.value);
        csv_number(csv, found.low);
        csv_number(csv, found.high);
        csv_number(csv, samples_mean(samples, v, FALSE_SHARE).value);
        csv_number(csv, lost.value);
        csv_number(csv, lost.low);
        csv_number(csv, lost.high);
        csv_number(csv, samples_mean(samples, v, LOAD).value);
        csv_number(csv, samples_mean(samples, v, MOVES).value);
        csv_number(csv, samples_mean(samples, v, WASTED).value);
        csv_number(csv, samples_mean(samples, v, FAILED).value);
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void add_table(const struct samples *samples, struct answer *answer)
{
    struct table *table =
        answer_add_table(answer, "When all k-mers have been inserted",
                         "k|buckets|filter|load|thrown out|in vain|failed "
                         "inserts|found|should be|lost of stored");

    for (size_t s = 0; s < N_SETTINGS; s++)
        for (size_t f = 0; f < N_COMPARED; f++) {
            const size_t v = variant_of(s, f, N_SHARES - 1);
            char(*row)[CELL_TEXT] = table_add_row(table);
            size_t i = 0;

            snprintf(row[i++], CELL_TEXT, "%u", settings[s].k);
            snprintf(row[i++], CELL_TEXT, "%.0f × %u",
                     samples_mean(samples, v, N_BUCKETS).value, settings[s].bucket_slots);
            snprintf(row[i++], CELL_TEXT, "%s", subject_name(compared[f]));
            snprintf(row[i++], CELL_TEXT, "%.4f", samples_mean(samples, v, LOAD).value);
            snprintf(row[i++], CELL_TEXT, "%.0f", samples_mean(samples, v, MOVES).value);
            snprintf(row[i++], CELL_TEXT, "%.0f", samples_mean(samples, v, WASTED).value);
            snprintf(row[i++], CELL_TEXT, "%.0f", samples_mean(samples, v, FAILED).value);
            snprintf(row[i++], CELL_TEXT, "%.2f %%",
                     100 * samples_mean(samples, v, FOUND).value);
            snprintf(row[i++], CELL_TEXT, "%.2f %%",
                     100 * samples_mean(samples, v, TRUE_SHARE).value);
            snprintf(row[i++], CELL_TEXT, "%.3f %%",
                     100 * samples_mean(samples, v, LOST).value);
        }
}

/* Found at one share less found at the share before, in each repetition. */
static struct interval step(const struct samples *samples, size_t setting, size_t filter,
                            size_t share)
{
    return samples_difference(samples, variant_of(setting, filter, share),
                              variant_of(setting, filter, share - 1), FOUND);
}

static void judge(const struct samples *samples, struct answer *answer)
{
    enum verdict grows = HOLDS, equal = HOLDS;
    struct interval worst = {1, 1, 1};
    size_t n_falls = 0, n_different = 0, worst_setting = 0;
    double lost = 0;

    for (size_t s = 0; s < N_SETTINGS; s++)
        for (size_t share = 0; share < N_SHARES; share++) {
            const struct interval ratio =
                samples_ratio(samples, variant_of(s, EMPTIER, share),
                              variant_of(s, ORIGINAL, share), FOUND);
            const enum verdict same = verdict_equal(&ratio);
            equal = verdict_both(equal, same);
            n_different += same == DOES_NOT_HOLD;
            if (fabs(ratio.value - 1) > fabs(worst.value - 1)) {
                worst = ratio;
                worst_setting = s;
            }
            for (size_t filter = ORIGINAL; filter <= EMPTIER; filter++) {
                lost =
                    fmax(lost,
                         samples_mean(samples, variant_of(s, filter, share), LOST).value);
                if (share == 0)
                    continue;
                const struct interval change = step(samples, s, filter, share);
                grows = verdict_both(
                    grows, verdict_above_zero(
                               &change,
                               samples_mean(samples, variant_of(s, filter, share), FOUND)
                                   .value));
                n_falls += change.high < 0;
            }
        }
    answer->verdict = lost > 0 ? DOES_NOT_HOLD : HOLDS;
    answer_judge(answer, "C8", verdict_both(grows, equal), worst,
                 "share found, reduced / original, where they differ most",
                 "From a tenth inserted to the next, the share found falls in %zu of %d "
                 "steps: in tables that are too full, insertions throw out what was "
                 "found before. Reduced and original differ by more than 5 %% in %zu of "
                 "%d comparisons, most in the table of k = %u with buckets of %u.",
                 n_falls, N_SETTINGS * 2 * (N_SHARES - 1), n_different,
                 N_SETTINGS * N_SHARES, settings[worst_setting].k,
                 settings[worst_setting].bucket_slots);
}

static void summarise(const struct study *study, const struct samples *samples,
                      struct answer *answer)
{
    const size_t four = 3, power = 4, last = N_SHARES - 1;
    double ours = 0;

    for (size_t f = 0; f < N_COMPARED; f++)
        if (subject_is_ours(compared[f]))
            ours =
                fmax(ours, samples_mean(samples, variant_of(four, f, last), LOST).value);
    snprintf(
        answer->summary, sizeof answer->summary,
        "In buckets of 4 at a load of .95, modulo m, the original filter does not "
        "find %.1f %% of the k-mers it counts as stored and the reduced one %.1f %%; "
        "where m is a power of two, %.3f %% and %.3f %%. Ours, in the same slots: "
        "%.1f %%.",
        100 * samples_mean(samples, variant_of(four, ORIGINAL, last), LOST).value,
        100 * samples_mean(samples, variant_of(four, EMPTIER, last), LOST).value,
        100 * samples_mean(samples, variant_of(power, ORIGINAL, last), LOST).value,
        100 * samples_mean(samples, variant_of(power, EMPTIER, last), LOST).value,
        100 * ours);
    snprintf(
        answer->setup, sizeof answer->setup,
        "The k-mers of E. coli 536 (%s), as written, in genome order, repeated ones "
        "again. At every tenth of them, all k-mers of the genome are searched%s. "
        "Should be: what an exact set of those inserted answers. Thrown out: entries "
        "displaced, in vain by insertions that failed. Lost: counted as "
        "stored by the filter, and not found. MNK = 100; “f” takes the fingerprint "
        "itself for the second bucket instead of its hash. Ours: the same number of "
        "slots, 32-bit tags, as a set; an insertion without room is refused and "
        "changes nothing. %zu repetitions under different seeds.",
        study->size == STUDY_FULL ? "all of it" : "only the beginning, 1/32",
        study->size == STUDY_TINY ? "" : " (one in 16 of them, at the end all)",
        samples->n_repetitions);
}

void run_found_again(const struct study *study, const char *folder, struct answer *answer)
{
    struct context context = {.study = study, .stride = study_pick(study, 1, 16, 16)};
    const struct sampling sampling = {
        .name = "samples",
        .fields = FIELDS,
        .n_variants = N_VARIANTS,
        .n_repetitions = study_pick(study, 2, 3, 30),
        .describe = describe,
        .measure = measure,
        .context = &context,
    };
    struct genome genome;

    answer->verdict = OPEN;
    if (!genome_read(study, ECOLI_536, study_pick(study, TINY_BASES, QUICK_BASES, 0),
                     &genome, answer))
        return;
    context.genome = &genome;
    context.is_stored = allocate(genome.n, sizeof *context.is_stored);
    struct samples samples = samples_take(study, folder, &sampling);
    write_csv(&samples, folder);
    add_table(&samples, answer);
    judge(&samples, answer);
    summarise(study, &samples, answer);
    samples_free(&samples);
    if (context.is_made)
        subject_free(&context.filled);
    kmers_free(&context.kmers);
    free(context.is_stored);
    genome_free(&genome);
}
