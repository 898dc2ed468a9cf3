/* SPDX-License-Identifier: MIT */
/* The seminar's filters and ours, filled with the k-mers of a genome in genome order and searched
 * for all of them on the way: what is thrown out, what is found, and what should be. */
#include "02-fewer-relocations/run.h"

#include <math.h>
#include <ninho/ninho.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "02-fewer-relocations/seminar.h"
#include "apps/kmer/kmer.h"
#include "apps/kmer/reader.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/progress.h"
#include "harness/timing.h"

#define GENOME "bowtie-examples/usr/share/doc/bowtie/examples/genomes/NC_008253.fna.gz"

enum {
    N_SHARES = 10,
    MAX_SEEDS = 5,
    /* The quick form takes so much less of the genome and of the buckets, and on the way searches
     * one k-mer in so many; at the end it is all of them. */
    QUICK_PART = 8,
    QUICK_STRIDE = 32,
};

/* ---- What is compared ---------------------------------------------------------------------- */

/* The table, by hand. Their own runs have b = 100 and MNK = 100. */
struct setting {
    uint32_t k;
    uint32_t n_buckets;
    uint32_t bucket_slots;
    uint32_t max_moves;
    bool is_full_only;
};

static const struct setting settings[] = {
    {10, 50000, 100, 100, true},   {20, 50, 100, 100, true},
    {20, 500, 100, 100, true},     {20, 5000, 100, 100, true},
    {20, 45000, 100, 100, false},  {20, 50000, 100, 100, false},
    {20, 500000, 100, 100, true},  {31, 1279430, 4, 100, false},
    {31, 1 << 20, 5, 100, false},  {50, 50000, 100, 100, true},
    {100, 5000, 100, 100, true},   {100, 50000, 100, 100, false},
    {100, 500000, 100, 100, true}, {200, 50000, 100, 100, true},
};

enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

enum { ORIGINAL, REDUCED, ORIGINAL_PLAIN, REDUCED_PLAIN, OURS_RANDOM, OURS_EMPTIER };

static const struct subject {
    const char *name;
    bool is_ours;
    enum seminar_choice choice;
    enum seminar_alternate alternate;
} subjects[] = {
    [ORIGINAL] = {"seminar original", false, SEMINAR_ORIGINAL, SEMINAR_HASHED},
    [REDUCED] = {"seminar reduced", false, SEMINAR_REDUCED, SEMINAR_HASHED},
    [ORIGINAL_PLAIN] = {"seminar original f", false, SEMINAR_ORIGINAL, SEMINAR_PLAIN},
    [REDUCED_PLAIN] = {"seminar reduced f", false, SEMINAR_REDUCED, SEMINAR_PLAIN},
    [OURS_RANDOM] = {"ours random", true, SEMINAR_ORIGINAL, SEMINAR_HASHED},
    [OURS_EMPTIER] = {"ours emptier", true, SEMINAR_REDUCED, SEMINAR_HASHED},
};

enum { N_SUBJECTS = sizeof subjects / sizeof subjects[0] };

/* How things stand once a share of the k-mers has been inserted. Sums over the whole table. */
struct standing {
    double load;
    double moves;        /* thrown out, failed insertions included */
    double wasted_moves; /* of them, by failed insertions */
    double failed;       /* insertions that failed */
    double found;        /* share of all k-mers that a search finds */
    double lost;         /* share of the k-mers counted as stored that it does not find */
    double insert_ns;    /* processor time of an insertion, hashing not included */
};

struct sweep {
    struct setting setting; /* as run */
    uint64_t n_kmers, n_distinct;
    double true_share[N_SHARES]; /* of all k-mers: those that are among the inserted */
    struct standing standings[N_SUBJECTS][N_SHARES][MAX_SEEDS];
};

struct experiment {
    const struct study *study;
    size_t n_seeds;
    char *bases;
    size_t n_bases;
    /* the k-mers of one k, in genome order */
    size_t n;
    const char **texts;
    uint64_t *keys;
    uint32_t *firsts; /* which k-mer was the first that is equal to this one */
    struct seminar_key *digests;
    uint64_t *hashes;
    bool *is_stored; /* counted as stored by the filter at hand */
    struct sweep *sweeps;
    size_t n_sweeps;
};

