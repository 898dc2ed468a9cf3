/* SPDX-License-Identifier: MIT */
/* The stack of the monograph, run as it was published, beside ours on the same words. stack.js does the
 * JavaScript part, one process for each measurement. */
#include "05-original-stack/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/hyphenation.h"
#include "harness/rates.h"
#include "harness/samples.h"
#include "harness/timing.h"
#include "harness/trend.h"

const struct figure original_stack_figures[] = {
    {.name = "rates",
     .of = "monograph, figures 5.1 to 5.6",
     .caption =
         "The monograph's program as it was published, by the rate of its filter: "
         "milliseconds of the initialisation (above) and for all words (below). Medians "
         "with order-statistic 95 % intervals, and the lines through them.",
     .rows = "A1 A2 A3 A4 A5 A6 A7"},
    {.name = "time",
     .caption =
         "Nanoseconds for a word: npm's hypher with npm's bloom-filters in front of its "
         "exceptions, without a filter, and this library. Medians with order-statistic "
         "intervals."},
    {.name = "lost",
     .caption =
         "Exceptions among the words that are not found, and so hyphenated as if there "
         "were no exceptions. As published, the filter holds \"ta-ble\" and is asked for "
         "\"table\"; put right, it holds what it is asked for. Counted."},
    {.name = "rate",
     .caption =
         "False positive rate measured on the words that are no exceptions, against the "
         "rate that was asked for: the package's two filters, put right, and ours. "
         "Counted."},
    {.name = NULL},
};

enum sort { NODE, NINHO };
enum filter { NO_FILTER, BLOOM, CUCKOO };
static const char *const filter_names[] = {"none", "bloom", "cuckoo"};

/* One stack, with one filter at one rate. */
struct original_variant {
    enum sort sort;
    enum filter filter;
    unsigned percent;
    bool is_published; /* NODE: with the wrong keys in the filter */
};

enum { MAX_VARIANTS = 2 + 20 * 6 };

enum { INIT_MS, TOTAL_MS, MAYBE, FOUND, LOST, DENIED, FORGETS, ABSENT };

struct original_experiment {
    const struct study *study;
    struct hyphen_data data;
    char script[HYPHEN_PATH];
    char modules[HYPHEN_PATH];
    char words[HYPHEN_PATH];
    char exceptions[HYPHEN_PATH];
    struct original_variant variants[MAX_VARIANTS];
    size_t n_variants;
    struct rates rates;
    double n_present; /* exceptions among the words */
};

static const char *manner_of(const struct original_variant *v)
{
    return v->sort == NINHO || v->filter == NO_FILTER ? ""
           : v->is_published                          ? "published"
                                                      : "right";
}

/* ---- Node ---------------------------------------------------------------------------------- */

/* Runs node with these arguments and reads the first line that it prints. False if it did not exit
 * with 0. */
