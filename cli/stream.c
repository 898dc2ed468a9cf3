/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_getaffinity */
#include "stream.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "numbers.h"
#include "output.h"
#include "progress.h"

#define MAX_THREADS     64
#define DEFAULT_THREADS 16
/* Our threads' frames are small, and address space may be limited. */
#define STACK_BYTES ((size_t)512 << 10)

const struct option thread_options[] = {
    {.name = "threads",
     .value = "N",
     .parse = parse_u32,
     .offset = offsetof(struct thread_options, n_threads),
     .min = 1,
     .max = MAX_THREADS},
    {0},
};

unsigned thread_count(const struct thread_options *options)
{
    cpu_set_t set;
    long n = 0;

    if (options->n_threads)
        return options->n_threads;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
    else
        n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > DEFAULT_THREADS ? DEFAULT_THREADS : (unsigned)n;
}

/* Starts up to n threads; fewer if the system has no more to give, which only costs time. */
static unsigned start_threads(pthread_t *threads, unsigned n, void *(*body)(void *),
                              void *context)
{
    pthread_attr_t attributes;
    unsigned started = 0;

    if (pthread_attr_init(&attributes) != 0)
        return 0;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (started < n &&
           pthread_create(&threads[started], &attributes, body, context) == 0)
        started++;
    (void)pthread_attr_destroy(&attributes);
    return started;
}

static void join_threads(const pthread_t *threads, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
}

/* ---- The ring ------------------------------------------------------------------------------ */

struct place {
    struct chunk chunk;
    bool is_done; /* under the lock, as the counts below */
};

struct stream {
    const struct stream_job *job;
    struct key_reader *reader;
    struct place *ring;
    size_t n_ring;
    /* Chunks so far: consumed <= taken <= read <= consumed + n_ring. Chunk i is in place
     * i % n_ring. */
    uint64_t n_read, n_taken, n_consumed;
    bool is_closing;
    pthread_mutex_t lock;
    pthread_cond_t has_work; /* something to take, or closing */
    pthread_cond_t has_done; /* a chunk was done */
    uint64_t line;           /* the number of the next line to be consumed, in its file */
    uint64_t n_keys;
};

static struct place *place_of(struct stream *stream, uint64_t i)
{
    return &stream->ring[i % stream->n_ring];
}

/* Takes the oldest chunk nobody works on, and works on it. Called and left with the lock held. */
static void work_on_next(struct stream *stream)
{
    struct place *place = place_of(stream, stream->n_taken++);

    (void)pthread_mutex_unlock(&stream->lock);
    stream->job->work(stream->job->context, &place->chunk);
    (void)pthread_mutex_lock(&stream->lock);
    place->is_done = true;
    (void)pthread_cond_signal(&stream->has_done);
}

static void *worker(void *context)
{
    struct stream *stream = context;

    (void)pthread_mutex_lock(&stream->lock);
    for (;;) {
        while (stream->n_taken == stream->n_read && !stream->is_closing)
            (void)pthread_cond_wait(&stream->has_work, &stream->lock);
        if (stream->is_closing)
            break;
        work_on_next(stream);
    }
    (void)pthread_mutex_unlock(&stream->lock);
    return NULL;
}

/* Reads a chunk into the ring: keys_next()'s answer. */
static int read_one(struct stream *stream)
{
    struct place *place = place_of(stream, stream->n_read);
    const int result = keys_next(stream->reader, &place->chunk);

    if (result > 0) {
        (void)pthread_mutex_lock(&stream->lock);
        place->is_done = false;
        stream->n_read++;
        (void)pthread_cond_signal(&stream->has_work);
        (void)pthread_mutex_unlock(&stream->lock);
    }
    return result;
}

static int bad_key(const struct stream *stream, const struct chunk *chunk)
{
    return fail("%s:%" PRIu64 ": is not an integer from %" PRId64 " to %" PRId64,
                chunk->file, stream->line, INT64_MIN, INT64_MAX);
}

/* Waits for the oldest chunk, helping, and consumes it. */
static enum stream_step consume_one(struct stream *stream)
{
    struct place *place = place_of(stream, stream->n_consumed);
    struct chunk *chunk = &place->chunk;

    (void)pthread_mutex_lock(&stream->lock);
    while (!place->is_done) {
        if (stream->n_taken < stream->n_read)
            work_on_next(stream);
        else
            (void)pthread_cond_wait(&stream->has_done, &stream->lock);
    }
    (void)pthread_mutex_unlock(&stream->lock);

