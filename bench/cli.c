/* SPDX-License-Identifier: MIT */
/* Measures `ninho check` (and `ninho uniq`, uniq.c) on a file of short lines, beside DCSO's `bloom check` and `grep -Fxf`,
 * where those are installed.
 *
 * Every command reads the same file and writes to a pipe that this program empties: grep stops at
 * the first match when it sees /dev/null. What comes out of the pipe is counted and checked in
 * every repetition. */
#include <assert.h>
#include <stdlib.h>

#include "command.h"

#define SET_FILE   "set.txt"
#define LINES_FILE "lines.txt"
#define NINHO_FILE "set.ninho"
#define DCSO_FILE  "set.bloom"

/* ---- The lines ----------------------------------------------------------------------------- */

/* The line of a number: ten letters, of 2^40 such; the mixing keeps 64 bits apart but ten letters
 * are fewer, so members and absent lines get different first letters. */
static void put_line(FILE *file, uint64_t number, char first)
{
    uint64_t bits = mix64(number);
    char line[11];

    line[0] = first;
    for (size_t i = 1; i < 10; i++, bits >>= 4)
        line[i] = "abcdefghijklmnop"[bits & 15];
    line[10] = '\n';
    fwrite(line, 1, sizeof line, file);
}

/* The set, and the lines: every other one of them a member, drawn at random. Returns how many
 * members there are. */
static uint64_t write_lines(const struct folder *folder, size_t n_set, size_t n_lines)
{
    assert(n_set > 0);
    FILE *set = open_for_writing(folder, SET_FILE);
    for (size_t i = 0; i < n_set; i++)
        put_line(set, i, 'm');
    close_written(set, SET_FILE);

    FILE *lines = open_for_writing(folder, LINES_FILE);
    for (size_t i = 0; i < n_lines; i++)
        if (i % 2 == 0)
            put_line(lines, mix64(i) % n_set, 'm');
        else
            put_line(lines, i, 'a');
    close_written(lines, LINES_FILE);
    return (n_lines + 1) / 2;
}

/* ---- The contestants ----------------------------------------------------------------------- */

enum { MAX_WORDS = 8, MAX_CONTESTANTS = 4 };

struct contestant {
    const char *name;
    char *command[MAX_WORDS];
    const char *input;
    bool counts; /* prints how many, not which */
    bool is_exact;
    const struct folder *folder;
    const struct options *options;
    uint64_t n_members;
    /* results */
    double *seconds; /* elapsed, one per repetition; processor time is the job's sample */
    double *cpu_seconds;
    uint64_t n_found;
    size_t n_runs;
};

/* Members are all found, and of the rest no more than a filter of that fpr may take for one. */
static void check_answer(const struct contestant *contestant, uint64_t n_found)
{
    const struct options *options = contestant->options;
    const uint64_t n_absent = options->n_cli_lines - contestant->n_members;
    const double slack =
        contestant->is_exact ? 0 : 1.5 * options->fpr * (double)n_absent + 100;

    if (n_found < contestant->n_members ||
        (double)n_found > (double)contestant->n_members + slack)
        die("%s: found %llu lines, and %llu are members", contestant->name,
            (unsigned long long)n_found, (unsigned long long)contestant->n_members);
}

static double run_contestant(void *context)
{
    struct contestant *contestant = context;
    char number[32] = "";
    const struct outcome outcome =
        run_command(contestant->folder, contestant->command, contestant->input,
                    contestant->counts ? read_number : count_lines, number);

    check_answer(contestant, outcome.answer);
    contestant->n_found = outcome.answer;
    contestant->seconds[contestant->n_runs++] = outcome.seconds;
    return outcome.cpu_seconds;
}

static size_t list_contestants(struct contestant *list, char *ninho)
{
    size_t n = 0;

    list[n++] = (struct contestant){
        .name = "ninho check -c",
        .command = {ninho, "check", "-c", "--threads", "1", NINHO_FILE, LINES_FILE},
        .input = "/dev/null",
        .counts = true,
    };
    list[n++] = (struct contestant){
        .name = "ninho check",
        .command = {ninho, "check", "--threads", "1", NINHO_FILE, LINES_FILE},
        .input = "/dev/null",
    };
    if (is_installed("bloom"))
        list[n++] = (struct contestant){
            .name = "bloom check (DCSO)",
            .command = {"bloom", "check", DCSO_FILE},
            .input = LINES_FILE,
        };
    if (is_installed("grep"))
        list[n++] = (struct contestant){
            .name = "grep -cFxf",
            .command = {"grep", "-cFxf", SET_FILE, LINES_FILE},
            .input = "/dev/null",
            .counts = true,
            .is_exact = true,
        };
    return n;
}

