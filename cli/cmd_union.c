/* SPDX-License-Identifier: MIT */
/* ninho union: one filter or dictionary that holds what several hold. */
#define _FILE_OFFSET_BITS 64
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "apps/kmer/kmer.h"
#include "options/numbers.h"
#include "report.h"
#include "setfile.h"
#include "setpipe.h"

struct union_options {
    const char *output; /* NULL: it is the first operand */
    bool json;
    bool force;
};

static const struct option own_options[] = {
    {VALUE("output", "FILE", parse_text, struct union_options, output,
           "the file to be made, in place of the first operand"),
     .letter = 'o'},
    {FLAG("json", struct union_options, json, "print JSON")},
    {FLAG("force", struct union_options, force, "replace a file")},
    {0},
};

/* What a set says about its k-mers: in the filter's notes, or in the dictionary's values. */
struct kmers {
    char k[32], strand[32];
};

static int find_kmers(const struct set *set, const char *path, struct kmers *kmers)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_kmer_index index;

    *kmers = (struct kmers){.k = ""};
    if (set->filter) {
        (void)ninho_filter_meta(set->filter, "kmer.k", kmers->k, sizeof kmers->k, NULL);
        (void)ninho_filter_meta(set->filter, "kmer.strand", kmers->strand,
                                sizeof kmers->strand, NULL);
        return EXIT_YES;
    }
    if (ninho_dict_info_of(set->dict, &info) || info.key_encoding != NINHO_KEY_KMER)
        return EXIT_YES;
    if (ninho_kmer_index_dict(&index, set->dict, &error))
        return fail_error(path, &error);
    (void)snprintf(kmers->k, sizeof kmers->k, "%" PRIu32, index.rule.k);
    (void)snprintf(kmers->strand, sizeof kmers->strand, "%s",
                   ninho_kmer_strand_name(index.rule.strand));
    return EXIT_YES;
}

static int check_same(const char *name, const char *a, const char *a_path, const char *b,
                      const char *b_path)
{
    if (strcmp(a, b) == 0)
        return EXIT_YES;
    return fail_as("mismatch",
                   "%s: cannot be united with %s: %s is %s in one and %s in the other",
                   b_path, a_path, name, *b ? b : "absent", *a ? a : "absent");
}

/* K-mers of different lengths, or by different rules of strands, are no set of one kind. */
static int check_kmers(const struct set *a, const char *a_path, const struct set *b,
                       const char *b_path)
{
    struct kmers in_a;
    struct kmers in_b;

    if (!a->filter != !b->filter)
        return EXIT_YES; /* refused for that */
    int status = find_kmers(a, a_path, &in_a);
    if (!status)
        status = find_kmers(b, b_path, &in_b);
    if (!status)
        status = check_same("kmer.k", in_a.k, a_path, in_b.k, b_path);
    if (!status)
        status = check_same("kmer.strand", in_a.strand, a_path, in_b.strand, b_path);
    return status;
}

/* Opens the first input and adds the others to it. */
static int unite(char **inputs, size_t n_inputs, const struct open_options *opening,
                 struct set *target)
{
    int status = set_open(inputs[0], opening, SEALED_ALLOWED, SET_WHOLE, target);

    if (!status && target->has_sealed_beside)
        status = fail_as("key_missing",
                         "%s: the dictionary beside the filter is keyed: give its "
                         "--key-file",
                         inputs[0]);
    if (!status)
        status = set_check_agreement(target, inputs[0]);
    for (size_t i = 1; i < n_inputs && !status; i++) {
        struct set source = {0};
        status = set_open(inputs[i], opening, SEALED_ALLOWED, SET_WHOLE, &source);
        if (!status)
            status = check_kmers(target, inputs[0], &source, inputs[i]);
        if (!status)
            status = set_check_agreement(&source, inputs[i]);
        if (!status)
            status = set_unite(target, inputs[0], &source, inputs[i]);
        set_free(&source);
    }
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct union_options options = {0};
    struct open_options opening = {0};
    void *const targets[] = {&options, &opening};
    struct set set = {0};
    struct args args;
    struct stat existing;
    int status = EXIT_YES;
    int lock = -1;

    if (!args_parse(&args, command, argc, argv, targets, &status))
        return status;
    args_put_first(&args, options.output);
    if (!args_operands(&args, 2, SIZE_MAX, "OUT IN...", &status))
        return status;
    const char *path = args.operands[0];
    if (options.json && is_stdout_name(path))
        return usage_error(command, "standard output cannot be both %.100s and --json",
                           path);
    status = check_stdin_once(&args, args.operands + 1, args.n_operands - 1);
    if (!status)
        status = set_check_target(path, options.force);
    /* OUT may be one of the inputs, and others may be adding to it. */
    if (!status && !is_stdout_name(path) && stat(path, &existing) == 0)
        status = set_lock(path, &lock);
    if (!status)
        status = unite(args.operands + 1, args.n_operands - 1, &opening, &set);
    if (!status)
        status = set_save(&set, path);
    if (!status) {
        report_overfull(path, &set);
        if (options.json) {
            struct json json = {0};
            json_object(&json, NULL);
            json_string(&json, "file", path);
            report_set_json(&json, &set);
            json_object_end(&json);
        }
    }
    set_unlock(lock);
    set_free(&set);
    return status;
}

static const struct option *const tables[] = {own_options, key_file_options, NULL};

const struct command cmd_union = {.name = "union", .run = run, .options = tables};
