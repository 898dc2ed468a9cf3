/* SPDX-License-Identifier: MIT */
/* Does a filter in front of a cache keep out what is asked for once?
 *
 *     request --> in the cache? --yes--> hit
 *                     | no
 *                 seen before? (filter) --no--> remember it in the filter, do not write it
 *                     | yes
 *                 write it into the cache, throw out what was used longest ago
 *
 * Everything is counted, nothing is timed: a variant is a policy with a cache size, a repetition is
 * another trace. */
#include "40-cache-admission/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

#include "40-cache-admission/lru.h"
#include "40-cache-admission/trace.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/samples.h"
#include "harness/words.h"

const struct figure cache_admission_figures[] = {
    {
        .name = "hit-rate",
        .caption =
            "Share of the requests that find their object in the cache, by the size of "
            "the cache. “Exact” remembers every object it has seen, without a filter's "
            "false positives. Mean over the traces; Student's 95 % intervals are "
            "drawn and mostly smaller than the marks.",
        .rows = "B7",
    },
    {
        .name = "written",
        .caption =
            "Bytes written into the cache for each byte asked for, in the same runs: "
            "what wears out its disks.",
        .rows = "B7",
    },
    {.name = NULL},
};

static const struct policy {
    const char *name;
    double fpr;
    ninho_kind kind; /* 0: no filter */
    bool is_exact;   /* remembers everything exactly */
} policies[] = {
    {"no filter", 0, 0, false},
    {"exact", 0, 0, true},
    {"bloom 10 %", 0.1, NINHO_BLOOM, false},
    {"bloom 1 %", 0.01, NINHO_BLOOM, false},
    {"bloom 0.1 %", 0.001, NINHO_BLOOM, false},
    {"blocked 1 %", 0.01, NINHO_BLOCKED, false},
    {"cuckoo 1 %", 0.01, NINHO_CUCKOO, false},
};
static const double cache_shares[] = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8};

enum {
    N_POLICIES = sizeof policies / sizeof policies[0],
    N_SHARES = sizeof cache_shares / sizeof cache_shares[0],
    NO_FILTER = 0,
    BLOOM_1 = 3 /* the one that is judged */
};

/* What one simulation counts. */
enum field {
    HIT_RATE,
    BYTE_HIT_RATE,
    WRITTEN,      /* bytes written / bytes asked for */
    ONCE_WRITTEN, /* objects asked for once that were written / all of them */
    FILTER_BYTES,
    N_OBJECTS,
    N_REQUESTS,
    ONCE_SHARE,
    N_FIELDS
};
#define FIELDS                                                                       \
    "hit_rate,byte_hit_rate,written,once_written,filter_bytes,n_objects,n_requests," \
    "once_share"

struct experiment {
    const struct study *study;
    size_t n_popular;
    size_t n_drawn;
    struct trace trace; /* of the repetition at hand */
    size_t repetition;
    bool has_trace;
};

static size_t variant_of(size_t policy, size_t share)
{
    return share * N_POLICIES + policy;
}

static void describe(void *context, size_t variant, char text[VARIANT_TEXT])
{
    (void)context;
    snprintf(text, VARIANT_TEXT, "%s; cache %g %%", policies[variant % N_POLICIES].name,
             100 * cache_shares[variant / N_POLICIES]);
}

/* What has been seen, by one of the policies. */
struct memory {
    const struct policy *policy;
    ninho_filter *filter;
    bool *has_seen;
    uint64_t seed;
};

static struct memory memory_make(const struct policy *policy, size_t n_objects,
                                 uint64_t seed)
{
    struct memory memory = {.policy = policy, .seed = mix64(seed)};
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    if (policy->is_exact)
        memory.has_seen = allocate(n_objects, sizeof *memory.has_seen);
    if (!policy->kind)
        return memory;
    spec.kind = policy->kind;
    spec.capacity = n_objects;
    spec.fpr = policy->fpr;
    spec.semantics = policy->kind == NINHO_CUCKOO ? NINHO_SET : NINHO_MULTISET;
    if (ninho_filter_create(&spec, NULL, &memory.filter, &error))
        fail("%s: %s", policy->name, error.text);
    return memory;
}

static void memory_free(struct memory *memory)
{
    ninho_filter_free(memory->filter);
    free(memory->has_seen);
}

/* Whether the object may have been seen before; now it has. */
static bool memory_sees(struct memory *memory, uint32_t object)
{
    if (memory->has_seen) {
        const bool is_seen = memory->has_seen[object];
        memory->has_seen[object] = true;
        return is_seen;
    }
    if (!memory->filter)
        return true;
    const uint64_t hash = mix64(object ^ memory->seed);
    if (ninho_filter_has(memory->filter, hash))
        return true;
    if (ninho_filter_add(memory->filter, hash))
        fail("%s: full before its capacity", memory->policy->name);
    return false;
}

static double size_of(const struct memory *memory)
{
    ninho_info info = NINHO_INFO_INIT;

    if (!memory->filter)
        return 0;
    if (ninho_filter_info(memory->filter, &info))
        fail("%s: no information", memory->policy->name);
    return (double)info.table_bytes;
}

