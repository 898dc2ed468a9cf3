/* SPDX-License-Identifier: MIT */
/* What filters do to reads in a database that is a log-structured merge tree: LevelDB with no filter, with
 * its own, and with ours, by kind and rate and at equal bytes. */
#include "44-lsm/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "44-lsm/database.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/samples.h"
#include "harness/timing.h"
#include "harness/words.h"

const struct figure lsm_figures[] = {
    {
        .name = "reads",
        .caption =
            "Blocks read for each get of a key that is not there, by the bits that the "
            "filters take for each key, all their bytes counted. Lines: filters of 8, "
            "10, "
            "12, 16 and 20 bits asked for. Dashed: a Bloom filter by the book. Without a "
            "filter it is one block for each get.",
    },
    {
        .name = "time",
        .caption =
            "Processor time of one get of a key that is not there, by the blocks that "
            "are "
            "read for it; means with Student's 95 % interval. At the right end: no "
            "filter. "
            "The tables are in the system's cache: a read from a disk would cost 10 to "
            "1,000 times as much.",
    },
    {.name = NULL},
};

#ifndef HAVE_LEVELDB

void run_lsm(const struct study *study, const char *folder, struct answer *answer)
{
    (void)study;
    (void)folder;
    answer->verdict = OPEN;
    answer_miss(answer, "sudo apt-get install libleveldb-dev && make study",
                "LevelDB: filters in a database are not measured");
    snprintf(answer->summary, sizeof answer->summary,
             "Not measured: ninho-study was built without LevelDB.");
}

#else

static const struct variant {
    const char *name;
    struct filters filters;
} variants[] = {
    {"none", {NO_FILTER, 0, 0, 0}},
    {"built-in; 8 bits", {BUILT_IN, 0, 8, 0}},
    {"built-in; 10 bits", {BUILT_IN, 0, 10, 0}},
    {"built-in; 12 bits", {BUILT_IN, 0, 12, 0}},
    {"built-in; 16 bits", {BUILT_IN, 0, 16, 0}},
    {"built-in; 20 bits", {BUILT_IN, 0, 20, 0}},
    {"bloom; 8 bits", {OURS, NINHO_BLOOM, 8, 0}},
    {"bloom; 10 bits", {OURS, NINHO_BLOOM, 10, 0}},
    {"bloom; 12 bits", {OURS, NINHO_BLOOM, 12, 0}},
    {"bloom; 16 bits", {OURS, NINHO_BLOOM, 16, 0}},
    {"bloom; 20 bits", {OURS, NINHO_BLOOM, 20, 0}},
    {"cuckoo; 10 bits", {OURS, NINHO_CUCKOO, 10, 0}},
    {"cuckoo; 12 bits", {OURS, NINHO_CUCKOO, 12, 0}},
    {"cuckoo; 16 bits", {OURS, NINHO_CUCKOO, 16, 0}},
    {"cuckoo; 20 bits", {OURS, NINHO_CUCKOO, 20, 0}},
    {"bloom; 10 %", {OURS, NINHO_BLOOM, 0, 0.1}},
    {"bloom; 1 %", {OURS, NINHO_BLOOM, 0, 0.01}},
    {"bloom; 0.1 %", {OURS, NINHO_BLOOM, 0, 0.001}},
    {"cuckoo; 10 %", {OURS, NINHO_CUCKOO, 0, 0.1}},
    {"cuckoo; 1 %", {OURS, NINHO_CUCKOO, 0, 0.01}},
    {"cuckoo; 0.1 %", {OURS, NINHO_CUCKOO, 0, 0.001}},
    {"blocked; 10 %", {OURS, NINHO_BLOCKED, 0, 0.1}},
    {"blocked; 1 %", {OURS, NINHO_BLOCKED, 0, 0.01}},
    {"blocked; 0.1 %", {OURS, NINHO_BLOCKED, 0, 0.001}},
    {"fuse; 10 %", {OURS, NINHO_FUSE, 0, 0.1}},
    {"fuse; 1 %", {OURS, NINHO_FUSE, 0, 0.01}},
    {"fuse; 0.1 %", {OURS, NINHO_FUSE, 0, 0.001}},
};
enum {
    N_VARIANTS = sizeof variants / sizeof variants[0],
    NONE = 0,
    FIRST_BUILT_IN = 1,
    FIRST_BLOOM = 6,
    N_BITS = 5,
    TEN_BITS = 1, /* of these five */
    N_PASSES = 4
};

