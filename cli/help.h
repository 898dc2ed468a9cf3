/* SPDX-License-Identifier: MIT */
/* The manual pages as plain text, made from man/ninho*.1.md when the tool is built. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

/* `name` is the verb, "" for the tool's own page. `text` ends with a newline. */
struct help_text {
    const char *name;
    const char *text;
};

/* Ends with an entry whose name is NULL. */
extern const struct help_text help_texts[];

#endif
