/* SPDX-License-Identifier: MIT */
/* Does every kind keep its promised fpr, on real words?
 *
 * A *cell* is one kind at one fpr. It is built once per seed from the whole list, so that it is
 * just full; every word is looked up again (none may be denied), and then words that are not in
 * the list, as many as make N_FALSE expected false positives over all seeds. The absent words are
 * made once and asked of every cell and seed: with another seed they have unrelated hashes. */
#include "01-promised-and-measured/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/progress.h"
#include "harness/samples.h"
#include "harness/stats.h"
#include "harness/timing.h"
#include "harness/words.h"

#define WORD_LIST "wamerican-insane/usr/share/dict/american-english-insane"

const struct figure promised_figures[] = {
    {
        .name = "promised",
        .caption = "The rate measured over the rate promised, with Wilson's 95 % "
                   "interval; crosses "
                   "are what theory expects, the dashed line is what is allowed.",
    },
    {
        .name = "bits",
        .caption = "Bits per key of the whole file, beside the least that any filter "
                   "needs and the "
                   "best that a Bloom filter can do.",
    },
    {.name = NULL},
};

static const double fprs[] = {0.1, 0.05, 0.01, 0.001, 1.0 / 8192};

enum {
    N_FPRS = sizeof fprs / sizeof fprs[0],
    MAX_SEEDS = 20,
    MAX_CELLS = 128,
    BATCH = 1 << 16 /* absent words made at a time */
};

struct cell {
    char kind[40];
    ninho_spec spec;
    double fpr; /* promised */
    ninho_filter *filters[MAX_SEEDS];
    double build_ns[MAX_SEEDS]; /* per word */
    uint64_t n_false[MAX_SEEDS];
    uint64_t n_asked; /* absent words, of each seed */
    uint64_t n_denied;
    double fpr_expected;
    double bits_per_key;
};

struct experiment {
    const struct study *study;
    struct word_set set;
    struct cell *cells;
    size_t n_cells;
    size_t n_seeds;
    uint64_t n_false; /* expected false positives that are enough for a cell */
    /* of the seed at hand */
    size_t seed;
    uint64_t *hashes; /* of the words */
};

/* ---- The cells ----------------------------------------------------------------------------- */

static void add_cell(struct experiment *e, const char *kind, const ninho_spec *spec)
{
    ninho_plan plan = NINHO_PLAN_INIT;

    if (ninho_filter_plan(spec, &plan, NULL))
        return; /* this kind does not offer that */
    if (e->n_cells == MAX_CELLS)
        fail("more than %d kinds and rates", MAX_CELLS);
    struct cell *cell = &e->cells[e->n_cells++];
    snprintf(cell->kind, sizeof cell->kind, "%s", kind);
    cell->spec = *spec;
    cell->fpr = spec->fpr;
}

/* One kind, at every rate. */
static void add_cells(struct experiment *e, const char *kind, ninho_spec spec)
{
    for (size_t f = 0; f < N_FPRS; f++) {
        spec.fpr = fprs[f];
        add_cell(e, kind, &spec);
    }
}

/* A growing filter begins with a fifteenth of the words and doubles (1 + 2 + 4 + 8), so that what
 * is measured has grown three times and is full again. */
static void add_scalable_cells(struct experiment *e, ninho_spec spec)
{
    spec.capacity = (e->set.n + 14) / 15;
    spec.growth = 2;
    for (size_t i = 0; ninho_kind_at(i); i++) {
        char name[40];
        spec.base = ninho_kind_at(i);
        snprintf(name, sizeof name, "scalable/%s", ninho_kind_name(spec.base));
        add_cells(e, name, spec);
    }
}

static void list_cells(struct experiment *e)
{
    for (size_t i = 0; ninho_kind_at(i); i++) {
        ninho_spec spec = NINHO_SPEC_INIT;
        spec.kind = ninho_kind_at(i);
        spec.capacity = e->set.n;
        if (spec.kind == NINHO_SCALABLE)
            add_scalable_cells(e, spec);
        else
            add_cells(e, ninho_kind_name(spec.kind), spec);
    }
}

/* ---- Theory -------------------------------------------------------------------------------- */

