/* SPDX-License-Identifier: MIT */
/* The cuckoo filter by itself: how many tags its variants move and when they first fail, which are
 * counts and the same on every machine; what batches, huge pages and the default's layout are worth
 * beside the textbook's filter; and, with --fill, the loads that the planner's numbers come from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* ---- Counts -------------------------------------------------------------------------------- */

enum { COUNT_SLOTS = 1 << 22, COUNT_BITS = 12, COUNT_SEEDS = 5 };

const double count_loads[N_COUNT_LOADS] = {.50, .80, .90, .95, .97};

static const struct configuration {
    const char *name;
    ninho_slots slots;
    uint32_t place_slots;
    ninho_choice choice;
    ninho_search search;
    ninho_pairing pairing;
    uint32_t limit;
    double least_failure, least_moves, most_moves; /* what it must reach */
} configurations[] = {
    {"original: bucket 4, random, walk", NINHO_BUCKETS, 4, NINHO_CHOICE_RANDOM,
     NINHO_SEARCH_WALK, NINHO_PAIRING_XOR, 500, .955, .85, .95},
    {"bucket 4, emptier, walk", NINHO_BUCKETS, 4, NINHO_CHOICE_EMPTIER, NINHO_SEARCH_WALK,
     NINHO_PAIRING_XOR, 500, .958, 0, .60},
    {"bucket 4, emptier, bfs", NINHO_BUCKETS, 4, NINHO_CHOICE_EMPTIER, NINHO_SEARCH_BFS,
     NINHO_PAIRING_XOR, 500, .958, 0, .12},
    {"windows of 3, emptier, bfs", NINHO_WINDOWS, 3, NINHO_CHOICE_EMPTIER,
     NINHO_SEARCH_BFS, NINHO_PAIRING_OFFSET, 5000, .985, 0, .16},
    {"windows of 4, emptier, bfs", NINHO_WINDOWS, 4, NINHO_CHOICE_EMPTIER,
     NINHO_SEARCH_BFS, NINHO_PAIRING_OFFSET, 5000, .992, 0, .11},
};

enum { N_CONFIGURATIONS = sizeof configurations / sizeof configurations[0] };

static ninho_filter *make_table(const struct configuration *configuration,
                                uint64_t n_slots, uint32_t tag_bits)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = 1; /* the table is made by hand and filled until it fails */
    spec.tag_bits = tag_bits;
    spec.n_slots = n_slots;
    spec.slots = configuration->slots;
    spec.place_slots = configuration->place_slots;
    spec.choice = configuration->choice;
    spec.search = configuration->search;
    spec.pairing = configuration->pairing;
    if (spec.search == NINHO_SEARCH_WALK)
        spec.max_kicks = configuration->limit;
    else
        spec.budget = configuration->limit;
    if (ninho_filter_create(&spec, NULL, &filter, &error))
        die("%s: %s", configuration->name, error.text);
    return filter;
}

static double moves_per_key(const ninho_filter *filter)
{
    ninho_stats stats = NINHO_STATS_INIT;

    if (ninho_filter_stats(filter, &stats))
        die("no statistics");
    return (double)stats.n_moves / (double)ninho_filter_count(filter);
}

/* Adds keys until one does not go in; returns the load then. moves[i] is added to, if the table
 * came to count_loads[i] (moves may be NULL). */
static double fill_until_full(ninho_filter *filter, uint64_t n_slots, uint64_t seed,
                              double *moves)
{
    size_t next = 0;
    uint64_t n = 0;

    while (!ninho_filter_add(filter, mix64((seed + 1) << 40 | n))) {
        n++;
        if (moves && next < N_COUNT_LOADS &&
            n == (uint64_t)(count_loads[next] * (double)n_slots))
            moves[next++] += moves_per_key(filter);
    }
    for (; moves && next < N_COUNT_LOADS; next++)
        moves[next] = NAN;
    return (double)n / (double)n_slots;
}

