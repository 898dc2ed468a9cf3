/* SPDX-License-Identifier: MIT */
/* Insert, hit, miss and remove at a given load, in tables with a fixed number of places.
 *
 * A variant is one table at one load. One measurement fills the table to a step below the load, times
 * the insertions of the last step, then as many hits and misses, then the removal of that step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "09-dictionaries/parts.h"
#include "09-dictionaries/textbook.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/samples.h"
#include "harness/timing.h"
#include "harness/trend.h"

enum { CHAINING, PROBING, OWN_CHAIN, OWN_PROBE, CUCKOO, CUCKOO_PLAIN, N_TABLES };

static const struct {
    const char *name;
    double
        max_load; /* the library's tables grow before they are fuller than they want to be */
} tables[N_TABLES] = {
    {"chaining (textbook)", 1},
    {"linear probing (textbook)", 1},
    {"chain", 1},
    {"probe", 0.55},
    {"cuckoo-table 2x4", 1},
    {"cuckoo-table 2x1", 0.45},
};

static const double loads[] = {.05, .1, .15, .2, .25, .3, .35, .4, .45, .5,
                               .55, .6, .65, .7, .75, .8, .85, .9, .95};
enum { N_LOADS = sizeof loads / sizeof loads[0], LOAD_90 = 17 };

enum { INSERT_NS, HIT_NS, MISS_NS, REMOVE_NS };

struct load_variant {
    size_t table;
    size_t load;
};

struct load_experiment {
    const struct study *study;
    size_t n_places;
    struct load_variant variants[N_TABLES * N_LOADS];
    size_t n_variants;
};

/* One table under measurement, of either sort. */
struct table_under_test {
    struct textbook *textbook;
    ninho_dict *dict;
};

static struct table_under_test create(const struct load_experiment *e, size_t table,
                                      uint64_t seed)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    const size_t n = e->n_places;

    if (table == CHAINING || table == PROBING)
        return (struct table_under_test){
            .textbook = textbook_create(
                table == CHAINING ? TEXTBOOK_CHAINING : TEXTBOOK_PROBING, n, n, false)};
    spec.key_size = sizeof(uint64_t);
    spec.seed = seed;
    spec.kind = table == OWN_CHAIN   ? NINHO_CHAIN
                : table == OWN_PROBE ? NINHO_PROBE
                                     : NINHO_CUCKOO_TABLE;
    if (table == OWN_CHAIN)
        spec.capacity = n;
    else if (table == OWN_PROBE)
        spec.capacity = n / 7 * 4; /* four of the seven places of a line */
    else
        spec.bucket_size = table == CUCKOO ? 4 : 1;
    if (spec.bucket_size)
        spec.n_buckets = n / spec.bucket_size;
    return (struct table_under_test){.dict = dict_make(&spec)};
}

static void destroy(struct table_under_test *table)
{
    if (table->textbook)
        textbook_free(table->textbook);
    ninho_dict_free(table->dict);
}

static void insert(const struct table_under_test *table, const uint64_t *keys, size_t n)
{
    if (table->textbook)
        for (size_t i = 0; i < n; i++)
            textbook_put(table->textbook, keys[i]);
    else
        for (size_t i = 0; i < n; i++)
            dict_put_key(table->dict, keys[i]);
}

static size_t find(const struct table_under_test *table, const uint64_t *keys, size_t n)
{
    size_t n_found = 0;

    if (table->textbook)
        for (size_t i = 0; i < n; i++)
            n_found += textbook_has(table->textbook, keys[i]);
    else
        for (size_t i = 0; i < n; i++)
            n_found += ninho_dict_get(table->dict, &keys[i], sizeof keys[i], NULL);
    return n_found;
}

static size_t remove_all(const struct table_under_test *table, const uint64_t *keys,
                         size_t n)
{
    size_t n_removed = 0;

    if (table->textbook)
        for (size_t i = 0; i < n; i++)
            n_removed += textbook_remove(table->textbook, keys[i]);
    else
        for (size_t i = 0; i < n; i++)
            n_removed +=
                ninho_dict_remove(table->dict, &keys[i], sizeof keys[i]) == NINHO_OK;
    return n_removed;
}

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct load_experiment *e = context;

    snprintf(text, VARIANT_TEXT, "%s %.2f", tables[e->variants[variant].table].name,
             loads[e->variants[variant].load]);
}

