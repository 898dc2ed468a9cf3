/* SPDX-License-Identifier: MIT */
/* Slower stores. A lookup is made to take longer by turning in circles for the delay. Over all words that
 * would take minutes, so it is done on a sample of them, which tells what a delayed lookup really costs.
 * Totals for all words are computed: the time without delay + lookups, counted over all words, x that cost. */
#include <stdio.h>
#include <stdlib.h>

#include "04-hyphenation-stores/parts.h"
#include "harness/fail.h"
#include "harness/timing.h"

static const double delays_us[] = {0, 1, 10, 100, 1000};
enum { N_DELAYS = sizeof delays_us / sizeof delays_us[0] };

/* Which filters are before the slow store. */
static const struct {
    const char *name;
    ninho_kind kind; /* 0: none */
    double fpr;
} filters[] = {
    {"no filter", 0, 0},
    {"bloom 1 %", NINHO_BLOOM, .01},
    {"bloom 20 %", NINHO_BLOOM, .2},
    {"cuckoo 1 %", NINHO_CUCKOO, .01},
    {"blocked 1 %", NINHO_BLOCKED, .01},
    {"fuse 1 %", NINHO_FUSE, .01},
};
enum { N_SLOW_FILTERS = sizeof filters / sizeof filters[0] };

enum { ALL_NS, ALL_LOOKUPS, COST_NS, SAMPLE_WORDS, SAMPLE_LOOKUPS };

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    (void)context;
    snprintf(text, VARIANT_TEXT, "%s %g us", filters[variant / N_DELAYS].name,
             delays_us[variant % N_DELAYS]);
}

/* Asking for processor time takes a good part of a microsecond itself; short delays go by the cheaper
 * clock, long ones must not be shortened by somebody else's time. */
static void turn_in_circles(double seconds)
{
    double (*const clock)(void) = seconds < 5e-5 ? seconds_elapsed : seconds_of_thread;
    const double end = clock() + seconds;

    while (clock() < end) {
    }
}

/* As many words as make about 50 ms of delay, spread evenly over all. */
static size_t n_sampled(const struct stores_experiment *e, size_t f, double delay_us)
{
    const double share = filters[f].kind ? filters[f].fpr : 1;
    const double n_lookups =
        (double)study_pick(e->study, 500, 50000, 200000) / (delay_us > 1 ? delay_us : 1);
    const double n = (n_lookups > 4 ? n_lookups : 4) / share;

    return n < (double)e->data.n_words ? (size_t)n : e->data.n_words;
}

/* Hyphenates every step-th word, n of them, with a delay after each lookup; returns seconds. */
static double pass_delayed(const struct stores_experiment *e,
                           const struct hyphen_engine *engine, size_t n, double delay,
                           uint64_t *n_lookups)
{
    const size_t step = e->data.n_words / n;
    char out[1024];

    ninho_hyphenator_reset_counters(engine->hyphenator);
    *n_lookups = 0;
    const double start = seconds_of_thread();
    for (size_t i = 0; i < n; i++) {
        const struct word *word = &e->data.words[i * step];
        (void)ninho_hyphenator_write(engine->hyphenator, word->text, word->length, "-", 1,
                                     out, sizeof out);
        const uint64_t now = ninho_hyphenator_counters(engine->hyphenator).lookups;
        if (now != *n_lookups && delay > 0)
            turn_in_circles(delay);
        *n_lookups = now;
    }
    return seconds_of_thread() - start;
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    const struct stores_experiment *e = context;
    const size_t f = variant / N_DELAYS;
    const double delay_us = delays_us[variant % N_DELAYS];
    const size_t n = n_sampled(e, f, delay_us);
    struct hyphen_way way = {.store = HYPHEN_IN_MEMORY};
    ninho_hyphen_counters counters;
    uint64_t n_lookups;
    uint64_t n_again;

    if (filters[f].kind)
        way.filter = hyphen_filter(&e->data, filters[f].kind, filters[f].fpr,
                                   e->study->seed + repetition);
    struct hyphen_engine engine = hyphen_attach(&e->data, &way, NULL);
    values[ALL_NS] = 1e9 * hyphen_pass(&e->data, &engine, &counters);
    values[ALL_LOOKUPS] = (double)counters.lookups;
    const double without = pass_delayed(e, &engine, n, 0, &n_lookups);
    const double with = pass_delayed(e, &engine, n, 1e-6 * delay_us, &n_again);
    if (n_lookups != n_again)
        fail("%s: lookups that come and go", filters[f].name);
    values[COST_NS] =
        n_lookups && delay_us > 0 ? 1e9 * (with - without) / (double)n_lookups : 0;
    values[SAMPLE_WORDS] = (double)n;
    values[SAMPLE_LOOKUPS] = (double)n_lookups;
    hyphen_stop(&engine);
}

