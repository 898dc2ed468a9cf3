/* SPDX-License-Identifier: MIT */
/* Chunks of keys through several threads and out again in the order they were read (threads.h). */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "keys.h"
#include "threads.h"

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
    bool needs_spans;     /* and for where its lines are */
    const char *progress; /* "keys read", say */
};

/* Runs the job over everything in `reader`. Answers an exit status. */
int stream_run(struct key_reader *reader, unsigned n_threads,
               const struct stream_job *job);

#endif
