/* SPDX-License-Identifier: MIT */
/* ninho study and ninho bench: programs of the source tree, which lie beside the tool there. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"

/* "/folder/of/this/program/ninho-VERB"; the caller frees it. NULL: cannot be told. */
static char *program_beside(const char *verb)
{
    const size_t room = 4096 + 64;
    char *path = malloc(room);

    if (!path)
        return NULL;
    const ssize_t length = readlink("/proc/self/exe", path, 4096);
    if (length <= 0 || length >= 4096) {
        free(path);
        return NULL;
    }
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    const size_t kept = slash ? (size_t)(slash - path) + 1 : 0;
    (void)snprintf(path + kept, room - kept, "ninho-%s", verb);
    return path;
}

int run_program(const struct command *command, char **argv)
{
    char *program = program_beside(command->name);
    if (program && access(program, X_OK) == 0) {
        (void)signal(SIGXFSZ, SIG_DFL);
        argv[-1] = program;
        (void)execv(program, argv - 1);
        const int status = fail("%s: %s", program, strerror(errno));
        free(program);
        return status;
    }
    free(program);
    return fail("%s: needs a source tree: clone the repository and run 'make %s'",
                command->name, command->name);
}

/* Hands the arguments over as they are; argv[-1] is the verb. */
static int run(const struct command *command, int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "--help") == 0)
        return print_help(command->name);
    if (argc > 0 && strcmp(argv[0], "-h") == 0)
        return print_short_help(command);
    if (argc > 0 && is_version_option(argv[0]))
        return print_version();
    return run_program(command, argv);
}

static const struct option *const tables[] = {NULL};

const struct command cmd_study = {
    .name = "study", .run = run, .options = tables, .is_program = true};
const struct command cmd_bench = {
    .name = "bench", .run = run, .options = tables, .is_program = true};
