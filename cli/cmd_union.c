/* SPDX-License-Identifier: MIT */
/* ninho union: one filter or dictionary that holds what several hold. */
#define _FILE_OFFSET_BITS 64
#include <string.h>
#include <sys/stat.h>

#include "report.h"
#include "setfile.h"

struct union_options {
    bool json;
    bool force;
};

static const struct option own_options[] = {
    {.name = "json", .offset = offsetof(struct union_options, json)},
    {.name = "force", .offset = offsetof(struct union_options, force)},
    {0},
};

/* K-mers of different lengths, or by different rules of strands, are no set of one kind. */
static int check_kmers(const ninho_filter *a, const char *a_path, const ninho_filter *b,
                       const char *b_path)
{
    static const char *const names[] = {"kmer.k", "kmer.strand"};

    for (size_t i = 0; a && b && i < sizeof names / sizeof *names; i++) {
        char in_a[32];
        char in_b[32];
        (void)ninho_filter_meta(a, names[i], in_a, sizeof in_a, NULL);
        (void)ninho_filter_meta(b, names[i], in_b, sizeof in_b, NULL);
        if (strcmp(in_a, in_b) != 0)
            return fail(
                "%s: cannot be united with %s: %s is %s in one and %s in the other",
                b_path, a_path, names[i], *in_b ? in_b : "absent",
                *in_a ? in_a : "absent");
    }
    return EXIT_YES;
}

/* Opens the first input and adds the others to it. */
static int unite(char **inputs, size_t n_inputs, const struct open_options *opening,
                 struct set *target)
{
    int status = set_open(inputs[0], opening, SEALED_ALLOWED, SET_WHOLE, target);

    if (!status && target->has_sealed_beside && n_inputs > 1)
        status = fail("%s: the dictionary beside the filter is keyed: give its "
                      "--key-file",
                      inputs[0]);
    for (size_t i = 1; i < n_inputs && !status; i++) {
        struct set source = {0};
        status = set_open(inputs[i], opening, SEALED_ALLOWED, SET_WHOLE, &source);
        if (!status)
            status = check_kmers(target->filter, inputs[0], source.filter, inputs[i]);
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

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 2, SIZE_MAX, "OUT IN...", &status))
        return status;
    const char *path = args.operands[0];
    status = set_check_target(path, options.force);
    /* OUT may be one of the inputs, and others may be adding to it. */
    if (!status && stat(path, &existing) == 0)
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

const struct command cmd_union = {"union", run, tables};
