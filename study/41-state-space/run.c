/* SPDX-License-Identifier: MIT */
/* How many states does a search miss that remembers where it was in a filter?
 *
 * A breadth-first search keeps a queue of states still to be looked at, and a set of all that were
 * seen. In a model checker the set is what fills the memory, so SPIN can keep it in a Bloom filter
 * (bitstate, 3 bits set for each state) or as compressed keys (hash compaction). A false positive then
 * makes the search turn away from a state that it has never seen; whatever can only be reached through
 * such states is missed.
 *
 * The state space is a sliding-tile puzzle, whose number of states is known: n! / 2. The exact search,
 * with a bit for every permutation, must reach all of them. */
#include "41-state-space/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <ninho/ninho.h>

#include "41-state-space/puzzle.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/samples.h"
#include "harness/words.h"

const struct figure state_space_figures[] = {
    {
        .name = "missed",
        .caption =
            "Share of the states that a search never reaches, by the memory that "
            "remembers where it was; mean over the seeds with Student's 95 % interval. "
            "Dashed: the share of new states that a filter would take for old ones, on "
            "average while it fills (the search can still reach what lies behind them by "
            "another way). No mark: nothing was missed under any seed, or such a filter "
            "does not fit.",
    },
    {.name = NULL},
};

enum method { BLOOM_3, BLOOM_BEST, COMPACT, CUCKOO, QUOTIENT, N_METHODS };
static const char *const method_names[] = {"bloom k = 3", "bloom best k", "compact",
                                           "cuckoo", "quotient"};
static const double budgets[] = {4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 64};

enum {
    N_BUDGETS = sizeof budgets / sizeof budgets[0],
    MAX_VARIANTS = N_METHODS * N_BUDGETS
};

enum field { MISSED, STEPS, N_FIELDS };

/* A method at a budget. */
struct variant {
    enum method method;
    size_t budget;
    ninho_spec spec;
    ninho_plan plan;
};

struct experiment {
    const struct study *study;
    struct puzzle puzzle;
    size_t n_states;
    uint64_t *queue; /* n_states boards */
    size_t n_variants;
    struct variant variants[MAX_VARIANTS];
    size_t n_steps; /* of the exact search */
};

/* ---- Variants ------------------------------------------------------------------------------ */

/* Whether the spec can be had within the budget; its plan. */
static bool fits(const struct experiment *e, const ninho_spec *spec, double budget,
                 ninho_plan *plan)
{
    *plan = (ninho_plan)NINHO_PLAN_INIT;
    return ninho_filter_plan(spec, plan, NULL) == NINHO_OK &&
           8 * (double)plan->table_bytes <= budget * (double)e->n_states + 64;
}

/* The best filter of the method that needs no more than so many bits for each state. */
static bool find_spec(const struct experiment *e, enum method method, double budget,
                      ninho_spec *spec, ninho_plan *plan)
{
    *spec = (ninho_spec)NINHO_SPEC_INIT;
    spec->capacity = e->n_states;
    switch (method) {
    case BLOOM_3:
    case BLOOM_BEST:
        spec->kind = NINHO_BLOOM;
        spec->n_bits = (uint64_t)(budget * (double)e->n_states);
        spec->n_hashes = method == BLOOM_3 ? 3 : 0;
        return fits(e, spec, budget, plan);
    case COMPACT:
        spec->kind = NINHO_COMPACT;
        for (spec->tag_bits = 60; spec->tag_bits > 0; spec->tag_bits--)
            if (fits(e, spec, budget, plan))
                return true;
        return false;
    case CUCKOO:
        spec->kind = NINHO_CUCKOO;
        for (spec->tag_bits = 32; spec->tag_bits >= 4; spec->tag_bits--)
            if (fits(e, spec, budget, plan))
                return true;
        return false;
    default:
        spec->kind = NINHO_QUOTIENT;
        for (int i = 40; i > 0; i--) {
            spec->fpr = exp2(-i);
            if (fits(e, spec, budget, plan))
                return true;
        }
        return false;
    }
}

static void list_variants(struct experiment *e)
{
    for (size_t b = 0; b < N_BUDGETS; b++)
        for (enum method m = 0; m < N_METHODS; m++) {
            struct variant *variant = &e->variants[e->n_variants];
            if (!find_spec(e, m, budgets[b], &variant->spec, &variant->plan))
                continue;
            variant->method = m;
            variant->budget = b;
            e->n_variants++;
        }
}

/* ---- Searching ----------------------------------------------------------------------------- */

/* What has been seen: exactly where there is no filter. */
struct seen {
    ninho_filter *filter;
    uint64_t seed;
    uint8_t *bits;
};

