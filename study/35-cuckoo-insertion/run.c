/* SPDX-License-Identifier: MIT */
/* Does an insertion into a cuckoo filter take constant time, amortised? Tables of growing size are filled to
 * the same load; what an insertion takes is counted in moves, and timed. */
#include "35-cuckoo-insertion/run.h"

#include <math.h>
#include <ninho/ninho.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/samples.h"
#include "harness/timing.h"
#include "harness/trend.h"
#include "harness/words.h"

const struct figure cuckoo_insertion_figures[] = {
    {.name = "moves",
     .caption = "Moves per insertion against the number of slots, filled to 90 % and to "
                "95 %; means "
                "with "
                "Student's intervals.",
     .rows = "A12",
     .script = "per-insertion",
     .set = "quantity='moves'"},
    {.name = "time",
     .caption = "Time per insertion in the same tables. It grows where the table "
                "outgrows a cache, "
                "not because "
                "there is more to do.",
     .rows = "A12",
     .script = "per-insertion",
     .set = "quantity='ns'"},
    {.name = NULL},
};

enum { N_SIZES = 5, N_WAYS = 3, N_LOADS = 2 };
static const char *const ways[N_WAYS] = {"original", "emptier", "windows bfs"};
static const double loads[N_LOADS] = {0.90, 0.95};

enum field { MOVES, NANOSECONDS, LONGEST, FAILED };
#define FIELDS "moves,ns,longest,failed"

struct context {
    const struct study *study;
    unsigned slot_bits[N_SIZES];
    uint64_t *hashes;
};

/* variant = (way * N_LOADS + load) * N_SIZES + size */
static size_t variant_of(size_t way, size_t load, size_t size)
{
    return (way * N_LOADS + load) * N_SIZES + size;
}

static ninho_filter *make_filter(size_t way, uint64_t n_slots, uint64_t seed)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (way < 2)
        ninho_spec_original(&spec);
    if (way == 1)
        spec.choice = NINHO_CHOICE_EMPTIER;
    if (way == 2) {
        spec.slots = NINHO_WINDOWS;
        spec.place_slots = 4;
    }
    spec.kind = NINHO_CUCKOO;
    spec.capacity = 1; /* the table is made by hand */
    spec.n_slots = n_slots;
    spec.tag_bits = 12;
    spec.seed = seed;
    if (ninho_filter_create(&spec, NULL, &filter, &error))
        fail("%s: %s", ways[way], error.text);
    return filter;
}

/* As many small tables as make up the largest one, so that every point is as sure. */
static void measure(void *argument, size_t variant, size_t repetition, double *values)
{
    struct context *context = argument;
    const size_t size = variant % N_SIZES;
    const size_t way = variant / N_SIZES / N_LOADS;
    const unsigned bits = context->slot_bits[size];
    const size_t n_tables = (size_t)1 << (context->slot_bits[N_SIZES - 1] - bits);
    const size_t n = (size_t)(loads[variant / N_SIZES % N_LOADS] * exp2(bits));
    double seconds = 0, moves = 0, longest = 0, failed = 0;

    for (size_t t = 0; t < n_tables; t++) {
        const uint64_t stream =
            mix64(context->study->seed + 100000 * (repetition + 1) + t);
        ninho_filter *filter = make_filter(way, (uint64_t)1 << bits, stream);
        ninho_stats stats = NINHO_STATS_INIT;
        size_t n_added = 0;

        for (size_t i = 0; i < n; i++)
            context->hashes[i] = mix64(stream + i);
        const double start = seconds_of_thread();
        for (size_t i = 0; i < n; i++)
            n_added += ninho_filter_add(filter, context->hashes[i]) == NINHO_OK;
        seconds += seconds_of_thread() - start;
        if (ninho_filter_stats(filter, &stats) || n_added + stats.n_failed != n ||
            ninho_filter_count(filter) != n_added)
            fail("%s: keys added and failed are not all", ways[way]);
        moves += (double)(stats.n_moves + stats.n_undone);
        failed += (double)stats.n_failed;
        longest = fmax(longest, (double)stats.longest_path);
        ninho_filter_free(filter);
    }
    const double n_adds = (double)n * (double)n_tables;
    values[MOVES] = moves / n_adds;
    values[NANOSECONDS] = 1e9 * seconds / n_adds;
    values[LONGEST] = longest;
    values[FAILED] = failed / n_adds;
}

static void describe(void *argument, size_t variant, char text[VARIANT_TEXT])
{
    const struct context *context = argument;

    snprintf(text, VARIANT_TEXT, "%s load %.2f slots 2^%u",
             ways[variant / N_SIZES / N_LOADS], loads[variant / N_SIZES % N_LOADS],
             context->slot_bits[variant % N_SIZES]);
}

static void write_csv(const struct context *context, const struct samples *samples,
                      const char *folder)
{
    char path[4300];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv =
        csv_open(path, "way,load,n_slots,n_repetitions,moves,moves_low,moves_high,ns,"
                       "ns_low,ns_high,longest_path,failed_share");
    for (size_t v = 0; v < samples->n_variants; v++) {
        const struct interval moves = samples_mean(samples, v, MOVES);
        const struct interval ns = samples_mean(samples, v, NANOSECONDS);

        csv_text(csv, ways[v / N_SIZES / N_LOADS]);
        csv_number(csv, loads[v / N_SIZES % N_LOADS]);
        csv_number(csv, exp2(context->slot_bits[v % N_SIZES]));
        csv_count(csv, samples->n_repetitions);
        csv_number(csv, moves.value);
        csv_number(csv, moves.low);
        csv_number(csv, moves.high);
        csv_number(csv, ns.value);
        csv_number(csv, ns.low);
        csv_number(csv, ns.high);
        csv_number(csv, samples_mean(samples, v, LONGEST).value);
        csv_number(csv, samples_mean(samples, v, FAILED).value);
        csv_end_row(csv);
    }
    csv_close(csv);
}

