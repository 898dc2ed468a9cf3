/* SPDX-License-Identifier: MIT */
/* ninho-bench: how fast are the filters, the dictionaries, the tool and the applications, next to
 * their peers? */
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: ninho-bench [filters|cuckoo|dicts|cli|hyphen|kmer|sets] [options]\n"
    "\n"
    "Measures every kind of filter and its peers (filters), the cuckoo filter beside "
    "the\n"
    "textbook's (cuckoo), every kind of dictionary and its peers (dicts), the "
    "command-line\n"
    "tool and its peers (cli), hyphenation and its peers (hyphen), k-mers and their "
    "peers\n"
    "(kmer), difference and intersection between two processes (sets); all of them "
    "when\n"
    "none is named. Prints tables; --json also writes a document.\n"
    "\n"
    "filters and dicts:\n"
    "  --keys N          keys in the set, and lookups of each sort; 1M (k, M, G: "
    "thousands)\n"
    "  --lookups N       no more lookups of each sort than this; 8M\n"
    "  --repetitions N   odd, at least 9; 15 for filters, 9 for dicts\n"
    "  --kinds A,B       only these, peers included; all\n"
    "filters:\n"
    "  --fpr P           between 0 and 1; 0.01\n"
    "  --no-huge         ordinary pages only for our tables\n"
    "cuckoo:\n"
    "  --keys N          7900k: what 2^23 slots of the textbook's filter are planned "
    "for\n"
    "  --repetitions N   odd, at least 9; 9\n"
    "  --fill            instead: the load at which tables of many sizes fail first; an "
    "hour\n"
    "cli:\n"
    "  --lines N         lines to check; 10M\n"
    "  --set N           keys in the set; 1M\n"
    "  --cli-repetitions N   odd; 5\n"
    "  --ninho PATH      the tool; the one beside ninho-bench\n"
    "hyphen and kmer:\n"
    "  --data DIR        what tools/fetch-data has fetched; .cache/data\n"
    "hyphen:\n"
    "  --hyphen-repetitions N   odd; 9\n"
    "kmer:\n"
    "  --reads N         reads to screen; 1M\n"
    "  --peer-reads N    no more of them for jellyfish and KMC, which are slow; 50k\n"
    "  --large N         also a set of N k-mers that no cache holds; none\n"
    "  --kmer-repetitions N  odd; 3\n"
    "sets:\n"
    "  --sets-lines N    lines of each file of diff; common has a twentieth and five "
    "times; 1M\n"
    "  --sets-repetitions N  odd; 3\n"
    "all:\n"
    "  --quick           an overview of all in five minutes: cuckoo as with --keys "
    "1975k, "
    "dicts with\n"
    "                    5 repetitions, cli with --lines 2M --cli-repetitions 3, kmer "
    "with\n"
    "                    --reads 200k --peer-reads 20k, fewer repetitions of the rest\n"
    "  --full            filters as with --keys 64M --repetitions 9, dicts as with "
    "--keys "
    "10M,\n"
    "                    kmer as with --peer-reads 1M --large 200M: more than an hour\n"
    "  --json FILE       write the results, every repetition included, as JSON\n"
    "  --help            this\n";

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

/* A count such as 64000000, 64M, 100k or 1G. */
static size_t parse_count(const char *option, const char *text)
{
    char *end;

    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    const char suffix = *end;
    const size_t unit = suffix == 'k'   ? 1000
                        : suffix == 'M' ? 1000 * 1000
                        : suffix == 'G' ? 1000 * 1000 * 1000
                                        : 1;
    if (errno || end == text || text[0] < '0' || text[0] > '9' ||
        (unit > 1 ? end[1] : *end) || value == 0 || value > SIZE_MAX / 64 / unit)
        die("%s %s: a count such as 1000, 100k, 64M is wanted", option, text);
    return (size_t)value * unit;
}

static size_t parse_repetitions(const char *option, const char *text, size_t least)
{
    const size_t n = parse_count(option, text);

    if (n < least || n % 2 == 0)
        die("%s %s: an odd number of at least %zu is wanted, for a median with an "
            "interval",
            option, text, least);
    return n;
}

static double parse_fpr(const char *text)
{
    char *end;
    const double fpr = strtod(text, &end);

    if (end == text || *end || !(fpr > 0) || !(fpr < 1))
        die("--fpr %s: a number above 0 and below 1 is wanted", text);
    return fpr;
}

