/* SPDX-License-Identifier: MIT */
/* `ninho diff` and `ninho common` between two processes: bytes on the wire in both directions, round
 * trips, and the processor time of each side.
 *
 *     ninho diff here 'exec:...'  <-- pipes -->  ninho-bench relay  <-- pipes -->  ninho serve-set there
 *
 * The relay is this program, started again by `ninho diff` as its peer: it passes bytes on and counts
 * them, so that no number here is the tool's own word. A turn is a change of the direction from
 * "to there" to "from there"; the first one is the greeting. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

#define HERE_FILE  "here.txt"
#define THERE_FILE "there.txt"
#define LOG_FILE   "relay.txt"

/* ---- The relay ----------------------------------------------------------------------------- */

struct passed {
    unsigned long long up, down, turns;
    double cpu_command; /* of what it started */
    double cpu_all;     /* and of itself */
};

static double cpu_of(int who)
{
    struct rusage usage;

    if (getrusage(who, &usage))
        die("getrusage: %s", strerror(errno));
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void write_all(int to, const char *bytes, size_t n)
{
    while (n) {
        const ssize_t written = write(to, bytes, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            die("relay: %s", strerror(errno));
        bytes += written;
        n -= (size_t)written;
    }
}

/* Passes on what is there to be read; false at the end. Writes wait, which is no danger as long as
 * the two sides speak in turn. */
static bool pass_on(int from, int to, unsigned long long *count)
{
    static char bytes[1 << 16];
    const ssize_t n = read(from, bytes, sizeof bytes);

    if (n < 0 && errno == EINTR)
        return true;
    if (n < 0)
        die("relay: %s", strerror(errno));
    write_all(to, bytes, (size_t)n);
    *count += (unsigned long long)n;
    return n > 0;
}

static struct passed pass_all(int to, int from)
{
    struct pollfd ends[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = from, .events = POLLIN}};
    struct passed passed = {0};
    bool was_up = false;

    for (;;) {
        if (poll(ends, 2, -1) < 0 && errno != EINTR)
            die("relay: %s", strerror(errno));
        if (ends[0].revents) {
            was_up = true;
            if (!pass_on(STDIN_FILENO, to, &passed.up)) {
                close(to);
                ends[0].fd = -1;
            }
        }
        if (ends[1].revents) {
            if (!pass_on(from, STDOUT_FILENO, &passed.down))
                return passed;
            passed.turns += was_up;
            was_up = false;
        }
    }
}

int relay(const char *log, char *const *command)
{
    int to[2], from[2];
    int status;

    if (pipe(to) || pipe(from))
        die("pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child < 0)
        die("fork: %s", strerror(errno));
    if (child == 0) {
        if (dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0)
            _exit(127);
        for (int i = 0; i < 2; i++) {
            close(to[i]);
            close(from[i]);
        }
        execvp(command[0], command);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    struct passed passed = pass_all(to[1], from[0]);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            die("waitpid: %s", strerror(errno));
    passed.cpu_command = cpu_of(RUSAGE_CHILDREN);
    passed.cpu_all = passed.cpu_command + cpu_of(RUSAGE_SELF);
    FILE *file = fopen(log, "w");
    if (!file)
        die("%s: %s", log, strerror(errno));
    fprintf(file, "%llu %llu %llu %.6f %.6f\n", passed.up, passed.down, passed.turns,
            passed.cpu_command, passed.cpu_all);
    close_written(file, log);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

static struct passed read_log(const struct folder *folder)
{
    char path[FOLDER_PATH + sizeof LOG_FILE + 1];
    char line[200] = "";
    struct passed passed = {0};

    snprintf(path, sizeof path, "%s/" LOG_FILE, folder->path);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file))
        die("%s: the relay has left no numbers", path);
    fclose(file);
    char *at = line;
    passed.up = strtoull(at, &at, 10);
    passed.down = strtoull(at, &at, 10);
    passed.turns = strtoull(at, &at, 10);
    passed.cpu_command = strtod(at, &at);
    passed.cpu_all = strtod(at, &at);
    if (*at != '\n' || !passed.turns)
        die("%s: %s is no log of the relay", path, line);
    return passed;
}

/* ---- The files ----------------------------------------------------------------------------- */

/* The line of a number: characters of six random bits each, ten of them from one mixing. */
static void put_line(FILE *file, uint64_t number, size_t length)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char line[128];
    uint64_t bits = 0;

    for (size_t i = 0; i < length; i++, bits >>= 6) {
        if (i % 10 == 0)
            bits = mix64(number * 16 + i / 10);
        line[i] = letters[bits & 63];
    }
    line[length] = '\n';
    fwrite(line, 1, length + 1, file);
}

/* The lines of the numbers from `first` on. */
static void write_lines(const struct folder *folder, const char *name, uint64_t first,
                        size_t n, size_t length)
{
    FILE *file = open_for_writing(folder, name);

    for (size_t i = 0; i < n; i++)
        put_line(file, first + i, length);
    close_written(file, name);
}

/* ---- One exchange -------------------------------------------------------------------------- */

struct task {
    const char *what;
    const char *verb, *option; /* of ninho; the option may be NULL */
    size_t n_here, n_there, n_common, length;
    bool is_exact;
};

/* What --json prints, as text. */
struct answer_text {
    char text[1024];
    size_t n;
};

static void read_text(void *state, const char *bytes, size_t n, uint64_t *answer)
{
    struct answer_text *text = state;

    if (n >= sizeof text->text - text->n)
        die("ninho prints more than a report");
    memcpy(text->text + text->n, bytes, n);
    text->n += n;
    text->text[text->n] = '\0';
    *answer = text->n;
}

static unsigned long long number_of(const struct answer_text *text, const char *name)
{
    char quoted[40];

    snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    const char *at = strstr(text->text, quoted);
    if (!at)
        die("ninho does not report %s", name);
    return strtoull(at + strlen(quoted), NULL, 10);
}

static void name_of_method(const struct answer_text *text, char *method, size_t size)
{
    const char *at = strstr(text->text, "\"method\": \"");

    at = at ? at + strlen("\"method\": \"") : "?";
    snprintf(method, size, "%.*s", (int)strcspn(at, "\""), at);
}

/* The answer must be right, and its numbers those of the wire. */
static void check_task(const struct task *task, const struct answer_text *text,
                       const struct passed *passed)
{
    const bool is_diff = strcmp(task->verb, "diff") == 0;
    const unsigned long long only_here = task->n_here - task->n_common;
    const unsigned long long only_there = task->n_there - task->n_common;

    if (number_of(text, "bytes_sent") != passed->up ||
        number_of(text, "bytes_received") != passed->down)
        die("%s: the tool counts other bytes than the wire carried:\n%s", task->what,
            text->text);
    if (!is_diff && number_of(text, "common") != task->n_common)
        die("%s: wrong answer:\n%s", task->what, text->text);
    if (!is_diff)
        return;
    const bool is_right = number_of(text, "only_here") == only_here &&
                          number_of(text, "only_there") == only_there;
    const bool is_subset = number_of(text, "only_here") <= only_here &&
                           number_of(text, "only_there") <= only_there;
    if (task->is_exact ? !is_right : !is_subset)
        die("%s: wrong answer:\n%s", task->what, text->text);
}

static void run_task(const struct options *options, const struct folder *folder,
                     const struct task *task, struct exchange_result *result)
{
    static char ninho[4096];
    static char self[4096];
    static char peer[3 * 4096];
    double cpu_here[MAX_EXCHANGE_RUNS];
    double cpu_there[MAX_EXCHANGE_RUNS];
    double seconds[MAX_EXCHANGE_RUNS];

    find_ninho(options, ninho, sizeof ninho);
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    if (strchr(self, '\'') || strchr(ninho, '\''))
        die("a path with a quote in it: %s", ninho);
    snprintf(peer, sizeof peer, "exec:'%s' relay %s '%s' serve-set %s", self, LOG_FILE,
             ninho, THERE_FILE);
    char *command[] = {ninho, (char *)task->verb,   "--json", HERE_FILE,
                       peer,  (char *)task->option, NULL};

    write_lines(folder, HERE_FILE, 0, task->n_here, task->length);
    write_lines(folder, THERE_FILE, task->n_here - task->n_common, task->n_there,
                task->length);
    *result = (struct exchange_result){
        .what = task->what,
        .file_bytes = (task->n_here < task->n_there ? task->n_here : task->n_there) *
                      (task->length + 1),
        .n_differ = task->n_here + task->n_there - 2 * task->n_common};
    for (size_t i = 0; i < options->n_sets_repetitions; i++) {
        struct answer_text text = {.n = 0};
        const struct outcome outcome =
            run_command(folder, command, "/dev/null", read_text, &text);
        const struct passed passed = read_log(folder);
        check_task(task, &text, &passed);
        cpu_here[i] = outcome.cpu_seconds - passed.cpu_all;
        cpu_there[i] = passed.cpu_command;
        seconds[i] = outcome.seconds;
        if (passed.up + passed.down > result->up + result->down) {
            result->up = passed.up;
            result->down = passed.down;
        }
        if (passed.turns - 1 > result->rounds)
            result->rounds = passed.turns - 1;
        result->n_found =
            strcmp(task->verb, "diff") == 0
                ? number_of(&text, "only_here") + number_of(&text, "only_there")
                : number_of(&text, "common");
        name_of_method(&text, result->method, sizeof result->method);
    }
    result->cpu_here = median_interval(cpu_here, options->n_sets_repetitions).median;
    result->cpu_there = median_interval(cpu_there, options->n_sets_repetitions).median;
    result->seconds = median_interval(seconds, options->n_sets_repetitions).median;
    empty_work_folder();
}

/* ---- All of them --------------------------------------------------------------------------- */

static double bytes_of(const struct exchange_result *result)
{
    return (double)(result->up + result->down);
}

static double per_line(const struct exchange_result *result)
{
    return bytes_of(result) / (double)result->n_differ;
}

void bench_sets(const struct options *options, struct report *report)
{
    enum { SAME, TEN, THOUSAND, TENTH, LIST, BLOOM, COMMON_FEW, COMMON_HALF, N_TASKS };
    const size_t n = options->n_sets_lines;
    char tenth[64], few_common[64], half_common[64];
    const struct task tasks[N_TASKS] = {
        [SAME] = {"diff: nothing differs", "diff", NULL, n, n, n, 16, true},
        [TEN] = {"diff: 5 + 5 lines", "diff", NULL, n, n, n - 5, 16, true},
        [THOUSAND] = {"diff: 500 + 500", "diff", NULL, n, n, n - 500, 16, true},
        [TENTH] = {tenth, "diff", NULL, n, n, n - n / 20, 16, true},
        [LIST] = {"diff: 500 + 500, list", "diff", "--method=list", n, n, n - 500, 16,
                  true},
        [BLOOM] = {"diff: 500 + 500, bloom", "diff", "--method=bloom", n, n, n - 500, 16,
                   false},
        [COMMON_FEW] = {few_common, "common", NULL, n / 20, 5 * n, n / 1000, 100, true},
        [COMMON_HALF] = {half_common, "common", NULL, n / 20, 5 * n, n / 40, 100, true},
    };
    struct exchange_result results[N_TASKS];

    snprintf(tenth, sizeof tenth, "diff: %zu + %zu", n / 20, n / 20);
    snprintf(few_common, sizeof few_common, "common: %zu lines", n / 1000);
    snprintf(half_common, sizeof half_common, "common: %zu lines", n / 40);
    for (size_t i = 0; i < N_TASKS; i++) {
        show_progress("sets", i, N_TASKS);
        run_task(options, work_folder(), &tasks[i], &results[i]);
    }
    show_progress("sets", N_TASKS, N_TASKS);
    report_exchanges(report, n, results, N_TASKS, options->n_sets_repetitions);

    const struct exchange_result *few = &results[COMMON_FEW];
    double slowest = 0;
    for (size_t i = SAME; i <= TENTH; i++) {
        slowest = results[i].cpu_here > slowest ? results[i].cpu_here : slowest;
        slowest = results[i].cpu_there > slowest ? results[i].cpu_there : slowest;
    }
    const struct fact_result facts[] = {
        {"nothing differs: bytes", bytes_of(&results[SAME]), 0, 999},
        {"10 lines differ: bytes", bytes_of(&results[TEN]), 0, 1999},
        {"1,000 differ: bytes a differing line", per_line(&results[THOUSAND]), 0, 40},
        {"1,000 differ: round trips", (double)results[THOUSAND].rounds, 0, 3},
        {"one in ten differs: bytes a differing line", per_line(&results[TENTH]), 0, 38},
        {"diff by default: most CPU seconds of a side", slowest, 0, 2},
        {"common: bytes, % of the smaller file",
         100 * bytes_of(few) / (double)few->file_bytes, 0, 5},
    };
    report_facts(report, "sets_targets",
                 "difference and intersection between two processes", facts,
                 sizeof facts / sizeof facts[0]);
}
