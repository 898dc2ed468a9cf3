/* SPDX-License-Identifier: MIT */
/* The monograph's experiment: exceptions of hyphenation behind a Bloom filter and behind a cuckoo
 * filter, at twenty rates. Two series:
 *
 *     init         everything up to the first word: read, compile, fill the store, build the filter;
 *                  and building the filter alone
 *     dictionary   all words hyphenated, and what the store was asked meanwhile
 *
 * A *variant* is one filter at one rate; the filter has another seed in every repetition, so that the
 * mean of its false positives can be compared with theory. */
#include "03-hyphenation/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/hyphenation.h"
#include "harness/progress.h"
#include "harness/rates.h"
#include "harness/samples.h"
#include "harness/timing.h"

const struct figure hyphenation_figures[] = {
    {.name = "init-bloom",
     .script = "by-rate",
     .set = "filter='bloom'; quantity='init'; hue=1",
     .of = "monograph, figure 5.1",
     .caption = "Initialisation with a Bloom filter against its rate. Coloured: medians "
                "with order-statistic intervals, and the line through them. Grey: means "
                "with Student's intervals. All cover 95 %.",
     .rows = "A1c"},
    {.name = "total-bloom",
     .script = "by-rate",
     .set = "filter='bloom'; quantity='total'; hue=1",
     .of = "monograph, figure 5.2",
     .caption = "All words hyphenated behind a Bloom filter against its rate. Coloured: "
                "medians with order-statistic intervals, and the line through them. "
                "Grey: means with Student's intervals. All cover 95 %.",
     .rows = "A2c"},
    {.name = "init-cuckoo",
     .script = "by-rate",
     .set = "filter='cuckoo'; quantity='init'; hue=2",
     .of = "monograph, figure 5.3",
     .caption = "Initialisation with a cuckoo filter, as it was published, against its "
                "rate. Coloured: medians with order-statistic intervals, and the line "
                "through them. Grey: means with Student's intervals. All cover 95 %.",
     .rows = "A3c"},
    {.name = "total-cuckoo",
     .script = "by-rate",
     .set = "filter='cuckoo'; quantity='total'; hue=2",
     .of = "monograph, figure 5.4",
     .caption =
         "All words hyphenated behind a cuckoo filter, as it was published, against its "
         "rate. Coloured: medians with order-statistic intervals, and the line through "
         "them. Grey: means with Student's intervals. All cover 95 %.",
     .rows = "A4c"},
    {.name = "init-both",
     .of = "monograph, figure 5.5",
     .caption = "Above: initialisation with either filter, and with this library's own "
                "cuckoo filter. Below: building the filter alone, the only part that can "
                "depend on its rate. Medians with order-statistic 95 % intervals.",
     .rows = "A5c"},
    {.name = "total-both",
     .of = "monograph, figure 5.6",
     .caption =
         "Above: all words hyphenated behind either filter, and behind this library's "
         "own cuckoo filter. Below: time behind a cuckoo filter over time behind the "
         "Bloom filter, in the same repetition; between the dashed lines they count as "
         "equal. Medians with order-statistic 95 % intervals.",
     .rows = "A6c A7c"},
    {.name = "lookups",
     .caption = "Lookups in vain, counted: words that are no exceptions and for which "
                "the store was asked all the same. Points: mean over the filters' seeds, "
                "with Student's 95 % interval. Lines: theory."},
    {.name = NULL},
};

/* bloom and cuckoo are the monograph's two; the third is the cuckoo filter as this library makes it. */
enum { BLOOM, CUCKOO, OWN_CUCKOO, N_FILTERS };

enum { N_RATES = 20, N_VARIANTS = N_FILTERS * N_RATES };

/* Fields of the two series. */
enum { INIT_NS, FILTER_NS };
enum { TOTAL_NS, ASKED, LOOKUPS, FOUND, FALSE_POSITIVES };

struct experiment {
    const struct study *study;
    struct hyphen_data data;
    uint64_t *hashes; /* scratch, of the exceptions */
    size_t n_builds;  /* filters built in one measurement */
    struct samples init;
    struct samples dictionary;
    struct rates rates;
};

/* The three filters of one rate are measured one after another, so that they meet the same weather; the
 * rates in an order that goes up and down, so that bad weather does not look like a trend in them. */
