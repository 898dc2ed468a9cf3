/* SPDX-License-Identifier: MIT */
/* The report as HTML. */
#ifndef STUDY_REPORT_PAGE_H
#define STUDY_REPORT_PAGE_H

#include <stdio.h>

#include "report/claims.h"
#include "report/report.h"

/* Figures are taken from the questions' folders, and put inside the page. Fails with the program. */
void page_print(FILE *file, const struct report *report, const struct claims *claims);

#endif
