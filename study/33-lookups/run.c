/* SPDX-License-Identifier: MIT */
/* How long a lookup takes: for each family at one rate, for the cuckoo filter at 95 % load beside the Bloom
 * filter at several rates, and for the Bloom filter against n and against k. */
#include "33-lookups/run.h"

#include <math.h>
#include <ninho/ninho.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/samples.h"
#include "harness/timing.h"
#include "harness/trend.h"
#include "harness/words.h"

const struct figure lookups_figures[] = {
    {.name = "families",
     .caption =
         "Time of one lookup at ε = 1 %, every kind full: keys that are absent (the time "
         "to "
         "reject) and keys "
         "that are there, one call for each key and in batches; means with Student's "
         "intervals.",
     .rows = "A9"},
    {.name = "cuckoo-bloom",
     .caption = "The cuckoo filter at 95 % load beside the Bloom filter of the same "
                "rate: time of "
                "one lookup, half of "
                "the keys there.",
     .rows = "A10"},
    {.name = "time-n",
     .caption = "Bloom filter, k = 7, 10 bits per key: time per add and per lookup of a "
                "key that is "
                "there, against n.",
     .data = "sizes.csv",
     .rows = "B2"},
    {.name = "time-k",
     .caption = "Bloom filter of a fixed number of keys, k / ln 2 bits per key: time per "
                "add and "
                "per lookup of a key "
                "that is there, against k, with the fitted lines.",
     .data = "hashes.csv",
     .rows = "B2"},
    {.name = NULL},
};

/* ---- What is compared ---------------------------------------------------------------------- */

/* One filter that is looked up in. */
struct cell {
    const char *name;
    ninho_kind kind;
    bool is_original; /* cuckoo: as published, at 95 % of its slots */
    uint32_t
        tag_bits; /* the rate is that of an original cuckoo filter with such tags; 0: 1 % */
    size_t n;
    uint32_t n_hashes; /* bloom by hand: k, with bits_per_key; 0: as planned */
    double bits_per_key;
};

enum {
    MAX_CELLS = 24,
    N_FAMILIES = 8,
    N_WIDTHS = 3,
    N_SIZES = 6,
    N_HASHES = 6,
    N_PASSES = 4
};

static const struct {
    const char *name;
    ninho_kind kind;
    bool is_original;
} families[N_FAMILIES] = {
    {"bloom", NINHO_BLOOM, false},
    {"blocked", NINHO_BLOCKED, false},
    {"counting", NINHO_COUNTING, false},
    {"cuckoo", NINHO_CUCKOO, false},
    {"cuckoo original", NINHO_CUCKOO, true},
    {"quotient", NINHO_QUOTIENT, false},
    {"fuse", NINHO_FUSE, false},
    {"compact", NINHO_COMPACT, false},
};
enum { BLOOM = 0, COUNTING = 2, QUOTIENT = 5 };

static const uint32_t widths[N_WIDTHS] = {8, 12, 16};

enum field { MISS_NS, HIT_NS, MISS_MANY_NS, HIT_MANY_NS, ADD_NS, HOT_NS, FPR, BITS };
#define FIELDS "miss_ns,hit_ns,miss_many_ns,hit_many_ns,add_ns,hot_ns,fpr,bits"

struct context {
    const struct study *study;
    struct cell cells[MAX_CELLS];
    size_t n_cells;
    size_t n_asked;
    /* filters are made once and kept for all repetitions */
    ninho_filter *filters[MAX_CELLS];
    double add_ns[MAX_CELLS];
    uint64_t *hashes;
    uint64_t *maybe;
};

static void add_cell(struct context *context, struct cell cell)
{
    if (context->n_cells == MAX_CELLS)
        fail("more than %d filters", MAX_CELLS);
    context->cells[context->n_cells++] = cell;
}

/* The filter as it was published, its table filled to 95 % by the keys: they are 95 % of a power of two.
 * 500 kicks are few for the last ones, and lookups do not know how many there were. */
static void make_original(ninho_spec *spec)
{
    ninho_spec_original(spec);
    spec->n_slots = (uint64_t)exp2(ceil(log2((double)spec->capacity)));
    spec->max_kicks = 20000;
}

