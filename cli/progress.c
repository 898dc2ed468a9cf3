/* SPDX-License-Identifier: MIT */
#define _FILE_OFFSET_BITS 64
#include "progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "terminal.h"

#define LINE_COLUMNS 72
#define BAR_COLUMNS  10

/* Seconds before the first line and between two: on a terminal, and where lines stay. */
#define FIRST_AFTER   1.0
#define NEXT_AFTER    0.2
#define STAYING_AFTER 5.0

/* A time left that is guessed from less than this share is no good. */
#define LEAST_SHARE 0.01

static bool is_wanted;
static bool stays; /* each line has a newline */
static bool is_shown;
static const char *job;
static double began, shown_at;
static uint64_t n_expected; /* bytes; 0: not known */
static uint64_t last_done, last_bytes;

static double now(void)
{
    struct timespec time;

    if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
        return 0;
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void progress_begin(const char *what)
{
    const char *columns = getenv("COLUMNS");
    const bool has_room = terminal_can_return(STDERR_FILENO) &&
                          (!columns || strtol(columns, NULL, 10) > LINE_COLUMNS);

    is_wanted = terminal_given.progress == WHEN_ALWAYS ||
                (terminal_given.progress == WHEN_AUTO && has_room);
    stays = !has_room;
    job = what;
    n_expected = last_done = last_bytes = 0;
    began = shown_at = now();
}

void progress_expect(char *const *files, size_t n_files)
{
    uint64_t total = 0;

    for (size_t i = 0; i < n_files; i++) {
        struct stat file;
        const int failed = strcmp(files[i], "-") == 0 ? fstat(STDIN_FILENO, &file)
                                                      : stat(files[i], &file);
        if (failed || !S_ISREG(file.st_mode))
            return;
        total += (uint64_t)file.st_size;
    }
    n_expected = total;
}

/* ", 1:05 left"; nothing while there is too little to guess from. */
static void write_left(double share, double taken, char *text, size_t text_size)
{
    const double left = share > 0 ? taken / share - taken : 0;
    const uint64_t seconds = (uint64_t)(left + 0.5);

    text[0] = '\0';
    if (share < LEAST_SHARE || share >= 1 || left > 1e6)
        return;
    if (seconds >= 3600)
        (void)snprintf(text, text_size, ", %" PRIu64 ":%02d:%02d left", seconds / 3600,
                       (int)(seconds / 60 % 60), (int)(seconds % 60));
    else
        (void)snprintf(text, text_size, ", %d:%02d left", (int)(seconds / 60),
                       (int)(seconds % 60));
}

static void show(double time)
{
    static const char full[] = "##########";
    char line[LINE_COLUMNS + 1];
    char left[40];
    const double done = (double)last_done / 1e6;
    const double taken = time - began;
    const double rate = taken > 0 ? done / taken : 0;

    if (n_expected) {
        const double share =
            last_bytes < n_expected ? (double)last_bytes / (double)n_expected : 1;
        const int filled = (int)(share * BAR_COLUMNS);
        write_left(share, taken, left, sizeof left);
        (void)snprintf(line, sizeof line, "[%.*s%*s] %3.0f %%, %.1f M %s, %.1f M/s%s",
                       filled, full, BAR_COLUMNS - filled, "", 100 * share, done, job,
                       rate, left);
    } else {
        (void)snprintf(line, sizeof line, "%.1f M %s, %.0f MB, %.1f M/s", done, job,
                       (double)last_bytes / 1e6, rate);
    }
    shown_at = time;
    if (stays)
        (void)fprintf(stderr, "%s\n", line);
    else
        is_shown = fprintf(stderr, "\r%-*s", LINE_COLUMNS - 1, line) > 0;
}

void progress_update(uint64_t n_done, uint64_t n_bytes)
{
    if (!is_wanted)
        return;
    last_done = n_done;
    last_bytes = n_bytes;
    const double time = now();
    if (time - began >= FIRST_AFTER &&
        time - shown_at >= (stays ? STAYING_AFTER : NEXT_AFTER))
        show(time);
}

void progress_clear(void)
{
    if (is_shown)
        (void)fprintf(stderr, "\r%*s\r", LINE_COLUMNS - 1, "");
    is_shown = false;
}

void progress_end(void)
{
    progress_clear();
    if (is_wanted && stays)
        show(now());
    is_wanted = false;
}