enum { STRIDE = 7, STRIDE_BACK = 3 }; /* 7 x 3 = 21, which is 1 modulo 20 */

static size_t filter_of(size_t variant)
{
    return variant % N_FILTERS;
}

static size_t percent_of(size_t variant)
{
    return variant / N_FILTERS * STRIDE % N_RATES + 1;
}

static size_t variant_of(size_t filter, size_t percent)
{
    return (percent - 1) * STRIDE_BACK % N_RATES * N_FILTERS + filter;
}

static const char *const filter_names[N_FILTERS] = {"bloom", "cuckoo", "cuckoo (ninho)"};

/* The filter of a variant; its seed is another in every repetition. */
static ninho_spec hyphenation_spec(const struct experiment *e, size_t variant,
                                   size_t repetition)
{
    const double fpr = (double)percent_of(variant) / 100;
    const uint64_t seed = e->study->seed + repetition;

    switch (filter_of(variant)) {
    case BLOOM:
        return hyphen_filter(&e->data, NINHO_BLOOM, fpr, seed);
    case CUCKOO:
        return hyphen_cuckoo_original(&e->data, fpr, seed);
    default:
        return hyphen_filter(&e->data, NINHO_CUCKOO, fpr, seed);
    }
}

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    (void)context;
    snprintf(text, VARIANT_TEXT, "%s %zu %%", filter_names[filter_of(variant)],
             percent_of(variant));
}

/* ---- Measuring ----------------------------------------------------------------------------- */

static double build_seconds(const struct experiment *e, const ninho_spec *spec)
{
    const size_t n = e->data.n_exceptions;
    uint64_t maybe[(4096 + 63) / 64];
    ninho_error error = NINHO_ERROR_INIT;
    double seconds = 0;

    for (size_t i = 0; i < e->n_builds; i++) {
        ninho_filter *filter = NULL;
        const double start = seconds_of_thread();
        if (ninho_filter_build(spec, e->hashes, n, NULL, &filter, &error))
            fail("%s: %s", ninho_kind_name(spec->kind), error.text);
        seconds += seconds_of_thread() - start;
        if (n <= 4096 && ninho_filter_has_many(filter, e->hashes, n, maybe) != n)
            fail("%s: a false negative", ninho_kind_name(spec->kind));
        ninho_filter_free(filter);
    }
    return seconds / (double)e->n_builds;
}

static void measure_init(void *context, size_t variant, size_t repetition, double *values)
{
    const struct experiment *e = context;
    const struct hyphen_way way = {.store = HYPHEN_IN_MEMORY,
                                   .filter = hyphenation_spec(e, variant, repetition)};
    ninho_hyphen_store_info info = NINHO_HYPHEN_STORE_INFO_INIT;

    const double start = seconds_of_thread();
    struct hyphen_engine engine = hyphen_start(&e->data, &way, NULL);
    values[INIT_NS] = 1e9 * (seconds_of_thread() - start);
    if (ninho_hyphen_store_info_of(engine.exceptions, &info) ||
        info.count != e->data.n_exceptions || info.filter != way.filter.kind)
        fail("initialisation: not all exceptions are in the store");
    hyphen_stop(&engine);
    values[FILTER_NS] = 1e9 * build_seconds(e, &way.filter);
}

static void measure_dictionary(void *context, size_t variant, size_t repetition,
                               double *values)
{
    const struct experiment *e = context;
    const struct hyphen_way way = {.store = HYPHEN_IN_MEMORY,
                                   .filter = hyphenation_spec(e, variant, repetition)};
    ninho_hyphen_counters counters;

    struct hyphen_engine engine = hyphen_attach(&e->data, &way, NULL);
    values[TOTAL_NS] = 1e9 * hyphen_pass(&e->data, &engine, &counters);
    values[ASKED] = (double)counters.asked;
    values[LOOKUPS] = (double)counters.lookups;
    values[FOUND] = (double)counters.found;
    values[FALSE_POSITIVES] = (double)counters.false_positives;
    hyphen_stop(&engine);
}

