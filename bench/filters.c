/* SPDX-License-Identifier: MIT */
/* Measures every variant: adds, lookups of members and lookups of absent keys, one call per key
 * and in batches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* One variant doing one operation in one manner; what a job's context points to. */
struct task {
    struct variant *variant;
    const struct workload *workload;
    enum operation operation;
    enum manner manner;
};

/* Whether a count of "maybe" among n absent keys is credible: the promise is 1.1 x fpr, and a
 * table that answers far less often than it should was not asked, or is not the table we think.
 * Six standard deviations, so that chance alone never stops a run. */
static void check_misses(const struct variant *variant, size_t n_maybe, size_t n)
{
    const double promised = 1.1 * variant->fpr_promised * (double)n;
    const double expected = variant->fpr_expected * (double)n;

    if ((double)n_maybe > promised + 6 * sqrt(promised) + 10)
        die("%s: %zu of %zu absent keys were \"maybe\": more than 1.1 x %g promises",
            variant->name, n_maybe, n, variant->fpr_promised);
    if ((double)n_maybe < 0.5 * expected - 6 * sqrt(expected) - 10)
        die("%s: %zu of %zu absent keys were \"maybe\": theory says %.0f", variant->name,
            n_maybe, n, expected);
}

static const struct key_array *keys_of(const struct task *task)
{
    switch (task->operation) {
    case HIT:
        return &task->workload->hits;
    case MISS:
        return &task->workload->absent;
    default:
        return &task->workload->members;
    }
}

static double time_add(const struct task *task)
{
    struct variant *variant = task->variant;
    const struct key_array *keys = keys_of(task);

    variant->ops->clear(variant);
    const double start = seconds_of_thread();
    if (task->manner == ONE)
        variant->ops->add_one(variant, keys);
    else
        variant->ops->add_many(variant, keys);
    const double seconds = seconds_of_thread() - start;
    variant->ops->describe(variant);
    return seconds;
}

/* The counts are checked against what they must be: so no lookup can be left out. */
static double time_has(const struct task *task)
{
    struct variant *variant = task->variant;
    const struct key_array *keys = keys_of(task);
    size_t n_maybe;

    const double start = seconds_of_thread();
    if (task->manner == ONE)
        n_maybe = variant->ops->has_one(variant, keys);
    else
        n_maybe = variant->ops->has_many(variant, keys);
    const double seconds = seconds_of_thread() - start;
    if (task->operation == MISS)
        check_misses(variant, n_maybe, keys->n);
    else if (n_maybe != keys->n)
        die("%s: %zu of %zu members were not found", variant->name, keys->n - n_maybe,
            keys->n);
    return seconds;
}

static double run_task(void *context)
{
    const struct task *task = context;
    const double seconds = task->operation == ADD ? time_add(task) : time_has(task);

    return 1e9 * seconds / (double)keys_of(task)->n;
}

static bool can_do(const struct variant *variant, enum operation operation,
                   enum manner manner)
{
    if (operation == ADD)
        return (manner == ONE ? variant->ops->add_one : variant->ops->add_many) != NULL;
    return (manner == ONE ? variant->ops->has_one : variant->ops->has_many) != NULL;
}

/* The jobs of one operation: every variant in every manner it knows. */
struct phase {
    struct job jobs[MAX_VARIANTS * N_MANNERS];
    struct task tasks[MAX_VARIANTS * N_MANNERS];
    size_t n;
};

static void plan_phase(struct phase *phase, enum operation operation,
                       struct variant *variants, size_t n_variants,
                       const struct workload *workload, struct variant_result *results,
                       size_t n_repetitions)
{
    phase->n = 0;
    for (size_t v = 0; v < n_variants; v++)
        for (enum manner manner = ONE; manner < N_MANNERS; manner++) {
            if (!can_do(&variants[v], operation, manner))
                continue;
            struct task *task = &phase->tasks[phase->n];
            *task = (struct task){&variants[v], workload, operation, manner};
            double *samples = allocate(n_repetitions, sizeof *samples);
            results[v].samples[operation][manner] = samples;
            phase->jobs[phase->n++] = (struct job){run_task, task, samples};
        }
}

static double fpr_of(struct variant *variant, const struct workload *workload)
{
    const struct key_array *keys = &workload->absent;

    return (double)variant->ops->has_one(variant, keys) / (double)keys->n;
}

static const struct variant_result *find_result(const struct variant_result *results,
                                                size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(results[i].variant->name, name) == 0)
            return &results[i];
    return NULL;
}

/* What the library promises to be, next to its peer. */
static const struct promise {
    const char *what;
    const char *ours;
    enum operation operation;
    double target;
} promises[] = {
    {"blocked, batched, at equal fpr: hits", "blocked", HIT, 7},
    {"blocked, batched, at equal fpr: misses", "blocked", MISS, 7},
    {"blocked, batched, at equal fpr: adds", "blocked", ADD, 10},
    {"bloom, batched, at equal bits: hits", BLOOM_TWIN, HIT, 2},
    {"bloom, batched, at equal bits: misses", BLOOM_TWIN, MISS, 2},
    {"bloom, batched, at equal bits: adds", BLOOM_TWIN, ADD, 0},
};

