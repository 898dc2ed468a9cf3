/* SPDX-License-Identifier: MIT */
/* ninho route geo: messages to devices in a square. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/routing/geo.h"
#include "cmd_route.h"
#include "cmd_route_draw.h"
#include "options/numbers.h"
#include "report.h"
#include "stream.h"

struct geo_options {
    uint32_t n_divisions;
    uint64_t n_devices;
};

static const struct option own_options[] = {
    {NUMBER("divisions", "N", parse_u32, struct geo_options, n_divisions, 0,
            NINHO_ROUTE_GEO_MAX_DIVISIONS, "how often the square is divided")},
    {NUMBER("devices", "N", parse_u64, struct geo_options, n_devices, 0,
            UINT64_C(1) << 31, "devices in the square")},
    {0},
};

/* ---- The model ----------------------------------------------------------------------------- */

/* Cells are numbered row by row; a side is a power of two. */
static uint32_t column_of(const ninho_route_geo *geo, uint32_t cell)
{
    return cell & (ninho_route_geo_side(geo) - 1);
}

static uint32_t row_of(const ninho_route_geo *geo, uint32_t cell)
{
    return cell / ninho_route_geo_side(geo);
}

static ninho_status place(void *network, uint32_t at, uint64_t hash)
{
    return ninho_route_geo_place(network, column_of(network, at), row_of(network, at),
                                 hash);
}

static ninho_status build(void *network, ninho_error *error)
{
    return ninho_route_geo_build(network, error);
}

static ninho_status add(void *network, uint32_t at, uint64_t hash)
{
    return ninho_route_geo_add(network, column_of(network, at), row_of(network, at),
                               hash);
}

static ninho_status take_out(void *network, uint32_t at, uint64_t hash)
{
    return ninho_route_geo_remove(network, column_of(network, at), row_of(network, at),
                                  hash);
}

static ninho_status move(void *network, uint32_t from, uint32_t to, uint64_t hash)
{
    return ninho_route_geo_move(network, column_of(network, from), row_of(network, from),
                                column_of(network, to), row_of(network, to), hash);
}

static ninho_status refresh(void *network, ninho_error *error)
{
    return ninho_route_geo_refresh(network, error);
}

/* The cell's own square claims. */
static ninho_status claim(void *network, uint32_t at, const ninho_filter *filter)
{
    uint32_t n_divisions = 0;

    while (ninho_route_geo_side(network) >> n_divisions > 1)
        n_divisions++;
    return ninho_route_geo_claim(network, n_divisions, column_of(network, at),
                                 row_of(network, at), filter, NULL);
}

static struct route_answer find(const void *network, uint32_t from, uint64_t hash,
                                uint64_t ttl)
{
    const ninho_route_geo_result result = ninho_route_geo_find(
        network, column_of(network, from), row_of(network, from), hash, ttl, NULL, NULL);

    return (struct route_answer){result.outcome, result.hops, result.wrong_turns,
                                 result.questions};
}

static uint64_t distance(const void *network, uint32_t from, uint64_t hash)
{
    return ninho_route_geo_distance(network, column_of(network, from),
                                    row_of(network, from), hash);
}

/* A device is in one cell: the list to look through has one entry. */
static bool holds(const void *network, uint32_t at, uint64_t hash)
{
    return distance(network, at, hash) == 0;
}

static ninho_status info_of(const void *network, ninho_route_tree_info *info)
{
    return ninho_route_geo_info_get(network, info);
}

/* The next cell in one of four directions, back again at the border. */
static uint32_t neighbour(const ninho_route_geo *geo, uint32_t from, unsigned direction)
{
    const uint32_t side = ninho_route_geo_side(geo);
    const uint32_t at = direction & 1 ? column_of(geo, from) : row_of(geo, from);
    const uint32_t step = direction & 1 ? 1 : side;

    if (side == 1)
        return from;
    const bool is_forward = at == 0 || (at + 1 < side && direction & 2);
    return is_forward ? from + step : from - step;
}

