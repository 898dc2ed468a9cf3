/* SPDX-License-Identifier: MIT */
/* What a question of the study is, and what it is given to answer it.
 *
 * To add a question: a folder NN-name with README.md, run.c and plot.gp, and one line in the table
 * of questions.c. Its run() measures, writes data.csv (plot.gp reads nothing else) and fills the
 * answer; the figure, the page and the command line come by themselves. */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/verdict.h"

/* One run of the study: where things are, and how much to do. */
struct study {
    const char *data_dir;   /* what was fetched, one folder per package */
    const char *out_dir;    /* results: one folder per question, and report/ */
    const char *source_dir; /* the folder this file lies in */
    uint64_t seed;
    bool is_full; /* as the documents did it, not the quick form */
};

enum { MAX_COLUMNS = 12, CELL_TEXT = 48 };

/* A table of short texts, with a heading per column. */
struct table {
    size_t n_columns;
    const char *headings[MAX_COLUMNS];
    size_t n_rows;
    size_t room;
    char (*cells)[MAX_COLUMNS][CELL_TEXT];
};

/* What a question found. */
struct answer {
    enum verdict verdict;
    char summary[1024]; /* plain sentences, with the numbers that decided */
    char setup[1024];   /* what was run, on what */
    struct table table;
};

struct question {
    const char *name;  /* its folder here and in the results */
    const char *title; /* a few words */
    const char *claim; /* one sentence that can be true or false */
    /* Answers it: writes folder/data.csv and fills *answer. Failures end the program. */
    void (*run)(const struct study *study, const char *folder, struct answer *answer);
};

/* All questions, in the order of the report; ends with a NULL name. */
extern const struct question questions[];

/* Adds a row to a table; the caller fills the cells it returns. */
char (*table_add_row(struct table *table))[CELL_TEXT];

#endif