/* The expected rate of an original cuckoo filter with such tags, which is full at n keys. */
static double original_rate(size_t n, uint32_t tag_bits)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_plan plan = NINHO_PLAN_INIT;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = n;
    spec.tag_bits = tag_bits;
    make_original(&spec);
    if (ninho_filter_plan(&spec, &plan, NULL))
        fail("no plan for a cuckoo filter");
    return plan.fpr_expected;
}

static ninho_spec spec_of(const struct cell *cell)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = cell->kind;
    spec.capacity = cell->n;
    if (cell->n_hashes) {
        spec.n_hashes = cell->n_hashes;
        spec.n_bits = (uint64_t)ceil(cell->bits_per_key * (double)cell->n);
    } else {
        spec.fpr = cell->tag_bits ? original_rate(cell->n, cell->tag_bits) : 0.01;
    }
    if (cell->is_original) {
        make_original(&spec);
        if (cell->tag_bits) {
            spec.tag_bits = cell->tag_bits;
            spec.fpr = 0;
        }
    }
    return spec;
}

/* ---- Measuring ----------------------------------------------------------------------------- */

static uint64_t stream_of(const struct context *context)
{
    return mix64(context->study->seed + 7);
}

/* Makes the filter of a cell, if it is not there, and times its adds. */
static void make(struct context *context, size_t c)
{
    const struct cell *cell = &context->cells[c];
    const uint64_t stream = stream_of(context);
    const ninho_spec spec = spec_of(cell);
    uint64_t *hashes = allocate(cell->n, sizeof *hashes);
    ninho_error error = NINHO_ERROR_INIT;

    for (size_t i = 0; i < cell->n; i++)
        hashes[i] = mix64(stream + i);
    ninho_filter_free(context->filters[c]);
    context->filters[c] = NULL;
    const double start = seconds_of_thread();
    if (ninho_filter_build(&spec, hashes, cell->n, NULL, &context->filters[c], &error))
        fail("%s: %s", cell->name, error.text);
    context->add_ns[c] = 1e9 * (seconds_of_thread() - start) / (double)cell->n;
    free(hashes);
}

/* Keys that are there: any of them, in no order. */
static void list_present(struct context *context, const struct cell *cell,
                         size_t repetition)
{
    const uint64_t stream = stream_of(context);

    for (size_t i = 0; i < context->n_asked; i++)
        context->hashes[i] =
            mix64(stream + mix64(1000 * repetition + i) % (uint64_t)cell->n);
}

static void list_absent(struct context *context, const struct cell *cell,
                        size_t repetition)
{
    const uint64_t stream = stream_of(context) + cell->n + repetition * context->n_asked;

    for (size_t i = 0; i < context->n_asked; i++)
        context->hashes[i] = mix64(stream + i);
}

/* One call for each key, and a call for all; both must find the same number. The quickest of some passes
 * counts: what else the machine does can only make one slower. */
static uint64_t ask(struct context *context, const ninho_filter *filter, double *one_ns,
                    double *many_ns)
{
    const double n = (double)context->n_asked;
    uint64_t n_many = 0;

    *one_ns = *many_ns = INFINITY;
    for (size_t pass = 0; pass < N_PASSES; pass++) {
        uint64_t n_one = 0;
        double start = seconds_of_thread();
        for (size_t i = 0; i < context->n_asked; i++)
            n_one += ninho_filter_has(filter, context->hashes[i]);
        *one_ns = fmin(*one_ns, 1e9 * (seconds_of_thread() - start) / n);
        start = seconds_of_thread();
        n_many = ninho_filter_has_many(filter, context->hashes, context->n_asked,
                                       context->maybe);
        *many_ns = fmin(*many_ns, 1e9 * (seconds_of_thread() - start) / n);
        if (n_one != n_many)
            fail("a batch finds %llu keys, single lookups %llu",
                 (unsigned long long)n_many, (unsigned long long)n_one);
    }
    return n_many;
}

