/* SPDX-License-Identifier: MIT */
/* ninho kmer check: which records of a file have their k-mers in an index. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kmer_checker.h"
#include "memory.h"
#include "options/numbers.h"
#include "output.h"
#include "report.h"
#include "setfile.h"
#include "setpipe.h"
#include "threads.h"

/* Of its k-mers that must be found for a record to match, if nothing is said. */
#define DEFAULT_FRACTION 0.5

static bool parse_fraction(const struct option *option, const char *text, void *target,
                           char *why, size_t why_size)
{
    double value = 0;

    (void)option;
    /* The two ends, which no fpr may be, with any number of decimals: 0, 1.00, 100%, 0.0%. */
    const size_t size = strlen(text);
    const bool is_percent = size > 1 && text[size - 1] == '%';
    const char *one = is_percent ? "100" : "1";
    const size_t whole = strspn(text, "0123456789");
    const bool is_zero = whole == 1 && text[0] == '0';
    const bool is_one = whole == strlen(one) && strncmp(text, one, whole) == 0;
    size_t end = whole;
    if (text[end] == '.')
        end += 1 + strspn(text + end + 1, "0");
    if ((is_zero || is_one) && end == size - is_percent)
        value = is_one ? 1 : 0;
    else if (!parse_fpr(option, text, &value, why, why_size)) {
        (void)snprintf(why, why_size, "must be from 0 to 1, as 0.5 or 50%%");
        return false;
    }
    *(double *)target = value;
    return true;
}

static bool parse_path(const struct option *option, const char *text, void *target,
                       char *why, size_t why_size)
{
    struct paths *paths = target;

    if (paths->n == MAX_OUTPUTS) {
        (void)snprintf(why, why_size, "there are %d already", MAX_OUTPUTS);
        return false;
    }
    return parse_text(option, text, &paths->paths[paths->n++], why, why_size);
}

static const struct option own_options[] = {
    {VALUE("min-fraction", "F", parse_fraction, struct check_options, min_fraction,
           "k-mers that must be found for a record to match")},
    {VALUE("include", "FILE", parse_path, struct check_options, chosen[MATCHING],
           "write the records that match"),
     .may_repeat = true},
    {VALUE("exclude", "FILE", parse_path, struct check_options, chosen[OTHERS],
           "write the other records"),
     .may_repeat = true},
    {VALUE("output", "FILE", parse_text, struct check_options, output,
           "write the lines to a file"),
     .letter = 'o'},
    {FLAG("paired", struct check_options, paired, "files come in twos")},
    {FLAG("both", struct check_options, both, "both of a pair must match")},
    {FLAG("count", struct check_options, count, "print totals only"), .letter = 'c'},
    {FLAG("json", struct check_options, json, "print JSON")},
    {FLAG("summary", struct check_options, summary, "print totals on standard error")},
    {0},
};

static const struct option map_options[] = {
    {FLAG("mmap", struct open_options, map, "map the file instead of reading it")},
    {0},
};

/* ---- The whole ----------------------------------------------------------------------------- */

static void print_totals(const struct checker *checker, const struct kmer_input *input)
{
    const double fraction =
        checker->n_kmers ? (double)checker->n_found / (double)checker->n_kmers : 0;
    struct json json = {0};

    if (!checker->options.json) {
        report_line("records", "%" PRIu64, checker->n_records);
        report_line("matching", "%" PRIu64, checker->n_matching);
        report_line("without k-mers", "%" PRIu64, checker->n_without);
        if (input->n_passed_over)
            report_line("passed over", "%" PRIu64, input->n_passed_over);
        report_line("k-mers", "%" PRIu64, checker->n_kmers);
        report_line("found", "%" PRIu64, checker->n_found);
        if (checker->n_kmers)
            report_line("fraction", "%.4f", fraction);
        else
            report_line("fraction", "NA");
        report_line("skipped", "%" PRIu64, checker->n_skipped);
        return;
    }
    json_object(&json, NULL);
    json_uint(&json, "records", checker->n_records);
    json_uint(&json, "matching", checker->n_matching);
    json_uint(&json, "without_kmers", checker->n_without);
    json_uint(&json, "passed_over", input->n_passed_over);
    json_uint(&json, "kmers", checker->n_kmers);
    json_uint(&json, "found", checker->n_found);
    if (checker->n_kmers)
        json_double(&json, "fraction", fraction);
    else
        json_null(&json, "fraction");
    json_uint(&json, "skipped", checker->n_skipped);
    json_object_end(&json);
}

