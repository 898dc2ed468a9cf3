/* SPDX-License-Identifier: MIT */
/* Tells on standard error how far the study is and how long it will take: at a terminal in one line that
 * changes, elsewhere in a line for each question and one for every half minute. */
#ifndef STUDY_HARNESS_PROGRESS_H
#define STUDY_HARNESS_PROGRESS_H

#include <stddef.h>

struct progress {
    const char *what;
    double from; /* the share of the question at which it begins, and at which it ends */
    double to;
};

/* For main.c: questions of this total weight will be answered, at a pace of so many seconds for a weight
 * of 1 (0: not known); the next of them begins; it is done. */
void progress_begin_all(size_t n_questions, double weight, double pace);
void progress_begin_question(const char *title, double weight);
void progress_end_question(void);

/* For a question with several parts: what is measured next is this part of it, from 0 to 1. Without
 * it, each progress_begin begins a part that is half of what is left. */
void progress_part(double from, double to);

/* A part begins; `share` of it is done, 0 to 1 (cheap enough to call often); it is done. */
struct progress progress_begin(const char *what);
void progress_show(struct progress *progress, double share);
void progress_end(struct progress *progress);

#endif
