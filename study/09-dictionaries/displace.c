/* SPDX-License-Identifier: MIT */
/* Cuckoo hashing with d functions, buckets of b and a stash of s, filled until it gives up. The number of
 * places is fixed, so a walk that fails means other functions: a rehash; and where four sets of functions
 * fail one after another, the table is full. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "09-dictionaries/parts.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/progress.h"
#include "harness/samples.h"

static const unsigned functions[] = {2, 3, 4};
static const unsigned buckets[] = {1, 2, 4, 8};
static const unsigned stashes[] = {0, 4};
enum {
    N_FUNCTIONS = 3,
    N_BUCKETS = 4,
    N_STASHES = 2,
    N_SHAPES = N_FUNCTIONS * N_BUCKETS * N_STASHES,
    N_STEPS = 50,     /* of load, two per cent each */
    MAX_REHASHES = 50 /* it has given up long before */
};

enum { FIRST_REHASH, FULL_AT, TOTAL_MOVES, TOTAL_REHASHES };

struct displacement_experiment {
    const struct study *study;
    size_t n_slots;
    size_t n_repetitions;
    /* what happened up to each step of load, by shape; the sum over the repetitions that came that far */
    struct {
        double moves;
        double rehashes;
        double n_keys;
        size_t n_reached;
    } steps[N_SHAPES][N_STEPS + 1];
};

static unsigned d_of(size_t shape)
{
    return functions[shape / (N_BUCKETS * N_STASHES)];
}

static unsigned b_of(size_t shape)
{
    return buckets[shape / N_STASHES % N_BUCKETS];
}

static unsigned s_of(size_t shape)
{
    return stashes[shape % N_STASHES];
}

static size_t shape_of(size_t d, size_t b, size_t s)
{
    return (d * N_BUCKETS + b) * N_STASHES + s;
}

static ninho_dict_info info_of(const ninho_dict *dict)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;

    if (ninho_dict_info_of(dict, &info))
        fail("cuckoo-table: no information");
    return info;
}

/* Every key is found again, and nobody else. */
static void check(const ninho_dict *dict, uint64_t seed, uint64_t n)
{
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_dict_count(dict) != n || ninho_dict_verify(dict, &error))
        fail("cuckoo-table: %s", error.text);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = dict_key(seed, i);
        const uint64_t absent = dict_absent_key(seed, i);
        if (!ninho_dict_get(dict, &key, sizeof key, NULL) ||
            ninho_dict_get(dict, &absent, sizeof absent, NULL))
            fail("cuckoo-table: a wrong answer");
    }
}

/* Fills one table; notes the steps. */
static void fill(struct displacement_experiment *e, size_t shape, uint64_t seed,
                 double *values)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    uint64_t n = 0;
    ninho_dict_info before = {.n_moves = 0};
    size_t next_step = 1;

    spec.kind = NINHO_CUCKOO_TABLE;
    spec.key_size = sizeof(uint64_t);
    spec.seed = seed;
    spec.n_functions = d_of(shape);
    spec.bucket_size = b_of(shape);
    spec.stash_size = s_of(shape);
    spec.n_buckets = e->n_slots / spec.bucket_size;
    ninho_dict *dict = dict_make(&spec);
    values[FIRST_REHASH] = NAN;
    for (;;) {
        const uint64_t key = dict_key(seed, n);
        if (ninho_dict_put(dict, &key, sizeof key, n, NULL))
            break;
        n++;
        const ninho_dict_info info = info_of(dict);
        if (info.n_rehashes && isnan(values[FIRST_REHASH]))
            values[FIRST_REHASH] = (double)(n - 1) / (double)e->n_slots;
        if (next_step <= N_STEPS && n * N_STEPS >= next_step * e->n_slots) {
            e->steps[shape][next_step].moves += (double)(info.n_moves - before.n_moves);
            e->steps[shape][next_step].rehashes += (double)info.n_rehashes;
            e->steps[shape][next_step].n_keys += (double)(n - before.count);
            e->steps[shape][next_step].n_reached++;
            before = info;
            next_step++;
        }
        if (info.n_rehashes > MAX_REHASHES || n == e->n_slots + spec.stash_size)
            break;
    }
    const ninho_dict_info info = info_of(dict);
    values[FULL_AT] = (double)n / (double)e->n_slots;
    if (isnan(values[FIRST_REHASH]))
        values[FIRST_REHASH] = values[FULL_AT];
    values[TOTAL_MOVES] = (double)info.n_moves;
    values[TOTAL_REHASHES] = (double)info.n_rehashes;
    check(dict, seed, n);
    ninho_dict_free(dict);
}

/* ---- Results ------------------------------------------------------------------------------- */

static void write_steps(const struct displacement_experiment *e, const char *folder)
{
    char path[4200];
    snprintf(path, sizeof path, "%sdisplacements.csv", folder);
    struct csv *csv =
        csv_open(path, "d,b,stash,load,n_slots,n_runs,n_reached,moves_per_key,rehashes");

    for (size_t shape = 0; shape < N_SHAPES; shape++)
        for (size_t step = 1; step <= N_STEPS; step++) {
            const size_t n = e->steps[shape][step].n_reached;
            if (n == 0)
                continue;
            csv_count(csv, d_of(shape));
            csv_count(csv, b_of(shape));
            csv_count(csv, s_of(shape));
            csv_number(csv, (double)step / N_STEPS);
            csv_count(csv, e->n_slots);
            csv_count(csv, e->n_repetitions);
            csv_count(csv, n);
            csv_number(csv, e->steps[shape][step].moves / e->steps[shape][step].n_keys);
            csv_number(csv, e->steps[shape][step].rehashes / (double)n);
            csv_end_row(csv);
        }
    csv_close(csv);
}

