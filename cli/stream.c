/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <inttypes.h>
#include <stdlib.h>

#include "output.h"
#include "progress.h"

struct stream {
    const struct stream_job *job;
    struct key_reader *reader;
    uint64_t line; /* the number of the next line to be consumed, in its file */
    uint64_t n_keys;
    enum stream_step step; /* what the taker said last */
    size_t bad_file;       /* the number of one with a line that is no key; 0: none */
};

static int read_chunk(void *context, void *item)
{
    struct stream *stream = context;

    return keys_next(stream->reader, item);
}

static bool would_wait(void *context)
{
    struct stream *stream = context;

    return keys_would_wait(stream->reader);
}

static void work_on_chunk(void *context, void *item)
{
    const struct stream *stream = context;

    stream->job->work(stream->job->context, item);
}

static int bad_key(const struct stream *stream, const struct chunk *chunk)
{
    return fail_as("format",
                   "%s:%" PRIu64 ": is not an integer from %" PRId64 " to %" PRId64,
                   chunk->file, stream->line, INT64_MIN, INT64_MAX);
}

static bool consume_chunk(void *context, void *item)
{
    struct stream *stream = context;
    struct chunk *chunk = item;

    if (chunk->file_number == stream->bad_file)
        return true;
    if (chunk->starts_file)
        stream->line = 1 + chunk->n_header_lines;
    stream->step = stream->job->consume(stream->job->context, chunk);
    keys_note_skipped(stream->reader, chunk, stream->line);
    stream->line += chunk->n_keys + chunk->n_skipped + chunk->n_more_lines;
    stream->n_keys += chunk->n_keys;
    progress_update(stream->n_keys, keys_bytes(stream->reader));
    if (stream->step == STREAM_GO_ON && chunk->has_bad_key) {
        (void)bad_key(stream, chunk);
        if (!stream->reader->goes_on)
            stream->step = STREAM_FAILED;
        stream->reader->n_failed++;
        stream->bad_file = chunk->file_number;
        keys_leave_file(stream->reader, chunk->file_number);
    }
    return stream->step == STREAM_GO_ON && !output_failed();
}

static int read_error(const struct stream *stream)
{
    const struct key_reader *reader = stream->reader;

    if (reader->is_error_of_line)
        return fail_as("format", "%s:%" PRIu64 ": %s", reader->name,
                       reader->is_at_start ? 1 : stream->line, reader->error);
    return fail_as("io", "%s: %s", reader->name, reader->error);
}

int stream_run(struct key_reader *reader, unsigned n_threads,
               const struct stream_job *job)
{
    struct stream stream = {.job = job, .reader = reader, .line = 1};
    const size_t n_wanted = ring_size(n_threads);
    struct chunk *chunks = calloc(n_wanted, sizeof *chunks);
    size_t n_chunks = 0;
    enum ring_end end = RING_STOPPED;

    if (!chunks)
        return fail_no_memory();
    /* With one chunk it works, with more it is faster. */
    while (n_chunks < n_wanted &&
           chunk_init(&chunks[n_chunks], job->needs_hashes, job->needs_spans))
        n_chunks++;
    if (n_chunks) {
        const struct ring_job ring = {.read = read_chunk,
                                      .would_wait = would_wait,
                                      .work = work_on_chunk,
                                      .consume = consume_chunk,
                                      .context = &stream,
                                      .items = chunks,
                                      .n_items = n_chunks,
                                      .item_size = sizeof *chunks};
        progress_begin(job->progress);
        progress_expect(reader->files, reader->n_files);
        for (;;) {
            end = ring_run(&ring, n_threads);
            if (end != RING_READ_FAILED || !reader->goes_on)
                break;
            (void)read_error(&stream);
            reader->n_failed++;
        }
        progress_end();
        keys_tell_skipped(reader);
    }
    const bool has_failed = stream.step == STREAM_FAILED;
    const int status = !n_chunks                 ? fail_no_memory()
                       : end == RING_READ_FAILED ? read_error(&stream)
                       : has_failed              ? EXIT_ERROR
                                                 : EXIT_YES;
    for (size_t i = 0; i < n_chunks; i++)
        chunk_free(&chunks[i]);
    free(chunks);
    return status;
}
