/* SPDX-License-Identifier: MIT */
/* The report as Markdown: for a terminal, a diff between two runs, or pandoc. */
#ifndef STUDY_REPORT_MARKDOWN_H
#define STUDY_REPORT_MARKDOWN_H

#include <stdio.h>

#include "report/claims.h"
#include "report/report.h"

/* Figures are links to the files in the questions' folders. */
void markdown_print(FILE *file, const struct report *report, const struct claims *claims);

#endif
