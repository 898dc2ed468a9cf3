/* SPDX-License-Identifier: MIT */
/* An answer as lines of tab-separated fields:
 *
 *     run        MARK
 *     verdict    TEXT
 *     summary    TEXT
 *     setup      TEXT
 *     seconds    NUMBER
 *     judgement  ROW VERDICT LOW VALUE HIGH QUANTITY EVIDENCE
 *     missing    TEXT
 *     table      TITLE HEADING...
 *     row        CELL...               of the table above
 *     end
 *
 * Tabs, line ends and backslashes inside a text are written \t, \n and \\. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/answer.h"
#include "harness/fail.h"

enum { MAX_LINE_FIELDS = MAX_COLUMNS + 2 };

/* ---- Writing ------------------------------------------------------------------------------- */

static void write_field(FILE *file, const char *text)
{
    fputc('\t', file);
    for (; *text; text++) {
        if (*text == '\t')
            fputs("\\t", file);
        else if (*text == '\n')
            fputs("\\n", file);
        else if (*text == '\\')
            fputs("\\\\", file);
        else
            fputc(*text, file);
    }
}

static void write_line(FILE *file, const char *name, const char *text)
{
    fputs(name, file);
    write_field(file, text);
    fputc('\n', file);
}

static void write_judgement(FILE *file, const struct judgement *judgement)
{
    const struct interval *interval = &judgement->interval;

    fputs("judgement", file);
    write_field(file, judgement->row);
    write_field(file, verdict_text(judgement->verdict));
    fprintf(file, "\t%.17g\t%.17g\t%.17g", interval->low, interval->value,
            interval->high);
    write_field(file, judgement->quantity);
    write_field(file, judgement->evidence);
    write_field(file, mark_text(judgement->mark));
    fputc('\n', file);
}

static void write_table(FILE *file, const struct table *table)
{
    fputs("table", file);
    write_field(file, table->title ? table->title : "");
    for (size_t c = 0; c < table->n_columns; c++)
        write_field(file, table->headings[c]);
    fputc('\n', file);
    for (size_t r = 0; r < table->n_rows; r++) {
        fputs("row", file);
        for (size_t c = 0; c < table->n_columns; c++)
            write_field(file, table->cells[r][c]);
        fputc('\n', file);
    }
}

