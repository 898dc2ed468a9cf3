/* SPDX-License-Identifier: MIT */
/* ninho kmer build: an index of the k-mers of sequences.
 *
 * For a filter the hashes of all k-mers are kept and copies of them dropped, so that it is made for
 * as many as there are: nobody has to know that beforehand. Hashes are sorted on the way, which also
 * makes the file independent of the order of the records and of the number of threads. A dictionary
 * takes the k-mers as they come. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adder.h"
#include "building.h"
#include "cmd_kmer.h"
#include "hashes.h"
#include "memory.h"
#include "outfile.h"
#include "report.h"
#include "setfile.h"
#include "setpipe.h"
#include "spec.h"
#include "threads.h"

/* A cuckoo filter is filled to 7/8 only, unless somebody chose its table: that takes 8 % more than
 * the fewest bits, still under 1.6 bytes for a k-mer, and is built in little more than half the time
 * since hardly any tag has to move. Small ones are left to the planner. */
#define ROOMY_CAPACITY 100000

struct build {
    const struct command *command;
    const char *path;
    ninho_kmer_rule rule;
    ninho_hasher hasher;
    struct spec_options spec;
    unsigned n_threads;
    bool is_roomy; /* nobody chose the table */
    struct adder adder;
    struct hash_bag bag;
    struct kmer_input input;
    uint64_t n_records, n_short, n_kmers, n_skipped;
};

static void look_at_records(void *context, struct kmer_item *item)
{
    const struct build *build = context;

    if (build->adder.set.dict)
        kmer_count_records(&build->rule, item);
    else
        kmer_hash_records(&build->rule, &build->hasher, item);
}

/* ---- Dictionaries -------------------------------------------------------------------------- */

static int put_records(struct build *build, struct kmer_item *item)
{
    const ninho_kmer_batch *batch = &item->batches[0];
    ninho_kmer_count count = {0};
    int status =
        set_check_room(&build->adder.set, build->path,
                       (size_t)batch->n_bases * ninho_kmer_exact_size(&build->rule));

    for (size_t i = 0; !status && i < batch->n; i++) {
        const ninho_kmer_record *record = &batch->records[i];
        const ninho_status put = ninho_kmer_put(build->adder.set.dict, &build->rule,
                                                record->bases, record->n_bases, &count);
        if (put == NINHO_ERR_NOMEM)
            status = fail_no_memory();
        else if (put)
            status =
                put == NINHO_ERR_FULL
                    ? fail_as(
                          "full",
                          "%s: there are more distinct k-mers than --capacity %" PRIu64
                          " has room for",
                          build->path, build->spec.spec.capacity)
                    : fail_as(status_name(put), "%s: %s", build->path,
                              ninho_status_text(put));
    }
    item->n_hashes = (size_t)count.n_kmers;
    item->n_skipped = count.n_skipped;
    return status;
}

/* ---- The whole ----------------------------------------------------------------------------- */

static int take_records(void *context, struct kmer_item *item)
{
    struct build *build = context;
    const int status = build->adder.set.dict
                           ? put_records(build, item)
                           : hash_bag_append(&build->bag, item->hashes, item->n_hashes);

    build->n_records += item->n_records;
    build->n_short += item->n_without;
    build->n_kmers += item->n_hashes;
    build->n_skipped += item->n_skipped;
    return status;
}

static int fill_filter(struct build *build)
{
    const struct hash_bag *bag = &build->bag;
    ninho_spec *spec = &build->spec.spec;

    if (spec->capacity && spec->capacity < bag->n &&
        !(kind_can(build->spec.kind) & (NINHO_CAN_GROW | NINHO_CAN_OVERFILL)))
        return fail_as("full",
                       "%s: there are %zu distinct k-mers, and --capacity is %" PRIu64,
                       build->path, bag->n, spec->capacity);
    if (!spec->capacity)
        spec->capacity = bag->n;
    if (build->is_roomy && spec->capacity >= ROOMY_CAPACITY) {
        spec->n_slots = spec->capacity + spec->capacity / 7;
        build->spec.is_planned = false;
    }
    build->adder.n_read = bag->n;
    return build_filter(&build->spec, build->command, bag, &build->adder);
}

static int mark(const struct build *build, ninho_filter *filter)
{
    const int status = spec_set_meta(&build->spec, filter);

    if (status)
        return status;
    const ninho_status marked = ninho_kmer_mark(filter, &build->rule);
    return marked ? fail_as(status_name(marked), "%s: %s", build->path,
                            ninho_status_text(marked))
                  : EXIT_YES;
}

static void print_text(const struct build *build, uint64_t n_distinct)
{
    report_line("records", "%" PRIu64, build->n_records);
    report_line("shorter than k", "%" PRIu64, build->n_short);
    if (build->input.n_passed_over)
        report_line("passed over", "%" PRIu64, build->input.n_passed_over);
    report_line("k", "%" PRIu32, build->rule.k);
    report_line("strand", "%s", ninho_kmer_strand_name(build->rule.strand));
    report_line("k-mers", "%" PRIu64, build->n_kmers);
    report_line("distinct", "%" PRIu64, n_distinct);
    report_line("skipped", "%" PRIu64, build->n_skipped);
    report_set_text(&build->adder.set);
    report_moves_text(&build->adder.set);
}