/* A field over log2 of the slots: a line through all sizes and repetitions. */
static struct trend trend_at(const struct context *context, const struct samples *samples,
                             size_t way, size_t load, size_t field)
{
    size_t variants[N_SIZES];
    double x[N_SIZES];

    for (size_t size = 0; size < N_SIZES; size++) {
        variants[size] = variant_of(way, load, size);
        x[size] = context->slot_bits[size];
    }
    return trend_of_all(samples, variants, x, N_SIZES, field);
}

static void judge(const struct context *context, const struct samples *samples,
                  struct answer *answer)
{
    const struct trend at_90 = trend_at(context, samples, 0, 0, MOVES);
    const struct trend at_95 = trend_at(context, samples, 0, 1, MOVES);
    const struct trend time = trend_at(context, samples, 0, 1, NANOSECONDS);
    const struct interval ns = time.line.slope;

    answer->verdict = verdict_both(verdict_zero(&at_90.line.slope, at_90.whole),
                                   verdict_zero(&at_95.line.slope, at_95.whole));
    answer_judge(
        answer, "A12", answer->verdict, scaled(at_95.percent, 0.01),
        "change of moves per insertion from the smallest table to the largest, "
        "relative to their mean, at 95 % load",
        "The original filter makes %.4f moves per insertion up to a load of 90 %% "
        "and %.4f up to 95 %%, from 2^%u to 2^%u slots. Its time changes by %+.1f "
        "ns [%+.1f, %+.1f] with each doubling, around %.0f ns; what is not moves are "
        "caches. "
        "A single insertion may take hundreds of moves, and constant is meant "
        "at a fixed load: it grows without end towards the load at which "
        "nothing more fits.",
        at_90.mean, at_95.mean, context->slot_bits[0], context->slot_bits[N_SIZES - 1],
        ns.value, ns.low, ns.high, time.mean);
    snprintf(
        answer->summary, sizeof answer->summary,
        "From 2^%u to 2^%u slots an insertion makes, up to 95 %% load, %.3f moves in "
        "the mean, and from one end to the other that changes by %.1f %% [%.1f, "
        "%.1f]. The measured time changes by %+.1f ns with each doubling.",
        context->slot_bits[0], context->slot_bits[N_SIZES - 1], at_95.mean,
        at_95.percent.value, at_95.percent.low, at_95.percent.high, ns.value);
}

static void add_table(const struct context *context, const struct samples *samples,
                      struct answer *answer)
{
    struct table *table =
        answer_add_table(answer, NULL,
                         "filter|load|slots|moves per insertion [95 %]|ns per insertion "
                         "[95 %]|longest|failed");

    for (size_t v = 0; v < samples->n_variants; v++) {
        const struct interval moves = samples_mean(samples, v, MOVES);
        const struct interval ns = samples_mean(samples, v, NANOSECONDS);
        char(*row)[CELL_TEXT] = table_add_row(table);
        size_t i = 0;

        snprintf(row[i++], CELL_TEXT, "%s", ways[v / N_SIZES / N_LOADS]);
        snprintf(row[i++], CELL_TEXT, "%.2f", loads[v / N_SIZES % N_LOADS]);
        snprintf(row[i++], CELL_TEXT, "2^%u", context->slot_bits[v % N_SIZES]);
        snprintf(row[i++], CELL_TEXT, "%.4f [%.4f, %.4f]", moves.value, moves.low,
                 moves.high);
        snprintf(row[i++], CELL_TEXT, "%.1f [%.1f, %.1f]", ns.value, ns.low, ns.high);
        snprintf(row[i++], CELL_TEXT, "%.0f", samples_mean(samples, v, LONGEST).value);
        snprintf(row[i++], CELL_TEXT, "%.2g", samples_mean(samples, v, FAILED).value);
    }
}

void run_cuckoo_insertion(const struct study *study, const char *folder,
                          struct answer *answer)
{
    struct context context = {.study = study};
    const unsigned last = (unsigned)study_pick(study, 13, 20, 24);
    const struct sampling sampling = {
        .name = "samples",
        .fields = FIELDS,
        .n_variants = (size_t)N_WAYS * N_LOADS * N_SIZES,
        .n_repetitions = study_pick(study, 2, 4, 30),
        .warm_up = study->size != STUDY_TINY,
        .describe = describe,
        .measure = measure,
        .context = &context,
    };

    for (unsigned i = 0; i < N_SIZES; i++)
        context.slot_bits[i] =
            last - (study->size == STUDY_TINY ? 1 : 2) * (N_SIZES - 1 - i);
    context.hashes = allocate((size_t)1 << last, sizeof *context.hashes);
    struct samples samples = samples_take(study, folder, &sampling);
    write_csv(&context, &samples, folder);
    add_table(&context, &samples, answer);
    judge(&context, &samples, answer);
    snprintf(
        answer->setup, sizeof answer->setup,
        "Cuckoo filters with 12-bit tags and tables of 2^%u to 2^%u slots by hand, "
        "filled with random hashes, one call each, to 90 %% and to 95 %% of the slots: "
        "original (buckets of 4, the first place with room, a walk of at most 500 "
        "kicks), the same with the emptier place, and windows of 4 with bfs. Moves "
        "of insertions that failed are counted too. %zu repetitions; of smaller "
        "tables as many are filled in each as make up the largest. The line is "
        "fitted over log2 of the slots (GSL). Times are processor time.",
        context.slot_bits[0], last, samples.n_repetitions);
    samples_free(&samples);
    free(context.hashes);
}
