/* SPDX-License-Identifier: MIT */
/* ninho kmer compare: are two genomes the same? Random k-mers of each are looked up in a filter of
 * the other. A filter never denies what it has: one k-mer that is not found proves a difference,
 * and however many are found there is only a probability. */
#define _FILE_OFFSET_BITS 64
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd_kmer.h"
#include "memory.h"
#include "options/numbers.h"
#include "report.h"
#include "threads.h"

#define DEFAULT_SAMPLES 10000
#define MAX_SAMPLES     100000000

struct compare_options {
    uint64_t n_samples;
    uint64_t seed;
    double fpr;
    bool exact;
    bool json;
};

static const struct option own_options[] = {
    {NUMBER("samples", "N", parse_u64, struct compare_options, n_samples, 1, MAX_SAMPLES,
            "k-mers to look up")},
    {VALUE("seed", "S", parse_seed, struct compare_options, seed, "seed of the samples")},
    {VALUE("fpr", "P", parse_fpr, struct compare_options, fpr,
           "false positive rate of the filters")},
    {FLAG("exact", struct compare_options, exact, "tell the exact shares too")},
    {FLAG("json", struct compare_options, json, "print JSON")},
    {0},
};

/* ---- A random sample ----------------------------------------------------------------------- */

/* Of a stream whose length is not known: each k-mer has the same chance to be in it. Li's
 * algorithm L, which works out how many to pass over until the next one enters. */
struct sample {
    uint64_t *hashes;
    uint64_t n, room;
    uint64_t n_seen;
    uint64_t next; /* the number of the next one to enter, once the sample is full */
    double weight;
    uint64_t state;
};

/* Above 0 and at most 1. */
static double random_share(struct sample *sample)
{
    return ((double)(ninho_splitmix64(&sample->state) >> 11) + 1) / 9007199254740992.0;
}

static void pass_over(struct sample *sample)
{
    sample->weight *= exp(log(random_share(sample)) / (double)sample->room);
    const double skipped = floor(log(random_share(sample)) / log1p(-sample->weight));
    sample->next += skipped < 1e18 ? (uint64_t)skipped + 1 : (uint64_t)1e18;
}

static void sample_take(struct sample *sample, const uint64_t *hashes, size_t n)
{
    size_t i = 0;

    for (; i < n && sample->n < sample->room; i++) {
        sample->hashes[sample->n++] = hashes[i];
        if (sample->n == sample->room) {
            sample->weight = 1;
            sample->next = sample->n_seen + i;
            pass_over(sample);
        }
    }
    while (sample->n == sample->room && sample->next < sample->n_seen + n) {
        const double where = random_share(sample) * (double)sample->room;
        const uint64_t slot = where < (double)sample->room ? (uint64_t)where : 0;
        sample->hashes[slot] = hashes[sample->next - sample->n_seen];
        pass_over(sample);
    }
    sample->n_seen += n;
}

/* ---- One of the two ------------------------------------------------------------------------ */

struct genome {
    char *path;
    const ninho_kmer_rule *rule;
    ninho_hasher hasher;
    struct hash_bag bag;
    unsigned n_threads;
    struct sample sample;
    ninho_kmer_set *set; /* NULL: not wanted */
    uint64_t n_kmers, n_skipped;
    ninho_filter *filter;
    double fpr;
};

static void hash_records(void *context, struct kmer_item *item)
{
    const struct genome *genome = context;

    kmer_hash_records(genome->rule, &genome->hasher, item);
}

static int take_records(void *context, struct kmer_item *item)
{
    struct genome *genome = context;
    const ninho_kmer_batch *batch = &item->batches[0];
    int status = hash_bag_append(&genome->bag, item->hashes, item->n_hashes);

    sample_take(&genome->sample, item->hashes, item->n_hashes);
    genome->n_kmers += item->n_hashes;
    genome->n_skipped += item->n_skipped;
    for (size_t i = 0; genome->set && !status && i < batch->n; i++) {
        const ninho_kmer_record *record = &batch->records[i];
        status = memory_check("the exact set of all k-mers",
                              ninho_kmer_set_need(genome->set, record->n_bases));
        if (!status && ninho_kmer_set_add(genome->set, record->bases, record->n_bases))
            status = fail_no_memory();
    }
    return status;
}

static ninho_spec filter_spec(uint64_t capacity, double fpr)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = capacity;
    spec.fpr = fpr;
    spec.key_encoding = NINHO_KEY_KMER;
    return spec;
}

/* Can there be such a filter, and is there memory for it? */
static int check_filter(const struct command *command, const ninho_spec *spec)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_filter_plan(spec, &plan, &error))
        return fail_error(command->name, &error);
    return memory_check("a filter of a genome", plan.table_bytes);
}