enum field { ABSENT_US, PRESENT_US, ABSENT_READS, PRESENT_READS, TABLE_BYTES, N_FIELDS };
#define FIELDS "absent_us,present_us,absent_reads,present_reads,table_bytes"

struct experiment {
    const char *folder;
    struct extent extent;
    size_t n_timed;
    size_t n_counted;
    uint64_t *numbers;
    uint64_t table_bytes[N_VARIANTS]; /* 0: not made by this run yet */
    bool has_every; /* the database without filters whose reads are counted */
};

/* A database is made when it is first wanted, and kept for all repetitions. */
static const char *path_of(const struct experiment *e, size_t variant, char path[4200])
{
    snprintf(path, 4200, "%sdb-%02zu", e->folder, variant);
    return path;
}

static const struct filters every = {NO_FILTER, 0, 0, 1};

static void make(struct experiment *e, size_t variant)
{
    char path[4200];

    if (!e->table_bytes[variant])
        e->table_bytes[variant] = database_make(path_of(e, variant, path),
                                                &variants[variant].filters, &e->extent);
    if (variant == NONE && !e->has_every) {
        database_make(path_of(e, N_VARIANTS, path), &every, &e->extent);
        e->has_every = true;
    }
}

static void list_present(struct experiment *e, size_t repetition, size_t n)
{
    for (size_t i = 0; i < n; i++)
        e->numbers[i] = mix64((repetition << 32) + i + 1) % (uint64_t)e->extent.n_keys;
}

static void list_absent(struct experiment *e, size_t repetition, size_t n)
{
    for (size_t i = 0; i < n; i++)
        e->numbers[i] = e->extent.n_keys + (repetition << 32) + i;
}

/* Microseconds for one get: the quickest of some passes, since what else the machine does can only make
 * one slower. The block cache is too small to help the later ones. */
static double time_asking(struct experiment *e, struct database *d, size_t n_expected)
{
    double best = INFINITY;

    for (unsigned pass = 0; pass < N_PASSES; pass++) {
        const double start = seconds_of_thread();
        if (database_ask(d, e->numbers, e->n_timed) != n_expected)
            fail("LevelDB: not the keys that are there were found");
        best = fmin(best, 1e6 * (seconds_of_thread() - start) / (double)e->n_timed);
    }
    return best;
}

static double count_asking(struct experiment *e, struct database *d, size_t n_expected)
{
    database_reads(d);
    if (database_ask(d, e->numbers, e->n_counted) != n_expected)
        fail("LevelDB: not the keys that are there were found");
    return (double)database_reads(d) / (double)e->n_counted;
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    struct experiment *e = context;
    const struct filters *filters = &variants[variant].filters;
    char path[4200];

    make(e, variant);
    struct database *d =
        database_open(path_of(e, variant, path), filters, &e->extent, TO_TIME);
    list_present(e, repetition, e->n_timed);
    database_ask(d, e->numbers, e->n_timed / 4); /* opens the tables */
    values[PRESENT_US] = time_asking(e, d, e->n_timed);
    list_absent(e, repetition, e->n_timed);
    values[ABSENT_US] = time_asking(e, d, 0);
    database_close(d);

    if (variant == NONE)
        path_of(e, N_VARIANTS, path);
    d = database_open(path, variant == NONE ? &every : filters, &e->extent, TO_COUNT);
    list_present(e, repetition, e->n_counted);
    values[PRESENT_READS] = count_asking(e, d, e->n_counted);
    list_absent(e, repetition, e->n_counted);
    values[ABSENT_READS] = count_asking(e, d, 0);
    database_close(d);
    values[TABLE_BYTES] = (double)e->table_bytes[variant];
}

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    (void)context;
    snprintf(text, VARIANT_TEXT, "%s", variants[variant].name);
}

/* ---- The answer ---------------------------------------------------------------------------- */

