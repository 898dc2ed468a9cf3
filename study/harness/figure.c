/* SPDX-License-Identifier: MIT */
#include "harness/figure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/fail.h"

/* gnuplot's -e takes a command; in its single quotes only the quote itself is special. */
static void set_variable(char *command, size_t size, const char *name, const char *value)
{
    if (strchr(value, '\''))
        fail("%s: gnuplot cannot be given a path with a quote in it", value);
    const int length = snprintf(command, size, "%s='%s'", name, value);
    if (length < 0 || (size_t)length >= size)
        fail("%s: too long a path", value);
}

/* Runs gnuplot; returns its exit status. */
static int run_gnuplot(char *const *arguments)
{
    int status;

    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        fail("fork: %s", strerror(errno));
    if (child == 0) {
        execvp("gnuplot", arguments);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            fail("waitpid: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        fail("gnuplot is not installed (Debian: apt-get install gnuplot-nox)");
    return status;
}

void figure_check(void)
{
    char *const arguments[] = {"gnuplot", "-e", "exit", NULL};

    if (run_gnuplot(arguments))
        fail("gnuplot does not run");
}

void figure_draw(const char *style, const char *script, const char *set,
                 const char *folder, const char *data, const char *figure)
{
    char set_folder[4300];
    char set_data[4300];
    char set_figure[4300];
    char first[4300];
    char second[4300];
    char told[512];

    set_variable(set_folder, sizeof set_folder, "folder", folder);
    set_variable(set_data, sizeof set_data, "data", data);
    set_variable(set_figure, sizeof set_figure, "figure", figure);
    snprintf(first, sizeof first, "%s", style);
    snprintf(second, sizeof second, "%s", script);
    snprintf(told, sizeof told, "%s", set ? set : "told=0");
    char *const arguments[] = {"gnuplot",  "-e", set_folder, "-e",  set_data, "-e",
                               set_figure, "-e", told,       first, second,   NULL};
    if (run_gnuplot(arguments))
        fail("%s: gnuplot failed", script);
}