static void print(const void *context, bool as_json)
{
    const struct build *build = context;
    const struct set *set = &build->adder.set;
    const uint64_t n_distinct = set->dict ? ninho_dict_count(set->dict) : build->bag.n;
    struct json json = {0};

    if (!as_json) {
        print_text(build, n_distinct);
        return;
    }
    json_object(&json, NULL);
    json_string(&json, "file", build->path);
    json_uint(&json, "records", build->n_records);
    json_uint(&json, "shorter_than_k", build->n_short);
    json_uint(&json, "passed_over", build->input.n_passed_over);
    json_uint(&json, "k", build->rule.k);
    json_string(&json, "strand", ninho_kmer_strand_name(build->rule.strand));
    json_uint(&json, "kmers", build->n_kmers);
    json_uint(&json, "distinct", n_distinct);
    json_uint(&json, "skipped", build->n_skipped);
    report_set_json(&json, set);
    report_moves_json(&json, set);
    json_object_end(&json);
}

/* From files to an index. */
static int make(struct build *build, char **files, size_t n_files)
{
    const struct kmer_job job = {.work = look_at_records,
                                 .consume = take_records,
                                 .context = build,
                                 .overlap = build->rule.k - 1,
                                 .progress = "bases"};
    struct set *set = &build->adder.set;
    int status = EXIT_YES;

    if (kind_is_exact(build->spec.kind))
        status = spec_create_dict(&build->spec, build->path, set);
    if (!status)
        status = kmer_stream(files, n_files, build->n_threads, &job, &build->input);
    if (status)
        return status;
    if (!build->n_kmers)
        return fail("%s%s: there is nothing to index: no record has %" PRIu32
                    " bases of ACGT in a row (%" PRIu64 " records)",
                    !n_files || strcmp(files[0], "-") == 0 ? "standard input" : files[0],
                    n_files > 1 ? " and the other files" : "", build->rule.k,
                    build->n_records);
    if (!set->dict) {
        hash_bag_finish(&build->bag);
        status = fill_filter(build);
        if (!status)
            status = mark(build, set->filter);
    }
    return status;
}

static int prepare(struct build *build, const struct args *args)
{
    struct spec_options *options = &build->spec;
    ninho_spec *spec = &options->spec;

    spec->key_encoding = NINHO_KEY_KMER;
    if (!options->kind)
        options->kind = NINHO_CUCKOO;
    if (!kind_is_exact(options->kind) && spec->fpr <= 0 && !spec->n_bits &&
        !spec->tag_bits)
        spec->fpr = DEFAULT_KMER_FPR;
    build->is_roomy =
        options->kind == NINHO_CUCKOO && !args_particular(args, NINHO_CUCKOO);
    int status = spec_finish(options, args);
    if (!status && spec->capacity)
        status = spec_check_capacity(options, args);
    if (!status)
        status = spec_plan(options, args->command);
    options->dict.key_size = (uint32_t)ninho_kmer_exact_size(&build->rule);
    build->hasher = build_hasher(spec);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct build_options options = {0};
    struct rule_options rule = {0};
    struct thread_options threads = {0};
    struct memory_options memory = {0};
    struct build build = {.command = command, .spec = SPEC_OPTIONS_INIT};
    void *const targets[] = {&options,    &rule,       &threads,   &memory,
                             &build.spec, &build.spec, &build.spec};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status))
        return status;
    args_put_first(&args, options.output);
    if (!args_operands(&args, 1, SIZE_MAX, "OUT [FILE...]", &status))
        return status;
    build.path = build.adder.path = args.operands[0];
    build.rule = rule_of(&rule);
    build.n_threads = thread_count(&threads);
    build.bag = (struct hash_bag){.what = KMER_HASHES, .n_threads = build.n_threads};
    memory_set_limit(&memory);
    status = prepare(&build, &args);
    if (!status)
        status = build_check_output(&args, &options);
    if (!status)
        status = set_check_target(build.path, options.force);
    if (!status)
        status = kmer_check_files(&args, args.operands + 1, args.n_operands - 1);
    if (!status && !is_stdout_name(build.path))
        status =
            outfile_check(build.path, args.operands + 1, args.n_operands - 1, NULL, 0);
    if (!status)
        status = make(&build, args.operands + 1, args.n_operands - 1);
    if (!status)
        status = build_finish(&build.adder, &options, print, &build);
    hash_bag_free(&build.bag);
    set_free(&build.adder.set);
    return status;
}

static const struct option *const tables[] = {
    build_options, rule_options,     thread_options, memory_options,
    size_options,  identity_options, family_options, NULL};

const struct command kmer_build = {.name = "kmer build", .run = run, .options = tables};
