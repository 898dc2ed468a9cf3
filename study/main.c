/* SPDX-License-Identifier: MIT */
/* ninho-study: answers the questions, and writes the report. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/fail.h"
#include "harness/figure.h"
#include "report/page.h"
#include "study.h"

static const char usage[] =
    "usage: ninho-study [options] [NAME...]\n"
    "\n"
    "Answers the questions of the study (all of them, or those named) and writes, for "
    "each, its\n"
    "data and figure, and one page about them all: OUT/report/index.html.\n"
    "\n"
    "  --list         name the questions and stop\n"
    "  --full         as the documents did it: more seeds, more keys, hours\n"
    "  --seed N       another random draw; 1\n"
    "  --data DIR     what was fetched; .cache/data\n"
    "  --out DIR      where the results go; build/study\n"
    "  --source DIR   the study's folder in the source tree; study\n"
    "  --help         this\n";

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

/* Makes a folder and the folders above it. */
static void make_folders(const char *path)
{
    char part[4096];

    for (const char *at = path; at; at = strchr(at + 1, '/')) {
        const char *end = strchr(at + 1, '/');
        const size_t length = end ? (size_t)(end - path) : strlen(path);
        if (length >= sizeof part)
            fail("%s: too long a path", path);
        memcpy(part, path, length);
        part[length] = '\0';
        if (mkdir(part, 0777) && errno != EEXIST)
            fail("%s: %s", part, strerror(errno));
    }
}

static uint64_t parse_seed(const char *text)
{
    char *end;

    errno = 0;
    const unsigned long long seed = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-')
        fail("--seed %s: a whole number is wanted", text);
    return seed;
}

static const struct question *find_question(const char *name)
{
    for (const struct question *q = questions; q->name; q++)
        if (strcmp(q->name, name) == 0)
            return q;
    fail("%s: no such question (--list names them)", name);
}

static void list_questions(void)
{
    for (const struct question *q = questions; q->name; q++)
        printf("%-28s %s\n", q->name, q->title);
}

static void answer_question(const struct study *study, const struct question *question,
                            struct answer *answer)
{
    char folder[4096];
    char data[4200];
    char figure[4200];
    char script[4200];

    snprintf(folder, sizeof folder, "%s/%s", study->out_dir, question->name);
    snprintf(data, sizeof data, "%s/data.csv", folder);
    snprintf(figure, sizeof figure, "%s/figure.svg", folder);
    snprintf(script, sizeof script, "%s/%s/plot.gp", study->source_dir, question->name);
    make_folders(folder);
    question->run(study, folder, answer);
    figure_draw(script, data, figure);
    printf("%s: %s\n  %s\n", question->name, verdict_text(answer->verdict),
           answer->summary);
    fflush(stdout);
}

/* Answers the questions named, all if none is, and writes the page about them. */
static void answer_all(const struct study *study, char *const *names, int n_names)
{
    size_t n = 0;
    while (questions[n].name)
        n++;
    const struct question **chosen = allocate(n + (size_t)n_names, sizeof *chosen);
    struct answer *answers = allocate(n + (size_t)n_names, sizeof *answers);
    char folder[4096];
    char path[4200];

    for (size_t i = 0; i < n; i++)
        chosen[i] = &questions[i];
    for (int i = 0; i < n_names; i++)
        chosen[i] = find_question(names[i]);
    if (n_names)
        n = (size_t)n_names;
    figure_check();
    for (size_t i = 0; i < n; i++)
        answer_question(study, chosen[i], &answers[i]);
    snprintf(folder, sizeof folder, "%s/report", study->out_dir);
    make_folders(folder);
    snprintf(path, sizeof path, "%s/index.html", folder);
    page_write(path, study, chosen, answers, n);
    printf("report: %s\n", path);
    for (size_t i = 0; i < n; i++)
        free(answers[i].table.cells);
    free(answers);
    free(chosen);
}

int main(int n_arguments, char **arguments)
{
    enum { LIST = 1, FULL, SEED, DATA, OUT, SOURCE };
    static const struct option known[] = {
        {"list", no_argument, NULL, LIST},
        {"full", no_argument, NULL, FULL},
        {"seed", required_argument, NULL, SEED},
        {"data", required_argument, NULL, DATA},
        {"out", required_argument, NULL, OUT},
        {"source", required_argument, NULL, SOURCE},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct study study = {
        .data_dir = ".cache/data",
        .out_dir = "build/study",
        .source_dir = "study",
        .seed = 1,
    };

    for (;;) {
        const int option = getopt_long(n_arguments, arguments, "h", known, NULL);
        if (option == -1)
            break;
        switch (option) {
        case LIST:
            list_questions();
            return 0;
        case FULL:
            study.is_full = true;
            break;
        case SEED:
            study.seed = parse_seed(optarg);
            break;
        case DATA:
            study.data_dir = optarg;
            break;
        case OUT:
            study.out_dir = optarg;
            break;
        case SOURCE:
            study.source_dir = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            return 2; /* getopt has said why */
        }
    }
    answer_all(&study, arguments + optind, n_arguments - optind);
    return fflush(stdout) ? 2 : 0;
}