/* m bits, k probes, n keys. */
static double bloom_fpr(double m, double k, double n)
{
    return pow(-expm1(k * n * log1p(-1 / m)), k);
}

/* Blocks of eight 32-bit words, one bit per word and key: a block that holds i keys answers yes
 * with (1 - (31/32)^i)^8, and i is Poisson distributed around keys / blocks. */
static double split_block_fpr(double n_blocks, double n)
{
    const double mean = n / n_blocks;
    double probability = exp(-mean);
    double sum = 0;

    for (int i = 1; i < 10 * (mean + 10); i++) {
        probability *= mean / i;
        sum += probability * pow(1 - pow(31.0 / 32, i), 8);
    }
    return sum;
}

/* n keys, each with one of `n_tags` tags: an absent key's is some key's. */
static double tags_fpr(double n_tags, double n)
{
    return -expm1(n * log1p(-1 / n_tags));
}

/* From the geometry where one table says it all; a growing filter knows best itself, from how
 * full each of its sub-filters is. */
static double theory(const ninho_info *info, double n)
{
    switch (info->kind) {
    case NINHO_BLOOM:
    case NINHO_COUNTING:
        return bloom_fpr((double)info->n_cells, info->n_hashes, n);
    case NINHO_BLOCKED:
        return split_block_fpr((double)info->n_cells, n);
    case NINHO_QUOTIENT:
        return tags_fpr((double)info->n_cells * exp2(info->tag_bits), n);
    case NINHO_COMPACT:
        return tags_fpr(exp2(info->tag_bits), n);
    case NINHO_FUSE:
        return exp2(-(double)info->tag_bits);
    default:
        return info->fpr_expected;
    }
}

/* ---- Measuring ----------------------------------------------------------------------------- */

static void describe(struct cell *cell, size_t seed, size_t n_words)
{
    ninho_info info = NINHO_INFO_INIT;

    if (ninho_filter_info(cell->filters[seed], &info))
        fail("%s: no information", cell->kind);
    cell->fpr_expected = theory(&info, (double)n_words);
    cell->bits_per_key = 8 * (double)info.size_bytes / (double)n_words;
}

/* Builds cell i for the seed at hand, and asks for every word that was put in. */
static void build_cell(void *context, size_t i)
{
    struct experiment *e = context;
    struct cell *cell = &e->cells[i];
    const size_t n = e->set.n;
    uint64_t *maybe = allocate((n + 63) / 64, sizeof *maybe);
    ninho_error error = NINHO_ERROR_INIT;

    cell->spec.seed = e->study->seed + e->seed;
    const double start = seconds_of_thread();
    if (ninho_filter_build(&cell->spec, e->hashes, n, NULL, &cell->filters[e->seed],
                           &error))
        fail("%s: %s", cell->kind, error.text);
    cell->build_ns[e->seed] = 1e9 * (seconds_of_thread() - start) / (double)n;
    cell->n_denied +=
        n - ninho_filter_has_many(cell->filters[e->seed], e->hashes, n, maybe);
    describe(cell, e->seed, n);
    free(maybe);
}

static ninho_hasher hasher_of(const struct experiment *e, size_t seed)
{
    return (ninho_hasher){.id = NINHO_HASH_XXH3, .seed = e->study->seed + seed};
}

static void build_all(struct experiment *e, struct progress *progress)
{
    e->hashes = allocate(e->set.n, sizeof *e->hashes);
    for (e->seed = 0; e->seed < e->n_seeds; e->seed++) {
        const ninho_hasher hasher = hasher_of(e, e->seed);
        for (size_t i = 0; i < e->set.n; i++)
            e->hashes[i] =
                ninho_hash_bytes(&hasher, e->set.words[i].text, e->set.words[i].length);
        run_interleaved(e->n_cells, e->seed, build_cell, e);
        progress_show(progress, 0.3 * (double)(e->seed + 1) / (double)e->n_seeds);
    }
    free(e->hashes);
}

/* How many absent words a cell is asked for, per seed. */
static uint64_t questions_for(const struct experiment *e, const struct cell *cell)
{
    return (uint64_t)ceil((double)e->n_false / cell->fpr / (double)e->n_seeds);
}

