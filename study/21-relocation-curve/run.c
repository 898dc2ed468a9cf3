/* SPDX-License-Identifier: MIT */
/* What the emptier place is worth at each load from .50 to .98, with the adds that failed, and the moves
 * they made in vain, counted apart. */
#include "21-relocation-curve/run.h"

#include <math.h>
#include <ninho/ninho.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/kmer/kmer.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/genome.h"
#include "harness/samples.h"

enum { K = 31, BUCKET = 4, TAG_BITS = 12, LIMIT = 500, N_LOADS = 25, N_WAYS = 5 };

const struct figure relocation_curve_figures[] = {
    {.name = "moves",
     .caption = "Relocations per stored key until the table has this load, those of "
                "failed adds not "
                "counted; "
                "intervals are narrower than the points.",
     .rows = "C11"},
    {.name = "gain",
     .caption = "The same, relative to the random choice. The gain of the emptier place "
                "melts away "
                "as the table "
                "fills.",
     .rows = "C11"},
    {.name = "failed",
     .caption = "Adds that failed on the way to this load, for each thousand keys "
                "stored, and the "
                "relocations "
                "they made in vain. bfs makes none in vain: it looks first.",
     .rows = "C11"},
    {.name = NULL},
};

/* ---- What is compared ---------------------------------------------------------------------- */

enum { RANDOM, EMPTIER, EMPTIER_BFS };

static const struct way {
    const char *name;
    ninho_slots slots;
    uint32_t place_slots;
    ninho_choice choice;
    ninho_search search;
} ways[N_WAYS] = {
    [RANDOM] = {"random", NINHO_BUCKETS, BUCKET, NINHO_CHOICE_RANDOM, NINHO_SEARCH_WALK},
    [EMPTIER] = {"emptier", NINHO_BUCKETS, BUCKET, NINHO_CHOICE_EMPTIER,
                 NINHO_SEARCH_WALK},
    [EMPTIER_BFS] = {"emptier bfs", NINHO_BUCKETS, BUCKET, NINHO_CHOICE_EMPTIER,
                     NINHO_SEARCH_BFS},
    {"windows of 3 bfs", NINHO_WINDOWS, 3, NINHO_CHOICE_EMPTIER, NINHO_SEARCH_BFS},
    {"windows of 4 bfs", NINHO_WINDOWS, 4, NINHO_CHOICE_EMPTIER, NINHO_SEARCH_BFS},
};

static double load_at(size_t step)
{
    return 0.50 + 0.02 * (double)step;
}

enum field { MOVES, IN_VAIN, FAILED, STORED, FIRST_FAILURE, N_FIELDS };
#define FIELDS "moves,in_vain,failed,stored,first_failure"

struct context {
    const struct study *study;
    uint64_t n_slots;
    uint64_t *keys; /* distinct canonical k-mers, in the order of the genome */
    size_t n_keys;
    uint64_t *hashes;
    /* the filter at hand, and how far it is */
    ninho_filter *filter;
    size_t way, repetition;
    size_t next;          /* key to be added */
    double first_failure; /* load; 0: none yet */
};

/* ---- Filling ------------------------------------------------------------------------------- */

static void begin(struct context *context, size_t way, size_t repetition)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3,
                                 .seed = context->study->seed + repetition};
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    ninho_filter_free(context->filter);
    context->filter = NULL;
    context->next = 0;
    context->first_failure = 0;
    context->way = way;
    context->repetition = repetition;
    spec.kind = NINHO_CUCKOO;
    spec.capacity = 1; /* the table is made by hand */
    spec.n_slots = context->n_slots;
    spec.tag_bits = TAG_BITS;
    spec.slots = ways[way].slots;
    spec.place_slots = ways[way].place_slots;
    spec.choice = ways[way].choice;
    spec.search = ways[way].search;
    spec.pairing =
        ways[way].slots == NINHO_WINDOWS ? NINHO_PAIRING_OFFSET : NINHO_PAIRING_XOR;
    spec.max_kicks = ways[way].search == NINHO_SEARCH_WALK ? LIMIT : 0;
    spec.budget = ways[way].search == NINHO_SEARCH_BFS ? LIMIT : 0;
    spec.seed = hasher.seed;
    if (ninho_filter_create(&spec, NULL, &context->filter, &error))
        fail("%s: %s", ways[way].name, error.text);
    ninho_kmer_hash(&hasher, context->keys, context->n_keys, context->hashes);
}

static void fill_to(struct context *context, uint64_t n_wanted)
{
    while (ninho_filter_count(context->filter) < n_wanted &&
           context->next < context->n_keys) {
        const ninho_status status =
            ninho_filter_add(context->filter, context->hashes[context->next++]);
        if (status == NINHO_ERR_FULL && context->first_failure == 0)
            context->first_failure =
                (double)ninho_filter_count(context->filter) / (double)context->n_slots;
        else if (status && status != NINHO_ERR_FULL)
            fail("%s: an add failed", ways[context->way].name);
    }
}

