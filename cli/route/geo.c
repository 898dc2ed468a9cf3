/* SPDX-License-Identifier: MIT */
/* ninho route geo: messages to devices in a square. */
#include <inttypes.h>

#include "apps/routing/geo.h"
#include "options/numbers.h"
#include "report.h"
#include "route/svg.h"
#include "threads.h"

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

#define PLACE(geo, cell) column_of(geo, cell), row_of(geo, cell)

static ninho_status change(void *network, enum route_change what, uint32_t at,
                           uint32_t to, uint64_t hash)
{
    switch (what) {
    case ROUTE_PLACE:
        return ninho_route_geo_place(network, PLACE(network, at), hash);
    case ROUTE_ADD:
        return ninho_route_geo_add(network, PLACE(network, at), hash);
    case ROUTE_REMOVE:
        return ninho_route_geo_remove(network, PLACE(network, at), hash);
    case ROUTE_MOVE:
        break;
    }
    return ninho_route_geo_move(network, PLACE(network, at), PLACE(network, to), hash);
}

static ninho_status build(void *network, ninho_error *error)
{
    return ninho_route_geo_build(network, error);
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
    return ninho_route_geo_claim(network, n_divisions, PLACE(network, at), filter, NULL);
}

static struct route_answer find(const void *network, uint32_t from, uint64_t hash,
                                uint64_t ttl)
{
    const ninho_route_geo_result result =
        ninho_route_geo_find(network, PLACE(network, from), hash, ttl, NULL, NULL);

    return (struct route_answer){result.outcome, result.hops, result.wrong_turns,
                                 result.questions};
}

static uint64_t distance(const void *network, uint32_t from, uint64_t hash)
{
    return ninho_route_geo_distance(network, PLACE(network, from), hash);
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
static uint32_t neighbour(const struct route_model *model, uint32_t at, uint32_t number)
{
    const ninho_route_geo *geo = model->network;
    const uint32_t side = ninho_route_geo_side(geo);
    const uint32_t along = number & 1 ? column_of(geo, at) : row_of(geo, at);
    const uint32_t step = number & 1 ? 1 : side;

    if (number >= 4)
        return ROUTE_NOWHERE;
    if (side == 1)
        return at;
    const bool is_forward = along == 0 || (along + 1 < side && number & 2);
    return is_forward ? at + step : at - step;
}

/* Devices go from cell to cell. */
static uint32_t step(const struct route_model *model, uint32_t from, uint64_t random)
{
    return neighbour(model, from, (uint32_t)(random % 4));
}

static void unmake(void *network)
{
    ninho_route_geo_free(network);
}

static int make(struct route_run *run, const void *options, uint64_t *n_things,
                uint64_t *n_copies)
{
    const struct geo_options *own = options;
    const uint32_t n_divisions = run->file ? run->file->n_divisions : own->n_divisions;
    const uint64_t n_devices = run->file ? run->file->n_things : own->n_devices;
    const uint64_t n_cells = UINT64_C(1) << (2 * n_divisions);
    ninho_route_geo *geo = NULL;
    ninho_error error = NINHO_ERROR_INIT;
    const int status = route_check_memory(&run->filters, n_cells + n_cells / 3,
                                          (double)n_devices * n_divisions, n_devices);

    if (status)
        return status;
    if (ninho_route_geo_create(n_divisions, &run->filters, NULL, &geo, &error))
        return fail_error(run->path ? run->path : run->command->name, &error);
    run->model.network = geo;
    run->model.n_places = (uint32_t)n_cells;
    *n_things = n_devices;
    *n_copies = 1;
    return EXIT_YES;
}

/* ---- The command --------------------------------------------------------------------------- */

static void describe_text(const struct route_run *run)
{
    const ninho_route_tree_info *info = &run->phases[0].info;
    const uint32_t side = ninho_route_geo_side(run->model.network);

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
    json_uint(json, "side", ninho_route_geo_side(run->model.network));
    json_uint(json, "squares", info->n_nodes);
}

const struct route_model route_geo_model = {
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
    .draw = draw_geo,
    .describe_text = describe_text,
    .describe_json = describe_json,
    .is_square = true,
};

static int run(const struct command *command, int argc, char **argv)
{
    struct geo_options own = {.n_divisions = 5, .n_devices = 2000};
    return route_main(command, argc, argv, &route_geo_model, &own, NULL);
}

static const struct option *const tables[] = {route_options, own_options, thread_options,
                                              NULL};

const struct command route_geo = {.name = "route geo", .run = run, .options = tables};