struct absent_batch {
    char *text;
    size_t *lengths;
    size_t stride; /* bytes from one word to the next */
    uint64_t *hashes;
};

/* Asks every cell that wants to know more, for one seed. */
static void ask_seed(struct experiment *e, size_t seed, struct absent_batch *batch)
{
    const ninho_hasher hasher = hasher_of(e, seed);
    uint64_t maybe[BATCH / 64];

    for (size_t i = 0; i < BATCH; i++)
        batch->hashes[i] =
            ninho_hash_bytes(&hasher, batch->text + i * batch->stride, batch->lengths[i]);
    for (size_t c = 0; c < e->n_cells; c++) {
        struct cell *cell = &e->cells[c];
        const uint64_t wanted = questions_for(e, cell) - cell->n_asked;
        const size_t n = wanted < BATCH ? (size_t)wanted : BATCH;
        if (n)
            cell->n_false[seed] +=
                ninho_filter_has_many(cell->filters[seed], batch->hashes, n, maybe);
    }
}

static void ask_all(struct experiment *e, struct progress *progress)
{
    struct absent_batch batch = {.stride = 2 * words_longest(&e->set)};
    uint64_t n_words = 0;

    batch.text = allocate(BATCH, batch.stride);
    batch.lengths = allocate(BATCH, sizeof *batch.lengths);
    batch.hashes = allocate(BATCH, sizeof *batch.hashes);
    for (size_t c = 0; c < e->n_cells; c++)
        if (questions_for(e, &e->cells[c]) > n_words)
            n_words = questions_for(e, &e->cells[c]);
    for (uint64_t first = 0; first < n_words; first += BATCH) {
        for (size_t i = 0; i < BATCH; i++)
            batch.lengths[i] = words_absent(&e->set, e->study->seed, first + i,
                                            batch.text + i * batch.stride);
        for (size_t seed = 0; seed < e->n_seeds; seed++)
            ask_seed(e, seed, &batch);
        for (size_t c = 0; c < e->n_cells; c++) {
            struct cell *cell = &e->cells[c];
            const uint64_t wanted = questions_for(e, cell) - cell->n_asked;
            cell->n_asked += wanted < BATCH ? wanted : BATCH;
        }
        progress_show(progress, 0.3 + 0.7 * (double)first / (double)n_words);
    }
    free(batch.text);
    free(batch.lengths);
    free(batch.hashes);
}

/* ---- What is kept --------------------------------------------------------------------------- */

enum { KEPT_FALSE, KEPT_DENIED, KEPT_BUILD_NS, N_KEPT };

static void describe_cell(void *context, size_t variant, char text[VARIANT_TEXT])
{
    const struct experiment *e = context;

    snprintf(text, VARIANT_TEXT, "%s %g %%", e->cells[variant].kind,
             100 * e->cells[variant].fpr);
}

/* Words denied are counted over all seeds; they are kept with the first. */
static void keep(struct experiment *e, const char *folder)
{
    const struct sampling sampling = {.name = "samples",
                                      .fields = "n_false,n_denied,build_ns",
                                      .n_variants = e->n_cells,
                                      .n_repetitions = e->n_seeds,
                                      .describe = describe_cell,
                                      .context = e};
    double *values = allocate(e->n_cells * e->n_seeds * N_KEPT, sizeof *values);

    for (size_t i = 0; i < e->n_cells * e->n_seeds; i++) {
        const struct cell *cell = &e->cells[i / e->n_seeds];
        const size_t seed = i % e->n_seeds;
        values[i * N_KEPT + KEPT_FALSE] = (double)cell->n_false[seed];
        values[i * N_KEPT + KEPT_DENIED] = seed ? 0 : (double)cell->n_denied;
        values[i * N_KEPT + KEPT_BUILD_NS] = cell->build_ns[seed];
    }
    struct samples samples = samples_keep(e->study, folder, &sampling, values);
    for (size_t i = 0; i < e->n_cells * e->n_seeds; i++) {
        struct cell *cell = &e->cells[i / e->n_seeds];
        const size_t seed = i % e->n_seeds;
        const double *at = samples_at(&samples, i / e->n_seeds, seed);
        cell->n_false[seed] = (uint64_t)at[KEPT_FALSE];
        cell->build_ns[seed] = at[KEPT_BUILD_NS];
        if (seed == 0)
            cell->n_denied = (uint64_t)at[KEPT_DENIED];
    }
    samples_free(&samples);
    free(values);
}

