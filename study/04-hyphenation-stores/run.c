/* SPDX-License-Identifier: MIT */
/* What the monograph could not show: every way to keep exceptions, with every family of filters in front,
 * on the same words. All of them must write the same bytes. */
#include "04-hyphenation-stores/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "04-hyphenation-stores/parts.h"
#include "harness/fail.h"
#include "harness/trend.h"

#define RATE 0.01

const struct figure hyphenation_stores_figures[] = {
    {.name = "ways",
     .caption =
         "Nanoseconds for a word with each way to keep the exceptions: none at all, "
         "compiled into the automaton, in memory, in LMDB, and with each family of "
         "filters at 1 % in front. Medians with order-statistic 95 % intervals."},
    {.name = "counts",
     .caption =
         "Lookups in vain of each family against its rate, counted (points, mean over "
         "the seeds) beside theory (lines). fuse has tags of 8 or 16 bits and nothing "
         "between, so it is far below the promise; so are others where a whole bit is "
         "the least step.",
     .data = "counts.csv"},
    {.name = "delay",
     .caption =
         "Seconds for all words if a lookup in the store takes longer by the given "
         "delay. All are computed: the time without delay, and lookups, counted over all "
         "words, times the delay (lines) or times what a delayed lookup was seen to cost "
         "on a sample of words (points, medians with order-statistic 95 % intervals).",
     .data = "delay.csv"},
    {.name = "crossing",
     .caption = "How much dearer than in memory a lookup must be before the filter pays; "
                "left of 0 it pays already. Medians with order-statistic 95 % intervals.",
     .data = "crossing.csv"},
    {.name = "reject",
     .caption =
         "Nanoseconds to reject an absent word: the dictionary alone, the filter alone, "
         "and the filter in front of the dictionary; and the memory each takes. Medians "
         "with order-statistic 95 % intervals.",
     .data = "reject.csv",
     .rows = "A8"},
    {.name = NULL},
};

/* ---- The ways ------------------------------------------------------------------------------ */

static void add_way(struct stores_experiment *e, enum hyphen_store store, ninho_kind kind)
{
    static const char *const names[] = {"no exceptions", "compiled in", "memory", "LMDB"};
    struct stores_way *way = &e->ways[e->n_ways++];

    way->way = (struct hyphen_way){.store = store};
    snprintf(way->name, sizeof way->name, "%s", names[store]);
    snprintf(way->filter, sizeof way->filter, "none");
    if (!kind)
        return;
    way->way.filter = hyphen_filter(&e->data, kind, RATE, e->study->seed);
    snprintf(way->name, sizeof way->name, "%s + %s", ninho_kind_name(kind), names[store]);
    snprintf(way->filter, sizeof way->filter, "%s", ninho_kind_name(kind));
}

static void list_ways(struct stores_experiment *e, bool has_lmdb)
{
    add_way(e, HYPHEN_NOWHERE, 0);
    add_way(e, HYPHEN_COMPILED, 0);
    add_way(e, HYPHEN_IN_MEMORY, 0);
    if (has_lmdb)
        add_way(e, HYPHEN_IN_LMDB, 0);
    for (int lmdb = 0; lmdb < (has_lmdb ? 2 : 1); lmdb++)
        for (size_t i = 0; ninho_kind_at(i); i++)
            add_way(e, lmdb ? HYPHEN_IN_LMDB : HYPHEN_IN_MEMORY, ninho_kind_at(i));
}

size_t stores_find(const struct stores_experiment *e, ninho_kind kind,
                   enum hyphen_store store)
{
    for (size_t i = 0; i < e->n_ways; i++)
        if (e->ways[i].way.store == store && e->ways[i].way.filter.kind == kind)
            return i;
    fail("no such way to keep exceptions");
}

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct stores_experiment *e = context;

    snprintf(text, VARIANT_TEXT, "%s", e->ways[variant].name);
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    const struct stores_experiment *e = context;
    struct hyphen_way way = e->ways[variant].way;
    ninho_hyphen_counters counters;
    char lmdb[HYPHEN_PATH];

    snprintf(lmdb, sizeof lmdb, "%sexceptions.lmdb", e->folder);
    hyphen_remove_lmdb(lmdb);
    if (way.filter.kind)
        way.filter.seed = e->study->seed + repetition;
    struct hyphen_engine engine = hyphen_attach(&e->data, &way, lmdb);
    values[STORES_TOTAL_NS] = 1e9 * hyphen_pass(&e->data, &engine, &counters);
    values[STORES_ASKED] = (double)counters.asked;
    values[STORES_LOOKUPS] = (double)counters.lookups;
    values[STORES_FOUND] = (double)counters.found;
    values[STORES_FALSE] = (double)counters.false_positives;
    hyphen_stop(&engine);
    hyphen_remove_lmdb(lmdb);
}

