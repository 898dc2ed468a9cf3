/* SPDX-License-Identifier: MIT */
/* ninho common: the lines that are here and at the peer. */
#include <inttypes.h>
#include <stdlib.h>

#include "exchange.h"
#include "json.h"
#include "output.h"

struct common_options {
    bool count;
    bool json;
    bool both;
};

static const struct option own_options[] = {
    {FLAG("count", struct common_options, count, "print how many"), .letter = 'c'},
    {FLAG("json", struct common_options, json, "print JSON")},
    {FLAG("both", struct common_options, both, "tell the other side too")},
    {0},
};

static void print_json(const ninho_exchange_report *report)
{
    struct json json = {0};

    json_object(&json, NULL);
    json_uint(&json, "rounds", report->rounds);
    json_uint(&json, "bytes_sent", report->bytes_sent);
    json_uint(&json, "bytes_received", report->bytes_received);
    json_uint(&json, "common", report->in_both);
    json_string(&json, "method", ninho_sets_method_name(report->method));
    json_bool(&json, "exact", report->is_exact);
    json_object_end(&json);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct common_options options = {0};
    struct exchange_manner manner = EXCHANGE_MANNER_DEFAULT;
    ninho_exchange_options question = NINHO_EXCHANGE_INIT;
    ninho_exchange_report report = NINHO_EXCHANGE_REPORT_INIT;
    struct exchange exchange = {.own = NULL};
    void *const targets[] = {&options, &manner.options, &manner.peer, &manner.keys};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 2, 2, "FILE PEER", &status))
        return status;
    if (options.count && options.json)
        return usage_error(command, "-c and --json exclude each other");
    status = exchange_manner_init(&manner, command);
    if (status)
        return status;
    question.question = NINHO_SETS_COMMON;
    if (options.both)
        question.audience = NINHO_SETS_BOTH;
    status = exchange_ask(&exchange, &args, &manner, &question);
    if (!status) {
        (void)ninho_exchange_report_of(exchange.own, &report);
        if (options.json)
            print_json(&report);
        else if (options.count)
            output_format("%" PRIu64 "\n", report.in_both);
        else
            status = exchange_print(&exchange, 1U << NINHO_SETS_IN_BOTH, &manner);
    }
    exchange_free(&exchange);
    if (status)
        return status;
    return report.in_both ? EXIT_YES : EXIT_NO;
}

static const struct option *const tables[] = {own_options, exchange_options, peer_options,
                                              key_options, NULL};

const struct command cmd_common = {
    .name = "common", .run = run, .options = tables, .is_application = true};