/* ---- Results ------------------------------------------------------------------------------- */

struct result {
    struct interval fpr;        /* all seeds together */
    struct interval over_seeds; /* the mean of the seeds' rates */
    struct interval build_ns;
    uint64_t n_asked; /* in all */
    uint64_t n_false;
    enum verdict verdict;
};

static struct result result_of(const struct cell *cell, size_t n_seeds)
{
    struct result result = {.n_asked = cell->n_asked * n_seeds};
    double rates[MAX_SEEDS];

    for (size_t seed = 0; seed < n_seeds; seed++) {
        result.n_false += cell->n_false[seed];
        rates[seed] = (double)cell->n_false[seed] / (double)cell->n_asked;
    }
    result.fpr = share_interval(result.n_false, result.n_asked);
    result.over_seeds = mean_interval(rates, n_seeds);
    result.build_ns = mean_interval(cell->build_ns, n_seeds);
    const struct interval ratio = scaled(result.fpr, 1 / cell->fpr);
    result.verdict = cell->n_denied ? DOES_NOT_HOLD : verdict_at_most(&ratio, 1.1);
    return result;
}

static void write_csv(const struct experiment *e, const char *folder)
{
    char path[4096];

    snprintf(path, sizeof path, "%sdata.csv", folder);
    struct csv *csv = csv_open(
        path,
        "kind,fpr_promised,fpr_expected,fpr_measured,fpr_low,fpr_high,mean_over_seeds,"
        "mean_low,mean_high,n_words,n_seeds,n_absent,n_false_positives,n_false_negatives,"
        "bits_per_key,bits_bound,build_ns,build_ns_low,build_ns_high,verdict");
    for (size_t c = 0; c < e->n_cells; c++) {
        const struct cell *cell = &e->cells[c];
        const struct result result = result_of(cell, e->n_seeds);
        const double numbers[] = {
            cell->fpr,
            cell->fpr_expected,
            result.fpr.value,
            result.fpr.low,
            result.fpr.high,
            result.over_seeds.value,
            result.over_seeds.low,
            result.over_seeds.high,
        };
        const uint64_t counts[] = {e->set.n, e->n_seeds, result.n_asked, result.n_false,
                                   cell->n_denied};

        csv_text(csv, cell->kind);
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            csv_number(csv, numbers[i]);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            csv_count(csv, counts[i]);
        csv_number(csv, cell->bits_per_key);
        csv_number(csv, log2(1 / cell->fpr));
        csv_number(csv, result.build_ns.value);
        csv_number(csv, result.build_ns.low);
        csv_number(csv, result.build_ns.high);
        csv_text(csv, verdict_text(result.verdict));
        csv_end_row(csv);
    }
    csv_close(csv);
}

static void add_table_row(struct table *table, const struct cell *cell,
                          const struct result *result)
{
    char(*row)[CELL_TEXT] = table_add_row(table);
    const struct interval fpr = scaled(result->fpr, 100);
    const struct interval *ns = &result->build_ns;
    size_t i = 0;

    snprintf(row[i++], CELL_TEXT, "%s", cell->kind);
    snprintf(row[i++], CELL_TEXT, "%.4g %%", 100 * cell->fpr);
    snprintf(row[i++], CELL_TEXT, "%.4g %%", 100 * cell->fpr_expected);
    snprintf(row[i++], CELL_TEXT, "%.4g %% [%.4g, %.4g]", fpr.value, fpr.low, fpr.high);
    snprintf(row[i++], CELL_TEXT, "%.3f", result->fpr.value / cell->fpr);
    snprintf(row[i++], CELL_TEXT, "%llu", (unsigned long long)cell->n_denied);
    snprintf(row[i++], CELL_TEXT, "%.2f", cell->bits_per_key);
    snprintf(row[i++], CELL_TEXT, "%.2f", log2(1 / cell->fpr));
    snprintf(row[i++], CELL_TEXT, "%.1f [%.1f, %.1f]", ns->value, ns->low, ns->high);
    snprintf(row[i++], CELL_TEXT, "%s", verdict_text(result->verdict));
}

