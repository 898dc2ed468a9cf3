/* SPDX-License-Identifier: MIT */
/* ninho add and ninho remove: keys into a file, or out of it, in place. */
#include <inttypes.h>
#include <string.h>

#include "adder.h"
#include "key_stream.h"
#include "kinds.h"
#include "memory.h"
#include "report.h"
#include "setfile.h"
#include "setpipe.h"
#include "threads.h"

/* A change under way. The adder has the set; removing keeps its own account. */
struct change {
    const struct args *args;
    struct key_options keys;
    struct thread_options threads;
    struct open_options opening;
    bool json;
    bool is_pipe; /* FILE is -: from standard input to standard output */
    struct adder adder;
    struct key_reader reader;
    struct key_format format;
    uint64_t n_removed;
    uint64_t n_not_found;
};

static const struct option own_options[] = {
    {FLAG("json", struct change, json, "print JSON")},
    {0},
};

/* ---- Adding -------------------------------------------------------------------------------- */

static int check_can_add(const struct change *change)
{
    const struct set *set = &change->adder.set;

    if (set_can(set) & NINHO_CAN_ADD)
        return EXIT_YES;
    return fail_as("unsupported",
                   "%s: a %s filter cannot add keys: build it again with all of them",
                   change->adder.path, kind_name(set_kind(set)));
}

static int add(struct change *change)
{
    struct adder *adder = &change->adder;
    int status = adder_run(adder, &change->reader, &change->format,
                           thread_count(&change->threads));

    if (!status && (adder->n_added || change->is_pipe) && !adder->n_refused)
        status = set_save_back(&adder->set, adder->path);
    return status;
}

static void json_added(const struct change *change, struct json *json)
{
    json_uint(json, "keys_added", change->adder.n_added);
    json_uint(json, "keys_not_stored", adder_not_stored(&change->adder));
}

/* ---- Removing ------------------------------------------------------------------------------ */

/* Names the kinds that could have done it, or how this one could. */
static int cannot_remove(const char *path, const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    char names[300];

    (void)ninho_filter_spec(filter, &spec);
    if (spec.semantics == NINHO_SET)
        return fail_as(
            "unsupported",
            "%s: was made with --set, and then a tag may stand for several keys: "
            "keys can be removed if it is made with --set --checked, or without "
            "--set",
            path);
    kind_list(NINHO_CAN_REMOVE, true, names, sizeof names);
    return fail_as("unsupported",
                   "%s: a %s filter%s%s cannot remove keys; these kinds can: %s", path,
                   ninho_kind_name(spec.kind), spec.base ? " over " : "",
                   spec.base ? ninho_kind_name(spec.base) : "", names);
}

static int check_can_remove(const struct change *change)
{
    const struct adder *adder = &change->adder;

    return set_can(&adder->set) & NINHO_CAN_REMOVE
               ? EXIT_YES
               : cannot_remove(adder->path, adder->set.filter);
}

static int remove_key(void *context, const void *key, size_t size, uint64_t hash)
{
    struct change *change = context;
    const char *path = change->adder.path;
    const ninho_status status = set_remove(&change->adder.set, key, size, hash);

    if (status == NINHO_ERR_FORMAT)
        return fail("%s: the dictionary beside the filter has keys, or copies of keys, "
                    "that the filter has not",
                    path);
    if (status && status != NINHO_ERR_NOT_FOUND)
        return fail("%s: %s", path, ninho_status_text(status));
    change->n_removed += !status;
    change->n_not_found += status != NINHO_OK;
    return EXIT_YES;
}

static int remove_hashes(void *context, const uint64_t *hashes, size_t n)
{
    int status = EXIT_YES;

    for (size_t i = 0; !status && i < n; i++)
        status = remove_key(context, NULL, 0, hashes[i]);
    return status;
}

static int remove_keys(struct change *change)
{
    struct set *set = &change->adder.set;
    const struct key_sink sink = {.context = change,
                                  .needs_hashes = set->filter != NULL,
                                  .hashes = set->dict ? NULL : remove_hashes,
                                  .key = remove_key};
    int status = key_stream(&change->reader, &change->format,
                            thread_count(&change->threads), &sink, &change->adder.n_read);

    if (!status && (change->n_removed || change->is_pipe))
        status = set_save_back(set, change->adder.path);
    return status;
}

