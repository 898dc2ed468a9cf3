/* SPDX-License-Identifier: MIT */
/* How many bytes does it take two hosts to find the difference, or the intersection, of their sets?
 *
 * Both hosts are in this process; what one gives the other takes, and every byte is counted, frames
 * and greetings included. The answers are checked: the lines were made, so the difference is known.
 * Nothing is timed. */
#include "42-between-hosts/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "42-between-hosts/pair.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/progress.h"
#include "harness/samples.h"
#include "harness/words.h"

const struct figure between_hosts_figures[] = {
    {
        .name = "difference",
        .caption =
            "Bytes in both directions until one host knows the difference, by the size "
            "of the difference; half of it is on either side. Dashed: the lines that "
            "the asker lacks, which have to be sent whatever the method. “Bloom” goes on "
            "with a sketch of what its filters missed, so that all but “Bloom "
            "alone” are exact.",
    },
    {
        .name = "common",
        .caption =
            "Bytes in both directions until one host knows which lines both have, by "
            "how many they are, beside the bytes of its whole list. The bits per "
            "line are chosen from the sizes alone.",
        .data = "common.csv",
    },
    {.name = NULL},
};

enum { LINE_BYTES = 16, COMMON_LINE_BYTES = 100, MAX_SIZES = 8 };

static const struct method {
    const char *name;
    ninho_sets_method method;
    ninho_sets_precision precision;
} methods[] = {
    {"list", NINHO_SETS_LIST, NINHO_SETS_EXACT},
    {"bloom", NINHO_SETS_BLOOM, NINHO_SETS_EXACT},
    {"bloom alone", NINHO_SETS_BLOOM, NINHO_SETS_APPROXIMATE},
    {"sketch", NINHO_SETS_SKETCH, NINHO_SETS_EXACT},
    {"auto", NINHO_SETS_AUTO, NINHO_SETS_EXACT},
};
enum { LIST, BLOOM, BLOOM_ALONE, SKETCH, AUTO, N_METHODS };

enum field { BYTES, ROUNDS, FOUND, IS_EXACT, N_FIELDS };
#define FIELDS "bytes,rounds,found,is_exact"

struct experiment {
    const struct study *study;
    size_t n_lines; /* of either set */
    size_t n_differences;
    size_t differences[MAX_SIZES];
    size_t n_small; /* lines of the asker of the intersection, and of its peer */
    size_t n_large;
    size_t n_commons;
    size_t commons[MAX_SIZES];
    /* The pair at hand: making one takes longer than an exchange. */
    struct pair pair;
    uint64_t pair_of; /* 1 + variant and repetition it was made for; 0: none */
};

static uint64_t seed_of(const struct experiment *e, size_t repetition, uint64_t salt)
{
    return mix64(mix64(e->study->seed) + 1000 * repetition + salt);
}

/* The pair for a size and a repetition; the one at hand if it is that. */
static const struct pair *pair_for(struct experiment *e, uint64_t number, size_t n_both,
                                   size_t n_here, size_t n_there, size_t line_bytes,
                                   uint64_t seed)
{
    if (e->pair_of != number) {
        if (e->pair_of)
            pair_free(&e->pair);
        e->pair = pair_make(n_both, n_here, n_there, line_bytes, seed);
        e->pair_of = number;
    }
    return &e->pair;
}

/* ---- Difference ---------------------------------------------------------------------------- */

static void describe_difference(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct experiment *e = context;

    snprintf(text, VARIANT_TEXT, "%s; %zu lines", methods[variant % N_METHODS].name,
             e->differences[variant / N_METHODS]);
}