static int make_filter(struct genome *genome, double fpr)
{
    const struct hash_bag *bag = &genome->bag;
    ninho_info info = NINHO_INFO_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    hash_bag_finish(&genome->bag);
    const ninho_spec spec = filter_spec(bag->n, fpr);
    const int status = check_filter(&kmer_compare, &spec);
    if (status)
        return status;
    if (ninho_filter_create(&spec, NULL, &genome->filter, &error))
        return fail_error(genome->path, &error);
    const ninho_status added =
        ninho_filter_add_many(genome->filter, bag->hashes, bag->n, NULL);
    if (added)
        return fail("%s: its k-mers cannot be put into a filter: %s", genome->path,
                    ninho_status_text(added));
    (void)ninho_filter_info(genome->filter, &info);
    genome->fpr = info.fpr_expected;
    hash_bag_free(&genome->bag);
    return EXIT_YES;
}

static int read_genome(struct genome *genome, const struct compare_options *options)
{
    const struct kmer_job job = {.work = hash_records,
                                 .consume = take_records,
                                 .context = genome,
                                 .overlap = genome->rule->k - 1,
                                 .progress = "bases"};
    int status = memory_check("the samples", 8 * options->n_samples);

    if (status)
        return status;
    genome->sample.room = options->n_samples;
    genome->sample.hashes =
        malloc((size_t)options->n_samples * sizeof *genome->sample.hashes);
    if (!genome->sample.hashes ||
        (options->exact && ninho_kmer_set_create(genome->rule, &genome->set, NULL)))
        return fail_no_memory();
    status = kmer_stream(&genome->path, 1, genome->n_threads, &job, NULL);
    if (status)
        return status;
    if (!genome->n_kmers)
        return fail("%s: there is nothing to compare: no record has %" PRIu32
                    " bases of ACGT in a row",
                    genome->path, genome->rule->k);
    return make_filter(genome, options->fpr);
}

static void free_genome(struct genome *genome)
{
    free(genome->sample.hashes);
    hash_bag_free(&genome->bag);
    ninho_kmer_set_free(genome->set);
    ninho_filter_free(genome->filter);
}

/* ---- One in the other ---------------------------------------------------------------------- */

/* How much of one genome is in the other. */
struct found {
    const char *of; /* "a" or "b" */
    const char *in;
    uint64_t n_samples, n_found;
    ninho_kmer_share share;
    ninho_kmer_count exact;
    double fpr;
};

#define BATCH 1024

static void look_up(const struct genome *of, const struct genome *in, struct found *found)
{
    uint64_t maybe[BATCH / 64];

    found->n_samples = of->sample.n;
    for (uint64_t at = 0; at < of->sample.n; at += BATCH) {
        const uint64_t left = of->sample.n - at;
        found->n_found +=
            ninho_filter_has_many(in->filter, of->sample.hashes + at,
                                  left < BATCH ? (size_t)left : BATCH, maybe);
    }
    found->fpr = in->fpr;
    found->share = ninho_kmer_share_of(found->n_samples, found->n_found, in->fpr);
}

struct exact_count {
    const ninho_kmer_set *set;
    ninho_kmer_count *count;
};

static int count_records(void *context, struct kmer_item *item)
{
    const struct exact_count *exact = context;
    const ninho_kmer_batch *batch = &item->batches[0];

    for (size_t i = 0; i < batch->n; i++)
        if (ninho_kmer_set_count(exact->set, batch->records[i].bases,
                                 batch->records[i].n_bases, exact->count))
            return fail_no_memory();
    return EXIT_YES;
}

/* Reads `of` once more. */
static int count_exactly(struct genome *of, const struct genome *in, struct found *found)
{
    struct exact_count exact = {.set = in->set, .count = &found->exact};
    const struct kmer_job job = {.consume = count_records,
                                 .context = &exact,
                                 .overlap = of->rule->k - 1,
                                 .progress = "bases"};

    return kmer_stream(&of->path, 1, 1, &job, NULL);
}

static double exact_share(const struct found *found)
{
    return (double)found->exact.n_found / (double)found->exact.n_kmers;
}

/* ---- Telling ------------------------------------------------------------------------------- */

static void print_found(const struct found *found, bool has_exact)
{
    char name[40];

    (void)snprintf(name, sizeof name, "%s in %s", found->of, found->in);
    report_line(name, "%" PRIu64 " of %" PRIu64 " samples found", found->n_found,
                found->n_samples);
    report_line("", "share %.6f, 95 %% interval %.6f to %.6f", found->share.corrected,
                found->share.low, found->share.high);
    if (has_exact)
        report_line("", "exact %.6f: %" PRIu64 " of %" PRIu64 " k-mers",
                    exact_share(found), found->exact.n_found, found->exact.n_kmers);
}

static void print_verdict(const struct found *found)
{
    const uint64_t n_missing = found->n_samples - found->n_found;

    if (n_missing)
        report_line("certain",
                    "%" PRIu64 " sampled k-mers of %s are not in %s: they differ",
                    n_missing, found->of, found->in);
    else
        report_line("probable",
                    "if less than %.6f of %s were in %s, finding all samples would have "
                    "a probability below 0.05",
                    found->share.at_least, found->of, found->in);
}

