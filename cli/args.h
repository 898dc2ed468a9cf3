/* SPDX-License-Identifier: MIT */
/* Arguments of a verb: options/ reads them, and here is what the tool says about them. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "cli.h"
#include "options/options.h"

/* Reads the arguments after the verb: argv[0..argc). targets[i] is the struct that the i-th of
 * command->options writes into. Answers true if the command should go on; otherwise *status is what
 * to exit with, and everything has been said. */
bool args_parse(struct args *args, const struct command *command, int argc, char **argv,
                void *const *targets, int *status);

/* The tables of a verb and those of all verbs. Static, until the next call. */
const struct option *const *command_tables(const struct command *command);

/* Puts what -o gave, if it was given, where the file to be written stands otherwise: before the
 * other operands. */
void args_put_first(struct args *args, const char *output);

/* fail() with "VERB: message; try 'ninho VERB --help'". */
int usage_error(const struct command *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* Checks the number of operands; `what` says what is expected, as in the synopsis. */
bool args_operands(const struct args *args, size_t at_least, size_t at_most,
                   const char *what, int *status);

/* What comes after the space: "build" of "kmer build". */
const char *word_behind(const struct command *command);

/* The verb that argv[0] names among those behind `command`, run with what follows it. A `run`
 * of verbs that have others behind them. */
int run_verb_behind(const struct command *command, int argc, char **argv);

#endif