/* Goes on with the filter at hand if it is on the way to this load, or begins anew. */
static void measure(void *argument, size_t variant, size_t repetition, double *values)
{
    struct context *context = argument;
    const size_t way = variant / N_LOADS;
    const uint64_t n_wanted =
        (uint64_t)(load_at(variant % N_LOADS) * (double)context->n_slots);
    ninho_stats stats = NINHO_STATS_INIT;

    if (!context->filter || context->way != way || context->repetition != repetition ||
        ninho_filter_count(context->filter) > n_wanted)
        begin(context, way, repetition);
    fill_to(context, n_wanted);
    if (ninho_filter_stats(context->filter, &stats))
        fail("no statistics");
    values[MOVES] = (double)stats.n_moves;
    values[IN_VAIN] = (double)stats.n_undone;
    values[FAILED] = (double)stats.n_failed;
    values[STORED] = (double)ninho_filter_count(context->filter);
    values[FIRST_FAILURE] = context->first_failure;
    if (context->next != ninho_filter_count(context->filter) + stats.n_failed)
        fail("%s: keys stored and failed are not all that were added", ways[way].name);
}

static void describe(void *argument, size_t variant, char text[VARIANT_TEXT])
{
    (void)argument;
    snprintf(text, VARIANT_TEXT, "%s load %.2f", ways[variant / N_LOADS].name,
             load_at(variant % N_LOADS));
}

/* ---- Results ------------------------------------------------------------------------------- */

static struct interval per_key(const struct samples *samples, size_t variant,
                               size_t field)
{
    double *values = allocate(samples->n_repetitions, sizeof *values);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        const double *at = samples_at(samples, variant, r);
        values[r] = at[field] / at[STORED];
    }
    const struct interval mean = mean_interval(values, samples->n_repetitions);
    free(values);
    return mean;
}

/* Moves of a way over those of the random choice, in each repetition; false where it made none. */
static bool ratio_to_random(const struct samples *samples, size_t way, size_t step,
                            struct interval *ratio)
{
    for (size_t r = 0; r < samples->n_repetitions; r++)
        if (samples_at(samples, RANDOM * N_LOADS + step, r)[MOVES] <= 0)
            return false;
    *ratio = samples_ratio(samples, way * N_LOADS + step, RANDOM * N_LOADS + step, MOVES);
    return true;
}

static void write_csv(const struct context *context, const struct samples *samples,
                      const char *folder)
{
    char path[4300];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "way,load,n_slots,n_repetitions,stored,moves,moves_per_key,"
              "moves_per_key_low,moves_per_key_high,ratio,ratio_low,ratio_high,failed,"
              "failed_per_key,moves_in_vain_per_key,first_failure");
    for (size_t v = 0; v < (size_t)N_WAYS * N_LOADS; v++) {
        struct interval ratio = no_interval();
        const struct interval moves = per_key(samples, v, MOVES);

        ratio_to_random(samples, v / N_LOADS, v % N_LOADS, &ratio);
        csv_text(csv, ways[v / N_LOADS].name);
        csv_number(csv, load_at(v % N_LOADS));
        csv_count(csv, context->n_slots);
        csv_count(csv, samples->n_repetitions);
        csv_number(csv, samples_mean(samples, v, STORED).value);
        csv_number(csv, samples_mean(samples, v, MOVES).value);
        csv_number(csv, moves.value);
        csv_number(csv, moves.low);
        csv_number(csv, moves.high);
        csv_number(csv, ratio.value);
        csv_number(csv, ratio.low);
        csv_number(csv, ratio.high);
        csv_number(csv, samples_mean(samples, v, FAILED).value);
        csv_number(csv, per_key(samples, v, FAILED).value);
        csv_number(csv, per_key(samples, v, IN_VAIN).value);
        csv_number(csv, samples_mean(samples, v, FIRST_FAILURE).value);
        csv_end_row(csv);
    }
    csv_close(csv);
}

static size_t step_of(double load)
{
    return (size_t)lround((load - 0.50) / 0.02);
}

