/* SPDX-License-Identifier: MIT */
/* h(f) against f: how far a table fills before the first key finds no room, and how far apart the two
 * places of a key are. */
#include "34-pairing/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/pairing.h"
#include "harness/samples.h"
#include "harness/words.h"

const struct figure pairing_figures[] = {
    {.name = "load",
     .caption =
         "Load at which the first key finds no room, against the number of buckets, for "
         "tags "
         "of 8 to 32 bits; "
         "means with Student's intervals. Filled points: h(f), open ones: f itself.",
     .rows = "A13"},
    {.name = "distance",
     .caption = "Mean distance between the two places of a key, as a share of the table. "
                "Two places "
                "drawn at random "
                "are a third of the table apart.",
     .rows = "A13"},
    {.name = NULL},
};

enum { N_SIZES = 4, N_WIDTHS = 4 };
static const unsigned widths[N_WIDTHS] = {8, 12, 16, 32};

enum field { LOAD, DISTANCE, MOVES };
#define FIELDS "load,distance,moves"

struct context {
    const struct study *study;
    unsigned bucket_bits[N_SIZES];
};

/* variant = (size * N_WIDTHS + width) * 2 + is_hashed */
static size_t variant_of(size_t size, size_t width, bool is_hashed)
{
    return (size * N_WIDTHS + width) * 2 + is_hashed;
}

/* Small tables fail at a load that depends on luck: as many of them are filled as give one large one. */
static void measure(void *argument, size_t variant, size_t repetition, double *values)
{
    const struct context *context = argument;
    const size_t size = variant / 2 / N_WIDTHS;
    const unsigned bits = context->bucket_bits[size];
    const size_t n_tables = (size_t)1 << (context->bucket_bits[N_SIZES - 1] - bits);
    double load = 0, distance = 0, moves = 0;

    for (size_t i = 0; i < n_tables; i++) {
        struct pairing_table table = {.bucket_bits = bits,
                                      .tag_bits = widths[variant / 2 % N_WIDTHS],
                                      .is_hashed = variant % 2};
        const uint64_t stream =
            mix64(context->study->seed + (1000 * repetition + size) * 65536 + i);
        const double n_slots = (double)PAIRING_BUCKET * exp2(bits);
        double sum = 0;
        uint64_t n = 0;

        table.random = stream;
        pairing_create(&table);
        while (pairing_add(&table, mix64(stream + n))) {
            sum += (double)pairing_distance(&table, mix64(stream + n));
            n++;
        }
        if (n != table.n_stored || n == 0)
            fail("%llu tags stored of %llu added", (unsigned long long)table.n_stored,
                 (unsigned long long)n);
        load += (double)n / n_slots;
        distance += sum / (double)n / exp2(bits);
        moves += (double)table.n_moves / (double)n;
        pairing_free(&table);
    }
    values[LOAD] = load / (double)n_tables;
    values[DISTANCE] = distance / (double)n_tables;
    values[MOVES] = moves / (double)n_tables;
}

static void describe(void *argument, size_t variant, char text[VARIANT_TEXT])
{
    const struct context *context = argument;

    snprintf(text, VARIANT_TEXT, "buckets 2^%u tag %u %s",
             context->bucket_bits[variant / 2 / N_WIDTHS], widths[variant / 2 % N_WIDTHS],
             variant % 2 ? "hashed" : "raw");
}