static bool run_node(const char *modules, char *const *arguments, char *line, size_t size)
{
    int ends[2];
    int status;

    fflush(NULL);
    if (pipe(ends))
        fail("pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child < 0)
        fail("fork: %s", strerror(errno));
    if (child == 0) {
        if (dup2(ends[1], STDOUT_FILENO) < 0 || setenv("NODE_PATH", modules, 1))
            _exit(127);
        close(ends[0]);
        close(ends[1]);
        execvp("node", arguments);
        _exit(127);
    }
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    if (!output)
        fail("fdopen: %s", strerror(errno));
    line[0] = '\0';
    const bool is_read = fgets(line, (int)size, output) != NULL;
    fclose(output);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            fail("waitpid: %s", strerror(errno));
    return is_read && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Whether node and the packages are there; says so in the answer if not. */
static bool find_node(struct original_experiment *e, struct answer *answer)
{
    char *const arguments[] = {
        "node", "-e",
        "for (const p of ['hypher', 'hyphenation.en-us', 'bloom-filters']) require(p); "
        "console.log(process.version)",
        NULL};
    char line[200];

    snprintf(e->modules, sizeof e->modules, "%s/../npm/node_modules", e->study->data_dir);
    snprintf(e->script, sizeof e->script, "%s/05-original-stack/stack.js",
             e->study->source_dir);
    /* node says at length what it misses: that is not for the reader of the study */
    if (access(e->modules, R_OK) == 0 && access(e->script, R_OK) == 0 &&
        run_node(e->modules, arguments, line, sizeof line))
        return true;
    answer_miss(
        answer, "make study WITH=npm",
        "Node with npm's hypher and bloom-filters: the original stack is not run");
    return false;
}

static void measure_node(const struct original_experiment *e,
                         const struct original_variant *v, double *values)
{
    char rate[32];
    char line[400];
    snprintf(rate, sizeof rate, "%g", v->percent / 100.0);
    char script[HYPHEN_PATH];
    char words[HYPHEN_PATH];
    char exceptions[HYPHEN_PATH];
    char filter[16];
    char manner[16];
    snprintf(script, sizeof script, "%s", e->script);
    snprintf(words, sizeof words, "%s", e->words);
    snprintf(exceptions, sizeof exceptions, "%s", e->exceptions);
    snprintf(filter, sizeof filter, "%s", filter_names[v->filter]);
    snprintf(manner, sizeof manner, "%s", v->is_published ? "published" : "right");
    char *const arguments[] = {"node", script, words,  exceptions,
                               filter, rate,   manner, NULL};

    if (!run_node(e->modules, arguments, line, sizeof line))
        fail("%s: node failed", e->script);
    char *at = line;
    for (size_t field = INIT_MS; field <= FORGETS; field++) {
        char *end;
        values[field] = strtod(at, &end);
        if (end == at)
            fail("%s: said '%s'", e->script, line);
        at = end;
    }
    values[ABSENT] = (double)e->data.n_words - values[FOUND] - values[LOST];
    if (!(values[TOTAL_MS] > 0) || values[FOUND] > values[MAYBE])
        fail("%s: said '%s'", e->script, line);
}

/* ---- Ours ---------------------------------------------------------------------------------- */

static void measure_ninho(const struct original_experiment *e,
                          const struct original_variant *v, size_t repetition,
                          double *values)
{
    const double fpr = v->percent / 100.0;
    const uint64_t seed = e->study->seed + repetition;
    struct hyphen_way way = {.store = HYPHEN_IN_MEMORY};
    ninho_hyphen_counters counters;

    if (v->filter == BLOOM)
        way.filter = hyphen_filter(&e->data, NINHO_BLOOM, fpr, seed);
    if (v->filter == CUCKOO)
        way.filter = hyphen_cuckoo_original(&e->data, fpr, seed);
    const double start = seconds_of_thread();
    struct hyphen_engine engine = hyphen_start(&e->data, &way, NULL);
    values[INIT_MS] = 1e3 * (seconds_of_thread() - start);
    values[TOTAL_MS] = 1e3 * hyphen_pass(&e->data, &engine, &counters);
    values[MAYBE] = (double)counters.lookups;
    values[FOUND] = (double)counters.found;
    values[LOST] =
        0; /* hyphen_pass has compared the output with that of the exact dictionary */
    values[DENIED] = 0;
    values[FORGETS] = 0;
    values[ABSENT] = (double)(counters.asked - counters.found);
    hyphen_stop(&engine);
}

/* ---- Both ---------------------------------------------------------------------------------- */

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct original_experiment *e = context;
    const struct original_variant *v = &e->variants[variant];

    snprintf(text, VARIANT_TEXT, "%s %s %u %% %s", v->sort == NODE ? "npm" : "ninho",
             filter_names[v->filter], v->percent, manner_of(v));
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    const struct original_experiment *e = context;
    const struct original_variant *v = &e->variants[variant];

    if (v->sort == NODE)
        measure_node(e, v, values);
    else
        measure_ninho(e, v, repetition, values);
}

/* Every stack without a filter first, then the rates: as published at all twenty (five in a tiny run), put right
 * and ours at 1 % and 20 %, in a full run at all. */
static void list_variants(struct original_experiment *e)
{
    static const unsigned tiny[] = {1, 2, 3, 10, 20};
    const bool is_tiny = e->study->size == STUDY_TINY;
    struct original_variant *at = e->variants;

    *at++ = (struct original_variant){.sort = NODE};
    *at++ = (struct original_variant){.sort = NINHO};
    for (size_t i = 0; i < (is_tiny ? sizeof tiny / sizeof tiny[0] : MAX_RATES); i++) {
        /* Up and down, so that bad weather does not look like a trend: 7 has no divisor in common with 20. */
        const unsigned percent = is_tiny ? tiny[i] : (unsigned)(7 * i % MAX_RATES + 1);
        const bool is_end = percent == 1 || percent == 20;
        for (enum filter f = BLOOM; f <= CUCKOO; f++) {
            *at++ = (struct original_variant){NODE, f, percent, true};
            if (!is_end && e->study->size != STUDY_FULL)
                continue;
            *at++ = (struct original_variant){NODE, f, percent, false};
            *at++ = (struct original_variant){NINHO, f, percent, false};
        }
    }
    e->n_variants = (size_t)(at - e->variants);
}

static size_t find(const struct original_experiment *e, enum sort sort,
                   enum filter filter, unsigned percent, bool is_published)
{
    for (size_t v = 0; v < e->n_variants; v++)
        if (e->variants[v].sort == sort && e->variants[v].filter == filter &&
            e->variants[v].percent == percent &&
            e->variants[v].is_published == is_published)
            return v;
    fail("no such stack");
}

/* The monograph's rows are judged on its program as it was published. */
static void list_rates(struct original_experiment *e, const struct samples *samples)
{
    struct rates *rates = &e->rates;

    *rates = (struct rates){.init = samples,
                            .dictionary = samples,
                            .init_field = INIT_MS,
                            .dictionary_field = TOTAL_MS,
                            .to_ms = 1,
                            .suffix = ""};
    for (unsigned percent = 1; percent <= MAX_RATES; percent++) {
        size_t bloom = SIZE_MAX;
        for (size_t v = 0; v < e->n_variants; v++)
            if (e->variants[v].filter == BLOOM && e->variants[v].is_published &&
                e->variants[v].percent == percent)
                bloom = v;
        if (bloom == SIZE_MAX)
            continue;
        rates->percents[rates->n] = percent;
        rates->variants[RATES_BLOOM][rates->n] = bloom;
        rates->variants[RATES_CUCKOO][rates->n++] = find(e, NODE, CUCKOO, percent, true);
    }
    for (size_t f = 0; f < N_RATE_FILTERS; f++)
        rates->forgets[f] = samples_at(samples, rates->variants[f][0], 0)[FORGETS] > 0;
}

/* ---- Results ------------------------------------------------------------------------------- */

static void put_interval(struct csv *csv, struct interval interval)
{
    csv_number(csv, interval.value);
    csv_number(csv, interval.low);
    csv_number(csv, interval.high);
}

static void write_data(const struct original_experiment *e, const struct samples *samples,
                       const char *folder)
{
    const double per_word = 1e6 / (double)e->data.n_words;
    char path[HYPHEN_PATH];
    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "stack,filter,manner,percent,n_words,n_exceptions,n_present,init_ms,"
              "init_ms_low,init_ms_high,word_ns,word_ns_low,word_ns_high,n_maybe,n_found,"
              "n_lost,n_false,n_absent,n_keys_denied");

    for (size_t i = 0; i < e->n_variants; i++) {
        const struct original_variant *v = &e->variants[i];
        const double *first = samples_at(samples, i, 0);
        csv_text(csv, v->sort == NODE ? "npm" : "ninho");
        csv_text(csv, filter_names[v->filter]);
        csv_text(csv, manner_of(v));
        csv_count(csv, v->percent);
        csv_count(csv, e->data.n_words);
        csv_count(csv, e->data.n_exceptions);
        csv_count(csv, (uint64_t)(first[FOUND] + first[LOST]));
        put_interval(csv, samples_median(samples, i, INIT_MS));
        put_interval(csv, scaled(samples_median(samples, i, TOTAL_MS), per_word));
        csv_count(csv, (uint64_t)first[MAYBE]);
        csv_count(csv, (uint64_t)first[FOUND]);
        csv_count(csv, (uint64_t)first[LOST]);
        csv_count(csv, v->filter ? (uint64_t)(first[MAYBE] - first[FOUND]) : 0);
        csv_count(csv, (uint64_t)first[ABSENT]);
        csv_count(csv, (uint64_t)first[DENIED]);
        csv_end_row(csv);
    }
    csv_close(csv);
}

