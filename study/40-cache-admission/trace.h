/* SPDX-License-Identifier: MIT */
/* A made-up trace of requests to a cache, three quarters of whose objects are asked for once.
 *
 * The popular objects are drawn from a Zipf distribution. To them come as many objects that are asked for
 * once, at random places, as make the share exactly 75 % (popular ones that happen to be drawn once count
 * among them). Sizes are log-normal, the same for popular and other objects. */
#ifndef STUDY_40_TRACE_H
#define STUDY_40_TRACE_H

#include <stddef.h>
#include <stdint.h>

struct trace {
    size_t n_requests;
    uint32_t *requests;   /* objects, 0..n_objects */
    size_t n_objects;     /* every one of them is asked for at least once */
    uint32_t *sizes;      /* bytes of each object */
    uint32_t *n_times;    /* how often each is asked for */
    size_t n_once;        /* objects asked for once */
    uint64_t total_bytes; /* of all objects, each counted once */
};

/* n_drawn requests to n_popular objects by Zipf's law with this exponent, and the others. Fails with the
 * program. */
struct trace trace_make(size_t n_popular, size_t n_drawn, double exponent, uint64_t seed);
void trace_free(struct trace *trace);

#endif
