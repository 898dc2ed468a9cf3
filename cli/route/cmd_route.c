/* SPDX-License-Identifier: MIT */
/* ninho route: routing with filters, simulated. What its two commands share but the simulation. */
#define _FILE_OFFSET_BITS 64
#include "route/route.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kinds.h"
#include "memory.h"
#include "options/numbers.h"
#include "threads.h"

/* A network of a million lines has 30 MB. */
#define MAX_FILE ((size_t)256 << 20)

/* ---- Options ------------------------------------------------------------------------------- */

/* Kinds that the filters of links can be. */
static const char *link_kind_at(size_t index)
{
    const uint32_t needed = NINHO_CAN_ADD | NINHO_CAN_UNION;

    for (size_t i = 0; ninho_kind_at(i); i++)
        if ((ninho_kind_can(ninho_kind_at(i)) & needed) == needed && index-- == 0)
            return ninho_kind_name(ninho_kind_at(i));
    return NULL;
}

static bool parse_link_kind(const struct option *option, const char *text, void *target,
                            char *why, size_t why_size)
{
    *(int *)target = kind_from_name(text);
    return word_number(option, text, why, why_size) >= 0;
}

/* A share is written as a rate, and may be none or all. */
static bool parse_share(const struct option *option, const char *text, void *target,
                        char *why, size_t why_size)
{
    if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0) {
        *(double *)target = text[0] == '1';
        return true;
    }
    if (parse_fpr(option, text, target, why, why_size))
        return true;
    (void)snprintf(why, why_size,
                   "must be a share from 0 to 1 (0.2 and 20%% are "
                   "understood)");
    return false;
}

#define ROUTE    struct route_options
#define TRILLION UINT64_C(1000000000000)
#define BILLION  UINT64_C(1000000000)
#define COUNT(name, member, least, most, help)                         \
    {                                                                  \
        NUMBER(name, "N", parse_u64, ROUTE, member, least, most, help) \
    }

const struct option route_options[] = {
    {VALUE("kind", "KIND", parse_link_kind, ROUTE, kind, "kind of the filters"),
     .word_at = link_kind_at},
    {VALUE("fpr", "P", parse_fpr, ROUTE, fpr, "their false positive rate")},
    {VALUE("seed", "S", parse_seed, ROUTE, seed, "of everything random")},
    COUNT("requests", n_requests, 0, TRILLION, "requests in each round"),
    {VALUE("absent", "P", parse_share, ROUTE, absent,
           "share of requests for what is not there")},
    COUNT("ttl", ttl, 1, TRILLION, "most hops of a request"),
    COUNT("join", n_join, 0, BILLION, "things that appear"),
    COUNT("leave", n_leave, 0, BILLION, "things that leave"),
    COUNT("moves", n_moves, 0, BILLION, "things that move"),
    COUNT("hostile", n_hostile, 0, BILLION, "places that claim to have everything"),
    COUNT("name-bytes", name_bytes, 1, 65535, "bytes of a name in full lists"),
    {VALUE("svg", "FILE", parse_text, ROUTE, svg, "draw one request")},
    COUNT("draw", draw, 1, TRILLION, "which request"),
    {FLAG("check", ROUTE, check, "compare requests with a breadth-first search")},
    {FLAG("csv", ROUTE, csv, "a line for each round")},
    {FLAG("json", ROUTE, json, "print JSON")},
    {0},
};

/* The options that make a network, which go with no file. */
static const char *const generator_options[] = {
    "nodes",  "fan-out", "resources", "copies", "divisions", "devices", "requests",
    "absent", "join",    "leave",     "moves",  "hostile",   NULL,
};

static int check_args(const struct args *args, const struct route_options *options)
{
    const char *const *name = generator_options;

    if (options->csv && options->json)
        return usage_error(args->command, "--csv and --json exclude each other");
    if (args_given(args, "draw") && !options->svg)
        return usage_error(args->command, "--draw is for --svg");
    if (options->svg && !args->n_operands && options->n_requests == 0)
        return usage_error(args->command,
                           "--svg draws the way of a request, and --requests is 0");
    if (!args->n_operands && options->draw > options->n_requests)
        return usage_error(args->command,
                           "--draw %" PRIu64 ": there are %" PRIu64 " requests",
                           options->draw, options->n_requests);
    for (; args->n_operands && *name; name++)
        if (args_given(args, *name))
            return usage_error(args->command, "--%s makes a network, and %s is one",
                               *name, args->operands[0]);
    const uint32_t can = ninho_kind_can((ninho_kind)options->kind);
    if (options->n_hostile && !(can & NINHO_CAN_OVERFILL))
        return usage_error(args->command,
                           "--hostile needs filters that can be saturated: a %s filter "
                           "never is",
                           ninho_kind_name((ninho_kind)options->kind));
    if (!options->svg)
        return EXIT_YES;
    /* With no file, standard input is not read: it stands for no input here. */
    static char nothing[] = "/dev/null";
    char *none[] = {nothing};
    return outfile_check(options->svg, args->n_operands ? args->operands : none, 1, NULL,
                         0);
}