static void add_table(const struct samples *samples, struct answer *answer)
{
    struct table *table =
        answer_add_table(answer, NULL,
                         "choice and search|to .80|to .90|to .94|to .98|failed to "
                         ".98|first failure at load");
    static const double loads[] = {0.80, 0.90, 0.94, 0.98};

    for (size_t way = 0; way < N_WAYS; way++) {
        char(*row)[CELL_TEXT] = table_add_row(table);
        const size_t last = way * N_LOADS + N_LOADS - 1;
        size_t i = 0;

        snprintf(row[i++], CELL_TEXT, "%s", ways[way].name);
        for (size_t l = 0; l < sizeof loads / sizeof loads[0]; l++) {
            const struct interval moves =
                per_key(samples, way * N_LOADS + step_of(loads[l]), MOVES);
            snprintf(row[i++], CELL_TEXT, "%.4f ± %.4f", moves.value,
                     moves.high - moves.value);
        }
        snprintf(row[i++], CELL_TEXT, "%.0f", samples_mean(samples, last, FAILED).value);
        const double failure = samples_mean(samples, last, FIRST_FAILURE).value;
        if (failure > 0)
            snprintf(row[i++], CELL_TEXT, "%.4f", failure);
        else
            snprintf(row[i++], CELL_TEXT, "none up to .98");
    }
}

static void judge(const struct samples *samples, struct answer *answer)
{
    struct interval at[3] = {no_interval(), no_interval(), no_interval()};
    struct interval bfs[3] = {no_interval(), no_interval(), no_interval()};

    static const double loads[] = {0.90, 0.94, 0.98};
    size_t n = 0, n_fewer = 0;

    answer->verdict = HOLDS;
    for (size_t step = 0; step < N_LOADS; step++) {
        struct interval ratio;
        if (!ratio_to_random(samples, EMPTIER, step, &ratio))
            continue;
        const enum verdict verdict = verdict_ratio_below(&ratio);
        answer->verdict = verdict_both(answer->verdict, verdict);
        n++;
        n_fewer += verdict == HOLDS;
    }
    for (size_t i = 0; i < 3; i++) {
        ratio_to_random(samples, EMPTIER, step_of(loads[i]), &at[i]);
        ratio_to_random(samples, EMPTIER_BFS, step_of(loads[i]), &bfs[i]);
    }

    snprintf(
        answer->summary, sizeof answer->summary,
        "At %zu of %zu loads the emptier place makes fewer relocations than the "
        "random choice, failed adds apart. How many fewer depends on the load: "
        "%.0f %% [%.0f, %.0f] up to .90, %.0f %% [%.0f, %.0f] up to .94, %.0f %% "
        "[%.0f, %.0f] up to .98. With the shortest way (bfs) in the same buckets it is "
        "%.0f %%, %.0f %% and %.0f %%.",
        n_fewer, n, 100 * (at[0].value - 1), 100 * (at[0].low - 1),
        100 * (at[0].high - 1), 100 * (at[1].value - 1), 100 * (at[1].low - 1),
        100 * (at[1].high - 1), 100 * (at[2].value - 1), 100 * (at[2].low - 1),
        100 * (at[2].high - 1), 100 * (bfs[0].value - 1), 100 * (bfs[1].value - 1),
        100 * (bfs[2].value - 1));
}

void run_relocation_curve(const struct study *study, const char *folder,
                          struct answer *answer)
{
    struct context context = {
        .study = study,
        .n_slots = study_pick(study, (size_t)1 << 11, (size_t)1 << 20, (size_t)1 << 22),
    };
    const struct sampling sampling = {
        .name = "samples",
        .fields = FIELDS,
        .n_variants = (size_t)N_WAYS * N_LOADS,
        .n_repetitions = study_pick(study, 2, 5, 30),
        .describe = describe,
        .measure = measure,
        .context = &context,
    };
    struct genome genome;

    answer->verdict = OPEN;
    /* A fifth more than there are slots, for the keys that find no room. */
    if (!genome_read(study, ECOLI_536, study_pick(study, 3000, 1280000, 0), &genome,
                     answer))
        return;
    context.n_keys = genome_distinct(&genome, K, &context.keys);
    context.hashes = allocate(context.n_keys, sizeof *context.hashes);
    struct samples samples = samples_take(study, folder, &sampling);
    write_csv(&context, &samples, folder);
    add_table(&samples, answer);
    judge(&samples, answer);
    snprintf(answer->setup, sizeof answer->setup,
             "The distinct canonical 31-mers of E. coli 536 (%s), in genome order, into "
             "%llu slots with 12-bit tags, as a multiset, until the table has the load; "
             "%zu seeds. random: the first of the two places, if it has room. emptier: "
             "the one with more room. Both walk, at most 500 kicks, in buckets of 4. bfs "
             "looks at 500 tags at most. Windows are paired by offset, buckets by xor. A "
             "relocation is a tag displaced by an add that succeeded; those of adds that "
             "failed are counted apart. Numbers are relocations per key stored, with "
             "Student's 95 %% intervals.",
             study->size == STUDY_FULL ? "all of it" : "the beginning of it",
             (unsigned long long)context.n_slots, samples.n_repetitions);
    samples_free(&samples);
    ninho_filter_free(context.filter);
    free(context.keys);
    free(context.hashes);
    genome_free(&genome);
}