/* ---- The k-mers ---------------------------------------------------------------------------- */

static void append_bases(struct experiment *e, const ninho_kmer_record *record,
                         size_t *room)
{
    const size_t n = record->n_bases - record->n_overlap;

    if (!e->bases || e->n_bases + n + 1 > *room) {
        *room = 2 * (e->n_bases + n + 1);
        e->bases = realloc(e->bases, *room);
        if (!e->bases)
            fail("no memory for %zu bases", *room);
    }
    if (record->is_first)
        e->bases[e->n_bases++] = 'N'; /* no k-mer goes from one record into the next */
    for (size_t i = record->n_overlap; i < record->n_bases; i++)
        e->bases[e->n_bases++] = (char)(record->bases[i] & ~0x20); /* capitals */
}

static void read_genome(struct experiment *e)
{
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    ninho_error error;
    char path[4096];
    size_t room = 0;

    snprintf(path, sizeof path, "%s/" GENOME, e->study->data_dir);
    if (ninho_kmer_reader_open(path, 0, &reader, &error))
        fail("%s: %s (`make study` fetches it)", path, error.text);
    do {
        if (ninho_kmer_reader_next(reader, &batch, 0, &error))
            fail("%s: %s", path, error.text);
        for (size_t i = 0; i < batch.n; i++)
            append_bases(e, &batch.records[i], &room);
    } while (batch.n);
    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    if (!e->study->is_full)
        e->n_bases /= QUICK_PART;
    e->texts = allocate(e->n_bases, sizeof *e->texts);
    e->keys = allocate(e->n_bases, sizeof *e->keys);
    e->firsts = allocate(e->n_bases, sizeof *e->firsts);
    e->digests = allocate(e->n_bases, sizeof *e->digests);
    e->hashes = allocate(e->n_bases, sizeof *e->hashes);
    e->is_stored = allocate(e->n_bases, sizeof *e->is_stored);
}

/* For sorting: equal k-mers side by side, the first of them first. */
struct occurrence {
    uint64_t key;
    uint32_t index;
    uint32_t k;
    const char *text;
};

static int by_kmer(const void *a, const void *b)
{
    const struct occurrence *x = a;
    const struct occurrence *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    const int order = memcmp(x->text, y->text, x->k);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Fills `firsts`, without a doubt: k-mers of equal keys are compared base by base. Returns how
 * many distinct ones there are. */
static uint64_t find_firsts(struct experiment *e, uint32_t k)
{
    struct occurrence *all = allocate(e->n, sizeof *all);
    uint64_t n_distinct = 0;

    for (size_t i = 0; i < e->n; i++)
        all[i] = (struct occurrence){e->keys[i], (uint32_t)i, k, e->texts[i]};
    qsort(all, e->n, sizeof *all, by_kmer);
    for (size_t i = 0; i < e->n; i++) {
        const bool is_new = i == 0 || all[i].key != all[i - 1].key ||
                            memcmp(all[i].text, all[i - 1].text, k) != 0;
        e->firsts[all[i].index] = is_new ? all[i].index : e->firsts[all[i - 1].index];
        n_distinct += is_new;
    }
    free(all);
    return n_distinct;
}

static uint64_t list_kmers(struct experiment *e, uint32_t k)
{
    const ninho_kmer_rule rule = {k, NINHO_KMER_FORWARD};
    ninho_kmer_iter iter;

    ninho_kmer_init(&iter, &rule);
    ninho_kmer_start(&iter, e->bases, e->n_bases);
    for (e->n = 0; ninho_kmer_next(&iter, &e->keys[e->n]); e->n++)
        e->texts[e->n] = e->bases + ninho_kmer_position(&iter);
    if (e->n == 0)
        fail("the genome has no k-mers of %u bases", k);
    seminar_hash(e->texts, e->n, k, e->digests);
    return find_firsts(e, k);
}

static size_t n_inserted(const struct experiment *e, size_t share)
{
    return (share + 1) * e->n / N_SHARES;
}

/* ---- One filter ---------------------------------------------------------------------------- */

/* The filter at hand: theirs or ours. */
struct filter {
    const struct experiment *e;
    const struct subject *subject;
    struct seminar_filter theirs;
    ninho_filter *ours;
    uint64_t n_slots;
};

static void make_ours(struct filter *filter, const struct setting *setting, uint64_t seed)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_error error;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = 1; /* the table is made by hand */
    spec.n_slots = filter->n_slots;
    spec.tag_bits = 32;
    spec.slots = NINHO_BUCKETS;
    spec.place_slots = setting->bucket_slots;
    spec.choice = filter->subject->choice == SEMINAR_REDUCED ? NINHO_CHOICE_EMPTIER
                                                             : NINHO_CHOICE_RANDOM;
    spec.search = NINHO_SEARCH_WALK;
    spec.max_kicks = setting->max_moves;
    spec.pairing = NINHO_PAIRING_OFFSET;
    spec.semantics = NINHO_SET;
    spec.seed = seed;
    if (ninho_filter_create(&spec, NULL, &filter->ours, &error))
        fail("%s: %s", filter->subject->name, error.text);
}

