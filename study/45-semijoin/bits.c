/* SPDX-License-Identifier: MIT */
/* One join by all ways, with filters of all sizes: a key to a hundred remote rows, half of the keys
 * matching. */
#include <stdio.h>
#include <stdlib.h>

#include "45-semijoin/parts.h"
#include "harness/csv.h"
#include "harness/fail.h"

static const struct means ways[] = {
    {PLAIN, NULL, 0},           {LIST, NULL, 0},
    {HELPER, NULL, 0},          {ASKING, NULL, 0},
    {FILTER, "blocked", 0.1},   {FILTER, "blocked", 0.01},
    {FILTER, "blocked", 0.001}, {FILTER, "blocked", 0.0001},
    {FILTER, "cuckoo", 0.1},    {FILTER, "cuckoo", 0.01},
    {FILTER, "cuckoo", 0.001},  {FILTER, "cuckoo", 0.0001},
    {FILTER, "cuckoo", 1e-5},   {FILTER, "cuckoo", 1e-6},
    {FILTER, "fuse", 0.004},    {FILTER, "fuse", 2e-5},
};
enum { N = sizeof ways / sizeof ways[0], AT_PLAIN = 0, AT_ASKING = 3 };

enum field { CHECKSUM, BYTES, SENT, RECEIVED, TURNS, BITS };
#define FIELDS "checksum,bytes,sent,received,turns,bits_per_key"

struct sweep {
    struct servers *servers;
    struct join join;
};

struct join usual_join(const struct study *study)
{
    const size_t n_remote = study_pick(study, 5000, 100000, 5000000);

    return (struct join){.n_remote = n_remote,
                         .n_keys = n_remote / 100,
                         .n_matches = n_remote / 200,
                         .width = 32};
}

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    (void)context;
    means_text(&ways[variant], text, VARIANT_TEXT);
}

/* Other keys in each repetition, the same for all ways. */
static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    struct sweep *sweep = context;
    struct join join = sweep->join;

    join.draw = repetition;
    const struct counted counted = servers_count(sweep->servers, &join, &ways[variant]);
    values[CHECKSUM] = counted.checksum;
    values[BYTES] = counted.sent + counted.received;
    values[SENT] = counted.sent;
    values[RECEIVED] = counted.received;
    values[TURNS] = counted.turns;
    values[BITS] = counted.bits_per_key;
}

struct bits bits_take(const struct study *study, const char *folder,
                      struct servers *servers)
{
    struct sweep sweep = {servers, usual_join(study)};
    const struct sampling sampling = {
        .name = "samples-bits",
        .fields = FIELDS,
        .n_variants = N,
        .n_repetitions = study_pick(study, 2, 3, 10),
        .describe = describe,
        .measure = measure,
        .context = &sweep,
    };
    const struct bits bits = {sweep.join, samples_take(study, folder, &sampling)};

    for (size_t v = 0; v < N; v++)
        for (size_t r = 0; r < bits.samples.n_repetitions; r++)
            if (samples_at(&bits.samples, v, r)[CHECKSUM] !=
                samples_at(&bits.samples, AT_PLAIN, r)[CHECKSUM])
                fail("%s: other rows than by the plain join", way_text(ways[v].way));
    return bits;
}

void bits_free(struct bits *bits)
{
    samples_free(&bits->samples);
}

struct interval bits_gain(const struct bits *bits)
{
    return samples_ratio(&bits->samples, AT_PLAIN, AT_ASKING, BYTES);
}

void bits_write(const struct bits *bits, const char *folder)
{
    char path[4200];

    snprintf(path, sizeof path, "%sbits.csv", folder);
    struct csv *csv = csv_open(
        path, "way,kind,fpr,bits_per_key,n_remote,n_keys,n_matches,n_draws,bytes,"
              "bytes_low,bytes_high,sent,received,turns");
    for (size_t v = 0; v < N; v++) {
        const struct interval bytes = samples_mean(&bits->samples, v, BYTES);
        csv_text(csv, way_text(ways[v].way));
        csv_text(csv, ways[v].kind ? ways[v].kind : "");
        csv_number(csv, ways[v].fpr);
        csv_number(csv, samples_mean(&bits->samples, v, BITS).value);
        csv_count(csv, bits->join.n_remote);
        csv_count(csv, bits->join.n_keys);
        csv_count(csv, bits->join.n_matches);
        csv_count(csv, bits->samples.n_repetitions);
        csv_number(csv, bytes.value);
        csv_number(csv, bytes.low);
        csv_number(csv, bytes.high);
        csv_number(csv, samples_mean(&bits->samples, v, SENT).value);
        csv_number(csv, samples_mean(&bits->samples, v, RECEIVED).value);
        csv_number(csv, samples_mean(&bits->samples, v, TURNS).value);
        csv_end_row(csv);
    }
    csv_close(csv);
}

void bits_table(const struct bits *bits, struct answer *answer)
{
    struct table *table =
        answer_add_table(answer, "Bytes, by filter",
                         "way|bits per key|bytes there|bytes back|bytes|plain / "
                         "bytes|round trips");

    for (size_t v = 0; v < N; v++) {
        char(*row)[CELL_TEXT] = table_add_row(table);
        means_text(&ways[v], row[0], CELL_TEXT);
        if (ways[v].way == FILTER)
            snprintf(row[1], CELL_TEXT, "%.2f",
                     samples_mean(&bits->samples, v, BITS).value);
        snprintf(row[2], CELL_TEXT, "%.0f", samples_mean(&bits->samples, v, SENT).value);
        snprintf(row[3], CELL_TEXT, "%.0f",
                 samples_mean(&bits->samples, v, RECEIVED).value);
        snprintf(row[4], CELL_TEXT, "%.0f", samples_mean(&bits->samples, v, BYTES).value);
        snprintf(row[5], CELL_TEXT, "%.1f",
                 samples_ratio(&bits->samples, AT_PLAIN, v, BYTES).value);
        snprintf(row[6], CELL_TEXT, "%.0f", samples_mean(&bits->samples, v, TURNS).value);
    }
}
