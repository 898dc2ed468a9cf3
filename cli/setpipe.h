/* SPDX-License-Identifier: MIT */
/* Sets from and to pipes: "-", /dev/stdin and <(...). */
#ifndef CLI_SETPIPE_H
#define CLI_SETPIPE_H

#include <stdbool.h>

#include "set.h"

bool is_stdout_name(const char *path);
/* What messages call it: "standard input". */
const char *shown_input(const char *path);

/* Does it have to be read as it comes? Standard input does, and what a shell makes of <(...). A pipe
 * that has a name does not: nobody may be at its other end. */
bool is_pipe(const char *path);

/* Reads a filter or a dictionary, every checksum checked; nothing may follow it. *is_dict is what it
 * says that it is, after a failure too. Only what is in memory is limited. */
ninho_status set_read_pipe(const char *path, const ninho_open_options *how,
                           struct set *set, bool *is_dict, ninho_error *error);

/* Writes it to standard output. */
ninho_status set_write_pipe(const struct set *set, ninho_error *error);

/* Refuses where the set and what is read besides would both come from standard input. Answers an
 * exit status. */
int check_one_stdin(const struct args *args, const char *path, char *const *files,
                    size_t n_files);

/* Refuses where standard input is more than one of the files, by any of its names. Answers an exit
 * status. */
int check_stdin_once(const struct args *args, char *const *files, size_t n_files);

#endif
