/* SPDX-License-Identifier: MIT */
/* What every file of the tool shares: exit statuses, the one line on stderr, the verbs. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include <ninho/ninho.h>

enum exit_status {
    EXIT_YES = 0,  /* yes, or done */
    EXIT_NO = 1,   /* no */
    EXIT_ERROR = 2 /* usage, input or output, damaged files, no memory */
};

#if defined(__GNUC__)
#define PRINTF_LIKE(which, first) __attribute__((format(printf, which, first)))
#else
#define PRINTF_LIKE(which, first)
#endif

/* Prints "ninho: " and the message as one line on stderr: control characters, which may come from
 * file names, arguments and what is in files, are made visible (visible.h). A format that begins with
 * "%s:" begins with the file that it is about (or with the verb, or another's name), and perhaps the
 * number of a line. With --json each is an object on a line of its own instead, see ninho(1): type,
 * status, command, file, line, message. fail() and its companions return EXIT_ERROR, so that
 * `return fail(...)` reads as it should. */
int fail(const char *format, ...) PRINTF_LIKE(1, 2);
void warn(const char *format, ...) PRINTF_LIKE(1, 2);

/* fail() with a status: "usage", or the name of one of the library's. */
int fail_as(const char *status, const char *format, ...) PRINTF_LIKE(2, 3);

/* "checksum" for NINHO_ERR_CHECKSUM. Static. */
const char *status_name(ninho_status status);

/* fail() for what the system refused: "FILE: what: reason". */
int fail_io(const char *file, const char *what, int number);

/* From now on errors are JSON; and of this verb. */
void errors_as_json(void);
void errors_of(const char *name);

/* The same for a line of a table: a name in 16 columns, and what the format says. */
void print_figure(const char *name, const char *format, ...) PRINTF_LIKE(2, 3);

/* fail() for a call of malloc's family that answered NULL. */
int fail_no_memory(void);

/* fail() for what the library said about `subject` (a file or a verb; NULL: none). */
int fail_error(const char *subject, const ninho_error *error);

struct option;

/* A verb of the tool. `options` is a NULL-terminated list of tables (options/options.h). */
struct command {
    const char *name;
    int (*run)(const struct command *command, int argc, char **argv);
    const struct option *const *options;
    const struct command *const *behind; /* "kmer build" behind "kmer"; NULL: none */
    bool has_no_operands;
    bool is_application;
    bool is_program; /* of the source tree: it knows its options itself */
};

/* All of them, NULL-terminated. */
extern const struct command *const commands[];

extern const struct command cmd_add, cmd_bench, cmd_build, cmd_cassandra, cmd_check,
    cmd_common, cmd_complete, cmd_create, cmd_diff, cmd_hyphenate, cmd_info, cmd_kmer,
    cmd_parquet, cmd_plan, cmd_remove, cmd_route, cmd_serve_set, cmd_study, cmd_union,
    cmd_uniq, cmd_verify;

/* Becomes the program of the source tree that a verb stands for, if it lies beside the tool.
 * argv[-1] becomes its name. Answers an exit status only if it fails. */
int run_program(const struct command *command, char **argv);

/* Prints the manual page of a verb (NULL: of the tool) on stdout, or the short help. Both return an
 * exit status. */
int print_help(const char *verb);
int print_short_help(const struct command *command);
/* Is it -V or --version? */
bool is_version_option(const char *text);
int print_version(void);

#endif
