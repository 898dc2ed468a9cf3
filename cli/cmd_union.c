/* SPDX-License-Identifier: MIT */
/* ninho union: one filter that holds what several hold. */
#define _FILE_OFFSET_BITS 64
#include <sys/stat.h>

#include "filterfile.h"
#include "report.h"

struct union_options {
    bool json;
    bool force;
};

static const struct option own_options[] = {
    {.name = "json", .offset = offsetof(struct union_options, json)},
    {.name = "force", .offset = offsetof(struct union_options, force)},
    {0},
};

/* Opens the first input and adds the others to it. */
static int unite(char **inputs, size_t n_inputs,
                 const struct open_filter_options *opening, ninho_filter **target)
{
    int status = filter_open(inputs[0], opening, SEALED_ALLOWED, target);

    for (size_t i = 1; i < n_inputs && !status; i++) {
        ninho_filter *source = NULL;
        ninho_error error = {.status = NINHO_OK};
        status = filter_open(inputs[i], opening, SEALED_ALLOWED, &source);
        if (status)
            break;
        const ninho_status united = ninho_filter_union(*target, source, &error);
        if (united == NINHO_ERR_MISMATCH)
            status = fail("%s: cannot be united with %s: %s", inputs[i], inputs[0],
                          error.text);
        else if (united)
            status = fail_error(inputs[i], &error);
        ninho_filter_free(source);
    }
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct union_options options = {0};
    struct open_filter_options opening = {0};
    void *const targets[] = {&options, &opening};
    ninho_filter *filter = NULL;
    struct args args;
    struct stat existing;
    int status = EXIT_YES;
    int lock = -1;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 2, SIZE_MAX, "OUT IN...", &status))
        return status;
    const char *path = args.operands[0];
    status = filter_check_target(path, options.force);
    /* OUT may be one of the inputs, and others may be adding to it. */
    if (!status && stat(path, &existing) == 0)
        status = filter_lock(path, &lock);
    if (!status)
        status = unite(args.operands + 1, args.n_operands - 1, &opening, &filter);
    if (!status)
        status = filter_save(filter, path);
    if (!status) {
        report_overfull(path, filter);
        if (options.json) {
            struct json json = {0};
            json_object(&json, NULL);
            json_string(&json, "file", path);
            report_filter_json(&json, filter);
            json_object_end(&json);
        }
    }
    filter_unlock(lock);
    ninho_filter_free(filter);
    return status;
}

static const struct option *const tables[] = {own_options, key_file_options, NULL};

const struct command cmd_union = {"union", run, tables};
