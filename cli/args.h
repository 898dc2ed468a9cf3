/* SPDX-License-Identifier: MIT */
/* Options from declarative tables.
 *
 * A table says how each option is called, how its text becomes a value and where in a struct the
 * value goes; one function reads any verb's arguments from its tables. Options and operands mix
 * freely until "--". `--name value` and `--name=value` are the same, so are `-k value` and `-kvalue`
 * where there is a letter; letters of flags can be bundled, names are never abbreviated, and an option given twice is an error. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"

struct option;

/* Turns text into *target. On failure writes why (the range, say; no newline) and answers false. */
typedef bool (*option_parser)(const struct option *option, const char *text, void *target,
                              char *why, size_t why_size);

struct option {
    const char *name; /* without the dashes */
    const char
        *value; /* what the manual calls its value; NULL: a flag, and the target a bool */
    option_parser parse;
    size_t offset;      /* of the target in the table's struct */
    uint64_t min, max;  /* for parsers of numbers */
    const int *kinds;   /* the kinds (kinds.h) it is for, 0-terminated; NULL: all */
    bool is_of_filters; /* not for dictionaries, which are exact */
    char letter;        /* 0: none */
    bool may_repeat;
};

#define MAX_OPTION_TABLES 8

struct args {
    const struct command *command;
    uint64_t
        given[MAX_OPTION_TABLES]; /* a bit for each option of each table that was there */
    char **operands;              /* what is not an option, in order */
    size_t n_operands;
};

/* Reads the arguments after the verb: argv[0..argc). targets[i] is the struct that the i-th of
 * command->options writes into. The operands stay in argv, moved to its front. Answers true if the
 * command should go on; otherwise *status is what to exit with, and everything has been said. */
bool args_parse(struct args *args, const struct command *command, int argc, char **argv,
                void *const *targets, int *status);

/* Was this option there? */
bool args_given(const struct args *args, const char *name);

/* The first option there that is for other kinds than this one, NULL if there is none. */
const struct option *args_not_for_kind(const struct args *args, int kind);

/* The first option there that is for some kinds, this one among them; NULL if there is none. */
const struct option *args_for_kind(const struct args *args, int kind);

/* The first option there that is for some kinds only, NULL if there is none. */
const struct option *args_for_some_kinds(const struct args *args);

/* fail() with "VERB: message; try 'ninho VERB --help'". */
int usage_error(const struct command *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* Checks the number of operands; `what` says what is expected, as in the synopsis. */
bool args_operands(const struct args *args, size_t at_least, size_t at_most,
                   const char *what, int *status);

#endif
