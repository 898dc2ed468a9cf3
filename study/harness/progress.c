/* SPDX-License-Identifier: MIT */
#include "harness/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "harness/timing.h"

struct progress progress_begin(const char *what)
{
    return (struct progress){what, seconds_elapsed(), 0};
}

void progress_show(struct progress *progress, double share)
{
    const double now = seconds_elapsed();

    if (now - progress->shown < 0.2 || !isatty(STDERR_FILENO))
        return;
    progress->shown = now;
    fprintf(stderr, "\r%s: %3.0f %%", progress->what, 100 * share);
    if (share > 0.01)
        fprintf(stderr, ", %.0f s left", (now - progress->start) * (1 - share) / share);
    fputs("\033[K", stderr);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    if (isatty(STDERR_FILENO) && progress->shown > 0)
        fputs("\r\033[K", stderr);
}
