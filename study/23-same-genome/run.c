/* SPDX-License-Identifier: MIT */
/* Two genomes compared by random substrings: windows of one are drawn and looked up in a filter of the
 * other. How often is what is then said true?
 *
 * The other genome is the same one, the same with some bases changed, and another strain. A window's
 * answer does not depend on the draw, so each filter is asked once for all windows, and draws are made
 * among the answers. */
#include "23-same-genome/run.h"

#include <math.h>
#include <ninho/ninho.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/kmer/kmer.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/genome.h"
#include "harness/samples.h"
#include "harness/words.h"

enum { K = 31, N_SIZES = 6, MAX_OTHERS = 6 };
#define FPR 0.002

const struct figure same_genome_figures[] = {
    {.name = "detected",
     .caption =
         "How often a sample shows that two genomes differ (a k-mer that is not found), "
         "against the number "
         "of k-mers drawn; points with Wilson's interval, lines: theory.",
     .rows = "C12"},
    {.name = "share",
     .caption =
         "The share of MG1655's k-mers that is in 536, as told by one sample: mean over "
         "draws of the "
         "estimate and of both ends of its 95 % interval; the line is the exact answer.",
     .rows = "C12"},
    {.name = NULL},
};

static const size_t sizes[N_SIZES] = {100, 300, 1000, 3000, 10000, 30000};

/* A genome that is compared with the first. */
struct other {
    char name[VARIANT_TEXT];
    struct genome genome;
    double exact; /* share of its windows that the first one has; NAN: not counted yet */
};

enum field {
    EXACT,
    FPR_EXPECTED,
    N_DRAWS,
    COVERED,
    DETECTED,
    ESTIMATE,
    LOW,
    HIGH,
    AT_LEAST
};
#define FIELDS "exact,fpr,n_draws,covered,detected,estimate,low,high,at_least"

struct context {
    const struct study *study;
    size_t n_draws; /* of one measurement */
    struct genome first;
    ninho_kmer_set *set; /* of the first */
    struct other others[MAX_OTHERS];
    size_t n_others;
    /* the filter of the repetition at hand, and its answers for all windows of one other */
    ninho_filter *filter;
    size_t repetition;
    bool is_asked;
    size_t other;
    uint64_t *keys;
    size_t n_windows;
    uint64_t *found;
    double fpr;
};

static const ninho_kmer_rule rule = {K, NINHO_KMER_CANONICAL};

/* ---- The genomes --------------------------------------------------------------------------- */

static void add_other(struct context *context, const char *name,
                      const struct genome *genome)
{
    struct other *other = &context->others[context->n_others++];

    snprintf(other->name, sizeof other->name, "%s", name);
    other->genome = *genome;
    other->exact = NAN;
}

/* A copy with n bases changed, each to another one. */
static void add_mutant(struct context *context, size_t n)
{
    struct genome copy = {allocate(context->first.n, 1), context->first.n};
    uint64_t random = mix64(context->study->seed + n);
    char name[VARIANT_TEXT];

    memcpy(copy.bases, context->first.bases, copy.n);
    for (size_t i = 0; i < n; i++) {
        random = mix64(random + 1);
        char *const base = &copy.bases[random % copy.n];
        const char *const at = strchr("ACGTACG", *base);
        if (at)
            *base = at[1 + random / copy.n % 3];
    }
    snprintf(name, sizeof name, "%zu bases changed", n);
    add_other(context, name, &copy);
}

static void make_set(struct context *context)
{
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_kmer_set_create(&rule, &context->set, &error))
        fail("%s", error.text);
    if (ninho_kmer_set_add(context->set, context->first.bases, context->first.n))
        fail("no memory for the k-mers of a genome");
}

/* Without a doubt, from an exact set. */
static double exact_share(struct context *context, size_t other)
{
    struct other *of = &context->others[other];
    ninho_kmer_count count = {0};

    if (isnan(of->exact)) {
        if (ninho_kmer_set_count(context->set, of->genome.bases, of->genome.n, &count))
            fail("no memory for the k-mers of a genome");
        of->exact = (double)count.n_found / (double)count.n_kmers;
    }
    return of->exact;
}

/* ---- Asking -------------------------------------------------------------------------------- */

