/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"

#define LINE_COLUMNS 60
#define BAR_COLUMNS  20

static bool is_wanted;
static bool is_shown;
static const char *job;
static double began, shown_at;
static uint64_t n_expected; /* bytes; 0: not known */

static double now(void)
{
    struct timespec time;

    if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
        return 0;
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void progress_begin(const char *what)
{
    const char *terminal = getenv("TERM");
    const char *columns = getenv("COLUMNS");

    is_wanted = isatty(STDERR_FILENO) && terminal && *terminal &&
                strcmp(terminal, "dumb") != 0 &&
                (!columns || strtol(columns, NULL, 10) > LINE_COLUMNS);
    job = what;
    n_expected = 0;
    began = shown_at = now();
}

void progress_expect(uint64_t n_bytes)
{
    n_expected = n_bytes;
}

void progress_update(uint64_t n_done, uint64_t n_bytes)
{
    char line[LINE_COLUMNS + 1];

    if (!is_wanted)
        return;
    const double time = now();
    if (time - began < 1.0 || time - shown_at < 0.2)
        return;
    shown_at = time;
    const double done = (double)n_done / 1e6;
    const double rate = done / (time - began);
    if (n_expected) {
        static const char full[] = "####################";
        const double part =
            n_bytes < n_expected ? (double)n_bytes / (double)n_expected : 1;
        const int filled = (int)(part * BAR_COLUMNS);
        (void)snprintf(line, sizeof line, "[%.*s%*s] %3.0f %%, %.1f M %s, %.1f M/s",
                       filled, full, BAR_COLUMNS - filled, "", 100 * part, done, job,
                       rate);
    } else {
        (void)snprintf(line, sizeof line, "%.1f M %s, %.0f MB, %.1f M/s", done, job,
                       (double)n_bytes / 1e6, rate);
    }
    is_shown = fprintf(stderr, "\r%-*s", LINE_COLUMNS - 1, line) > 0;
}

void progress_clear(void)
{
    if (is_shown)
        (void)fprintf(stderr, "\r%*s\r", LINE_COLUMNS - 1, "");
    is_shown = false;
}
