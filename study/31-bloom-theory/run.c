/* SPDX-License-Identifier: MIT */
/* The Bloom filter's formulas beside measured rates: over k and m/n, over n at given m, at the sizes that
 * the planner's formula gives, and for very small filters. */
#include "31-bloom-theory/run.h"

#include <math.h>
#include <ninho/ninho.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/forms.h"
#include "harness/samples.h"
#include "harness/words.h"

const struct figure bloom_theory_figures[] = {
    {.name = "rate-k",
     .of = "lecture, fpr against k for several m/n",
     .caption = "Rate against k for several m/n, with Wilson's intervals; lines: (1 − "
                "e^(−kn/m))^k; "
                "the dashed "
                "line joins the minima at k = ln 2 · m/n.",
     .rows = "A14 B3"},
    {.name = "rate-bits",
     .caption =
         "Rate against bits per key for k = 1 to 16 (lines: theory, points: measured for "
         "some k) and for "
         "the best k, 0.6185^(m/n).",
     .rows = "A14 B3"},
    {.name = "rate-n",
     .of = "lecture, fpr against n for several m",
     .caption = "Rate against n at the best whole k, for several m; lines: theory.",
     .data = "sizes.csv",
     .rows = "B3"},
    {.name = "forms",
     .caption = "Small filters: what each formula says over what is measured, with "
                "intervals. Above "
                "1 the formula "
                "says too much.",
     .data = "finite.csv",
     .rows = "B4 A14"},
    {.name = NULL},
};

/* ---- What is measured ---------------------------------------------------------------------- */

struct cell {
    size_t n;
    size_t m;
    uint32_t k;
    double wanted; /* rate that m was made for; 0: none */
};

enum { N_BITS = 8, MAX_K = 16, N_GRID = N_BITS * MAX_K, MAX_CELLS = N_GRID };
static const double grid_bits[N_BITS] = {2, 4, 6, 8, 10, 12, 16, 20};

/* Bits per key down to which rates can be told well from a short run. */
enum { N_SURE_BITS = 6 };

struct context {
    const struct study *study;
    struct cell cells[MAX_CELLS];
    size_t n_cells;
    uint64_t n_false;   /* false positives wanted of one measurement */
    uint64_t max_asked; /* keys asked for at most, for them */
    size_t
        n_trials; /* keys in all filters of one measurement of a small filter; 0: one filter */
    uint64_t *hashes; /* room for BATCH or n */
    uint64_t *maybe;
};

enum { BATCH = 1 << 14 };

enum field { ASKED, FALSE_POSITIVES };
#define FIELDS "n_asked,n_false"

static void describe(void *argument, size_t variant, char text[VARIANT_TEXT])
{
    const struct cell *cell = &((const struct context *)argument)->cells[variant];

    snprintf(text, VARIANT_TEXT, "n %zu m %zu k %u", cell->n, cell->m, cell->k);
}

/* Hashes first .. first + n of one of 2^24 streams: all different, in every stream. */
static void make_hashes(struct context *context, uint64_t stream, uint64_t first,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        context->hashes[i] = mix64((stream << 40) + first + i);
}

static ninho_filter *make_filter(const struct cell *cell)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    spec.kind = NINHO_BLOOM;
    spec.capacity = cell->n;
    spec.n_bits = cell->m;
    spec.n_hashes = cell->k;
    if (ninho_filter_create(&spec, NULL, &filter, &error))
        fail("bloom: %s", error.text);
    return filter;
}

static void fill(struct context *context, ninho_filter *filter, const struct cell *cell,
                 uint64_t stream)
{
    make_hashes(context, stream, 0, cell->n);
    if (ninho_filter_add_many(filter, context->hashes, cell->n, NULL))
        fail("bloom: an add failed");
    if (ninho_filter_has_many(filter, context->hashes, cell->n, context->maybe) !=
        cell->n)
        fail("bloom: a key that was added is denied");
}

static uint64_t ask(struct context *context, const ninho_filter *filter, uint64_t stream,
                    uint64_t first, size_t n)
{
    make_hashes(context, stream, first, n);
    return ninho_filter_has_many(filter, context->hashes, n, context->maybe);
}

