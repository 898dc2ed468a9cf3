/* SPDX-License-Identifier: MIT */
#include "args.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "options/nearest.h"
#include "options/numbers.h"
#include "terminal.h"

int usage_error(const struct command *command, const char *format, ...)
{
    char message[1024];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail_as("usage", "%s: %s; try 'ninho %s --help'", command->name, message,
                   command->name);
}

/* Adds those of a list of verbs, and of what is behind them, that have an option. */
static void add_owners(char *names, size_t names_size, const struct command *const *list,
                       const struct args *args)
{
    for (; *list; list++) {
        if (option_find((*list)->options, args->unknown, args->unknown_size,
                        args->unknown_letter))
            append_name(names, names_size, (*list)->name);
        if ((*list)->behind)
            add_owners(names, names_size, (*list)->behind, args);
    }
}

/* An option nobody knows, or one that belongs to other verbs: say which. */
static int wrong_args(const struct args *args)
{
    char owners[200] = "";

    if (args->unknown || args->unknown_letter)
        add_owners(owners, sizeof owners, commands, args);
    if (!owners[0])
        return usage_error(args->command, "%s", args->why);
    if (args->unknown)
        return usage_error(args->command, "--%.*s is an option of %s",
                           (int)args->unknown_size, args->unknown, owners);
    return usage_error(args->command, "-%c is an option of %s", args->unknown_letter,
                       owners);
}

/* -V and --version, where the command has no option of that name. */
static bool asks_version(const struct args *args)
{
    return args->unknown_letter == 'V' ||
           (args->unknown && strcmp(args->unknown, "version") == 0);
}

const struct option *const *command_tables(const struct command *command)
{
    static const struct option *all[MAX_OPTION_TABLES + 1];
    size_t n = 0;

    for (; command->options[n]; n++) {
        assert(n + 1 < MAX_OPTION_TABLES);
        all[n] = command->options[n];
    }
    all[n] = terminal_options;
    all[n + 1] = NULL;
    return all;
}

bool args_parse(struct args *args, const struct command *command, int argc, char **argv,
                void *const *targets, int *status)
{
    void *all[MAX_OPTION_TABLES] = {NULL};
    size_t n = 0;

    for (; command->options[n]; n++)
        all[n] = targets[n];
    all[n] = &terminal_given;
    const enum args_result result =
        args_read(args, command_tables(command), argc, argv, all);

    args->command = command;
    if (result == ARGS_HELP)
        *status = args->wants_short_help ? print_short_help(command)
                                         : print_help(command->name);
    else if (result == ARGS_WRONG)
        *status = asks_version(args) ? print_version() : wrong_args(args);
    return result == ARGS_READ;
}

void args_put_first(struct args *args, const char *output)
{
    if (!output)
        return;
    /* The option took a place in argv at least, and comes from there. */
    memmove(args->operands + 1, args->operands,
            args->n_operands * sizeof *args->operands);
    args->operands[0] = (char *)(uintptr_t)output;
    args->n_operands++;
}

bool args_operands(const struct args *args, size_t at_least, size_t at_most,
                   const char *what, int *status)
{
    if (args->n_operands >= at_least && args->n_operands <= at_most)
        return true;
    if (args->n_operands < at_least)
        *status = usage_error(args->command, "expects %s", what);
    else
        *status = usage_error(args->command, "%.100s: expects only %s",
                              args->operands[at_most], what);
    return false;
}

/* "build, check or stats": what stands behind a verb. */
static void names_behind(const struct command *command, char *names, size_t size)
{
    size_t used = 0;

    for (const struct command *const *at = command->behind; *at && used < size; at++) {
        const char *between = at == command->behind ? "" : at[1] ? ", " : " or ";
        used += (size_t)snprintf(names + used, size - used, "%s%s", between,
                                 word_behind(*at));
    }
}

const char *word_behind(const struct command *command)
{
    const char *space = strchr(command->name, ' ');
    return space ? space + 1 : command->name;
}

static int no_verb_behind(const struct command *command, const char *name,
                          const char *names)
{
    struct nearest nearest = nearest_to(name, strlen(name));
    char meant[80];

    for (size_t i = 0; command->behind[i]; i++)
        nearest_try(&nearest, word_behind(command->behind[i]));
    return usage_error(command, "%.100s: must be %s%s", name, names,
                       nearest_hint(&nearest, "", meant, sizeof meant));
}

int run_verb_behind(const struct command *command, int argc, char **argv)
{
    char names[200] = "";

    names_behind(command, names, sizeof names);
    if (argc < 1)
        return usage_error(command, "expects %s", names);
    if (strcmp(argv[0], "--help") == 0)
        return print_help(command->name);
    if (strcmp(argv[0], "-h") == 0)
        return print_short_help(command);
    if (is_version_option(argv[0]))
        return print_version();
    for (size_t i = 0; command->behind[i]; i++)
        if (strcmp(word_behind(command->behind[i]), argv[0]) == 0) {
            errors_of(command->behind[i]->name);
            return command->behind[i]->run(command->behind[i], argc - 1, argv + 1);
        }
    return no_verb_behind(command, argv[0], names);
}
