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

static const char style[] =
    ":root{color-scheme:light "
    "dark;--paper:#fdfcfa;--ink:#22262b;--faint:#5f6670;--line:#d9d5ce;"
    "--card:#fff;--yes:#1a7f4b;--no:#b3261e;--open:#8a6100;--link:#1f5fa8}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e4e6e9;--faint:#"
    "a0a7b1;"
    "--line:#353b43;--card:#1c2026;--yes:#5fcf95;--no:#ff8a80;--open:#e6b84c;--link:#"
    "8ab8f0}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:1rem/1.55 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif}\n"
    "main{max-width:64rem;margin:0 auto;padding:1.5rem 1rem 4rem}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}\n"
    "h2{font-size:1.35rem;line-height:1.25;margin:0 0 .5rem}\n"
    "h3{font-size:1rem;margin:1.5rem 0 .4rem}\n"
    "p{margin:.5rem 0;max-width:46rem}\n"
    "a{color:var(--link)}\n"
    "section{background:var(--card);border:1px solid var(--line);border-radius:.6rem;"
    "padding:1.25rem;margin:1.75rem 0}\n"
    ".faint{color:var(--faint);font-size:.875rem}\n"
    ".claim{font-size:1.1rem}\n"
    ".badge{display:inline-block;border:1px solid currentColor;border-radius:1rem;"
    "padding:.05rem .7rem;font-weight:600;font-size:.9rem;white-space:nowrap}\n"
    ".holds{color:var(--yes)}.does-not-hold{color:var(--no)}.open{color:var(--open)}\n"
    "ul.contents{list-style:none;padding:0;margin:1rem 0}\n"
    "ul.contents "
    "li{display:flex;gap:.75rem;flex-wrap:wrap;align-items:baseline;margin:.3rem 0}\n"
    "figure{margin:1rem 0}\n"
    "figure svg{display:block;width:100%;height:auto;max-width:48rem}\n"
    ".wide{overflow-x:auto;margin:0 -1.25rem;padding:0 1.25rem}\n"
    "table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.3rem .6rem;text-align:right;white-space:nowrap;"
    "border-bottom:1px solid var(--line)}\n"
    "th{color:var(--faint);font-weight:600;white-space:normal;vertical-align:bottom}\n"
    "th:first-child,td:first-child{text-align:left;padding-left:0}\n"
    "code,pre{font-family:ui-monospace,\"DejaVu Sans "
    "Mono\",Menlo,monospace;font-size:.875rem}\n"
    "pre{overflow-x:auto;border:1px solid var(--line);border-radius:.4rem;padding:.6rem "
    ".8rem}\n"
    "@media print{body{background:#fff;font-size:9pt}section{border:0;padding:0}"
    ".wide{overflow:visible;margin:0;padding:0}table{font-size:6.5pt}th,td{padding:."
    "15rem .3rem}"
    "figure,tr{break-inside:avoid}}\n";

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

    if (!file)
        fail("%s: %s", path, strerror(errno));
    machine_describe(machine, sizeof machine);
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>ninho: the study</title>\n<style>\n",
          file);
    fputs(style, file);
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
