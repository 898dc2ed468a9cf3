/* SPDX-License-Identifier: MIT */
/* ninho route tree: requests in a rooted tree. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_route.h"
#include "cmd_route_draw.h"
#include "options/numbers.h"
#include "report.h"
#include "stream.h"

struct tree_options {
    uint64_t n_nodes, fan_out, n_resources, n_copies;
    uint32_t n_levels;
    ninho_route_geometry geometry;
};

static const char *const geometries[] = {"sized", "same", NULL};

static const struct option own_options[] = {
    {NUMBER("nodes", "N", parse_u64, struct tree_options, n_nodes, 1,
            NINHO_ROUTE_MAX_NODES, "nodes of the tree")},
    {NUMBER("fan-out", "N", parse_u64, struct tree_options, fan_out, 1,
            NINHO_ROUTE_MAX_NODES, "children of a node")},
    {NUMBER("resources", "N", parse_u64, struct tree_options, n_resources, 0,
            UINT64_C(1) << 31, "resources in the tree")},
    {NUMBER("copies", "N", parse_u64, struct tree_options, n_copies, 1, 1000000,
            "at how many nodes each is")},
    {NUMBER("levels", "N", parse_u32, struct tree_options, n_levels, 1,
            NINHO_ROUTE_MAX_LEVELS, "filters to a link, one for each distance")},
    {NUMBER("geometry", "HOW", parse_word, struct tree_options, geometry,
            NINHO_ROUTE_SIZED, 0, "sizes of filters"),
     .words = geometries},
    {0},
};

/* ---- The model ----------------------------------------------------------------------------- */

static ninho_status place(void *network, uint32_t at, uint64_t hash)
{
    return ninho_route_tree_place(network, at, hash);
}

static ninho_status build(void *network, ninho_error *error)
{
    return ninho_route_tree_build(network, error);
}

static ninho_status add(void *network, uint32_t at, uint64_t hash)
{
    return ninho_route_tree_add(network, at, hash);
}

static ninho_status take_out(void *network, uint32_t at, uint64_t hash)
{
    return ninho_route_tree_remove(network, at, hash);
}

static ninho_status move(void *network, uint32_t from, uint32_t to, uint64_t hash)
{
    return ninho_route_tree_move(network, from, to, hash);
}

static ninho_status refresh(void *network, ninho_error *error)
{
    return ninho_route_tree_refresh(network, error);
}

static ninho_status claim(void *network, uint32_t at, const ninho_filter *filter)
{
    return ninho_route_tree_claim(network, at, filter, NULL);
}

static struct route_answer find(const void *network, uint32_t from, uint64_t hash,
                                uint64_t ttl)
{
    const ninho_route_result result =
        ninho_route_tree_find(network, from, hash, ttl, NULL, NULL);

    return (struct route_answer){result.outcome, result.hops, result.wrong_turns,
                                 result.questions};
}

static uint64_t distance(const void *network, uint32_t from, uint64_t hash)
{
    return ninho_route_tree_distance(network, from, hash);
}

static bool holds(const void *network, uint32_t at, uint64_t hash)
{
    return ninho_route_tree_holds(network, at, hash);
}

static ninho_status info_of(const void *network, ninho_route_tree_info *info)
{
    return ninho_route_tree_info_get(network, info);
}

/* Things go from one node to any other. */
static uint32_t step(const struct route_model *model, uint32_t from, uint64_t random)
{
    const uint64_t n = model->n_places;
    return n > 1 ? (uint32_t)((from + 1 + random % (n - 1)) % n) : from;
}

/* Breadth first over links in both directions, until one of the places is reached. */
static uint64_t oracle(const struct route_model *model, uint32_t from,
                       const uint32_t *places, size_t n_places, uint32_t *queue,
                       uint32_t *distances)
{
    const ninho_route_tree *tree = model->network;
    const uint32_t wanted = UINT32_MAX - 1;
    size_t n_queued = 0;

    memset(distances, 0xff, model->n_places * sizeof *distances);
    for (size_t i = 0; i < n_places; i++)
        distances[places[i]] = wanted;
    if (distances[from] == wanted)
        return 0;
    distances[from] = 0;
    queue[n_queued++] = from;
    for (size_t i = 0; i < n_queued; i++) {
        const uint32_t at = queue[i];
        const uint32_t n_children = ninho_route_tree_n_children(tree, at);
        for (uint32_t c = 0; c <= n_children; c++) {
            const uint32_t next = c < n_children ? ninho_route_tree_child(tree, at, c)
                                                 : ninho_route_tree_parent(tree, at);
            if (next == NINHO_ROUTE_NONE)
                continue;
            if (distances[next] == wanted)
                return (uint64_t)distances[at] + 1;
            if (distances[next] == UINT32_MAX) {
                distances[next] = distances[at] + 1;
                queue[n_queued++] = next;
            }
        }
    }
    return UINT64_MAX;
}

