/* SPDX-License-Identifier: MIT */
/* ninho add: more keys into a file, in place. */
#include <inttypes.h>

#include "adder.h"
#include "kinds.h"
#include "report.h"
#include "setfile.h"

struct add_options {
    bool json;
};

static const struct option own_options[] = {
    {.name = "json", .offset = offsetof(struct add_options, json)},
    {0},
};

static void print_json(const char *path, const struct adder *adder)
{
    struct json json = {0};

    json_object(&json, NULL);
    json_string(&json, "file", path);
    json_uint(&json, "keys_read", adder->n_read);
    json_uint(&json, "keys_added", adder->n_added);
    json_uint(&json, "keys_not_stored", adder_not_stored(adder));
    report_set_json(&json, &adder->set);
    json_object_end(&json);
}

/* Everything between lock and unlock. */
static int add(const struct args *args, const struct key_options *keys,
               const struct open_options *opening, unsigned n_threads, bool as_json)
{
    const char *path = args->operands[0];
    struct adder adder = {.path = path};
    struct key_reader reader = {.descriptor = -1};
    struct key_format format = {.separator = '\n'};

    int status = set_open(path, opening, SEALED_REFUSED, SET_WHOLE, &adder.set);
    if (status)
        return status;
    if (!(set_can(&adder.set) & NINHO_CAN_ADD))
        status = fail("%s: a %s filter cannot add keys: build it again with all of them",
                      path, kind_name(set_kind(&adder.set)));
    else
        status = set_key_format(&adder.set, args, keys, path, &format);
    if (!status)
        status = keys_open(&reader, args->operands + 1, args->n_operands - 1,
                           format.separator, args->operands[0]);
    if (!status)
        status = adder_run(&adder, &reader, &format, n_threads);
    if (!status && adder.n_added && !adder.n_refused)
        status = set_save_back(&adder.set, path);
    if (!status) {
        status = adder_account(&adder);
        if (!adder.n_refused) {
            report_overfull(path, &adder.set);
            if (as_json)
                print_json(path, &adder);
        }
    }
    keys_close(&reader);
    set_free(&adder.set);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct add_options options = {0};
    struct key_options keys = {0};
    struct thread_options threads = {0};
    struct open_options opening = {0};
    void *const targets[] = {&options, &keys, &threads, &opening, &opening};
    struct args args;
    int status = EXIT_YES;
    int lock = -1;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, SIZE_MAX, "FILE [KEYFILE...]", &status))
        return status;
    status = set_lock(args.operands[0], &lock);
    if (status)
        return status;
    status = add(&args, &keys, &opening, thread_count(&threads), options.json);
    set_unlock(lock);
    return status;
}

static const struct option *const tables[] = {
    own_options, key_options, thread_options, key_file_options, pages_options, NULL};

const struct command cmd_add = {"add", run, tables};
