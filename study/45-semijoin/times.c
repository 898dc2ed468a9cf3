/* SPDX-License-Identifier: MIT */
/* How long a join takes, over loopback, and what it would take over a line of a given speed: the time that was
 * measured and that of the bytes, which is computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "45-semijoin/parts.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/progress.h"
#include "harness/trend.h"

#define SMALL_FILTER            \
    {                           \
        FILTER, "blocked", 0.01 \
    }
#define LARGE_FILTER             \
    {                            \
        FILTER, "cuckoo", 0.0001 \
    }

static const struct variant {
    struct means means;
    enum size_of_join size;
    bool is_indexed;
} variants[] = {
    {{PLAIN, NULL, 0}, FEW, false},   {{LIST, NULL, 0}, FEW, false},
    {{LIST, NULL, 0}, FEW, true},     {SMALL_FILTER, FEW, false},
    {LARGE_FILTER, FEW, false},       {{HELPER, NULL, 0}, FEW, false},
    {{HELPER, NULL, 0}, FEW, true},   {{ASKING, NULL, 0}, FEW, false},
    {{PLAIN, NULL, 0}, USUAL, false}, {{LIST, NULL, 0}, USUAL, false},
    {{LIST, NULL, 0}, USUAL, true},   {SMALL_FILTER, USUAL, false},
    {LARGE_FILTER, USUAL, false},     {{HELPER, NULL, 0}, USUAL, false},
    {{HELPER, NULL, 0}, USUAL, true}, {{ASKING, NULL, 0}, USUAL, false},
    {{PLAIN, NULL, 0}, MOST, false},  {{LIST, NULL, 0}, MOST, false},
    {SMALL_FILTER, MOST, false},      {LARGE_FILTER, MOST, false},
    {{HELPER, NULL, 0}, MOST, false}, {{ASKING, NULL, 0}, MOST, false},
};
enum { N = sizeof variants / sizeof variants[0] };

static const char *const size_names[N_SIZES] = {"few", "usual", "most"};

/* Lines that are computed: Mbit/s. */
static const double speeds[] = {1000, 100, 10};
enum { N_SPEEDS = sizeof speeds / sizeof speeds[0] };

enum field { CHECKSUM, MS };
enum bytes_field { BYTES_CHECKSUM, BYTES, TURNS };

struct clock {
    struct servers *servers;
    const struct join *joins;
};

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct variant *v = &variants[variant];
    char way[32];

    (void)context;
    means_text(&v->means, way, sizeof way);
    snprintf(text, VARIANT_TEXT, "%s; %s%s", size_names[v->size], way,
             v->is_indexed ? "; index" : "");
}

static struct join join_of(const struct join *joins, const struct variant *v)
{
    struct join join = joins[v->size];

    join.is_indexed = v->is_indexed;
    return join;
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    struct clock *clock = context;
    const struct variant *v = &variants[variant];
    const struct join join = join_of(clock->joins, v);

    (void)repetition;
    values[MS] = servers_time(clock->servers, &join, &v->means, &values[CHECKSUM]);
}

static void measure_bytes(void *context, size_t variant, size_t repetition,
                          double *values)
{
    struct clock *clock = context;
    const struct variant *v = &variants[variant];
    const struct join join = join_of(clock->joins, v);
    const struct counted counted = servers_count(clock->servers, &join, &v->means);

    (void)repetition;
    values[BYTES_CHECKSUM] = counted.checksum;
    values[BYTES] = counted.sent + counted.received;
    values[TURNS] = counted.turns;
}

/* All ways of one size must bring the same rows. */
static size_t first_of(enum size_of_join size)
{
    size_t v = 0;

    while (variants[v].size != size)
        v++;
    return v;
}

static void check(const struct times *times)
{
    for (size_t v = 0; v < N; v++) {
        const double expected =
            samples_at(&times->bytes, first_of(variants[v].size), 0)[BYTES_CHECKSUM];
        bool is_same = samples_at(&times->bytes, v, 0)[BYTES_CHECKSUM] == expected;
        for (size_t r = 0; r < times->samples.n_repetitions; r++)
            is_same = is_same && samples_at(&times->samples, v, r)[CHECKSUM] == expected;
        if (!is_same)
            fail("%s: other rows than by the plain join",
                 way_text(variants[v].means.way));
    }
}

struct times times_take(const struct study *study, const char *folder,
                        struct servers *servers)
{
    const struct join usual = usual_join(study);
    struct times times = {.joins = {usual, usual, usual}};
    struct clock clock = {servers, times.joins};
    struct sampling sampling = {
        .name = "samples-time-bytes",
        .fields = "checksum,bytes,turns",
        .n_variants = N,
        .n_repetitions = 1,
        .describe = describe,
        .measure = measure_bytes,
        .context = &clock,
    };