static void fill_table(const struct experiment *e, struct answer *answer)
{
    struct table *table = answer_add_table(
        answer, NULL,
        "kind|promised|theory|measured [95 %]|measured / promised|denied|bits per key|"
        "least|ns to build, per key [95 %]|verdict");

    for (size_t c = 0; c < e->n_cells; c++) {
        const struct result result = result_of(&e->cells[c], e->n_seeds);
        add_table_row(table, &e->cells[c], &result);
    }
}

/* The verdict, and the numbers that decided. */
static void fill_summary(const struct experiment *e, struct answer *answer)
{
    const struct cell *worst = &e->cells[0];
    double worst_ratio = 0;
    uint64_t n_denied = 0;
    size_t n_kept = 0;

    answer->verdict = HOLDS;
    for (size_t c = 0; c < e->n_cells; c++) {
        const struct cell *cell = &e->cells[c];
        const struct result result = result_of(cell, e->n_seeds);
        const double ratio = result.fpr.value / cell->fpr;

        answer->verdict = verdict_both(answer->verdict, result.verdict);
        n_kept += result.verdict == HOLDS;
        n_denied += cell->n_denied;
        if (ratio > worst_ratio) {
            worst_ratio = ratio;
            worst = cell;
        }
    }
    const struct result result = result_of(worst, e->n_seeds);
    const struct interval ratio = scaled(result.fpr, 1 / worst->fpr);
    snprintf(answer->summary, sizeof answer->summary,
             "%zu of %zu combinations of kind and rate keep the promise. The largest "
             "rate beside its promise is that of %s at %.4g %%: %.3f times "
             "[%.3f, %.3f], where 1.1 is allowed. Words that were added and then "
             "denied: %llu.",
             n_kept, e->n_cells, worst->kind, 100 * worst->fpr, ratio.value, ratio.low,
             ratio.high, (unsigned long long)n_denied);
}

static void fill_setup(const struct experiment *e, struct answer *answer)
{
    snprintf(answer->setup, sizeof answer->setup,
             "%zu distinct words of Debian's american-english-insane, each filter "
             "made for exactly that many and filled with them (scalable: begun with a "
             "fifteenth, grown three times); %zu seeds; absent words are two words of "
             "the list written together and looked up in the sorted list to be sure, "
             "enough for about %llu false positives in every row. Intervals: Wilson's "
             "for the rates, Student's over the seeds for the times. Theory: "
             "(1 − (1 − 1/m)^kn)^k for bloom and counting, the Poisson mixture over "
             "blocks for blocked, 1 − (1 − 1/t)^n over the t tags there are for "
             "quotient and compact, one tag's share for fuse (8 or 16 bits, so often "
             "far below the promise), the sub-filters as they stand for scalable.",
             e->set.n, e->n_seeds, (unsigned long long)e->n_false);
}

void run_promised_and_measured(const struct study *study, const char *folder,
                               struct answer *answer)
{
    struct experiment e = {
        .study = study,
        .n_seeds = study_pick(study, 2, 5, MAX_SEEDS),
        .n_false = study_pick(study, 500, 10000, 100000),
    };
    struct progress progress = progress_begin("promised and measured");
    char path[4096];

    answer->verdict = OPEN;
    if (!study_find(study, WORD_LIST, path, sizeof path)) {
        answer_miss(answer, "tools/fetch-data words && make study",
                    "English words: nothing is measured");
        return;
    }
    e.set = words_read(path);
    if (study->size == STUDY_TINY)
        words_thin(&e.set, 10000);
    e.cells = allocate(MAX_CELLS, sizeof *e.cells);
    list_cells(&e);
    build_all(&e, &progress);
    ask_all(&e, &progress);
    progress_end(&progress);
    keep(&e, folder);

    write_csv(&e, folder);
    fill_table(&e, answer);
    fill_summary(&e, answer);
    fill_setup(&e, answer);
    for (size_t c = 0; c < e.n_cells; c++)
        for (size_t seed = 0; seed < e.n_seeds; seed++)
            ninho_filter_free(e.cells[c].filters[seed]);
    free(e.cells);
    words_free(&e.set);
}