void answer_save(const struct study *study, const struct answer *answer, const char *path)
{
    char mark[RUN_TEXT];
    char temporary[4200];

    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *file = fopen(temporary, "w");
    if (!file)
        fail("%s: %s", temporary, strerror(errno));
    study_mark(study, mark);
    write_line(file, "run", mark);
    write_line(file, "verdict", verdict_text(answer->verdict));
    write_line(file, "summary", answer->summary);
    write_line(file, "setup", answer->setup);
    fprintf(file, "seconds\t%.17g\n", answer->seconds);
    for (size_t i = 0; i < answer->n_judgements; i++)
        write_judgement(file, &answer->judgements[i]);
    for (size_t i = 0; i < answer->n_missing; i++)
        write_line(file, "missing", answer->missing[i]);
    for (size_t i = 0; i < answer->n_tables; i++)
        write_table(file, &answer->tables[i]);
    fputs("end\n", file);
    if (ferror(file) | fclose(file))
        fail("%s: could not be written", temporary);
    if (rename(temporary, path))
        fail("%s: %s", path, strerror(errno));
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Takes the backslashes out, in place. */
static void unescape(char *text)
{
    char *to = text;

    for (; *text; text++) {
        if (*text == '\\' && text[1]) {
            text++;
            *to++ = (char)(*text == 't' ? '\t' : *text == 'n' ? '\n' : *text);
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
}

/* Cuts a line into its fields, in place; returns how many, 0 if too many. */
static size_t split(char *line, char *fields[MAX_LINE_FIELDS])
{
    size_t n = 0;

    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at;) {
        char *tab = strchr(at, '\t');
        if (n == MAX_LINE_FIELDS)
            return 0;
        fields[n++] = at;
        if (tab)
            *tab = '\0';
        at = tab ? tab + 1 : NULL;
    }
    for (size_t i = 0; i < n; i++)
        unescape(fields[i]);
    return n;
}

static bool read_judgement(struct answer *answer, char *const *fields)
{
    const struct interval interval = {strtod(fields[3], NULL), strtod(fields[4], NULL),
                                      strtod(fields[5], NULL)};
    enum verdict verdict;
    enum mark mark;

    if (answer->n_judgements == MAX_JUDGEMENTS || !verdict_parse(fields[2], &verdict) ||
        !mark_parse(fields[8], &mark))
        return false;
    answer_judge(answer, fields[1], verdict, interval, fields[6], "%s", fields[7]);
    answer->judgements[answer->n_judgements - 1].mark = mark;
    return true;
}

static bool read_table(struct answer *answer, char *const *fields, size_t n)
{
    char headings[4096] = "";

    if (answer->n_tables == MAX_TABLES)
        return false;
    for (size_t i = 2; i < n; i++)
        snprintf(headings + strlen(headings), sizeof headings - strlen(headings), "%s%s",
                 i > 2 ? "|" : "", fields[i]);
    answer_add_table(answer, fields[1][0] ? fields[1] : NULL, headings);
    return true;
}

static bool read_row(struct answer *answer, char *const *fields, size_t n)
{
    if (!answer->n_tables || n - 1 != answer->tables[answer->n_tables - 1].n_columns)
        return false;
    char(*cells)[CELL_TEXT] = table_add_row(&answer->tables[answer->n_tables - 1]);
    for (size_t c = 0; c + 1 < n; c++)
        snprintf(cells[c], CELL_TEXT, "%s", fields[c + 1]);
    return true;
}

/* One line after the first; false where it is none of ours. */
static bool read_line(struct answer *answer, char *const *fields, size_t n)
{
    const char *name = n ? fields[0] : "";

    if (strcmp(name, "verdict") == 0 && n == 2)
        return verdict_parse(fields[1], &answer->verdict);
    if (strcmp(name, "summary") == 0 && n == 2)
        snprintf(answer->summary, sizeof answer->summary, "%s", fields[1]);
    else if (strcmp(name, "setup") == 0 && n == 2)
        snprintf(answer->setup, sizeof answer->setup, "%s", fields[1]);
    else if (strcmp(name, "seconds") == 0 && n == 2)
        answer->seconds = strtod(fields[1], NULL);
    else if (strcmp(name, "judgement") == 0 && n == 9)
        return read_judgement(answer, fields);
    else if (strcmp(name, "missing") == 0 && n == 2 && answer->n_missing < MAX_MISSING)
        snprintf(answer->missing[answer->n_missing++], sizeof answer->missing[0], "%s",
                 fields[1]);
    else if (strcmp(name, "table") == 0 && n > 2)
        return read_table(answer, fields, n);
    else if (strcmp(name, "row") == 0 && n > 1)
        return read_row(answer, fields, n);
    else
        return false;
    return true;
}

bool answer_load(const struct study *study, const char *path, struct answer *answer)
{
    FILE *file = fopen(path, "r");
    char line[8192];
    char *fields[MAX_LINE_FIELDS];
    char mark[RUN_TEXT];
    bool is_whole = false;

    *answer = (struct answer){0};
    if (!file)
        return false;
    study_mark(study, mark);
    bool is_ours = fgets(line, sizeof line, file) && split(line, fields) == 2 &&
                   strcmp(fields[0], "run") == 0 && strcmp(fields[1], mark) == 0;
    while (is_ours && !is_whole && fgets(line, sizeof line, file)) {
        if (strcmp(line, "end\n") == 0)
            is_whole = true;
        else
            is_ours = read_line(answer, fields, split(line, fields));
    }
    fclose(file);
    if (!is_whole)
        answer_free(answer);
    return is_whole;
}