/* Nanoseconds of one operation since `start`. */
static double since(double start, size_t n)
{
    return 1e9 * (seconds_of_thread() - start) / (double)n;
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    const struct load_experiment *e = context;
    const struct load_variant *v = &e->variants[variant];
    const uint64_t seed = e->study->seed + repetition;
    const size_t n = (size_t)(loads[v->load] * (double)e->n_places);
    const size_t step = e->n_places / 20;
    if (n == 0 || step == 0 || n < step)
        fail("a table of %zu places is too small", e->n_places);
    uint64_t *keys = allocate(n, sizeof *keys);
    uint64_t *asked = allocate(step, sizeof *asked);
    uint64_t *absent = allocate(step, sizeof *absent);
    struct table_under_test table = create(e, v->table, seed);

    for (size_t i = 0; i < n; i++)
        keys[i] = dict_key(seed, i);
    for (size_t i = 0; i < step; i++) {
        asked[i] = keys[(size_t)(dict_absent_key(seed, i) % n)];
        absent[i] = dict_absent_key(seed, i);
    }
    insert(&table, keys, n - step);
    double start = seconds_of_thread();
    insert(&table, keys + n - step, step);
    values[INSERT_NS] = since(start, step);
    start = seconds_of_thread();
    const size_t n_found = find(&table, asked, step);
    values[HIT_NS] = since(start, step);
    start = seconds_of_thread();
    const size_t n_false = find(&table, absent, step);
    values[MISS_NS] = since(start, step);
    start = seconds_of_thread();
    const size_t n_removed = remove_all(&table, keys + n - step, step);
    values[REMOVE_NS] = since(start, step);
    if (n_found != step || n_false != 0 || n_removed != step ||
        find(&table, keys, n) != n - step)
        fail("%s: a wrong answer at load %.2f", tables[v->table].name, loads[v->load]);
    destroy(&table);
    free(keys);
    free(asked);
    free(absent);
}

/* ---- Places looked at ---------------------------------------------------------------------- */

struct looks {
    double hit;
    double miss;
};

/* Counted in the textbook's tables, over all keys and as many absent ones. */
static struct looks count_looks(const struct load_experiment *e, size_t table,
                                double load)
{
    const uint64_t seed = e->study->seed;
    const size_t n = (size_t)(load * (double)e->n_places);
    struct table_under_test t = create(e, table, seed);
    uint64_t n_hit = 0;
    uint64_t n_miss = 0;

    for (size_t i = 0; i < n; i++)
        textbook_put(t.textbook, dict_key(seed, i));
    for (size_t i = 0; i < n; i++)
        if (!textbook_has_counted(t.textbook, dict_key(seed, i), &n_hit) ||
            textbook_has_counted(t.textbook, dict_absent_key(seed, i), &n_miss))
            fail("%s: a wrong answer", tables[table].name);
    destroy(&t);
    return (struct looks){(double)n_hit / (double)n, (double)n_miss / (double)n};
}

/* Knuth's for the two textbook tables; for cuckoo tables the most there are. */
static struct looks theory_of(size_t table, double a)
{
    switch (table) {
    case CHAINING:
        return (struct looks){1 + a / 2, a};
    case PROBING:
        return (struct looks){(1 + 1 / (1 - a)) / 2, (1 + 1 / ((1 - a) * (1 - a))) / 2};
    case CUCKOO:
        return (struct looks){8, 8};
    case CUCKOO_PLAIN:
        return (struct looks){2, 2};
    default:
        return (struct looks){NAN, NAN};
    }
}

/* ---- Results ------------------------------------------------------------------------------- */

static void put_interval(struct csv *csv, struct interval interval)
{
    csv_number(csv, interval.value);
    csv_number(csv, interval.low);
    csv_number(csv, interval.high);
}

static void write_data(const struct load_experiment *e, const struct samples *samples,
                       const char *folder)
{
    char path[4200];
    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "table,load,n_places,insert_ns,insert_low,insert_high,hit_ns,hit_low,"
              "hit_high,miss_ns,miss_low,miss_high,remove_ns,remove_low,remove_high,"
              "hit_looks,hit_looks_theory,miss_looks,miss_looks_theory");

    for (size_t v = 0; v < e->n_variants; v++) {
        const size_t table = e->variants[v].table;
        const double load = loads[e->variants[v].load];
        const struct looks theory = theory_of(table, load);
        struct looks looks = {NAN, NAN};
        if (table == CHAINING || table == PROBING)
            looks = count_looks(e, table, load);
        csv_text(csv, tables[table].name);
        csv_number(csv, load);
        csv_count(csv, e->n_places);
        for (size_t field = INSERT_NS; field <= REMOVE_NS; field++)
            put_interval(csv, samples_median(samples, v, field));
        csv_number(csv, looks.hit);
        csv_number(csv, theory.hit);
        csv_number(csv, looks.miss);
        csv_number(csv, theory.miss);
        csv_end_row(csv);
    }
    csv_close(csv);
}

