/* SPDX-License-Identifier: MIT */
#include "harness/progress.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/estimate.h"
#include "harness/timing.h"

/* Seconds between two lines: at a terminal, where each replaces the one before, and elsewhere. */
#define AT_TERMINAL 0.2
#define ELSEWHERE   30

/* One run of the study, one terminal: so one state. */
static struct {
    size_t n_questions;
    size_t n_begun;
    const char *title;
    struct estimate estimate;
    double share; /* of the question at hand */
    double part_from;
    double part_to;
    bool is_terminal;
    double shown; /* when the last line was written */
} all;

void progress_begin_all(size_t n_questions, double weight, double pace)
{
    all.n_questions = n_questions;
    all.n_begun = 0;
    all.is_terminal = isatty(STDERR_FILENO);
    estimate_begin(&all.estimate, weight, pace);
}

void progress_begin_question(const char *title, double weight)
{
    all.title = title;
    all.n_begun++;
    all.share = 0;
    all.part_to = 0;
    all.shown = seconds_elapsed();
    estimate_begin_question(&all.estimate, weight, all.shown);
    if (!all.is_terminal)
        fprintf(stderr, "%zu of %zu, %s\n", all.n_begun, all.n_questions, title);
}

void progress_end_question(void)
{
    estimate_end_question(&all.estimate, seconds_elapsed());
    if (all.is_terminal)
        fputs("\r\033[K", stderr);
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
    if (isnan(seconds))
        return;
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
    if (now - all.shown < (all.is_terminal ? AT_TERMINAL : ELSEWHERE))
        return;
    all.shown = now;
    fprintf(stderr, "%s%zu of %zu, %s: %s, %.0f %%", all.is_terminal ? "\r" : "",
            all.n_begun, all.n_questions, all.title ? all.title : "", progress->what,
            100 * all.share);
    print_left(estimate_left(&all.estimate, all.share, now));
    fputs(all.is_terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    progress_show(progress, 1);
}
