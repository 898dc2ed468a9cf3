/* SPDX-License-Identifier: MIT */
#include "harness/timing.h"

#include <time.h>

#include "harness/fail.h"

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    if (clock_gettime(clock, &now))
        fail("clock_gettime: the system has no such clock");
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double seconds_of_thread(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double seconds_elapsed(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

void run_interleaved(size_t n, size_t repetition, void (*task)(void *context, size_t i),
                     void *context)
{
    for (size_t i = 0; i < n; i++)
        task(context, (i + repetition) % n);
}