static void write_csv(const struct context *context, const struct samples *samples,
                      const char *folder)
{
    char path[4300];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(path, "pairing,tag_bits,n_buckets,n_repetitions,load,"
                                     "load_low,load_high,distance,distance_low,"
                                     "distance_high,moves_per_key");
    for (size_t v = 0; v < samples->n_variants; v++) {
        const struct interval load = samples_mean(samples, v, LOAD);
        const struct interval distance = samples_mean(samples, v, DISTANCE);
        const unsigned bucket_bits = context->bucket_bits[v / 2 / N_WIDTHS];

        csv_text(csv, v % 2 ? "hashed" : "raw");
        csv_count(csv, widths[v / 2 % N_WIDTHS]);
        csv_number(csv, exp2(bucket_bits));
        csv_count(csv, samples->n_repetitions);
        csv_number(csv, load.value);
        csv_number(csv, load.low);
        csv_number(csv, load.high);
        csv_number(csv, distance.value);
        csv_number(csv, distance.low);
        csv_number(csv, distance.high);
        csv_number(csv, samples_mean(samples, v, MOVES).value);
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void add_table(const struct context *context, const struct samples *samples,
                      struct answer *answer)
{
    struct table *table = answer_add_table(
        answer, NULL,
        "tag bits|buckets|first failure, f|h(f)|h(f) / f [95 %]|distance, "
        "f|h(f)");

    for (size_t width = 0; width < N_WIDTHS; width++)
        for (size_t size = 0; size < N_SIZES; size++) {
            const size_t raw = variant_of(size, width, false);
            const size_t hashed = variant_of(size, width, true);
            const struct interval ratio = samples_ratio(samples, hashed, raw, LOAD);
            char(*row)[CELL_TEXT] = table_add_row(table);
            size_t i = 0;

            snprintf(row[i++], CELL_TEXT, "%u", widths[width]);
            snprintf(row[i++], CELL_TEXT, "2^%u", context->bucket_bits[size]);
            snprintf(row[i++], CELL_TEXT, "%.4f", samples_mean(samples, raw, LOAD).value);
            snprintf(row[i++], CELL_TEXT, "%.4f",
                     samples_mean(samples, hashed, LOAD).value);
            snprintf(row[i++], CELL_TEXT, "%.4f [%.4f, %.4f]", ratio.value, ratio.low,
                     ratio.high);
            snprintf(row[i++], CELL_TEXT, "%.4f",
                     samples_mean(samples, raw, DISTANCE).value);
            snprintf(row[i++], CELL_TEXT, "%.4f",
                     samples_mean(samples, hashed, DISTANCE).value);
        }
}

/* The claim names no tag size, so it has to be true of every one: each is judged, in load and in distance,
 * and the load of the one that gains least is printed. */
static void judge(const struct context *context, const struct samples *samples,
                  struct answer *answer)
{
    const size_t last = N_SIZES - 1;
    struct interval loads[N_WIDTHS], apart[N_WIDTHS];
    enum verdict verdicts[N_WIDTHS];
    size_t least = 0;

    answer->verdict = HOLDS;
    for (size_t width = 0; width < N_WIDTHS; width++) {
        const size_t hashed = variant_of(last, width, true);
        const size_t raw = variant_of(last, width, false);
        loads[width] = samples_ratio(samples, hashed, raw, LOAD);
        apart[width] = samples_ratio(samples, hashed, raw, DISTANCE);
        verdicts[width] = verdict_both(verdict_ratio_above(&loads[width]),
                                       verdict_ratio_above(&apart[width]));
        answer->verdict = verdict_both(answer->verdict, verdicts[width]);
        if (loads[width].value < loads[least].value)
            least = width;
    }
    answer_judge(
        answer, "A13", answer->verdict, loads[least],
        "load at the first failure, h(f) / f, for the tags that gain least",
        "2^%u buckets of 4; load at the first failure and distance, h(f) / f: %.4f and "
        "%.0f with 8-bit tags (%s), %.4f and %.1f with 12 (%s), %.4f and %.2f with 16 "
        "(%s), %.4f and %.2f with 32 (%s). With f, a tag of t bits cannot leave its 2^t "
        "buckets: a table larger than that falls into separate small ones, and the first "
        "of them to be full is the end. A tag that is as wide as the place gains "
        "nothing.",
        context->bucket_bits[last], loads[0].value, apart[0].value,
        verdict_text(verdicts[0]), loads[1].value, apart[1].value,
        verdict_text(verdicts[1]), loads[2].value, apart[2].value,
        verdict_text(verdicts[2]), loads[3].value, apart[3].value,
        verdict_text(verdicts[3]));
    snprintf(
        answer->summary, sizeof answer->summary,
        "In 2^%u buckets of 4, with 8-bit tags, the first failure comes at a load of "
        "%.3f with f and at %.3f with h(f), and the two places are %.4f and %.3f of "
        "the table apart. The wider the tag, the less there is to gain: with 32 bits "
        "the loads are %.3f and %.3f.",
        context->bucket_bits[last],
        samples_mean(samples, variant_of(last, 0, false), LOAD).value,
        samples_mean(samples, variant_of(last, 0, true), LOAD).value,
        samples_mean(samples, variant_of(last, 0, false), DISTANCE).value,
        samples_mean(samples, variant_of(last, 0, true), DISTANCE).value,
        samples_mean(samples, variant_of(last, N_WIDTHS - 1, false), LOAD).value,
        samples_mean(samples, variant_of(last, N_WIDTHS - 1, true), LOAD).value);
}

void run_pairing(const struct study *study, const char *folder, struct answer *answer)
{
    struct context context = {.study = study};
    const unsigned last = (unsigned)study_pick(study, 10, 17, 20);
    const struct sampling sampling = {
        .name = "samples",
        .fields = FIELDS,
        .n_variants = (size_t)N_SIZES * N_WIDTHS * 2,
        .n_repetitions = study_pick(study, 2, 8, 30),
        .describe = describe,
        .measure = measure,
        .context = &context,
    };

    for (unsigned i = 0; i < N_SIZES; i++)
        context.bucket_bits[i] =
            last - (study->size == STUDY_TINY ? 2 : 3) * (N_SIZES - 1 - i);
    struct samples samples = samples_take(study, folder, &sampling);
    write_csv(&context, &samples, folder);
    add_table(&context, &samples, answer);
    judge(&context, &samples, answer);
    snprintf(
        answer->setup, sizeof answer->setup,
        "A table made for this question (harness/pairing.c): buckets of 4, a power "
        "of two of them, the first place with room, a walk of at most 500 kicks; "
        "second place = first xor f, or first xor h(f). Random keys are added until "
        "one finds no room. %zu repetitions; of smaller tables as many are filled in "
        "each as make up the largest. Intervals: Student's.",
        samples.n_repetitions);
    samples_free(&samples);
}
