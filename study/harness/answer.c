/* SPDX-License-Identifier: MIT */
/* Filling an answer. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/answer.h"
#include "harness/fail.h"

static char *copied(const char *text, size_t length)
{
    char *copy = allocate(length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

struct table *answer_add_table(struct answer *answer, const char *title,
                               const char *headings)
{
    if (answer->n_tables == MAX_TABLES)
        fail("more than %d tables in an answer", MAX_TABLES);
    struct table *table = &answer->tables[answer->n_tables++];
    *table = (struct table){.title = title ? copied(title, strlen(title)) : NULL};
    for (const char *at = headings; at;) {
        const char *end = strchr(at, '|');
        if (table->n_columns == MAX_COLUMNS)
            fail("more than %d columns in a table", MAX_COLUMNS);
        table->headings[table->n_columns++] =
            copied(at, end ? (size_t)(end - at) : strlen(at));
        at = end ? end + 1 : NULL;
    }
    return table;
}

char (*table_add_row(struct table *table))[CELL_TEXT]
{
    if (table->n_rows == table->room) {
        table->room = table->room ? 2 * table->room : 16;
        table->cells = realloc(table->cells, table->room * sizeof *table->cells);
        if (!table->cells)
            fail("no memory for a table of %zu rows", table->room);
    }
    memset(table->cells[table->n_rows], 0, sizeof table->cells[0]);
    return table->cells[table->n_rows++];
}

void answer_judge(struct answer *answer, const char *row, enum verdict verdict,
                  struct interval interval, const char *quantity, const char *evidence,
                  ...)
{
    va_list arguments;

    if (answer->n_judgements == MAX_JUDGEMENTS)
        fail("more than %d judgements in an answer", MAX_JUDGEMENTS);
    for (size_t i = 0; i < answer->n_judgements; i++)
        if (strcmp(answer->judgements[i].row, row) == 0)
            fail("row %s is judged twice", row);
    struct judgement *judgement = &answer->judgements[answer->n_judgements++];
    judgement->verdict = verdict;
    judgement->interval = interval;
    snprintf(judgement->row, sizeof judgement->row, "%s", row);
    snprintf(judgement->quantity, sizeof judgement->quantity, "%s", quantity);
    va_start(arguments, evidence);
    if (vsnprintf(judgement->evidence, sizeof judgement->evidence, evidence, arguments) >=
        (int)sizeof judgement->evidence)
        fail("too much evidence for row %s", row);
    va_end(arguments);
}

void answer_add(struct answer *answer, const char *row, const char *format, ...)
{
    char *evidence = ((struct judgement *)answer_find(answer, row))->evidence;
    const size_t size = sizeof answer->judgements[0].evidence;
    const size_t length = strlen(evidence);
    va_list arguments;

    va_start(arguments, format);
    if (vsnprintf(evidence + length, size - length, format, arguments) >=
        (int)(size - length))
        fail("too much evidence for row %s", row);
    va_end(arguments);
}

static const char *const mark_texts[] = {
    [UNMARKED] = "", [BY_DEFINITION] = "by definition", [EXPLORATORY] = "exploratory"};

const char *mark_text(enum mark mark)
{
    return mark_texts[mark];
}

bool mark_parse(const char *text, enum mark *mark)
{
    for (unsigned i = 0; i < sizeof mark_texts / sizeof mark_texts[0]; i++)
        if (strcmp(text, mark_texts[i]) == 0) {
            *mark = (enum mark)i;
            return true;
        }
    return false;
}

void answer_mark(struct answer *answer, const char *row, enum mark mark,
                 const char *reason)
{
    answer_add(answer, row, " %s", reason);
    ((struct judgement *)answer_find(answer, row))->mark = mark;
}

const struct judgement *answer_find(const struct answer *answer, const char *row)
{
    for (size_t i = 0; i < answer->n_judgements; i++)
        if (strcmp(answer->judgements[i].row, row) == 0)
            return &answer->judgements[i];
    fail("row %s is not judged", row);
}

void answer_miss(struct answer *answer, const char *command, const char *format, ...)
{
    char what[sizeof answer->missing[0] / 2];
    va_list arguments;

    if (answer->n_missing == MAX_MISSING)
        fail("more than %d missing sources in an answer", MAX_MISSING);
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(answer->missing[answer->n_missing++], sizeof answer->missing[0],
             "%s (to have it: %s)", what, command);
}

void answer_free(struct answer *answer)
{
    for (size_t i = 0; i < answer->n_tables; i++) {
        struct table *table = &answer->tables[i];
        for (size_t c = 0; c < table->n_columns; c++)
            free((void *)table->headings[c]);
        free((void *)table->title);
        free(table->cells);
    }
    *answer = (struct answer){0};
}