/* ---- Results ------------------------------------------------------------------------------- */

void stores_put_interval(struct csv *csv, struct interval interval)
{
    csv_number(csv, interval.value);
    csv_number(csv, interval.low);
    csv_number(csv, interval.high);
}

struct interval stores_crossing(const struct stores_experiment *e, size_t way)
{
    const struct samples *samples = &e->samples;
    const size_t plain = stores_find(e, 0, HYPHEN_IN_MEMORY);
    double *values = allocate(samples->n_repetitions, sizeof *values);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        const double *with = samples_at(samples, way, r);
        const double *without = samples_at(samples, plain, r);
        values[r] = (with[STORES_TOTAL_NS] - without[STORES_TOTAL_NS]) /
                    (without[STORES_LOOKUPS] - with[STORES_LOOKUPS]);
    }
    const struct interval interval = median_interval(values, samples->n_repetitions);
    free(values);
    return interval;
}

static uint64_t filter_bytes(const struct stores_experiment *e, size_t way)
{
    ninho_plan plan = NINHO_PLAN_INIT;

    if (!e->ways[way].way.filter.kind ||
        ninho_filter_plan(&e->ways[way].way.filter, &plan, NULL))
        return 0;
    return plan.table_bytes;
}

static void write_ways(const struct stores_experiment *e, struct answer *answer)
{
    const double n_words = (double)e->data.n_words;
    struct table *table = answer_add_table(
        answer, "Every way to keep the exceptions; filters at 1 %",
        "way|ns a word|over compiled in|store asked|of these in vain|filter, bytes");
    char path[HYPHEN_PATH];
    snprintf(path, sizeof path, "%sdata.csv", e->folder);
    struct csv *csv =
        csv_open(path, "way,filter,n_words,n_exceptions,word_ns,word_ns_low,"
                       "word_ns_high,n_asked,n_lookups,n_found,n_false,"
                       "filter_bytes,over_compiled,over_compiled_low,"
                       "over_compiled_high");

    for (size_t w = 0; w < e->n_ways; w++) {
        const struct interval ns =
            scaled(samples_median(&e->samples, w, STORES_TOTAL_NS), 1 / n_words);
        const struct interval ratio =
            paired_ratio(&e->samples, w, WAY_COMPILED, STORES_TOTAL_NS);
        const double *first = samples_at(&e->samples, w, 0);
        csv_text(csv, e->ways[w].name);
        csv_text(csv, e->ways[w].filter);
        csv_count(csv, e->data.n_words);
        csv_count(csv, e->data.n_exceptions);
        stores_put_interval(csv, ns);
        csv_count(csv, (uint64_t)first[STORES_ASKED]);
        csv_count(csv, (uint64_t)first[STORES_LOOKUPS]);
        csv_count(csv, (uint64_t)first[STORES_FOUND]);
        csv_count(csv, (uint64_t)first[STORES_FALSE]);
        csv_count(csv, filter_bytes(e, w));
        stores_put_interval(csv, ratio);
        csv_end_row(csv);
        char(*row)[CELL_TEXT] = table_add_row(table);
        snprintf(row[0], CELL_TEXT, "%s", e->ways[w].name);
        snprintf(row[1], CELL_TEXT, "%.1f [%.1f, %.1f]", ns.value, ns.low, ns.high);
        snprintf(row[2], CELL_TEXT, "%.2f [%.2f, %.2f]", ratio.value, ratio.low,
                 ratio.high);
        snprintf(row[3], CELL_TEXT, "%.0f", first[STORES_LOOKUPS]);
        snprintf(row[4], CELL_TEXT, "%.0f", first[STORES_FALSE]);
        snprintf(row[5], CELL_TEXT, "%llu", (unsigned long long)filter_bytes(e, w));
    }
    csv_close(csv);
}

