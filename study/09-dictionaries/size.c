/* SPDX-License-Identifier: MIT */
/* Does the time of an operation depend on how many keys there are?
 *
 * In a large table most of the time goes into waiting for memory, which says nothing about the number of
 * steps. So the same few keys are asked for again and again: whatever they touch is soon in the nearest
 * cache, however large the table is, and time counts steps. Insertion is counted, not timed: an observer
 * sees each entry that is placed or moved, those of rebuilding included. */
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "09-dictionaries/parts.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/samples.h"
#include "harness/timing.h"
#include "harness/trend.h"

enum { SCAN, TREE, CHAIN, PROBE, CUCKOO, N_SETS };
static const char *const set_names[N_SETS] = {"linear scan", "balanced tree", "chain",
                                              "probe", "cuckoo-table"};

enum { N_HOT = 8, MAX_SIZES = 20, LEAST_BITS = 4 };
enum { HIT_NS, MISS_NS, CHANGE_NS };

struct size_variant {
    size_t set;
    unsigned bits; /* log2 of the number of keys */
};

struct set_of_keys {
    uint64_t *keys; /* all of them; what a scan goes through */
    size_t n;
    void *root; /* of the tree, over `keys` */
    ninho_dict *dict;
};

struct size_experiment {
    const struct study *study;
    struct size_variant variants[N_SETS * MAX_SIZES];
    size_t n_variants;
    unsigned max_bits;
    size_t n_rounds;
    struct set_of_keys sets[N_SETS * MAX_SIZES]; /* made when first needed */
};

/* ---- The sets ------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void make_set(const struct size_experiment *e, size_t variant,
                     struct set_of_keys *made)
{
    const struct size_variant *v = &e->variants[variant];
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;

    made->n = (size_t)1 << v->bits;
    made->keys = allocate(made->n, sizeof *made->keys);
    for (size_t i = 0; i < made->n; i++)
        made->keys[i] = dict_key(e->study->seed, i);
    spec.key_size = sizeof(uint64_t);
    spec.seed = e->study->seed;
    spec.kind = v->set == CHAIN   ? NINHO_CHAIN
                : v->set == PROBE ? NINHO_PROBE
                                  : NINHO_CUCKOO_TABLE;
    if (v->set >= CHAIN)
        made->dict = dict_make(&spec);
    for (size_t i = 0; i < made->n && v->set != SCAN; i++)
        if (v->set >= CHAIN)
            dict_put_key(made->dict, made->keys[i]);
        else if (!tsearch(&made->keys[i], &made->root, by_number))
            fail("balanced tree: no memory");
}

static bool find(const struct set_of_keys *set, size_t kind, uint64_t key)
{
    if (kind >= CHAIN)
        return ninho_dict_get(set->dict, &key, sizeof key, NULL);
    if (kind == TREE)
        return tfind(&key, &set->root, by_number) != NULL;
    for (size_t i = 0; i < set->n; i++)
        if (set->keys[i] == key)
            return true;
    return false;
}

/* Takes a key out and puts it in again. A scan has nothing to change but its array. */
static bool change(struct set_of_keys *set, size_t kind, size_t i)
{
    uint64_t *key = &set->keys[i];

    if (kind >= CHAIN) {
        const bool was_there = ninho_dict_remove(set->dict, key, sizeof *key) == NINHO_OK;
        dict_put_key(set->dict, *key);
        return was_there;
    }
    if (kind == TREE)
        return tdelete(key, &set->root, by_number) != NULL &&
               tsearch(key, &set->root, by_number) != NULL;
    const uint64_t wanted = *key;
    size_t at = 0;
    while (at < set->n && set->keys[at] != wanted)
        at++;
    set->keys[at] = set->keys[set->n - 1]; /* the last one fills the gap ... */
    set->keys[set->n - 1] = wanted;        /* ... and the key comes back as the last */
    return at < set->n;
}

