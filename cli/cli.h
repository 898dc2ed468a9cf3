/* SPDX-License-Identifier: MIT */
/* What every file of the tool shares: exit statuses, the one line on stderr, the verbs. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

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
 * file names and arguments, become '?'. fail() returns EXIT_ERROR, so that `return fail(...)`
 * reads as it should. */
int fail(const char *format, ...) PRINTF_LIKE(1, 2);
void warn(const char *format, ...) PRINTF_LIKE(1, 2);

/* fail() for a call of malloc's family that answered NULL. */
int fail_no_memory(void);

/* What the library said, with the names of options for those of the fields of its structs. What
 * does not fit is cut. Returns `words`. */
const char *in_words_of_tool(const char *text, char *words, size_t words_size);

/* fail() for what the library said about `subject` (a file or a verb; NULL: none). */
int fail_error(const char *subject, const ninho_error *error);

struct option;

/* A verb of the tool. `options` is a NULL-terminated list of tables (see args.h). */
struct command {
    const char *name;
    int (*run)(const struct command *command, int argc, char **argv);
    const struct option *const *options;
};

/* All of them, NULL-terminated, and those behind "kmer". */
extern const struct command *const commands[];
extern const struct command *const kmer_commands[];

extern const struct command cmd_add, cmd_bench, cmd_build, cmd_cassandra, cmd_check,
    cmd_common, cmd_create, cmd_diff, cmd_hyphenate, cmd_info, cmd_kmer, cmd_parquet,
    cmd_plan, cmd_remove, cmd_route, cmd_serve_set, cmd_study, cmd_union, cmd_verify;

/* Prints the manual page of a verb (NULL: of the tool) on stdout. Returns an exit status. */
int print_help(const char *verb);

#endif