/* Whether the board is new; it is not from now on. */
static bool is_new(const struct experiment *e, struct seen *seen, uint64_t board)
{
    if (!seen->filter) {
        const size_t rank = puzzle_rank(&e->puzzle, board);
        const uint8_t bit = (uint8_t)(1u << (rank % 8));
        const bool is_set = seen->bits[rank / 8] & bit;
        seen->bits[rank / 8] |= bit;
        return !is_set;
    }
    const uint64_t hash = mix64(board ^ seen->seed);
    if (ninho_filter_has(seen->filter, hash))
        return false;
    const ninho_status status = ninho_filter_add(seen->filter, hash);
    if (status)
        fail("a filter for %zu states refuses one: %s", e->n_states,
             ninho_status_text(status));
    return true;
}

/* Returns how many states were reached. A filter denies nothing it was given, so no state is looked at
 * twice, and the queue has room for all. */
static size_t search(struct experiment *e, struct seen *seen, size_t *n_steps)
{
    size_t n_reached = 0;

    *n_steps = 0;
    e->queue[n_reached++] = puzzle_start(&e->puzzle);
    is_new(e, seen, e->queue[0]);
    for (size_t at = 0; at < n_reached; at++) {
        uint64_t next[4];
        const size_t n = puzzle_next(&e->puzzle, e->queue[at], next);
        for (size_t i = 0; i < n; i++, ++*n_steps)
            if (is_new(e, seen, next[i])) {
                if (n_reached == e->n_states)
                    fail("a search reached more states than there are");
                e->queue[n_reached++] = next[i];
            }
    }
    return n_reached;
}

static void search_exactly(struct experiment *e)
{
    struct seen seen = {.bits = allocate(e->n_states / 4 + 1, 1)};
    const size_t n = search(e, &seen, &e->n_steps);

    free(seen.bits);
    if (n != e->n_states)
        fail("the exact search reached %zu of %zu states", n, e->n_states);
}

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct experiment *e = context;

    snprintf(text, VARIANT_TEXT, "%s; %g bits", method_names[e->variants[variant].method],
             budgets[e->variants[variant].budget]);
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    struct experiment *e = context;
    struct seen seen = {.seed = mix64(mix64(e->study->seed) + repetition)};
    ninho_error error = NINHO_ERROR_INIT;
    size_t n_steps;

    if (ninho_filter_create(&e->variants[variant].spec, NULL, &seen.filter, &error))
        fail("%s: %s", method_names[e->variants[variant].method], error.text);
    const size_t n_reached = search(e, &seen, &n_steps);
    ninho_filter_free(seen.filter);
    values[MISSED] = (double)(e->n_states - n_reached) / (double)e->n_states;
    values[STEPS] = (double)n_steps;
}

/* ---- Theory -------------------------------------------------------------------------------- */

/* The chance that a new state is taken for an old one when n are in the filter. */
static double fpr_at(const struct variant *variant, double n, double n_states)
{
    const ninho_plan *plan = &variant->plan;

    switch (variant->method) {
    case BLOOM_3:
    case BLOOM_BEST:
        return pow(-expm1(plan->n_hashes * n * log1p(-1 / (double)plan->n_cells)),
                   plan->n_hashes);
    case COMPACT:
        return -expm1(n * log1p(-exp2(-(double)plan->tag_bits)));
    default:
        return plan->fpr_expected * n / n_states; /* it grows in step with the load */
    }
}

/* Its mean while the filter fills. */
static double theory(const struct experiment *e, const struct variant *variant)
{
    enum { N_POINTS = 1000 };
    double sum = 0;

    for (size_t i = 0; i < N_POINTS; i++)
        sum += fpr_at(variant, ((double)i + 0.5) / N_POINTS * (double)e->n_states,
                      (double)e->n_states);
    return sum / N_POINTS;
}

/* ---- The answer ---------------------------------------------------------------------------- */

static size_t find_variant(const struct experiment *e, enum method method, size_t budget)
{
    for (size_t v = 0; v < e->n_variants; v++)
        if (e->variants[v].method == method && e->variants[v].budget == budget)
            return v;
    return SIZE_MAX;
}

