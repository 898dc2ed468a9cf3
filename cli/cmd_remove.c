/* SPDX-License-Identifier: MIT */
/* ninho remove: takes keys out of a filter, in place. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filterfile.h"
#include "report.h"
#include "stream.h"

struct remove_options {
    bool json;
};

static const struct option own_options[] = {
    {.name = "json", .offset = offsetof(struct remove_options, json)},
    {0},
};

struct remover {
    ninho_filter *filter;
    struct key_format format;
    uint64_t n_read;
    uint64_t n_removed;
    uint64_t n_not_found;
};

static void hash_chunk(void *context, struct chunk *chunk)
{
    const struct remover *remover = context;
    size_t at = 0;

    chunk->n_keys =
        keys_hash(&remover->format, chunk, &at, CHUNK_BYTES + 2, chunk->hashes, NULL);
}

static enum stream_step remove_chunk(void *context, struct chunk *chunk)
{
    struct remover *remover = context;

    for (size_t i = 0; i < chunk->n_keys; i++) {
        const ninho_status status =
            ninho_filter_remove(remover->filter, chunk->hashes[i]);
        if (status == NINHO_OK) {
            remover->n_removed++;
        } else if (status == NINHO_ERR_NOT_FOUND) {
            remover->n_not_found++;
        } else {
            (void)fail("%s", ninho_status_text(status));
            return STREAM_FAILED;
        }
    }
    remover->n_read += chunk->n_keys;
    return STREAM_GO_ON;
}

/* Names the kinds that could have done it. */
static int cannot_remove(const char *path, ninho_kind kind)
{
    char names[300] = "";

    for (size_t i = 0; ninho_kind_at(i); i++) {
        if (!(ninho_kind_can(ninho_kind_at(i)) & NINHO_CAN_REMOVE))
            continue;
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                       ninho_kind_name(ninho_kind_at(i)));
    }
    return fail("%s: a %s filter cannot remove keys; these kinds can: %s", path,
                ninho_kind_name(kind), names);
}

static void print_json(const char *path, const struct remover *remover)
{
    struct json json = {0};

    json_object(&json, NULL);
    json_string(&json, "file", path);
    json_uint(&json, "keys_read", remover->n_read);
    json_uint(&json, "keys_removed", remover->n_removed);
    json_uint(&json, "keys_not_found", remover->n_not_found);
    report_filter_json(&json, remover->filter);
    json_object_end(&json);
}

/* Everything between lock and unlock. */
static int remove_keys(const struct args *args, const struct key_options *keys,
                       const struct open_filter_options *opening, unsigned n_threads,
                       bool as_json)
{
    const char *path = args->operands[0];
    struct remover remover = {0};
    struct key_reader reader = {.descriptor = -1};
    const struct stream_job job = {.work = hash_chunk,
                                   .consume = remove_chunk,
                                   .context = &remover,
                                   .needs_hashes = true,
                                   .progress = "keys"};
    ninho_info info = NINHO_INFO_INIT;
    ninho_hasher hasher = {.seed = 0};

    int status = filter_open(path, opening, SEALED_REFUSED, &remover.filter);
    if (status)
        return status;
    (void)ninho_filter_info(remover.filter, &info);
    if (!(info.can & NINHO_CAN_REMOVE))
        status = cannot_remove(path, info.kind);
    else if (ninho_filter_hasher(remover.filter, &hasher))
        status = fail("%s: its keys are hashes made elsewhere", path);
    else
        status = key_format_init(&remover.format, args, keys, info.key_encoding, &hasher,
                                 path);
    if (!status)
        status = keys_open(&reader, args->operands + 1, args->n_operands - 1,
                           remover.format.separator);
    if (!status)
        status = stream_run(&reader, n_threads, &job);
    if (!status && remover.n_removed)
        status = filter_save(remover.filter, path);
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
    ninho_filter_free(remover.filter);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct remove_options options = {0};
    struct key_options keys = {0};
    struct thread_options threads = {0};
    struct open_filter_options opening = {0};
    void *const targets[] = {&options, &keys, &threads, &opening, &opening};
    struct args args;
    int status = EXIT_YES;
    int lock = -1;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, SIZE_MAX, "FILE [KEYFILE...]", &status))
        return status;
    status = filter_lock(args.operands[0], &lock);
    if (status)
        return status;
    status = remove_keys(&args, &keys, &opening, thread_count(&threads), options.json);
    filter_unlock(lock);
    return status;
}

static const struct option *const tables[] = {
    own_options, key_options, thread_options, key_file_options, pages_options, NULL};

const struct command cmd_remove = {"remove", run, tables};