/* The first eight of the keys listed, asked for again and again, so that steps are timed and not memory. */
static double ask_hot(const struct context *context, const ninho_filter *filter)
{
    enum { N_HOT = 8 };
    double ns = INFINITY;

    for (size_t pass = 0; pass < N_PASSES; pass++) {
        size_t n_found = 0;
        const double start = seconds_of_thread();
        for (size_t i = 0; i < context->n_asked; i++)
            n_found += ninho_filter_has(filter, context->hashes[i % N_HOT]);
        ns = fmin(ns, 1e9 * (seconds_of_thread() - start) / (double)context->n_asked);
        if (n_found != context->n_asked)
            fail("a key that was added is denied");
    }
    return ns;
}

static void measure(void *argument, size_t variant, size_t repetition, double *values)
{
    struct context *context = argument;
    const struct cell *cell = &context->cells[variant];
    ninho_info info = NINHO_INFO_INIT;

    if (!context->filters[variant] || cell->n_hashes)
        make(context, variant);
    const ninho_filter *filter = context->filters[variant];
    list_present(context, cell, repetition);
    if (ask(context, filter, &values[HIT_NS], &values[HIT_MANY_NS]) != context->n_asked)
        fail("%s: a key that was added is denied", cell->name);
    values[HOT_NS] = ask_hot(context, filter);
    list_absent(context, cell, repetition);
    const uint64_t n_false =
        ask(context, filter, &values[MISS_NS], &values[MISS_MANY_NS]);
    if (ninho_filter_info(filter, &info))
        fail("%s: no information", cell->name);
    values[ADD_NS] = context->add_ns[variant];
    values[FPR] = (double)n_false / (double)context->n_asked;
    values[BITS] = 8 * (double)info.table_bytes / (double)cell->n;
    if (cell->n_hashes) { /* made anew each time, since its adds are timed */
        ninho_filter_free(context->filters[variant]);
        context->filters[variant] = NULL;
    }
}

static void describe(void *argument, size_t variant, char text[VARIANT_TEXT])
{
    const struct cell *cell = &((const struct context *)argument)->cells[variant];

    snprintf(text, VARIANT_TEXT, "%s n %zu tag %u k %u", cell->name, cell->n,
             cell->tag_bits, cell->n_hashes);
}

static struct samples take(struct context *context, const char *folder, const char *name)
{
    const struct sampling sampling = {
        .name = name,
        .fields = FIELDS,
        .n_variants = context->n_cells,
        .n_repetitions = study_pick(context->study, 2, 9, 30),
        .warm_up = context->study->size != STUDY_TINY,
        .describe = describe,
        .measure = measure,
        .context = context,
    };
    const struct samples samples = samples_take(context->study, folder, &sampling);

    for (size_t i = 0; i < context->n_cells; i++) {
        ninho_filter_free(context->filters[i]);
        context->filters[i] = NULL;
    }
    return samples;
}

/* ---- The cells ----------------------------------------------------------------------------- */

/* All families at 1 %, then Bloom and both cuckoo filters at the rates of three tags. */
static void list_families(struct context *context)
{
    const size_t n =
        (size_t)(0.95 * (double)study_pick(context->study, 1 << 13, 1 << 20, 1 << 24));

    context->n_cells = 0;
    for (size_t f = 0; f < N_FAMILIES; f++)
        add_cell(context, (struct cell){.name = families[f].name,
                                        .kind = families[f].kind,
                                        .is_original = families[f].is_original,
                                        .n = n});
    for (size_t w = 0; w < N_WIDTHS; w++) {
        struct cell cell = {.tag_bits = widths[w], .n = n};
        cell.name = "bloom";
        cell.kind = NINHO_BLOOM;
        add_cell(context, cell);
        cell.name = "cuckoo original";
        cell.kind = NINHO_CUCKOO;
        cell.is_original = true;
        add_cell(context, cell);
        cell.name = "cuckoo";
        cell.is_original = false;
        add_cell(context, cell);
    }
}

static size_t width_cell(size_t width, size_t which)
{
    return N_FAMILIES + 3 * width + which;
}

static void list_sizes(struct context *context)
{
    const unsigned last = (unsigned)study_pick(context->study, 12, 22, 27);
    const unsigned step = study_pick(context->study, 1, 2, 3) & 3;

    context->n_cells = 0;
    for (unsigned i = 0; i < N_SIZES; i++)
        add_cell(context,
                 (struct cell){.name = "bloom",
                               .kind = NINHO_BLOOM,
                               .n = (size_t)1 << (last - step * (N_SIZES - 1 - i)),
                               .n_hashes = 7,
                               .bits_per_key = 10});
}