static size_t list_keys(struct context *context, const struct genome *genome)
{
    ninho_kmer_iter iter;

    ninho_kmer_init(&iter, &rule);
    ninho_kmer_start(&iter, genome->bases, genome->n);
    return ninho_kmer_next_many(&iter, context->keys, genome->n);
}

static ninho_hasher hasher_of(const struct context *context, size_t repetition)
{
    return (ninho_hasher){.id = NINHO_HASH_XXH3,
                          .seed = context->study->seed + repetition};
}

/* A filter of the first genome, under the repetition's seed. */
static void make_filter(struct context *context, size_t repetition)
{
    const ninho_hasher hasher = hasher_of(context, repetition);
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_info info = NINHO_INFO_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    ninho_filter_free(context->filter);
    spec.kind = NINHO_CUCKOO;
    spec.capacity = ninho_kmer_set_distinct(context->set);
    spec.fpr = FPR;
    spec.seed = hasher.seed;
    spec.key_encoding = NINHO_KEY_KMER;
    spec.semantics = NINHO_SET;
    if (ninho_filter_create(&spec, NULL, &context->filter, &error))
        fail("%s", error.text);
    const size_t n = list_keys(context, &context->first);
    ninho_kmer_hash(&hasher, context->keys, n, context->keys);
    if (ninho_filter_add_many(context->filter, context->keys, n, NULL))
        fail("a filter of a genome is full");
    if (ninho_filter_info(context->filter, &info))
        fail("no information");
    context->fpr = info.fpr_expected;
    context->repetition = repetition;
    context->is_asked = false;
}

/* Asks the filter for every window of the other genome. */
static void ask_all(struct context *context, size_t other, size_t repetition)
{
    const ninho_hasher hasher = hasher_of(context, repetition);

    if (!context->filter || context->repetition != repetition)
        make_filter(context, repetition);
    if (context->is_asked && context->other == other)
        return;
    context->n_windows = list_keys(context, &context->others[other].genome);
    ninho_kmer_hash(&hasher, context->keys, context->n_windows, context->keys);
    ninho_filter_has_many(context->filter, context->keys, context->n_windows,
                          context->found);
    context->is_asked = true;
    context->other = other;
}

/* n windows, drawn with replacement. */
static uint64_t draw(const struct context *context, size_t n, uint64_t *random)
{
    uint64_t n_found = 0;

    for (size_t i = 0; i < n; i++) {
        *random += 0x9e3779b97f4a7c15;
        const size_t at = mix64(*random) % context->n_windows;
        n_found += context->found[at / 64] >> (at % 64) & 1;
    }
    return n_found;
}

static void measure(void *argument, size_t variant, size_t repetition, double *values)
{
    struct context *context = argument;
    const size_t other = variant / N_SIZES;
    const size_t n = sizes[variant % N_SIZES];
    uint64_t random = mix64(context->study->seed + 1000 * repetition + variant);

    ask_all(context, other, repetition);
    const double exact = exact_share(context, other);
    for (size_t i = COVERED; i <= AT_LEAST; i++)
        values[i] = 0;
    for (size_t i = 0; i < context->n_draws; i++) {
        const uint64_t n_found = draw(context, n, &random);
        const ninho_kmer_share share = ninho_kmer_share_of(n, n_found, context->fpr);
        /* Ends are 1 only up to rounding. */
        values[COVERED] += share.low <= exact + 1e-12 && exact <= share.high + 1e-12;
        values[DETECTED] += n_found < n;
        values[ESTIMATE] += share.corrected / (double)context->n_draws;
        values[LOW] += share.low / (double)context->n_draws;
        values[HIGH] += share.high / (double)context->n_draws;
        values[AT_LEAST] += share.at_least / (double)context->n_draws;
    }
    values[EXACT] = exact;
    values[FPR_EXPECTED] = context->fpr;
    values[N_DRAWS] = (double)context->n_draws;
}

static void describe(void *argument, size_t variant, char text[VARIANT_TEXT])
{
    const struct context *context = argument;

    snprintf(text, VARIANT_TEXT, "%.40s sample %zu",
             context->others[variant / N_SIZES].name, sizes[variant % N_SIZES]);
}