/* ---- Measuring ----------------------------------------------------------------------------- */

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct size_experiment *e = context;

    snprintf(text, VARIANT_TEXT, "%s 2^%u", set_names[e->variants[variant].set],
             e->variants[variant].bits);
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    struct size_experiment *e = context;
    struct set_of_keys *set = &e->sets[variant];
    const size_t kind = e->variants[variant].set;
    uint64_t absent[N_HOT];
    uint64_t present[N_HOT];
    size_t places[N_HOT];
    size_t n_found = 0;
    size_t n_false = 0;
    size_t n_changed = 0;

    if (!set->keys)
        make_set(e, variant, set);
    if (!set->keys)
        fail("%s: no keys", set_names[kind]);
    for (size_t i = 0; i < N_HOT; i++) {
        absent[i] = dict_absent_key(e->study->seed, repetition * N_HOT + i);
        places[i] = (size_t)(absent[i] % set->n);
        present[i] = set->keys[places[i]];
    }
    /* A scan of many keys needs no more than a few rounds. */
    const size_t n_rounds = kind == SCAN ? 1 + e->n_rounds / set->n : e->n_rounds;
    const double n_calls = (double)(n_rounds * N_HOT);
    for (size_t i = 0; i < N_HOT; i++)
        if (!find(set, kind, present[i]) || find(set, kind, absent[i]))
            fail("%s: a wrong answer", set_names[kind]);
    double start = seconds_of_thread();
    for (size_t round = 0; round < n_rounds; round++)
        for (size_t i = 0; i < N_HOT; i++)
            n_found += find(set, kind, present[i]);
    values[HIT_NS] = 1e9 * (seconds_of_thread() - start) / n_calls;
    start = seconds_of_thread();
    for (size_t round = 0; round < n_rounds; round++)
        for (size_t i = 0; i < N_HOT; i++)
            n_false += find(set, kind, absent[i]);
    values[MISS_NS] = 1e9 * (seconds_of_thread() - start) / n_calls;
    start = seconds_of_thread();
    for (size_t round = 0; round < n_rounds; round++)
        for (size_t i = 0; i < N_HOT; i++)
            n_changed += change(set, kind, places[i]);
    values[CHANGE_NS] = 1e9 * (seconds_of_thread() - start) / n_calls;
    if (n_found != n_rounds * N_HOT || n_false || n_changed != n_rounds * N_HOT)
        fail("%s: a wrong answer", set_names[kind]);
}

/* tdestroy is GNU's alone. */
static void free_tree(void *root)
{
    while (root) {
        const uint64_t key = **(uint64_t **)root;
        tdelete(&key, &root, by_number);
    }
}

/* ---- Steps of insertion -------------------------------------------------------------------- */

static void count_step(void *context, const ninho_event *event)
{
    if (event->type == NINHO_EVENT_TAG_PLACED || event->type == NINHO_EVENT_TAG_MOVED ||
        event->type == NINHO_EVENT_VICTIM_PARKED)
        ++*(uint64_t *)context;
}

struct work {
    double steps; /* entries placed or moved, for a key */
    double moves; /* displacements, for a key */
    double insert_ns;
};

/* Puts 2^bits keys into a cuckoo table that begins empty and grows. */
static struct work work_of(uint64_t seed, unsigned bits)
{
    const size_t n = (size_t)1 << bits;
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    uint64_t n_steps = 0;

    spec.kind = NINHO_CUCKOO_TABLE;
    spec.key_size = sizeof(uint64_t);
    spec.seed = seed;
    ninho_dict *timed = dict_make(&spec);
    const double start = seconds_of_thread();
    for (size_t i = 0; i < n; i++)
        dict_put_key(timed, dict_key(seed, i));
    const double seconds = seconds_of_thread() - start;
    ninho_dict_free(timed);
    spec.observer = count_step;
    spec.observer_context = &n_steps;
    ninho_dict *counted = dict_make(&spec);
    for (size_t i = 0; i < n; i++)
        dict_put_key(counted, dict_key(seed, i));
    if (ninho_dict_info_of(counted, &info) || info.count != n)
        fail("cuckoo-table: not all keys are there");
    ninho_dict_free(counted);
    return (struct work){(double)n_steps / (double)n, (double)info.n_moves / (double)n,
                         1e9 * seconds / (double)n};
}

enum { LEAST_WORK_BITS = 14 };
enum { STEPS, WORK_MOVES, INSERT_NS };

static void describe_work(void *context, size_t variant, char text[VARIANT_TEXT])
{
    (void)context;
    snprintf(text, VARIANT_TEXT, "2^%zu keys", LEAST_WORK_BITS + variant);
}

static void measure_work(void *context, size_t variant, size_t repetition, double *values)
{
    const struct study *study = context;
    const struct work work =
        work_of(study->seed + repetition, LEAST_WORK_BITS + (unsigned)variant);

    values[STEPS] = work.steps;
    values[WORK_MOVES] = work.moves;
    values[INSERT_NS] = work.insert_ns;
}

/* Writes work.csv; the trend of the steps over log2 n, all seeds together. */
static struct trend take_work(const struct study *study, const char *folder)
{
    const struct sampling sampling = {
        .name = "samples-work",
        .fields = "steps,moves,insert_ns",
        .n_variants = study_pick(study, 3, 7, 9),
        .n_repetitions = study_pick(study, 3, 5, 10),
        .describe = describe_work,
        .measure = measure_work,
        .context = (void *)study,
    };
    struct samples samples = samples_take(study, folder, &sampling);
    char path[4200];
    snprintf(path, sizeof path, "%swork.csv", folder);
    struct csv *csv =
        csv_open(path, "log2_n,run_seed,steps_per_key,moves_per_key,insert_ns");
    size_t variants[16];
    double x[16];

    for (size_t v = 0; v < samples.n_variants; v++) {
        variants[v] = v;
        x[v] = (double)(LEAST_WORK_BITS + v);
        for (size_t r = 0; r < samples.n_repetitions; r++) {
            csv_count(csv, LEAST_WORK_BITS + v);
            csv_count(csv, study->seed + r);
            for (size_t field = STEPS; field <= INSERT_NS; field++)
                csv_number(csv, samples_at(&samples, v, r)[field]);
            csv_end_row(csv);
        }
    }
    csv_close(csv);
    const struct trend trend =
        trend_of_all(&samples, variants, x, samples.n_variants, STEPS);
    samples_free(&samples);
    return trend;
}

