/* SPDX-License-Identifier: MIT */
#include "harness/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/timing.h"

/* One run of the study, one terminal: so one state. */
static struct {
    size_t n_questions;
    size_t n_begun;
    const char *title;
    double start;
    double weight; /* of all questions; of those that are done; of the one at hand */
    double weight_done;
    double weight_here;
    double share; /* of the question at hand */
    double part_from;
    double part_to;
    double shown; /* when the line was last written */
} all;

void progress_begin_all(size_t n_questions, double weight)
{
    all.n_questions = n_questions;
    all.n_begun = 0;
    all.weight = weight;
    all.weight_done = 0;
    all.start = seconds_elapsed();
}

void progress_begin_question(const char *title, double weight)
{
    all.title = title;
    all.n_begun++;
    all.weight_here = weight;
    all.share = 0;
    all.part_to = 0;
}

void progress_end_question(void)
{
    all.weight_done += all.weight_here;
    all.weight_here = 0;
    if (all.shown > 0)
        fputs("\r\033[K", stderr);
    all.shown = 0;
}

void progress_part(double from, double to)
{
    all.part_from = from;
    all.part_to = to;
}

struct progress progress_begin(const char *what)
{
    struct progress progress = {what, all.part_from, all.part_to};

    if (all.part_to <= all.share) {
        progress.from = all.share;
        progress.to = all.share + (1 - all.share) / 2;
    }
    return progress;
}

static void print_left(double seconds)
{
    if (seconds < 90)
        fprintf(stderr, ", %.0f s left", seconds);
    else if (seconds < 5400)
        fprintf(stderr, ", %.0f min left", seconds / 60);
    else
        fprintf(stderr, ", %.1f h left", seconds / 3600);
}

void progress_show(struct progress *progress, double share)
{
    const double now = seconds_elapsed();
    const double reached = progress->from + share * (progress->to - progress->from);

    if (reached > all.share)
        all.share = reached;
    if (now - all.shown < 0.2 || !isatty(STDERR_FILENO))
        return;
    all.shown = now;
    const double done = all.weight_done + all.share * all.weight_here;
    fprintf(stderr, "\r%zu of %zu, %s: %s, %3.0f %%", all.n_begun, all.n_questions,
            all.title ? all.title : "", progress->what, 100 * all.share);
    if (done > 0.01 * all.weight_here)
        print_left((now - all.start) * (all.weight - done) / done);
    fputs("\033[K", stderr);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    progress_show(progress, 1);
}
