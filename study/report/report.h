/* SPDX-License-Identifier: MIT */
/* The report: one page that needs nothing but itself, and the same in Markdown. */
#ifndef STUDY_REPORT_REPORT_H
#define STUDY_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "study.h"

/* What is known so far of all n questions. */
struct report {
    const struct study *study;
    size_t n;
    bool *is_answered;
    struct answer *answers;
};

/* Where the results of a question lie, with '/' at the end: OUT/NAME/, and OUT/SIZE/NAME/ where the
 * size is not the usual one, so that a quick run does not overwrite hours of a full one. */
void report_folder(const struct study *study, const struct question *question,
                   char *folder, size_t size);

/* Writes OUT/report/index.html and report.md, whole or not at all. Fails with the program. */
void report_write(const struct report *report);

#endif
