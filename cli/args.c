/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "kinds.h"

/* Long enough for any message; longer values are cut in it. */
#define WHY_BYTES 400

int usage_error(const struct command *command, const char *format, ...)
{
    char message[1024];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail("%s: %s; try 'ninho %s --help'", command->name, message, command->name);
}

/* Finds an option of a command by its name (of `length` bytes) or, if name is NULL, its letter. */
static const struct option *find_option(const struct command *command, const char *name,
                                        size_t length, char letter, size_t *table,
                                        size_t *index)
{
    for (size_t t = 0; command->options[t]; t++) {
        const struct option *options = command->options[t];
        for (size_t i = 0; options[i].name; i++) {
            const bool is_it = name ? strlen(options[i].name) == length &&
                                          memcmp(options[i].name, name, length) == 0
                                    : options[i].letter == letter && letter;
            if (!is_it)
                continue;
            if (table)
                *table = t;
            if (index)
                *index = i;
            return &options[i];
        }
    }
    return NULL;
}

/* Names of verbs, for a message. */
struct names {
    char text[200];
    size_t used;
    bool is_full;
};

/* Adds those of a list of verbs that have an option. */
static void add_owners(struct names *names, const struct command *const *list,
                       const char *name, size_t length, char letter)
{
    for (size_t c = 0; list[c] && !names->is_full; c++) {
        if (find_option(list[c], name, length, letter, NULL, NULL)) {
            const size_t left = sizeof names->text - names->used;
            const int n = snprintf(names->text + names->used, left, "%s%s",
                                   names->used ? ", " : "", list[c]->name);
            names->is_full = n < 0 || (size_t)n >= left;
            if (names->is_full)
                names->text[names->used] = '\0';
            else
                names->used += (size_t)n;
        }
    }
}

/* An option nobody knows, or one that belongs to other verbs: say which. */
static int unknown_option(const struct command *command, const char *shown,
                          size_t shown_length, const char *name, size_t length,
                          char letter)
{
    struct names others = {.used = 0};

    add_owners(&others, commands, name, length, letter);
    add_owners(&others, kmer_commands, name, length, letter);
    if (others.used)
        return usage_error(command, "%.*s is an option of %s", (int)shown_length, shown,
                           others.text);
    return usage_error(command, "%.*s: no such option", (int)shown_length, shown);
}

/* Marks an option as given; false if it was there before and may not be again. */
static bool mark_given(struct args *args, const struct option *option, size_t table,
                       size_t index)
{
    assert(table < MAX_OPTION_TABLES && index < 64);
    const uint64_t bit = UINT64_C(1) << index;

    if (args->given[table] & bit && !option->may_repeat)
        return false;
    args->given[table] |= bit;
    return true;
}

static void *target_of(void *const *targets, size_t table, const struct option *option)
{
    return (char *)targets[table] + option->offset;
}

/* Reads the long option at argv[*i]; false: *status has been decided. */
static bool parse_long(struct args *args, int argc, char **argv, int *i,
                       void *const *targets, int *status)
{
    const struct command *command = args->command;
    const char *text = argv[*i];
    const char *name = text + 2;
    const char *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    size_t table = 0;
    size_t index = 0;

    if (length == 4 && memcmp(name, "help", 4) == 0 && !equals) {
        *status = print_help(command->name);
        return false;
    }
    const struct option *option = find_option(command, name, length, 0, &table, &index);
    if (!option) {
        *status = unknown_option(command, text, length + 2, name, length, 0);
        return false;
    }
    if (!mark_given(args, option, table, index)) {
        *status = usage_error(command, "--%s is given twice", option->name);
        return false;
    }
    if (!option->value) {
        if (equals) {
            *status = usage_error(command, "--%s takes no value", option->name);
            return false;
        }
        *(bool *)target_of(targets, table, option) = true;
        return true;
    }

    const char *value = equals ? equals + 1 : NULL;
    if (!value) {
        if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0) {
            *status = usage_error(command, "--%s needs a value: --%s %s", option->name,
                                  option->name, option->value);
            return false;
        }
        value = argv[++*i];
    }
    char why[WHY_BYTES] = "";
    if (!option->parse(option, value, target_of(targets, table, option), why,
                       sizeof why)) {
        *status = usage_error(command, "--%s %.100s: %s", option->name,
                              value[0] ? value : "''", why);
        return false;
    }
    return true;
}

