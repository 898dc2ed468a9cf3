/* SPDX-License-Identifier: MIT */
/* A language with its exceptions, made ready from options: for ninho hyphenate. */
#ifndef CLI_HYPHENATION_H
#define CLI_HYPHENATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/hyphen/exceptions.h"
#include "apps/hyphen/languages.h"
#include "args.h"

#define MAX_EXCEPTION_FILES 16
#define MAX_FORGOTTEN       64

/* Where exceptions are. */
enum store {
    STORE_UNSAID,
    STORE_COMPILED, /* part of the automaton */
    STORE_MEMORY,   /* a dictionary */
    STORE_FILE,     /* the same in a file */
    STORE_LMDB,     /* a database in a file */
    STORE_NONE      /* nowhere: there are none */
};

struct exception_lists {
    bool tex, package, none; /* which of the language's own were said */
    const char *files[MAX_EXCEPTION_FILES];
    size_t n_files;
};

struct word_args {
    const char *words[MAX_FORGOTTEN];
    size_t n;
};

struct hyphen_options {
    const char *lang;
    const char *patterns;
    const char *data;
    struct exception_lists exceptions;
    uint32_t left, right; /* 0: the language's */
    uint32_t max_letters; /* 0: TeX's */
    enum store store;
    const char *store_file;
    bool trust_store;
    ninho_kind filter; /* 0: none */
    double fpr;        /* 0: not given */
    struct word_args forgotten;
};

/* Two tables over the struct: what to hyphenate with, and where exceptions are kept. */
extern const struct option language_options[];
extern const struct option store_options[];

struct hyphenation {
    ninho_hyphen_language *language;
    ninho_hyphen_exceptions *exceptions; /* NULL: no store */
    ninho_hyphenator *hyphenator;
    enum store store;
};

/* Loads the language and fills the store. Answers an exit status; if it is EXIT_YES the
 * hyphenation is to be closed. */
int hyphenation_open(struct hyphenation *hyphenation, const struct args *args,
                     const struct hyphen_options *options);

/* Only the language, from text files, with its exceptions compiled in: for `compile`. */
int hyphenation_compile(const struct args *args, const struct hyphen_options *options,
                        ninho_hyphen_language **language);

void hyphenation_close(struct hyphenation *hyphenation);

/* What happened, as lines on standard error. */
void hyphenation_report(const struct hyphenation *hyphenation);

#endif