static void measure_difference(void *context, size_t variant, size_t repetition,
                               double *values)
{
    struct experiment *e = context;
    const struct method *method = &methods[variant % N_METHODS];
    const size_t size = variant / N_METHODS;
    const size_t half = e->differences[size] / 2;
    const struct pair *pair =
        pair_for(e, 1 + repetition * MAX_SIZES + size, e->n_lines - half, half, half,
                 LINE_BYTES, seed_of(e, repetition, size));
    ninho_exchange_options options = NINHO_EXCHANGE_INIT;

    options.method = method->method;
    options.precision = method->precision;
    const ninho_exchange_report report =
        pair_exchange(pair, &options, seed_of(e, repetition, 100 + size));
    const uint64_t found = report.only_here + report.only_there;
    if (method->precision == NINHO_SETS_EXACT &&
        (!report.is_exact || report.only_here != half || report.only_there != half))
        fail("%s: found %llu lines, not %zu", method->name, (unsigned long long)found,
             2 * half);
    if (found > 2 * half)
        fail("%s: found lines that are in both sets", method->name);
    values[BYTES] = (double)(report.bytes_sent + report.bytes_received);
    values[ROUNDS] = (double)report.rounds;
    values[FOUND] = half ? (double)found / (double)(2 * half) : 1;
    values[IS_EXACT] = report.is_exact;
}

/* ---- Intersection -------------------------------------------------------------------------- */

static void describe_common(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct experiment *e = context;

    snprintf(text, VARIANT_TEXT, "filter; %zu lines", e->commons[variant]);
}

static void measure_common(void *context, size_t variant, size_t repetition,
                           double *values)
{
    struct experiment *e = context;
    const size_t n = e->commons[variant];
    const struct pair *pair = pair_for(
        e, (uint64_t)1 << 32 | (repetition * MAX_SIZES + variant), n, e->n_small - n,
        e->n_large - n, COMMON_LINE_BYTES, seed_of(e, repetition, 50 + variant));
    ninho_exchange_options options = NINHO_EXCHANGE_INIT;

    options.question = NINHO_SETS_COMMON;
    const ninho_exchange_report report =
        pair_exchange(pair, &options, seed_of(e, repetition, 200 + variant));
    if (!report.is_exact || report.in_both != n)
        fail("found %llu lines in common, not %zu", (unsigned long long)report.in_both,
             n);
    values[BYTES] = (double)(report.bytes_sent + report.bytes_received);
    values[ROUNDS] = (double)report.rounds;
    values[FOUND] = n ? (double)report.in_both / (double)n : 1;
    values[IS_EXACT] = report.is_exact;
}

/* ---- The answer ---------------------------------------------------------------------------- */

static void put_interval(struct csv *csv, struct interval interval)
{
    csv_number(csv, interval.value);
    csv_number(csv, interval.low);
    csv_number(csv, interval.high);
}

static void write_difference(const struct experiment *e, const struct samples *samples,
                             const char *folder)
{
    char path[4200];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "method,n_lines,difference,n_seeds,bytes,bytes_low,bytes_high,rounds,"
              "found,bytes_of_missing_lines");
    for (size_t m = 0; m < N_METHODS; m++)
        for (size_t d = 0; d < e->n_differences; d++) {
            const size_t v = d * N_METHODS + m;
            csv_text(csv, methods[m].name);
            csv_count(csv, e->n_lines);
            csv_count(csv, e->differences[d]);
            csv_count(csv, samples->n_repetitions);
            put_interval(csv, samples_mean(samples, v, BYTES));
            csv_number(csv, samples_mean(samples, v, ROUNDS).value);
            csv_number(csv, samples_mean(samples, v, FOUND).value);
            csv_count(csv, e->differences[d] / 2 * LINE_BYTES);
            csv_end_row(csv);
        }
    csv_close(csv);
}