/* lines.csv, as of 03-hyphenation. */
static void write_lines(const struct original_experiment *e,
                        const struct samples *samples, const char *folder)
{
    static const struct {
        const char *quantity;
        size_t field;
    } series[] = {{"init", INIT_MS}, {"total", TOTAL_MS}};
    char path[HYPHEN_PATH];
    snprintf(path, sizeof path, "%slines.csv", folder);
    struct csv *csv =
        csv_open(path, "filter,quantity,intercept_ms,slope_ms_per_percent,slope_low,"
                       "slope_high");

    for (size_t f = 0; f < N_RATE_FILTERS; f++)
        for (size_t i = 0; i < 2; i++) {
            const struct line line =
                rates_trend(&e->rates, samples, f, series[i].field).line;
            csv_text(csv, filter_names[BLOOM + f]);
            csv_text(csv, series[i].quantity);
            csv_number(csv, line.intercept.value);
            put_interval(csv, line.slope);
            csv_end_row(csv);
        }
    csv_close(csv);
}

static void fill_table(const struct original_experiment *e, const struct samples *samples,
                       struct answer *answer)
{
    struct table *table = answer_add_table(answer, NULL,
                                           "stack|filter|manner|ε|initialisation, ms|ns "
                                           "a word|exceptions lost|false positives|own "
                                           "keys denied");