static struct count_result count(const struct configuration *configuration)
{
    struct count_result result = {.name = configuration->name,
                                  .limit = configuration->limit,
                                  .least_failure = configuration->least_failure,
                                  .least_moves = configuration->least_moves,
                                  .most_moves = configuration->most_moves};

    for (uint64_t seed = 0; seed < COUNT_SEEDS; seed++) {
        ninho_filter *filter = make_table(configuration, COUNT_SLOTS, COUNT_BITS);
        result.first_failure +=
            fill_until_full(filter, COUNT_SLOTS, seed, result.moves) / COUNT_SEEDS;
        ninho_filter_free(filter);
    }
    for (size_t i = 0; i < N_COUNT_LOADS; i++)
        result.moves[i] /= COUNT_SEEDS;
    return result;
}

static void bench_counts(struct report *report)
{
    struct count_result results[N_CONFIGURATIONS];

    for (size_t i = 0; i < N_CONFIGURATIONS; i++) {
        results[i] = count(&configurations[i]);
        show_progress("cuckoo: counts", i + 1, N_CONFIGURATIONS);
    }
    report_counts(report, COUNT_SLOTS, COUNT_BITS, COUNT_SEEDS, results,
                  N_CONFIGURATIONS);
}

/* ---- Speed --------------------------------------------------------------------------------- */

enum { ORIGINAL_SMALL, ORIGINAL_HUGE, DEFAULT, N_SPEEDS };

static const struct gain {
    const char *what;
    int slow;
    enum manner slow_manner;
    int fast;
    double targets[N_OPERATIONS]; /* add, hit, miss */
} gains[] = {
    {"batched default / original one by one, 4 KiB pages",
     ORIGINAL_SMALL,
     ONE,
     DEFAULT,
     {3, 1.7, 1.7}},
    {"  of that, batches", ORIGINAL_SMALL, ONE, ORIGINAL_SMALL, {0, 0, 0}},
    {"  of that, huge pages", ORIGINAL_SMALL, MANY, ORIGINAL_HUGE, {0, 0, 0}},
    {"  of that, the default's layout and search",
     ORIGINAL_HUGE,
     MANY,
     DEFAULT,
     {0, 0, 0}},
};

enum { N_GAINS = sizeof gains / sizeof gains[0] };

static void report_gains(struct report *report, const struct variant_result *results,
                         size_t n_repetitions)
{
    static const char *const operations[N_OPERATIONS] = {"adds", "hits", "misses"};
    struct ratio_result ratios[N_OPERATIONS * N_GAINS];
    char names[N_OPERATIONS * N_GAINS][100];
    size_t n = 0;

    for (enum operation operation = ADD; operation < N_OPERATIONS; operation++)
        for (size_t i = 0; i < N_GAINS; i++, n++) {
            const struct gain *gain = &gains[i];
            snprintf(names[n], sizeof names[n], "%s: %s", operations[operation],
                     gain->what);
            ratios[n] = (struct ratio_result){
                names[n], gain->targets[operation],
                ratio_interval(results[gain->slow].samples[operation][gain->slow_manner],
                               results[gain->fast].samples[operation][MANY],
                               n_repetitions)};
        }
    report_ratios(report, "cuckoo filter, times faster", ratios, n, n_repetitions);
}