    enum stream_step step = stream->job->consume(stream->job->context, chunk);
    stream->line = (chunk->starts_file ? 1 : stream->line) + chunk->n_keys;
    stream->n_keys += chunk->n_keys;
    progress_update(stream->n_keys, stream->reader->n_bytes);
    if (step == STREAM_GO_ON && chunk->has_bad_key) {
        (void)bad_key(stream, chunk);
        step = STREAM_FAILED;
    }
    stream->n_consumed++;
    return step;
}

static int read_error(const struct stream *stream)
{
    const struct key_reader *reader = stream->reader;

    if (reader->is_error_of_line)
        return fail("%s:%" PRIu64 ": %s", reader->name,
                    reader->is_at_start ? 1 : stream->line, reader->error);
    return fail("%s: %s", reader->name ? reader->name : "standard input", reader->error);
}

static int run_ring(struct stream *stream)
{
    int result = 1; /* of the last read */

    for (;;) {
        const bool is_empty = stream->n_read == stream->n_consumed;
        const bool is_full = stream->n_read - stream->n_consumed == stream->n_ring;
        if (result > 0 && !is_full) {
            const bool would_wait = keys_would_wait(stream->reader);
            if (would_wait && is_empty)
                output_flush(); /* whoever waits for answers before asking on gets them */
            if (is_empty || !would_wait) {
                result = read_one(stream);
                continue;
            }
        }
        if (is_empty)
            return result < 0 ? read_error(stream) : EXIT_YES;
        const enum stream_step step = consume_one(stream);
        if (step == STREAM_FAILED)
            return EXIT_ERROR;
        if (step == STREAM_STOP || output_failed())
            return EXIT_YES;
    }
}

int stream_run(struct key_reader *reader, unsigned n_threads,
               const struct stream_job *job)
{
    struct stream stream = {.job = job, .reader = reader, .line = 1};
    pthread_t threads[MAX_THREADS];
    int status = EXIT_YES;

    assert(n_threads >= 1 && n_threads <= MAX_THREADS);
    stream.n_ring = n_threads == 1 ? 1 : (size_t)2 * n_threads;
    stream.ring = calloc(stream.n_ring, sizeof *stream.ring);
    if (!stream.ring)
        return fail_no_memory();
    /* With one chunk it works, with more it is faster. */
    size_t n_chunks = 0;
    while (n_chunks < stream.n_ring &&
           chunk_init(&stream.ring[n_chunks].chunk, job->needs_hashes))
        n_chunks++;
    stream.n_ring = n_chunks;
    if (!n_chunks)
        status = fail_no_memory();
    if (!status) {
        (void)pthread_mutex_init(&stream.lock, NULL);
        (void)pthread_cond_init(&stream.has_work, NULL);
        (void)pthread_cond_init(&stream.has_done, NULL);
        progress_begin(job->progress);
        const unsigned n_started = start_threads(threads, n_threads - 1, worker, &stream);
        status = run_ring(&stream);
        progress_clear();
        (void)pthread_mutex_lock(&stream.lock);
        stream.is_closing = true;
        (void)pthread_cond_broadcast(&stream.has_work);
        (void)pthread_mutex_unlock(&stream.lock);
        join_threads(threads, n_started);
        (void)pthread_cond_destroy(&stream.has_done);
        (void)pthread_cond_destroy(&stream.has_work);
        (void)pthread_mutex_destroy(&stream.lock);
    }
    for (size_t i = 0; i < stream.n_ring; i++)
        chunk_free(&stream.ring[i].chunk);
    free(stream.ring);
    return status;
}

/* ---- Loops --------------------------------------------------------------------------------- */

struct loop {
    void (*task)(void *context, size_t i);
    void *context;
    size_t n, next;
    pthread_mutex_t lock;
};

static void *loop_worker(void *context)
{
    struct loop *loop = context;

    for (;;) {
        (void)pthread_mutex_lock(&loop->lock);
        const size_t i = loop->next < loop->n ? loop->next++ : loop->n;
        (void)pthread_mutex_unlock(&loop->lock);
        if (i == loop->n)
            return NULL;
        loop->task(loop->context, i);
    }
}

void parallel_for(unsigned n_threads, size_t n, void (*task)(void *context, size_t i),
                  void *context)
{
    struct loop loop = {.task = task, .context = context, .n = n};
    pthread_t threads[MAX_THREADS];

    (void)pthread_mutex_init(&loop.lock, NULL);
    const unsigned n_started = start_threads(threads, n_threads - 1, loop_worker, &loop);
    (void)loop_worker(&loop);
    join_threads(threads, n_started);
    (void)pthread_mutex_destroy(&loop.lock);
}
