/* SPDX-License-Identifier: MIT */
/* ninho-study: answers the questions, and writes the report. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ninho/ninho.h>

#include "harness/answer.h"
#include "harness/csv.h"
#include "harness/fail.h"
#include "harness/figure.h"
#include "harness/folder.h"
#include "harness/progress.h"
#include "harness/timing.h"
#include "options/numbers.h"
#include "report/report.h"
#include "study.h"

static const char usage[] =
    "usage: ninho-study [options] [NAME...]\n"
    "\n"
    "Answers the questions of the study (all of them, or those named) and writes, for\n"
    "each, its data and figures, and one page about them all: OUT/report/index.html.\n"
    "What is finished is not measured again; what was interrupted goes on.\n";

struct choices {
    struct study study;
    bool again, lists, is_full, is_tiny;
};

static const struct option options[] = {
    {FLAG("list", struct choices, lists, "name the questions and stop")},
    {FLAG("full", struct choices, is_full,
          "as the documents did it: 30 repetitions, full sizes, hours")},
    {FLAG("tiny", struct choices, is_tiny,
          "the least that runs: for tests, and proves nothing")},
    {VALUE("seed", "N", parse_seed, struct choices, study.seed,
           "another random draw; 1")},
    {FLAG("again", struct choices, again, "measure anew what is finished or begun")},
    {VALUE("data", "DIR", parse_text, struct choices, study.data_dir,
           "what was fetched; .cache/data")},
    {VALUE("out", "DIR", parse_text, struct choices, study.out_dir,
           "where the results go; build/study")},
    {VALUE("source", "DIR", parse_text, struct choices, study.source_dir,
           "the study's folder in the source tree; study")},
    {0},
};
static const struct option *const tables[] = {options, NULL};

/* What a question weighs that does not say it. */
#define USUAL_SECONDS 20

/* A name may be given without its number: "cache-admission" for "17-cache-admission". */
static bool is_named(const struct question *question, const char *name)
{
    const char *dash = strchr(question->name, '-');

    return strcmp(question->name, name) == 0 || (dash && strcmp(dash + 1, name) == 0);
}

static size_t find_question(const char *name)
{
    for (size_t i = 0; questions[i].name; i++)
        if (is_named(&questions[i], name))
            return i;
    fail("%s: no such question (--list names them)", name);
}

static void list_questions(void)
{
    for (const struct question *q = questions; q->name; q++)
        printf("%-28s %s\n", q->name, q->title);
}

/* A hash of this program's file: results of another program are not taken for its own. */
static uint64_t hash_program(void)
{
    FILE *file = fopen("/proc/self/exe", "rb");
    static unsigned char block[1 << 16];
    ninho_hasher hasher = {.id = NINHO_HASH_XXH3};

    while (file) {
        const size_t n = fread(block, 1, sizeof block, file);
        if (n == 0)
            break;
        hasher.seed = ninho_hash_bytes(&hasher, block, n);
    }
    if (file)
        fclose(file);
    return hasher.seed;
}

