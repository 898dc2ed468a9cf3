/* SPDX-License-Identifier: MIT */
/* ninho remove: takes keys out of a file, in place. */
#include <inttypes.h>

#include "kinds.h"
#include "report.h"
#include "setfile.h"
#include "stream.h"

struct remove_options {
    bool json;
};

static const struct option own_options[] = {
    {.name = "json", .offset = offsetof(struct remove_options, json)},
    {0},
};

struct remover {
    struct set set;
    const char *path;
    struct key_format format;
    uint64_t n_read;
    uint64_t n_removed;
    uint64_t n_not_found;
};

/* For dictionaries alone there is nothing to hash. */
static void hash_chunk(void *context, struct chunk *chunk)
{
    const struct remover *remover = context;
    size_t at = 0;

    if (chunk->hashes)
        chunk->n_keys =
            keys_hash(&remover->format, chunk, &at, CHUNK_BYTES + 2, chunk->hashes, NULL);
}

static bool remove_key(struct remover *remover, const void *key, size_t size,
                       uint64_t hash)
{
    const ninho_status status = set_remove(&remover->set, key, size, hash);

    if (status == NINHO_OK) {
        remover->n_removed++;
    } else if (status == NINHO_ERR_NOT_FOUND) {
        remover->n_not_found++;
    } else if (status == NINHO_ERR_FORMAT) {
        (void)fail("%s: the dictionary beside the filter has keys, or copies of keys, "
                   "that the filter has not",
                   remover->path);
        return false;
    } else {
        (void)fail("%s: %s", remover->path, ninho_status_text(status));
        return false;
    }
    return true;
}

static enum stream_step remove_hashes(void *context, struct chunk *chunk)
{
    struct remover *remover = context;

    for (size_t i = 0; i < chunk->n_keys; i++)
        if (!remove_key(remover, NULL, 0, chunk->hashes[i]))
            return STREAM_FAILED;
    remover->n_read += chunk->n_keys;
    return STREAM_GO_ON;
}

static enum stream_step remove_keys_of(void *context, struct chunk *chunk)
{
    struct remover *remover = context;
    struct key_batch batch;
    size_t at = 0;

    if (chunk->has_bad_key)
        return STREAM_GO_ON;
    chunk->n_keys = 0;
    while (at < chunk->size && !chunk->has_bad_key) {
        const size_t n = keys_take(&remover->format, chunk, &at, &batch);
        for (size_t i = 0; i < n; i++) {
            const uint64_t hash = chunk->hashes ? chunk->hashes[chunk->n_keys + i] : 0;
            if (!remove_key(remover, batch.keys[i], batch.sizes[i], hash))
                return STREAM_FAILED;
        }
        chunk->n_keys += n;
    }
    remover->n_read += chunk->n_keys;
    return STREAM_GO_ON;
}

/* Names the kinds that could have done it, or how this one could. */
static int cannot_remove(const char *path, const ninho_filter *filter)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    char names[300];

    (void)ninho_filter_spec(filter, &spec);
    if (spec.semantics == NINHO_SET)
        return fail("%s: was made with --set, and then a tag may stand for several keys: "
                    "keys can be removed if it is made with --set --checked, or without "
                    "--set",
                    path);
    kind_list(NINHO_CAN_REMOVE, true, names, sizeof names);
    return fail("%s: a %s filter%s%s cannot remove keys; these kinds can: %s", path,
                ninho_kind_name(spec.kind), spec.base ? " over " : "",
                spec.base ? ninho_kind_name(spec.base) : "", names);
}

static void print_json(const char *path, const struct remover *remover)
{
    struct json json = {0};

    json_object(&json, NULL);
    json_string(&json, "file", path);
    json_uint(&json, "keys_read", remover->n_read);
    json_uint(&json, "keys_removed", remover->n_removed);
    json_uint(&json, "keys_not_found", remover->n_not_found);
    report_set_json(&json, &remover->set);
    json_object_end(&json);
}

/* Everything between lock and unlock. */
static int remove_keys(const struct args *args, const struct key_options *keys,
                       const struct open_options *opening, unsigned n_threads,
                       bool as_json)
{
    const char *path = args->operands[0];
    struct remover remover = {.path = path};
    struct key_reader reader = {.descriptor = -1};

    int status = set_open(path, opening, SEALED_REFUSED, SET_WHOLE, &remover.set);
    if (status)
        return status;
    const struct stream_job job = {.work = hash_chunk,
                                   .consume =
                                       remover.set.dict ? remove_keys_of : remove_hashes,
                                   .context = &remover,
                                   .needs_hashes = remover.set.filter != NULL,
                                   .progress = "keys"};
    if (!(set_can(&remover.set) & NINHO_CAN_REMOVE))
        status = cannot_remove(path, remover.set.filter);
    else
        status = set_key_format(&remover.set, args, keys, path, &remover.format);
    if (!status)
        status = keys_open(&reader, args->operands + 1, args->n_operands - 1,
                           remover.format.separator, args->operands[0]);
    if (!status)
        status = stream_run(&reader, n_threads, &job);
    if (!status && remover.n_removed)
        status = set_save_back(&remover.set, path);
    if (!status) {
        if (as_json)
            print_json(path, &remover);
        if (remover.n_not_found) {
            warn("%s: %" PRIu64 " of %" PRIu64 " keys were not found", path,
                 remover.n_not_found, remover.n_read);
            status = EXIT_NO;
        }
    }
    keys_close(&reader);
    set_free(&remover.set);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct remove_options options = {0};
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
    status = remove_keys(&args, &keys, &opening, thread_count(&threads), options.json);
    set_unlock(lock);
    return status;
}

static const struct option *const tables[] = {
    own_options, key_options, thread_options, key_file_options, pages_options, NULL};

const struct command cmd_remove = {"remove", run, tables};