/* One filter, asked until enough false positives can be expected. */
static void measure(void *argument, size_t variant, size_t repetition, double *values)
{
    struct context *context = argument;
    const struct cell *cell = &context->cells[variant];
    const double rate = one_bit_form((double)cell->m, cell->k, (double)cell->n);
    const double enough =
        fmin((double)context->n_false / rate, (double)context->max_asked);
    const uint64_t stream = mix64(context->study->seed + 1000 * repetition) % (1 << 24);
    ninho_filter *filter = make_filter(cell);
    uint64_t n_asked = 0, n_false = 0;

    fill(context, filter, cell, stream);
    while ((double)n_asked < enough) {
        n_false += ask(context, filter, stream, cell->n + n_asked, BATCH);
        n_asked += BATCH;
    }
    ninho_filter_free(filter);
    values[ASKED] = (double)n_asked;
    values[FALSE_POSITIVES] = (double)n_false;
}

/* Many small filters, each asked for a few keys: their rates differ, and their mean is wanted. */
static void measure_small(void *argument, size_t variant, size_t repetition,
                          double *values)
{
    enum { ASKED_OF_EACH = 64 };
    struct context *context = argument;
    const struct cell *cell = &context->cells[variant];
    const size_t n_filters = context->n_trials / cell->n + 1;
    ninho_filter *filter = make_filter(cell);
    uint64_t n_false = 0;

    for (size_t i = 0; i < n_filters; i++) {
        const uint64_t stream =
            mix64((context->study->seed + 1000 * repetition) << 24 | i) % (1 << 24);
        if (ninho_filter_clear(filter))
            fail("bloom: not cleared");
        fill(context, filter, cell, stream);
        n_false += ask(context, filter, stream, cell->n, ASKED_OF_EACH);
    }
    ninho_filter_free(filter);
    values[ASKED] = (double)n_filters * ASKED_OF_EACH;
    values[FALSE_POSITIVES] = (double)n_false;
}

static struct samples take(struct context *context, const char *folder, const char *name,
                           bool is_small)
{
    const struct sampling sampling = {
        .name = name,
        .fields = FIELDS,
        .n_variants = context->n_cells,
        .n_repetitions = study_pick(context->study, 2, 5, 30),
        .describe = describe,
        .measure = is_small ? measure_small : measure,
        .context = context,
    };

    return samples_take(context->study, folder, &sampling);
}

/* ---- The cells ----------------------------------------------------------------------------- */

static void add_cell(struct context *context, size_t n, double m, double k, double wanted)
{
    if (context->n_cells == MAX_CELLS)
        fail("more than %d cells", MAX_CELLS);
    context->cells[context->n_cells++] =
        (struct cell){n, (size_t)m, (uint32_t)fmax(1, k), wanted};
}

static void list_grid(struct context *context)
{
    const size_t n = study_pick(context->study, 300, 10000, 100000);

    context->n_cells = 0;
    for (size_t b = 0; b < N_BITS; b++)
        for (uint32_t k = 1; k <= MAX_K; k++)
            add_cell(context, n, grid_bits[b] * (double)n, k, 0);
}

static void list_sizes(struct context *context)
{
    static const double bits[] = {24, 16, 12, 8, 6, 4, 3, 2, 1.5, 1};

    context->n_cells = 0;
    for (int power = 12; power <= 20; power += 4)
        for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
            const double m = exp2(power);
            add_cell(context, (size_t)(m / bits[i]), m, round(LN2 * bits[i]), 0);
        }
}

