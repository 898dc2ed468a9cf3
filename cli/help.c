/* SPDX-License-Identifier: MIT */
/* Help in two sizes. --help prints the options of the manual page, all of them. -h fits on a screen of
 * 24 lines: the first ten options of the page with what their tables say in half a line, and its first
 * two examples. */
#include "help.h"

#include <string.h>

#include "args.h"
#include "output.h"

#define SHORT_OPTIONS  10
#define SHORT_EXAMPLES 2

const struct help_text *help_of(const char *verb)
{
    const size_t length = verb ? strcspn(verb, " ") : 0;

    for (const struct help_text *help = help_texts; help->name; help++)
        if (strlen(help->name) == length &&
            strncmp(help->name, verb ? verb : "", length) == 0)
            return help;
    return NULL;
}

static int no_help(const char *verb)
{
    return fail("there is no help on %s", verb ? verb : "ninho");
}

bool is_version_option(const char *text)
{
    return strcmp(text, "-V") == 0 || strcmp(text, "--version") == 0;
}

int print_version(void)
{
    output_format("ninho %s\n", ninho_version());
    return EXIT_YES;
}

/* ---- The tool itself ----------------------------------------------------------------------- */

enum group { CORE, APPLICATIONS, PROGRAMS };

static bool is_in(const struct command *command, enum group group)
{
    return group == PROGRAMS       ? command->is_program
           : group == APPLICATIONS ? command->is_application
                                   : !command->is_program && !command->is_application;
}

static void print_commands(const char *title, enum group group)
{
    output_format("\n%s:\n", title);
    for (size_t i = 0; commands[i]; i++)
        if (is_in(commands[i], group))
            output_format("  %-12s%s\n", commands[i]->name,
                          help_of(commands[i]->name)->summary);
}

static void print_names(const char *title, enum group group)
{
    output_format("\n%s:", title);
    for (size_t i = 0; commands[i]; i++)
        if (is_in(commands[i], group))
            output_format(" %s", commands[i]->name);
    output_text("\n");
}

/* ---- Long ---------------------------------------------------------------------------------- */

int print_help(const char *verb)
{
    const struct help_text *help = help_of(verb);

    if (!help)
        return no_help(verb);
    output_format("Usage:\n%s\n%s\n", help->usage, help->summary);
    if (!verb) {
        print_commands("Commands", CORE);
        print_commands("Applications", APPLICATIONS);
        print_commands("From a source tree", PROGRAMS);
    }
    output_text(help->text);
    return EXIT_YES;
}

/* ---- Short --------------------------------------------------------------------------------- */

/* The next of several lines, *size bytes without its newline; NULL after the last. */
static const char *next_line(const char **lines, size_t *size)
{
    const char *line = *lines;

    if (!*line)
        return NULL;
    *size = strcspn(line, "\n");
    *lines = line + *size + (line[*size] == '\n');
    return line;
}

/* Is "ninho VERB" in it, as words? */
static bool is_about(const char *line, size_t size, const char *verb)
{
    char wanted[80];
    const int n = snprintf(wanted, sizeof wanted, "ninho%s%s", *verb ? " " : "", verb);

    for (size_t at = 0; n > 0 && at + (size_t)n <= size; at++)
        if (memcmp(line + at, wanted, (size_t)n) == 0 &&
            (at + (size_t)n == size || line[at + (size_t)n] == ' '))
            return true;
    return false;
}

/* The ways to call the verb; a line that goes on with the one before has six spaces. */
static void print_usage(const struct help_text *help, const char *verb)
{
    const char *lines = help->usage;
    size_t size = 0;
    bool is_wanted = false;

    output_text("Usage:\n");
    for (const char *line; (line = next_line(&lines, &size));) {
        if (size < 3 || line[2] != ' ')
            is_wanted = is_about(line, size, verb) || !strchr(verb, ' ');
        if (is_wanted)
            output_format("%.*s\n", (int)size, line);
    }
    output_format("\n%s\n", help->summary);
}

static void print_options(const struct help_text *help, const struct command *command)
{
    const char *lines = help->options;
    size_t size = 0;
    size_t n = 0;

    for (const char *name; n < SHORT_OPTIONS && (name = next_line(&lines, &size));) {
        const struct option *const *tables = command_tables(command);
        const struct option *option = option_find(tables, name, size, 0);
        char before[5] = "    ";
        char line[HELP_BYTES];
        if (!option)
            continue;
        if (option_letter(tables, option))
            (void)snprintf(before, sizeof before, "-%c, ", option->letter);
        output_text(n++ ? "" : "\nOptions:\n");
        output_text(option_line(option, before, line, sizeof line));
    }
}

static void print_examples(const struct help_text *help, const char *verb)
{
    const char *lines = help->examples;
    size_t size = 0;
    size_t n = 0;

    for (const char *line; n < SHORT_EXAMPLES && (line = next_line(&lines, &size));)
        if (is_about(line, size, verb))
            output_format("%s  %.*s\n", n++ ? "" : "\nExamples:\n", (int)size, line);
}

int print_short_help(const struct command *command)
{
    const char *verb = command ? command->name : "";
    const struct help_text *help = help_of(command ? verb : NULL);

    if (!help)
        return no_help(verb);
    print_usage(help, verb);
    if (!command) {
        print_commands("Commands", CORE);
        print_names("Applications", APPLICATIONS);
    } else if (command->behind) {
        output_text("\nCommands:\n ");
        for (size_t i = 0; command->behind[i]; i++)
            output_format(" %s", word_behind(command->behind[i]));
        output_text("\n");
    } else {
        print_options(help, command);
    }
    print_examples(help, verb);
    output_format("\nAll of it: ninho %.*s%s--help, or man ninho%s%.*s\n",
                  (int)strcspn(verb, " "), verb, *verb ? " " : "", *verb ? "-" : "",
                  (int)strcspn(verb, " "), verb);
    return EXIT_YES;
}
