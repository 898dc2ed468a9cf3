/* SPDX-License-Identifier: MIT */
/* Chunks of keys through several threads and out again in the order they were read.
 *
 *     read --> [chunk][chunk][chunk][chunk] --> consume        a ring, on the calling thread
 *                 \______work, any thread_____/
 *
 * The calling thread works too while there is nothing to read or consume, so that one thread needs
 * no other. What is consumed, and in which order, does not depend on the number of threads. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "keys.h"

/* What the taker of a chunk says. */
enum stream_step {
    STREAM_GO_ON,
    STREAM_STOP,  /* enough: the rest of the input does not matter */
    STREAM_FAILED /* and everything has been said */
};

struct stream_job {
    /* Looks at a chunk and fills in what it found. On any thread; must not allocate. */
    void (*work)(void *context, struct chunk *chunk);
    /* Takes the result. On the calling thread, in input order. */
    enum stream_step (*consume)(void *context, struct chunk *chunk);
    void *context;
    bool needs_hashes;    /* room in each chunk for all hashes of it */
    const char *progress; /* "keys read", say */
};

struct thread_options {
    uint32_t n_threads; /* 0: as many as there are CPUs */
};
extern const struct option thread_options[];

/* The number of threads to use. */
unsigned thread_count(const struct thread_options *options);

/* Runs the job over everything in `reader`. Answers an exit status. */
int stream_run(struct key_reader *reader, unsigned n_threads,
               const struct stream_job *job);

/* Calls task(context, i) for every i < n, on several threads. */
void parallel_for(unsigned n_threads, size_t n, void (*task)(void *context, size_t i),
                  void *context);

#endif