/* Seconds for all words, by repetition: without delay, and what the lookups cost on top. */
static struct interval computed_total(const struct samples *samples, size_t v)
{
    double *totals = allocate(samples->n_repetitions, sizeof *totals);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        const double *at = samples_at(samples, v, r);
        totals[r] = 1e-9 * (at[ALL_NS] + at[ALL_LOOKUPS] * at[COST_NS]);
    }
    const struct interval interval = median_interval(totals, samples->n_repetitions);
    free(totals);
    return interval;
}

static void write_row(const struct samples *samples, struct csv *csv, size_t f, size_t d)
{
    const size_t v = f * N_DELAYS + d;
    const double all_ns = samples_median(samples, f * N_DELAYS, ALL_NS).value;
    const double n_lookups = samples_median(samples, v, ALL_LOOKUPS).value;

    csv_text(csv, filters[f].name);
    csv_number(csv, delays_us[d]);
    csv_number(csv, n_lookups);
    stores_put_interval(csv, scaled(samples_median(samples, v, COST_NS), 1e-3));
    csv_number(csv, samples_median(samples, v, SAMPLE_WORDS).value);
    csv_number(csv, samples_median(samples, v, SAMPLE_LOOKUPS).value);
    stores_put_interval(csv, computed_total(samples, v));
    csv_number(csv, 1e-9 * all_ns + 1e-6 * delays_us[d] * n_lookups);
    csv_end_row(csv);
}

void stores_delay(const struct stores_experiment *e, struct answer *answer)
{
    const struct sampling sampling = {
        .name = "samples-delay",
        .fields = "all_ns,all_lookups,cost_ns,sample_words,sample_lookups",
        .n_variants = N_SLOW_FILTERS * N_DELAYS,
        .n_repetitions = study_pick(e->study, 2, 7, 15),
        .describe = describe,
        .measure = measure,
        .context = (void *)e,
    };
    struct samples samples = samples_take(e->study, e->folder, &sampling);
    char path[HYPHEN_PATH];
    snprintf(path, sizeof path, "%sdelay.csv", e->folder);
    struct csv *csv =
        csv_open(path, "filter,delay_us,n_lookups,cost_us,cost_us_low,cost_us_high,"
                       "n_sampled,n_sampled_lookups,total_s,total_s_low,total_s_high,"
                       "ideal_s");
    struct table *table = answer_add_table(
        answer, "Seconds for all words, computed, if a lookup takes longer by",
        "filter|lookups|0|1 µs|10 µs|100 µs|1 ms");

    for (size_t f = 0; f < N_SLOW_FILTERS; f++) {
        char(*row)[CELL_TEXT] = table_add_row(table);
        snprintf(row[0], CELL_TEXT, "%s", filters[f].name);
        snprintf(row[1], CELL_TEXT, "%.0f",
                 samples_median(&samples, f * N_DELAYS, ALL_LOOKUPS).value);
        for (size_t d = 0; d < N_DELAYS; d++) {
            write_row(&samples, csv, f, d);
            snprintf(row[2 + d], CELL_TEXT, "%.3g",
                     computed_total(&samples, f * N_DELAYS + d).value);
        }
    }
    csv_close(csv);
    samples_free(&samples);
}
