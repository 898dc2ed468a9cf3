/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ninho/ninho.h>

#include "harness/machine.h"
#include "report/html.h"
#include "report/lookup.h"
#include "report/section.h"
#include "report/words.h"

static void print_head(FILE *file, const struct study *study)
{
    char style[4200];

    snprintf(style, sizeof style, "%s/report/style.css", study->source_dir);
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<title>ninho: the study</title>\n"
          "<link rel=\"icon\" href=\"data:,\">\n<style>\n",
          file);
    html_file(file, style);
    fputs("</style>\n</head>\n<body>\n<main>\n", file);
}

static void print_run(FILE *file, const struct study *study)
{
    char command[256];

    run_command(study, NULL, command, sizeof command);
    fprintf(file, "<p class=\"run %s\"><strong>%s run.</strong> ",
            study_size_text(study->size), run_title(study));
    html_text(file, run_explained(study));
    fputs(" All of it again: <code>", file);
    html_text(file, command);
    fputs("</code></p>\n", file);
}

/* ---- The summary --------------------------------------------------------------------------- */

static void print_where(FILE *file, const struct standing *standing)
{
    char id[160];

    if (!standing->question)
        return;
    fputs(" <a href=\"#", file);
    if (standing->answer && standing->figure) {
        figure_id(standing->question, standing->figure, id, sizeof id);
        html_text(file, id);
        fputs("\">figure</a>", file);
    } else {
        html_text(file, standing->question->name);
        fputs("\">section</a>", file);
    }
}

static void print_claim(FILE *file, const struct report *report,
                        const struct claims *claims, const struct claim *claim)
{
    const struct standing standing = standing_of(report, claims, claim);
    char text[512];

    fprintf(file, "<li id=\"%s\"><span class=\"row\">%s</span>", claim->row, claim->row);
    html_badge(file, badge_of(&standing));
    fputs("<div>", file);
    html_text(file, claim->text);
    fputs(" <span class=\"faint\">(", file);
    html_text(file, claim->where);
    fputs(")</span><br><span class=\"quantity\">", file);
    standing_text(&standing, text, sizeof text);
    html_text(file, text);
    fputs("</span>", file);
    print_where(file, &standing);
    fputs("</div></li>\n", file);
}

static void print_tally(FILE *file, const struct report *report,
                        const struct claims *claims)
{
    char text[256];

    tally_text(report, claims, text, sizeof text);
    html_element(file, "p", "tally", text);
}

static void print_missing(FILE *file, const struct report *report)
{
    bool is_any = false;

    for (size_t i = 0; i < report->n; i++)
        is_any |= report->is_answered[i] && report->answers[i].n_missing > 0;
    if (!is_any)
        return;
    fputs("<div class=\"missing\"><p><strong>Left out.</strong> This was not there; all "
          "else is answered without it. The command in brackets brings it.</p><ul>\n",
          file);
    for (size_t i = 0; i < report->n; i++)
        for (size_t m = 0; report->is_answered[i] && m < report->answers[i].n_missing;
             m++) {
            fputs("<li>", file);
            html_text(file, questions[i].title);
            fputs(": ", file);
            html_text(file, report->answers[i].missing[m]);
            fputs("</li>\n", file);
        }
    fputs("</ul></div>\n", file);
}

static void print_summary(FILE *file, const struct report *report,
                          const struct claims *claims)
{
    fputs("<section id=\"summary\">\n<h2>What the documents claim</h2>\n", file);
    print_tally(file, report, claims);
    fputs("<p>Verdicts are computed from the data of this run by one rule. A claim "
          "<em>holds</em> where the whole 95&nbsp;% interval of the deciding quantity is "
          "on its side, or, for a claimed equality, within ±5&nbsp;%. It <em>does not "
          "hold</em> where all of the interval is on the other side, or within "
          "±2&nbsp;% of no difference, or, for an equality, outside ±5&nbsp;%. "
          "Otherwise it is <em>open</em>. Beside each verdict stand the quantity, its "
          "value and its interval.</p>\n",
          file);
    print_missing(file, report);
    for (size_t g = 0; g < claims->n_groups; g++) {
        html_element(file, "h3", NULL, claims->groups[g]);
        fputs("\n<ul class=\"claims\">\n", file);
        for (size_t i = 0; i < claims->n; i++)
            if (claims->list[i].group == g)
                print_claim(file, report, claims, &claims->list[i]);
        fputs("</ul>\n", file);
    }
    fputs("</section>\n", file);
}

static void print_contents(FILE *file, const struct report *report)
{
    fputs("<nav>\n<h2>The questions</h2>\n<ul class=\"contents\">\n", file);
    for (size_t i = 0; i < report->n; i++) {
        fputs("<li>", file);
        html_badge(file, report->is_answered[i] ? verdict_text(report->answers[i].verdict)
                                                : "not run");
        fputs("<a href=\"#", file);
        html_text(file, questions[i].name);
        fputs("\">", file);
        html_text(file, questions[i].title);
        fputs("</a></li>\n", file);
    }
    fputs("</ul>\n</nav>\n", file);
}

static void print_foot(FILE *file, const struct study *study)
{
    char machine[512];
    char date[32];
    const time_t now = time(NULL);
    struct tm parts;

    machine_describe(machine, sizeof machine);
    if (!gmtime_r(&now, &parts) ||
        !strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts))
        date[0] = '\0';
    fprintf(file,
            "<footer class=\"faint\"><p>ninho %s, %s run, seed %" PRIu64
            " (it is also in every row of the data), program %016" PRIx64
            ", written %s.</p><p>Machine: ",
            ninho_version(), study_size_text(study->size), study->seed, study->program,
            date);
    html_text(file, machine);
    fputs("</p></footer>\n", file);
}

void page_print(FILE *file, const struct report *report, const struct claims *claims)
{
    print_head(file, report->study);
    fputs("<h1>ninho: the study</h1>\n<p>Set membership in little memory: what three "
          "documents claim, and what was measured here.</p>\n",
          file);
    print_run(file, report->study);
    print_summary(file, report, claims);
    print_contents(file, report);
    for (size_t i = 0; i < report->n; i++)
        section_print(file, report, claims, i);
    print_foot(file, report->study);
    fputs("</main>\n</body>\n</html>\n", file);
}
