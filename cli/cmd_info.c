/* SPDX-License-Identifier: MIT */
/* ninho info: what files are, what they hold and how full they are. */
#include "output.h"
#include "report.h"
#include "setfile.h"
#include "setpipe.h"

struct info_options {
    bool json;
};

static const struct option own_options[] = {
    {FLAG("json", struct info_options, json, "print JSON")},
    {0},
};

/* One file of n; `n_before` have been printed. */
static int print_info(const char *path, size_t n_before, size_t n, bool as_json,
                      const struct open_options *opening)
{
    struct set set = {0};
    const int status = set_open(path, opening, SEALED_ALLOWED, SET_WHOLE, &set);

    if (status)
        return status;
    if (as_json) {
        struct json json = {0};
        json_object(&json, NULL);
        json_string(&json, "file", path);
        report_set_json(&json, &set);
        json_object_end(&json);
    } else {
        if (n_before)
            output_text("\n");
        if (n > 1)
            report_line("file", "%s", path);
        report_set_text(&set);
    }
    set_free(&set);
    return EXIT_YES;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct info_options options = {0};
    struct open_options opening = {0};
    void *const targets[] = {&options, &opening};
    struct args args;
    size_t n_printed = 0;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, SIZE_MAX, "FILE...", &status))
        return status;
    status = check_stdin_once(&args, args.operands, args.n_operands);
    if (status)
        return status;
    for (size_t i = 0; i < args.n_operands; i++) {
        if (print_info(args.operands[i], n_printed, args.n_operands, options.json,
                       &opening))
            status = EXIT_ERROR;
        else
            n_printed++;
    }
    return status;
}

static const struct option *const tables[] = {own_options, key_file_options, NULL};

const struct command cmd_info = {.name = "info", .run = run, .options = tables};