enum { N_PROMISES = sizeof promises / sizeof promises[0] };

static void compare_with_libbloom(struct report *report,
                                  const struct variant_result *results, size_t n_results,
                                  size_t n_repetitions)
{
    const struct variant_result *peer = find_result(results, n_results, LIBBLOOM);
    struct ratio_result ratios[N_PROMISES];
    size_t n = 0;

    if (!peer)
        return;
    for (size_t i = 0; i < N_PROMISES; i++) {
        const struct promise *promise = &promises[i];
        const struct variant_result *ours =
            find_result(results, n_results, promise->ours);
        if (!ours)
            continue;
        ratios[n++] = (struct ratio_result){
            promise->what, promise->target,
            ratio_interval(peer->samples[promise->operation][ONE],
                           ours->samples[promise->operation][MANY], n_repetitions)};
    }
    if (n)
        report_ratios(report, "times faster than libbloom", ratios, n, n_repetitions);
}

bool is_chosen(const char *kinds, const char *name)
{
    const size_t length = strlen(name);
    const size_t family = strcspn(name, "/=");

    for (const char *at = kinds; at; at = strchr(at, ',')) {
        at += *at == ',';
        const size_t n = strcspn(at, ",");
        if ((n == length || n == family) && strncmp(at, name, n) == 0)
            return true;
    }
    return !kinds;
}

static size_t choose_variants(struct variant *variants, size_t n, const char *kinds)
{
    size_t n_chosen = 0;

    for (size_t i = 0; i < n; i++)
        if (is_chosen(kinds, variants[i].name))
            variants[n_chosen++] = variants[i];
    if (n_chosen == 0)
        die("--kinds %s: names none of them", kinds);
    return n_chosen;
}

/* Leaves out the kinds that do not offer such an fpr, and says so. One that was asked for by name
 * stays: making it ends the program with the reason. */
static size_t leave_out_refused(struct variant *variants, size_t n,
                                const struct options *options, struct report *report)
{
    size_t n_left = 0;

    for (size_t i = 0; i < n; i++) {
        ninho_plan plan = NINHO_PLAN_INIT;
        ninho_error error = NINHO_ERROR_INIT;
        char note[400];

        if (options->kinds || !variants[i].spec.kind ||
            !ninho_filter_plan(&variants[i].spec, &plan, &error)) {
            variants[n_left++] = variants[i];
            continue;
        }
        snprintf(note, sizeof note, "%.40s is left out: %.240s", variants[i].name,
                 error.text);
        report_note(report, note);
    }
    return n_left;
}

void measure_variants(const char *what, struct variant *variants, size_t n_variants,
                      const struct workload *workload, struct variant_result *results,
                      size_t n_repetitions)
{
    struct phase *phases = allocate(N_OPERATIONS, sizeof *phases);

    for (enum operation operation = ADD; operation < N_OPERATIONS; operation++)
        plan_phase(&phases[operation], operation, variants, n_variants, workload, results,
                   n_repetitions);
    for (size_t repetition = 0; repetition < n_repetitions; repetition++)
        for (enum operation operation = ADD; operation < N_OPERATIONS; operation++) {
            struct phase *phase = &phases[operation];
            run_repetition(phase->jobs, phase->n, repetition);
            show_progress(what, repetition * N_OPERATIONS + (size_t)operation + 1,
                          n_repetitions * N_OPERATIONS);
        }
    free(phases);
    for (size_t i = 0; i < n_variants; i++)
        results[i].fpr_measured = fpr_of(&variants[i], workload);
}

void free_variants(struct variant *variants, struct variant_result *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        variants[i].ops->destroy(&variants[i]);
        for (size_t s = 0; s < N_OPERATIONS * N_MANNERS; s++)
            free(results[i].samples[s / N_MANNERS][s % N_MANNERS]);
    }
}

void bench_filters(const struct options *options, struct report *report)
{
    struct workload workload = make_workload(options->n_keys, options->most_lookups,
                                             options->fpr, options->pages);
    struct variant variants[MAX_VARIANTS];
    struct variant_result results[MAX_VARIANTS] = {0};
    size_t n =
        choose_variants(variants, list_variants(variants, &workload), options->kinds);

    n = leave_out_refused(variants, n, options, report);
    for (size_t i = 0; i < n; i++) {
        variants[i].ops->create(&variants[i], &workload);
        results[i].variant = &variants[i];
    }
    measure_variants("filters", variants, n, &workload, results, options->n_repetitions);
    report_variants(report, "filters", options, results, n);
    if (!libbloom_is_there)
        report_note(report, "libbloom was not there when ninho-bench was built: no peer "
                            "(Debian: apt-get install libbloom-dev, then build again)");
    compare_with_libbloom(report, results, n, options->n_repetitions);

    free_variants(variants, results, n);
    free_workload(&workload);
}
