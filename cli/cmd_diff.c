/* SPDX-License-Identifier: MIT */
/* ninho diff: the lines that are only here, and those that are only at the peer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "json.h"
#include "options/numbers.h"

struct diff_options {
    bool hide_here;
    bool hide_there;
    bool json;
    bool both;
    bool exact;
    double fpr;
    ninho_sets_method method;
};

static const char *const methods[] = {"auto", "sketch", "list", "bloom", NULL};

static bool parse_method(const struct option *option, const char *text, void *target,
                         char *why, size_t why_size)
{
    return word_number(option, text, why, why_size) >= 0 &&
           ninho_sets_method_from_name(text, target);
}

static const struct option own_options[] = {
    {FLAG("hide-here", struct diff_options, hide_here, "leave out what is only here"),
     .letter = '1'},
    {FLAG("hide-there", struct diff_options, hide_there, "leave out what is only there"),
     .letter = '2'},
    {FLAG("json", struct diff_options, json, "print JSON")},
    {VALUE("method", "METHOD", parse_method, struct diff_options, method, "how"),
     .words = methods},
    {VALUE("fpr", "P", parse_fpr, struct diff_options, fpr, "share that bloom misses")},
    {FLAG("exact", struct diff_options, exact, "find what bloom missed")},
    {FLAG("both", struct diff_options, both, "tell the other side too")},
    {0},
};

static void print_json(const ninho_exchange_report *report)
{
    struct json json = {0};

    json_object(&json, NULL);
    json_uint(&json, "rounds", report->rounds);
    json_uint(&json, "bytes_sent", report->bytes_sent);
    json_uint(&json, "bytes_received", report->bytes_received);
    json_uint(&json, "only_here", report->only_here);
    json_uint(&json, "only_there", report->only_there);
    json_string(&json, "method", ninho_sets_method_name(report->method));
    json_bool(&json, "exact", report->is_exact);
    json_object_end(&json);
}

static int print_answer(const struct exchange *exchange, const struct args *args,
                        const struct diff_options *options,
                        const struct exchange_manner *manner)
{
    const unsigned parts = (options->hide_here ? 0 : 1U << NINHO_SETS_ONLY_HERE) |
                           (options->hide_there ? 0 : 1U << NINHO_SETS_ONLY_THERE);
    ninho_exchange_report report = NINHO_EXCHANGE_REPORT_INIT;
    int status = EXIT_YES;

    (void)ninho_exchange_report_of(exchange->own, &report);
    if (options->json)
        print_json(&report);
    else
        status = exchange_print(exchange, parts, manner);
    if (status)
        return status;
    if (!report.is_exact && !options->json)
        warn("%s: the difference is not complete: filters miss about %.2g of it (--exact "
             "finds the rest)",
             args->operands[1], report.filter_fpr);
    return report.only_here || report.only_there || !report.is_exact ? EXIT_NO : EXIT_YES;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct diff_options options = {.method = NINHO_SETS_AUTO};
    struct exchange_manner manner = EXCHANGE_MANNER_DEFAULT;
    ninho_exchange_options question = NINHO_EXCHANGE_INIT;
    struct exchange exchange = {.own = NULL};
    void *const targets[] = {&options, &manner.options, &manner.peer, &manner.keys};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 2, 2, "FILE PEER", &status))
        return status;
    if (options.method != NINHO_SETS_BLOOM && (options.exact || args_given(&args, "fpr")))
        return usage_error(command, "--%s is for --method bloom",
                           options.exact ? "exact" : "fpr");
    if (options.both && options.method == NINHO_SETS_BLOOM && !options.exact)
        return usage_error(command, "--both wants an exact answer: --method bloom needs "
                                    "--exact for that");
    status = exchange_manner_init(&manner, command);
    if (status)
        return status;
    question.question = NINHO_SETS_DIFFERENCE;
    question.method = options.method;
    question.fpr = options.fpr;
    if (options.method == NINHO_SETS_BLOOM && !options.exact)
        question.precision = NINHO_SETS_APPROXIMATE;
    if (options.both)
        question.audience = NINHO_SETS_BOTH;
    status = exchange_ask(&exchange, &args, &manner, &question);
    if (!status)
        status = print_answer(&exchange, &args, &options, &manner);
    exchange_free(&exchange);
    return status;
}

static const struct option *const tables[] = {own_options, exchange_options, peer_options,
                                              key_options, NULL};

const struct command cmd_diff = {
    .name = "diff", .run = run, .options = tables, .is_application = true};
