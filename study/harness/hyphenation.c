/* SPDX-License-Identifier: MIT */
#include "harness/hyphenation.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/hyphen/languages.h"
#include "harness/fail.h"
#include "harness/timing.h"

#define LANGUAGE "en-us"
#define PATTERNS \
    "librust-hyphenation-dev/usr/share/cargo/registry/hyphenation-0.7.1/patterns"
#define EXCEPTIONS \
    "texlive-base/usr/share/texlive/texmf-dist/tex/generic/hyphenex/ushyphex.tex"
#define WORDS "wamerican-insane/usr/share/dict/american-english-insane"

/* ---- Data ---------------------------------------------------------------------------------- */

static bool is_there(const char *path, struct answer *answer, const char *name)
{
    if (access(path, R_OK) == 0)
        return true;
    char command[80];
    snprintf(command, sizeof command, "tools/fetch-data %s && make study", name);
    answer_miss(answer, command, "%s: hyphenation is not measured", name);
    return false;
}

/* Some of the words, in their order: each is taken with the probability that fills the sample. */
static void draw_words(struct hyphen_data *data, uint64_t seed, size_t n_wanted)
{
    const struct word_set *set = &data->set;

    if (n_wanted > set->n)
        n_wanted = set->n;
    data->words = allocate(n_wanted, sizeof *data->words);
    for (size_t i = 0; i < set->n && data->n_words < n_wanted; i++)
        if (mix64(mix64(seed) ^ i) % (set->n - i) < n_wanted - data->n_words)
            data->words[data->n_words++] = set->words[i];
}

static void make_room(struct hyphen_data *data)
{
    for (size_t i = 0; i < data->n_words; i++)
        data->room += ninho_hyphen_bound(data->words[i].length, 1) + 1;
    data->output = allocate(data->room, 1);
}

static ninho_hyphen_rules *new_rules(void)
{
    ninho_hyphen_rules *rules = NULL;

    if (ninho_hyphen_rules_create(NULL, &rules))
        fail("no memory for rules");
    return rules;
}

static void add_exceptions(const struct hyphen_data *data, ninho_hyphen_rules *rules)
{
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_hyphen_rules_read_file(rules, NINHO_HYPHEN_TEX, data->exceptions, &error))
        fail("%s", error.text);
}

ninho_hyphen_rules *hyphen_read_exceptions(const struct hyphen_data *data)
{
    ninho_hyphen_rules *rules = new_rules();

    add_exceptions(data, rules);
    return rules;
}

static ninho_hyphen_rules *read_all_rules(const struct hyphen_data *data,
                                          ninho_hyphen_minima *minima)
{
    ninho_hyphen_rules *rules = new_rules();
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_hyphen_read_language(rules, data->patterns, LANGUAGE,
                                   NINHO_HYPHEN_LIST_NONE, minima, &error))
        fail("%s", error.text);
    add_exceptions(data, rules);
    return rules;
}

static ninho_hyphen_language *compile(const ninho_hyphen_rules *rules,
                                      ninho_hyphen_minima minima,
                                      ninho_hyphen_inclusion inclusion)
{
    ninho_hyphen_options how = NINHO_HYPHEN_OPTIONS_INIT;
    ninho_hyphen_language *language = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    how.name = LANGUAGE;
    how.minima = minima;
    how.exceptions = inclusion;
    if (ninho_hyphen_compile(rules, &how, NULL, &language, &error))
        fail("%s", error.text);
    return language;
}

/* A stretch of words is this long: some tenths of a millisecond. */
enum { STRETCH = 4096 };

/* Hyphenates all words; returns the size of the output. Where a stretch took less time than
 * seconds[its number] says, that is set right. */
static size_t hyphenate_all(const struct hyphen_data *data,
                            const struct hyphen_engine *engine, double *seconds)
{
    char *out = data->output;
    char *const end = out + data->room;

    for (size_t from = 0; from < data->n_words; from += STRETCH) {
        const size_t to = data->n_words - from < STRETCH ? data->n_words : from + STRETCH;
        const double start = seconds_of_thread();
        for (size_t i = from; i < to; i++) {
            const struct word *word = &data->words[i];
            out += ninho_hyphenator_write(engine->hyphenator, word->text, word->length,
                                          "-", 1, out, (size_t)(end - out));
            *out++ = '\n';
        }
        const double took = seconds_of_thread() - start;
        if (took < seconds[from / STRETCH])
            seconds[from / STRETCH] = took;
    }
    return (size_t)(out - data->output);
}