/* What the filters of a variant take, for each key: tables with them less tables without. */
static double filter_bits(const struct experiment *e, const struct samples *samples,
                          size_t variant)
{
    return 8 *
           (samples_at(samples, variant, 0)[TABLE_BYTES] -
            samples_at(samples, NONE, 0)[TABLE_BYTES]) /
           (double)e->extent.n_keys;
}

static struct interval reads_of(const struct experiment *e, const struct samples *samples,
                                size_t variant)
{
    const uint64_t n = e->n_counted * samples->n_repetitions;
    double sum = 0;

    for (size_t r = 0; r < samples->n_repetitions; r++)
        sum += samples_at(samples, variant, r)[ABSENT_READS] * (double)e->n_counted;
    return share_interval((uint64_t)(sum + 0.5), n);
}

static const char *family_of(size_t variant)
{
    const struct filters *filters = &variants[variant].filters;

    return filters->source == NO_FILTER  ? "none"
           : filters->source == BUILT_IN ? "built-in"
                                         : ninho_kind_name(filters->kind);
}

static void csv_interval(struct csv *csv, struct interval interval)
{
    csv_number(csv, interval.value);
    csv_number(csv, interval.low);
    csv_number(csv, interval.high);
}

static void write_csv(const struct experiment *e, const struct samples *samples,
                      const char *folder)
{
    char path[4200];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "filter,asked_bits,asked_fpr,n_keys,n_absent,table_bytes,filter_bits,"
              "absent_reads,absent_reads_low,absent_reads_high,present_reads,absent_us,"
              "absent_us_low,absent_us_high,present_us,present_us_low,present_us_high");
    for (size_t i = 0; i < N_VARIANTS; i++) {
        csv_text(csv, family_of(i));
        csv_number(csv, variants[i].filters.bits_per_key);
        csv_number(csv, variants[i].filters.fpr);
        csv_count(csv, e->extent.n_keys);
        csv_count(csv, e->n_counted * samples->n_repetitions);
        csv_number(csv, samples_at(samples, i, 0)[TABLE_BYTES]);
        csv_number(csv, filter_bits(e, samples, i));
        csv_interval(csv, reads_of(e, samples, i));
        csv_number(csv, samples_mean(samples, i, PRESENT_READS).value);
        csv_interval(csv, samples_mean(samples, i, ABSENT_US));
        csv_interval(csv, samples_mean(samples, i, PRESENT_US));
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void fill_table(const struct experiment *e, const struct samples *samples,
                       struct answer *answer)
{
    struct table *table = answer_add_table(
        answer, NULL,
        "filter|bits per key, in all|blocks per absent get|95 %|absent get, µs|"
        "95 %|present get, µs");

    for (size_t i = 0; i < N_VARIANTS; i++) {
        const struct interval reads = reads_of(e, samples, i);
        const struct interval us = samples_mean(samples, i, ABSENT_US);
        char(*row)[CELL_TEXT] = table_add_row(table);
        snprintf(row[0], CELL_TEXT, "%s", variants[i].name);
        snprintf(row[1], CELL_TEXT, "%.2f", filter_bits(e, samples, i));
        snprintf(row[2], CELL_TEXT, "%.5f", reads.value);
        snprintf(row[3], CELL_TEXT, "%.5f–%.5f", reads.low, reads.high);
        snprintf(row[4], CELL_TEXT, "%.2f", us.value);
        snprintf(row[5], CELL_TEXT, "%.2f–%.2f", us.low, us.high);
        snprintf(row[6], CELL_TEXT, "%.2f", samples_mean(samples, i, PRESENT_US).value);
    }
}

/* The time of absent gets with our Bloom filter over that with LevelDB's: 10 bits and more together, in each
 * repetition. */
static struct interval time_ratio(const struct samples *samples)
{
    double *ratios = allocate(samples->n_repetitions, sizeof *ratios);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        double ours = 0, theirs = 0;
        for (size_t i = TEN_BITS; i < N_BITS; i++) {
            ours += samples_at(samples, FIRST_BLOOM + i, r)[ABSENT_US];
            theirs += samples_at(samples, FIRST_BUILT_IN + i, r)[ABSENT_US];
        }
        ratios[r] = ours / theirs;
    }
    const struct interval ratio = mean_interval(ratios, samples->n_repetitions);
    free(ratios);
    return ratio;
}

