/* SPDX-License-Identifier: MIT */
/* Sentences that the page and its Markdown twin share. */
#ifndef STUDY_REPORT_WORDS_H
#define STUDY_REPORT_WORDS_H

#include <stddef.h>

#include "report/claims.h"
#include "report/lookup.h"
#include "report/report.h"

/* "Quick", and what that means. */
const char *run_title(const struct study *study);
const char *run_explained(const struct study *study);

/* The command that runs a question again, or all of them where it is NULL. */
void run_command(const struct study *study, const struct question *question, char *text,
                 size_t size);

/* "38 claims: 20 hold, 10 do not hold, 6 are open, 2 were not measured." */
void tally_text(const struct report *report, const struct claims *claims, char *text,
                size_t size);

/* The quantity that decided with its interval, or why there is none. */
void standing_text(const struct standing *standing, char *text, size_t size);

/* An address inside the page: "NAME-figure". */
void figure_id(const struct question *question, const struct figure *figure, char *id,
               size_t size);

#endif