static void write_common(const struct experiment *e, const struct samples *samples,
                         const char *folder)
{
    char path[4200];

    snprintf(path, sizeof path, "%scommon.csv", folder);
    struct csv *csv = csv_open(path, "n_small,n_large,line_bytes,in_common,n_seeds,bytes,"
                                     "bytes_low,bytes_high,rounds,bytes_of_list");
    for (size_t v = 0; v < e->n_commons; v++) {
        csv_count(csv, e->n_small);
        csv_count(csv, e->n_large);
        csv_count(csv, COMMON_LINE_BYTES);
        csv_count(csv, e->commons[v]);
        csv_count(csv, samples->n_repetitions);
        put_interval(csv, samples_mean(samples, v, BYTES));
        csv_number(csv, samples_mean(samples, v, ROUNDS).value);
        csv_count(csv, e->n_small * COMMON_LINE_BYTES);
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void fill_tables(const struct experiment *e, const struct samples *differences,
                        const struct samples *commons, struct answer *answer)
{
    struct table *table =
        answer_add_table(answer, "Bytes for the difference",
                         "difference|list|bloom|bloom alone (found)|sketch|auto|auto, "
                         "per line|auto, rounds");

    for (size_t d = 0; d < e->n_differences; d++) {
        char(*row)[CELL_TEXT] = table_add_row(table);
        double bytes[N_METHODS];
        for (size_t m = 0; m < N_METHODS; m++)
            bytes[m] = samples_mean(differences, d * N_METHODS + m, BYTES).value;
        snprintf(row[0], CELL_TEXT, "%zu", e->differences[d]);
        snprintf(row[1], CELL_TEXT, "%.0f", bytes[LIST]);
        snprintf(row[2], CELL_TEXT, "%.0f", bytes[BLOOM]);
        snprintf(row[3], CELL_TEXT, "%.0f (%.2f %%)", bytes[BLOOM_ALONE],
                 100 *
                     samples_mean(differences, d * N_METHODS + BLOOM_ALONE, FOUND).value);
        snprintf(row[4], CELL_TEXT, "%.0f", bytes[SKETCH]);
        snprintf(row[5], CELL_TEXT, "%.0f", bytes[AUTO]);
        if (e->differences[d])
            snprintf(row[6], CELL_TEXT, "%.1f", bytes[AUTO] / (double)e->differences[d]);
        snprintf(row[7], CELL_TEXT, "%.1f",
                 samples_mean(differences, d * N_METHODS + AUTO, ROUNDS).value);
    }
    table = answer_add_table(answer, "Bytes for the intersection",
                             "in common|bytes|the whole list|list / bytes|rounds");
    for (size_t v = 0; v < e->n_commons; v++) {
        char(*row)[CELL_TEXT] = table_add_row(table);
        const double bytes = samples_mean(commons, v, BYTES).value;
        const double list = (double)e->n_small * COMMON_LINE_BYTES;
        snprintf(row[0], CELL_TEXT, "%zu", e->commons[v]);
        snprintf(row[1], CELL_TEXT, "%.0f", bytes);
        snprintf(row[2], CELL_TEXT, "%.0f", list);
        snprintf(row[3], CELL_TEXT, "%.1f", list / bytes);
        snprintf(row[4], CELL_TEXT, "%.1f", samples_mean(commons, v, ROUNDS).value);
    }
}

/* The sketch's bytes for each line of the difference, at the two largest differences below a tenth of
 * the lines: equal if it costs what the difference is, whatever the sets. */
static void judge(const struct experiment *e, const struct samples *differences,
                  const struct samples *commons, struct answer *answer)
{
    enum verdict fewer = HOLDS;
    size_t n_small = 0; /* differences of at most 1 % of the lines */

    for (size_t d = 0; d < e->n_differences; d++) {
        if (100 * e->differences[d] > e->n_lines)
            continue;
        const struct interval ratio = samples_ratio(differences, d * N_METHODS + SKETCH,
                                                    d * N_METHODS + BLOOM_ALONE, BYTES);
        fewer = verdict_both(fewer, verdict_ratio_below(&ratio));
        n_small++;
    }
    enum verdict best = HOLDS;
    for (size_t d = 0; d < e->n_differences; d++)
        for (size_t m = 0; m < N_METHODS; m++) {
            if (m == AUTO || m == BLOOM_ALONE)
                continue;
            const struct interval ratio = samples_ratio(differences, d * N_METHODS + AUTO,
                                                        d * N_METHODS + m, BYTES);
            best = verdict_both(best, verdict_at_most(&ratio, 1.1));
        }
    answer->verdict = verdict_both(fewer, best);
    const size_t last = n_small - 1;
    const double per_line =
        samples_mean(differences, last * N_METHODS + SKETCH, BYTES).value /
        (double)e->differences[last];
    const double list = (double)e->n_small * COMMON_LINE_BYTES;
    snprintf(
        answer->summary, sizeof answer->summary,
        "For differences of up to 1 %% of %zu lines a sketch takes fewer bytes than the "
        "filters of both sets%s: %.1f for each line of a difference of %zu, half of "
        "which are lines of %d bytes that must be sent anyway. The automatic choice "
        "took%s more than 1.1 times the bytes of the best exact method. A filter finds "
        "%zu lines in common of %zu and %zu with %.1f times fewer bytes than the "
        "smaller list has.",
        e->n_lines, fewer == HOLDS ? "" : " (not in every case)", per_line,
        e->differences[last], LINE_BYTES, best == HOLDS ? " never" : " in some case",
        e->commons[1], e->n_small, e->n_large,
        list / samples_mean(commons, 1, BYTES).value);
    snprintf(
        answer->setup, sizeof answer->setup,
        "Difference: two sets of %zu lines of %d random letters, half of the difference "
        "on either side. Intersection: %zu lines of %d letters against %zu. Both hosts "
        "are in one process and every byte between them is counted, greetings and "
        "frames included; %zu seeds. Every exact answer is compared with the lines as "
        "they were made. “bloom” sends filters both ways and then sketches what they "
        "missed; “bloom alone” stops before, at 1 %%.",
        e->n_lines, LINE_BYTES, e->n_small, COMMON_LINE_BYTES, e->n_large,
        differences->n_repetitions);
}

/* 0, and powers of ten that leave something in common. */
static void list_sizes(struct experiment *e)
{
    e->n_differences = 0;
    for (size_t d = 10; d <= e->n_lines && e->n_differences < MAX_SIZES; d *= 10)
        e->differences[e->n_differences++] = d;
    const size_t n = e->n_small;
    const size_t commons[] = {0, n / 50, n / 10, n / 4, n / 2, n};
    e->n_commons = sizeof commons / sizeof commons[0];
    for (size_t i = 0; i < e->n_commons; i++)
        e->commons[i] = commons[i];
}

void run_between_hosts(const struct study *study, const char *folder,
                       struct answer *answer)
{
    struct experiment e = {
        .study = study,
        .n_lines = study_pick(study, 2000, 100000, 1000000),
        .n_small = study_pick(study, 500, 5000, 50000),
        .n_large = study_pick(study, 5000, 100000, 1000000),
    };
    struct sampling sampling = {
        .name = "samples",
        .fields = FIELDS,
        .n_repetitions = study_pick(study, 2, 5, 30),
        .describe = describe_difference,
        .measure = measure_difference,
        .context = &e,
    };

    list_sizes(&e);
    sampling.n_variants = e.n_differences * N_METHODS;
    progress_part(0, 0.7);
    struct samples differences = samples_take(study, folder, &sampling);
    sampling.name = "samples-common";
    sampling.n_variants = e.n_commons;
    sampling.describe = describe_common;
    sampling.measure = measure_common;
    progress_part(0.7, 1);
    struct samples commons = samples_take(study, folder, &sampling);
    if (e.pair_of)
        pair_free(&e.pair);
    write_difference(&e, &differences, folder);
    write_common(&e, &commons, folder);
    fill_tables(&e, &differences, &commons, answer);
    judge(&e, &differences, &commons, answer);
    samples_free(&differences);
    samples_free(&commons);
}
