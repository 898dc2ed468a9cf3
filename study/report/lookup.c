/* SPDX-License-Identifier: MIT */
#include "report/lookup.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The next number with a point, "5.1", at or after `at`; NULL if there is none. */
static const char *next_number(const char *at, size_t *length)
{
    for (; *at; at++) {
        const size_t whole = strspn(at, "0123456789");
        const size_t part =
            whole && at[whole] == '.' ? strspn(at + whole + 1, "0123456789") : 0;
        if (part) {
            *length = whole + 1 + part;
            return at;
        }
        if (whole)
            at += whole - 1;
    }
    return NULL;
}

static bool has_number(const char *text, const char *number, size_t length)
{
    size_t here;

    for (const char *at = text; (at = next_number(at, &here)); at += here)
        if (here == length && memcmp(at, number, length) == 0)
            return true;
    return false;
}

/* "The monograph" -> "monograph": the word by which a figure names its document. */
static const char *document_of(const struct claims *claims, const struct claim *claim)
{
    const char *name = claims->groups[claim->group];
    const char *space = strrchr(name, ' ');

    return space ? space + 1 : name;
}

bool figure_shows(const struct figure *figure, const struct claims *claims,
                  const struct claim *claim)
{
    size_t length;

    if (figure->rows)
        return has_word(figure->rows, claim->row);
    if (!figure->of || !strstr(figure->of, document_of(claims, claim)))
        return false;
    for (const char *at = claim->where; (at = next_number(at, &length)); at += length)
        if (has_number(figure->of, at, length))
            return true;
    return false;
}

struct standing standing_of(const struct report *report, const struct claims *claims,
                            const struct claim *claim)
{
    struct standing standing = {0};

    for (size_t i = 0; i < report->n && !standing.question; i++)
        if (has_word(questions[i].rows, claim->row)) {
            standing.question = &questions[i];
            standing.answer = report->is_answered[i] ? &report->answers[i] : NULL;
        }
    if (!standing.question)
        return standing;
    for (size_t i = 0; standing.answer && i < standing.answer->n_judgements; i++)
        if (strcmp(standing.answer->judgements[i].row, claim->row) == 0)
            standing.judgement = &standing.answer->judgements[i];
    for (const struct figure *f = standing.question->figures; f->name; f++)
        if (figure_shows(f, claims, claim)) {
            standing.figure = f;
            break;
        }
    return standing;
}

bool figure_path(const struct study *study, const struct question *question,
                 const struct figure *figure, char *path, size_t size)
{
    char folder[4100];

    report_folder(study, question, folder, sizeof folder);
    snprintf(path, size, "%s%s.svg", folder, figure->name);
    return access(path, R_OK) == 0;
}

/* Digits after the point that show at least two figures of the interval's width. */
static int digits_for(const struct interval *interval)
{
    const double width = interval->high - interval->low;
    const double scale = width > 0 ? width : fabs(interval->value) / 100;

    if (!(scale > 0))
        return 2;
    const int digits = 1 - (int)floor(log10(scale));
    return digits < 0 ? 0 : digits > 9 ? 9 : digits;
}

void interval_text(const struct interval *interval, char *text, size_t size)
{
    text[0] = '\0';
    if (isnan(interval->value))
        return;
    const int digits = digits_for(interval);
    if (isnan(interval->low) || isnan(interval->high))
        snprintf(text, size, "%.4g", interval->value);
    else if (interval->high - interval->low <= 1e-12 * fabs(interval->value))
        snprintf(text, size, "%.4g (exact)", interval->value);
    else if (fabs(interval->high) < 1e-4 && fabs(interval->low) < 1e-4 &&
             interval->value != 0)
        snprintf(text, size, "%.3g [%.3g, %.3g]", interval->value, interval->low,
                 interval->high);
    else
        snprintf(text, size, "%.*f [%.*f, %.*f]", digits, interval->value, digits,
                 interval->low, digits, interval->high);
}

void folder_link(const struct study *study, const struct question *question, char *link,
                 size_t size)
{
    const bool is_usual = study->size == STUDY_QUICK;

    snprintf(link, size, "../%s%s%s/", is_usual ? "" : study_size_text(study->size),
             is_usual ? "" : "/", question->name);
}

const char *badge_of(const struct standing *standing)
{
    const struct judgement *judgement = standing->judgement;

    if (!judgement)
        return "not measured";
    return judgement->mark == BY_DEFINITION && judgement->verdict == OPEN
               ? mark_text(BY_DEFINITION)
               : verdict_text(judgement->verdict);
}
