/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_getaffinity */
#include "threads.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "options/numbers.h"
#include "output.h"

#define DEFAULT_THREADS 16
/* Our threads' frames are small (the largest holds a batch of k-mers), and address space may be
 * limited. */
#define STACK_BYTES ((size_t)512 << 10)

const struct option thread_options[] = {
    {NUMBER("threads", "N", parse_u32, struct thread_options, n_threads, 1, MAX_THREADS,
            "how many threads")},
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

/* ---- The ring ------------------------------------------------------------------------------ */

struct ring {
    const struct ring_job *job;
    /* Items so far: consumed <= taken <= read <= consumed + n_items. Item i is in place
     * i % n_items. */
    uint64_t n_read, n_taken, n_consumed;
    bool is_done[MAX_RING]; /* under the lock, as the counts above */
    bool is_closing;
    pthread_mutex_t lock;
    pthread_cond_t has_work; /* something to take, or closing */
    pthread_cond_t has_done; /* an item was done */
};

size_t ring_size(unsigned n_threads)
{
    return n_threads == 1 ? 1 : (size_t)2 * n_threads;
}

static size_t place_of(const struct ring *ring, uint64_t i)
{
    return (size_t)(i % ring->job->n_items);
}

static void *item_at(const struct ring *ring, size_t place)
{
    return (char *)ring->job->items + place * ring->job->item_size;
}

/* Takes the oldest item nobody works on, and works on it. Called and left with the lock held. */
static void work_on_next(struct ring *ring)
{
    const size_t place = place_of(ring, ring->n_taken++);

    (void)pthread_mutex_unlock(&ring->lock);
    if (ring->job->work)
        ring->job->work(ring->job->context, item_at(ring, place));
    (void)pthread_mutex_lock(&ring->lock);
    ring->is_done[place] = true;
    (void)pthread_cond_signal(&ring->has_done);
}

static void *ring_worker(void *context)
{
    struct ring *ring = context;

    (void)pthread_mutex_lock(&ring->lock);
    for (;;) {
        while (ring->n_taken == ring->n_read && !ring->is_closing)
            (void)pthread_cond_wait(&ring->has_work, &ring->lock);
        if (ring->is_closing)
            break;
        work_on_next(ring);
    }
    (void)pthread_mutex_unlock(&ring->lock);
    return NULL;
}

static int read_one(struct ring *ring)
{
    const size_t place = place_of(ring, ring->n_read);
    const int result = ring->job->read(ring->job->context, item_at(ring, place));

    if (result > 0) {
        (void)pthread_mutex_lock(&ring->lock);
        ring->is_done[place] = false;
        ring->n_read++;
        (void)pthread_cond_signal(&ring->has_work);
        (void)pthread_mutex_unlock(&ring->lock);
    }
    return result;
}

/* Waits for the oldest item, helping, and consumes it. */
static bool consume_one(struct ring *ring)
{
    const size_t place = place_of(ring, ring->n_consumed);

    (void)pthread_mutex_lock(&ring->lock);
    while (!ring->is_done[place]) {
        if (ring->n_taken < ring->n_read)
            work_on_next(ring);
        else
            (void)pthread_cond_wait(&ring->has_done, &ring->lock);
    }
    (void)pthread_mutex_unlock(&ring->lock);
    ring->n_consumed++;
    return ring->job->consume(ring->job->context, item_at(ring, place));
}

static enum ring_end turn(struct ring *ring)
{
    const struct ring_job *job = ring->job;
    int result = 1; /* of the last read */

    for (;;) {
        const bool is_empty = ring->n_read == ring->n_consumed;
        const bool is_full = ring->n_read - ring->n_consumed == job->n_items;
        if (result > 0 && !is_full) {
            const bool would_wait = job->would_wait && job->would_wait(job->context);
            if (would_wait && is_empty)
                output_flush(); /* whoever waits for answers before asking on gets them */
            if (is_empty || !would_wait) {
                result = read_one(ring);
                continue;
            }
        }
        if (is_empty)
            return result < 0 ? RING_READ_FAILED : RING_READ_ALL;
        if (!consume_one(ring))
            return RING_STOPPED;
    }
}

enum ring_end ring_run(const struct ring_job *job, unsigned n_threads)
{
    struct ring ring = {.job = job};
    pthread_t threads[MAX_THREADS];

    assert(n_threads >= 1 && n_threads <= MAX_THREADS);
    assert(job->n_items >= 1 && job->n_items <= MAX_RING);
    (void)pthread_mutex_init(&ring.lock, NULL);
    (void)pthread_cond_init(&ring.has_work, NULL);
    (void)pthread_cond_init(&ring.has_done, NULL);
    const unsigned n_started = start_threads(threads, n_threads - 1, ring_worker, &ring);
    const enum ring_end end = turn(&ring);
    (void)pthread_mutex_lock(&ring.lock);
    ring.is_closing = true;
    (void)pthread_cond_broadcast(&ring.has_work);
    (void)pthread_mutex_unlock(&ring.lock);
    join_threads(threads, n_started);
    (void)pthread_cond_destroy(&ring.has_done);
    (void)pthread_cond_destroy(&ring.has_work);
    (void)pthread_mutex_destroy(&ring.lock);
    return end;
}