static void make_filter(struct filter *filter, const struct setting *setting,
                        uint64_t seed)
{
    filter->n_slots = (uint64_t)setting->n_buckets * setting->bucket_slots;
    if (filter->subject->is_ours) {
        make_ours(filter, setting, seed);
        return;
    }
    filter->theirs = (struct seminar_filter){.n_buckets = setting->n_buckets,
                                             .bucket_slots = setting->bucket_slots,
                                             .max_moves = setting->max_moves,
                                             .choice = filter->subject->choice,
                                             .alternate = filter->subject->alternate,
                                             .random = seed};
    seminar_create(&filter->theirs);
}

static void free_filter(struct filter *filter)
{
    if (filter->subject->is_ours)
        ninho_filter_free(filter->ours);
    else
        seminar_free(&filter->theirs);
}

static bool insert(struct filter *filter, size_t i)
{
    return filter->subject->is_ours
               ? ninho_filter_add(filter->ours, filter->e->hashes[i]) == NINHO_OK
               : seminar_insert(&filter->theirs, &filter->e->digests[i]);
}

static bool search(const struct filter *filter, size_t i)
{
    return filter->subject->is_ours
               ? ninho_filter_has(filter->ours, filter->e->hashes[i])
               : seminar_search(&filter->theirs, &filter->e->digests[i]);
}

/* What the filter has counted. Moves that ours made in vain were taken back, and counted apart. */
static void count(const struct filter *filter, struct standing *standing)
{
    if (filter->subject->is_ours) {
        ninho_stats stats = NINHO_STATS_INIT;
        if (ninho_filter_stats(filter->ours, &stats))
            fail("no statistics");
        standing->moves = (double)(stats.n_moves + stats.n_undone);
        standing->wasted_moves = (double)stats.n_undone;
        standing->failed = (double)stats.n_failed;
        standing->load =
            (double)ninho_filter_count(filter->ours) / (double)filter->n_slots;
        return;
    }
    standing->moves = (double)filter->theirs.n_moves;
    standing->wasted_moves = (double)filter->theirs.n_wasted_moves;
    standing->failed = (double)filter->theirs.n_failed;
    standing->load = (double)filter->theirs.n_stored / (double)filter->n_slots;
}

/* Searches every stride-th k-mer of the genome. */
static void search_all(const struct filter *filter, size_t stride, size_t n_in,
                       struct standing *standing)
{
    const struct experiment *e = filter->e;
    uint64_t n_searched = 0, n_found = 0, n_stored = 0, n_lost = 0;

    for (size_t i = 0; i < e->n; i += stride) {
        const bool is_found = search(filter, i);
        const bool is_stored = i < n_in && e->is_stored[i];
        n_searched++;
        n_found += is_found;
        n_stored += is_stored;
        n_lost += is_stored && !is_found;
    }
    standing->found = (double)n_found / (double)n_searched;
    standing->lost = n_stored ? (double)n_lost / (double)n_stored : 0;
}

