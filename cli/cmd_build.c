/* SPDX-License-Identifier: MIT */
/* ninho build: a filter or dictionary holding keys. Into a filter, with --capacity, the keys stream
 * through fixed memory; without, their hashes are kept, and the filter is made for as many as are
 * distinct. A dictionary, alone or beside a filter, grows with them; without --capacity it keeps
 * each key once, as the filters then do. */
#include <inttypes.h>

#include "adder.h"
#include "building.h"
#include "hashes.h"
#include "key_stream.h"
#include "memory.h"
#include "report.h"
#include "setfile.h"
#include "setpipe.h"
#include "spec.h"
#include "threads.h"

/* A build under way. */
struct build {
    const struct command *command;
    const char *path;
    struct spec_options spec;
    struct key_format format;
    struct key_reader reader;
    unsigned n_threads;
    struct adder adder;
    struct hash_bag bag;
    bool is_distinct_known;
    uint64_t n_distinct;
};

static int keep_hashes(void *context, const uint64_t *hashes, size_t n)
{
    struct build *build = context;
    return hash_bag_append(&build->bag, hashes, n);
}

/* Keeps the hashes of all keys and makes a set of them. */
static int collect(struct build *build)
{
    const struct key_sink sink = {
        .context = build, .needs_hashes = true, .hashes = keep_hashes};
    const int status = key_stream(&build->reader, &build->format, build->n_threads, &sink,
                                  &build->adder.n_read);

    if (status)
        return status;
    hash_bag_finish(&build->bag);
    build->n_distinct = build->bag.n;
    build->is_distinct_known = true;
    return EXIT_YES;
}

/* Keeps the keys themselves, each once, and a hash for each. Two keys that happen to have one hash
 * are two: each can be removed. */
static int collect_keys(struct build *build)
{
    struct adder keeper = {.set = {.dict = build->adder.set.dict},
                           .path = build->path,
                           .is_once = true,
                           .bag = &build->bag};
    build->bag.has_distinct = true;
    const int status =
        adder_run(&keeper, &build->reader, &build->format, build->n_threads);

    if (status)
        return status;
    hash_bag_finish(&build->bag);
    build->adder.n_read = keeper.n_read;
    return EXIT_YES;
}

static int fill(struct build *build)
{
    const bool can_add = kind_can(build->spec.kind) & NINHO_CAN_ADD;
    const bool is_exact = kind_is_exact(build->spec.kind);
    struct adder *adder = &build->adder;
    int status = EXIT_YES;

    if (spec_has_dict(&build->spec))
        status = spec_create_dict(&build->spec, build->path, &adder->set);
    if (status)
        return status;
    if (is_exact || (build->spec.spec.capacity && can_add)) {
        adder->is_once = is_exact && !build->spec.spec.capacity;
        if (!is_exact)
            status = spec_create_filter(&build->spec, build->command, build->path,
                                        &adder->set);
        if (!status && build->spec.checked)
            status = set_join(&adder->set, build->path, build->spec.keeps_once);
        if (!status)
            status = adder_run(adder, &build->reader, &build->format, build->n_threads);
    } else {
        status = adder->set.dict ? collect_keys(build) : collect(build);
        if (!status)
            status = build_filter(&build->spec, build->command, &build->bag, adder);
        if (!status && build->spec.checked && adder->set.filter)
            status = set_join(&adder->set, build->path, build->spec.keeps_once);
    }
    if (adder->set.dict) {
        build->n_distinct = ninho_dict_count(adder->set.dict);
        build->is_distinct_known = true;
    }
    return status;
}

/* Of the table in memory; the file knows nothing of it. */
static void json_huge_pages(struct json *json, const ninho_filter *filter)
{
    ninho_info info = NINHO_INFO_INIT;

    if (!filter) {
        json_null(json, "huge_pages");
        return;
    }
    (void)ninho_filter_info(filter, &info);
    json_bool(json, "huge_pages", info.has_huge_pages);
}

