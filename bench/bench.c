/* SPDX-License-Identifier: MIT */
/* ninho-bench: how fast are the filters, the dictionaries, the tool and the applications, next to
 * their peers? */
#include "bench.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/numbers.h"

static const char usage[] =
    "usage: ninho-bench [filters|cuckoo|dicts|cli|hyphen|kmer|sets|threads] [options]\n"
    "\n"
    "Measures every kind of filter and its peers (filters), the cuckoo filter beside "
    "the\n"
    "textbook's (cuckoo), every kind of dictionary and its peers (dicts), the "
    "command-line\n"
    "tool and its peers (cli), hyphenation and its peers (hyphen), k-mers and their "
    "peers\n"
    "(kmer), difference and intersection between two processes (sets), readers beside "
    "writers\n"
    "(threads); all of them when none is named. Prints tables; --json also writes a "
    "document.\n"
    "\n";

void die(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fputs("ninho-bench: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);

    if (!memory)
        die("no memory for %zu x %zu bytes", n, size);
    return memory;
}

void show_progress(const char *what, size_t done, size_t of)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, done < of ? "\r%s: %3zu %%" : "\r%s: %3zu %%\r\033[K", what,
            100 * done / of);
    fflush(stderr);
}

/* ---- Options ------------------------------------------------------------------------------- */

#define MOST (SIZE_MAX / 64)

/* An odd number within the option's range: medians have a middle. */
static bool parse_odd(const struct option *option, const char *text, void *target,
                      char *why, size_t why_size)
{
    size_t n = 0;

    if (parse_size(option, text, &n, why, why_size) && n % 2 == 1) {
        *(size_t *)target = n;
        return true;
    }
    (void)snprintf(
        why, why_size,
        "must be an odd number from %llu to %llu, for a median with an interval",
        (unsigned long long)option->min, (unsigned long long)option->max);
    return false;
}

#define COUNT(name, field, least, help)                                         \
    {                                                                           \
        NUMBER(name, "N", parse_size, struct options, field, least, MOST, help) \
    }
#define ODD(name, field, least, most, help)                                    \
    {                                                                          \
        NUMBER(name, "N", parse_odd, struct options, field, least, most, help) \
    }

static const struct option common_options[] = {
    COUNT("keys", n_keys, 1,
          "keys in the set, and lookups of each sort; 1M, cuckoo 7900k"),
    ODD("repetitions", n_repetitions, 9, MOST,
        "odd, at least 9; 15 for filters, 9 for the others"),
    {0},
};
static const struct option filter_options[] = {
    COUNT("lookups", most_lookups, 1, "no more lookups of each sort than this; 8M"),
    {VALUE("kinds", "A,B", parse_text, struct options, kinds,
           "only these, peers included; all")},
    {0},
};
static const struct option own_options[] = {
    {VALUE("fpr", "P", parse_fpr, struct options, fpr, "between 0 and 1; 0.01")},
    {FLAG("no-huge", struct options, no_huge, "ordinary pages only for our tables")},
    {0},
};
static const struct option cuckoo_options[] = {
    {FLAG("fill", struct options, fills,
          "instead: the load at which tables fail first; an hour")},
    {0},
};
static const struct option cli_options[] = {
    COUNT("lines", n_cli_lines, 1, "lines to check; 10M"),
    COUNT("set", n_cli_set, 1, "keys in the set; 1M"),
    ODD("cli-repetitions", n_cli_repetitions, 1, MOST, "odd; 5"),
    {VALUE("ninho", "FILE", parse_text, struct options, ninho,
           "the tool; the one beside ninho-bench")},
    {0},
};
static const struct option app_options[] = {
    {VALUE("data", "DIR", parse_text, struct options, data,
           "what tools/fetch-data has fetched; .cache/data")},
    ODD("hyphen-repetitions", n_hyphen_repetitions, 1, MOST, "odd; 9"),
    COUNT("reads", n_kmer_reads, 1, "reads to screen; 1M"),
    COUNT("peer-reads", n_kmer_peer_reads, 1,
          "no more of them for jellyfish and KMC, which are slow; 50k"),
    COUNT("large", n_kmer_large, 1, "also a set of N k-mers that no cache holds; none"),
    ODD("kmer-repetitions", n_kmer_repetitions, 1, MOST, "odd; 3"),
    COUNT("sets-lines", n_sets_lines, 2000,
          "lines of each file of diff; common has a twentieth and five times; 1M"),
    ODD("sets-repetitions", n_sets_repetitions, 1, MAX_EXCHANGE_RUNS, "odd; 3"),
    {0},
};
static const struct option all_options[] = {
    {FLAG("quick", struct options, is_quick,
          "an overview in five minutes: smaller sets, fewer repetitions")},
    {FLAG("full", struct options, is_full,
          "64M keys, 10M in dictionaries, 200M k-mers: more than an hour")},
    {VALUE("json", "FILE", parse_text, struct options, json_path,
           "write the results, every repetition included, as JSON")},
    {0},
};
static const struct option *const tables[] = {
    common_options, filter_options, own_options, cuckoo_options,
    cli_options,    app_options,    all_options, NULL};