static void write_crossings(const struct stores_experiment *e)
{
    const size_t memory = stores_find(e, 0, HYPHEN_IN_MEMORY);
    const double asked = samples_at(&e->samples, memory, 0)[STORES_ASKED];
    char path[HYPHEN_PATH];
    snprintf(path, sizeof path, "%scrossing.csv", e->folder);
    struct csv *csv = csv_open(path, "filter,crossing_ns,crossing_low,crossing_high,"
                                     "memory_lookup_ns");
    const double lookup = (samples_median(&e->samples, memory, STORES_TOTAL_NS).value -
                           samples_median(&e->samples, WAY_NONE, STORES_TOTAL_NS).value) /
                          asked;

    for (size_t w = 0; w < e->n_ways; w++) {
        if (e->ways[w].way.store != HYPHEN_IN_MEMORY || !e->ways[w].way.filter.kind)
            continue;
        csv_text(csv, e->ways[w].filter);
        stores_put_interval(csv, stores_crossing(e, w));
        csv_number(csv, lookup);
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void conclude(const struct stores_experiment *e, bool has_lmdb,
                     struct answer *answer)
{
    const size_t memory = stores_find(e, 0, HYPHEN_IN_MEMORY);
    const size_t blocked = stores_find(e, NINHO_BLOCKED, HYPHEN_IN_MEMORY);
    const struct interval before_memory =
        paired_ratio(&e->samples, blocked, memory, STORES_TOTAL_NS);
    const struct interval over_compiled =
        paired_ratio(&e->samples, blocked, WAY_COMPILED, STORES_TOTAL_NS);
    struct interval before_lmdb = no_interval();

    if (has_lmdb)
        before_lmdb =
            paired_ratio(&e->samples, stores_find(e, NINHO_BLOCKED, HYPHEN_IN_LMDB),
                         stores_find(e, 0, HYPHEN_IN_LMDB), STORES_TOTAL_NS);
    /* the claim: a filter in front makes hyphenation faster, whatever the store */
    answer->verdict = verdict_ratio_below(&before_memory);
    if (has_lmdb)
        answer->verdict =
            verdict_both(answer->verdict, verdict_ratio_below(&before_lmdb));
    size_t used = (size_t)snprintf(
        answer->summary, sizeof answer->summary,
        "A blocked filter at 1 %% in front of the dictionary in memory makes hyphenation "
        "take %.3f times as long [%.3f, %.3f]",
        before_memory.value, before_memory.low, before_memory.high);
    if (has_lmdb)
        used += (size_t)snprintf(answer->summary + used, sizeof answer->summary - used,
                                 ", in front of LMDB %.3f times [%.3f, %.3f]",
                                 before_lmdb.value, before_lmdb.low, before_lmdb.high);
    snprintf(
        answer->summary + used, sizeof answer->summary - used,
        ". Filter and memory take %.2f times as long as exceptions compiled into the "
        "automaton [%.2f, %.2f]: where exceptions do not change, no filter is needed.",
        over_compiled.value, over_compiled.low, over_compiled.high);
    snprintf(answer->setup, sizeof answer->setup,
             "%zu words drawn from Debian's american-english-insane (seed %llu), the %zu "
             "exceptions of ushyphex.tex. Families at 1 %% with the library's own "
             "choices; %zu repetitions, interleaved, each with another seed of the "
             "filter; processor time, output written and compared in every repetition.%s",
             e->data.n_words, (unsigned long long)e->study->seed, e->data.n_exceptions,
             e->samples.n_repetitions, has_lmdb ? "" : " LMDB was not built in.");
}

void run_hyphenation_stores(const struct study *study, const char *folder,
                            struct answer *answer)
{
    struct stores_experiment e = {.study = study, .folder = folder};
    const bool has_lmdb = ninho_hyphen_has_store(NINHO_HYPHEN_LMDB);

    if (!hyphen_data_open(study, study_pick(study, 3000, HYPHEN_WORDS / 4, HYPHEN_WORDS),
                          answer, &e.data)) {
        answer->verdict = OPEN;
        return;
    }
    if (!has_lmdb)
        answer_miss(answer, "sudo apt-get install liblmdb-dev && make study",
                    "LMDB: that store is left out");
    list_ways(&e, has_lmdb);
    const struct sampling sampling = {
        .name = "samples-ways",
        .fields = "total_ns,asked,lookups,found,false_positives",
        .n_variants = e.n_ways,
        .n_repetitions = study_pick(study, 6, 15, 30),
        .warm_up = true,
        .describe = describe,
        .measure = measure,
        .context = &e,
    };
    e.samples = samples_take(study, folder, &sampling);
    write_ways(&e, answer);
    write_crossings(&e);
    stores_count(&e);
    stores_delay(&e, answer);
    stores_reject(&e, answer);
    conclude(&e, has_lmdb, answer);
    samples_free(&e.samples);
    hyphen_data_close(&e.data);
}
