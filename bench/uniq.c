/* SPDX-License-Identifier: MIT */
/* Measures `ninho uniq` beside what people use to take copies out of lines: awk '!seen[$0]++', which
 * keeps their order too, and sort -u. Time, and the most memory. */
#include <stdlib.h>

#include "command.h"

enum { MAX_WORDS = 8, N_CONTESTANTS = 5 };

struct contestant {
    const char *name;
    char *command[MAX_WORDS];
    bool is_exact;
    const struct folder *folder;
    /* results, one per repetition */
    double *cpu_seconds;
    double *seconds;
    double *megabytes;
    uint64_t n_lines;
    size_t n_runs;
};

static double run_contestant(void *context)
{
    struct contestant *contestant = context;
    const struct outcome outcome = run_command(contestant->folder, contestant->command,
                                               "/dev/null", count_lines, NULL);

    contestant->n_lines = outcome.answer;
    contestant->seconds[contestant->n_runs] = outcome.seconds;
    contestant->megabytes[contestant->n_runs++] = 1e-6 * (double)outcome.peak_bytes;
    return outcome.cpu_seconds;
}

/* The exact ones agree, and the others swallow no more than they promise. */
static void check_answers(const struct contestant *list, size_t n)
{
    const uint64_t n_distinct = list[n - 1].n_lines;
    const double fewest = (double)n_distinct * (1 - 1.5e-4) - 100;

    for (size_t i = 0; i < n; i++)
        if (list[i].n_lines > n_distinct || (double)list[i].n_lines < fewest ||
            (list[i].is_exact && list[i].n_lines != n_distinct))
            die("%s: %llu lines, and %llu are distinct", list[i].name,
                (unsigned long long)list[i].n_lines, (unsigned long long)n_distinct);
}

static void report_results(struct report *report, const struct contestant *list, size_t n,
                           size_t n_repetitions)
{
    struct row_result rows[3][N_CONTESTANTS];
    char remarks[N_CONTESTANTS][40];

    for (size_t i = 0; i < n; i++) {
        snprintf(remarks[i], sizeof remarks[i], "%llu lines",
                 (unsigned long long)list[i].n_lines);
        rows[0][i] = (struct row_result){list[i].name, list[i].cpu_seconds, remarks[i]};
        rows[1][i] = (struct row_result){list[i].name, list[i].seconds, ""};
        rows[2][i] = (struct row_result){list[i].name, list[i].megabytes, ""};
    }
    report_rows(report, "lines without copies", "seconds of processor time", rows[0], n,
                n_repetitions);
    report_rows(report, "lines without copies, elapsed", "seconds", rows[1], n,
                n_repetitions);
    report_rows(report, "lines without copies, memory", "megabytes at most", rows[2], n,
                n_repetitions);
}

void bench_uniq(const struct options *options, struct report *report,
                const struct folder *folder, char *ninho, char *file)
{
    const size_t n_repetitions = options->n_cli_repetitions;
    char n_lines[32];
    struct job jobs[N_CONTESTANTS];

    snprintf(n_lines, sizeof n_lines, "%zu", options->n_cli_lines);
    /* the last one's answer is what the others are compared with */
    struct contestant list[N_CONTESTANTS] = {
        {.name = "ninho uniq", .command = {ninho, "uniq", "--threads", "1", "-", file}},
        {.name = "ninho uniq --capacity",
         .command = {ninho, "uniq", "--threads", "1", "--capacity", n_lines, "-", file}},
        {.name = "ninho uniq --exact",
         .command = {ninho, "uniq", "--exact", "-", file},
         .is_exact = true},
        {.name = "sort -u", .command = {"sort", "-u", file}, .is_exact = true},
        {.name = "awk '!seen[$0]++'",
         .command = {"awk", "!seen[$0]++", file},
         .is_exact = true},
    };

    for (size_t i = 0; i < N_CONTESTANTS; i++) {
        list[i].folder = folder;
        list[i].cpu_seconds = allocate(n_repetitions, sizeof(double));
        list[i].seconds = allocate(n_repetitions, sizeof(double));
        list[i].megabytes = allocate(n_repetitions, sizeof(double));
        jobs[i] = (struct job){run_contestant, &list[i], list[i].cpu_seconds};
    }
    for (size_t repetition = 0; repetition < n_repetitions; repetition++) {
        run_repetition(jobs, N_CONTESTANTS, repetition);
        show_progress("uniq", repetition + 1, n_repetitions);
    }
    check_answers(list, N_CONTESTANTS);
    report_results(report, list, N_CONTESTANTS, n_repetitions);
    for (size_t i = 0; i < N_CONTESTANTS; i++) {
        free(list[i].cpu_seconds);
        free(list[i].seconds);
        free(list[i].megabytes);
    }
}