/* Room for the seconds of each stretch, all of them forever. */
static double *new_stretches(const struct hyphen_data *data)
{
    const size_t n = data->n_words / STRETCH + 1;
    double *seconds = allocate(n, sizeof *seconds);

    for (size_t i = 0; i < n; i++)
        seconds[i] = INFINITY;
    return seconds;
}

static uint64_t sum_of(const struct hyphen_data *data, size_t size)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = 1};

    return ninho_hash_bytes(&hasher, data->output, size);
}

/* What must come out, from the two ways that have neither a store nor a filter. */
static void note_sums(struct hyphen_data *data)
{
    for (int with = 0; with < 2; with++) {
        const struct hyphen_way way = {.store = with ? HYPHEN_COMPILED : HYPHEN_NOWHERE};
        struct hyphen_engine engine = hyphen_start(data, &way, NULL);
        double *stretches = new_stretches(data);
        const uint64_t sum = sum_of(data, hyphenate_all(data, &engine, stretches));
        free(stretches);
        *(with ? &data->sum_with : &data->sum_without) = sum;
        hyphen_stop(&engine);
    }
}

bool hyphen_data_open(const struct study *study, size_t n_words, struct answer *answer,
                      struct hyphen_data *data)
{
    char words[HYPHEN_PATH];

    *data = (struct hyphen_data){.n_words = 0};
    snprintf(words, sizeof words, "%s/" WORDS, study->data_dir);
    snprintf(data->patterns, sizeof data->patterns, "%s/" PATTERNS, study->data_dir);
    snprintf(data->exceptions, sizeof data->exceptions, "%s/" EXCEPTIONS,
             study->data_dir);
    /* all three are asked for, so that all that are missing are told */
    const bool has_words = is_there(words, answer, "words");
    const bool has_patterns = is_there(data->patterns, answer, "patterns");
    const bool has_exceptions = is_there(data->exceptions, answer, "ushyphex");
    if (!has_words || !has_patterns || !has_exceptions)
        return false;
    data->set = words_read(words);
    draw_words(data, study->seed, n_words);
    make_room(data);
    ninho_hyphen_minima minima;
    data->rules = read_all_rules(data, &minima);
    data->n_exceptions = ninho_hyphen_rules_count_exceptions(data->rules);
    data->patterns_only = compile(data->rules, minima, NINHO_HYPHEN_LEFT_OUT);
    note_sums(data);
    return true;
}

void hyphen_data_close(struct hyphen_data *data)
{
    words_free(&data->set);
    ninho_hyphen_rules_free(data->rules);
    ninho_hyphen_language_free(data->patterns_only);
    free(data->words);
    free(data->output);
}

static FILE *open_for_writing(const char *path)
{
    FILE *file = fopen(path, "wb");

    if (!file)
        fail("%s: %s", path, strerror(errno));
    return file;
}

static void close_written(FILE *file, const char *path)
{
    if (ferror(file) | fclose(file))
        fail("%s: could not be written", path);
}

void hyphen_write_exceptions(const struct hyphen_data *data, const char *path)
{
    FILE *file = open_for_writing(path);
    ninho_hyphen_rules *rules = hyphen_read_exceptions(data);
    char word[NINHO_HYPHEN_MAX_EXCEPTION];

    for (size_t i = 0; ninho_hyphen_rules_exception(rules, i, word, sizeof word); i++)
        fprintf(file, "%s\n", word);
    ninho_hyphen_rules_free(rules);
    close_written(file, path);
}

void hyphen_write_words(const struct hyphen_data *data, const char *path)
{
    FILE *file = open_for_writing(path);

    for (size_t i = 0; i < data->n_words; i++) {
        fwrite(data->words[i].text, 1, data->words[i].length, file);
        fputc('\n', file);
    }
    close_written(file, path);
}

/* ---- Filters ------------------------------------------------------------------------------- */

ninho_spec hyphen_filter(const struct hyphen_data *data, ninho_kind kind, double fpr,
                         uint64_t seed)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = kind;
    spec.capacity = data->n_exceptions;
    spec.fpr = fpr;
    spec.seed = seed;
    return spec;
}

ninho_spec hyphen_cuckoo_original(const struct hyphen_data *data, double fpr,
                                  uint64_t seed)
{
    ninho_spec spec = hyphen_filter(data, NINHO_CUCKOO, fpr, seed);

    ninho_spec_original(&spec);
    return spec;
}

