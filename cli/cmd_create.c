/* SPDX-License-Identifier: MIT */
/* ninho create: an empty filter. */
#include "filterfile.h"
#include "memory.h"
#include "report.h"
#include "spec.h"

struct create_options {
    bool json;
    bool force;
};

static const struct option own_options[] = {
    {.name = "json", .offset = offsetof(struct create_options, json)},
    {.name = "force", .offset = offsetof(struct create_options, force)},
    {0},
};

static int create(const struct command *command, const char *path,
                  const struct spec_options *options, ninho_filter **filter)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = {.status = NINHO_OK};

    if (ninho_filter_plan(&options->spec, &plan, &error))
        return fail_error(command->name, &error);
    const int status = memory_check(path, plan.table_bytes);
    if (status)
        return status;
    if (ninho_filter_create(&options->spec, NULL, filter, &error))
        return fail_error(path, &error);
    return EXIT_YES;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct create_options options = {0};
    struct spec_options spec = SPEC_OPTIONS_INIT;
    void *const targets[] = {&options, &spec, &spec, &spec};
    struct args args;
    ninho_filter *filter = NULL;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, 1, "FILE", &status))
        return status;
    const char *path = args.operands[0];
    status = spec_finish(&spec, &args);
    if (!status)
        status = spec_check_capacity(&spec, &args);
    if (!status)
        status = filter_check_target(path, options.force);
    if (!status)
        status = create(command, path, &spec, &filter);
    if (!status)
        status = spec_set_meta(&spec, command, filter);
    if (!status)
        status = filter_save(filter, path);
    if (!status && options.json) {
        struct json json = {0};
        json_object(&json, NULL);
        json_string(&json, "file", path);
        report_filter_json(&json, filter);
        json_object_end(&json);
    }
    ninho_filter_free(filter);
    return status;
}

static const struct option *const tables[] = {own_options, size_options, identity_options,
                                              family_options, NULL};

const struct command cmd_create = {"create", run, tables};