    for (size_t i = 0; i < e->n_variants; i++) {
        const struct original_variant *v = &e->variants[i];
        const double *first = samples_at(samples, i, 0);
        char(*row)[CELL_TEXT] = table_add_row(table);
        snprintf(row[0], CELL_TEXT, "%s", v->sort == NODE ? "npm" : "ninho");
        snprintf(row[1], CELL_TEXT, "%s", filter_names[v->filter]);
        snprintf(row[2], CELL_TEXT, "%s", manner_of(v));
        if (v->filter)
            snprintf(row[3], CELL_TEXT, "%u %%", v->percent);
        snprintf(row[4], CELL_TEXT, "%.1f", samples_median(samples, i, INIT_MS).value);
        snprintf(row[5], CELL_TEXT, "%.0f",
                 1e6 * samples_median(samples, i, TOTAL_MS).value /
                     (double)e->data.n_words);
        snprintf(row[6], CELL_TEXT, "%.0f of %.0f", first[LOST],
                 first[FOUND] + first[LOST]);
        if (v->filter)
            snprintf(row[7], CELL_TEXT, "%.2f %%",
                     100 * (first[MAYBE] - first[FOUND]) / first[ABSENT]);
        if (v->filter)
            snprintf(row[8], CELL_TEXT, "%.0f", first[DENIED]);
    }
}

