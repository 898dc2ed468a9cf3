/* SPDX-License-Identifier: MIT */
/* The map: which way moves the fewest bytes, by the number of keys, the rows that match, and their width.
 * Bytes are counted, so that one draw of the keys is enough. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "45-semijoin/parts.h"
#include "harness/csv.h"
#include "harness/fail.h"

/* What is tried at each place. The plain join brings all rows whatever the keys are: it is counted once for
 * each width. */
static const struct means tried[] = {
    {LIST, NULL, 0},
    {HELPER, NULL, 0},
    {TOLD, NULL, 0},
    {FILTER, "blocked", 0.1},
    {FILTER, "blocked", 0.01},
    {FILTER, "blocked", 0.001},
    {FILTER, "cuckoo", 0.1},
    {FILTER, "cuckoo", 0.01},
    {FILTER, "cuckoo", 0.001},
    {FILTER, "cuckoo", 0.0001},
    {FILTER, "cuckoo", 0.00001},
    {FILTER, "fuse", 0.004},
    {FILTER, "fuse", 0.00002},
};
static const struct means plain = {PLAIN, NULL, 0};
static const size_t widths[] = {8, 256};
enum {
    N_TRIED = sizeof tried / sizeof tried[0],
    N_WIDTHS = sizeof widths / sizeof widths[0],
    MAX_STEPS = 10,
    WHOLE = 5000 /* shares below are of this */
};

struct steps {
    size_t n_keys[MAX_STEPS];   /* ends with 0 */
    size_t matching[MAX_STEPS]; /* share of the remote rows, of WHOLE; ends with 0 */
};
static const struct steps tiny = {{20, 200}, {1, 2500, 5000}};
static const struct steps quick = {{20, 60, 200, 600, 2000, 20000, 100000},
                                   {1, 50, 2500, 4500, 5000}};
static const struct steps full = {{20, 60, 200, 600, 2000, 6000, 20000, 200000, 1000000},
                                  {1, 5, 50, 500, 2500, 4500, 4750, 5000}};

enum field { CHECKSUM, SENT, RECEIVED, TURNS, BITS };
#define FIELDS "checksum,sent,received,turns,bits_per_key"

struct survey {
    struct servers *servers;
    struct map map;
};

static void list_places(const struct study *study, struct map *map)
{
    const struct steps *steps = study->size == STUDY_TINY    ? &tiny
                                : study->size == STUDY_QUICK ? &quick
                                                             : &full;
    const size_t n_remote = study_pick(study, 5000, 50000, 1000000);

    map->places = allocate(N_WIDTHS * MAX_STEPS * MAX_STEPS, sizeof *map->places);
    for (size_t w = 0; w < N_WIDTHS; w++)
        for (const size_t *m = steps->matching; *m; m++)
            for (const size_t *k = steps->n_keys; *k; k++)
                map->places[map->n_places++].join = (struct join){
                    .n_remote = n_remote,
                    .n_keys = *k,
                    .n_matches = n_remote / WHOLE * *m,
                    .width = widths[w],
                };
}

/* A variant is a place and one of the ways to be tried, or at the end the plain join of one width. */
static const struct means *means_of(const struct map *map, size_t variant,
                                    struct join *join)
{
    const size_t n = map->n_places * N_TRIED;
    const size_t place =
        variant < n ? variant / N_TRIED : (variant - n) * (map->n_places / N_WIDTHS);

    *join = map->places[place].join;
    return variant < n ? &tried[variant % N_TRIED] : &plain;
}

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct survey *survey = context;
    struct join join;
    char way[32];

    means_text(means_of(&survey->map, variant, &join), way, sizeof way);
    snprintf(text, VARIANT_TEXT, "%zu letters; %zu of %zu rows; %zu keys; %s", join.width,
             join.n_matches, join.n_remote, join.n_keys, way);
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    struct survey *survey = context;
    struct join join;
    const struct means *means = means_of(&survey->map, variant, &join);

    (void)repetition;
    const struct counted counted = servers_count(survey->servers, &join, means);
    values[CHECKSUM] = counted.checksum;
    values[SENT] = counted.sent;
    values[RECEIVED] = counted.received;
    values[TURNS] = counted.turns;
    values[BITS] = counted.bits_per_key;
}

