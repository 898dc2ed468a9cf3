/* SPDX-License-Identifier: MIT */
/* What is said of a chained table and of the space of a set: expected O(1), worst Θ(n), and
 * n log2(u/n) + Θ(n) bits. Places are counted, not timed, so that the same seed gives the same numbers on
 * every machine; the library's chain is timed beside it. */
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

/* ---- Expected ------------------------------------------------------------------------------ */

enum { LEAST_BITS = 8 };
enum { HIT_COMPARED, MISS_COMPARED };

static void describe_expected(void *context, size_t variant, char text[VARIANT_TEXT])
{
    (void)context;
    snprintf(text, VARIANT_TEXT, "2^%zu keys", LEAST_BITS + variant);
}

/* Keys compared in a chained table with as many lists as keys: 1.5 for a hit, in theory. */
static void measure_expected(void *context, size_t variant, size_t repetition,
                             double *values)
{
    const struct study *study = context;
    const uint64_t seed = study->seed + repetition;
    const size_t n = (size_t)1 << (LEAST_BITS + variant);
    struct textbook *table = textbook_create(TEXTBOOK_CHAINING, n, n, false);
    uint64_t n_hit = 0;
    uint64_t n_miss = 0;

    for (size_t i = 0; i < n; i++)
        textbook_put(table, dict_key(seed, i));
    for (size_t i = 0; i < n; i++)
        if (!textbook_has_counted(table, dict_key(seed, i), &n_hit) ||
            textbook_has_counted(table, dict_absent_key(seed, i), &n_miss))
            fail("chaining: a wrong answer");
    textbook_free(table);
    values[HIT_COMPARED] = (double)n_hit / (double)n;
    values[MISS_COMPARED] = (double)n_miss / (double)n;
}

/* expected.csv; the trend of the keys compared for a hit over log2 n, all seeds together. */
static struct trend take_expected(const struct study *study, const char *folder)
{
    const struct sampling sampling = {
        .name = "samples-expected",
        .fields = "hit_compared,miss_compared",
        .n_variants = study_pick(study, 4, 9, 13),
        .n_repetitions = study_pick(study, 3, 10, 20),
        .describe = describe_expected,
        .measure = measure_expected,
        .context = (void *)study,
    };
    struct samples samples = samples_take(study, folder, &sampling);
    size_t variants[16];
    double x[16];
    char path[4200];
    snprintf(path, sizeof path, "%sexpected.csv", folder);
    struct csv *csv =
        csv_open(path, "log2_n,run_seed,hit_compared,hit_theory,miss_compared,"
                       "miss_theory");

    for (size_t v = 0; v < samples.n_variants; v++) {
        const double n = exp2((double)(LEAST_BITS + v));
        variants[v] = v;
        x[v] = (double)(LEAST_BITS + v);
        for (size_t r = 0; r < samples.n_repetitions; r++) {
            const double *compared = samples_at(&samples, v, r);
            csv_count(csv, LEAST_BITS + v);
            csv_count(csv, study->seed + r);
            csv_number(csv, compared[HIT_COMPARED]);
            csv_number(csv, 1 + (n - 1) / (2 * n));
            csv_number(csv, compared[MISS_COMPARED]);
            csv_number(csv, 1);
            csv_end_row(csv);
        }
    }
    csv_close(csv);
    const struct trend trend =
        trend_of_all(&samples, variants, x, samples.n_variants, HIT_COMPARED);
    samples_free(&samples);
    return trend;
}

/* ---- Worst --------------------------------------------------------------------------------- */

static uint64_t equal_hash(void *context, const void *key, size_t key_size)
{
    (void)context;
    (void)key;
    (void)key_size;
    return UINT64_C(0x9e3779b97f4a7c15);
}

/* The library's table with all keys under one hash; NULL if it refuses the n-th. */
static ninho_dict *make_worst(ninho_dict_kind kind, uint64_t seed, size_t n,
                              size_t *n_taken)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;

    spec.kind = kind;
    spec.key_size = sizeof(uint64_t);
    spec.hash_function = equal_hash;
    if (kind == NINHO_CUCKOO_TABLE)
        spec.stash_size = 4;
    ninho_dict *dict = dict_make(&spec);
    for (*n_taken = 0; *n_taken < n; ++*n_taken) {
        const uint64_t key = dict_key(seed, *n_taken);
        if (ninho_dict_put(dict, &key, sizeof key, 0, NULL)) {
            ninho_dict_free(dict);
            return NULL;
        }
    }
    return dict;
}

static double miss_ns(const ninho_dict *dict, uint64_t seed, size_t n_calls)
{
    size_t n_found = 0;

    const double start = seconds_of_thread();
    for (size_t i = 0; i < n_calls; i++) {
        const uint64_t key = dict_absent_key(seed, i);
        n_found += ninho_dict_get(dict, &key, sizeof key, NULL);
    }
    if (n_found)
        fail("a dictionary found what is not there");
    return 1e9 * (seconds_of_thread() - start) / (double)n_calls;
}