static void take_samples(struct experiment *e, const char *folder)
{
    const struct study *study = e->study;
    const struct sampling init = {
        .name = "samples-init",
        .fields = "init_ns,filter_ns",
        .n_variants = N_VARIANTS,
        .n_repetitions = study_pick(study, 6, 30, 30),
        .warm_up = true,
        .describe = describe,
        .measure = measure_init,
        .context = e,
    };
    const struct sampling dictionary = {
        .name = "samples-dictionary",
        .fields = "total_ns,asked,lookups,found,false_positives",
        .n_variants = N_VARIANTS,
        .n_repetitions = study_pick(study, 6, 25, 30),
        .warm_up = true,
        .describe = describe,
        .measure = measure_dictionary,
        .context = e,
    };

    progress_part(0, 0.25);
    e->init = samples_take(study, folder, &init);
    progress_part(0.25, 1);
    e->dictionary = samples_take(study, folder, &dictionary);
}

/* ---- Results ------------------------------------------------------------------------------- */

static void put_interval(struct csv *csv, struct interval interval)
{
    csv_number(csv, interval.value);
    csv_number(csv, interval.low);
    csv_number(csv, interval.high);
}

static double theory_of(const struct experiment *e, size_t variant)
{
    const ninho_spec spec = hyphenation_spec(e, variant, 0);

    return hyphen_theory(&spec, (double)e->data.n_exceptions);
}

static double bits_per_key_of(const struct experiment *e, size_t variant)
{
    const ninho_spec spec = hyphenation_spec(e, variant, 0);
    ninho_plan plan = NINHO_PLAN_INIT;

    if (ninho_filter_plan(&spec, &plan, NULL))
        fail("no plan");
    return 8 * (double)plan.table_bytes / (double)e->data.n_exceptions;
}