/* On stderr, since standard output has the table. */
static void print_summary(const struct checker *checker, const struct kmer_input *input)
{
    char passed_over[64] = "";

    if (input->n_passed_over)
        (void)snprintf(passed_over, sizeof passed_over, ", %" PRIu64 " passed over",
                       input->n_passed_over);
    warn("%" PRIu64 " records, %" PRIu64 " matching, %" PRIu64
         " without k-mers%s; %" PRIu64 " k-mers, %" PRIu64 " found, %" PRIu64
         " windows skipped",
         checker->n_records, checker->n_matching, checker->n_without, passed_over,
         checker->n_kmers, checker->n_found, checker->n_skipped);
}

/* Nothing that is read, and nothing twice, may be written; to standard output goes one thing. */
static int check_outputs(struct check_options *options, const struct args *args)
{
    const char *paths[2 * MAX_OUTPUTS + 1];
    char *const *files = args->operands + 1;
    const size_t n_files = args->n_operands - 1;
    size_t n = 0;
    int status = EXIT_YES;

    if (options->output && outfile_is_stdout(options->output))
        options->output = NULL; /* where lines go anyway */
    if (options->output)
        paths[n++] = options->output;
    bool is_stdout_taken = !options->output;
    for (int which = 0; which < 2; which++)
        for (size_t f = 0; f < options->chosen[which].n; f++) {
            const char *path = options->chosen[which].paths[f];
            if (!outfile_is_stdout(path))
                paths[n++] = path;
            else if (is_stdout_taken)
                return fail("%s: standard output has something else already%s", path,
                            options->count ? ": the totals"
                            : options->output
                                ? ""
                                : ": put the lines into a file with --output");
            else
                is_stdout_taken = true;
        }
    for (size_t i = 0; !status && i < n; i++) {
        status = outfile_check(paths[i], files, n_files, paths, i);
        if (!status)
            status = outfile_check(paths[i], args->operands, 1, NULL, 0);
    }
    return status;
}

static int open_outputs(struct checker *checker)
{
    const struct check_options *options = &checker->options;
    int status = EXIT_YES;

    for (int which = 0; which < 2; which++)
        for (size_t f = 0; !status && f < options->chosen[which].n; f++)
            status = outfile_open_text(&checker->chosen[which][f],
                                       options->chosen[which].paths[f]);
    if (!status && options->output)
        status = outfile_open_text(&checker->table, options->output);
    return status;
}

/* Does this to all files to be written, until one fails. */
static int with_outputs(struct checker *checker, int (*what)(struct outfile *output))
{
    int status = EXIT_YES;

    for (int which = 0; which < 2; which++)
        for (size_t f = 0; !status && f < checker->options.chosen[which].n; f++)
            status = what(&checker->chosen[which][f]);
    if (!status && checker->options.output)
        status = what(&checker->table);
    return status;
}

static void close_outputs(struct checker *checker)
{
    for (int which = 0; which < 2; which++)
        for (size_t f = 0; f < MAX_OUTPUTS; f++)
            outfile_close(&checker->chosen[which][f]);
    outfile_close(&checker->table);
    text_free(&checker->pending.name);
    text_free(&checker->pending.record);
}

static int check_options(const struct args *args, struct check_options *options)
{
    const size_t n_files = args->n_operands - 1;

    if (options->both && !options->paired)
        return usage_error(args->command, "--both is for --paired");
    if (options->paired && (n_files == 0 || n_files % 2 != 0))
        return usage_error(args->command, "--paired expects two files, or four, ...");
    for (size_t i = 1; options->paired && i < n_files; i += 2)
        if (outfile_are_same(args->operands[i], args->operands[i + 1]))
            return usage_error(args->command, "%.200s: cannot be both files of a pair",
                               args->operands[i + 1]);
    for (int which = 0; which < 2; which++)
        if (options->chosen[which].n == 2 && !options->paired)
            return usage_error(args->command,
                               "--%s is given twice, which is for --paired",
                               which == MATCHING ? "include" : "exclude");
    if (options->output && options->count)
        return usage_error(args->command,
                           "--output is for the table, and --count has none");
    return EXIT_YES;
}