static void json_found(struct json *json, const char *name, const struct found *found,
                       bool has_exact)
{
    json_object(json, name);
    json_uint(json, "samples", found->n_samples);
    json_uint(json, "found", found->n_found);
    json_double(json, "fpr", found->fpr);
    json_double(json, "share_found", found->share.found);
    json_double(json, "share", found->share.corrected);
    json_double(json, "low", found->share.low);
    json_double(json, "high", found->share.high);
    json_double(json, "at_least", found->share.at_least);
    if (has_exact)
        json_double(json, "exact", exact_share(found));
    else
        json_null(json, "exact");
    json_object_end(json);
}

static void print_json(const struct genome genomes[2], const struct found found[2],
                       bool has_exact)
{
    struct json json = {0};

    json_object(&json, NULL);
    json_string(&json, "a", genomes[0].path);
    json_string(&json, "b", genomes[1].path);
    json_uint(&json, "k", genomes[0].rule->k);
    json_string(&json, "strand", ninho_kmer_strand_name(genomes[0].rule->strand));
    json_uint(&json, "kmers_a", genomes[0].n_kmers);
    json_uint(&json, "kmers_b", genomes[1].n_kmers);
    json_uint(&json, "skipped_a", genomes[0].n_skipped);
    json_uint(&json, "skipped_b", genomes[1].n_skipped);
    json_found(&json, "a_in_b", &found[0], has_exact);
    json_found(&json, "b_in_a", &found[1], has_exact);
    json_bool(&json, "differ",
              found[0].n_found < found[0].n_samples ||
                  found[1].n_found < found[1].n_samples);
    json_object_end(&json);
}

static void print_text(const struct genome genomes[2], const struct found found[2],
                       bool has_exact)
{
    report_line("a", "%s, %" PRIu64 " k-mers", genomes[0].path, genomes[0].n_kmers);
    report_line("b", "%s, %" PRIu64 " k-mers", genomes[1].path, genomes[1].n_kmers);
    report_line("k", "%" PRIu32 ", %s", genomes[0].rule->k,
                ninho_kmer_strand_name(genomes[0].rule->strand));
    for (int i = 0; i < 2; i++)
        print_found(&found[i], has_exact);
    for (int i = 0; i < 2; i++)
        print_verdict(&found[i]);
}

static int compare(struct genome genomes[2], const struct compare_options *options)
{
    struct found found[2] = {{.of = "a", .in = "b"}, {.of = "b", .in = "a"}};
    int status = EXIT_YES;

    for (int i = 0; !status && i < 2; i++)
        status = read_genome(&genomes[i], options);
    for (int i = 0; !status && i < 2; i++) {
        look_up(&genomes[i], &genomes[1 - i], &found[i]);
        if (options->exact)
            status = count_exactly(&genomes[i], &genomes[1 - i], &found[i]);
    }
    if (status)
        return status;
    if (options->json)
        print_json(genomes, found, options->exact);
    else
        print_text(genomes, found, options->exact);
    return found[0].n_found == found[0].n_samples &&
                   found[1].n_found == found[1].n_samples
               ? EXIT_YES
               : EXIT_NO;
}

/* Can both files be read a second time? What comes through a pipe has gone by then. */
static int check_twice(char *const *files)
{
    struct stat file;

    for (int i = 0; i < 2; i++)
        if (strcmp(files[i], "-") == 0 || stat(files[i], &file) != 0 ||
            !S_ISREG(file.st_mode))
            return fail(
                "%s: --exact reads files twice, which this one cannot be: save it "
                "as a file first",
                strcmp(files[i], "-") == 0 ? "standard input" : files[i]);
    return EXIT_YES;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct compare_options options = {.n_samples = DEFAULT_SAMPLES,
                                      .fpr = DEFAULT_KMER_FPR};
    struct rule_options asked = {0};
    struct thread_options threads = {0};
    struct memory_options memory = {0};
    struct genome genomes[2] = {{.path = NULL}, {.path = NULL}};
    void *const targets[] = {&options, &asked, &threads, &memory};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 2, 2, "A B", &status))
        return status;
    memory_set_limit(&memory);
    const ninho_spec least = filter_spec(1, options.fpr);
    status = check_filter(command, &least);
    if (!status)
        status = kmer_check_files(&args, args.operands, 2);
    if (!status && options.exact)
        status = check_twice(args.operands);
    if (status)
        return status;
    const ninho_kmer_rule rule = rule_of(&asked);
    for (uint64_t i = 0; i < 2; i++) {
        genomes[i].path = args.operands[i];
        genomes[i].rule = &rule;
        genomes[i].n_threads = thread_count(&threads);
        genomes[i].bag =
            (struct hash_bag){.what = KMER_HASHES, .n_threads = genomes[i].n_threads};
        genomes[i].hasher = (ninho_hasher){.id = NINHO_HASH_XXH3};
        genomes[i].sample.state = options.seed + (i << 32);
    }
    status = compare(genomes, &options);
    for (int i = 0; i < 2; i++)
        free_genome(&genomes[i]);
    return status;
}

static const struct option *const tables[] = {own_options, rule_options, thread_options,
                                              memory_options, NULL};

const struct command kmer_compare = {
    .name = "kmer compare", .run = run, .options = tables};
