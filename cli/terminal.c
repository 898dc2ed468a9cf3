/* SPDX-License-Identifier: MIT */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/numbers.h"

struct terminal_options terminal_given;

static const char *const whens[] = {"auto", "never", "always", NULL};

const struct option terminal_options[] = {
    {NUMBER("color", "WHEN", parse_word, struct terminal_options, color, 0, 0,
            "colours: never, auto or always"),
     .words = whens},
    {NUMBER("progress", "WHEN", parse_word, struct terminal_options, progress, 0, 0,
            "a line of progress: never, auto or always"),
     .words = whens},
    {0},
};

bool terminal_can_return(int descriptor)
{
    const char *terminal = getenv("TERM");

    return isatty(descriptor) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

bool terminal_has_color(int descriptor)
{
    const char *no_color = getenv("NO_COLOR");

    if (terminal_given.color != WHEN_AUTO)
        return terminal_given.color == WHEN_ALWAYS;
    return !(no_color && *no_color) && terminal_can_return(descriptor);
}