    times.joins[FEW].n_keys = 20;
    times.joins[FEW].n_matches = 10;
    times.joins[MOST].n_keys = usual.n_remote / 10;
    times.joins[MOST].n_matches = usual.n_remote / 10 * 9;
    progress_part(0.6, 0.65);
    times.bytes = samples_take(study, folder, &sampling);
    sampling.name = "samples-time";
    sampling.fields = "checksum,ms";
    sampling.n_repetitions = study_pick(study, 6, 9, 30);
    sampling.warm_up = study->size != STUDY_TINY;
    sampling.measure = measure;
    progress_part(0.65, 1);
    times.samples = samples_take(study, folder, &sampling);
    check(&times);
    return times;
}

void times_free(struct times *times)
{
    samples_free(&times->samples);
    samples_free(&times->bytes);
}

/* ---- Results ------------------------------------------------------------------------------- */

static size_t find(enum size_of_join size, enum way way, bool is_indexed)
{
    for (size_t v = 0; v < N; v++)
        if (variants[v].size == size && variants[v].means.way == way &&
            variants[v].is_indexed == is_indexed)
            return v;
    fail("no such join was timed");
}

struct interval times_ratio(const struct times *times, enum size_of_join size,
                            enum way way, bool is_indexed)
{
    return paired_ratio(&times->samples, find(size, way, is_indexed),
                        find(size, PLAIN, false), MS);
}

double times_ms(const struct times *times, enum size_of_join size, enum way way,
                bool is_indexed)
{
    return samples_median(&times->samples, find(size, way, is_indexed), MS).value;
}

double times_bytes(const struct times *times, enum size_of_join size, enum way way,
                   bool is_indexed)
{
    return samples_at(&times->bytes, find(size, way, is_indexed), 0)[BYTES];
}

/* Milliseconds that bytes take over a line. */
static double line_ms(double bytes, double mbit_per_s)
{
    return 8 * bytes / (1000 * mbit_per_s);
}

void times_write(const struct times *times, const char *folder)
{
    char path[4200];

    snprintf(path, sizeof path, "%stime.csv", folder);
    struct csv *csv = csv_open(
        path,
        "size_of_join,n_remote,n_keys,n_matches,way,kind,fpr,is_indexed,bytes,turns,"
        "ms,ms_low,ms_high,computed_1000,computed_100,computed_10");
    for (size_t i = 0; i < N; i++) {
        const struct variant *v = &variants[i];
        const struct join *join = &times->joins[v->size];
        const double *counted = samples_at(&times->bytes, i, 0);
        const struct interval ms = samples_median(&times->samples, i, MS);
        csv_text(csv, size_names[v->size]);
        csv_count(csv, join->n_remote);
        csv_count(csv, join->n_keys);
        csv_count(csv, join->n_matches);
        csv_text(csv, way_text(v->means.way));
        csv_text(csv, v->means.kind ? v->means.kind : "");
        csv_number(csv, v->means.fpr);
        csv_count(csv, v->is_indexed);
        csv_number(csv, counted[BYTES]);
        csv_number(csv, counted[TURNS]);
        csv_number(csv, ms.value);
        csv_number(csv, ms.low);
        csv_number(csv, ms.high);
        for (size_t s = 0; s < N_SPEEDS; s++)
            csv_number(csv, ms.value + line_ms(counted[BYTES], speeds[s]));
        csv_end_row(csv);
    }
    csv_close(csv);
}

void times_table(const struct times *times, struct answer *answer)
{
    struct table *table = answer_add_table(
        answer, "Time",
        "keys|rows matching|way|bytes|round trips|ms, loopback|95 %|computed: 1 "
        "Gbit/s|100 Mbit/s|10 Mbit/s");

    for (size_t i = 0; i < N; i++) {
        const struct variant *v = &variants[i];
        const struct join *join = &times->joins[v->size];
        const double *counted = samples_at(&times->bytes, i, 0);
        const struct interval ms = samples_median(&times->samples, i, MS);
        char way[32];
        char(*row)[CELL_TEXT] = table_add_row(table);
        means_text(&v->means, way, sizeof way);
        snprintf(row[0], CELL_TEXT, "%zu", join->n_keys);
        snprintf(row[1], CELL_TEXT, "%zu of %zu", join->n_matches, join->n_remote);
        snprintf(row[2], CELL_TEXT, "%s%s", way, v->is_indexed ? ", index" : "");
        snprintf(row[3], CELL_TEXT, "%.0f", counted[BYTES]);
        snprintf(row[4], CELL_TEXT, "%.0f", counted[TURNS]);
        snprintf(row[5], CELL_TEXT, "%.1f", ms.value);
        snprintf(row[6], CELL_TEXT, "%.1f–%.1f", ms.low, ms.high);
        for (size_t s = 0; s < N_SPEEDS; s++)
            snprintf(row[7 + s], CELL_TEXT, "%.1f",
                     ms.value + line_ms(counted[BYTES], speeds[s]));
    }
}
