/* SPDX-License-Identifier: MIT */
/* Measures `ninho check` on a file of short lines, beside DCSO's `bloom check` and `grep -Fxf`,
 * where those are installed.
 *
 * Every command reads the same file and writes to a pipe that this program empties: grep stops at
 * the first match when it sees /dev/null. What comes out of the pipe is counted and checked in
 * every repetition. */
#define _XOPEN_SOURCE 700 /* realpath */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* Where the files are; the commands run inside it, so that they need no paths. */
enum { FOLDER_PATH = 256 };
struct folder {
    char path[FOLDER_PATH];
};

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

static FILE *open_for_writing(const struct folder *folder, const char *name)
{
    char path[FOLDER_PATH + 16];

    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *file = fopen(path, "w");
    if (!file)
        die("%s: %s", path, strerror(errno));
    return file;
}

static void close_written(FILE *file, const char *name)
{
    if (ferror(file) | fclose(file))
        die("%s: could not be written", name);
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

/* ---- Running a command --------------------------------------------------------------------- */

/* What a command's answer is: a number it prints, or the lines it prints. */
enum answer { PRINTS_COUNT, PRINTS_LINES };

struct outcome {
    double cpu_seconds;
    double seconds;
    uint64_t answer;
};

static double cpu_of_children(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_CHILDREN, &usage))
        die("getrusage: %s", strerror(errno));
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Reads the pipe to its end: the number in it, or the number of lines. */
static uint64_t read_answer(int pipe_end, enum answer answer)
{
    static char bytes[1 << 16];
    char number[32] = "";
    uint64_t n_lines = 0;

    for (;;) {
        const ssize_t n = read(pipe_end, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            die("pipe: %s", strerror(errno));
        if (n == 0)
            break;
        if (answer == PRINTS_COUNT && strlen(number) + (size_t)n < sizeof number)
            strncat(number, bytes, (size_t)n);
        for (const char *at = bytes; (at = memchr(at, '\n', (size_t)(bytes + n - at)));
             at++)
            n_lines++;
    }
    return answer == PRINTS_COUNT ? strtoull(number, NULL, 10) : n_lines;
}

/* In the child: becomes the command, which finds its input and output where they should be. */
static void become(const struct folder *folder, char *const *command, const char *input,
                   int output)
{
    if (chdir(folder->path))
        _exit(127);
    const int in = open(input, O_RDONLY);
    if (in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
        _exit(127);
    setenv("LC_ALL", "C", 1);     /* grep: bytes, not letters */
    setenv("GOMAXPROCS", "1", 1); /* bloom: one thread */
    execvp(command[0], command);
    _exit(127);
}

/* Runs a command in the folder with `input` on its stdin. Dies unless it exits with 0, or with 1
 * for "nothing found". */
static struct outcome run_command(const struct folder *folder, char *const *command,
                                  const char *input, enum answer answer)
{
    int ends[2];
    int status;

    fflush(NULL);
    if (pipe(ends))
        die("pipe: %s", strerror(errno));
    const double cpu_start = cpu_of_children();
    const double start = seconds_elapsed();
    const pid_t child = fork();
    if (child < 0)
        die("fork: %s", strerror(errno));
    if (child == 0) {
        close(ends[0]);
        become(folder, command, input, ends[1]);
    }
    close(ends[1]);
    struct outcome outcome = {.answer = read_answer(ends[0], answer)};
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            die("waitpid: %s", strerror(errno));
    outcome.seconds = seconds_elapsed() - start;
    outcome.cpu_seconds = cpu_of_children() - cpu_start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
        die("%s %s failed (status %d)", command[0], command[1], status);
    return outcome;
}

/* Whether a program of that name is on the PATH. */
static bool is_installed(const char *program)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        const size_t length = strcspn(path, ":");
        char candidate[4096];
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, program);
        if (access(candidate, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* ---- The contestants ----------------------------------------------------------------------- */

enum { MAX_WORDS = 8, MAX_CONTESTANTS = 4 };

struct contestant {
    const char *name;
    char *command[MAX_WORDS];
    const char *input;
    enum answer answer;
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
    const struct outcome outcome = run_command(contestant->folder, contestant->command,
                                               contestant->input, contestant->answer);

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
        .answer = PRINTS_COUNT,
    };
    list[n++] = (struct contestant){
        .name = "ninho check",
        .command = {ninho, "check", "--threads", "1", NINHO_FILE, LINES_FILE},
        .input = "/dev/null",
        .answer = PRINTS_LINES,
    };
    if (is_installed("bloom"))
        list[n++] = (struct contestant){
            .name = "bloom check (DCSO)",
            .command = {"bloom", "check", DCSO_FILE},
            .input = LINES_FILE,
            .answer = PRINTS_LINES,
        };
    if (is_installed("grep"))
        list[n++] = (struct contestant){
            .name = "grep -cFxf",
            .command = {"grep", "-cFxf", SET_FILE, LINES_FILE},
            .input = "/dev/null",
            .answer = PRINTS_COUNT,
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
    run_command(folder, build, "/dev/null", PRINTS_LINES);
    if (!is_installed("bloom"))
        return;
    char *const create[] = {"bloom", "create", "-p", fpr, "-n", n_set, DCSO_FILE, NULL};
    char *const insert[] = {"bloom", "insert", DCSO_FILE, NULL};
    run_command(folder, create, "/dev/null", PRINTS_LINES);
    run_command(folder, insert, SET_FILE, PRINTS_LINES);
}

/* ---- The whole ----------------------------------------------------------------------------- */

static struct folder own_folder; /* removed at exit, however that comes about */

static void remove_folder(void)
{
    static const char *const names[] = {SET_FILE, LINES_FILE, NINHO_FILE, DCSO_FILE};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[FOLDER_PATH + 16];
        snprintf(path, sizeof path, "%s/%s", own_folder.path, names[i]);
        unlink(path);
    }
    rmdir(own_folder.path);
}

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    const int length =
        snprintf(own_folder.path, sizeof own_folder.path, "%s/ninho-bench-XXXXXX",
                 parent && *parent ? parent : "/tmp");

    if (length < 0 || (size_t)length >= sizeof own_folder.path)
        die("TMPDIR: too long a path");
    if (!mkdtemp(own_folder.path))
        die("%s: %s", own_folder.path, strerror(errno));
    if (atexit(remove_folder))
        die("atexit: no room");
}

/* The tool that was built beside this program, unless another was named. */
static void find_ninho(const struct options *options, char *path, size_t size)
{
    if (options->ninho) {
        char *real = realpath(options->ninho, NULL);
        if (!real)
            die("%s: %s", options->ninho, strerror(errno));
        snprintf(path, size, "%s", real);
        free(real);
        return;
    }
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        die("cannot tell where this program lies: give --ninho PATH");
    snprintf(slash, size - (size_t)(slash - path), "/ninho");
    if (access(path, X_OK))
        die("%s: %s (give --ninho PATH)", path, strerror(errno));
}

static void compare_commands(struct report *report, const struct contestant *list,
                             size_t n, size_t n_repetitions)
{
    struct ratio_result ratios[2 * MAX_CONTESTANTS];
    char names[2 * MAX_CONTESTANTS][64];
    size_t n_ratios = 0;

    for (size_t i = 2; i < n; i++) {
        const struct contestant *peer = &list[i];
        const struct contestant *ours = &list[peer->answer == PRINTS_COUNT ? 0 : 1];

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
    make_folder();
    const uint64_t n_members =
        write_lines(&own_folder, options->n_cli_set, options->n_cli_lines);
    build_filters(&own_folder, options, ninho);
    const size_t n = list_contestants(list, ninho);
    for (size_t i = 0; i < n; i++) {
        list[i].folder = &own_folder;
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
    for (size_t i = 0; i < n; i++) {
        free(list[i].seconds);
        free(list[i].cpu_seconds);
    }
}