static void judge(const struct experiment *e, const struct samples *samples,
                  struct answer *answer)
{
    enum verdict verdict = HOLDS;

    for (size_t i = TEN_BITS; i < N_BITS; i++) {
        const struct interval more = samples_difference(samples, FIRST_BLOOM + i,
                                                        FIRST_BUILT_IN + i, ABSENT_READS);
        verdict = verdict_both(verdict, verdict_at_most(&more, 0));
    }
    const size_t ours = FIRST_BLOOM + TEN_BITS, theirs = FIRST_BUILT_IN + TEN_BITS;
    const struct interval slower = time_ratio(samples);
    const struct interval at_ten = samples_ratio(samples, ours, theirs, ABSENT_US);
    const struct interval gain = samples_ratio(samples, ours, NONE, ABSENT_US);
    const struct interval present = samples_ratio(samples, ours, NONE, PRESENT_US);
    /* Within 5 % counts as equal, as in the rule for ratios. */
    answer->verdict = verdict_both(verdict, verdict_at_most(&slower, 1.05));
    snprintf(
        answer->summary, sizeof answer->summary,
        "At 10 bits per key a get of an absent key reads %.4f blocks with our Bloom "
        "filter "
        "and %.4f with LevelDB's own, at 16 bits %.5f and %.5f; without a filter 1. Its "
        "time, 10 to 20 bits together, is %.3f times [%.3f, %.3f] that with LevelDB's "
        "filter; at 10 bits alone %.3f times [%.3f, %.3f], and %.2f times "
        "[%.2f, %.2f] that without one, with all tables in the system's cache. Keys that "
        "are there cost a block with any filter, and %.3f times [%.3f, %.3f] the time.",
        reads_of(e, samples, ours).value, reads_of(e, samples, theirs).value,
        reads_of(e, samples, FIRST_BLOOM + 3).value,
        reads_of(e, samples, FIRST_BUILT_IN + 3).value, slower.value, slower.low,
        slower.high, at_ten.value, at_ten.low, at_ten.high, gain.value, gain.low,
        gain.high, present.value, present.low, present.high);
    snprintf(
        answer->setup, sizeof answer->setup,
        "LevelDB, %zu keys of 16 bytes with values of %zu bytes, not compressed, put in "
        "no order and compacted to one level; tables of %.1f MB and a block cache of "
        "%.2f MB. A repetition asks for %zu keys to take the time and %zu to count, of "
        "those that are there and of others among them; %zu repetitions. Time: processor "
        "time of the thread. Reads: blocks that LevelDB wanted, from its cache or a "
        "table, "
        "which is as often as a filter said maybe.",
        e->extent.n_keys, e->extent.value_bytes,
        samples_at(samples, NONE, 0)[TABLE_BYTES] / 1e6,
        (double)e->extent.cache_bytes / 1e6, e->n_timed, e->n_counted,
        samples->n_repetitions);
}

void run_lsm(const struct study *study, const char *folder, struct answer *answer)
{
    struct experiment e = {
        .folder = folder,
        .extent = {.n_keys = study_pick(study, 4000, 40000, 300000),
                   .value_bytes = 100,
                   .cache_bytes = study_pick(study, 32, 512, 4096) * 1024,
                   .stream = mix64(study->seed + 44)},
        .n_timed = study_pick(study, 500, 5000, 20000),
        .n_counted = study_pick(study, 1000, 40000, 200000),
    };
    const struct sampling sampling = {
        .name = "samples",
        .fields = FIELDS,
        .n_variants = N_VARIANTS,
        .n_repetitions = study_pick(study, 2, 5, 30),
        .warm_up = study->size != STUDY_TINY,
        .describe = describe,
        .measure = measure,
        .context = &e,
    };
    char path[4200];

    e.numbers =
        allocate(e.n_counted > e.n_timed ? e.n_counted : e.n_timed, sizeof *e.numbers);
    struct samples samples = samples_take(study, folder, &sampling);
    for (size_t i = 0; i <= N_VARIANTS; i++)
        database_remove(path_of(&e, i, path));
    write_csv(&e, &samples, folder);
    fill_table(&e, &samples, answer);
    judge(&e, &samples, answer);
    samples_free(&samples);
    free(e.numbers);
}

#endif