static void write_data(const struct experiment *e, const char *folder)
{
    char path[HYPHEN_PATH];
    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv =
        csv_open(path, "filter,percent,n_words,n_exceptions,init_mean_ms,init_mean_low,"
                       "init_mean_high,init_ms,init_ms_low,init_ms_high,filter_us,"
                       "filter_us_low,filter_us_high,total_mean_ms,total_mean_low,"
                       "total_mean_high,total_ms,total_ms_low,total_ms_high,n_asked,"
                       "n_found,n_false,n_false_low,n_false_high,n_false_theory,"
                       "bits_per_key,ratio,ratio_low,ratio_high");

    for (size_t i = 0; i < N_VARIANTS; i++) {
        const size_t v = variant_of(i / N_RATES, i % N_RATES + 1);
        const double *first = samples_at(&e->dictionary, v, 0);
        const size_t bloom = variant_of(BLOOM, percent_of(v));
        csv_text(csv, filter_names[filter_of(v)]);
        csv_count(csv, percent_of(v));
        csv_count(csv, e->data.n_words);
        csv_count(csv, e->data.n_exceptions);
        put_interval(csv, scaled(samples_mean(&e->init, v, INIT_NS), 1e-6));
        put_interval(csv, scaled(samples_median(&e->init, v, INIT_NS), 1e-6));
        put_interval(csv, scaled(samples_median(&e->init, v, FILTER_NS), 1e-3));
        put_interval(csv, scaled(samples_mean(&e->dictionary, v, TOTAL_NS), 1e-6));
        put_interval(csv, scaled(samples_median(&e->dictionary, v, TOTAL_NS), 1e-6));
        csv_count(csv, (uint64_t)first[ASKED]);
        csv_count(csv, (uint64_t)first[FOUND]);
        put_interval(csv, samples_mean(&e->dictionary, v, FALSE_POSITIVES));
        csv_number(csv, theory_of(e, v) * (first[ASKED] - first[FOUND]));
        csv_number(csv, bits_per_key_of(e, v));
        put_interval(csv, paired_ratio(&e->dictionary, v, bloom, TOTAL_NS));
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void write_line(struct csv *csv, const char *filter, const char *quantity,
                       const struct line *line)
{
    csv_text(csv, filter);
    csv_text(csv, quantity);
    csv_number(csv, 1e-6 * line->intercept.value);
    put_interval(csv, scaled(line->slope, 1e-6));
    csv_end_row(csv);
}

static void write_lines(const struct experiment *e, const char *folder)
{
    char path[HYPHEN_PATH];
    snprintf(path, sizeof path, "%slines.csv", folder);
    struct csv *csv =
        csv_open(path, "filter,quantity,intercept_ms,slope_ms_per_percent,slope_low,"
                       "slope_high");

    for (size_t f = 0; f < N_FILTERS; f++) {
        size_t variants[N_RATES];
        for (size_t i = 0; i < N_RATES; i++)
            variants[i] = variant_of(f, i + 1);
        const struct trend init =
            trend_of(&e->init, variants, e->rates.percents, N_RATES, INIT_NS);
        const struct trend total =
            trend_of(&e->dictionary, variants, e->rates.percents, N_RATES, TOTAL_NS);
        write_line(csv, filter_names[f], "init", &init.line);
        write_line(csv, filter_names[f], "total", &total.line);
    }
    csv_close(csv);
}

static void fill_table(const struct experiment *e, struct answer *answer)
{
    static const size_t percents[] = {1, 2, 3, 5, 10, 20};
    struct table *table = answer_add_table(
        answer, NULL,
        "filter|ε|initialisation, ms|filter alone, µs|dictionary, ms|lookups in "
        "vain|theory|bits per exception");

    for (size_t f = 0; f < N_FILTERS; f++)
        for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
            const size_t v = variant_of(f, percents[i]);
            const double *first = samples_at(&e->dictionary, v, 0);
            const struct interval init =
                scaled(samples_median(&e->init, v, INIT_NS), 1e-6);
            const struct interval filter =
                scaled(samples_median(&e->init, v, FILTER_NS), 1e-3);
            const struct interval total =
                scaled(samples_median(&e->dictionary, v, TOTAL_NS), 1e-6);
            char(*row)[CELL_TEXT] = table_add_row(table);
            snprintf(row[0], CELL_TEXT, "%s", filter_names[f]);
            snprintf(row[1], CELL_TEXT, "%zu %%", percents[i]);
            snprintf(row[2], CELL_TEXT, "%.3f [%.3f, %.3f]", init.value, init.low,
                     init.high);
            snprintf(row[3], CELL_TEXT, "%.1f [%.1f, %.1f]", filter.value, filter.low,
                     filter.high);
            snprintf(row[4], CELL_TEXT, "%.2f [%.2f, %.2f]", total.value, total.low,
                     total.high);
            snprintf(row[5], CELL_TEXT, "%.0f",
                     samples_mean(&e->dictionary, v, FALSE_POSITIVES).value);
            snprintf(row[6], CELL_TEXT, "%.0f",
                     theory_of(e, v) * (first[ASKED] - first[FOUND]));
            snprintf(row[7], CELL_TEXT, "%.2f", bits_per_key_of(e, v));
        }
}

/* The question's own claim: all that figures 5.1 to 5.6 say. */
static void conclude(const struct experiment *e, struct answer *answer)
{
    size_t n_holds = 0;
    size_t n_not = 0;

    for (size_t i = 0; i < answer->n_judgements; i++) {
        answer->verdict = verdict_both(answer->verdict, answer->judgements[i].verdict);
        n_holds += answer->judgements[i].verdict == HOLDS;
        n_not += answer->judgements[i].verdict == DOES_NOT_HOLD;
    }
    const struct interval init = samples_median(&e->init, variant_of(BLOOM, 1), INIT_NS);
    const struct interval small =
        samples_median(&e->dictionary, variant_of(BLOOM, 1), TOTAL_NS);
    const struct interval large =
        samples_median(&e->dictionary, variant_of(BLOOM, N_RATES), TOTAL_NS);
    snprintf(
        answer->summary, sizeof answer->summary,
        "Of the %zu rows that the six figures support, %zu hold and %zu do not. "
        "Initialisation takes %.2f ms, nearly all of it for reading and compiling the "
        "patterns. %zu words take %.1f ms behind a Bloom filter at 1 %% and %.1f ms at "
        "20 %%. Every pass wrote the same bytes as without a filter.",
        answer->n_judgements, n_holds, n_not, 1e-6 * init.value, e->data.n_words,
        1e-6 * small.value, 1e-6 * large.value);
    snprintf(
        answer->setup, sizeof answer->setup,
        "%zu words drawn from Debian's american-english-insane (seed %llu); the %zu "
        "exceptions of ushyphex.tex in a dictionary in memory, behind a filter made for "
        "that many; TeX's patterns for American English. *cuckoo* is the cuckoo filter "
        "as it was published (buckets of 4, power of two, random walk), *cuckoo (ninho)* "
        "this library's. %zu repetitions of the initialisation, %zu of the dictionary, "
        "interleaved, each with another seed of the filter; processor time. Output and "
        "counters are checked in every repetition.",
        e->data.n_words, (unsigned long long)e->study->seed, e->data.n_exceptions,
        e->init.n_repetitions, e->dictionary.n_repetitions);
}

/* Takes an exception out of a store behind the filter; whether the filter forgot it too. */
static bool can_forget(const struct experiment *e, size_t filter)
{
    const struct hyphen_way way = {.store = HYPHEN_IN_MEMORY,
                                   .filter =
                                       hyphenation_spec(e, variant_of(filter, 1), 0)};
    struct hyphen_engine engine = hyphen_start(&e->data, &way, NULL);
    ninho_error said = NINHO_ERROR_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    ninho_hyphen_rules *rules = hyphen_read_exceptions(&e->data);
    char word[NINHO_HYPHEN_MAX_EXCEPTION];

    const size_t length = ninho_hyphen_rules_exception(rules, 0, word, sizeof word);
    if (ninho_hyphen_exceptions_remove(engine.exceptions, word, length, &said, &error))
        fail("%s: %s", word, error.text);
    ninho_hyphen_rules_free(rules);
    hyphen_stop(&engine);
    return said.status == NINHO_OK;
}

/* What the rows are judged by: the library's Bloom filter, and the cuckoo filter as it was published. */
static void list_rates(struct experiment *e)
{
    e->rates = (struct rates){.init = &e->init,
                              .dictionary = &e->dictionary,
                              .init_field = INIT_NS,
                              .dictionary_field = TOTAL_NS,
                              .to_ms = 1e-6,
                              .n = N_RATES,
                              .forgets = {can_forget(e, BLOOM), can_forget(e, CUCKOO)},
                              .suffix = "c"};
    for (size_t i = 0; i < N_RATES; i++) {
        e->rates.percents[i] = (double)(i + 1);
        e->rates.variants[RATES_BLOOM][i] = variant_of(BLOOM, i + 1);
        e->rates.variants[RATES_CUCKOO][i] = variant_of(CUCKOO, i + 1);
    }
}

static void hash_exceptions(struct experiment *e)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = e->study->seed};
    ninho_hyphen_rules *rules = hyphen_read_exceptions(&e->data);
    char word[NINHO_HYPHEN_MAX_EXCEPTION];

    e->hashes = allocate(e->data.n_exceptions, sizeof *e->hashes);
    for (size_t i = 0; i < e->data.n_exceptions; i++) {
        const size_t length = ninho_hyphen_rules_exception(rules, i, word, sizeof word);
        e->hashes[i] = ninho_hash_bytes(&hasher, word, length);
    }
    ninho_hyphen_rules_free(rules);
}

void run_hyphenation(const struct study *study, const char *folder, struct answer *answer)
{
    struct experiment e = {.study = study, .n_builds = study_pick(study, 1, 5, 5)};

    if (!hyphen_data_open(study, study_pick(study, 3000, HYPHEN_WORDS / 4, HYPHEN_WORDS),
                          answer, &e.data)) {
        answer->verdict = OPEN;
        return;
    }
    hash_exceptions(&e);
    take_samples(&e, folder);
    list_rates(&e);
    write_data(&e, folder);
    write_lines(&e, folder);
    rates_judge(&e.rates, answer);
    const struct interval building = rates_usual(&e.rates, &e.init, FILTER_NS);
    answer_add(answer, "A5c",
               " Building the filter alone takes cuckoo %.2f times as long [%.2f, %.2f]: "
               "here most of the initialisation is the compiling of the patterns.",
               building.value, building.low, building.high);
    fill_table(&e, answer);
    conclude(&e, answer);
    samples_free(&e.init);
    samples_free(&e.dictionary);
    free(e.hashes);
    hyphen_data_close(&e.data);
}