/* m = -n ln p / (ln 2)^2. */
static void list_planned(struct context *context)
{
    static const double wanted[] = {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
    const size_t n = study_pick(context->study, 300, 10000, 100000);

    context->n_cells = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        add_cell(context, n, ceil(-(double)n * log(wanted[i]) / LN2 / LN2),
                 round(-log2(wanted[i])), wanted[i]);
}

static void list_finite(struct context *context)
{
    static const size_t sizes[] = {2, 5, 10, 20, 50, 100, 300, 1000};
    static const double wanted[] = {0.01, 0.1};

    context->n_cells = 0;
    for (size_t w = 0; w < 2; w++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            add_cell(context, sizes[i],
                     ceil(-(double)sizes[i] * log(wanted[w]) / LN2 / LN2),
                     round(-log2(wanted[w])), wanted[w]);
}

/* ---- Results ------------------------------------------------------------------------------- */

/* All repetitions together. */
static struct interval rate_of(const struct samples *samples, size_t cell)
{
    double asked = 0, positive = 0;

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        asked += samples_at(samples, cell, r)[ASKED];
        positive += samples_at(samples, cell, r)[FALSE_POSITIVES];
    }
    return share_interval((uint64_t)positive, (uint64_t)asked);
}

static void write_csv(const struct context *context, const struct samples *samples,
                      const char *folder, const char *name, bool is_exact)
{
    char path[4300];

    snprintf(path, sizeof path, "%s%s", folder, name);
    struct csv *csv = csv_open(path, "n,m,k,bits_per_key,rate_wanted,rate,rate_low,"
                                     "rate_high,limit_form,one_bit_form,finite_form,"
                                     "exact_form,n_asked");
    for (size_t c = 0; c < context->n_cells; c++) {
        const struct cell *cell = &context->cells[c];
        const struct interval rate = rate_of(samples, c);
        const double m = (double)cell->m, n = (double)cell->n;

        csv_count(csv, cell->n);
        csv_count(csv, cell->m);
        csv_count(csv, cell->k);
        csv_number(csv, m / n);
        csv_number(csv, cell->wanted);
        csv_number(csv, rate.value);
        csv_number(csv, rate.low);
        csv_number(csv, rate.high);
        csv_number(csv, limit_form(m, cell->k, n));
        csv_number(csv, one_bit_form(m, cell->k, n));
        csv_number(csv, finite_form(m, cell->k, n));
        csv_number(csv, is_exact ? exact_form(cell->m, cell->k, cell->n) : NAN);
        csv_number(csv, samples_mean(samples, c, ASKED).value *
                            (double)samples->n_repetitions);
        csv_end_row(csv);
    }
    csv_close(csv);
}

/* The mean over cells of measured / expected, in each repetition; cells of which `expected` is 0 are
 * left out. */
static struct interval mean_ratio(const struct samples *samples, const double *expected)
{
    double *means = allocate(samples->n_repetitions, sizeof *means);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        double sum = 0;
        size_t n = 0;
        for (size_t c = 0; c < samples->n_variants; c++)
            if (expected[c] > 0) {
                const double *at = samples_at(samples, c, r);
                sum += at[FALSE_POSITIVES] / at[ASKED] / expected[c];
                n++;
            }
        means[r] = sum / (double)n;
    }
    const struct interval mean = mean_interval(means, samples->n_repetitions);
    free(means);
    return mean;
}

static size_t grid_cell(size_t bits, double k)
{
    return bits * MAX_K + (size_t)k - 1;
}

/* The k next to ln 2 * m/n gives the least rate: clearly less than any k further than 2.5 from it. */
static enum verdict judge_minimum(const struct samples *grid)
{
    enum verdict verdict = HOLDS;

    for (size_t b = 0; b < N_SURE_BITS; b++) {
        const double best = LN2 * grid_bits[b];
        const struct interval least = rate_of(grid, grid_cell(b, fmax(1, round(best))));
        for (size_t k = 1; k <= MAX_K; k++) {
            const struct interval rate = rate_of(grid, grid_cell(b, (double)k));
            if (rate.high < least.low)
                verdict = DOES_NOT_HOLD;
            else if (fabs((double)k - best) > 2.5 && rate.low <= least.high)
                verdict = verdict_both(verdict, OPEN);
        }
    }
    return verdict;
}

/* More bits, fewer false positives, for each k. */
static enum verdict judge_falling(const struct samples *grid)
{
    enum verdict verdict = HOLDS;

    for (size_t b = 1; b < N_SURE_BITS; b++)
        for (size_t k = 1; k <= MAX_K; k++) {
            const struct interval less = rate_of(grid, grid_cell(b - 1, (double)k));
            const struct interval more = rate_of(grid, grid_cell(b, (double)k));
            if (more.low > less.high)
                verdict = DOES_NOT_HOLD;
            else if (more.high >= less.low)
                verdict = verdict_both(verdict, OPEN);
        }
    return verdict;
}

static void judge_grid(const struct context *context, const struct samples *grid,
                       struct answer *answer)
{
    double whole[N_GRID] = {0}, least[N_GRID] = {0};