static const char *const titles[] = {"filters, cuckoo, dicts and threads:",
                                     "filters and dicts:",
                                     "filters:",
                                     "cuckoo:",
                                     "cli:",
                                     "hyphen, kmer and sets:",
                                     "all:"};

/* What is measured, and what says so. */
static const struct {
    const char *name;
    void (*run)(const struct options *options, struct report *report);
} parts[] = {
    {"filters", bench_filters}, {"cuckoo", bench_cuckoo},   {"dicts", bench_dicts},
    {"cli", bench_cli},         {"kmer", bench_kmer},       {"hyphen", bench_hyphen},
    {"sets", bench_sets},       {"threads", bench_threads},
};
enum { N_PARTS = sizeof parts / sizeof *parts };

/* What was not given, in the three sizes of a run. */
static void fill_in(struct options *options)
{
    const struct {
        size_t *count;
        size_t usual, quick, full;
    } counts[] = {
        {&options->n_dict_keys, 1000000, 1000000, 10000000},
        {&options->n_cuckoo_keys, 7900000, 1975000, 7900000}, /* at the same load */
        {&options->n_keys, 1000000, 1000000, 64000000},
        {&options->n_dict_repetitions, 9, 5, 9},
        {&options->n_cuckoo_repetitions, 9, 9, 9},
        {&options->n_repetitions, 15, 9, 9},
        {&options->most_lookups, 8000000, 8000000, 8000000},
        {&options->n_cli_repetitions, 5, 3, 5},
        {&options->n_cli_lines, 10000000, 2000000, 10000000},
        {&options->n_cli_set, 1000000, 1000000, 1000000},
        {&options->n_hyphen_repetitions, 9, 5, 9},
        {&options->n_kmer_reads, 1000000, 200000, 1000000},
        {&options->n_kmer_peer_reads, 50000, 20000, 1000000},
        {&options->n_kmer_large, 0, 0, 200000000},
        {&options->n_kmer_repetitions, 3, 3, 3},
        {&options->n_sets_lines, 1000000, 1000000, 1000000},
        {&options->n_sets_repetitions, 3, 1, 3},
    };

    options->n_dict_keys = options->n_cuckoo_keys = options->n_keys;
    options->n_dict_repetitions = options->n_cuckoo_repetitions = options->n_repetitions;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!*counts[i].count)
            *counts[i].count = options->is_quick  ? counts[i].quick
                               : options->is_full ? counts[i].full
                                                  : counts[i].usual;
    if (options->n_kmer_peer_reads > options->n_kmer_reads)
        options->n_kmer_peer_reads = options->n_kmer_reads;
    options->pages = options->no_huge ? NINHO_PAGES_SMALL : NINHO_PAGES_AUTO;
}

/* The number of the part that was asked for; N_PARTS: all. */
static size_t find_part(const struct args *args)
{
    size_t i = 0;

    if (!args->n_operands)
        return N_PARTS;
    if (args->n_operands > 1)
        die("%s: one argument too many; try 'ninho-bench --help'", args->operands[1]);
    while (i < N_PARTS && strcmp(parts[i].name, args->operands[0]) != 0)
        i++;
    if (i == N_PARTS)
        die("%s: must be one of filters, cuckoo, dicts, cli, kmer, hyphen, sets, "
            "threads; try "
            "'ninho-bench --help'",
            args->operands[0]);
    return i;
}

/* Answers the part to run. */
static size_t read_arguments(struct options *options, int n_arguments, char **arguments)
{
    void *const targets[] = {options, options, options, options,
                             options, options, options};
    struct args args;

    *options = (struct options){.data = ".cache/data", .fpr = 0.01};
    switch (args_read(&args, tables, n_arguments, arguments, targets)) {
    case ARGS_HELP:
        fputs(usage, stdout);
        options_print(stdout, tables, titles);
        exit(fflush(stdout) ? 2 : 0);
    case ARGS_WRONG:
        die("%s; try 'ninho-bench --help'", args.why);
    case ARGS_READ:
        break;
    }
    if (options->is_quick && options->is_full)
        die("--quick and --full exclude each other; try 'ninho-bench --help'");
    fill_in(options);
    const size_t part = find_part(&args);
    options->runs_all = part == N_PARTS;
    return part;
}

/* What the last word may become. */
static int complete(char *const *words, size_t n_words)
{
    const struct offer offer = options_expect(tables, words, n_words);

    offer_options(&offer, tables);
    for (size_t i = 0; offer.what == OFFER_OPERAND && i < N_PARTS; i++)
        offer_word(&offer, parts[i].name, NULL);
    return 0;
}

int main(int n_arguments, char **arguments)
{
    struct options options;

    if (n_arguments > 3 && strcmp(arguments[1], "relay") == 0)
        return relay(arguments[2], arguments + 3);
    if (n_arguments > 2 && strcmp(arguments[1], "__complete") == 0)
        return complete(arguments + 2, (size_t)n_arguments - 2);

    const size_t part = read_arguments(&options, n_arguments - 1, arguments + 1);
    struct report *report = open_report(&options);
    for (size_t i = 0; i < N_PARTS; i++)
        if (options.runs_all || part == i)
            parts[i].run(&options, report);
    close_report(report);
    return 0;
}
