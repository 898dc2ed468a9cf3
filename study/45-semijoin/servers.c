/* SPDX-License-Identifier: MIT */
#include "45-semijoin/servers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/fail.h"

enum { LINE = 512, PATH = 4300 };

/* Brings the servers. */
#define COMMAND "make study WITH=postgresql"

struct servers {
    pid_t process;
    FILE *to;
    FILE *from;
    double connect_bytes;
    void (*on_pipe)(int); /* what was done on SIGPIPE before */
    char line[LINE];      /* the last answer */
};

static const char *const way_names[N_WAYS] = {"plain", "list", "filter", "helper",
                                              "asking"};

const char *way_text(enum way way)
{
    return way_names[way];
}

void means_text(const struct means *means, char *text, size_t size)
{
    if (means->way == FILTER)
        snprintf(text, size, "%s %g %%", means->kind, 100 * means->fpr);
    else
        snprintf(text, size, "%s", way_text(means->way));
}

/* Reads n numbers with commas between them, all of the text. */
static void read_numbers(const char *text, double *numbers, size_t n)
{
    const char *at = text;

    for (size_t i = 0; i < n; i++) {
        char *stop;
        numbers[i] = strtod(at, &stop);
        if (stop == at || *stop != (i + 1 < n ? ',' : '\n'))
            fail("PostgreSQL: semijoin.py said '%.*s'", (int)strcspn(text, "\n"), text);
        at = stop + 1;
    }
}

/* ---- The process --------------------------------------------------------------------------- */

/* The extension as it was built with this program: lib/postgres/ninho.so beside bin/. False if this program's
 * own place is not known. */
static bool find_module(char *path, size_t size)
{
    char own[PATH];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);

    if (length <= 0)
        return false;
    own[length] = '\0';
    char *slash = strrchr(own, '/');
    if (!slash)
        return false;
    *slash = '\0';
    const int n = snprintf(path, size, "%s/../lib/postgres/ninho.so", own);
    return n > 0 && (size_t)n < size;
}

/* Its own process group: what a terminal sends to ours does not reach psql in the middle of a statement. The
 * end of the pipe does, afterwards. */
static void run_script(struct servers *s, char *script, char *module)
{
    char *const arguments[] = {"python3", "-B",      script, "--module",
                               module,    "--serve", NULL};
    int down[2];
    int up[2];

    fflush(NULL);
    if (pipe(down) || pipe(up) || fcntl(down[1], F_SETFD, FD_CLOEXEC) ||
        fcntl(up[0], F_SETFD, FD_CLOEXEC))
        fail("pipe: %s", strerror(errno));
    s->process = fork();
    if (s->process < 0)
        fail("fork: %s", strerror(errno));
    if (s->process == 0) {
        setpgid(0, 0);
        if (dup2(down[0], STDIN_FILENO) < 0 || dup2(up[1], STDOUT_FILENO) < 0)
            _exit(127);
        close(down[0]);
        close(up[1]);
        execvp("python3", arguments);
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    s->to = fdopen(down[1], "w");
    s->from = fdopen(up[0], "r");
    if (!s->to || !s->from)
        fail("fdopen: %s", strerror(errno));
}

/* Ends the process; whether it ended well. */
static bool end(struct servers *s)
{
    int status;

    fclose(s->to);
    while (fgets(s->line, sizeof s->line, s->from))
        continue;
    fclose(s->from);
    while (waitpid(s->process, &status, 0) < 0)
        if (errno != EINTR)
            fail("waitpid: %s", strerror(errno));
    (void)signal(SIGPIPE, s->on_pipe);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct servers *servers_start(const struct study *study, struct answer *answer)
{
    struct servers *s = allocate(1, sizeof *s);
    char script[PATH];
    char module[PATH] = "";

    snprintf(script, sizeof script, "%s/../integrations/postgres/measure/semijoin.py",
             study->source_dir);
    if (!find_module(module, sizeof module) || access(module, R_OK)) {
        answer_miss(answer, COMMAND,
                    "PostgreSQL 15, a database server: joins are not measured");
        free(s);
        return NULL;
    }
    s->on_pipe = signal(SIGPIPE, SIG_IGN); /* a write then fails instead */
    run_script(s, script, module);
    if (!fgets(s->line, sizeof s->line, s->from))
        s->line[0] = '\0';
    if (strncmp(s->line, "ready ", 6) == 0) {
        read_numbers(s->line + 6, &s->connect_bytes, 1);
        return s;
    }
    s->line[strcspn(s->line, "\n")] = '\0';
    const char *why = strncmp(s->line, "missing ", 8) == 0
                          ? s->line + 8
                          : "python3 that runs semijoin.py";
    answer_miss(answer, COMMAND, "%.90s: joins are not measured", why);
    end(s);
    free(s);
    return NULL;
}

void servers_stop(struct servers *servers)
{
    if (!end(servers))
        fail("PostgreSQL: %s", servers->line[0] ? servers->line : "the servers failed");
    free(servers);
}

double servers_connect_bytes(const struct servers *servers)
{
    return servers->connect_bytes;
}

/* ---- Questions ----------------------------------------------------------------------------- */

/* Sends a line and waits for the one that answers it. */
__attribute__((format(printf, 2, 3))) static void ask(struct servers *s,
                                                      const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(s->to, format, arguments);
    va_end(arguments);
    fputc('\n', s->to);
    const bool is_sent = fflush(s->to) == 0;
    s->line[0] = '\0';
    if (!fgets(s->line, sizeof s->line, s->from) || !is_sent)
        fail("PostgreSQL: semijoin.py ended");
}

static void ask_join(struct servers *s, const char *what, const struct join *join,
                     const struct means *means, double *numbers, size_t n)
{
    ask(s, "%s %zu %zu %zu %zu %zu %d %s %s %.17g", what, join->n_remote, join->n_keys,
        join->n_matches, join->width, join->draw, join->is_indexed, way_text(means->way),
        means->kind ? means->kind : "-", means->fpr);
    read_numbers(s->line, numbers, n);
    if (numbers[0] != (double)join->n_matches)
        fail("%s: %.0f rows came, not %zu", way_text(means->way), numbers[0],
             join->n_matches);
}

struct counted servers_count(struct servers *servers, const struct join *join,
                             const struct means *means)
{
    double numbers[6];

    ask_join(servers, "count", join, means, numbers, 6);
    return (struct counted){.checksum = numbers[1],
                            .sent = numbers[2],
                            .received = numbers[3],
                            .turns = numbers[4],
                            .bits_per_key = numbers[5]};
}

double servers_time(struct servers *servers, const struct join *join,
                    const struct means *means, double *checksum)
{
    double numbers[3];

    ask_join(servers, "time", join, means, numbers, 3);
    *checksum = numbers[1];
    return numbers[2];
}

struct planned servers_plan(struct servers *servers, const struct join *join)
{
    double numbers[3];

    ask(servers, "plan %zu %zu %zu %zu", join->n_remote, join->n_keys, join->n_matches,
        join->width);
    const size_t length = strcspn(servers->line, ",");
    for (enum way way = PLAIN; way <= FILTER; way++)
        if (strlen(way_names[way]) == length &&
            memcmp(way_names[way], servers->line, length) == 0 && servers->line[length]) {
            read_numbers(servers->line + length + 1, numbers, 3);
            return (struct planned){way, numbers[0], numbers[1] + numbers[2]};
        }
    fail("PostgreSQL: semijoin.py said '%.*s'", (int)strcspn(servers->line, "\n"),
         servers->line);
}
