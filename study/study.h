/* SPDX-License-Identifier: MIT */
/* What a question of the study is, and what it is given to answer it.
 *
 * To add a question: a folder NN-name with README.md, run.c, run.h and one NAME.gp for each of its
 * figures, and one line in the table of questions.c. Its run() measures, writes data.csv (and other
 * CSV files, where one table cannot hold it), and fills the answer; figures, the page, the summary of
 * claims and the command line come by themselves.
 *
 *     questions.c --> run() --> samples.csv   raw measurements, kept so that a run can go on
 *                          \--> data.csv      what the figures are drawn from
 *                          \--> answer        judgements on rows of docs/claims.md, tables, sentences
 *     NAME.gp reads data.csv --> NAME.svg;  report/ puts all of it on one page
 */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/stats.h"
#include "harness/verdict.h"

/* How much to do. The report says which; a tiny run is for the tests and proves nothing. */
enum study_size { STUDY_TINY, STUDY_QUICK, STUDY_FULL };

/* One run of the study: where things are, and how much to do. */
struct study {
    const char *data_dir;   /* what was fetched, one folder per package */
    const char *out_dir;    /* results: one folder per question, and report/ */
    const char *source_dir; /* the folder this file lies in */
    uint64_t seed;
    enum study_size size;
    uint64_t program; /* a hash of the program's file */
};

/* The one of three numbers that fits the size of the run. */
size_t study_pick(const struct study *study, size_t tiny, size_t quick, size_t full);

/* "tiny", "quick", "full". */
const char *study_size_text(enum study_size size);

enum { RUN_TEXT = 160 };

/* Which run this is: "program 0123456789abcdef, quick, seed 1". What was measured under another mark is
 * measured again; the program's number changes with any of its bytes. */
void study_mark(const struct study *study, char text[RUN_TEXT]);

/* The path of a fetched file, "wamerican-insane/usr/share/dict/american-english-insane", into
 * path[0..size). False if it cannot be read: then answer_miss. */
bool study_find(const struct study *study, const char *file, char *path, size_t size);

enum { MAX_COLUMNS = 12, CELL_TEXT = 48 };

/* A table of short texts, with a heading per column. */
struct table {
    const char *title; /* NULL: "In numbers" */
    size_t n_columns;
    const char *headings[MAX_COLUMNS];
    size_t n_rows;
    size_t room;
    char (*cells)[MAX_COLUMNS][CELL_TEXT];
};

/* A figure of a question: drawn by `name`.gp, a gnuplot script in the question's folder, after
 * harness/style.gp. It finds the folder of the results in its variable `folder` (it ends with '/'), its
 * data file in `data` and the file to write in `figure`, and reads CSV files of that folder only. Where
 * the data file is not there, because a source was missing, the figure is left out and the report says
 * so. */
struct figure {
    const char *name; /* of the script and the picture, "init-bloom" */
    const char *
        of; /* which figure of which document it repeats, "monograph, figure 5.1"; or NULL */
    const char *caption; /* what is seen: axes, intervals, theory */
    const char *data;    /* the CSV file it is drawn from; NULL: data.csv */
    const char
        *rows; /* rows of docs/claims.md it shows, "A1 A3"; NULL: those with its number */
    /* a script that several figures share, and what it is told: "filter='bloom'"; NULL: its own, nothing */
    const char *script;
    const char *set;
};

/* What a verdict is worth, where that is less than usual. */
enum mark {
    UNMARKED,
    BY_DEFINITION, /* no measurement could have come out otherwise; with OPEN: neither way */
    EXPLORATORY    /* how it is measured was chosen after results had been seen */
};

/* What the data say about one row of docs/claims.md. */
struct judgement {
    char row[8]; /* "A1" */
    enum verdict verdict;
    enum mark mark;
    struct interval interval; /* the quantity that decided; all NAN where there is none */
    char quantity[160];       /* which quantity that is, with its unit */
    char evidence[1024];      /* plain sentences with the numbers behind the verdict */
};

enum { MAX_JUDGEMENTS = 16, MAX_TABLES = 6, MAX_MISSING = 8 };

/* What a question found. */
struct answer {
    enum verdict verdict; /* on the question's own claim */
    char summary[2048];   /* plain sentences, with the numbers that decided */
    char setup[1536];     /* what was run, on what */
    size_t n_judgements;
    struct judgement judgements[MAX_JUDGEMENTS];
    size_t n_tables;
    struct table tables[MAX_TABLES];
    size_t n_missing; /* sources that were not there; the rest is answered without them */
    char missing[MAX_MISSING][256];
    double seconds; /* how long it took; filled in by main.c */
};

struct question {
    const char *name;  /* its folder here and in the results */
    const char *title; /* a few words */
    const char *claim; /* one sentence that can be true or false */
    const char *rows;  /* rows of docs/claims.md it judges, "A1 A2 A3"; "" for none */
    const struct figure *figures; /* ends with a NULL name */
    /* Answers it: writes its CSV files into `folder` (which ends with '/') and fills *answer, which
     * comes zeroed. Failures end the program; a source that is missing does not: see answer_miss. */
    void (*run)(const struct study *study, const char *folder, struct answer *answer);
    /* Why its claim or its bounds are exploratory: chosen after results had been seen. NULL: they are not. */
    const char *exploratory;
    double
        seconds; /* about how long a quick run takes, for the time left; 0: as the others */
};

/* All questions, in the order of the report; ends with a NULL name. */
extern const struct question questions[];

/* Whether a list of words, "A1 A2", has this one. */
bool has_word(const char *list, const char *word);

/* Adds a table to the answer, with this title and headings "a|b|c". The headings are copied. */
struct table *answer_add_table(struct answer *answer, const char *title,
                               const char *headings);

/* Adds a row to a table; the caller fills the cells it returns. */
char (*table_add_row(struct table *table))[CELL_TEXT];

/* Adds a judgement on a row of docs/claims.md; `evidence` is a format. */
__attribute__((format(printf, 6, 7))) void answer_judge(
    struct answer *answer, const char *row, enum verdict verdict,
    struct interval interval, const char *quantity, const char *evidence, ...);

/* Adds sentences to the evidence for a row that was judged. */
__attribute__((format(printf, 3, 4))) void answer_add(struct answer *answer,
                                                      const char *row, const char *format,
                                                      ...);

/* Marks the judgement on a row, and adds the reason, a sentence, to its evidence. */
void answer_mark(struct answer *answer, const char *row, enum mark mark,
                 const char *reason);

/* "", "by definition", "exploratory"; and back, false where it is none of them. */
const char *mark_text(enum mark mark);
bool mark_parse(const char *text, enum mark *mark);

/* The judgement on this row, which must have been made: sentences name their numbers by it. */
const struct judgement *answer_find(const struct answer *answer, const char *row);

/* Notes that a source of data or a program is not there, what is left out for it, and the command that
 * brings it. Rows of the question that get no judgement are then reported as open, "not measured". */
__attribute__((format(printf, 3, 4))) void answer_miss(struct answer *answer,
                                                       const char *command,
                                                       const char *format, ...);

#endif