/* ---- Results ------------------------------------------------------------------------------- */

static void write_growth(const struct size_experiment *e, const struct samples *samples,
                         const char *folder)
{
    static const size_t fields[] = {HIT_NS, MISS_NS, CHANGE_NS};
    char path[4200];
    snprintf(path, sizeof path, "%sgrowth.csv", folder);
    struct csv *csv =
        csv_open(path, "set,log2_n,hit_ns,hit_low,hit_high,miss_ns,miss_low,miss_high,"
                       "change_ns,change_low,change_high");

    for (size_t v = 0; v < e->n_variants; v++) {
        csv_text(csv, set_names[e->variants[v].set]);
        csv_count(csv, e->variants[v].bits);
        for (size_t i = 0; i < 3; i++) {
            const struct interval ns = samples_median(samples, v, fields[i]);
            csv_number(csv, ns.value);
            csv_number(csv, ns.low);
            csv_number(csv, ns.high);
        }
        csv_end_row(csv);
    }
    csv_close(csv);
}

/* Over all sizes that are measured, the smallest too. */
static struct trend trend_of_set(const struct size_experiment *e,
                                 const struct samples *samples, size_t set, size_t field)
{
    size_t variants[MAX_SIZES];
    double x[MAX_SIZES];
    size_t n = 0;

    for (size_t v = 0; v < e->n_variants; v++)
        if (e->variants[v].set == set) {
            variants[n] = v;
            x[n++] = e->variants[v].bits;
        }
    return trend_of(samples, variants, x, n, field);
}

static void judge(const struct size_experiment *e, const struct samples *samples,
                  const struct trend *work, struct answer *answer)
{
    const struct trend hit = trend_of_set(e, samples, CUCKOO, HIT_NS);
    const struct trend miss = trend_of_set(e, samples, CUCKOO, MISS_NS);
    const struct trend changing = trend_of_set(e, samples, CUCKOO, CHANGE_NS);
    const struct trend tree = trend_of_set(e, samples, TREE, HIT_NS);
    const enum verdict search = verdict_both(verdict_zero(&hit.line.slope, hit.whole),
                                             verdict_zero(&miss.line.slope, miss.whole));
    const enum verdict removal = verdict_zero(&changing.line.slope, changing.whole);
    const enum verdict insertion = verdict_zero(&work->line.slope, work->whole);

    answer_judge(answer, "B5", verdict_both(verdict_both(search, removal), insertion),
                 work->percent,
                 "change of the steps of an insertion over the whole range of n, per "
                 "cent of their mean",
                 "Over the range of n: a hit changes by %+.1f %% of its %.1f ns [%+.1f, "
                 "%+.1f], a miss by %+.1f %% of %.1f ns [%+.1f, %+.1f], removing a key "
                 "and putting it back by %+.1f %% of %.1f ns [%+.1f, %+.1f] (a hit in a "
                 "balanced tree: by %+.0f %%). An insertion places or moves %.3f "
                 "entries, rebuilding included; that changes by %+.1f %% [%+.1f, %+.1f]. "
                 "Constant is within 5 %%.",
                 hit.percent.value, hit.mean, hit.percent.low, hit.percent.high,
                 miss.percent.value, miss.mean, miss.percent.low, miss.percent.high,
                 changing.percent.value, changing.mean, changing.percent.low,
                 changing.percent.high, tree.percent.value, work->mean,
                 work->percent.value, work->percent.low, work->percent.high);
}

void dict_against_size(const struct study *study, const char *folder,
                       struct answer *answer)
{
    struct size_experiment *e = allocate(1, sizeof *e);

    e->study = study;
    e->max_bits = (unsigned)study_pick(study, 10, 18, 20);
    e->n_rounds = study_pick(study, 20, 400, 400);
    for (size_t set = 0; set < N_SETS; set++)
        for (unsigned bits = LEAST_BITS; bits <= e->max_bits;
             bits += set == CUCKOO ? 1 : 2)
            if (set != SCAN || bits <= 14)
                e->variants[e->n_variants++] = (struct size_variant){set, bits};
    const struct sampling sampling = {
        .name = "samples-growth",
        .fields = "hit_ns,miss_ns,change_ns",
        .n_variants = e->n_variants,
        .n_repetitions = study_pick(study, 3, 100, 300),
        .warm_up = true,
        .describe = describe,
        .measure = measure,
        .context = e,
    };
    struct samples samples = samples_take(study, folder, &sampling);
    const struct trend work = take_work(study, folder);
    write_growth(e, &samples, folder);
    judge(e, &samples, &work, answer);
    samples_free(&samples);
    for (size_t v = 0; v < e->n_variants; v++) {
        free_tree(e->sets[v].root);
        ninho_dict_free(e->sets[v].dict);
        free(e->sets[v].keys);
    }
    free(e);
}
