/* SPDX-License-Identifier: MIT */
/* Work on several threads: a loop, and a ring of items that leave it in the order they entered.
 *
 *     read --> [item][item][item][item] --> consume        a ring, on the calling thread
 *                 \____work, any thread____/
 *
 * The calling thread works too while there is nothing to read or consume, so that one thread needs
 * no other. What is consumed, and in which order, does not depend on the number of threads. */
#ifndef CLI_THREADS_H
#define CLI_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"

#define MAX_THREADS 64

struct thread_options {
    uint32_t n_threads; /* 0: as many as there are CPUs */
};
extern const struct option thread_options[];

/* The number of threads to use: 1 to MAX_THREADS. */
unsigned thread_count(const struct thread_options *options);

/* Calls task(context, i) for every i < n, on several threads. */
void parallel_for(unsigned n_threads, size_t n, void (*task)(void *context, size_t i),
                  void *context);

/* ---- The ring ------------------------------------------------------------------------------ */

/* How many items a ring for so many threads should have. */
size_t ring_size(unsigned n_threads);
#define MAX_RING ((size_t)2 * MAX_THREADS)

struct ring_job {
    /* Fills an item. 1: it did; 0: there is no more; -1: it failed. */
    int (*read)(void *context, void *item);
    /* Should it not read yet? If read() would have to wait for input, say, or there is much in the
     * ring already. It consumes first, as long as there is something; what was written is flushed
     * before it reads all the same. NULL: never. */
    bool (*would_wait)(void *context);
    /* Looks at an item and fills in what it found. On any thread. NULL: there is nothing to do. */
    void (*work)(void *context, void *item);
    /* Takes an item in. False: that was enough. */
    bool (*consume)(void *context, void *item);
    void *context;
    void *items; /* n_items of item_size bytes, the caller's; 1 to MAX_RING */
    size_t n_items, item_size;
};

/* Why it ended. */
enum ring_end {
    RING_READ_ALL,    /* and consumed */
    RING_READ_FAILED, /* what was read before has been consumed */
    RING_STOPPED      /* consume() said so */
};

enum ring_end ring_run(const struct ring_job *job, unsigned n_threads);

#endif