/* Bloom's closed form from the geometry; the others know theirs best. */
double hyphen_theory(const ninho_spec *spec, double n)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_filter_plan(spec, &plan, &error))
        fail("%s: %s", ninho_kind_name(spec->kind), error.text);
    if (spec->kind != NINHO_BLOOM)
        return plan.fpr_expected;
    return pow(-expm1(plan.n_hashes * n * log1p(-1 / (double)plan.n_cells)),
               plan.n_hashes);
}

/* ---- Engines ------------------------------------------------------------------------------- */

/* The store and its filter, where the way has one, and the hyphenator. */
static void equip(struct hyphen_engine *engine, const ninho_hyphen_rules *rules,
                  const struct hyphen_way *way, const char *lmdb)
{
    ninho_hyphen_store_options store = NINHO_HYPHEN_STORE_OPTIONS_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    engine->store = way->store;
    store.store = way->store == HYPHEN_IN_LMDB ? NINHO_HYPHEN_LMDB : NINHO_HYPHEN_DICT;
    store.path = way->store == HYPHEN_IN_LMDB ? lmdb : NULL;
    store.filter = way->filter;
    if ((way->store == HYPHEN_IN_MEMORY || way->store == HYPHEN_IN_LMDB) &&
        ninho_hyphen_exceptions_create(&store, rules, NULL, &engine->exceptions, &error))
        fail("exceptions: %s", error.text);
    if (ninho_hyphenator_create(engine->language, engine->exceptions, NULL,
                                &engine->hyphenator, &error))
        fail("hyphenator: %s", error.text);
}

struct hyphen_engine hyphen_start(const struct hyphen_data *data,
                                  const struct hyphen_way *way, const char *lmdb)
{
    ninho_hyphen_minima minima;
    ninho_hyphen_rules *rules = read_all_rules(data, &minima);
    struct hyphen_engine engine = {.language = compile(rules, minima,
                                                       way->store == HYPHEN_COMPILED
                                                           ? NINHO_HYPHEN_COMPILED
                                                           : NINHO_HYPHEN_LEFT_OUT)};

    equip(&engine, rules, way, lmdb);
    ninho_hyphen_rules_free(rules);
    return engine;
}

struct hyphen_engine hyphen_attach(const struct hyphen_data *data,
                                   const struct hyphen_way *way, const char *lmdb)
{
    struct hyphen_engine engine = {.language = data->patterns_only, .is_borrowed = true};

    if (way->store == HYPHEN_COMPILED)
        return hyphen_start(data, way, lmdb);
    equip(&engine, data->rules, way, lmdb);
    return engine;
}

void hyphen_stop(struct hyphen_engine *engine)
{
    ninho_hyphenator_free(engine->hyphenator);
    ninho_hyphen_exceptions_free(engine->exceptions);
    if (!engine->is_borrowed)
        ninho_hyphen_language_free(engine->language);
    *engine = (struct hyphen_engine){.store = HYPHEN_NOWHERE};
}

/* The counters must add up, or the numbers drawn from them mean nothing. */
static void check_counters(const struct hyphen_engine *engine,
                           const ninho_hyphen_counters *counters)
{
    ninho_hyphen_store_info info = NINHO_HYPHEN_STORE_INFO_INIT;

    if (!engine->exceptions)
        return;
    if (ninho_hyphen_store_info_of(engine->exceptions, &info))
        fail("the store tells nothing about itself");
    if (counters->asked != counters->lookups + counters->saved ||
        (info.filter && counters->lookups != counters->found + counters->false_positives))
        fail("hyphenation: the counters do not add up");
}

double hyphen_pass(const struct hyphen_data *data, const struct hyphen_engine *engine,
                   ninho_hyphen_counters *counters)
{
    double *stretches = new_stretches(data);
    double seconds = 0;
    size_t size = 0;

    for (int round = 0; round < 2; round++) {
        ninho_hyphenator_reset_counters(engine->hyphenator);
        size = hyphenate_all(data, engine, stretches);
    }
    for (size_t from = 0; from < data->n_words; from += STRETCH)
        seconds += stretches[from / STRETCH];
    free(stretches);
    *counters = ninho_hyphenator_counters(engine->hyphenator);
    check_counters(engine, counters);
    if (sum_of(data, size) !=
        (engine->store == HYPHEN_NOWHERE ? data->sum_without : data->sum_with))
        fail("hyphenation: other output than with exceptions compiled in");
    return seconds;
}

void hyphen_remove_lmdb(const char *path)
{
    static const char *const suffixes[] = {"", "-lock", "-sum"};
    char file[HYPHEN_PATH];

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(file, sizeof file, "%s%s", path, suffixes[i]);
        unlink(file);
    }
}