/* One filter from empty to all k-mers, looked at ten times on the way. */
static void sweep_filter(struct experiment *e, struct sweep *sweep, size_t s, size_t seed)
{
    struct filter filter = {.e = e, .subject = &subjects[s]};
    double seconds = 0;
    size_t done = 0;

    make_filter(&filter, &sweep->setting, e->study->seed + seed);
    for (size_t share = 0; share < N_SHARES; share++) {
        struct standing *standing = &sweep->standings[s][share][seed];
        const size_t to = n_inserted(e, share);
        const bool is_last = share + 1 == N_SHARES;
        const double start = seconds_of_thread();

        for (; done < to; done++)
            e->is_stored[done] = insert(&filter, done);
        seconds += seconds_of_thread() - start;
        count(&filter, standing);
        standing->insert_ns = 1e9 * seconds / (double)to;
        search_all(&filter, is_last || e->study->is_full ? 1 : QUICK_STRIDE, to,
                   standing);
    }
    free_filter(&filter);
}

/* ---- All of them --------------------------------------------------------------------------- */

struct round {
    struct experiment *e;
    struct sweep *sweep;
    size_t seed;
};

static void sweep_task(void *context, size_t s)
{
    const struct round *round = context;

    sweep_filter(round->e, round->sweep, s, round->seed);
}

static void find_true_shares(const struct experiment *e, struct sweep *sweep)
{
    for (size_t share = 0; share < N_SHARES; share++) {
        const size_t to = n_inserted(e, share);
        uint64_t n = 0;
        for (size_t i = 0; i < e->n; i++)
            n += e->firsts[i] < to;
        sweep->true_share[share] = (double)n / (double)e->n;
    }
}

static void run_setting(struct experiment *e, struct sweep *sweep)
{
    find_true_shares(e, sweep);
    for (size_t seed = 0; seed < e->n_seeds; seed++) {
        const ninho_hasher hasher = {.id = NINHO_HASH_XXH3,
                                     .seed = e->study->seed + seed};
        struct round round = {e, sweep, seed};

        ninho_kmer_hash(&hasher, e->keys, e->n, e->hashes);
        run_interleaved(N_SUBJECTS, seed, sweep_task, &round);
    }
}

static void run_settings(struct experiment *e, struct progress *progress)
{
    uint64_t n_distinct = 0;

    for (size_t i = 0; i < N_SETTINGS; i++) {
        struct sweep *sweep = &e->sweeps[e->n_sweeps];
        if (settings[i].is_full_only && !e->study->is_full)
            continue;
        if (e->n_sweeps == 0 || settings[i].k != sweep[-1].setting.k)
            n_distinct = list_kmers(e, settings[i].k);
        sweep->setting = settings[i];
        if (!e->study->is_full)
            sweep->setting.n_buckets =
                (settings[i].n_buckets + QUICK_PART - 1) / QUICK_PART;
        sweep->n_kmers = e->n;
        sweep->n_distinct = n_distinct;
        run_setting(e, sweep);
        e->n_sweeps++;
        progress_show(progress, (double)(i + 1) / N_SETTINGS);
    }
}

/* ---- Results ------------------------------------------------------------------------------- */

/* The mean over seeds of one field of the standings. */
static struct interval over_seeds(const struct experiment *e,
                                  const struct standing *standings, size_t offset)
{
    double samples[MAX_SEEDS];

    for (size_t seed = 0; seed < e->n_seeds; seed++)
        samples[seed] =
            *(const double *)(const void *)((const char *)&standings[seed] + offset);
    return mean_interval(samples, e->n_seeds);
}

#define MEAN(e, standings, field) \
    over_seeds(e, standings, offsetof(struct standing, field))

static void write_csv(const struct experiment *e, const char *folder)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/data.csv", folder);
    struct csv *csv = csv_open(
        path,
        "filter,k,m,b,mnk,n_kmers,n_distinct,n_seeds,share_inserted,share_true,"
        "share_found,share_lost,load,moves,moves_low,moves_high,wasted_moves,failed,"
        "insert_ns,insert_ns_low,insert_ns_high");
    for (size_t i = 0; i < e->n_sweeps; i++)
        for (size_t s = 0; s < N_SUBJECTS; s++)
            for (size_t share = 0; share < N_SHARES; share++) {
                const struct sweep *sweep = &e->sweeps[i];
                const struct standing *standings = sweep->standings[s][share];
                const struct interval moves = MEAN(e, standings, moves);
                const struct interval ns = MEAN(e, standings, insert_ns);
                const uint64_t counts[] = {sweep->setting.k,
                                           sweep->setting.n_buckets,
                                           sweep->setting.bucket_slots,
                                           sweep->setting.max_moves,
                                           sweep->n_kmers,
                                           sweep->n_distinct,
                                           e->n_seeds};
                const double numbers[] = {(double)(share + 1) / N_SHARES,
                                          sweep->true_share[share],
                                          MEAN(e, standings, found).value,
                                          MEAN(e, standings, lost).value,
                                          MEAN(e, standings, load).value,
                                          moves.value,
                                          moves.low,
                                          moves.high,
                                          MEAN(e, standings, wasted_moves).value,
                                          MEAN(e, standings, failed).value,
                                          ns.value,
                                          ns.low,
                                          ns.high};

                csv_text(csv, subjects[s].name);
                for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
                    csv_count(csv, counts[c]);
                for (size_t c = 0; c < sizeof numbers / sizeof numbers[0]; c++)
                    csv_number(csv, numbers[c]);
                csv_end_row(csv);
            }
    csv_close(csv);
}