/* Reads the bundle of letters at argv[*i]. A letter that takes a value ends it: the value is the
 * rest of the word, or the next one. */
static bool parse_letters(struct args *args, int argc, char **argv, int *i,
                          void *const *targets, int *status)
{
    const struct command *command = args->command;
    const char *text = argv[*i];

    for (const char *letter = text + 1; *letter; letter++) {
        size_t table = 0;
        size_t index = 0;
        if (*letter == 'h') {
            *status = print_help(command->name);
            return false;
        }
        const struct option *option =
            find_option(command, NULL, 0, *letter, &table, &index);
        if (!option) {
            const char shown[3] = {'-', *letter, '\0'};
            *status = unknown_option(command, shown, 2, NULL, 0, *letter);
            return false;
        }
        if (!mark_given(args, option, table, index)) {
            *status = usage_error(command, "-%c is given twice", *letter);
            return false;
        }
        if (option->value) {
            if (!letter[1] && *i + 1 >= argc) {
                *status = usage_error(command, "-%c needs a value: -%c %s", *letter,
                                      *letter, option->value);
                return false;
            }
            const char *value = letter[1] ? letter + 1 : argv[++*i];
            char why[WHY_BYTES] = "";
            if (option->parse(option, value, target_of(targets, table, option), why,
                              sizeof why))
                return true;
            *status = usage_error(command, "-%c %.100s: %s", *letter,
                                  value[0] ? value : "''", why);
            return false;
        }
        *(bool *)target_of(targets, table, option) = true;
    }
    return true;
}

bool args_parse(struct args *args, const struct command *command, int argc, char **argv,
                void *const *targets, int *status)
{
    bool is_options = true;

    *args = (struct args){.command = command, .operands = argv};
    for (int i = 0; i < argc; i++) {
        char *text = argv[i];
        if (!is_options || text[0] != '-' || text[1] == '\0') {
            args->operands[args->n_operands++] = text;
        } else if (strcmp(text, "--") == 0) {
            is_options = false;
        } else if (text[1] == '-') {
            if (!parse_long(args, argc, argv, &i, targets, status))
                return false;
        } else if (!parse_letters(args, argc, argv, &i, targets, status)) {
            return false;
        }
    }
    return true;
}

bool args_given(const struct args *args, const char *name)
{
    size_t table = 0;
    size_t index = 0;

    return find_option(args->command, name, strlen(name), 0, &table, &index) &&
           (args->given[table] >> index & 1);
}

/* The first option there of those that `wanted` picks. */
static const struct option *first_given(const struct args *args, int kind,
                                        bool (*wanted)(const struct option *, int))
{
    for (size_t t = 0; args->command->options[t]; t++) {
        const struct option *options = args->command->options[t];
        for (size_t i = 0; options[i].name; i++)
            if ((args->given[t] >> i & 1) && wanted(&options[i], kind))
                return &options[i];
    }
    return NULL;
}

static bool is_not_for(const struct option *option, int kind)
{
    if (option->is_of_filters && kind_is_exact(kind))
        return true;
    if (!option->kinds)
        return false;
    for (const int *k = option->kinds; *k; k++)
        if (*k == kind)
            return false;
    return true;
}

static bool is_for(const struct option *option, int kind)
{
    return option->kinds && !is_not_for(option, kind);
}

static bool is_for_some(const struct option *option, int kind)
{
    (void)kind;
    return option->kinds != NULL;
}

const struct option *args_not_for_kind(const struct args *args, int kind)
{
    return first_given(args, kind, is_not_for);
}

const struct option *args_for_kind(const struct args *args, int kind)
{
    return first_given(args, kind, is_for);
}

const struct option *args_for_some_kinds(const struct args *args)
{
    return first_given(args, 0, is_for_some);
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
