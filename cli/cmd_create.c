/* SPDX-License-Identifier: MIT */
/* ninho create: an empty filter or dictionary. */
#include "options/numbers.h"
#include "output.h"
#include "report.h"
#include "setfile.h"
#include "setpipe.h"
#include "spec.h"

struct create_options {
    const char *output; /* NULL: it is the operand */
    bool json;
    bool force;
};

static const struct option own_options[] = {
    {VALUE("output", "FILE", parse_text, struct create_options, output,
           "the file to be made, in place of the operand"),
     .letter = 'o'},
    {FLAG("json", struct create_options, json, "print JSON")},
    {FLAG("force", struct create_options, force, "replace a file")},
    {0},
};

static int create(const struct command *command, const char *path,
                  struct spec_options *options, struct set *set)
{
    int status = EXIT_YES;

    if (!kind_is_exact(options->kind))
        status = spec_create_filter(options, command, path, set);
    if (!status && spec_has_dict(options))
        status = spec_create_dict(options, path, set);
    if (!status && options->checked)
        status = set_join(set, path, options->keeps_once);
    if (!status && set->filter)
        status = spec_set_meta(options, set->filter);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct create_options options = {0};
    struct spec_options spec = SPEC_OPTIONS_INIT;
    void *const targets[] = {&options, &spec, &spec, &spec, &spec};
    struct args args;
    struct set set = {0};
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status))
        return status;
    args_put_first(&args, options.output);
    if (!args_operands(&args, 1, 1, "FILE", &status))
        return status;
    const char *path = args.operands[0];
    if (options.json && is_stdout_name(path))
        return usage_error(command, "standard output cannot be both %.100s and --json",
                           path);
    status = spec_grow(&spec, &args);
    if (!status)
        status = spec_finish(&spec, &args);
    if (!status)
        status = spec_check_capacity(&spec, &args);
    if (!status)
        status = spec_plan(&spec, command);
    if (!status)
        status = set_check_target(path, options.force);
    if (!status)
        status = create(command, path, &spec, &set);
    if (!status && options.json) {
        struct json json = {0};
        json_object(&json, NULL);
        json_string(&json, "file", path);
        report_set_json(&json, &set);
        json_object_end(&json);
    }
    if (!status) /* no file without its numbers */
        status = output_is_written() ? set_save(&set, path) : EXIT_ERROR;
    set_free(&set);
    return status;
}

static const struct option *const tables[] = {
    own_options, size_options, identity_options, line_options, family_options, NULL};

const struct command cmd_create = {.name = "create", .run = run, .options = tables};