static void print_json(const struct build *build, uint64_t n_dropped)
{
    const struct adder *adder = &build->adder;
    struct json json = {0};

    json_object(&json, NULL);
    json_string(&json, "file", build->path);
    json_uint(&json, "keys_read", adder->n_read);
    if (build->is_distinct_known) {
        json_uint(&json, "keys_distinct", build->n_distinct);
        json_uint(&json, "keys_dropped", n_dropped);
    } else {
        json_null(&json, "keys_distinct");
        json_null(&json, "keys_dropped");
    }
    json_uint(&json, "keys_added", adder->n_added);
    json_uint(&json, "keys_not_stored", adder_not_stored(adder));
    json_huge_pages(&json, adder->set.filter);
    report_set_json(&json, &adder->set);
    report_moves_json(&json, &adder->set);
    json_object_end(&json);
}

static void print(const void *context, bool as_json)
{
    const struct build *build = context;
    const struct adder *adder = &build->adder;
    const uint64_t n_dropped = adder->n_read - adder->n_added - adder_not_stored(adder);

    if (as_json) {
        print_json(build, n_dropped);
        return;
    }
    report_line("keys read", "%" PRIu64, adder->n_read);
    if (build->is_distinct_known) {
        report_line("keys distinct", "%" PRIu64, build->n_distinct);
        report_line("keys dropped", "%" PRIu64, n_dropped);
    }
    report_line("keys added", "%" PRIu64, adder->n_added);
    report_line("not stored", "%" PRIu64, adder_not_stored(adder));
    report_set_text(&adder->set);
    report_moves_text(&adder->set);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct build_options options = {0};
    struct key_options keys = {0};
    struct thread_options threads = {0};
    struct memory_options memory = {0};
    struct build build = {.command = command, .spec = SPEC_OPTIONS_INIT};
    void *const targets[] = {&options,    &keys,       &threads,    &memory,
                             &build.spec, &build.spec, &build.spec, &build.spec};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status))
        return status;
    args_put_first(&args, options.output);
    if (!args_operands(&args, 1, SIZE_MAX, "FILE [KEYFILE...]", &status))
        return status;
    build.path = build.adder.path = args.operands[0];
    build.n_threads = thread_count(&threads);
    build.bag.n_threads = build.n_threads;
    memory_set_limit(&memory);
    status = spec_finish(&build.spec, &args);
    build.bag.what = !status && kind_can(build.spec.kind) & NINHO_CAN_ADD
                         ? "the hashes of all keys (--capacity N does without)"
                         : "the hashes of all keys";
    if (!status && build.spec.spec.capacity)
        status = spec_check_capacity(&build.spec, &args);
    if (!status)
        status = spec_plan(&build.spec, command);
    if (status)
        return status;

    const ninho_spec *spec = &build.spec.spec;
    const ninho_hasher hasher = build_hasher(spec);
    status = key_format_init(&build.format, &args, &keys,
                             spec->key_encoding ? spec->key_encoding : NINHO_KEY_BYTES,
                             &hasher, build.path);
    if (!status)
        status = build_check_output(&args, &options);
    if (!status)
        status = set_check_target(build.path, options.force);
    if (!status)
        status = keys_open(&build.reader, args.operands + 1, args.n_operands - 1,
                           &build.format, is_stdout_name(build.path) ? NULL : build.path);
    if (status)
        return status;
    status = fill(&build);
    if (!status && build.adder.set.filter)
        status = spec_set_meta(&build.spec, build.adder.set.filter);
    if (!status)
        status = build_finish(&build.adder, &options, print, &build);
    keys_close(&build.reader);
    hash_bag_free(&build.bag);
    set_free(&build.adder.set);
    return status;
}

static const struct option *const tables[] = {
    build_options,  key_options,    thread_options,
    memory_options, size_options,   identity_options,
    line_options,   family_options, NULL};

const struct command cmd_build = {.name = "build", .run = run, .options = tables};
