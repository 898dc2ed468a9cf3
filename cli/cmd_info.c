/* SPDX-License-Identifier: MIT */
/* ninho info: what a file is, what it holds and how full it is. */
#include "report.h"
#include "setfile.h"

struct info_options {
    bool json;
};

static const struct option own_options[] = {
    {FLAG("json", struct info_options, json, "print JSON")},
    {0},
};

static int run(const struct command *command, int argc, char **argv)
{
    struct info_options options = {0};
    struct open_options opening = {0};
    void *const targets[] = {&options, &opening};
    struct set set = {0};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, 1, "FILE", &status))
        return status;
    const char *path = args.operands[0];
    status = set_open(path, &opening, SEALED_ALLOWED, SET_WHOLE, &set);
    if (status)
        return status;
    if (options.json) {
        struct json json = {0};
        json_object(&json, NULL);
        json_string(&json, "file", path);
        report_set_json(&json, &set);
        json_object_end(&json);
    } else {
        report_set_text(&set);
    }
    set_free(&set);
    return EXIT_YES;
}

static const struct option *const tables[] = {own_options, key_file_options, NULL};

const struct command cmd_info = {.name = "info", .run = run, .options = tables};
