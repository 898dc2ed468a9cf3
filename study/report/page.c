/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ninho/ninho.h>

#include "harness/fail.h"
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

static void write_section(FILE *file, const struct study *study,
                          const struct question *question, const struct answer *answer)
{
    char figure[4096];

    snprintf(figure, sizeof figure, "%s/%s/figure.svg", study->out_dir, question->name);
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
    fputs("</p>\n<figure>\n", file);
    html_svg(file, figure);
    fputs("</figure>\n", file);
    html_element(file, "h3", NULL, "What was run");
    html_element(file, "p", NULL, answer->setup);
    html_element(file, "h3", NULL, "In numbers");
    write_table(file, &answer->table);
    html_element(file, "h3", NULL, "Again");
    fputs("\n<p>The data: <a href=\"../", file);
    html_text(file, question->name);
    fputs("/data.csv\">data.csv</a>. The same run:</p>\n<pre>", file);
    fprintf(file, "ninho study%s --seed %" PRIu64 " ", study->is_full ? " --full" : "",
            study->seed);
    html_text(file, question->name);
    fputs("</pre>\n</section>\n", file);
}

static void write_contents(FILE *file, const struct question *const *asked,
                           const struct answer *answers, size_t n)
{
    fputs("<ul class=\"contents\">\n", file);
    for (size_t i = 0; i < n; i++) {
        fputs("<li>", file);
        html_element(file, "span", verdict_class(answers[i].verdict),
                     verdict_text(answers[i].verdict));
        fputs("<a href=\"#", file);
        html_text(file, asked[i]->name);
        fputs("\">", file);
        html_text(file, asked[i]->title);
        fputs("</a></li>\n", file);
    }
    fputs("</ul>\n", file);
}

void page_write(const char *path, const struct study *study,
                const struct question *const *asked, const struct answer *answers,
                size_t n)
{
    FILE *file = fopen(path, "w");
    char machine[512];
    char style[4096];

    if (!file)
        fail("%s: %s", path, strerror(errno));
    machine_describe(machine, sizeof machine);
    snprintf(style, sizeof style, "%s/report/style.css", study->source_dir);
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>ninho: the study</title>\n<style>\n",
          file);
    html_file(file, style);
    fputs(
        "</style>\n</head>\n<body>\n<main>\n<h1>ninho: the study</h1>\n"
        "<p>Set membership in little memory: what is claimed, and what was measured. "
        "Verdicts "
        "follow from the data by one rule: a claim <em>holds</em> where the whole "
        "95&nbsp;% "
        "interval is on its side, <em>does not hold</em> where the whole of it is on the "
        "other, and is <em>open</em> otherwise.</p>\n",
        file);
    write_contents(file, asked, answers, n);
    for (size_t i = 0; i < n; i++)
        write_section(file, study, asked[i], &answers[i]);
    fprintf(file, "<p class=\"faint\">ninho %s, %s run, seed %" PRIu64 ". Machine: ",
            ninho_version(), study->is_full ? "full" : "quick", study->seed);
    html_text(file, machine);
    fputs("</p>\n</main>\n</body>\n</html>\n", file);
    if (ferror(file) | fclose(file))
        fail("%s: could not be written", path);
}