static void simulate(const struct trace *trace, struct memory *memory, double share,
                     double *values)
{
    struct lru lru = lru_make((uint64_t)(share * (double)trace->total_bytes),
                              trace->sizes, trace->n_objects);
    uint64_t n_hits = 0, hit_bytes = 0, asked_bytes = 0, written_bytes = 0;
    uint64_t n_once_written = 0, n_once_hits = 0;

    for (size_t i = 0; i < trace->n_requests; i++) {
        const uint32_t object = trace->requests[i];
        const uint32_t bytes = trace->sizes[object];
        asked_bytes += bytes;
        if (lru_use(&lru, object)) {
            n_hits++;
            hit_bytes += bytes;
            n_once_hits += trace->n_times[object] == 1;
        } else if (memory_sees(memory, object) && lru_write(&lru, object)) {
            written_bytes += bytes;
            n_once_written += trace->n_times[object] == 1;
        }
    }
    lru_free(&lru);
    if (n_once_hits)
        fail("an object that is asked for once was found in the cache");
    values[HIT_RATE] = (double)n_hits / (double)trace->n_requests;
    values[BYTE_HIT_RATE] = (double)hit_bytes / (double)asked_bytes;
    values[WRITTEN] = (double)written_bytes / (double)asked_bytes;
    values[ONCE_WRITTEN] = (double)n_once_written / (double)trace->n_once;
    values[FILTER_BYTES] = size_of(memory);
    values[N_OBJECTS] = (double)trace->n_objects;
    values[N_REQUESTS] = (double)trace->n_requests;
    values[ONCE_SHARE] = (double)trace->n_once / (double)trace->n_objects;
}

static void measure(void *context, size_t variant, size_t repetition, double *values)
{
    struct experiment *e = context;
    const struct policy *policy = &policies[variant % N_POLICIES];

    if (!e->has_trace || e->repetition != repetition) {
        trace_free(&e->trace);
        e->trace =
            trace_make(e->n_popular, e->n_drawn, 0.9, mix64(e->study->seed) + repetition);
        e->repetition = repetition;
        e->has_trace = true;
    }
    struct memory memory =
        memory_make(policy, e->trace.n_objects, mix64(e->study->seed + 1) + repetition);
    simulate(&e->trace, &memory, cache_shares[variant / N_POLICIES], values);
    memory_free(&memory);
}

/* ---- The answer ---------------------------------------------------------------------------- */

static void write_csv(const struct samples *samples, const char *folder)
{
    static const enum field shown[] = {HIT_RATE, BYTE_HIT_RATE, WRITTEN, ONCE_WRITTEN};
    char path[4200];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "policy,cache_share,n_traces,n_objects,n_requests,once_share,filter_bytes,"
              "hit_rate,hit_rate_low,hit_rate_high,byte_hit_rate,byte_hit_rate_low,"
              "byte_hit_rate_high,written,written_low,written_high,once_written,"
              "once_written_low,once_written_high");
    for (size_t p = 0; p < N_POLICIES; p++)
        for (size_t s = 0; s < N_SHARES; s++) {
            const size_t v = variant_of(p, s);
            csv_text(csv, policies[p].name);
            csv_number(csv, cache_shares[s]);
            csv_count(csv, samples->n_repetitions);
            csv_number(csv, samples_mean(samples, v, N_OBJECTS).value);
            csv_number(csv, samples_mean(samples, v, N_REQUESTS).value);
            csv_number(csv, samples_mean(samples, v, ONCE_SHARE).value);
            csv_number(csv, samples_mean(samples, v, FILTER_BYTES).value);
            for (size_t f = 0; f < sizeof shown / sizeof shown[0]; f++) {
                const struct interval mean = samples_mean(samples, v, shown[f]);
                csv_number(csv, mean.value);
                csv_number(csv, mean.low);
                csv_number(csv, mean.high);
            }
            csv_end_row(csv);
        }
    csv_close(csv);
}

static void fill_table(const struct samples *samples, struct answer *answer)
{
    struct table *table = answer_add_table(
        answer, NULL,
        "policy|cache, of all bytes|hit rate|byte hit rate|written / asked for|"
        "one-hit objects written|filter, bits per object");

    for (size_t s = 0; s < N_SHARES; s++)
        for (size_t p = 0; p < N_POLICIES; p++) {
            char(*row)[CELL_TEXT] = table_add_row(table);
            const size_t v = variant_of(p, s);
            const double bits = 8 * samples_mean(samples, v, FILTER_BYTES).value /
                                samples_mean(samples, v, N_OBJECTS).value;
            snprintf(row[0], CELL_TEXT, "%s", policies[p].name);
            snprintf(row[1], CELL_TEXT, "%g %%", 100 * cache_shares[s]);
            snprintf(row[2], CELL_TEXT, "%.2f %%",
                     100 * samples_mean(samples, v, HIT_RATE).value);
            snprintf(row[3], CELL_TEXT, "%.2f %%",
                     100 * samples_mean(samples, v, BYTE_HIT_RATE).value);
            snprintf(row[4], CELL_TEXT, "%.4f", samples_mean(samples, v, WRITTEN).value);
            snprintf(row[5], CELL_TEXT, "%.3f %%",
                     100 * samples_mean(samples, v, ONCE_WRITTEN).value);
            if (policies[p].kind)
                snprintf(row[6], CELL_TEXT, "%.1f", bits);
        }
}