int route_check_memory(const ninho_route_tree_options *filters, uint64_t n_links,
                       double n_keys, uint64_t n_held)
{
    ninho_spec spec = filters->spec;
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    const double n_filters =
        fmin(n_keys, (double)n_links * (filters->n_levels ? filters->n_levels : 1));

    spec.key_encoding = NINHO_KEY_HASHES;
    spec.capacity = filters->geometry == NINHO_ROUTE_SAME && n_held ? n_held : 1000;
    if (ninho_filter_plan(&spec, &plan, &error))
        return fail_error("route", &error);
    /* Of a filter, 600 bytes are the filter, not its table, and a cuckoo filter's walks take more; links
     * and things take lists. */
    const double per_filter = spec.kind == NINHO_CUCKOO ? 1200 : 640;
    const double per_key = (double)plan.table_bytes / (double)spec.capacity *
                           (spec.kind == NINHO_CUCKOO ? 2 : 1);
    double bytes = (double)n_links * 120 + (double)n_held * 120 + n_filters * per_filter;
    bytes += filters->geometry == NINHO_ROUTE_SAME ? n_filters * (double)plan.table_bytes
                                                   : n_keys * per_key;
    return memory_check("the network",
                        bytes < 1e18 ? (uint64_t)bytes : UINT64_C(1000000000000000000));
}

/* ---- Input --------------------------------------------------------------------------------- */

uint64_t route_random(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t x = seed + (a + 1) * UINT64_C(0x9e3779b97f4a7c15);

    for (int i = 0; i < 2; i++)
        x = ninho_mix64(x) + (b + 1) * UINT64_C(0xd1342543de82ef95);
    return (x ^ (x >> 32)) * UINT64_C(0xbf58476d1ce4e5b9) >> 1;
}

static int read_all(const char *path, int descriptor, struct text *text)
{
    for (;;) {
        char *room = text_reserve(text, (size_t)64 << 10);
        if (!room)
            return fail_no_memory();
        const ssize_t n = read(descriptor, room, (size_t)64 << 10);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_io(path, "cannot read", errno);
        if (n == 0)
            return EXIT_YES;
        text->size += (size_t)n;
        if (text->size > MAX_FILE)
            return fail("%s: is larger than %zu MiB: no network is", path,
                        MAX_FILE >> 20);
    }
}

/* Reads a file of either format; "-" is standard input. */
static int read_network(const struct command *command, const char *path, bool is_square,
                        uint64_t seed, ninho_route_network *network)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3, .seed = seed};
    struct text text = {0};
    ninho_error error = NINHO_ERROR_INIT;

    if (is_stdin && isatty(STDIN_FILENO))
        return usage_error(command,
                           "standard input is a terminal: give a file, or a pipe");
    const int descriptor = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_io(name, "cannot open", errno);
    int status = read_all(name, descriptor, &text);
    if (!is_stdin)
        (void)close(descriptor);
    if (!status && ninho_route_network_parse(text.data ? text.data : "", text.size,
                                             is_square, &hasher, NULL, network, &error))
        status = fail_error(name, &error);
    text_free(&text);
    return status;
}

/* ---- The commands -------------------------------------------------------------------------- */

/* What came out, whether it was generated or is a file's. */
static int simulate(struct route_run *run, const void *own)
{
    uint64_t n_things = 0;
    uint64_t n_copies = 1;
    int status = run->model.make(run, own, &n_things, &n_copies);

    if (!status)
        status = run->file ? route_follow(run) : route_generate(run, n_things, n_copies);
    return status ? status : route_report(run);
}

int route_main(const struct command *command, int argc, char **argv,
               const struct route_model *model, void *own,
               int (*check)(const struct args *args, const struct route_options *options,
                            void *own, ninho_route_tree_options *filters))
{
    struct route_options options = {
        .kind = NINHO_BLOOM, .fpr = 0.01, .n_requests = 10000};
    struct thread_options threads = {0};
    void *const targets[] = {&options, own, &threads};
    struct route_run run = {.command = command,
                            .options = &options,
                            .model = *model,
                            .filters = NINHO_ROUTE_TREE_INIT,
                            .picture = OUTFILE_INIT};
    ninho_route_network file = {.names = NULL};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 0, 1, "[FILE]", &status))
        return status;
    status = check_args(&args, &options);
    if (!status && check)
        status = check(&args, &options, own, &run.filters);
    if (status)
        return status;
    run.n_threads = thread_count(&threads);
    run.filters.spec.size_of_struct = sizeof run.filters.spec;
    run.filters.spec.kind = (ninho_kind)options.kind;
    run.filters.spec.fpr = options.fpr;
    /* What cannot be written is said before the work. */
    if (options.svg)
        status = outfile_open_text(&run.picture, options.svg);
    if (!status && args.n_operands) {
        run.path = args.operands[0];
        run.file = &file;
        status = read_network(command, run.path, model->is_square, options.seed, &file);
    }
    if (!status)
        status = simulate(&run, own);
    ninho_route_network_free(&file);
    run.model.unmake(run.model.network);
    outfile_close(&run.picture);
    free(run.things.list);
    free(run.gone.list);
    text_free(&run.svg);
    return status;
}

static const struct command *const behind[] = {&route_tree, &route_geo, NULL};

static const struct option *const tables[] = {NULL};

const struct command cmd_route = {.name = "route",
                                  .run = run_verb_behind,
                                  .options = tables,
                                  .behind = behind,
                                  .is_application = true};