static const uint32_t hashes[N_HASHES] = {1, 2, 4, 8, 12, 16};

static void list_hashes(struct context *context)
{
    context->n_cells = 0;
    for (size_t i = 0; i < N_HASHES; i++)
        add_cell(context,
                 (struct cell){.name = "bloom",
                               .kind = NINHO_BLOOM,
                               .n = study_pick(context->study, 2000, 1 << 15, 1 << 15),
                               .n_hashes = hashes[i],
                               .bits_per_key = hashes[i] / LN2});
}

/* ---- Results ------------------------------------------------------------------------------- */

static void write_csv(const struct context *context, const struct samples *samples,
                      const char *folder, const char *name)
{
    static const enum field times[] = {MISS_NS,     HIT_NS, MISS_MANY_NS,
                                       HIT_MANY_NS, ADD_NS, HOT_NS};
    char path[4300];

    snprintf(path, sizeof path, "%s%s", folder, name);
    struct csv *csv = csv_open(
        path, "kind,n,tag_bits,k,n_repetitions,rate,bits_per_key,miss_ns,miss_ns_low,"
              "miss_ns_high,hit_ns,hit_ns_low,hit_ns_high,miss_many_ns,miss_many_ns_low,"
              "miss_many_ns_high,hit_many_ns,hit_many_ns_low,hit_many_ns_high,add_ns,"
              "add_ns_low,add_ns_high,hot_ns,hot_ns_low,hot_ns_high");
    for (size_t c = 0; c < context->n_cells; c++) {
        const struct cell *cell = &context->cells[c];

        csv_text(csv, cell->name);
        csv_count(csv, cell->n);
        csv_count(csv, cell->tag_bits);
        csv_count(csv, cell->n_hashes);
        csv_count(csv, samples->n_repetitions);
        csv_number(csv, samples_mean(samples, c, FPR).value);
        csv_number(csv, samples_mean(samples, c, BITS).value);
        for (size_t t = 0; t < sizeof times / sizeof times[0]; t++) {
            const struct interval time = samples_mean(samples, c, times[t]);
            csv_number(csv, time.value);
            csv_number(csv, time.low);
            csv_number(csv, time.high);
        }
        csv_end_row(csv);
    }
    csv_close(csv);
}

/* The ratio of two filters' lookup times, half of the keys there, in each repetition. */
static struct interval time_ratio(const struct samples *samples, size_t a, size_t b,
                                  bool is_batch)
{
    const size_t miss = is_batch ? MISS_MANY_NS : MISS_NS;
    const size_t hit = is_batch ? HIT_MANY_NS : HIT_NS;
    double *ratios = allocate(samples->n_repetitions, sizeof *ratios);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        const double *x = samples_at(samples, a, r);
        const double *y = samples_at(samples, b, r);
        ratios[r] = (x[miss] + x[hit]) / (y[miss] + y[hit]);
    }
    const struct interval mean = mean_interval(ratios, samples->n_repetitions);
    free(ratios);
    return mean;
}

/* Bits over a Bloom filter's of the same rate, in each repetition: no filter has just the rate it was
 * asked for, and a Bloom filter's bits go with the logarithm of the rate. */
static struct interval space_ratio(const struct samples *samples, size_t a)
{
    double *ratios = allocate(samples->n_repetitions, sizeof *ratios);

    for (size_t r = 0; r < samples->n_repetitions; r++) {
        const double *x = samples_at(samples, a, r);
        const double *bloom = samples_at(samples, BLOOM, r);
        ratios[r] = x[BITS] / (bloom[BITS] * log(x[FPR]) / log(bloom[FPR]));
    }
    const struct interval mean = mean_interval(ratios, samples->n_repetitions);
    free(ratios);
    return mean;
}

