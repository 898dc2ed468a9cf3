/* SPDX-License-Identifier: MIT */
/* What the manual pages say, made from man/ninho*.1.md when the tool is built. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

/* All texts end with a newline, but for the summary. */
struct help_text {
    const char *name;     /* of the verb, "" for the tool's own page */
    const char *usage;    /* the synopsis, a line for each way to call it */
    const char *summary;  /* what it is for, in half a line */
    const char *options;  /* the names of its options in the page's order, a line each */
    const char *examples; /* commands of the page's examples that fit into a line */
    const char *text;     /* the page's options, as plain text */
};

/* Ends with an entry whose name is NULL. */
extern const struct help_text help_texts[];

/* The page that tells of a verb (NULL: of the tool); "kmer build" is on that of "kmer". NULL: none. */
const struct help_text *help_of(const char *verb);

#endif