static struct interval of_runs(const double *values, size_t n, size_t field)
{
    double *column = allocate(n, sizeof *column);

    for (size_t i = 0; i < n; i++)
        column[i] = values[4 * i + field];
    const struct interval interval = mean_interval(column, n);
    free(column);
    return interval;
}

static void write_reached(const struct displacement_experiment *e, const double *values,
                          const char *folder, struct answer *answer)
{
    char path[4200];
    snprintf(path, sizeof path, "%sreached.csv", folder);
    struct csv *csv = csv_open(path, "d,b,stash,n_runs,first_rehash,first_rehash_low,"
                                     "first_rehash_high,full,full_low,full_high");
    struct table *table =
        answer_add_table(answer,
                         "Cuckoo hashing: how full before the functions must change, and "
                         "before it gives up",
                         "functions|bucket|stash|first rehash at load|full at load");

    for (size_t shape = 0; shape < N_SHAPES; shape++) {
        const double *own = values + 4 * shape * e->n_repetitions;
        const struct interval first = of_runs(own, e->n_repetitions, FIRST_REHASH);
        const struct interval full = of_runs(own, e->n_repetitions, FULL_AT);
        csv_count(csv, d_of(shape));
        csv_count(csv, b_of(shape));
        csv_count(csv, s_of(shape));
        csv_count(csv, e->n_repetitions);
        csv_number(csv, first.value);
        csv_number(csv, first.low);
        csv_number(csv, first.high);
        csv_number(csv, full.value);
        csv_number(csv, full.low);
        csv_number(csv, full.high);
        csv_end_row(csv);
        char(*row)[CELL_TEXT] = table_add_row(table);
        snprintf(row[0], CELL_TEXT, "%u", d_of(shape));
        snprintf(row[1], CELL_TEXT, "%u", b_of(shape));
        snprintf(row[2], CELL_TEXT, "%u", s_of(shape));
        snprintf(row[3], CELL_TEXT, "%.3f [%.3f, %.3f]", first.value, first.low,
                 first.high);
        snprintf(row[4], CELL_TEXT, "%.3f [%.3f, %.3f]", full.value, full.low, full.high);
    }
    csv_close(csv);
}

/* The load at the first rehash of one shape over that of the lecture's table, run by run. */
static struct interval gain_of(const struct displacement_experiment *e,
                               const double *values, size_t shape)
{
    const size_t n = e->n_repetitions;
    const size_t plain = shape_of(0, 0, 0);
    double *ratios = allocate(n, sizeof *ratios);

    for (size_t r = 0; r < n; r++)
        ratios[r] = values[4 * (shape * n + r) + FIRST_REHASH] /
                    values[4 * (plain * n + r) + FIRST_REHASH];
    const struct interval interval = mean_interval(ratios, n);
    free(ratios);
    return interval;
}

static void describe_shape(void *context, size_t shape, char text[VARIANT_TEXT])
{
    (void)context;
    snprintf(text, VARIANT_TEXT, "d %u b %u stash %u", d_of(shape), b_of(shape),
             s_of(shape));
}

static void judge(const struct displacement_experiment *e, const double *values,
                  struct answer *answer)
{
    const struct interval third = gain_of(e, values, shape_of(1, 0, 0));
    const struct interval stash = gain_of(e, values, shape_of(0, 0, 1));
    const struct interval bucket = gain_of(e, values, shape_of(0, 1, 0));
    const enum verdict all = verdict_both(
        verdict_ratio_above(&third),
        verdict_both(verdict_ratio_above(&stash), verdict_ratio_above(&bucket)));

    answer_judge(
        answer, "B6", all, stash,
        "load at the first rehash with a stash of 4 over that without one",
        "Beside two functions and buckets of 1, the first rehash comes at %.2f times the "
        "load with three functions [%.2f, %.2f], at %.2f times with buckets of 2 [%.2f, "
        "%.2f], at %.2f times with a stash of 4 [%.2f, %.2f].",
        third.value, third.low, third.high, bucket.value, bucket.low, bucket.high,
        stash.value, stash.low, stash.high);
}

void dict_displacements(const struct study *study, const char *folder,
                        struct answer *answer)
{
    struct displacement_experiment *e = allocate(1, sizeof *e);

    e->study = study;
    e->n_slots = study_pick(study, 1 << 9, 1 << 14, 1 << 17);
    e->n_repetitions = study_pick(study, 3, 30, 30);
    double *values = allocate(N_SHAPES * e->n_repetitions * 4, sizeof *values);
    struct progress progress = progress_begin("displacements");
    for (size_t shape = 0; shape < N_SHAPES; shape++)
        for (size_t r = 0; r < e->n_repetitions; r++) {
            fill(e, shape, study->seed + r, values + 4 * (shape * e->n_repetitions + r));
            progress_show(&progress, (double)(shape * e->n_repetitions + r + 1) /
                                         (double)(N_SHAPES * e->n_repetitions));
        }
    progress_end(&progress);
    const struct sampling sampling = {
        .name = "samples-displacements",
        .fields = "first_rehash,full_at,moves,rehashes",
        .n_variants = N_SHAPES,
        .n_repetitions = e->n_repetitions,
        .describe = describe_shape,
    };
    struct samples kept = samples_keep(study, folder, &sampling, values);
    write_steps(e, folder);
    write_reached(e, kept.values, folder, answer);
    judge(e, kept.values, answer);
    samples_free(&kept);
    free(values);
    free(e);
}
