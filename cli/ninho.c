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
#include "help.h"
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

int print_help(const char *verb)
{
    /* "kmer build" is told of on the page of "kmer". */
    const size_t length = verb ? strcspn(verb, " ") : 0;

    for (const struct help_text *help = help_texts; help->name; help++) {
        if (strlen(help->name) == length &&
            memcmp(help->name, verb ? verb : "", length) == 0) {
            output_text(help->text);
            return EXIT_YES;
        }
    }
    return fail("there is no help on %s", verb ? verb : "ninho");
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

static int no_such_command(const char *name)
{
    return fail("%s: no such command; try 'ninho --help'", name);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return fail("which command? try 'ninho --help'");
    const char *verb = argv[1];
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0)
        return print_help(NULL);
    if (strcmp(verb, "--version") == 0) {
        output_format("ninho %s\n", ninho_version());
        return EXIT_YES;
    }
    if (strcmp(verb, "help") == 0) {
        if (argc > 3)
            return fail("help: expects one command");
        if (argc == 3 && !find_command(argv[2]))
            return no_such_command(argv[2]);
        return print_help(argc == 3 ? argv[2] : NULL);
    }
    if (strcmp(verb, cmd_complete.name) == 0)
        return cmd_complete.run(&cmd_complete, argc - 2, argv + 2);
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
