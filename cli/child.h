/* SPDX-License-Identifier: MIT */
/* A command started by /bin/sh, with pipes to its standard input and from its standard output.
 *
 *     ninho --- to ---> [ sh -c COMMAND ] --- from ---> ninho         stderr is ours
 *
 * Where there is no terminal it gets a process group of its own, so that all of it can be ended.
 * At a terminal it stays in ours: ssh must be able to ask for a password there, which a group in
 * the background may not. There, who is behind the shell ends because its pipes do. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli.h"

struct child {
    pid_t pid; /* 0: there is none, or it has been waited for */
    bool has_own_group;
    int to, from; /* our ends, which do not block; -1: closed */
    int status;   /* as waitpid() told it, once pid is 0 */
};
#define CHILD_NONE           \
    {                        \
        .to = -1, .from = -1 \
    }

/* Starts it. An interrupt (INT, TERM, HUP) ends it from now on before it ends this process. There
 * can be one at a time. Answers an exit status; `name` is for the message. */
int child_start(struct child *child, const char *name, const char *command);

/* Close our ends of the pipes. */
void child_close_to(struct child *child);
void child_close_from(struct child *child);

/* Waits until it has ended, no longer than this. True: it has, and child->status tells how. */
bool child_wait(struct child *child, uint64_t milliseconds);

/* Ends it, politely and then not, and waits for it. Nothing happens where there is none. */
void child_end(struct child *child);

#endif
