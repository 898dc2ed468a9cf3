/* SPDX-License-Identifier: MIT */
#include "report/markdown.h"

#include <inttypes.h>

#include <ninho/ninho.h>

#include "harness/machine.h"
#include "report/lookup.h"
#include "report/words.h"

/* Text inside a table: a bar would end the cell. */
static void print_cell(FILE *file, const char *text)
{
    fputs(" ", file);
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', file);
        fputc(*text == '\n' ? ' ' : *text, file);
    }
    fputs(" |", file);
}

static void print_summary(FILE *file, const struct report *report,
                          const struct claims *claims)
{
    char text[512];

    tally_text(report, claims, text, sizeof text);
    fprintf(file, "## What the documents claim\n\n%s.\n", text);
    for (size_t g = 0; g < claims->n_groups; g++) {
        fprintf(file, "\n### %s\n\n| row | claim | verdict | quantity |\n",
                claims->groups[g]);
        fputs("| --- | --- | --- | --- |\n", file);
        for (size_t i = 0; i < claims->n; i++) {
            const struct claim *claim = &claims->list[i];
            if (claim->group != g)
                continue;
            const struct standing standing = standing_of(report, claims, claim);
            fputs("|", file);
            print_cell(file, claim->row);
            print_cell(file, claim->text);
            print_cell(file, badge_of(&standing));
            standing_text(&standing, text, sizeof text);
            print_cell(file, text);
            fputc('\n', file);
        }
    }
}

static void print_table(FILE *file, const struct table *table)
{
    fprintf(file, "\n### %s\n\n|", table->title ? table->title : "In numbers");
    for (size_t c = 0; c < table->n_columns; c++)
        print_cell(file, table->headings[c]);
    fputs("\n|", file);
    for (size_t c = 0; c < table->n_columns; c++)
        fputs(" --- |", file);
    fputc('\n', file);
    for (size_t r = 0; r < table->n_rows; r++) {
        fputc('|', file);
        for (size_t c = 0; c < table->n_columns; c++)
            print_cell(file, table->cells[r][c]);
        fputc('\n', file);
    }
}

static void print_answer(FILE *file, const struct report *report, size_t i)
{
    const struct answer *answer = &report->answers[i];
    char link[256];
    char path[4300];

    folder_link(report->study, &questions[i], link, sizeof link);
    fprintf(file, "\n**%s.** %s\n", verdict_text(answer->verdict), answer->summary);
    for (size_t m = 0; m < answer->n_missing; m++)
        fprintf(file, "\n**Missing:** %s\n", answer->missing[m]);
    if (questions[i].exploratory)
        fprintf(file, "\n**Exploratory:** %s\n", questions[i].exploratory);
    for (size_t j = 0; j < answer->n_judgements; j++) {
        const struct judgement *judgement = &answer->judgements[j];
        fprintf(file, "%s- %s **%s**%s%s: %s\n", j ? "" : "\n", judgement->row,
                badge_of(&(struct standing){.judgement = judgement}),
                judgement->mark ? ", " : "", mark_text(judgement->mark),
                judgement->evidence);
    }
    for (const struct figure *f = questions[i].figures; f->name; f++)
        if (figure_path(report->study, &questions[i], f, path, sizeof path))
            fprintf(file, "\n![%s](%s%s.svg)\n\n%s%s%s%s ([data](%s%s))\n", f->name, link,
                    f->name, f->of ? "**After the " : "", f->of ? f->of : "",
                    f->of ? ".** " : "", f->caption, link,
                    f->data ? f->data : "data.csv");
    fprintf(file, "\nWhat was run: %s\n", answer->setup);
    for (size_t t = 0; t < answer->n_tables; t++)
        print_table(file, &answer->tables[t]);
}

void markdown_print(FILE *file, const struct report *report, const struct claims *claims)
{
    char text[512];

    fprintf(file, "# ninho: the study\n\n**%s run.** %s\n\n", run_title(report->study),
            run_explained(report->study));
    print_summary(file, report, claims);
    for (size_t i = 0; i < report->n; i++) {
        fprintf(file, "\n## %s\n\n> %s\n", questions[i].title, questions[i].claim);
        if (report->is_answered[i])
            print_answer(file, report, i);
        run_command(report->study, &questions[i], text, sizeof text);
        fprintf(file, "\n%s: `%s`\n", report->is_answered[i] ? "Again" : "Not run", text);
    }
    machine_describe(text, sizeof text);
    fprintf(file, "\n---\n\nninho %s, %s run, seed %" PRIu64 ". Machine: %s\n",
            ninho_version(), study_size_text(report->study->size), report->study->seed,
            text);
}
