/* SPDX-License-Identifier: MIT */
/* ninho serve-set: the other side of diff and common, on standard input and output. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exchange.h"
#include "options/numbers.h"
#include "outfile.h"

struct serve_options {
    const char *output; /* NULL: none */
};

static const struct option own_options[] = {
    {VALUE("output", "FILE", parse_text, struct serve_options, output,
           "write the answer to a file"),
     .letter = 'o'},
    {0},
};

/* Serves, and writes the answer to the file if there is to be one. */
static int serve(struct exchange *exchange, char *file, struct outfile *output,
                 const struct exchange_manner *manner)
{
    const unsigned parts = 1U << NINHO_SETS_ONLY_HERE | 1U << NINHO_SETS_ONLY_THERE |
                           1U << NINHO_SETS_IN_BOTH;
    ninho_exchange_report report = NINHO_EXCHANGE_REPORT_INIT;

    int status = exchange_answer(exchange, file, manner);
    if (status || !output->path)
        return status;
    (void)ninho_exchange_report_of(exchange->own, &report);
    if (!report.is_told)
        return fail("%s: not written: the caller does not tell the answer (its --both)",
                    output->path);
    status = exchange_check(exchange, output->path, manner);
    if (!status)
        status = exchange_write(exchange, parts, manner, output);
    if (!status)
        status = outfile_settle(output);
    return status ? status : outfile_publish(output);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct serve_options options = {0};
    struct exchange_manner manner = EXCHANGE_MANNER_DEFAULT;
    struct exchange exchange = {.own = NULL};
    struct outfile output = OUTFILE_INIT;
    void *const targets[] = {&options, &manner.options, &manner.peer, &manner.keys};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 1, 1, "FILE", &status))
        return status;
    status = exchange_manner_init(&manner, command);
    if (status)
        return status;
    if (strcmp(args.operands[0], "-") == 0)
        return usage_error(command,
                           "-: standard input carries the exchange: name a file");
    if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO))
        return usage_error(command, "is the other side of ninho diff FILE 'exec:ninho "
                                    "serve-set FILE', and not for a terminal");
    if (manner.options.escape && !options.output)
        return usage_error(command, "--escape is for --output");
    status = lines_check(args.operands[0]);
    if (!status && options.output)
        status = outfile_check(options.output, args.operands, 1, NULL, 0);
    if (!status && options.output)
        status = outfile_open_text(&output, options.output);
    if (!status)
        status = serve(&exchange, args.operands[0], &output, &manner);
    outfile_close(&output);
    exchange_free(&exchange);
    return status;
}

static const struct option *const tables[] = {own_options, exchange_options, peer_options,
                                              key_options, NULL};

const struct command cmd_serve_set = {
    .name = "serve-set", .run = run, .options = tables, .is_application = true};
