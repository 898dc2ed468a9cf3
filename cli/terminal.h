/* SPDX-License-Identifier: MIT */
/* What every verb takes: when to use colours, and when to tell how far a job is. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

#include "options/options.h"

enum terminal_when { WHEN_AUTO, WHEN_NEVER, WHEN_ALWAYS };

struct terminal_options {
    int color;    /* enum terminal_when */
    int progress; /* the same */
};

/* --color and --progress, into terminal_given. They are options of every verb: args_parse() adds the
 * table. */
extern const struct option terminal_options[];
extern struct terminal_options terminal_given;

/* Shall what goes to this descriptor be coloured? Where --color does not say: if it is a terminal
 * that knows colours (TERM) and NO_COLOR is not set. */
bool terminal_has_color(int descriptor);

/* Can lines on this descriptor be written over? */
bool terminal_can_return(int descriptor);

/* The sequences, as grep has them by default. */
#define COLOR_ERROR   "\033[1;31m"
#define COLOR_WARNING "\033[1;33m"
#define COLOR_FILE    "\033[35m"
#define COLOR_BETWEEN "\033[36m"
#define COLOR_END     "\033[0m"

#endif