static const struct route_model tree_model = {
    .place = place,
    .build = build,
    .add = add,
    .remove = take_out,
    .move = move,
    .refresh = refresh,
    .claim = claim,
    .find = find,
    .distance = distance,
    .holds = holds,
    .info = info_of,
    .step = step,
    .oracle = oracle,
    .draw = draw_tree,
};

/* ---- The command --------------------------------------------------------------------------- */

static void describe_text(const struct route_run *run)
{
    const ninho_route_tree_info *info = &run->phases[0].info;

    report_line("nodes", "%" PRIu64 ", at most %" PRIu64 " link%s below the root",
                info->n_nodes, info->height, plural(info->height));
    report_line("resources", "%" PRIu64 "%s, with names of %" PRIu64 " byte%s",
                info->n_held, run->n_copies > 1 ? " with their copies" : "",
                run->name_bytes, plural(run->name_bytes));
}

static void describe_json(const struct route_run *run, struct json *json)
{
    const ninho_route_tree_info *info = &run->phases[0].info;

    json_string(json, "network", "tree");
    json_uint(json, "nodes", info->n_nodes);
    json_uint(json, "height", info->height);
}

/* Keys of all links of the generator's tree: each resource counts once for each link above it. */
static double keys_in_tree(const struct tree_options *options)
{
    double n = (double)options->n_nodes;
    double depth = 0;

    if (options->fan_out == 1)
        return (double)options->n_resources * (double)options->n_copies * n / 2;
    while (n > 1) {
        n /= (double)options->fan_out;
        depth++;
    }
    return (double)options->n_resources * (double)options->n_copies * depth;
}

static int make_tree(const uint32_t *parents, size_t n,
                     const ninho_route_tree_options *filters, const char *subject,
                     struct route_model *model)
{
    ninho_route_tree *tree = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (ninho_route_tree_create(parents, n, filters, NULL, &tree, &error))
        return fail_error(subject, &error);
    model->network = tree;
    model->n_places = (uint32_t)n;
    return EXIT_YES;
}

static int generate(const struct tree_options *options,
                    const ninho_route_tree_options *filters, struct route_run *run)
{
    const size_t n = (size_t)options->n_nodes;
    const uint64_t n_held = options->n_resources * options->n_copies;
    int status = route_check_memory(filters, n, keys_in_tree(options), n_held);

    if (status)
        return status;
    uint32_t *parents = malloc(n * sizeof *parents);
    if (!parents)
        return fail_no_memory();
    parents[0] = NINHO_ROUTE_NONE;
    for (size_t v = 1; v < n; v++)
        parents[v] = (uint32_t)((v - 1) / options->fan_out);
    status = make_tree(parents, n, filters, "route tree", run->model);
    free(parents);
    return status ? status : route_generate(run, options->n_resources, options->n_copies);
}

/* A second root or a circle is said with the names of the file. */
static int check_roots(const ninho_route_network *file, const char *path)
{
    size_t root = file->n_nodes;

    for (size_t v = 0; v < file->n_nodes; v++) {
        if (file->parents[v] != NINHO_ROUTE_NONE)
            continue;
        if (root < file->n_nodes)
            return fail(
                "%s: nodes %.60s and %.60s both have no parent: a tree has one root",
                path, ninho_route_name_text(file, &file->nodes[root]),
                ninho_route_name_text(file, &file->nodes[v]));
        root = v;
    }
    if (root == file->n_nodes)
        return fail("%s: every node has a parent: a tree has a root without one", path);
    return EXIT_YES;
}

/* Follows parents from each node, to the root or to where an earlier walk came by: then that one got
 * to the root. */
static int check_circles(const ninho_route_network *file, const char *path)
{
    uint32_t *walk_of = calloc(file->n_nodes, sizeof *walk_of); /* 0: not seen */
    int status = EXIT_YES;

    if (!walk_of)
        return fail_no_memory();
    for (uint32_t v = 0; !status && v < file->n_nodes; v++) {
        uint32_t at = v;
        while (at != NINHO_ROUTE_NONE && !walk_of[at]) {
            walk_of[at] = v + 1;
            at = file->parents[at];
        }
        if (at != NINHO_ROUTE_NONE && walk_of[at] == v + 1)
            status =
                fail("%s: node %.60s is above itself: its parents go round in a circle",
                     path, ninho_route_name_text(file, &file->nodes[at]));
    }
    free(walk_of);
    return status;
}