static const char *const headings[] = {
    "k",
    "buckets",
    "filter",
    "load",
    "thrown out [95 %]",
    "in vain",
    "failed inserts",
    "found / should be",
    "lost of stored",
    "ns per insert [95 %]",
};

static void add_table_row(const struct experiment *e, const struct sweep *sweep, size_t s,
                          struct table *table)
{
    const struct standing *standings = sweep->standings[s][N_SHARES - 1];
    char(*row)[CELL_TEXT] = table_add_row(table);
    const struct interval moves = MEAN(e, standings, moves);
    const struct interval ns = MEAN(e, standings, insert_ns);
    size_t i = 0;

    snprintf(row[i++], CELL_TEXT, "%u", sweep->setting.k);
    snprintf(row[i++], CELL_TEXT, "%u × %u", sweep->setting.n_buckets,
             sweep->setting.bucket_slots);
    snprintf(row[i++], CELL_TEXT, "%s", subjects[s].name);
    snprintf(row[i++], CELL_TEXT, "%.4f", MEAN(e, standings, load).value);
    snprintf(row[i++], CELL_TEXT, "%.0f [%.0f, %.0f]", moves.value, fmax(0, moves.low),
             moves.high);
    snprintf(row[i++], CELL_TEXT, "%.0f", MEAN(e, standings, wasted_moves).value);
    snprintf(row[i++], CELL_TEXT, "%.0f", MEAN(e, standings, failed).value);
    snprintf(row[i++], CELL_TEXT, "%.2f %% / %.2f %%",
             100 * MEAN(e, standings, found).value,
             100 * sweep->true_share[N_SHARES - 1]);
    snprintf(row[i++], CELL_TEXT, "%.3f %%", 100 * MEAN(e, standings, lost).value);
    snprintf(row[i++], CELL_TEXT, "%.0f [%.0f, %.0f]", ns.value, ns.low, ns.high);
}

static void fill_table(const struct experiment *e, struct table *table)
{
    table->n_columns = sizeof headings / sizeof headings[0];
    for (size_t i = 0; i < table->n_columns; i++)
        table->headings[i] = headings[i];
    for (size_t i = 0; i < e->n_sweeps; i++)
        for (size_t s = 0; s < N_SUBJECTS; s++)
            add_table_row(e, &e->sweeps[i], s, table);
}

/* Entries thrown out by `less` over those by `more`, seed by seed; false where nothing was. */
static bool ratio_of_moves(const struct experiment *e, const struct sweep *sweep,
                           size_t less, size_t more, struct interval *ratio)
{
    double samples[MAX_SEEDS];

    for (size_t seed = 0; seed < e->n_seeds; seed++) {
        const double of = sweep->standings[more][N_SHARES - 1][seed].moves;
        if (of <= 0)
            return false;
        samples[seed] = sweep->standings[less][N_SHARES - 1][seed].moves / of;
    }
    *ratio = mean_interval(samples, e->n_seeds);
    return true;
}

/* On the claim that a ratio is below 1: within 2 % of it there is no difference to speak of. */
static enum verdict verdict_below_one(const struct interval *ratio)
{
    if (ratio->low > 1 || (ratio->low >= 0.98 && ratio->high <= 1.02))
        return DOES_NOT_HOLD;
    return ratio->high < 1 ? HOLDS : OPEN;
}