/* The claim: it answers as the exact dictionary does, and the filter makes it faster. */
static void conclude(const struct original_experiment *e, const struct samples *samples,
                     struct answer *answer)
{
    const size_t published = find(e, NODE, BLOOM, 1, true);
    const size_t cuckoo = find(e, NODE, CUCKOO, 1, false);
    const size_t cuckoo20 = find(e, NODE, CUCKOO, 20, false);
    const struct interval slower = paired_ratio(samples, published, 0, TOTAL_MS);
    const struct interval ours =
        paired_ratio(samples, published, find(e, NINHO, BLOOM, 1, false), TOTAL_MS);
    const double lost = samples_at(samples, published, 0)[LOST];
    const double *at20 = samples_at(samples, cuckoo20, 0);

    answer->verdict =
        verdict_both(lost > 0 ? DOES_NOT_HOLD : HOLDS, verdict_ratio_below(&slower));
    snprintf(
        answer->summary, sizeof answer->summary,
        "As published, at 1 %%, %.0f of the %.0f exceptions among the words are lost: "
        "the filter holds them with their hyphens. Its Bloom filter makes the JavaScript "
        "%.1f times as slow as no filter [%.1f, %.1f]. With the right keys in it, the "
        "package's cuckoo filter denies %.0f of its %zu keys at 1 %%, and at 20 %% takes "
        "%.1f %% of other words for members. Ours loses nothing and takes 1/%.0f of the "
        "time of the published stack [1/%.0f, 1/%.0f].",
        lost, e->n_present, slower.value, slower.low, slower.high,
        samples_at(samples, cuckoo, 0)[DENIED], e->data.n_exceptions,
        100 * (at20[MAYBE] - at20[FOUND]) / at20[ABSENT], ours.value, ours.high,
        ours.low);
    snprintf(answer->setup, sizeof answer->setup,
             "npm's hypher 0.2.5, hyphenation.en-us 0.2.1 and bloom-filters 3.0.4 under "
             "Node, one process for each measurement, its compiler warmed up; %zu words "
             "drawn from Debian's american-english-insane (seed %llu), the %zu "
             "exceptions of ushyphex.tex in a Map. Ours: the same words, exceptions in a "
             "dictionary in memory, the cuckoo filter as it was published; it finds more "
             "exceptions among them, for it knows “table's” by its first run of letters, "
             "as TeX does. %zu repetitions, interleaved.",
             e->data.n_words, (unsigned long long)e->study->seed, e->data.n_exceptions,
             samples->n_repetitions);
}

void run_original_stack(const struct study *study, const char *folder,
                        struct answer *answer)
{
    struct original_experiment *e = allocate(1, sizeof *e);

    e->study = study;
    answer->verdict = OPEN;
    if (!find_node(e, answer) ||
        !hyphen_data_open(study, study_pick(study, 2000, 20000, HYPHEN_WORDS), answer,
                          &e->data)) {
        free(e);
        return;
    }
    snprintf(e->words, sizeof e->words, "%swords.txt", folder);
    snprintf(e->exceptions, sizeof e->exceptions, "%sexceptions.txt", folder);
    hyphen_write_words(&e->data, e->words);
    hyphen_write_exceptions(&e->data, e->exceptions);
    list_variants(e);
    const struct sampling sampling = {
        .name = "samples",
        .fields = "init_ms,total_ms,maybe,found,lost,keys_denied,forgets,absent",
        .n_variants = e->n_variants,
        .n_repetitions = study_pick(study, 6, 6, 30),
        .describe = describe,
        .measure = measure,
        .context = e,
    };
    struct samples samples = samples_take(study, folder, &sampling);
    /* without a filter every exception among the words is found */
    e->n_present = samples_at(&samples, 0, 0)[FOUND];
    list_rates(e, &samples);
    write_data(e, &samples, folder);
    write_lines(e, &samples, folder);
    fill_table(e, &samples, answer);
    rates_judge(&e->rates, answer);
    conclude(e, &samples, answer);
    samples_free(&samples);
    unlink(e->words);
    unlink(e->exceptions);
    hyphen_data_close(&e->data);
    free(e);
}