static void settle(const struct samples *samples, struct map *map, size_t i)
{
    struct place *place = &map->places[i];
    const double *first = samples_at(samples, i * N_TRIED, 0);
    const double *all =
        samples_at(samples, map->n_places * N_TRIED + i / (map->n_places / N_WIDTHS), 0);

    place->bytes[FILTER] = INFINITY;
    place->bytes[PLAIN] = all[SENT] + all[RECEIVED];
    for (size_t t = 0; t < N_TRIED; t++) {
        const double *values = samples_at(samples, i * N_TRIED + t, 0);
        const double bytes = values[SENT] + values[RECEIVED];
        if (values[CHECKSUM] != first[CHECKSUM])
            fail("%s: other rows than by list", way_text(tried[t].way));
        if (tried[t].way == FILTER && bytes >= place->bytes[FILTER])
            continue;
        place->bytes[tried[t].way] = bytes;
        if (tried[t].way == FILTER) {
            place->filter = &tried[t];
            place->filter_bits = values[BITS];
        }
    }
    place->winner = PLAIN;
    for (enum way way = LIST; way <= FILTER; way++)
        if (place->bytes[way] < place->bytes[place->winner])
            place->winner = way;
}

struct map map_take(const struct study *study, const char *folder,
                    struct servers *servers)
{
    struct survey survey = {.servers = servers};

    list_places(study, &survey.map);
    const struct sampling sampling = {
        .name = "samples-map",
        .fields = FIELDS,
        .n_variants = survey.map.n_places * N_TRIED + N_WIDTHS,
        .n_repetitions = 1,
        .describe = describe,
        .measure = measure,
        .context = &survey,
    };
    struct samples samples = samples_take(study, folder, &sampling);
    for (size_t i = 0; i < survey.map.n_places; i++) {
        settle(&samples, &survey.map, i);
        survey.map.places[i].planned = servers_plan(servers, &survey.map.places[i].join);
    }
    samples_free(&samples);
    return survey.map;
}

void map_free(struct map *map)
{
    free(map->places);
}

double place_excess(const struct place *place, enum way helper)
{
    return place->bytes[helper] / fmin(place->bytes[LIST], place->bytes[FILTER]);
}

/* ---- Results ------------------------------------------------------------------------------- */

void map_write(const struct map *map, const char *folder)
{
    char path[4200];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "width,n_remote,matching,n_keys,plain,list,filter,filter_kind,filter_fpr,"
              "filter_bits,helper,told,winner,planned,planned_fpr,planned_bytes");
    for (const struct place *p = map->places; p < map->places + map->n_places; p++) {
        csv_count(csv, p->join.width);
        csv_count(csv, p->join.n_remote);
        csv_number(csv, (double)p->join.n_matches / (double)p->join.n_remote);
        csv_count(csv, p->join.n_keys);
        csv_number(csv, p->bytes[PLAIN]);
        csv_number(csv, p->bytes[LIST]);
        csv_number(csv, p->bytes[FILTER]);
        csv_text(csv, p->filter->kind);
        csv_number(csv, p->filter->fpr);
        csv_number(csv, p->filter_bits);
        csv_number(csv, p->bytes[HELPER]);
        csv_number(csv, p->bytes[TOLD]);
        csv_text(csv, way_text(p->winner));
        csv_text(csv, way_text(p->planned.way));
        csv_number(csv, p->planned.fpr);
        csv_number(csv, p->planned.bytes);
        csv_end_row(csv);
    }
    csv_close(csv);
}

void map_tables(const struct map *map, struct answer *answer)
{
    struct table *table = answer_add_table(
        answer, "Bytes, by place",
        "letters|rows matching|keys|plain|list|best filter|which|helper|helper, "
        "told|helper / better of filter and list|told / better");

    for (const struct place *p = map->places; p < map->places + map->n_places; p++) {
        char(*row)[CELL_TEXT] = table_add_row(table);
        snprintf(row[0], CELL_TEXT, "%zu", p->join.width);
        snprintf(row[1], CELL_TEXT, "%g %%",
                 100 * (double)p->join.n_matches / (double)p->join.n_remote);
        snprintf(row[2], CELL_TEXT, "%zu", p->join.n_keys);
        snprintf(row[3], CELL_TEXT, "%.0f", p->bytes[PLAIN]);
        snprintf(row[4], CELL_TEXT, "%.0f", p->bytes[LIST]);
        snprintf(row[5], CELL_TEXT, "%.0f", p->bytes[FILTER]);
        means_text(p->filter, row[6], CELL_TEXT);
        snprintf(row[7], CELL_TEXT, "%.0f", p->bytes[HELPER]);
        snprintf(row[8], CELL_TEXT, "%.0f", p->bytes[TOLD]);
        snprintf(row[9], CELL_TEXT, "%.3f", place_excess(p, HELPER));
        snprintf(row[10], CELL_TEXT, "%.3f", place_excess(p, TOLD));
    }
}