/* Devices go from cell to cell. */
static uint32_t step(const struct route_model *model, uint32_t from, uint64_t random)
{
    return neighbour(model->network, from, (unsigned)(random % 4));
}

/* Breadth first from cell to cell. */
static uint64_t oracle(const struct route_model *model, uint32_t from,
                       const uint32_t *places, size_t n_places, uint32_t *queue,
                       uint32_t *distances)
{
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
        for (unsigned direction = 0; direction < 4; direction++) {
            const uint32_t next = neighbour(model->network, queue[i], direction);
            if (distances[next] == wanted)
                return (uint64_t)distances[queue[i]] + 1;
            if (distances[next] == UINT32_MAX) {
                distances[next] = distances[queue[i]] + 1;
                queue[n_queued++] = next;
            }
        }
    }
    return UINT64_MAX;
}

static const struct route_model geo_model = {
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
    .draw = draw_geo,
};

/* ---- The command --------------------------------------------------------------------------- */

static void describe_text(const struct route_run *run)
{
    const ninho_route_tree_info *info = &run->phases[0].info;
    const uint32_t side = ninho_route_geo_side(run->model->network);

    report_line("square",
                "%" PRIu32 " x %" PRIu32 " cells; squares of all sizes: %" PRIu64, side,
                side, info->n_nodes);
    report_line("devices", "%" PRIu64 ", with names of %" PRIu64 " byte%s", info->n_held,
                run->name_bytes, plural(run->name_bytes));
}

static void describe_json(const struct route_run *run, struct json *json)
{
    const ninho_route_tree_info *info = &run->phases[0].info;

    json_string(json, "network", "geo");
    json_uint(json, "side", ninho_route_geo_side(run->model->network));
    json_uint(json, "squares", info->n_nodes);
}

static int make_square(uint32_t n_divisions, const ninho_route_tree_options *filters,
                       const char *subject, uint64_t n_devices, struct route_model *model)
{
    ninho_route_geo *geo = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    const uint64_t n_cells = UINT64_C(1) << (2 * n_divisions);
    const int status = route_check_memory(filters, n_cells + n_cells / 3,
                                          (double)n_devices * n_divisions, n_devices);

    if (status)
        return status;
    if (ninho_route_geo_create(n_divisions, filters, NULL, &geo, &error))
        return fail_error(subject, &error);
    model->network = geo;
    model->n_places = (uint32_t)n_cells;
    return EXIT_YES;
}

static int follow(const char *path, const struct command *command,
                  const ninho_route_tree_options *filters, struct route_run *run)
{
    ninho_route_network file = {.names = NULL};
    int status = route_read(command, path, true, run->options->seed, &file);

    if (status)
        return status;
    run->model->file = &file;
    run->path = path;
    status = make_square(file.n_divisions, filters, path, file.n_things, run->model);
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
    struct geo_options own = {.n_divisions = 5, .n_devices = 2000};
    struct thread_options threads = {0};
    void *const targets[] = {&options, &own, &threads};
    struct args args;
    int status = EXIT_YES;

    if (!args_parse(&args, command, argc, argv, targets, &status) ||
        !args_operands(&args, 0, 1, "[FILE]", &status))
        return status;
    status = route_check_args(&args, &options);
    if (status)
        return status;

    struct route_model model = geo_model;
    struct route_run simulation = {
        .options = &options, .model = &model, .n_threads = thread_count(&threads)};
    const ninho_route_tree_options filters = route_filters(&options);
    status = route_open_picture(&simulation);
    if (status) {
        /* said */
    } else if (args.n_operands) {
        status = follow(args.operands[0], command, &filters, &simulation);
    } else {
        status =
            make_square(own.n_divisions, &filters, "route geo", own.n_devices, &model);
        if (!status)
            status = route_generate(&simulation, own.n_devices, 1);
        if (!status)
            status = route_report(&simulation, &filters, describe_text, describe_json);
    }
    ninho_route_geo_free(model.network);
    route_run_free(&simulation);
    return status;
}

static const struct option *const tables[] = {route_options, own_options, thread_options,
                                              NULL};

const struct command route_geo = {.name = "route geo", .run = run, .options = tables};