/* Keys of all links of a file's tree, in which there is no circle. A depth is found by climbing to a
 * node whose depth is known, and kept for all on the way. */
static int count_keys(const ninho_route_network *file, double *n_keys, uint64_t *n_held)
{
    uint32_t *depths =
        calloc(file->n_nodes, sizeof *depths); /* 0: unknown; else depth + 1 */

    if (!depths)
        return fail_no_memory();
    *n_keys = 0;
    *n_held = 0;
    for (size_t i = 0; i < file->n_steps; i++) {
        const ninho_route_step *step = &file->steps[i];
        uint32_t depth = 0;
        if (step->op != NINHO_ROUTE_PLACE && step->op != NINHO_ROUTE_ADD)
            continue;
        for (uint32_t v = step->at; v != NINHO_ROUTE_NONE && !depths[v];
             v = file->parents[v])
            depth++;
        uint32_t known = step->at;
        for (uint32_t j = 0; j < depth; j++)
            known = file->parents[known];
        depth += known == NINHO_ROUTE_NONE ? 0 : depths[known];
        for (uint32_t v = step->at, d = depth; v != known; v = file->parents[v])
            depths[v] = d--;
        *n_keys += (double)depth - 1;
        ++*n_held;
    }
    free(depths);
    return EXIT_YES;
}

static int follow(const char *path, const struct command *command,
                  const ninho_route_tree_options *filters, struct route_run *run)
{
    ninho_route_network file = {.names = NULL};
    int status = route_read(command, path, false, run->options->seed, &file);

    if (status)
        return status;
    run->model->file = &file;
    run->path = path;
    status = check_roots(&file, path);
    if (!status)
        status = check_circles(&file, path);
    double n_keys = 0;
    uint64_t n_held = 0;
    if (!status)
        status = count_keys(&file, &n_keys, &n_held);
    if (!status)
        status = route_check_memory(filters, file.n_nodes, n_keys, n_held);
    if (!status)
        status = make_tree(file.parents, file.n_nodes, filters, path, run->model);
    if (!status)
        status = route_follow(run);
    if (!status)
        status = route_report(run, filters, describe_text, describe_json);
    ninho_route_network_free(&file);
    run->model->file = NULL;
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct route_options options = {
        .kind = NINHO_BLOOM, .fpr = 0.01, .n_requests = 10000, .seed = 0};
    struct tree_options own = {
        .n_nodes = 1000, .fan_out = 4, .n_resources = 2000, .n_copies = 1, .n_levels = 1};
    struct thread_options threads = {0};
    void *const targets[] = {&options, &own, &threads};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 0, 1, "[FILE]", &status))
        return status;
    if (args_given(&args, "nodes") && !args_given(&args, "resources"))
        own.n_resources = 2 * own.n_nodes;
    status = route_check_args(&args, &options);
    if (status)
        return status;
    if (own.n_resources > UINT32_MAX / 2 / own.n_copies)
        return usage_error(command, "--resources and --copies are too many together");
    if (own.n_copies > own.n_nodes)
        return usage_error(command, "--copies %" PRIu64 ": there are %" PRIu64 " nodes",
                           own.n_copies, own.n_nodes);
    if (options.n_hostile && own.n_levels > 1)
        return usage_error(command, "--hostile is for links with one filter");

    struct route_model model = tree_model;
    struct route_run simulation = {
        .options = &options, .model = &model, .n_threads = thread_count(&threads)};
    ninho_route_tree_options filters = route_filters(&options);
    filters.n_levels = own.n_levels;
    filters.geometry = own.geometry;
    status = route_open_picture(&simulation);
    if (status) {
        /* said */
    } else if (args.n_operands) {
        status = follow(args.operands[0], command, &filters, &simulation);
    } else {
        status = generate(&own, &filters, &simulation);
        if (!status)
            status = route_report(&simulation, &filters, describe_text, describe_json);
    }
    ninho_route_tree_free(model.network);
    route_run_free(&simulation);
    return status;
}

static const struct option *const tables[] = {route_options, own_options, thread_options,
                                              NULL};

const struct command route_tree = {.name = "route tree", .run = run, .options = tables};