/* The worst share of k-mers lost by any of these filters, in any run. */
static double most_lost(const struct experiment *e, bool is_ours,
                        const struct sweep **where)
{
    double most = 0;

    for (size_t i = 0; i < e->n_sweeps; i++)
        for (size_t s = 0; s < N_SUBJECTS; s++)
            for (size_t seed = 0; seed < e->n_seeds; seed++) {
                const double lost = e->sweeps[i].standings[s][N_SHARES - 1][seed].lost;
                if (subjects[s].is_ours == is_ours && lost > most) {
                    most = lost;
                    *where = &e->sweeps[i];
                }
            }
    return most;
}

static void fill_summary(const struct experiment *e, struct answer *answer)
{
    const struct sweep *worst = &e->sweeps[0];
    const struct sweep *none = NULL;
    const struct sweep *shown = NULL; /* where the effect is largest */
    struct interval best = {0};
    size_t n = 0, n_fewer = 0;

    answer->verdict = HOLDS;
    for (size_t i = 0; i < e->n_sweeps; i++) {
        struct interval ratio;
        if (!ratio_of_moves(e, &e->sweeps[i], REDUCED, ORIGINAL, &ratio))
            continue;
        const enum verdict verdict = verdict_below_one(&ratio);
        answer->verdict = verdict_both(answer->verdict, verdict);
        n++;
        n_fewer += verdict == HOLDS;
        if (!shown || ratio.value < best.value) {
            shown = &e->sweeps[i];
            best = ratio;
        }
    }
    const double lost = most_lost(e, false, &worst);
    const double ours_lost = most_lost(e, true, &none);
    if (lost > 0)
        answer->verdict = DOES_NOT_HOLD;
    if (!shown)
        fail("no filter threw an entry out: nothing can be said");
    snprintf(
        answer->summary, sizeof answer->summary,
        "In %zu of %zu tables the reduced filter throws fewer entries out than the "
        "original; at best %.3g times as many [%.2g, %.2g] (k = %u, %u buckets of "
        "%u). In an overfull table nearly all of it is MNK times the failed insertions, "
        "and both pay the same. But up to %.1f %% of the k-mers that their filters count "
        "as stored are not found (k = %u, %u buckets of %u): entries that were moved "
        "or dropped. Ours, in the same tables, lost %.1f %%.",
        n_fewer, n, best.value, fmax(0, best.low), best.high, shown->setting.k,
        shown->setting.n_buckets, shown->setting.bucket_slots, 100 * lost,
        worst->setting.k, worst->setting.n_buckets, worst->setting.bucket_slots,
        100 * ours_lost);
}

static void fill_setup(const struct experiment *e, struct answer *answer)
{
    snprintf(
        answer->setup, sizeof answer->setup,
        "The k-mers of E. coli 536 (%s, %zu bases), as written, in genome order, "
        "repeated ones again; %zu seeds. The seminar's filters: SHA-1, 32-bit "
        "fingerprints, position = h mod m, MNK = 100, a set; “f” takes the "
        "fingerprint itself for the second bucket instead of its hash. Ours: the "
        "same number of buckets of the same size, as many moves, 32-bit tags, also a "
        "set, offset pairing. Thrown out: entries that were displaced, in vain: by "
        "insertions that failed in the end (ours take those moves back). Should be: "
        "what an exact set answers. Intervals: Student's over the seeds. Times are "
        "processor time without hashing, one call for each k-mer.",
        e->study->is_full ? "all of it" : "the first eighth", e->n_bases, e->n_seeds);
}

void run_fewer_relocations(const struct study *study, const char *folder,
                           struct answer *answer)
{
    struct experiment e = {.study = study, .n_seeds = study->is_full ? MAX_SEEDS : 3};
    struct progress progress = progress_begin("fewer relocations");

    e.sweeps = allocate(N_SETTINGS, sizeof *e.sweeps);
    read_genome(&e);
    run_settings(&e, &progress);
    progress_end(&progress);
    write_csv(&e, folder);
    fill_table(&e, &answer->table);
    fill_summary(&e, answer);
    fill_setup(&e, answer);
    free(e.sweeps);
    free(e.bases);
    free(e.texts);
    free(e.keys);
    free(e.firsts);
    free(e.digests);
    free(e.hashes);
    free(e.is_stored);
}