static void judge_families(const struct samples *samples, struct answer *answer)
{
    const struct interval counting_space = space_ratio(samples, COUNTING);
    const struct interval quotient_space = space_ratio(samples, QUOTIENT);
    const struct interval counting = time_ratio(samples, COUNTING, BLOOM, false);
    const struct interval quotient = time_ratio(samples, QUOTIENT, BLOOM, false);
    const struct interval *const ratios[] = {&counting_space, &quotient_space, &counting,
                                             &quotient};
    const struct interval *least = ratios[0];
    enum verdict verdict = HOLDS;

    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        verdict = verdict_both(verdict, verdict_ratio_above(ratios[i]));
        if (ratios[i]->value < least->value)
            least = ratios[i];
    }
    answer_judge(
        answer, "A9", verdict, *least,
        "counting and quotient over bloom, in bits and in lookup time, ε = 1 %: the "
        "least "
        "of the four ratios",
        "Space beside a bloom of the same measured rate: counting %.2f times, quotient "
        "%.3f times [%.3f, %.3f]. Time of a lookup, half of the keys there, one call "
        "each: counting %.2f times [%.2f, %.2f], quotient %.2f times [%.2f, %.2f]. "
        "Rejecting an absent key alone takes bloom %.1f ns, counting %.1f ns, quotient "
        "%.1f ns.",
        counting_space.value, quotient_space.value, quotient_space.low,
        quotient_space.high, counting.value, counting.low, counting.high, quotient.value,
        quotient.low, quotient.high, samples_mean(samples, BLOOM, MISS_NS).value,
        samples_mean(samples, COUNTING, MISS_NS).value,
        samples_mean(samples, QUOTIENT, MISS_NS).value);
}

static void judge_cuckoo(const struct samples *samples, struct answer *answer)
{
    struct interval ratios[N_WIDTHS], ours[N_WIDTHS], batches[N_WIDTHS],
        worst = {0, 0, 0};
    enum verdict verdict = HOLDS;

    for (size_t w = 0; w < N_WIDTHS; w++) {
        ratios[w] = time_ratio(samples, width_cell(w, 1), width_cell(w, 0), false);
        ours[w] = time_ratio(samples, width_cell(w, 2), width_cell(w, 0), false);
        batches[w] = time_ratio(samples, width_cell(w, 1), width_cell(w, 0), true);
        verdict = verdict_both(verdict, verdict_ratio_below(&ratios[w]));
        if (ratios[w].value > worst.value)
            worst = ratios[w];
    }
    answer->verdict = verdict;
    answer_judge(
        answer, "A10", verdict, worst,
        "lookup time, cuckoo at 95 % load / bloom at its rate; the largest of three "
        "rates",
        "The original filter with tags of 8, 12 and 16 bits, against a Bloom filter "
        "of the same rate, half of the keys there, one call each: %.2f, %.2f and "
        "%.2f times its time; in batches %.2f, %.2f and %.2f times. Ours (windows): "
        "%.2f, %.2f and %.2f times.",
        ratios[0].value, ratios[1].value, ratios[2].value, batches[0].value,
        batches[1].value, batches[2].value, ours[0].value, ours[1].value, ours[2].value);
}

enum { MOST_CELLS = N_SIZES > N_HASHES ? N_SIZES : N_HASHES };

static void judge_bloom(const struct samples *by_n, const struct samples *by_k,
                        const struct context *sizes, struct answer *answer)
{
    double x[N_SIZES], k[N_HASHES];
    size_t cells[MOST_CELLS];

    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        cells[i] = i;
    for (size_t i = 0; i < N_SIZES; i++)
        x[i] = log2((double)sizes->cells[i].n);
    for (size_t i = 0; i < N_HASHES; i++)
        k[i] = hashes[i];
    /* The rule for constant time, as for B5: keys that lie in the nearest cache. */
    const struct trend in_n = trend_of(by_n, cells, x, N_SIZES, HOT_NS);
    const struct trend in_k = trend_of_all(by_k, cells, k, N_HASHES, HIT_NS);
    const struct interval slope = in_k.line.slope;
    const struct interval last_to_first = samples_ratio(by_n, N_SIZES - 1, 0, HIT_NS);

    answer_judge(
        answer, "B2",
        verdict_both(verdict_above_zero(&slope, in_k.whole),
                     verdict_zero(&in_n.line.slope, in_n.whole)),
        in_n.percent,
        "change of the time of a lookup over the whole range of n, per cent of its mean, "
        "keys in the nearest cache",
        "A lookup examines k bits, whatever n is, and each takes %.2f ns [%.2f, "
        "%.2f] more: O(k). Told, not judged: from n = %zu to %zu, at k = 7, a lookup of "
        "any key becomes %.2f times as slow [%.2f, %.2f], for larger tables lie in "
        "slower caches. Independent of n is the number of steps, not the time.",
        slope.value, slope.low, slope.high, sizes->cells[0].n,
        sizes->cells[N_SIZES - 1].n, last_to_first.value, last_to_first.low,
        last_to_first.high);
}