static double compared_at_worst(uint64_t seed, size_t n)
{
    struct textbook *table = textbook_create(TEXTBOOK_CHAINING, n, n, true);
    uint64_t n_compared = 0;

    for (size_t i = 0; i < n; i++)
        textbook_put(table, dict_key(seed, i));
    for (size_t i = 0; i < 16; i++)
        if (textbook_has_counted(table, dict_absent_key(seed, i), &n_compared))
            fail("chaining: a wrong answer");
    textbook_free(table);
    return (double)n_compared / 16;
}

/* worst.csv; how many keys of one hash a cuckoo table takes. */
static size_t measure_worst(const struct study *study, const char *folder)
{
    const unsigned to = (unsigned)study_pick(study, 8, 12, 13);
    size_t n_taken_by_cuckoo;
    char path[4200];
    snprintf(path, sizeof path, "%sworst.csv", folder);
    struct csv *csv = csv_open(path, "log2_n,chaining_compared,chain_ns,probe_ns");

    for (unsigned bits = 3; bits <= to; bits++) {
        const size_t n = (size_t)1 << bits;
        const double compared = compared_at_worst(study->seed, n);
        size_t n_taken;
        ninho_dict *chain = make_worst(NINHO_CHAIN, study->seed, n, &n_taken);
        ninho_dict *probe = make_worst(NINHO_PROBE, study->seed, n, &n_taken);
        if (!chain || !probe)
            fail("equal hashes: a table is full that may not be");
        const size_t n_calls = 16 + (1 << 18) / n / (study->size == STUDY_TINY ? 64 : 1);
        csv_count(csv, bits);
        csv_number(csv, compared);
        csv_number(csv, miss_ns(chain, study->seed, n_calls));
        csv_number(csv, miss_ns(probe, study->seed, n_calls));
        csv_end_row(csv);
        ninho_dict_free(chain);
        ninho_dict_free(probe);
    }
    csv_close(csv);
    if (make_worst(NINHO_CUCKOO_TABLE, study->seed, 64, &n_taken_by_cuckoo))
        fail("cuckoo-table: 64 keys of one hash in 12 places");
    return n_taken_by_cuckoo;
}

/* ---- Space --------------------------------------------------------------------------------- */

/* log2 of the number of sets of n keys out of u. */
static double log2_sets(double u, double n)
{
    /* For n far below u the two large logarithms would cancel: sum of log2((u - i) / (i + 1)). */
    double sum = 0;

    for (double i = 0; i < n; i++)
        sum += log2((u - i) / (i + 1));
    return sum;
}

/* space.csv, and between which constants (log2 C(u, n) - n log2(u / n)) / n lies: ln n! = n ln n - n +
 * O(log n) gives log2 e in the limit, and less for small n. */
static void write_space(const struct study *study, const char *folder, double *least,
                        double *most)
{
    static const unsigned universes[] = {24, 32, 64};
    const unsigned to = (unsigned)study_pick(study, 12, 18, 20);
    char path[4200];
    snprintf(path, sizeof path, "%sspace.csv", folder);
    struct csv *csv = csv_open(path, "log2_u,log2_n,bits_per_key_least,log2_u_over_n,"
                                     "rest_per_key");

    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < sizeof universes / sizeof universes[0]; i++)
        for (unsigned bits = 4; bits <= to; bits += 2) {
            const double u = exp2(universes[i]);
            const double n = exp2(bits);
            const double each = log2_sets(u, n) / n;
            const double rest = each - (universes[i] - (double)bits);
            csv_count(csv, universes[i]);
            csv_count(csv, bits);
            csv_number(csv, each);
            csv_number(csv, universes[i] - (double)bits);
            csv_number(csv, rest);
            csv_end_row(csv);
            *least = fmin(*least, rest);
            *most = fmax(*most, rest);
        }
    csv_close(csv);
}

/* ---- The row ------------------------------------------------------------------------------- */

/* The claim has three parts. That a miss among n keys of one hash compares all of them, and that there are
 * so many sets of n out of u, is so by definition: it is told. That a hit compares a constant number of
 * keys is measured and judged. */
static void judge(const struct trend *expected, struct answer *answer)
{
    answer_judge(answer, "A18", verdict_zero(&expected->line.slope, expected->whole),
                 expected->percent,
                 "change of the keys compared for a hit over the range of n, per cent of "
                 "their mean",
                 "With a list for every key a hit compares %.3f keys (theory: 1.5), "
                 "whatever n is.",
                 expected->mean);
}

void dict_bounds(const struct study *study, const char *folder, struct answer *answer)
{
    const struct trend expected = take_expected(study, folder);
    const size_t n_taken_by_cuckoo = measure_worst(study, folder);
    double least;
    double most;

    write_space(study, folder, &least, &most);
    judge(&expected, answer);
    answer_add(answer, "A18",
               " Told, not judged, for they are so by definition: with equal hashes a "
               "miss compares all n keys; a set of n out of u takes n·log2(u/n) bits and "
               "%.3f to %.3f bits more for every key. Of keys with one hash, a cuckoo "
               "table with two functions, buckets of 4 and a stash of 4 takes %zu and "
               "refuses the next.",
               least, most, n_taken_by_cuckoo);
}