/* Every measurement is on disk as soon as it is made, so there is nothing to save. */
static void on_interrupt(int number)
{
    static const char text[] =
        "\nninho-study: interrupted; the same command goes on from here\n";

    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* ---- One question -------------------------------------------------------------------------- */

/* A judgement on a row that the question does not name would be missing from its README and from
 * the list of who judges what. */
static void check_rows(const struct question *question, const struct answer *answer)
{
    for (size_t i = 0; i < answer->n_judgements; i++)
        if (!has_word(question->rows, answer->judgements[i].row))
            fail("%s: judges row %s, which is not in its list of rows", question->name,
                 answer->judgements[i].row);
}

static void draw_figures(const struct study *study, const struct question *question,
                         const char *folder)
{
    char style[4200];

    snprintf(style, sizeof style, "%s/harness/style.gp", study->source_dir);
    for (const struct figure *f = question->figures; f->name; f++) {
        char script[4200];
        char data[4200];
        char figure[4200];

        snprintf(script, sizeof script, "%s/%s/%s.gp", study->source_dir, question->name,
                 f->script ? f->script : f->name);
        snprintf(data, sizeof data, "%s%s", folder, f->data ? f->data : "data.csv");
        snprintf(figure, sizeof figure, "%s%s.svg", folder, f->name);
        if (access(data, R_OK) == 0)
            figure_draw(style, script, f->set, folder, data, figure);
    }
}

static void print_answer(const struct question *question, const struct answer *answer)
{
    printf("%s: %s\n  %s\n", question->name, verdict_text(answer->verdict),
           answer->summary);
    for (size_t i = 0; i < answer->n_judgements; i++)
        printf("  %s: %s\n", answer->judgements[i].row,
               verdict_text(answer->judgements[i].verdict));
    for (size_t i = 0; i < answer->n_missing; i++)
        printf("  missing: %s\n", answer->missing[i]);
    fflush(stdout);
}

static double weight_of(const struct question *question)
{
    return question->seconds > 0 ? question->seconds : USUAL_SECONDS;
}

static void run_question(const struct study *study, const struct question *question,
                         bool again, struct answer *answer)
{
    char mark[RUN_TEXT];
    char folder[4100];
    char path[4200];

    answer_free(answer);
    study_mark(study, mark);
    report_folder(study, question, folder, sizeof folder);
    folder_prepare(folder, mark, again);
    progress_begin_question(question->title, weight_of(question));
    const double start = seconds_elapsed();
    question->run(study, folder, answer);
    check_rows(question, answer);
    answer->seconds = seconds_elapsed() - start;
    progress_end_question();
    draw_figures(study, question, folder);
    snprintf(path, sizeof path, "%sanswer.tsv", folder);
    answer_save(study, answer, path);
    print_answer(question, answer);
}

/* ---- All of them --------------------------------------------------------------------------- */

/* Which questions are to be answered now: those named, or all; without those that are finished. A
 * question that missed a source is not finished: it may be there now. */
static void choose(const struct study *study, struct report *report, bool *is_chosen,
                   bool again, char *const *names, int n_names)
{
    for (size_t i = 0; i < report->n; i++)
        is_chosen[i] = n_names == 0;
    for (int i = 0; i < n_names; i++)
        is_chosen[find_question(names[i])] = true;
    for (size_t i = 0; i < report->n; i++) {
        char folder[4100];
        char path[4200];

        report_folder(study, &questions[i], folder, sizeof folder);
        snprintf(path, sizeof path, "%sanswer.tsv", folder);
        report->is_answered[i] = answer_load(study, path, &report->answers[i]);
        if (!is_chosen[i] || again || !report->is_answered[i] ||
            report->answers[i].n_missing)
            continue;
        is_chosen[i] = false;
        printf("%s: finished before (--again measures anew)\n", questions[i].name);
        draw_figures(study, &questions[i], folder);
    }
}

/* Once more at the end, where it is read: what was left out, and the command for it. */
static void print_left_out(const struct report *report)
{
    for (size_t i = 0; i < report->n; i++)
        for (size_t m = 0; report->is_answered[i] && m < report->answers[i].n_missing;
             m++)
            printf("left out: %s: %s\n", questions[i].title,
                   report->answers[i].missing[m]);
}

static void answer_all(const struct study *study, bool again, char *const *names,
                       int n_names)
{
    struct report report = {.study = study};
    size_t n_chosen = 0;
    double weight = 0;

    while (questions[report.n].name)
        report.n++;
    bool *is_chosen = allocate(report.n, sizeof *is_chosen);
    report.is_answered = allocate(report.n, sizeof *report.is_answered);
    report.answers = allocate(report.n, sizeof *report.answers);
    figure_check();
    choose(study, &report, is_chosen, again, names, n_names);
    for (size_t i = 0; i < report.n; i++) {
        n_chosen += is_chosen[i];
        weight += is_chosen[i] ? weight_of(&questions[i]) : 0;
    }
    /* Weights are seconds of a quick run; how much longer a full one takes is not written down. */
    progress_begin_all(n_chosen, weight, study->size == STUDY_QUICK ? 1 : 0);
    for (size_t i = 0; i < report.n; i++)
        if (is_chosen[i]) {
            run_question(study, &questions[i], again, &report.answers[i]);
            report.is_answered[i] = true;
            report_write(&report); /* so that an interrupted run has one, too */
        }
    report_write(&report);
    printf("report: %s/report/index.html\n", study->out_dir);
    print_left_out(&report);
    for (size_t i = 0; i < report.n; i++)
        answer_free(&report.answers[i]);
    free(report.answers);
    free(report.is_answered);
    free(is_chosen);
}

/* What the last word may become: an option, its value, a question. */
static int complete(char *const *words, size_t n_words)
{
    const struct offer offer = options_expect(tables, words, n_words);

    offer_options(&offer, tables);
    for (const struct question *q = questions; offer.what == OFFER_OPERAND && q->name;
         q++)
        offer_word(&offer, q->name, q->title);
    return 0;
}

/* The arguments; operands stay in args. Ends the program where there is nothing more to do. */
static struct choices read_arguments(struct args *args, int n_arguments, char **arguments)
{
    struct choices choices = {.study = {.data_dir = ".cache/data",
                                        .out_dir = "build/study",
                                        .source_dir = "study",
                                        .seed = 1,
                                        .size = STUDY_QUICK}};
    void *const targets[] = {&choices};
    static const char *const titles[] = {""};

    switch (args_read(args, tables, n_arguments, arguments, targets)) {
    case ARGS_HELP:
        fputs(usage, stdout);
        options_print(stdout, tables, titles);
        exit(fflush(stdout) ? 2 : 0);
    case ARGS_WRONG:
        fail("%s; try 'ninho study --help'", args->why);
    case ARGS_READ:
        break;
    }
    if (choices.is_full && choices.is_tiny)
        fail("--full and --tiny exclude each other; try 'ninho study --help'");
    choices.study.size = choices.is_full   ? STUDY_FULL
                         : choices.is_tiny ? STUDY_TINY
                                           : STUDY_QUICK;
    return choices;
}

int main(int n_arguments, char **arguments)
{
    struct args args;

    if (n_arguments > 2 && strcmp(arguments[1], "__complete") == 0)
        return complete(arguments + 2, (size_t)n_arguments - 2);
    struct choices choices = read_arguments(&args, n_arguments - 1, arguments + 1);
    struct study *study = &choices.study;
    if (choices.lists) {
        list_questions();
        return fflush(stdout) ? 2 : 0;
    }
    char style[4200];
    snprintf(style, sizeof style, "%s/harness/style.gp", study->source_dir);
    if (access(style, R_OK))
        fail(
            "%s: is not the study's folder: run this from the top of the source tree, or "
            "give --source",
            study->source_dir);
    study->program = hash_program();
    csv_begin_run(study_size_text(study->size), study->seed);
    (void)signal(SIGINT, on_interrupt);
    (void)signal(SIGTERM, on_interrupt);
    answer_all(study, choices.again, args.operands, (int)args.n_operands);
    return fflush(stdout) ? 2 : 0;
}