/* Whoever forgets the index, or has not made one, names a genome in its place. */
static const char *advise(const char *path)
{
    ninho_kmer_reader *reader = NULL;
    ninho_kmer_batch batch = {0};
    const bool has_sequences = !ninho_kmer_reader_open(path, 0, &reader, NULL) &&
                               !ninho_kmer_reader_next(reader, &batch, 0, NULL);

    ninho_kmer_batch_free(&batch);
    ninho_kmer_reader_close(reader);
    return has_sequences ? "holds sequences, and is no index: the index comes first, and "
                           "ninho kmer build makes it"
                         : NULL;
}

/* What the index is, and whether it is what was asked for. */
static int open_index(const char *path, const struct args *args,
                      const struct rule_options *asked, const struct set *set,
                      ninho_kmer_index *index)
{
    ninho_error error = NINHO_ERROR_INIT;

    if (set->filter ? ninho_kmer_index_filter(index, set->filter, &error)
                    : ninho_kmer_index_dict(index, set->dict, &error))
        return error.status == NINHO_ERR_MISMATCH
                   ? fail("%s: %s: ninho kmer build makes an index", path, error.text)
                   : fail_error(path, &error);
    const ninho_kmer_rule rule = {
        .k = asked->k ? asked->k : index->rule.k,
        .strand = args_given(args, "forward") ? NINHO_KMER_FORWARD : index->rule.strand,
    };
    return ninho_kmer_index_agrees(index, &rule, &error) ? fail_error(path, &error)
                                                         : EXIT_YES;
}

static int check_files(struct checker *checker, const struct args *args,
                       unsigned n_threads)
{
    const struct kmer_job job = {.work = checker_look_up,
                                 .consume = checker_take,
                                 .context = checker,
                                 .overlap = checker->index.rule.k - 1,
                                 .is_paired = checker->options.paired,
                                 .progress = "bases"};
    struct kmer_input input = {0};
    int status = open_outputs(checker);

    if (!status)
        status = kmer_stream(args->operands + 1, args->n_operands - 1, n_threads, &job,
                             &input);
    if (!status)
        status = with_outputs(checker, outfile_settle);
    if (!status && checker->options.count)
        print_totals(checker, &input);
    /* What stands on standard output belongs to the files: no one without the other. */
    if (!status && !output_is_written())
        status = EXIT_ERROR;
    if (!status)
        status = with_outputs(checker, outfile_publish);
    close_outputs(checker);
    if (status)
        return status;
    if (checker->options.summary)
        print_summary(checker, &input);
    return checker->n_matching ? EXIT_YES : EXIT_NO;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct checker checker = {
        .options = {.min_fraction = -1},
        .table = OUTFILE_INIT,
        .chosen = {{OUTFILE_INIT, OUTFILE_INIT}, {OUTFILE_INIT, OUTFILE_INIT}}};
    struct rule_options rule = {0};
    struct thread_options threads = {0};
    struct open_options open = {.advise = advise};
    struct set set = {0};
    void *const targets[] = {&checker.options, &rule, &threads, &open, &open, &open};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, SIZE_MAX, "INDEX [FILE...]", &status))
        return status;
    status = check_options(&args, &checker.options);
    if (!status)
        status = check_one_stdin(&args, args.operands[0], args.operands + 1,
                                 args.n_operands - 1);
    if (!status)
        status = kmer_check_files(&args, args.operands + 1, args.n_operands - 1);
    if (!status)
        status = check_outputs(&checker.options, &args);
    if (!status)
        status = set_open(args.operands[0], &open, SEALED_REFUSED, SET_TO_ASK, &set);
    if (status)
        return status;
    checker.min_fraction = checker.options.min_fraction < 0
                               ? DEFAULT_FRACTION
                               : checker.options.min_fraction;
    checker.has_lines = !checker.options.count;
    checker.has_all_lines = checker.options.min_fraction < 0;
    status = open_index(args.operands[0], &args, &rule, &set, &checker.index);
    if (!status)
        status = check_files(&checker, &args, thread_count(&threads));
    set_free(&set);
    return status;
}

static const struct option *const tables[] = {
    own_options, rule_options, thread_options, key_file_options, pages_options,
    map_options, NULL};

const struct command kmer_check = {.name = "kmer check", .run = run, .options = tables};