static void build_filters(const struct folder *folder, const struct options *options,
                          char *ninho)
{
    char fpr[32];
    char n_set[32];

    snprintf(fpr, sizeof fpr, "%g", options->fpr);
    snprintf(n_set, sizeof n_set, "%zu", options->n_cli_set);
    char *const build[] = {ninho,   "build", NINHO_FILE, "--kind", "blocked",
                           "--fpr", fpr,     SET_FILE,   NULL};
    run_command(folder, build, "/dev/null", count_lines, NULL);
    if (!is_installed("bloom"))
        return;
    char *const create[] = {"bloom", "create", "-p", fpr, "-n", n_set, DCSO_FILE, NULL};
    char *const insert[] = {"bloom", "insert", DCSO_FILE, NULL};
    run_command(folder, create, "/dev/null", count_lines, NULL);
    run_command(folder, insert, SET_FILE, count_lines, NULL);
}

/* ---- The whole ----------------------------------------------------------------------------- */

static void compare_commands(struct report *report, const struct contestant *list,
                             size_t n, size_t n_repetitions)
{
    struct ratio_result ratios[2 * MAX_CONTESTANTS];
    char names[2 * MAX_CONTESTANTS][64];
    size_t n_ratios = 0;

    for (size_t i = 2; i < n; i++) {
        const struct contestant *peer = &list[i];
        const struct contestant *ours = &list[peer->counts ? 0 : 1];

        snprintf(names[n_ratios], sizeof names[0], "%s, processor time, than %s",
                 ours->name, peer->name);
        ratios[n_ratios] = (struct ratio_result){
            names[n_ratios], 3,
            ratio_interval(peer->cpu_seconds, ours->cpu_seconds, n_repetitions)};
        n_ratios++;
        snprintf(names[n_ratios], sizeof names[0], "%s, elapsed, than %s", ours->name,
                 peer->name);
        ratios[n_ratios] = (struct ratio_result){
            names[n_ratios], 3,
            ratio_interval(peer->seconds, ours->seconds, n_repetitions)};
        n_ratios++;
    }
    if (n_ratios)
        report_ratios(report, "times faster on the command line", ratios, n_ratios,
                      n_repetitions);
}

void bench_cli(const struct options *options, struct report *report)
{
    static char ninho[4096];
    const size_t n_repetitions = options->n_cli_repetitions;
    struct contestant list[MAX_CONTESTANTS];
    struct job jobs[MAX_CONTESTANTS];
    struct command_result results[MAX_CONTESTANTS];

    find_ninho(options, ninho, sizeof ninho);
    const struct folder *folder = work_folder();
    const uint64_t n_members =
        write_lines(folder, options->n_cli_set, options->n_cli_lines);
    build_filters(folder, options, ninho);
    const size_t n = list_contestants(list, ninho);
    for (size_t i = 0; i < n; i++) {
        list[i].folder = folder;
        list[i].options = options;
        list[i].n_members = n_members;
        list[i].seconds = allocate(n_repetitions, sizeof(double));
        list[i].cpu_seconds = allocate(n_repetitions, sizeof(double));
        jobs[i] = (struct job){run_contestant, &list[i], list[i].cpu_seconds};
    }
    for (size_t repetition = 0; repetition < n_repetitions; repetition++) {
        run_repetition(jobs, n, repetition);
        show_progress("cli", repetition + 1, n_repetitions);
    }
    for (size_t i = 0; i < n; i++)
        results[i] = (struct command_result){list[i].name, list[i].cpu_seconds,
                                             list[i].seconds, list[i].n_found};
    report_commands(report, options, results, n);
    if (!is_installed("bloom"))
        report_note(report, "DCSO's bloom is not installed "
                            "(Debian: apt-get install golang-github-dcso-bloom-cli)");
    compare_commands(report, list, n, n_repetitions);
    if (is_installed("awk") && is_installed("sort"))
        bench_uniq(options, report, folder, ninho, LINES_FILE);
    empty_work_folder();
    for (size_t i = 0; i < n; i++) {
        free(list[i].seconds);
        free(list[i].cpu_seconds);
    }
}