static void write_csv(const struct experiment *e, const struct samples *samples,
                      const char *folder)
{
    char path[4200];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv =
        csv_open(path, "method,budget_bits,bits_per_state,k,tag_bits,n_states,n_seeds,"
                       "missed,missed_low,missed_high,theory");
    /* One method after the other: curves are drawn through neighbouring lines. */
    for (size_t i = 0; i < MAX_VARIANTS; i++) {
        const size_t v = find_variant(e, (enum method)(i / N_BUDGETS), i % N_BUDGETS);
        if (v == SIZE_MAX)
            continue;
        const struct variant *variant = &e->variants[v];
        const struct interval missed = samples_mean(samples, v, MISSED);
        csv_text(csv, method_names[variant->method]);
        csv_number(csv, budgets[variant->budget]);
        csv_number(csv, 8 * (double)variant->plan.table_bytes / (double)e->n_states);
        csv_count(csv, variant->plan.n_hashes);
        csv_count(csv, variant->plan.tag_bits);
        csv_count(csv, e->n_states);
        csv_count(csv, samples->n_repetitions);
        csv_number(csv, missed.value);
        csv_number(csv, missed.low);
        csv_number(csv, missed.high);
        csv_number(csv, theory(e, variant));
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void fill_table(const struct experiment *e, const struct samples *samples,
                       struct answer *answer)
{
    struct table *table = answer_add_table(
        answer, "Share of the states missed",
        "bits per state|bloom k = 3|bloom best k|compact|cuckoo|quotient");

    for (size_t b = 0; b < N_BUDGETS; b++) {
        char(*row)[CELL_TEXT] = table_add_row(table);
        snprintf(row[0], CELL_TEXT, "%g", budgets[b]);
        for (enum method m = 0; m < N_METHODS; m++) {
            const size_t v = find_variant(e, m, b);
            if (v == SIZE_MAX)
                snprintf(row[m + 1], CELL_TEXT, "–");
            else
                snprintf(row[m + 1], CELL_TEXT, "%.3g %%",
                         100 * samples_mean(samples, v, MISSED).value);
        }
    }
}

/* The least budget at which the method misses at most this share; 0: at none. */
static double budget_for(const struct experiment *e, const struct samples *samples,
                         enum method method, double share)
{
    for (size_t b = 0; b < N_BUDGETS; b++) {
        const size_t v = find_variant(e, method, b);
        if (v != SIZE_MAX && samples_mean(samples, v, MISSED).value <= share)
            return budgets[b];
    }
    return 0;
}

/* Whether a method misses states under every seed. */
static bool misses(const struct samples *samples, size_t variant)
{
    for (size_t r = 0; r < samples->n_repetitions; r++)
        if (samples_at(samples, variant, r)[MISSED] <= 0)
            return false;
    return true;
}

static void judge(const struct experiment *e, const struct samples *samples,
                  struct answer *answer)
{
    enum verdict cases[N_BUDGETS];
    size_t n = 0, n_fewer = 0;

    for (size_t b = 0; b < N_BUDGETS; b++) {
        const size_t bloom = find_variant(e, BLOOM_BEST, b);
        const size_t compact = find_variant(e, COMPACT, b);
        if (compact == SIZE_MAX || !misses(samples, compact))
            continue; /* does not fit, or misses nothing: nothing to compare */
        const struct interval ratio = samples_ratio(samples, bloom, compact, MISSED);
        cases[n] = verdict_ratio_below(&ratio);
        n_fewer += cases[n++] == HOLDS;
    }
    answer->verdict = verdict_most(cases, n);
    snprintf(
        answer->summary, sizeof answer->summary,
        "At %zu of the %zu budgets where hash compaction fits and misses anything, the "
        "Bloom filter with the best k misses fewer states. To miss at most one state "
        "in a thousand, of %zu, takes %g bits per state with three hashes, as "
        "SPIN sets them, %g with the best k, %g with a cuckoo filter, %g with a "
        "quotient filter and %g with hash compaction (of the budgets tried).",
        n_fewer, n, e->n_states, budget_for(e, samples, BLOOM_3, 1e-3),
        budget_for(e, samples, BLOOM_BEST, 1e-3), budget_for(e, samples, CUCKOO, 1e-3),
        budget_for(e, samples, QUOTIENT, 1e-3), budget_for(e, samples, COMPACT, 1e-3));
    snprintf(
        answer->setup, sizeof answer->setup,
        "The sliding-tile puzzle of %u × %u cells has %u!/2 = %zu states that can be "
        "reached; the exact search reaches all of them in %zu steps. Breadth-first "
        "search, the set of seen states in a filter of at most so many bits for each "
        "state there is; %zu seeds of the hash. Bloom with 3 hashes is what SPIN's "
        "bitstate does unless told otherwise. Counts, no times.",
        e->puzzle.n_rows, e->puzzle.n_columns, e->puzzle.n_rows * e->puzzle.n_columns,
        e->n_states, e->n_steps, samples->n_repetitions);
}

void run_state_space(const struct study *study, const char *folder, struct answer *answer)
{
    struct experiment *e = allocate(1, sizeof *e);

    e->study = study;
    e->puzzle = study->size == STUDY_TINY    ? (struct puzzle){2, 4}
                : study->size == STUDY_QUICK ? (struct puzzle){3, 3}
                                             : (struct puzzle){2, 5};
    e->n_states = puzzle_n_states(&e->puzzle);
    e->queue = allocate(e->n_states, sizeof *e->queue);
    list_variants(e);
    search_exactly(e);
    const struct sampling sampling = {
        .name = "samples",
        .fields = "missed,steps",
        .n_variants = e->n_variants,
        .n_repetitions = study_pick(study, 3, 5, 30),
        .describe = describe,
        .measure = measure,
        .context = e,
    };
    struct samples samples = samples_take(study, folder, &sampling);
    write_csv(e, &samples, folder);
    fill_table(e, &samples, answer);
    judge(e, &samples, answer);
    samples_free(&samples);
    free(e->queue);
    free(e);
}