static void add_table(const struct context *context, const struct samples *samples,
                      struct answer *answer)
{
    static const enum field times[] = {MISS_NS, HIT_NS, MISS_MANY_NS, HIT_MANY_NS};
    struct table *table = answer_add_table(
        answer, "Nanoseconds for one lookup [95 %]",
        "kind|rate|bits per key|absent|there|absent, batch|there, batch");

    for (size_t c = 0; c < context->n_cells; c++) {
        char(*row)[CELL_TEXT] = table_add_row(table);
        size_t i = 0;

        snprintf(row[i++], CELL_TEXT, "%s", context->cells[c].name);
        snprintf(row[i++], CELL_TEXT, "%.3g %%",
                 100 * samples_mean(samples, c, FPR).value);
        snprintf(row[i++], CELL_TEXT, "%.2f", samples_mean(samples, c, BITS).value);
        for (size_t t = 0; t < sizeof times / sizeof times[0]; t++) {
            const struct interval time = samples_mean(samples, c, times[t]);
            snprintf(row[i++], CELL_TEXT, "%.1f [%.1f, %.1f]", time.value, time.low,
                     time.high);
        }
    }
}

static void describe_answer(const struct context *context, size_t n,
                            struct answer *answer)
{
    const struct judgement *cuckoo = answer_find(answer, "A10");

    snprintf(
        answer->summary, sizeof answer->summary,
        "At 95 %% load and the same rate, a lookup in the original cuckoo filter takes "
        "at most %.2f times [%.2f, %.2f] that in a Bloom filter. %s",
        cuckoo->interval.value, cuckoo->interval.low, cuckoo->interval.high,
        answer_find(answer, "A9")->evidence);
    snprintf(
        answer->setup, sizeof answer->setup,
        "%zu random hashes in every filter, 95 %% of a power of two; %zu lookups of "
        "keys that are there and %zu of keys that are not, one call each and as a "
        "batch, the quickest of four passes; hashing is not included. The original "
        "cuckoo filter: buckets of 4, "
        "xor, its table at 95 %% load; “cuckoo” is what the planner makes for the same "
        "rate. %zu repetitions after a warm-up, interleaved; processor time of one "
        "thread. Single lookups and the batch must find the same number, and every "
        "key that was added.",
        n, context->n_asked, context->n_asked, study_pick(context->study, 2, 9, 30));
}

void run_lookups(const struct study *study, const char *folder, struct answer *answer)
{
    struct context context = {.study = study,
                              .n_asked = study_pick(study, 4096, 1 << 17, 1 << 20)};

    context.hashes = allocate(context.n_asked, sizeof *context.hashes);
    context.maybe = allocate(context.n_asked / 64 + 1, sizeof *context.maybe);
    list_families(&context);
    const size_t n = context.cells[0].n;
    struct samples families_samples = take(&context, folder, "samples");
    write_csv(&context, &families_samples, folder, "data.csv");
    judge_families(&families_samples, answer);
    judge_cuckoo(&families_samples, answer);
    add_table(&context, &families_samples, answer);

    list_hashes(&context);
    struct samples by_k = take(&context, folder, "hashes-samples");
    write_csv(&context, &by_k, folder, "hashes.csv");
    list_sizes(&context);
    struct samples by_n = take(&context, folder, "sizes-samples");
    write_csv(&context, &by_n, folder, "sizes.csv");
    judge_bloom(&by_n, &by_k, &context, answer);
    describe_answer(&context, n, answer);
    samples_free(&families_samples);
    samples_free(&by_k);
    samples_free(&by_n);
    free(context.hashes);
    free(context.maybe);
}
