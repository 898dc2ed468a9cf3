/* SPDX-License-Identifier: MIT */
/* ninho route tree: requests in a rooted tree. */
#include <inttypes.h>
#include <stdlib.h>

#include "options/numbers.h"
#include "report.h"
#include "route/svg.h"
#include "threads.h"

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

static ninho_status change(void *network, enum route_change what, uint32_t at,
                           uint32_t to, uint64_t hash)
{
    switch (what) {
    case ROUTE_PLACE:
        return ninho_route_tree_place(network, at, hash);
    case ROUTE_ADD:
        return ninho_route_tree_add(network, at, hash);
    case ROUTE_REMOVE:
        return ninho_route_tree_remove(network, at, hash);
    case ROUTE_MOVE:
        break;
    }
    return ninho_route_tree_move(network, at, to, hash);
}

static ninho_status build(void *network, ninho_error *error)
{
    return ninho_route_tree_build(network, error);
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

/* The children, then the parent. */
static uint32_t neighbour(const struct route_model *model, uint32_t at, uint32_t number)
{
    const ninho_route_tree *tree = model->network;
    const uint32_t n_children = ninho_route_tree_n_children(tree, at);

    if (number < n_children)
        return ninho_route_tree_child(tree, at, number);
    const uint32_t parent = ninho_route_tree_parent(tree, at);
    return number > n_children ? ROUTE_NOWHERE : parent == NINHO_ROUTE_NONE ? at : parent;
}

static void unmake(void *network)
{
    ninho_route_tree_free(network);
}

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

/* A node's depth from 1 on, 0 if its parents go round in a circle, of which *in_circle is a node. It is found by climbing to a node
 * whose depth is known, and kept for all on the way; `depths` has 0 where it is not known. */
static uint32_t depth_of(const ninho_route_network *file, uint32_t node, uint32_t *depths,
                         uint32_t *in_circle)
{
    uint32_t n_climbed = 0;
    uint32_t top = node;

    for (; top != NINHO_ROUTE_NONE && !depths[top]; top = file->parents[top])
        if (++n_climbed > file->n_nodes) {
            *in_circle = top; /* whoever climbs that long is in it by now */
            return 0;
        }
    const uint32_t depth = n_climbed + (top == NINHO_ROUTE_NONE ? 0 : depths[top]);
    for (uint32_t v = node, d = depth; v != top; v = file->parents[v])
        depths[v] = d--;
    return depth;
}

/* Keys of all links of a file's tree, and whether it is one. */
static int count_keys(const ninho_route_network *file, const char *path, double *n_keys,
                      uint64_t *n_held)
{
    uint32_t *depths = calloc(file->n_nodes, sizeof *depths);
    uint32_t in_circle = 0;

    if (!depths)
        return fail_no_memory();
    int status = check_roots(file, path);
    for (uint32_t v = 0; !status && v < file->n_nodes; v++)
        if (!depth_of(file, v, depths, &in_circle))
            status =
                fail("%s: node %.60s is above itself: its parents go round in a circle",
                     path, ninho_route_name_text(file, &file->nodes[in_circle]));
    *n_keys = 0;
    *n_held = 0;
    for (size_t i = 0; !status && i < file->n_steps; i++) {
        const ninho_route_step *step = &file->steps[i];
        if (step->op == NINHO_ROUTE_PLACE || step->op == NINHO_ROUTE_ADD) {
            *n_keys += (double)depths[step->at] - 1;
            ++*n_held;
        }
    }
    free(depths);
    return status;
}

/* The generator's: each node has so many children. NULL: there is no memory. */
static uint32_t *make_parents(const struct tree_options *own)
{
    uint32_t *parents = malloc((size_t)own->n_nodes * sizeof *parents);

    for (size_t v = 0; parents && v < own->n_nodes; v++)
        parents[v] = v ? (uint32_t)((v - 1) / own->fan_out) : NINHO_ROUTE_NONE;
    return parents;
}

static int make(struct route_run *run, const void *options, uint64_t *n_things,
                uint64_t *n_copies)
{
    const struct tree_options *own = options;
    const ninho_route_network *file = run->file;
    const size_t n = file ? file->n_nodes : (size_t)own->n_nodes;
    double n_keys = keys_in_tree(own);
    uint64_t n_held = own->n_resources * own->n_copies;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_route_tree *tree = NULL;

    *n_things = own->n_resources;
    *n_copies = own->n_copies;
    int status = file ? count_keys(file, run->path, &n_keys, &n_held) : EXIT_YES;
    if (!status)
        status = route_check_memory(&run->filters, n, n_keys, n_held);
    if (status)
        return status;
    uint32_t *parents = file ? NULL : make_parents(own);
    if (!file && !parents)
        return fail_no_memory();
    if (ninho_route_tree_create(file ? file->parents : parents, n, &run->filters, NULL,
                                &tree, &error))
        status = fail_error(run->path ? run->path : run->command->name, &error);
    free(parents);
    run->model.network = tree;
    run->model.n_places = (uint32_t)n;
    return status;
}

const struct route_model route_tree_model = {
    .make = make,
    .unmake = unmake,
    .change = change,
    .build = build,
    .refresh = refresh,
    .claim = claim,
    .find = find,
    .distance = distance,
    .holds = holds,
    .info = info_of,
    .neighbour = neighbour,
    .step = step,
    .draw = draw_tree,
    .describe_text = describe_text,
    .describe_json = describe_json,
};

static int check(const struct args *args, const struct route_options *options,
                 void *target, ninho_route_tree_options *filters)
{
    struct tree_options *own = target;

    if (args_given(args, "nodes") && !args_given(args, "resources"))
        own->n_resources = 2 * own->n_nodes;
    filters->n_levels = own->n_levels;
    filters->geometry = own->geometry;
    if (own->n_resources > UINT32_MAX / 2 / own->n_copies)
        return usage_error(args->command,
                           "--resources and --copies are too many together");
    if (own->n_copies > own->n_nodes)
        return usage_error(args->command,
                           "--copies %" PRIu64 ": there are %" PRIu64 " nodes",
                           own->n_copies, own->n_nodes);
    if (options->n_hostile && own->n_levels > 1)
        return usage_error(args->command, "--hostile is for links with one filter");
    return EXIT_YES;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct tree_options own = {
        .n_nodes = 1000, .fan_out = 4, .n_resources = 2000, .n_copies = 1, .n_levels = 1};
    return route_main(command, argc, argv, &route_tree_model, &own, check);
}

static const struct option *const tables[] = {route_options, own_options, thread_options,
                                              NULL};

const struct command route_tree = {.name = "route tree", .run = run, .options = tables};
