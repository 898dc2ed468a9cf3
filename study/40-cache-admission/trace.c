/* SPDX-License-Identifier: MIT */
#include "40-cache-admission/trace.h"

#include <math.h>
#include <stdlib.h>

#include "harness/fail.h"
#include "harness/words.h"

#define SHARE_ONCE   0.75
#define MEDIAN_BYTES 20000.0
#define SPREAD       1.3 /* of the logarithm */

static double uniform(uint64_t *random)
{
    *random = mix64(*random);
    return ((double)(*random >> 11) + 0.5) * 0x1p-53;
}

/* How likely the objects 0..i are together, for every i. */
static double *zipf_table(size_t n, double exponent)
{
    double *up_to = allocate(n, sizeof *up_to);
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        up_to[i] = sum += pow((double)(i + 1), -exponent);
    for (size_t i = 0; i < n; i++)
        up_to[i] /= sum;
    return up_to;
}

/* The first i whose up_to is at least x. */
static size_t find(const double *up_to, size_t n, double x)
{
    size_t low = 0;
    size_t high = n - 1;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (up_to[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A normally distributed number (Box and Muller). */
static double normal(uint64_t *random)
{
    const double radius = sqrt(-2 * log(uniform(random)));

    return radius * cos(2 * 3.14159265358979323846 * uniform(random));
}

static void draw_sizes(struct trace *trace, uint64_t *random)
{
    trace->sizes = allocate(trace->n_objects, sizeof *trace->sizes);
    for (size_t i = 0; i < trace->n_objects; i++) {
        const double bytes = MEDIAN_BYTES * exp(SPREAD * normal(random));
        trace->sizes[i] = (uint32_t)fmin(fmax(bytes, 100), 50e6);
        trace->total_bytes += trace->sizes[i];
    }
}

/* The popular objects' requests, renumbered so that only those that occur have a number. */
static void draw_popular(struct trace *trace, size_t n_popular, size_t n_drawn,
                         double exponent, uint64_t *random)
{
    double *up_to = zipf_table(n_popular, exponent);
    uint32_t *number = allocate(n_popular, sizeof *number); /* + 1; 0: not seen yet */

    for (size_t i = 0; i < n_drawn; i++) {
        const size_t object = find(up_to, n_popular, uniform(random));
        if (!number[object])
            number[object] = (uint32_t)++trace->n_objects;
        trace->requests[i] = number[object] - 1;
    }
    free(number);
    free(up_to);
}

struct trace trace_make(size_t n_popular, size_t n_drawn, double exponent, uint64_t seed)
{
    struct trace trace = {0};
    uint64_t random = mix64(seed);

    /* At most three others for each popular one, so that there is room for all of them. */
    const size_t room = n_drawn + 3 * n_popular + 1;
    if (room > UINT32_MAX)
        fail("a trace of more than 2^32 requests");
    trace.requests = allocate(room, sizeof *trace.requests);
    draw_popular(&trace, n_popular, n_drawn, exponent, &random);
    trace.n_times = allocate(room, sizeof *trace.n_times);
    for (size_t i = 0; i < n_drawn; i++)
        trace.n_times[trace.requests[i]]++;
    for (size_t i = 0; i < trace.n_objects; i++)
        trace.n_once += trace.n_times[i] == 1;
    trace.n_requests = n_drawn;
    while ((double)trace.n_once < SHARE_ONCE * (double)trace.n_objects) {
        trace.requests[trace.n_requests++] = (uint32_t)trace.n_objects;
        trace.n_times[trace.n_objects++] = 1;
        trace.n_once++;
    }
    /* Shuffled (Fisher and Yates): requests of this model do not depend on each other. */
    for (size_t i = trace.n_requests; i > 1; i--) {
        const size_t j = (size_t)(uniform(&random) * (double)i);
        const uint32_t swapped = trace.requests[i - 1];
        trace.requests[i - 1] = trace.requests[j];
        trace.requests[j] = swapped;
    }
    draw_sizes(&trace, &random);
    return trace;
}

void trace_free(struct trace *trace)
{
    free(trace->requests);
    free(trace->sizes);
    free(trace->n_times);
    *trace = (struct trace){0};
}
