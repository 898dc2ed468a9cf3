/* SPDX-License-Identifier: MIT */
/* The command line: finds the verb and runs it. */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "options/nearest.h"
#include "output.h"

const struct command *const commands[] = {
    &cmd_plan,  &cmd_create, &cmd_build,     &cmd_add,   &cmd_remove,    &cmd_check,
    &cmd_uniq,  &cmd_info,   &cmd_verify,    &cmd_union, &cmd_hyphenate, &cmd_kmer,
    &cmd_diff,  &cmd_common, &cmd_serve_set, &cmd_route, &cmd_parquet,   &cmd_cassandra,
    &cmd_study, &cmd_bench,  NULL,
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* Where a standard descriptor is closed, the next file opened would take its number, and keys be
 * read from a filter or answers written into one. Something that fails in the same manner as a
 * closed descriptor takes the place instead. */
static void fill_standard_descriptors(void)
{
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) >= 0 || errno != EBADF)
            continue;
        const int opened = open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (opened >= 0 && opened != i) {
            (void)dup2(opened, i);
            (void)close(opened);
        }
    }
}

/* What other tools call it. */
static const char *other_name(const char *name)
{
    static const char *const names[][2] = {
        {"query", "check"},   {"test", "check"},  {"contains", "check"},
        {"lookup", "check"},  {"grep", "check"},  {"insert", "add"},
        {"delete", "remove"}, {"merge", "union"}, {"unite", "union"},
        {"stats", "info"},    {"show", "info"},   {"new", "create"},
        {"size", "plan"},     {"make", "build"},  {"intersect", "common"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    return NULL;
}

static int no_such_command(const char *name)
{
    struct nearest nearest = nearest_to(name, strlen(name));
    char meant[80];

    nearest.word = other_name(name);
    for (size_t i = 0; commands[i]; i++)
        nearest_try(&nearest, commands[i]->name);
    nearest_try(&nearest, "help");
    return fail_as("usage", "%s: no such command%s; try 'ninho --help'", name,
                   nearest_hint(&nearest, "", meant, sizeof meant));
}

/* Is --json there, so that errors are JSON too? It is asked before the arguments are read, since they
 * may be wrong. */
static bool wants_json(int argc, char **argv)
{
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

/* ninho help [COMMAND]; -h and --help ask for the same. */
static int help(int argc, char **argv)
{
    if (argc > 1)
        return fail_as("usage", "help: expects one command");
    if (argc == 0 || strcmp(argv[0], "help") == 0 || strcmp(argv[0], "--help") == 0)
        return print_help(NULL);
    if (strcmp(argv[0], "-h") == 0)
        return print_short_help(NULL);
    return find_command(argv[0]) ? print_help(argv[0]) : no_such_command(argv[0]);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return fail_as("usage", "which command? try 'ninho --help'");
    const char *verb = argv[1];
    if (strcmp(verb, "--help") == 0)
        return print_help(NULL);
    if (strcmp(verb, "-h") == 0)
        return print_short_help(NULL);
    if (is_version_option(verb))
        return print_version();
    if (strcmp(verb, "help") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(verb, cmd_complete.name) == 0)
        return cmd_complete.run(&cmd_complete, argc - 2, argv + 2);
    errors_of(verb);
    if (wants_json(argc, argv))
        errors_as_json();
    const struct command *command = find_command(verb);
    return command ? command->run(command, argc - 2, argv + 2) : no_such_command(verb);
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];

    fill_standard_descriptors();
    (void)setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    /* A file that may not grow further is a write that failed, not an end without a word. */
    (void)signal(SIGXFSZ, SIG_IGN);
    return output_finish(dispatch(argc, argv));
}