/* Bytes written and hit rate beside those without a filter, at every cache size. */
static void judge(const struct experiment *e, const struct samples *samples,
                  struct answer *answer)
{
    const size_t middle = 2; /* the cache size whose numbers are told */
    enum verdict fewer = HOLDS;
    size_t n_better = 0;

    for (size_t s = 0; s < N_SHARES; s++) {
        const size_t with = variant_of(BLOOM_1, s);
        const size_t without = variant_of(NO_FILTER, s);
        const struct interval bytes = samples_ratio(samples, with, without, WRITTEN);
        const struct interval hits = samples_ratio(samples, with, without, HIT_RATE);
        fewer = verdict_both(fewer, verdict_ratio_below(&bytes));
        n_better += verdict_at_least(&hits, 1) == HOLDS;
        answer->verdict = verdict_both(s ? answer->verdict : HOLDS,
                                       verdict_both(fewer, verdict_at_least(&hits, 1)));
    }
    const size_t with = variant_of(BLOOM_1, middle);
    const size_t without = variant_of(NO_FILTER, middle);
    const struct interval kept = samples_ratio(samples, with, without, ONCE_WRITTEN);
    const struct interval bytes = samples_ratio(samples, with, without, WRITTEN);
    const double hits_with = samples_mean(samples, with, HIT_RATE).value;
    const double hits_without = samples_mean(samples, without, HIT_RATE).value;
    snprintf(
        answer->summary, sizeof answer->summary,
        "With a Bloom filter of 1 %% in front, a cache of %g %% of all bytes writes "
        "%.3f times the bytes [%.3f, %.3f], and %.1f %% instead of %.1f %% of the "
        "requests find their object. The hit rate is at least as high at %zu of %d "
        "cache sizes: where the cache is so large that what is asked for once does no "
        "harm, the filter costs every other object its second request.",
        100 * cache_shares[middle], bytes.value, bytes.low, bytes.high, 100 * hits_with,
        100 * hits_without, n_better, N_SHARES);
    answer_judge(
        answer, "B7", verdict_both(verdict_ratio_below(&kept), fewer), kept,
        "objects asked for once that are written, Bloom 1 % / no filter",
        "The trace is made so that %.2f %% of its objects are asked for once; that such "
        "traces are usual is not tested here. Without a filter %.1f %% of them are "
        "written "
        "into a cache of %g %%, with a Bloom filter of 1 %% %.3f %%, and the bytes "
        "written "
        "fall to %.3f times [%.3f, %.3f]; they are fewer at all %d cache sizes%s.",
        100 * samples_mean(samples, with, ONCE_SHARE).value,
        100 * samples_mean(samples, without, ONCE_WRITTEN).value,
        100 * cache_shares[middle], 100 * samples_mean(samples, with, ONCE_WRITTEN).value,
        bytes.value, bytes.low, bytes.high, N_SHARES,
        fewer == HOLDS ? "" : " only in part");
    answer_mark(answer, "B7", BY_DEFINITION,
                "What is asked for once is written at its second request, which never "
                "comes: only false positives let it in. The question that can fail is "
                "this one's own claim, that the hit rate gains.");
    snprintf(
        answer->setup, sizeof answer->setup,
        "%zu made-up traces. %zu requests to %zu popular objects by Zipf's law "
        "(exponent 0.9), and as many objects asked for once, at random places, as make "
        "75 %% of all objects: %.0f requests to %.0f objects. Sizes are log-normal, "
        "median 20 kB. The cache holds the given share of the bytes of all objects and "
        "throws out what was used longest ago. With a filter, an object is written when "
        "it is asked for the second time; the filter is made for the number of objects "
        "of the trace. Counts, no times.",
        samples->n_repetitions, e->n_drawn, e->n_popular,
        samples_mean(samples, with, N_REQUESTS).value,
        samples_mean(samples, with, N_OBJECTS).value);
}

void run_cache_admission(const struct study *study, const char *folder,
                         struct answer *answer)
{
    struct experiment e = {
        .study = study,
        .n_popular = study_pick(study, 5000, 100000, 1000000),
        .n_drawn = study_pick(study, 20000, 400000, 4000000),
    };
    const struct sampling sampling = {
        .name = "samples",
        .fields = FIELDS,
        .n_variants = (size_t)N_POLICIES * N_SHARES,
        .n_repetitions = study_pick(study, 3, 5, 30),
        .describe = describe,
        .measure = measure,
        .context = &e,
    };
    struct samples samples = samples_take(study, folder, &sampling);

    write_csv(&samples, folder);
    fill_table(&samples, answer);
    judge(&e, &samples, answer);
    samples_free(&samples);
    trace_free(&e.trace);
}
