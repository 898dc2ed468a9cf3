/* SPDX-License-Identifier: MIT */
/* The report: one page that needs nothing but itself. */
#ifndef STUDY_REPORT_PAGE_H
#define STUDY_REPORT_PAGE_H

#include "study.h"

/* Writes the page about n questions and their answers. Figures are taken from the questions'
 * folders in the results, and put inside the page. Fails with the program. */
void page_write(const char *path, const struct study *study,
                const struct question *const *asked, const struct answer *answers,
                size_t n);

#endif
