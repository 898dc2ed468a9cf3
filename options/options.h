/* SPDX-License-Identifier: MIT */
/* Options from declarative tables, for the tool, the study and the benchmarks.
 *
 * A table says how each option is called, how its text becomes a value and where in a struct the
 * value goes; one function reads any command line from its tables, one prints them as help, one
 * offers what a half-typed command line may go on with. Options and operands mix freely until "--".
 * `--name value` and `--name=value` are the same, so are `-k value` and `-kvalue` where there is a
 * letter; letters of flags can be bundled, names are never abbreviated, and an option given twice is
 * an error. */
#ifndef OPTIONS_OPTIONS_H
#define OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct option;

/* Turns text into *target. On failure writes why (the range, say; no newline) and answers false. */
typedef bool (*option_parser)(const struct option *option, const char *text, void *target,
                              char *why, size_t why_size);

struct option {
    const char *name;    /* without the dashes */
    const char *value;   /* what the manual calls its value: FILE and DIR are completed
                            as such, LIST as files and words. NULL: a flag, and the target a bool */
    option_parser parse; /* NULL for flags */
    size_t offset;       /* of the target in the table's struct */
    const char *help;    /* what it does, in half a line */
    uint64_t min, max;   /* for parsers of numbers; of parse_word: what the first is */
    const char *const *words;              /* what it may be, NULL after the last; or */
    const char *(*word_at)(size_t number); /* the same, NULL past the last */
    int field;                             /* what the program knows it by; 0: nothing */
    char letter;                           /* 0: none */
    bool may_repeat;
};

/* Rows of a table whose targets are members of `type`: {FLAG(...), .letter = 'v'}. */
#define FLAG(option_name, type, member, text) \
    .name = option_name, .offset = offsetof(type, member), .help = text
#define VALUE(option_name, called, parser, type, member, text) \
    FLAG(option_name, type, member, text), .value = called, .parse = parser
#define NUMBER(option_name, called, parser, type, member, least, most, text) \
    VALUE(option_name, called, parser, type, member, text), .min = least, .max = most

#define MAX_OPTION_TABLES 12

/* What was read. */
struct args {
    const struct command *command; /* the program's own; NULL where it has none */
    const struct option *const *tables;
    uint64_t given[MAX_OPTION_TABLES]; /* a bit for each option of each table */
    char **operands;                   /* what is not an option, in order */
    size_t n_operands;
    char why[1024];        /* what is wrong, one line */
    const char *unknown;   /* the option that is in no table, without its dashes, and */
    size_t unknown_size;   /* its size; or NULL, and */
    char unknown_letter;   /* its letter, 0 if there is none such */
    bool wants_short_help; /* -h, and not --help */
};

enum args_result { ARGS_READ, ARGS_HELP, ARGS_WRONG };

/* Reads argv[0..argc) by a NULL-terminated list of tables; targets[i] is the struct that the i-th
 * writes into. The operands stay in argv, moved to its front. ARGS_HELP at the first --help or -h;
 * ARGS_WRONG with args->why. */
enum args_result args_read(struct args *args, const struct option *const *tables,
                           int argc, char **argv, void *const *targets);

/* Was this option there? */
bool args_given(const struct args *args, const char *name);

/* The option of this name (size bytes, without dashes), or of this letter where name is NULL; NULL
 * if no table has it. */
const struct option *option_find(const struct option *const *tables, const char *name,
                                 size_t size, char letter);

/* The letter of an option among these tables: 0 if it has none, or if one before it has the same. */
char option_letter(const struct option *const *tables, const struct option *option);

/* Writes the line "  BEFORE--name VALUE  help\n" to `line`, and answers it. HELP_BYTES are enough. */
#define HELP_BYTES 200
const char *option_line(const struct option *option, const char *before, char *line,
                        size_t line_size);

/* Prints lines "  --name VALUE  help"; titles[i], where it is not NULL, above the i-th table. */
void options_print(FILE *file, const struct option *const *tables,
                   const char *const *titles);

/* ---- Completion ---------------------------------------------------------------------------- */

/* What the last of n words, which is being typed, may be. */
enum offer_what { OFFER_OPERAND, OFFER_OPTION, OFFER_VALUE };

struct offer {
    enum offer_what what;
    const struct option *option; /* of OFFER_VALUE */
    const char *typed;           /* what of it is there already */
};
struct offer options_expect(const struct option *const *tables, char *const *words,
                            size_t n_words);

/* Prints "text\thelp\n" (help may be NULL) if the text begins with what was typed. */
void offer_word(const struct offer *offer, const char *text, const char *help);

/* The same for the letter and the name of an option of these tables. */
void offer_option(const struct offer *offer, const struct option *option,
                  const struct option *const *tables);

/* Prints which options there are, --help among them, or what the value of one may be: ":files" or
 * ":folders" where the shell knows. Nothing for operands. */
void offer_options(const struct offer *offer, const struct option *const *tables);

#endif
