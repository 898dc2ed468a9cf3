/* SPDX-License-Identifier: MIT */
/* Who judged a claim, and which figure shows it. */
#ifndef STUDY_REPORT_LOOKUP_H
#define STUDY_REPORT_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "report/claims.h"
#include "report/report.h"

/* What is known of a claim. */
struct standing {
    const struct question *question;   /* that judges it; NULL: none does */
    const struct answer *answer;       /* of that question; NULL: it was not run */
    const struct judgement *judgement; /* NULL: not measured */
    const struct figure
        *figure; /* of that question, which shows it; NULL: none in particular */
};
struct standing standing_of(const struct report *report, const struct claims *claims,
                            const struct claim *claim);

/* What stands on its badge: the verdict; "by definition" where no measurement could give one; "not
 * measured". */
const char *badge_of(const struct standing *standing);

/* Whether a figure shows a claim: it lists its row, or repeats the figure of the same document that the
 * claim is about. */
bool figure_shows(const struct figure *figure, const struct claims *claims,
                  const struct claim *claim);

/* Whether the picture of a figure was drawn, and its path. */
bool figure_path(const struct study *study, const struct question *question,
                 const struct figure *figure, char *path, size_t size);

/* "0.42 [0.40, 0.44]", as many digits as tell the ends apart; "0.42 (exact)" where they are the same,
 * "" where there is no interval. */
void interval_text(const struct interval *interval, char *text, size_t size);

/* The way from the report's folder to that of a question: "../NAME/" or "../full/NAME/". */
void folder_link(const struct study *study, const struct question *question, char *link,
                 size_t size);

#endif
