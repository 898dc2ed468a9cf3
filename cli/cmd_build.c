/* SPDX-License-Identifier: MIT */
/* ninho build: a filter holding keys. With --capacity the keys stream through fixed memory;
 * without, their hashes are kept, and the filter is made for as many as are distinct. */
#include <inttypes.h>

#include "adder.h"
#include "filterfile.h"
#include "hashes.h"
#include "memory.h"
#include "output.h"
#include "report.h"
#include "spec.h"

struct build_options {
    bool stats;
    bool json;
    bool force;
};

static const struct option own_options[] = {
    {.name = "stats", .offset = offsetof(struct build_options, stats)},
    {.name = "json", .offset = offsetof(struct build_options, json)},
    {.name = "force", .offset = offsetof(struct build_options, force)},
    {0},
};

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

static ninho_hasher hasher_of(const ninho_spec *spec)
{
    ninho_hasher hasher = {.id = spec->hash ? spec->hash : NINHO_HASH_XXH3,
                           .seed = spec->seed};

    for (size_t i = 0; spec->secret && i < NINHO_SECRET_BYTES; i++)
        hasher.secret[i] = spec->secret[i];
    return hasher;
}

/* Finds out what the spec takes before anything of that size is allocated. */
static int check_size(const struct build *build)
{
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = {.status = NINHO_OK};

    if (ninho_filter_plan(&build->spec.spec, &plan, &error))
        return fail_error(build->command->name, &error);
    return memory_check(build->path, plan.table_bytes);
}

static int create(struct build *build)
{
    ninho_error error = {.status = NINHO_OK};

    if (ninho_filter_create(&build->spec.spec, NULL, &build->adder.filter, &error))
        return fail_error(build->path, &error);
    return EXIT_YES;
}

static void hash_chunk(void *context, struct chunk *chunk)
{
    const struct build *build = context;
    size_t at = 0;

    chunk->n_keys =
        keys_hash(&build->format, chunk, &at, CHUNK_BYTES + 2, chunk->hashes, NULL);
}

static enum stream_step keep_chunk(void *context, struct chunk *chunk)
{
    struct build *build = context;

    build->adder.n_read += chunk->n_keys;
    return hash_bag_append(&build->bag, chunk->hashes, (size_t)chunk->n_keys)
               ? STREAM_FAILED
               : STREAM_GO_ON;
}

/* Keeps the hashes of all keys and makes a set of them. */
static int collect(struct build *build)
{
    const struct stream_job job = {.work = hash_chunk,
                                   .consume = keep_chunk,
                                   .context = build,
                                   .needs_hashes = true,
                                   .progress = "keys"};
    const int status = stream_run(&build->reader, build->n_threads, &job);

    if (status)
        return status;
    hash_bag_to_set(&build->bag, build->n_threads);
    build->n_distinct = build->bag.n;
    build->is_distinct_known = true;
    return EXIT_YES;
}

/* The filter from the set of hashes, whether its kind can add or is only built. */
static int build_from_set(struct build *build)
{
    const struct hash_bag *bag = &build->bag;
    ninho_error error = {.status = NINHO_OK};

    if (!build->spec.spec.capacity)
        build->spec.spec.capacity = bag->n ? bag->n : 1;
    int status = check_size(build);
    if (status)
        return status;
    if (ninho_kind_can(build->spec.spec.kind) & NINHO_CAN_ADD) {
        status = create(build);
        return status ? status : adder_add(&build->adder, bag->hashes, bag->n);
    }
    if (ninho_filter_build(&build->spec.spec, bag->hashes, bag->n, NULL,
                           &build->adder.filter, &error))
        return fail_error(build->path, &error);
    build->adder.n_added = bag->n;
    return EXIT_YES;
}

static int fill(struct build *build)
{
    const bool can_add = ninho_kind_can(build->spec.spec.kind) & NINHO_CAN_ADD;

    if (build->spec.spec.capacity && can_add) {
        int status = check_size(build);
        if (!status)
            status = create(build);
        return status ? status
                      : adder_run(&build->adder, &build->reader, &build->format,
                                  build->n_threads);
    }
    const int status = collect(build);
    return status ? status : build_from_set(build);
}

/* Of the table in memory; the file knows nothing of it. */
static bool has_huge_pages(const ninho_filter *filter)
{
    ninho_info info = NINHO_INFO_INIT;

    (void)ninho_filter_info(filter, &info);
    return info.has_huge_pages;
}

static void print_stats(const struct build *build, bool as_json)
{
    const struct adder *adder = &build->adder;
    const uint64_t n_dropped = adder->n_read - build->n_distinct;

    if (as_json) {
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
        json_uint(&json, "keys_not_fitting", adder->n_copies + adder->n_refused);
        json_bool(&json, "huge_pages", has_huge_pages(adder->filter));
        report_filter_json(&json, adder->filter);
        json_object_end(&json);
        return;
    }
    report_line("keys read", "%" PRIu64, adder->n_read);
    if (build->is_distinct_known) {
        report_line("keys distinct", "%" PRIu64, build->n_distinct);
        report_line("keys dropped", "%" PRIu64, n_dropped);
    }
    report_line("keys added", "%" PRIu64, adder->n_added);
    report_line("not fitting", "%" PRIu64, adder->n_copies + adder->n_refused);
    report_filter_text(adder->filter);
}

/* What remains once the filter is full of keys. */
static int finish(const struct build *build, const struct build_options *options)
{
    const struct adder *adder = &build->adder;
    int status = spec_set_meta(&build->spec, build->command, adder->filter);

    if (!status && !adder->n_refused)
        status = filter_save(adder->filter, build->path);
    if (status)
        return status;
    status = adder_account(adder, build->path);
    if (adder->n_refused)
        return status;
    report_overfull(build->path, adder->filter);
    if (options->stats || options->json)
        print_stats(build, options->json);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct build_options options = {0};
    struct key_options keys = {0};
    struct thread_options threads = {0};
    struct build build = {.command = command, .spec = SPEC_OPTIONS_INIT};
    void *const targets[] = {&options,    &keys,       &threads,
                             &build.spec, &build.spec, &build.spec};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, SIZE_MAX, "FILE [KEYFILE...]", &status))
        return status;
    build.path = args.operands[0];
    build.n_threads = thread_count(&threads);
    status = spec_finish(&build.spec, &args);
    if (!status && build.spec.spec.capacity)
        status = spec_check_capacity(&build.spec, &args);
    if (status)
        return status;

    const ninho_spec *spec = &build.spec.spec;
    const ninho_hasher hasher = hasher_of(spec);
    status = key_format_init(&build.format, &args, &keys,
                             spec->key_encoding ? spec->key_encoding : NINHO_KEY_BYTES,
                             &hasher, build.path);
    if (!status)
        status = filter_check_target(build.path, options.force);
    if (!status)
        status = keys_open(&build.reader, args.operands + 1, args.n_operands - 1,
                           build.format.separator);
    if (status)
        return status;
    status = fill(&build);
    if (!status)
        status = finish(&build, &options);
    keys_close(&build.reader);
    hash_bag_free(&build.bag);
    ninho_filter_free(build.adder.filter);
    return status;
}

static const struct option *const tables[] = {
    own_options,    key_options, thread_options, size_options, identity_options,
    family_options, NULL};

const struct command cmd_build = {"build", run, tables};