static void json_removed(const struct change *change, struct json *json)
{
    json_uint(json, "keys_removed", change->n_removed);
    json_uint(json, "keys_not_found", change->n_not_found);
}

/* ---- Both ---------------------------------------------------------------------------------- */

static void print_json(const struct change *change,
                       void (*counts)(const struct change *, struct json *))
{
    const struct adder *adder = &change->adder;
    struct json json = {0};

    json_object(&json, NULL);
    json_string(&json, "file", adder->path);
    json_uint(&json, "keys_read", adder->n_read);
    counts(change, &json);
    report_set_json(&json, &adder->set);
    json_object_end(&json);
}

/* What did not go in, or was not there. */
static int report_added(const struct change *change)
{
    const struct adder *adder = &change->adder;
    const int status = adder_account(adder);

    if (adder->n_refused)
        return status;
    report_overfull(adder->path, &adder->set);
    if (change->json)
        print_json(change, json_added);
    return status;
}

static int report_removed(const struct change *change)
{
    if (change->json)
        print_json(change, json_removed);
    if (!change->n_not_found)
        return EXIT_YES;
    warn("%s: %" PRIu64 " of %" PRIu64 " keys were not found", change->adder.path,
         change->n_not_found, change->adder.n_read);
    return EXIT_NO;
}

struct manner {
    int (*check)(const struct change *change); /* can it be done to this set? */
    int (*work)(struct change *change);        /* and saves */
    int (*report)(const struct change *change);
};

/* Everything between lock and unlock. */
static int change_file(struct change *change, const struct manner *manner)
{
    const struct args *args = change->args;
    const char *path = args->operands[0];
    struct adder *adder = &change->adder;

    int status = set_open(path, &change->opening, SEALED_REFUSED, SET_WHOLE, &adder->set);
    if (status)
        return status;
    status = manner->check(change);
    if (!status)
        status = set_check_agreement(&adder->set, path);
    if (!status)
        status = set_key_format(&adder->set, args, &change->keys, path, &change->format);
    if (!status)
        status = keys_open(&change->reader, args->operands + 1, args->n_operands - 1,
                           &change->format, change->is_pipe ? NULL : path);
    if (!status)
        status = manner->work(change);
    if (!status)
        status = manner->report(change);
    keys_close(&change->reader);
    set_free(&adder->set);
    return status;
}

static int run(const struct command *command, int argc, char **argv,
               const struct manner *manner)
{
    struct change change = {.json = false};
    struct memory_options memory = {0};
    void *const targets[] = {&change,         &change.keys,    &change.threads,
                             &change.opening, &change.opening, &memory};
    struct args args;
    int status = EXIT_YES;
    int lock = -1;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, SIZE_MAX, "FILE [KEYFILE...]", &status))
        return status;
    if (command == &cmd_add) /* removing needs no more than the file */
        memory_set_limit(&memory);
    change.args = &args;
    change.adder.path = args.operands[0];
    change.is_pipe = strcmp(args.operands[0], "-") == 0;
    status =
        check_one_stdin(&args, args.operands[0], args.operands + 1, args.n_operands - 1);
    if (!status && change.is_pipe && change.json)
        status = usage_error(command, "standard output cannot be both - and --json");
    if (!status)
        status = change.is_pipe ? set_check_target("-", false)
                                : set_lock(args.operands[0], &lock);
    if (status)
        return status;
    status = change_file(&change, manner);
    set_unlock(lock);
    return status;
}

static int run_add(const struct command *command, int argc, char **argv)
{
    static const struct manner adding = {check_can_add, add, report_added};
    return run(command, argc, argv, &adding);
}

static int run_remove(const struct command *command, int argc, char **argv)
{
    static const struct manner removing = {check_can_remove, remove_keys, report_removed};
    return run(command, argc, argv, &removing);
}

static const struct option *const tables[] = {
    own_options, key_options, thread_options, key_file_options, pages_options, NULL};
static const struct option *const tables_of_add[] = {
    own_options,    key_options, thread_options, key_file_options, pages_options,
    memory_options, NULL};

const struct command cmd_add = {.name = "add", .run = run_add, .options = tables_of_add};
const struct command cmd_remove = {
    .name = "remove", .run = run_remove, .options = tables};