    for (size_t c = 0; c < N_GRID; c++) {
        const struct cell *cell = &context->cells[c];
        const double rate = limit_form((double)cell->m, cell->k, (double)cell->n);
        const double bits = grid_bits[c / MAX_K];
        if (rate >= 0.001)
            whole[c] = rate;
        if (c / MAX_K < N_SURE_BITS && cell->k == (uint32_t)fmax(1, round(LN2 * bits)))
            least[c] = pow(0.6185, bits);
    }
    const struct interval all = mean_ratio(grid, whole);
    const struct interval best = mean_ratio(grid, least);
    const enum verdict minimum = judge_minimum(grid);
    /* A mean can hide errors of both signs: one cell that is certainly off is enough against it. */
    size_t n_off = 0;
    for (size_t c = 0; c < N_GRID; c++) {
        const struct interval ratio = scaled(rate_of(grid, c), 1 / whole[c]);
        n_off += whole[c] > 0 && verdict_equal(&ratio) == DOES_NOT_HOLD;
    }
    const enum verdict verdict =
        verdict_both(verdict_both(verdict_equal(&all), n_off ? DOES_NOT_HOLD : HOLDS),
                     verdict_both(verdict_equal(&best), minimum));
    answer->verdict = verdict;
    answer_judge(answer, "A14", verdict, all,
                 "rate measured / (1 − e^(−kn/m))^k, mean over k and m/n",
                 "%d combinations of k and m/n at n = %zu, of which %zu are certainly "
                 "off by more than 5 %%. At the whole k next to ln 2 · "
                 "m/n the rate is %.4f [%.4f, %.4f] times 0.6185^(m/n). That k gives the "
                 "least rate for every m/n up to 12: %s. For very small n the formula "
                 "says too little: see B4.",
                 N_GRID, context->cells[0].n, n_off, best.value, best.low, best.high,
                 verdict_text(minimum));
}

static void judge_planned(const struct context *context, const struct samples *planned,
                          const struct samples *grid, struct answer *answer)
{
    double wanted[MAX_CELLS] = {0};

    for (size_t c = 0; c < context->n_cells; c++)
        wanted[c] = context->cells[c].wanted;
    const struct interval ratio = mean_ratio(planned, wanted);
    const enum verdict falling = judge_falling(grid);
    const enum verdict minimum = judge_minimum(grid);

    answer_judge(
        answer, "B3", verdict_both(verdict_equal(&ratio), verdict_both(falling, minimum)),
        ratio, "rate measured / p, with m = −n ln p / (ln 2)²",
        "Eight p from 20 %% to 0.1 %%, k being the whole number next to (m/n) ln "
        "2. For each k the rate falls as m grows: %s. For each m/n it is least "
        "at (m/n) ln 2: %s.",
        verdict_text(falling), verdict_text(minimum));
}

/* How far each form is off: one_of(expected form) / measured, in the cell where it is off most. */
static void judge_finite(const struct context *context, const struct samples *finite,
                         struct answer *answer)
{
    struct interval worst = {1, 1, 1};
    enum verdict verdict = HOLDS;
    size_t n_worst = 0, n_equal = 0, least_equal = 0;
    double exact_worst = 1;

    for (size_t c = 0; c < context->n_cells; c++) {
        const struct cell *cell = &context->cells[c];
        const struct interval rate = rate_of(finite, c);
        const struct interval ratio =
            scaled(rate, 1 / finite_form((double)cell->m, cell->k, (double)cell->n));
        const double exact = rate.value / exact_form(cell->m, cell->k, cell->n);
        const enum verdict equal = verdict_equal(&ratio);
        verdict = verdict_both(verdict, equal);
        n_equal += equal == HOLDS;
        if (equal == HOLDS && (!least_equal || cell->n < least_equal))
            least_equal = cell->n;
        if (fabs(log(ratio.value)) > fabs(log(worst.value))) {
            worst = ratio;
            n_worst = cell->n;
        }
        if (fabs(log(exact)) > fabs(log(exact_worst)))
            exact_worst = exact;
    }
    answer_judge(
        answer, "B4", verdict, worst,
        "rate measured / finite-size form, where it is off most",
        "At n = %zu the measured rate is %.3f of what the form says; it is "
        "within 5 %% in %zu of %zu small filters, from n = %zu on. It is an upper "
        "bound, and a safe one to plan with, not the expected rate. The exact "
        "mean over the number of bits set is %.3f of the measured one where it "
        "is off most.",
        n_worst, worst.value, n_equal, context->n_cells, least_equal, 1 / exact_worst);
}