static size_t variant_at(const struct load_experiment *e, size_t table, size_t load)
{
    for (size_t v = 0; v < e->n_variants; v++)
        if (e->variants[v].table == table && e->variants[v].load == load)
            return v;
    fail("%s: not measured at load %.2f", tables[table].name, loads[load]);
}

static void fill_table(const struct load_experiment *e, const struct samples *samples,
                       struct answer *answer)
{
    static const size_t shown[] = {4, 8, 9, 14, 17, 18}; /* .25 .45 .5 .75 .9 .95 */
    struct table *table = answer_add_table(answer, "Against load, nanoseconds",
                                           "table|load|insert|hit|miss|remove");

    for (size_t t = 0; t < N_TABLES; t++)
        for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
            if (loads[shown[i]] > tables[t].max_load)
                continue;
            const size_t v = variant_at(e, t, shown[i]);
            char(*row)[CELL_TEXT] = table_add_row(table);
            snprintf(row[0], CELL_TEXT, "%s", tables[t].name);
            snprintf(row[1], CELL_TEXT, "%.2f", loads[shown[i]]);
            for (size_t field = INSERT_NS; field <= REMOVE_NS; field++) {
                const struct interval ns = samples_median(samples, v, field);
                snprintf(row[2 + field], CELL_TEXT, "%.1f [%.1f, %.1f]", ns.value, ns.low,
                         ns.high);
            }
        }
}

/* B8, an exercise, is judged on what its answer is known to be: at load .9 an absent key costs linear
 * probing more than chaining, and more than cuckoo hashing. */
static void judge(const struct load_experiment *e, const struct samples *samples,
                  struct answer *answer)
{
    const size_t probing = variant_at(e, PROBING, LOAD_90);
    const struct interval chaining =
        paired_ratio(samples, probing, variant_at(e, CHAINING, LOAD_90), MISS_NS);
    const struct interval cuckoo =
        paired_ratio(samples, probing, variant_at(e, CUCKOO, LOAD_90), MISS_NS);
    const struct looks looks = count_looks(e, PROBING, loads[LOAD_90]);

    answer_judge(
        answer, "B8",
        verdict_both(verdict_ratio_above(&chaining), verdict_ratio_above(&cuckoo)),
        chaining, "time of a miss at load 0.9, linear probing over chaining",
        "Nine tenths full, an absent key takes linear probing %.2f times as long as "
        "chaining [%.2f, %.2f] and %.2f times as long as cuckoo hashing with buckets of "
        "4 [%.2f, %.2f]: it looks at %.1f slots on average, Knuth's formula says %.1f.",
        chaining.value, chaining.low, chaining.high, cuckoo.value, cuckoo.low,
        cuckoo.high, looks.miss, theory_of(PROBING, loads[LOAD_90]).miss);
}

void dict_against_load(const struct study *study, const char *folder,
                       struct answer *answer)
{
    struct load_experiment e = {
        .study = study,
        .n_places = study_pick(study, 2800, 7 << 13, 7 << 17),
    };

    for (size_t t = 0; t < N_TABLES; t++)
        for (size_t load = 0; load < N_LOADS; load++)
            if (loads[load] <= tables[t].max_load)
                e.variants[e.n_variants++] = (struct load_variant){t, load};
    const struct sampling sampling = {
        .name = "samples-load",
        .fields = "insert_ns,hit_ns,miss_ns,remove_ns",
        .n_variants = e.n_variants,
        .n_repetitions = study_pick(study, 6, 20, 30),
        .warm_up = true,
        .describe = describe,
        .measure = measure,
        .context = &e,
    };
    struct samples samples = samples_take(study, folder, &sampling);
    write_data(&e, &samples, folder);
    fill_table(&e, &samples, answer);
    judge(&e, &samples, answer);
    samples_free(&samples);
}