static void parse_what(struct options *options, const char *what)
{
    options->runs_filters = strcmp(what, "filters") == 0;
    options->runs_cuckoo = strcmp(what, "cuckoo") == 0;
    options->runs_dicts = strcmp(what, "dicts") == 0;
    options->runs_cli = strcmp(what, "cli") == 0;
    options->runs_kmer = strcmp(what, "kmer") == 0;
    options->runs_hyphen = strcmp(what, "hyphen") == 0;
    options->runs_sets = strcmp(what, "sets") == 0;
    if (!options->runs_filters && !options->runs_cuckoo && !options->runs_dicts &&
        !options->runs_cli && !options->runs_hyphen && !options->runs_kmer &&
        !options->runs_sets)
        die("%s: not \"filters\", \"cuckoo\", \"dicts\", \"cli\", \"hyphen\", \"kmer\" "
            "or \"sets\" "
            "(--help shows the options)",
            what);
}

static struct options parse_options(int n_arguments, char **arguments)
{
    enum {
        KEYS = 1,
        LOOKUPS,
        REPETITIONS,
        KINDS,
        FPR,
        NO_HUGE,
        LINES,
        SET,
        CLI_REPETITIONS,
        DATA,
        HYPHEN_REPETITIONS,
        READS,
        PEER_READS,
        LARGE,
        KMER_REPETITIONS,
        SETS_LINES,
        SETS_REPETITIONS,
        QUICK,
        FULL,
        FILL,
        NINHO,
        JSON
    };
    static const struct option known[] = {
        {"keys", required_argument, NULL, KEYS},
        {"lookups", required_argument, NULL, LOOKUPS},
        {"repetitions", required_argument, NULL, REPETITIONS},
        {"kinds", required_argument, NULL, KINDS},
        {"fpr", required_argument, NULL, FPR},
        {"no-huge", no_argument, NULL, NO_HUGE},
        {"lines", required_argument, NULL, LINES},
        {"set", required_argument, NULL, SET},
        {"cli-repetitions", required_argument, NULL, CLI_REPETITIONS},
        {"data", required_argument, NULL, DATA},
        {"hyphen-repetitions", required_argument, NULL, HYPHEN_REPETITIONS},
        {"reads", required_argument, NULL, READS},
        {"peer-reads", required_argument, NULL, PEER_READS},
        {"large", required_argument, NULL, LARGE},
        {"kmer-repetitions", required_argument, NULL, KMER_REPETITIONS},
        {"sets-lines", required_argument, NULL, SETS_LINES},
        {"sets-repetitions", required_argument, NULL, SETS_REPETITIONS},
        {"quick", no_argument, NULL, QUICK},
        {"full", no_argument, NULL, FULL},
        {"fill", no_argument, NULL, FILL},
        {"ninho", required_argument, NULL, NINHO},
        {"json", required_argument, NULL, JSON},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {
        .n_keys = 1000 * 1000,
        .most_lookups = 8 * 1000 * 1000,
        .n_repetitions = 15,
        .n_cli_repetitions = 5,
        .n_cli_lines = 10 * 1000 * 1000,
        .n_cli_set = 1000 * 1000,
        .n_dict_keys = 1000 * 1000,
        .n_dict_repetitions = 9,
        .n_cuckoo_keys = 7900 * 1000,
        .n_cuckoo_repetitions = 9,
        .data = ".cache/data",
        .n_hyphen_repetitions = 9,
        .n_kmer_reads = 1000 * 1000,
        .n_kmer_peer_reads = 50 * 1000,
        .n_kmer_repetitions = 3,
        .n_sets_lines = 1000 * 1000,
        .n_sets_repetitions = 3,
        .fpr = 0.01,
        .runs_filters = true,
        .runs_cuckoo = true,
        .runs_dicts = true,
        .runs_cli = true,
        .runs_kmer = true,
        .runs_hyphen = true,
        .runs_sets = true,
    };

    for (;;) {
        const int option = getopt_long(n_arguments, arguments, "h", known, NULL);
        if (option == -1)
            break;
        switch (option) {
        case KEYS:
            options.n_keys = parse_count("--keys", optarg);
            options.n_dict_keys = options.n_keys;
            options.n_cuckoo_keys = options.n_keys;
            break;
        case LOOKUPS:
            options.most_lookups = parse_count("--lookups", optarg);
            break;
        case REPETITIONS:
            options.n_repetitions = parse_repetitions("--repetitions", optarg, 9);
            options.n_dict_repetitions = options.n_repetitions;
            options.n_cuckoo_repetitions = options.n_repetitions;
            break;
        case KINDS:
            options.kinds = optarg;
            break;
        case FPR:
            options.fpr = parse_fpr(optarg);
            break;
        case NO_HUGE:
            options.pages = NINHO_PAGES_SMALL;
            break;
        case LINES:
            options.n_cli_lines = parse_count("--lines", optarg);
            break;
        case SET:
            options.n_cli_set = parse_count("--set", optarg);
            break;
        case CLI_REPETITIONS:
            options.n_cli_repetitions = parse_repetitions("--cli-repetitions", optarg, 1);
            break;
        case DATA:
            options.data = optarg;
            break;
        case HYPHEN_REPETITIONS:
            options.n_hyphen_repetitions =
                parse_repetitions("--hyphen-repetitions", optarg, 1);
            break;
        case READS:
            options.n_kmer_reads = parse_count("--reads", optarg);
            break;
        case PEER_READS:
            options.n_kmer_peer_reads = parse_count("--peer-reads", optarg);
            break;
        case LARGE:
            options.n_kmer_large = parse_count("--large", optarg);
            break;
        case KMER_REPETITIONS:
            options.n_kmer_repetitions =
                parse_repetitions("--kmer-repetitions", optarg, 1);
            break;
        case SETS_LINES:
            options.n_sets_lines = parse_count("--sets-lines", optarg);
            if (options.n_sets_lines < 2000)
                die("--sets-lines %s: at least 2000 are wanted", optarg);
            break;
        case SETS_REPETITIONS:
            options.n_sets_repetitions =
                parse_repetitions("--sets-repetitions", optarg, 1);
            if (options.n_sets_repetitions > MAX_EXCHANGE_RUNS)
                die("--sets-repetitions %s: at most %d", optarg, MAX_EXCHANGE_RUNS);
            break;
        case QUICK:
            options.n_repetitions = 9;
            options.n_cuckoo_keys = 1975 * 1000; /* a quarter, at the same load */
            options.n_dict_repetitions = 5;
            options.n_cli_lines = 2 * 1000 * 1000;
            options.n_cli_repetitions = 3;
            options.n_hyphen_repetitions = 5;
            options.n_kmer_reads = 200 * 1000;
            options.n_kmer_peer_reads = 20 * 1000;
            options.n_sets_repetitions = 1;
            break;
        case FULL:
            options.n_keys = 64 * 1000 * 1000;
            options.n_dict_keys = 10 * 1000 * 1000;
            options.n_repetitions = 9;
            options.n_kmer_peer_reads = 1000 * 1000;
            options.n_kmer_large = 200 * 1000 * 1000;
            break;
        case FILL:
            options.fills = true;
            break;
        case NINHO:
            options.ninho = optarg;
            break;
        case JSON:
            options.json_path = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            exit(2); /* getopt has said why */
        }
    }
    if (optind < n_arguments)
        parse_what(&options, arguments[optind++]);
    if (optind < n_arguments)
        die("%s: one argument too many", arguments[optind]);
    if (options.n_kmer_peer_reads > options.n_kmer_reads)
        options.n_kmer_peer_reads = options.n_kmer_reads;
    return options;
}

int main(int n_arguments, char **arguments)
{
    if (n_arguments > 3 && strcmp(arguments[1], "relay") == 0)
        return relay(arguments[2], arguments + 3);

    const struct options options = parse_options(n_arguments, arguments);
    struct report *report = open_report(&options);

    if (options.runs_filters)
        bench_filters(&options, report);
    if (options.runs_cuckoo)
        bench_cuckoo(&options, report);
    if (options.runs_dicts)
        bench_dicts(&options, report);
    if (options.runs_cli)
        bench_cli(&options, report);
    if (options.runs_kmer)
        bench_kmer(&options, report);
    if (options.runs_hyphen)
        bench_hyphen(&options, report);
    if (options.runs_sets)
        bench_sets(&options, report);
    close_report(report);
    return 0;
}
