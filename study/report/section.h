/* SPDX-License-Identifier: MIT */
/* One question in the page. */
#ifndef STUDY_REPORT_SECTION_H
#define STUDY_REPORT_SECTION_H

#include <stdio.h>

#include "report/claims.h"
#include "report/report.h"

/* Question number i: claim, verdict, rows it judges, figures, what was run, tables, data, command. */
void section_print(FILE *file, const struct report *report, const struct claims *claims,
                   size_t i);

#endif
