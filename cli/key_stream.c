/* SPDX-License-Identifier: MIT */
#include "key_stream.h"

#include "stream.h"

struct run {
    const struct key_format *format;
    const struct key_sink *sink;
    uint64_t n_read;
};

static void hash_chunk(void *context, struct chunk *chunk)
{
    const struct run *run = context;
    size_t at = 0;

    chunk->n_keys =
        keys_hash(run->format, chunk, &at, CHUNK_BYTES + 2, chunk->hashes, NULL, NULL);
}

/* Keys are taken in on one thread: without hashes there is nothing to do for others. */
static void leave_chunk(void *context, struct chunk *chunk)
{
    (void)context;
    (void)chunk;
}

static enum stream_step hand_over_hashes(void *context, struct chunk *chunk)
{
    struct run *run = context;

    run->n_read += chunk->n_keys;
    return run->sink->hashes(run->sink->context, chunk->hashes, (size_t)chunk->n_keys)
               ? STREAM_FAILED
               : STREAM_GO_ON;
}

static enum stream_step hand_over_keys(void *context, struct chunk *chunk)
{
    struct run *run = context;
    const struct key_sink *sink = run->sink;
    struct key_batch batch;
    size_t at = 0;

    if (chunk->has_bad_key) /* whoever hashed has seen it: all of this is in vain */
        return STREAM_GO_ON;
    if (sink->make_room && sink->make_room(sink->context, chunk->size))
        return STREAM_FAILED;
    chunk_begin_keys(chunk);
    while (at < chunk->size && !chunk->has_bad_key) {
        const size_t n = keys_take(run->format, chunk, &at, &batch);
        for (size_t i = 0; i < n; i++) {
            const uint64_t hash = chunk->hashes ? chunk->hashes[chunk->n_keys + i] : 0;
            if (sink->key(sink->context, batch.keys[i], batch.sizes[i], hash))
                return STREAM_FAILED;
        }
        chunk->n_keys += n;
    }
    run->n_read += chunk->n_keys;
    return STREAM_GO_ON;
}

int key_stream(struct key_reader *reader, const struct key_format *format,
               unsigned n_threads, const struct key_sink *sink, uint64_t *n_read)
{
    struct run run = {.format = format, .sink = sink};
    const struct stream_job job = {.work = sink->needs_hashes ? hash_chunk : leave_chunk,
                                   .consume =
                                       sink->hashes ? hand_over_hashes : hand_over_keys,
                                   .context = &run,
                                   .needs_hashes = sink->needs_hashes,
                                   .progress = "keys"};
    const int status = stream_run(reader, sink->needs_hashes ? n_threads : 1, &job);

    *n_read += run.n_read;
    return status;
}