/* ---- Results ------------------------------------------------------------------------------- */

static uint64_t total(const struct samples *samples, size_t variant, size_t field)
{
    double sum = 0;

    for (size_t r = 0; r < samples->n_repetitions; r++)
        sum += samples_at(samples, variant, r)[field];
    return (uint64_t)llround(sum);
}

/* A sample shows a difference unless every k-mer of it is found, by right or by mistake. */
static double theory(const struct samples *samples, size_t variant)
{
    const double *of = samples_at(samples, variant, 0);
    const double found = of[EXACT] + (1 - of[EXACT]) * of[FPR_EXPECTED];

    return 1 - pow(found, (double)sizes[variant % N_SIZES]);
}

static void write_csv(const struct context *context, const struct samples *samples,
                      const char *folder)
{
    char path[4300];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path, "other,k,n_sampled,n_draws,share_exact,fpr,estimate,low,high,at_least,"
              "covered,detected,detected_low,detected_high,detected_theory");
    for (size_t v = 0; v < samples->n_variants; v++) {
        const uint64_t n_draws = total(samples, v, N_DRAWS);
        const struct interval detected =
            share_interval(total(samples, v, DETECTED), n_draws);

        csv_text(csv, context->others[v / N_SIZES].name);
        csv_count(csv, K);
        csv_count(csv, sizes[v % N_SIZES]);
        csv_count(csv, n_draws);
        csv_number(csv, samples_mean(samples, v, EXACT).value);
        csv_number(csv, samples_mean(samples, v, FPR_EXPECTED).value);
        csv_number(csv, samples_mean(samples, v, ESTIMATE).value);
        csv_number(csv, samples_mean(samples, v, LOW).value);
        csv_number(csv, samples_mean(samples, v, HIGH).value);
        csv_number(csv, samples_mean(samples, v, AT_LEAST).value);
        csv_number(csv, (double)total(samples, v, COVERED) / (double)n_draws);
        csv_number(csv, detected.value);
        csv_number(csv, detected.low);
        csv_number(csv, detected.high);
        csv_number(csv, theory(samples, v));
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void add_table(const struct context *context, const struct samples *samples,
                      struct answer *answer)
{
    struct table *table = answer_add_table(
        answer, NULL,
        "536 and|k-mers drawn|exact share|told [95 %], mean|at least|interval true|"
        "difference seen|theory");

    for (size_t v = 0; v < samples->n_variants; v++) {
        if (v % N_SIZES != 2 && v % N_SIZES != 4)
            continue;
        const double n_draws = (double)total(samples, v, N_DRAWS);
        char(*row)[CELL_TEXT] = table_add_row(table);
        size_t i = 0;

        snprintf(row[i++], CELL_TEXT, "%.40s", context->others[v / N_SIZES].name);
        snprintf(row[i++], CELL_TEXT, "%zu", sizes[v % N_SIZES]);
        snprintf(row[i++], CELL_TEXT, "%.5f", samples_mean(samples, v, EXACT).value);
        snprintf(row[i++], CELL_TEXT, "%.4f [%.4f, %.4f]",
                 samples_mean(samples, v, ESTIMATE).value,
                 samples_mean(samples, v, LOW).value,
                 samples_mean(samples, v, HIGH).value);
        snprintf(row[i++], CELL_TEXT, "%.5f", samples_mean(samples, v, AT_LEAST).value);
        snprintf(row[i++], CELL_TEXT, "%.1f %%",
                 100 * (double)total(samples, v, COVERED) / n_draws);
        snprintf(row[i++], CELL_TEXT, "%.1f %%",
                 100 * (double)total(samples, v, DETECTED) / n_draws);
        snprintf(row[i++], CELL_TEXT, "%.1f %%", 100 * theory(samples, v));
    }
}

static void judge(const struct samples *samples, struct answer *answer)
{
    uint64_t n_draws = 0, n_covered = 0, n_detected = 0, n_wrong = 0;
    double expected = 0;

    for (size_t v = 0; v < samples->n_variants; v++) {
        if (v < N_SIZES) { /* the genome itself */
            n_wrong += total(samples, v, DETECTED);
            continue;
        }
        n_draws += total(samples, v, N_DRAWS);
        n_covered += total(samples, v, COVERED);
        n_detected += total(samples, v, DETECTED);
        expected += theory(samples, v) * (double)total(samples, v, N_DRAWS);
    }
    const struct interval covered = share_interval(n_covered, n_draws);
    const struct interval ratio =
        scaled(share_interval(n_detected, n_draws), (double)n_draws / expected);
    answer->verdict =
        verdict_both(verdict_at_least(&covered, 0.95), verdict_equal(&ratio));
    if (n_wrong)
        answer->verdict = DOES_NOT_HOLD;
    answer_judge(
        answer, "C12", answer->verdict, covered,
        "how often the 95 % interval holds the exact share",
        "The same genome was called different in %llu samples. Genomes that "
        "differ were told apart %.4f [%.4f, %.4f] times as often as theory says. "
        "A sample of n k-mers without a miss says that, with 95 %% confidence, at "
        "least 1 − 3/n of them are shared; it never says that all are: one "
        "changed base touches 31 k-mers in millions.",
        (unsigned long long)n_wrong, ratio.value, ratio.low, ratio.high);
    snprintf(
        answer->summary, sizeof answer->summary,
        "In %.2f %% of %llu samples [%.2f, %.2f] the stated 95 %% interval holds the "
        "exact share of common k-mers. No sample called the genome different from "
        "itself (%llu). Differences are seen as often as theory says: %.3f times "
        "[%.3f, %.3f].",
        100 * covered.value, (unsigned long long)n_draws, 100 * covered.low,
        100 * covered.high, (unsigned long long)n_wrong, ratio.value, ratio.low,
        ratio.high);
}

void run_same_genome(const struct study *study, const char *folder, struct answer *answer)
{
    struct context context = {.study = study,
                              .n_draws = study_pick(study, 50, 200, 1000)};
    const size_t limit = study_pick(study, 30000, 0, 0);
    struct genome strain;

    answer->verdict = OPEN;
    if (!genome_read(study, ECOLI_536, limit, &context.first, answer))
        return;
    add_other(&context, "itself", &context.first);
    add_mutant(&context, study_pick(study, 1, 10, 10));
    add_mutant(&context, study_pick(study, 3, 100, 100));
    add_mutant(&context, study_pick(study, 10, 1000, 1000));
    if (genome_read(study, ECOLI_MG1655, limit, &strain, answer))
        add_other(&context, "MG1655", &strain);
    make_set(&context);
    size_t most = 0;
    for (size_t i = 0; i < context.n_others; i++)
        if (context.others[i].genome.n > most)
            most = context.others[i].genome.n;
    context.keys = allocate(most, sizeof *context.keys);
    context.found = allocate(most / 64 + 1, sizeof *context.found);

    const struct sampling sampling = {
        .name = "samples",
        .fields = FIELDS,
        .n_variants = context.n_others * N_SIZES,
        .n_repetitions = study_pick(study, 2, 4, 30),
        .describe = describe,
        .measure = measure,
        .context = &context,
    };
    struct samples samples = samples_take(study, folder, &sampling);
    write_csv(&context, &samples, folder);
    add_table(&context, &samples, answer);
    judge(&samples, answer);
    snprintf(answer->setup, sizeof answer->setup,
             "A cuckoo filter (0.2 %%) of the canonical 31-mers of E. coli 536%s; k-mers "
             "of the other genome are drawn at random, with replacement, and looked up: "
             "of 536 itself, of 536 with so many bases changed at random, and of the "
             "strain K-12 MG1655. %zu filters under different seeds, %zu samples of each "
             "size with each. Exact shares are counted with an exact set. The interval "
             "is Wilson's, corrected for the filter's false positives, as `ninho kmer "
             "compare` prints it. Theory: all n are found with probability (s + (1 − s) "
             "fpr)^n, s being the exact share.",
             limit ? " (only the beginning)" : "", samples.n_repetitions,
             context.n_draws);
    samples_free(&samples);
    ninho_filter_free(context.filter);
    ninho_kmer_set_free(context.set);
    free(context.keys);
    free(context.found);
    for (size_t i = 0; i < context.n_others; i++)
        genome_free(&context.others[i].genome); /* the first of them is `first` itself */
}
