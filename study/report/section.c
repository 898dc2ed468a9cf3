/* SPDX-License-Identifier: MIT */
#include "report/section.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/lookup.h"
#include "report/svg.h"
#include "report/words.h"

/* A table longer than this is folded away: the figures say it first. */
enum { LONG_TABLE = 14 };

static void print_table(FILE *file, const struct table *table)
{
    const bool is_long = table->n_rows > LONG_TABLE;

    html_element(file, "h3", NULL, table->title ? table->title : "In numbers");
    if (is_long)
        fprintf(file, "\n<details><summary>%zu rows</summary>", table->n_rows);
    fputs("\n<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>", file);
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
    if (is_long)
        fputs("</details>\n", file);
}

/* The rows of the claims that this question judges, with the evidence. */
static void print_judgements(FILE *file, const struct report *report,
                             const struct claims *claims, size_t i)
{
    bool is_any = false;

    for (size_t c = 0; c < claims->n; c++) {
        const struct claim *claim = &claims->list[c];
        if (!has_word(questions[i].rows, claim->row))
            continue;
        if (!is_any)
            fputs("<ul class=\"claims\">\n", file);
        is_any = true;
        const struct standing standing = standing_of(report, claims, claim);
        char text[512];
        standing_text(&standing, text, sizeof text);
        fprintf(file, "<li><a class=\"row\" href=\"#%s\">%s</a>", claim->row, claim->row);
        html_badge(file, badge_of(&standing));
        fputs("<div>", file);
        html_text(file, claim->text);
        fputs("<br><span class=\"quantity\">", file);
        html_text(file, text);
        fputs("</span>", file);
        if (standing.judgement) {
            fputs("<br><span class=\"faint\">", file);
            html_text(file, standing.judgement->evidence);
            fputs("</span>", file);
        }
        fputs("</div></li>\n", file);
    }
    if (is_any)
        fputs("</ul>\n", file);
}

static const char *data_of(const struct figure *figure)
{
    return figure->data ? figure->data : "data.csv";
}

static void print_link(FILE *file, const char *link, const char *name)
{
    fputs("<a href=\"", file);
    html_text(file, link);
    html_text(file, name);
    fputs("\">", file);
    html_text(file, name);
    fputs("</a>", file);
}

/* Which claims the figure is about: the original ones, before what was found. */
static void print_figure_claims(FILE *file, const struct report *report,
                                const struct claims *claims, size_t i,
                                const struct figure *figure)
{
    for (size_t c = 0; c < claims->n; c++) {
        const struct claim *claim = &claims->list[c];
        if (!has_word(questions[i].rows, claim->row) ||
            !figure_shows(figure, claims, claim))
            continue;
        const struct standing standing = standing_of(report, claims, claim);
        fprintf(file, "<p class=\"original\"><a class=\"row\" href=\"#%s\">%s</a> ",
                claim->row, claim->row);
        html_text(file, claim->text);
        fputc(' ', file);
        html_badge(file, badge_of(&standing));
        fputs("</p>\n", file);
    }
}

static void print_figure(FILE *file, const struct report *report,
                         const struct claims *claims, size_t i,
                         const struct figure *figure)
{
    const struct question *question = &questions[i];
    char path[4300];
    char id[160];
    char link[256];

    figure_id(question, figure, id, sizeof id);
    folder_link(report->study, question, link, sizeof link);
    fputs("<figure id=\"", file);
    html_text(file, id);
    fputs("\">\n", file);
    print_figure_claims(file, report, claims, i, figure);
    const bool is_drawn = figure_path(report->study, question, figure, path, sizeof path);
    if (is_drawn)
        svg_embed(file, path, id, figure->caption);
    else
        html_element(file, "p", "missing", "Not drawn: there is no data for it.");
    fputs("<figcaption>", file);
    if (figure->of) {
        fputs("<strong>After the ", file);
        html_text(file, figure->of);
        fputs(".</strong> ", file);
    }
    html_text(file, figure->caption);
    if (is_drawn) {
        fputs(" Data: ", file);
        print_link(file, link, data_of(figure));
    }
    fputs("</figcaption>\n</figure>\n", file);
}

static int is_table(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".csv") == 0;
}

/* Links to all tables the question has written. */
static void print_data(FILE *file, const struct study *study,
                       const struct question *question)
{
    char folder[4100];
    char link[256];
    struct dirent **entries;

    report_folder(study, question, folder, sizeof folder);
    folder_link(study, question, link, sizeof link);
    const int n = scandir(folder, &entries, is_table, alphasort);
    if (n < 0)
        return;
    for (int i = 0; i < n; i++) {
        fputs(i ? ", " : "<p>All data: ", file);
        print_link(file, link, entries[i]->d_name);
        free(entries[i]);
    }
    if (n)
        fputs("</p>\n", file);
    free(entries);
}

static void print_answer(FILE *file, const struct report *report,
                         const struct claims *claims, size_t i)
{
    const struct answer *answer = &report->answers[i];
    char text[256];

    fputs("<p>", file);
    html_badge(file, verdict_text(answer->verdict));
    fputc(' ', file);
    html_text(file, answer->summary);
    fputs("</p>\n", file);
    for (size_t m = 0; m < answer->n_missing; m++) {
        fputs("<p class=\"missing\"><strong>Missing:</strong> ", file);
        html_text(file, answer->missing[m]);
        fputs("</p>\n", file);
    }
    if (questions[i].exploratory) {
        fputs("<p class=\"faint\"><strong>Exploratory:</strong> ", file);
        html_text(file, questions[i].exploratory);
        fputs("</p>\n", file);
    }
    print_judgements(file, report, claims, i);
    fputs("<div class=\"figures\">\n", file);
    for (const struct figure *f = questions[i].figures; f->name; f++)
        print_figure(file, report, claims, i, f);
    fputs("</div>\n", file);
    if (answer->setup[0]) {
        html_element(file, "h3", NULL, "What was run");
        html_element(file, "p", NULL, answer->setup);
    }
    for (size_t t = 0; t < answer->n_tables; t++)
        print_table(file, &answer->tables[t]);
    html_element(file, "h3", NULL, "Again");
    fputc('\n', file);
    print_data(file, report->study, &questions[i]);
    run_command(report->study, &questions[i], text, sizeof text);
    html_element(file, "pre", NULL, text);
    fprintf(file,
            "<p class=\"faint\">This took %.0f s. A run that is finished is not "
            "measured again unless --again is given.</p>\n",
            answer->seconds);
}

void section_print(FILE *file, const struct report *report, const struct claims *claims,
                   size_t i)
{
    fputs("<section id=\"", file);
    html_text(file, questions[i].name);
    fputs("\">\n", file);
    html_element(file, "h2", NULL, questions[i].title);
    html_element(file, "p", "claim", questions[i].claim);
    if (report->is_answered[i]) {
        print_answer(file, report, claims, i);
    } else {
        char text[256];
        html_element(file, "p", NULL, "Not run yet. It is answered by:");
        run_command(report->study, &questions[i], text, sizeof text);
        html_element(file, "pre", NULL, text);
    }
    fputs("</section>\n", file);
}
