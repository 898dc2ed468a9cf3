/* SPDX-License-Identifier: MIT */
/* ninho verify: every checksum and every invariant of files. */
#include <stdio.h>

#include "json.h"
#include "kinds.h"
#include "output.h"
#include "setfile.h"
#include "setpipe.h"

struct verify_options {
    bool json;
    bool quiet;
};

static const struct option own_options[] = {
    {FLAG("json", struct verify_options, json, "print JSON")},
    {FLAG("quiet", struct verify_options, quiet, "print nothing"), .letter = 'q'},
    {0},
};

/* Opening checks both checksums and every number; verifying, what the family says of its table. */
static int verify(const char *path, const struct open_options *opening, const char **kind)
{
    struct set set = {0};
    int status = set_open(path, opening, SEALED_ALLOWED, SET_WHOLE, &set);

    if (status)
        return status;
    *kind = kind_name(set_kind(&set));
    status = set_verify(&set, path);
    set_free(&set);
    return status;
}

static void print(const char *path, const char *kind, bool is_good,
                  const struct verify_options *options)
{
    if (options->json) {
        struct json json = {0};
        json_object(&json, NULL);
        json_string(&json, "file", path);
        json_bool(&json, "ok", is_good);
        json_string(&json, "kind", kind);
        json_object_end(&json);
    } else if (is_good && !options->quiet) {
        output_name(path);
        output_text(": ok\n");
    }
}

static int run(const struct command *command, int argc, char **argv)
{
    struct verify_options options = {0};
    struct open_options opening = {0};
    void *const targets[] = {&options, &opening};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, SIZE_MAX, "FILE...", &status))
        return status;
    if (options.json && options.quiet)
        return usage_error(command, "-q and --json exclude each other");
    status = check_stdin_once(&args, args.operands, args.n_operands);
    if (status)
        return status;
    for (size_t i = 0; i < args.n_operands; i++) {
        const char *kind = NULL;
        const int result = verify(args.operands[i], &opening, &kind);
        print(args.operands[i], kind, result == EXIT_YES, &options);
        if (result)
            status = result;
    }
    return status;
}

static const struct option *const tables[] = {own_options, key_file_options, NULL};

const struct command cmd_verify = {.name = "verify", .run = run, .options = tables};