static void bench_speed(const struct options *options, struct report *report)
{
    struct options ours = *options;
    struct variant variants[N_SPEEDS];
    struct variant_result results[N_SPEEDS] = {0};
    ninho_spec spec = NINHO_SPEC_INIT;

    ours.n_keys = options->n_cuckoo_keys;
    ours.n_repetitions = options->n_cuckoo_repetitions;
    ours.fpr = 0x1p-13;
    struct workload workload =
        make_workload(ours.n_keys, ours.most_lookups, ours.fpr, NINHO_PAGES_AUTO);
    spec.kind = NINHO_CUCKOO;
    spec.capacity = ours.n_keys;
    spec.fpr = ours.fpr;
    make_own_variant(&variants[DEFAULT], "cuckoo", &spec);
    ninho_spec_original(&spec);
    make_own_variant(&variants[ORIGINAL_HUGE], "original", &spec);
    spec.pages = NINHO_PAGES_SMALL;
    make_own_variant(&variants[ORIGINAL_SMALL], "original, 4 KiB", &spec);
    for (size_t i = 0; i < N_SPEEDS; i++) {
        variants[i].ops->create(&variants[i], &workload);
        results[i].variant = &variants[i];
    }
    measure_variants("cuckoo: speed", variants, N_SPEEDS, &workload, results,
                     ours.n_repetitions);
    report_variants(report, "cuckoo_filters", &ours, results, N_SPEEDS);
    report_gains(report, results, ours.n_repetitions);
    free_variants(variants, results, N_SPEEDS);
    free_workload(&workload);
}

/* ---- Fill ---------------------------------------------------------------------------------- */

/* Each size is filled as often as makes so many slots in all, but no more often than that. */
enum { FILL_SLOTS = 1 << 25, FILL_SEEDS = 10000, FILL_BITS = 16 };

static void print_fill(const struct configuration *configuration, uint64_t n_slots)
{
    const uint64_t wanted = FILL_SLOTS / n_slots;
    const uint64_t n = wanted > FILL_SEEDS ? FILL_SEEDS : wanted < 3 ? 3 : wanted;
    double sum = 0, squares = 0, least = 2;

    for (uint64_t seed = 0; seed < n; seed++) {
        ninho_filter *filter = make_table(configuration, n_slots, FILL_BITS);
        const double load = fill_until_full(filter, n_slots, seed, NULL);
        sum += load;
        squares += load * load;
        least = load < least ? load : least;
        ninho_filter_free(filter);
    }
    const double mean = sum / (double)n;
    const double spread = sqrt(fmax(0, squares / (double)n - mean * mean));
    printf("%-7s %2u  %-4s %10llu %7llu %9.5f %9.5f %9.5f %9.5f\n",
           configuration->slots == NINHO_WINDOWS ? "windows" : "buckets",
           configuration->place_slots,
           configuration->search == NINHO_SEARCH_WALK ? "walk" : "bfs",
           (unsigned long long)n_slots, (unsigned long long)n, mean, spread, least,
           mean - 5 * spread);
    fflush(stdout);
}

static void bench_fill(void)
{
    static const uint64_t sizes[] = {64,    256,     1024,    4096,   16384,
                                     65536, 1 << 18, 1 << 21, 1 << 24};

    printf("\nfirst failures, %d-bit slots, offset pairing, emptier place, 500 kicks or "
           "5000 "
           "tags\n\n%-7s %2s  %-4s %10s %7s %9s %9s %9s %9s\n",
           FILL_BITS, "slots", "n", "search", "table", "seeds", "mean", "deviation",
           "least", "mean-5s");
    for (uint32_t n = 1; n <= 8; n++)
        for (ninho_slots slots = NINHO_BUCKETS; slots <= NINHO_WINDOWS; slots++)
            for (ninho_search search = NINHO_SEARCH_WALK; search <= NINHO_SEARCH_BFS;
                 search++) {
                const struct configuration configuration = {
                    .name = "fill",
                    .slots = slots,
                    .place_slots = n,
                    .choice = NINHO_CHOICE_EMPTIER,
                    .search = search,
                    .pairing = NINHO_PAIRING_OFFSET,
                    .limit = search == NINHO_SEARCH_WALK ? 500 : 5000,
                };
                if (slots == NINHO_WINDOWS && (n < 2 || n > 4))
                    continue;
                for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                    print_fill(&configuration, sizes[i] / n * n);
            }
}

void bench_cuckoo(const struct options *options, struct report *report)
{
    if (options->fills) {
        bench_fill();
        return;
    }
    bench_counts(report);
    bench_speed(options, report);
}
