/* SPDX-License-Identifier: MIT */
/* The map: which way moves the fewest bytes, by the number of keys, the rows that match, and their width.
 * Where few rows match, one that a filter lets through by chance is much: then it is the mean over draws of
 * the keys that counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "45-semijoin/parts.h"
#include "harness/csv.h"
#include "harness/fail.h"

/* What is tried at each place. The plain join brings all rows whatever the keys are: it is counted once for
 * each width. */
static const struct means tried[] = {
    {LIST, NULL, 0},           {HELPER, NULL, 0},          {ASKING, NULL, 0},
    {FILTER, "blocked", 0.1},  {FILTER, "blocked", 0.01},  {FILTER, "cuckoo", 0.01},
    {FILTER, "cuckoo", 0.001}, {FILTER, "cuckoo", 0.0001}, {FILTER, "cuckoo", 1e-5},
    {FILTER, "fuse", 0.004},   {FILTER, "fuse", 2e-5},
};
static const struct means plain = {PLAIN, NULL, 0};
static const size_t widths[] = {8, 256};
enum {
    N_TRIED = sizeof tried / sizeof tried[0],
    N_WIDTHS = sizeof widths / sizeof widths[0],
    MAX_STEPS = 10,
    WHOLE = 5000,     /* shares below are of this */
    N_DRAWS = 3,      /* where less than half of the rows match */
    MANY_KEYS = 10000 /* and chance plays no part */
};

struct steps {
    size_t n_keys[MAX_STEPS];   /* ends with 0 */
    size_t matching[MAX_STEPS]; /* share of the remote rows, of WHOLE; ends with 0 */
};
static const struct steps tiny = {{20, 200}, {5, 2500, 5000}};
static const struct steps quick = {{20, 60, 200, 600, 2000, 20000},
                                   {5, 50, 2500, 4750, 5000}};
static const struct steps full = {{20, 60, 200, 600, 2000, 6000, 20000, 200000, 1000000},
                                  {5, 50, 500, 2500, 4500, 4750, 5000}};

/* One measurement: a place, how, and which keys. */
struct visit {
    size_t place;
    const struct means *means;
    size_t draw;
};

enum field { CHECKSUM, SENT, RECEIVED, TURNS, BITS };
#define FIELDS "checksum,sent,received,turns,bits_per_key"

struct survey {
    struct servers *servers;
    struct map map;
    size_t n_visits;
    struct visit *visits;
};

static void list_places(const struct study *study, struct map *map)
{
    const struct steps *steps = study->size == STUDY_TINY    ? &tiny
                                : study->size == STUDY_QUICK ? &quick
                                                             : &full;
    const size_t n_remote = study_pick(study, 5000, 10000, 1000000);

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

static size_t n_draws_of(const struct join *join)
{
    return 2 * join->n_matches < join->n_remote && join->n_keys < MANY_KEYS ? N_DRAWS : 1;
}

/* All ways of a place together, and the plain join where a width begins. */
static void list_visits(struct survey *s)
{
    s->visits =
        allocate(s->map.n_places * N_TRIED * N_DRAWS + N_WIDTHS, sizeof *s->visits);
    for (size_t i = 0; i < s->map.n_places; i++) {
        if (i % (s->map.n_places / N_WIDTHS) == 0)
            s->visits[s->n_visits++] = (struct visit){i, &plain, 0};
        for (size_t draw = 0; draw < n_draws_of(&s->map.places[i].join); draw++)
            for (size_t t = 0; t < N_TRIED; t++)
                s->visits[s->n_visits++] = (struct visit){i, &tried[t], draw};
    }
}

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct survey *survey = context;
    const struct visit *visit = &survey->visits[variant];
    const struct join *join = &survey->map.places[visit->place].join;
    char way[32];

    means_text(visit->means, way, sizeof way);
    snprintf(text, VARIANT_TEXT, "%zu; %zu of %zu; %zu; %s; %zu", join->width,
             join->n_matches, join->n_remote, join->n_keys, way, visit->draw);
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    struct survey *survey = context;
    const struct visit *visit = &survey->visits[variant];
    struct join join = survey->map.places[visit->place].join;

    (void)repetition;
    join.draw = visit->draw;
    const struct counted counted = servers_count(survey->servers, &join, visit->means);
    values[CHECKSUM] = counted.checksum;
    values[SENT] = counted.sent;
    values[RECEIVED] = counted.received;
    values[TURNS] = counted.turns;
    values[BITS] = counted.bits_per_key;
}

