/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/machine.h"
#include "report/html.h"

/* The class of a verdict's badge. */
static const char *verdict_class(enum verdict verdict)
{
    return verdict == HOLDS           ? "badge holds"
           : verdict == DOES_NOT_HOLD ? "badge does-not-hold"
                                      : "badge open";
}

static void write_table(FILE *file, const struct table *table)
{
    fputs("<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>", file);
    for (size_t c = 0; c < table->n_columns; c++)
        html_element(file, "th", NULL, table->headings[c]);
    fputs("</tr></thead>\n<tbody>\n", file);
    for (size_t r = 0; r < table->n_rows; r++) {
        fputs("<tr>", file);
        for (size_t c = 0; c < table->n_columns; c++)
            html_element(file, "td", NULL, table->cells[r][c]);
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div>\n", file);
}

/* The verdict on a row, and the question that judged it; NULL: nobody has. */
static const struct judgement *find_judgement(const struct report *report,
                                              const char *row, size_t *question)
{
    for (size_t i = 0; i < report->n; i++)
        for (size_t j = 0; report->is_answered[i] && j < report->answers[i].n_judgements;
             j++)
            if (strcmp(report->answers[i].judgements[j].row, row) == 0) {
                *question = i;
                return &report->answers[i].judgements[j];
            }
    return NULL;
}

static void write_section(FILE *file, const struct study *study,
                          const struct question *question, const struct answer *answer)
{
    char folder[4096];

    report_folder(study, question, folder, sizeof folder);
    fputs("<section id=\"", file);
    html_text(file, question->name);
    fputs("\">\n", file);
    html_element(file, "h2", NULL, question->title);
    fputs("\n<p class=\"claim\">", file);
    html_text(file, question->claim);
    fputs("</p>\n<p>", file);
    html_element(file, "span", verdict_class(answer->verdict),
                 verdict_text(answer->verdict));
    fputc(' ', file);
    html_text(file, answer->summary);
    fputs("</p>\n", file);
    for (const struct figure *f = question->figures; f->name; f++) {
        char figure[4200];
        snprintf(figure, sizeof figure, "%s%s.svg", folder, f->name);
        if (access(figure, R_OK))
            continue;
        fputs("<figure>\n", file);
        html_svg(file, figure);
        html_element(file, "figcaption", NULL, f->caption);
        fputs("</figure>\n", file);
    }
    html_element(file, "h3", NULL, "What was run");
    html_element(file, "p", NULL, answer->setup);
    for (size_t i = 0; i < answer->n_tables; i++) {
        const struct table *table = &answer->tables[i];
        html_element(file, "h3", NULL, table->title ? table->title : "In numbers");
        write_table(file, table);
    }
    fputs("\n</section>\n", file);
}

void page_print(FILE *file, const struct report *report, const struct claims *claims)
{
    char machine[512];
    char style[4096];

    machine_describe(machine, sizeof machine);
    snprintf(style, sizeof style, "%s/report/style.css", report->study->source_dir);
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>ninho: the study</title>\n<style>\n",
          file);
    html_file(file, style);
    fputs("</style>\n</head>\n<body>\n<main>\n<h1>ninho: the study</h1>\n<ul>\n", file);
    for (size_t i = 0; i < claims->n; i++) {
        size_t question;
        const struct judgement *judgement =
            find_judgement(report, claims->list[i].row, &question);
        fprintf(file, "<li>%s ", claims->list[i].row);
        html_text(file, judgement ? verdict_text(judgement->verdict) : "not measured");
        fputs("</li>\n", file);
    }
    fputs("</ul>\n", file);
    for (size_t i = 0; i < report->n; i++)
        if (report->is_answered[i])
            write_section(file, report->study, &questions[i], &report->answers[i]);
    fputs("<p class=\"faint\">", file);
    html_text(file, machine);
    fputs("</p>\n</main>\n</body>\n</html>\n", file);
}
