/* SPDX-License-Identifier: MIT */
/* ninho kmer stats: how many k-mers there are, and how many distinct ones. Exact. */
#include <inttypes.h>

#include "cmd_kmer.h"
#include "memory.h"
#include "report.h"

struct stats_options {
    bool json;
};

static const struct option own_options[] = {
    {FLAG("json", struct stats_options, json, "print JSON")},
    {0},
};

struct stats {
    ninho_kmer_rule rule;
    ninho_kmer_set *set;
    uint64_t n_records, n_short, n_bases;
};

static int take_records(void *context, struct kmer_item *item)
{
    struct stats *stats = context;
    const ninho_kmer_batch *batch = &item->batches[0];

    for (size_t i = 0; i < batch->n; i++) {
        const ninho_kmer_record *record = &batch->records[i];
        const int status = memory_check("the set of all k-mers",
                                        ninho_kmer_set_need(stats->set, record->n_bases));
        if (status)
            return status;
        if (ninho_kmer_set_add(stats->set, record->bases, record->n_bases))
            return fail_no_memory();
        stats->n_records += record->is_first;
        stats->n_short +=
            record->is_first && record->is_last && record->n_bases < stats->rule.k;
    }
    stats->n_bases += batch->n_bases;
    return EXIT_YES;
}

static void print(const struct stats *stats, const struct kmer_input *input, bool as_json)
{
    struct json json = {0};

    if (!as_json) {
        report_line("records", "%" PRIu64, stats->n_records);
        report_line("shorter than k", "%" PRIu64, stats->n_short);
        if (input->n_passed_over)
            report_line("passed over", "%" PRIu64, input->n_passed_over);
        report_line("bases", "%" PRIu64, stats->n_bases);
        report_line("k", "%" PRIu32, stats->rule.k);
        report_line("strand", "%s", ninho_kmer_strand_name(stats->rule.strand));
        report_line("k-mers", "%" PRIu64, ninho_kmer_set_total(stats->set));
        report_line("distinct", "%" PRIu64, ninho_kmer_set_distinct(stats->set));
        report_line("skipped", "%" PRIu64, ninho_kmer_set_skipped(stats->set));
        return;
    }
    json_object(&json, NULL);
    json_uint(&json, "records", stats->n_records);
    json_uint(&json, "shorter_than_k", stats->n_short);
    json_uint(&json, "passed_over", input->n_passed_over);
    json_uint(&json, "bases", stats->n_bases);
    json_uint(&json, "k", stats->rule.k);
    json_string(&json, "strand", ninho_kmer_strand_name(stats->rule.strand));
    json_uint(&json, "kmers", ninho_kmer_set_total(stats->set));
    json_uint(&json, "distinct", ninho_kmer_set_distinct(stats->set));
    json_uint(&json, "skipped", ninho_kmer_set_skipped(stats->set));
    json_object_end(&json);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct stats_options options = {0};
    struct rule_options rule = {0};
    struct memory_options memory = {0};
    struct kmer_input input = {0};
    struct stats stats = {.set = NULL};
    void *const targets[] = {&options, &rule, &memory};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status))
        return status;
    memory_set_limit(&memory);
    status = kmer_check_files(&args, args.operands, args.n_operands);
    if (status)
        return status;
    stats.rule = rule_of(&rule);
    if (ninho_kmer_set_create(&stats.rule, &stats.set, NULL))
        return fail_no_memory();
    const struct kmer_job job = {.consume = take_records,
                                 .context = &stats,
                                 .overlap = stats.rule.k - 1,
                                 .progress = "bases"};
    status = kmer_stream(args.operands, args.n_operands, 1, &job, &input);
    if (!status)
        print(&stats, &input, options.json);
    ninho_kmer_set_free(stats.set);
    return status;
}

static const struct option *const tables[] = {own_options, rule_options, memory_options,
                                              NULL};

const struct command kmer_stats = {.name = "kmer stats", .run = run, .options = tables};