/* The means of a place over its draws, for each that was tried; all ways of a draw must have brought the
 * same rows. */
static void average(const struct survey *s, const struct samples *samples, size_t place,
                    double bytes[N_TRIED], double bits[N_TRIED])
{
    const double n_draws = (double)n_draws_of(&s->map.places[place].join);
    double checksums[N_DRAWS];

    for (size_t v = 0; v < s->n_visits; v++) {
        const struct visit *visit = &s->visits[v];
        const double *values = samples_at(samples, v, 0);
        if (visit->place != place || visit->means == &plain)
            continue;
        const size_t t = (size_t)(visit->means - tried);
        if (t == 0)
            checksums[visit->draw] = values[CHECKSUM];
        if (values[CHECKSUM] != checksums[visit->draw])
            fail("%s: other rows than by list", way_text(visit->means->way));
        bytes[t] += (values[SENT] + values[RECEIVED]) / n_draws;
        bits[t] += values[BITS] / n_draws;
    }
}

static double plain_bytes(const struct survey *s, const struct samples *samples,
                          size_t width)
{
    for (size_t v = 0; v < s->n_visits; v++)
        if (s->visits[v].means == &plain &&
            s->map.places[s->visits[v].place].join.width == width)
            return samples_at(samples, v, 0)[SENT] + samples_at(samples, v, 0)[RECEIVED];
    fail("no plain join was counted");
}

static void settle(const struct survey *s, const struct samples *samples, size_t i)
{
    struct place *place = &s->map.places[i];
    double bytes[N_TRIED] = {0};
    double bits[N_TRIED] = {0};

    average(s, samples, i, bytes, bits);
    place->bytes[PLAIN] = plain_bytes(s, samples, place->join.width);
    place->bytes[FILTER] = INFINITY;
    for (size_t t = 0; t < N_TRIED; t++) {
        if (tried[t].way == FILTER && bytes[t] >= place->bytes[FILTER])
            continue;
        place->bytes[tried[t].way] = bytes[t];
        if (tried[t].way == FILTER) {
            place->filter = &tried[t];
            place->filter_bits = bits[t];
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
    list_visits(&survey);
    const struct sampling sampling = {
        .name = "samples-map",
        .fields = FIELDS,
        .n_variants = survey.n_visits,
        .n_repetitions = 1,
        .describe = describe,
        .measure = measure,
        .context = &survey,
    };
    struct samples samples = samples_take(study, folder, &sampling);
    for (size_t i = 0; i < survey.map.n_places; i++) {
        settle(&survey, &samples, i);
        survey.map.places[i].planned = servers_plan(servers, &survey.map.places[i].join);
    }
    samples_free(&samples);
    free(survey.visits);
    return survey.map;
}

void map_free(struct map *map)
{
    free(map->places);
}

double place_better(const struct place *place)
{
    return fmin(place->bytes[LIST], place->bytes[FILTER]);
}

double place_excess(const struct place *place, enum way helper)
{
    return place->bytes[helper] / place_better(place);
}

/* ---- Results ------------------------------------------------------------------------------- */

void map_write(const struct map *map, const char *folder)
{
    char path[4200];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path,
        "width,n_remote,matching,n_keys,n_draws,plain,list,filter,filter_kind,filter_fpr,"
        "filter_bits,helper,asking,winner,planned,planned_fpr,planned_bytes");
    for (const struct place *p = map->places; p < map->places + map->n_places; p++) {
        csv_count(csv, p->join.width);
        csv_count(csv, p->join.n_remote);
        csv_number(csv, (double)p->join.n_matches / (double)p->join.n_remote);
        csv_count(csv, p->join.n_keys);
        csv_count(csv, n_draws_of(&p->join));
        csv_number(csv, p->bytes[PLAIN]);
        csv_number(csv, p->bytes[LIST]);
        csv_number(csv, p->bytes[FILTER]);
        csv_text(csv, p->filter->kind);
        csv_number(csv, p->filter->fpr);
        csv_number(csv, p->filter_bits);
        csv_number(csv, p->bytes[HELPER]);
        csv_number(csv, p->bytes[ASKING]);
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
        "asking|helper / better of filter and list|asking / better");

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
        snprintf(row[8], CELL_TEXT, "%.0f", p->bytes[ASKING]);
        snprintf(row[9], CELL_TEXT, "%.3f", place_excess(p, HELPER));
        snprintf(row[10], CELL_TEXT, "%.3f", place_excess(p, ASKING));
    }
}