static void add_table(const struct context *context, const struct samples *finite,
                      struct answer *answer)
{
    struct table *table = answer_add_table(
        answer, "Small filters",
        "n|m|k|measured [95 %]|exact|(1 − e^(−kn/m))^k|(1 − (1 − 1/m)^kn)^k|finite-size");

    for (size_t c = 0; c < context->n_cells; c++) {
        const struct cell *cell = &context->cells[c];
        const struct interval rate = scaled(rate_of(finite, c), 100);
        const double m = (double)cell->m, n = (double)cell->n;
        char(*row)[CELL_TEXT] = table_add_row(table);
        size_t i = 0;

        snprintf(row[i++], CELL_TEXT, "%zu", cell->n);
        snprintf(row[i++], CELL_TEXT, "%zu", cell->m);
        snprintf(row[i++], CELL_TEXT, "%u", cell->k);
        snprintf(row[i++], CELL_TEXT, "%.4g %% [%.4g, %.4g]", rate.value, rate.low,
                 rate.high);
        snprintf(row[i++], CELL_TEXT, "%.4g %%",
                 100 * exact_form(cell->m, cell->k, cell->n));
        snprintf(row[i++], CELL_TEXT, "%.4g %%", 100 * limit_form(m, cell->k, n));
        snprintf(row[i++], CELL_TEXT, "%.4g %%", 100 * one_bit_form(m, cell->k, n));
        snprintf(row[i++], CELL_TEXT, "%.4g %%", 100 * finite_form(m, cell->k, n));
    }
}

static void summarise(const struct context *context, size_t n, struct answer *answer)
{
    const struct judgement *limit = answer_find(answer, "A14");
    const struct judgement *finite = answer_find(answer, "B4");

    snprintf(
        answer->summary, sizeof answer->summary,
        "With %zu keys the measured rate is %.4f times (1 − e^(−kn/m))^k [%.4f, %.4f], "
        "mean over k and m/n. For a handful of keys it is another matter: where the "
        "lecture's form for finite sizes is off most, the rate is %.2f times what it "
        "says.",
        n, limit->interval.value, limit->interval.low, limit->interval.high,
        finite->interval.value);
    snprintf(answer->setup, sizeof answer->setup,
             "Bloom filters of this library with m and k by hand, filled with n random "
             "hashes and asked for others; %zu repetitions under different seeds, up to "
             "%llu absent keys in each. Small filters: tens of thousands of them, 64 "
             "absent keys each. Intervals: Wilson's over all keys asked; ratios: "
             "Student's over the repetitions. Every key that was added is asked for "
             "again, and none may be denied.",
             study_pick(context->study, 2, 5, 30),
             (unsigned long long)context->max_asked);
}

void run_bloom_theory(const struct study *study, const char *folder,
                      struct answer *answer)
{
    struct context context = {
        .study = study,
        .n_false = study_pick(study, 100, 2000, 20000),
        .max_asked = study_pick(study, 1 << 15, 1 << 19, 1 << 23),
        .n_trials = study_pick(study, 2000, 200000, 2000000),
    };

    context.hashes = allocate((size_t)1 << 20, sizeof *context.hashes);
    context.maybe = allocate((size_t)1 << 14, sizeof *context.maybe);
    list_grid(&context);
    struct samples grid = take(&context, folder, "samples-grid", false);
    write_csv(&context, &grid, folder, "data.csv", false);
    judge_grid(&context, &grid, answer);
    const size_t n = context.cells[0].n;

    list_sizes(&context);
    struct samples sizes = take(&context, folder, "samples-sizes", false);
    write_csv(&context, &sizes, folder, "sizes.csv", false);

    list_planned(&context);
    struct samples planned = take(&context, folder, "samples-planned", false);
    write_csv(&context, &planned, folder, "planned.csv", false);
    judge_planned(&context, &planned, &grid, answer);

    list_finite(&context);
    struct samples finite = take(&context, folder, "samples-finite", true);
    write_csv(&context, &finite, folder, "finite.csv", true);
    judge_finite(&context, &finite, answer);
    add_table(&context, &finite, answer);
    summarise(&context, n, answer);
    samples_free(&grid);
    samples_free(&sizes);
    samples_free(&planned);
    samples_free(&finite);
    free(context.hashes);
    free(context.maybe);
}
