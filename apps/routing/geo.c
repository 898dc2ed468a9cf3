/* SPDX-License-Identifier: MIT */
/* Squares are nodes of a tree of fan-out four, numbered size by size:
 *
 *     divisions 0     0                      the whole
 *     divisions 1     1 2 3 4                its quadrants
 *     divisions d     (4^d - 1) / 3 + i      i interleaves the bits of row and column
 *
 * so that the children of square i of one size are 4 i .. 4 i + 3 of the next. */
#include "geo.h"

#include <string.h>

#include "tree_inside.h"

struct ninho_route_geo {
    ninho_route_tree *tree;
    uint32_t n_divisions;
};

struct square {
    uint32_t divisions;
    uint32_t column, row; /* among the squares of its size */
};

static uint32_t first_of(uint32_t divisions)
{
    return (uint32_t)(((UINT64_C(1) << (2 * divisions)) - 1) / 3);
}

static uint32_t node_of(struct square square)
{
    uint32_t index = 0;

    for (uint32_t bit = 0; bit < square.divisions; bit++)
        index |= ((square.column >> bit & 1) | (square.row >> bit & 1) << 1) << (2 * bit);
    return first_of(square.divisions) + index;
}

static struct square around(struct square square)
{
    return (struct square){square.divisions - 1, square.column / 2, square.row / 2};
}

static struct square quadrant(struct square square, uint32_t i)
{
    return (struct square){square.divisions + 1, 2 * square.column + (i & 1),
                           2 * square.row + (i >> 1)};
}

static struct square cell_at(const ninho_route_geo *geo, uint32_t column, uint32_t row)
{
    return (struct square){geo->n_divisions, column, row};
}

static bool is_cell(const ninho_route_geo *geo, uint32_t column, uint32_t row)
{
    return column < ninho_route_geo_side(geo) && row < ninho_route_geo_side(geo);
}

/* ---- Life -------------------------------------------------------------------------- */

ninho_status ninho_route_geo_create(uint32_t n_divisions,
                                    const ninho_route_tree_options *options,
                                    const ninho_alloc *alloc, ninho_route_geo **out,
                                    ninho_error *error)
{
    const ninho_alloc from = na_allocator(alloc);
    ninho_status status = NINHO_OK;

    if (!out || n_divisions > NINHO_ROUTE_GEO_MAX_DIVISIONS)
        return na_fail(error, NINHO_ERR_ARG, "a square is divided 0 .. %d times",
                       NINHO_ROUTE_GEO_MAX_DIVISIONS);
    if (options && options->n_levels > 1)
        return na_fail(error, NINHO_ERR_UNSUPPORTED,
                       "squares have one filter, not one for each distance");
    const size_t n = first_of(n_divisions + 1);
    uint32_t *parents = na_alloc_zeroed(&from, n, sizeof *parents);
    ninho_route_geo *geo = na_alloc_zeroed(&from, 1, sizeof *geo);
    if (!parents || !geo) {
        status = na_no_memory(error);
    } else {
        parents[0] = RT_NONE;
        for (size_t v = 1; v < n; v++)
            parents[v] = (uint32_t)(v - 1) / 4;
        geo->n_divisions = n_divisions;
        status = ninho_route_tree_create(parents, n, options, &from, &geo->tree, error);
    }
    na_free(&from, parents, n, sizeof *parents);
    if (status)
        na_free(&from, geo, 1, sizeof *geo);
    else
        *out = geo;
    return status;
}

void ninho_route_geo_free(ninho_route_geo *geo)
{
    if (!geo)
        return;
    const ninho_alloc alloc = geo->tree->alloc;
    ninho_route_tree_free(geo->tree);
    na_free(&alloc, geo, 1, sizeof *geo);
}

uint32_t ninho_route_geo_side(const ninho_route_geo *geo)
{
    return UINT32_C(1) << geo->n_divisions;
}

ninho_status ninho_route_geo_place(ninho_route_geo *geo, uint32_t column, uint32_t row,
                                   uint64_t device)
{
    if (!is_cell(geo, column, row))
        return NINHO_ERR_ARG;
    return ninho_route_tree_place(geo->tree, node_of(cell_at(geo, column, row)), device);
}

ninho_status ninho_route_geo_build(ninho_route_geo *geo, ninho_error *error)
{
    return ninho_route_tree_build(geo->tree, error);
}

ninho_status ninho_route_geo_add(ninho_route_geo *geo, uint32_t column, uint32_t row,
                                 uint64_t device)
{
    if (!is_cell(geo, column, row))
        return NINHO_ERR_ARG;
    return ninho_route_tree_add(geo->tree, node_of(cell_at(geo, column, row)), device);
}

ninho_status ninho_route_geo_remove(ninho_route_geo *geo, uint32_t column, uint32_t row,
                                    uint64_t device)
{
    if (!is_cell(geo, column, row))
        return NINHO_ERR_ARG;
    return ninho_route_tree_remove(geo->tree, node_of(cell_at(geo, column, row)), device);
}

ninho_status ninho_route_geo_move(ninho_route_geo *geo, uint32_t column, uint32_t row,
                                  uint32_t to_column, uint32_t to_row, uint64_t device)
{
    if (!is_cell(geo, column, row) || !is_cell(geo, to_column, to_row))
        return NINHO_ERR_ARG;
    return ninho_route_tree_move(geo->tree, node_of(cell_at(geo, column, row)),
                                 node_of(cell_at(geo, to_column, to_row)), device);
}

ninho_status ninho_route_geo_refresh(ninho_route_geo *geo, ninho_error *error)
{
    return ninho_route_tree_refresh(geo->tree, error);
}

ninho_status ninho_route_geo_claim(ninho_route_geo *geo, uint32_t divisions,
                                   uint32_t column, uint32_t row,
                                   const ninho_filter *claimed, ninho_error *error)
{
    if (divisions > geo->n_divisions || column >> divisions || row >> divisions)
        return na_fail(error, NINHO_ERR_ARG, "there is no such square");
    return ninho_route_tree_claim(
        geo->tree, node_of((struct square){divisions, column, row}), claimed, error);
}

ninho_status ninho_route_geo_info_get(const ninho_route_geo *geo,
                                      ninho_route_tree_info *info)
{
    ninho_route_tree_info all = NINHO_ROUTE_TREE_INFO_INIT;

    const ninho_status status = ninho_route_tree_info_get(geo->tree, &all);
    if (status)
        return status;
    all.n_below *= 4;
    all.filter_bytes *= 4;
    all.built_bytes *= 4;
    all.update_bytes *= 4;
    all.rebuilt_bytes *= 4;
    all.n_updates *= 4;
    all.n_built *= 4;
    return na_struct_out(info, &all, sizeof all);
}

/* ---- Messages ---------------------------------------------------------------------- */

struct message {
    const ninho_route_geo *geo;
    uint64_t device, ttl;
    ninho_route_geo_trace trace;
    void *context;
    ninho_route_geo_result result;
    bool takes_marked;
};

static uint64_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* The cell where the head of a square is. */
static void head_of(const ninho_route_geo *geo, struct square square, uint32_t *column,
                    uint32_t *row)
{
    const uint32_t size = UINT32_C(1) << (geo->n_divisions - square.divisions);

    *column = square.column * size + size / 2;
    *row = square.row * size + size / 2;
}

/* Travels to a head; false if the TTL does not reach so far: then it ends where it was, the hops that
 * are left spent on the way. */
static bool travel(struct message *message, struct square square)
{
    ninho_route_geo_result *result = &message->result;
    uint32_t column = 0;
    uint32_t row = 0;

    head_of(message->geo, square, &column, &row);
    const uint64_t hops = apart(result->column, column) + apart(result->row, row);
    if (message->ttl && message->ttl - result->hops < hops) {
        result->outcome = NINHO_ROUTE_EXPIRED;
        result->hops = message->ttl;
        return false;
    }
    result->hops += hops;
    result->moves++;
    result->column = column;
    result->row = row;
    if (message->trace)
        message->trace(message->context, square.divisions, square.column, square.row);
    return true;
}

/* Into a square: what its quadrants have is known to the heads of these, so to the nearest of them. */
static bool enter(struct message *message, struct square square)
{
    const ninho_route_geo *geo = message->geo;
    struct square nearest = square;
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; square.divisions < geo->n_divisions && i < 4; i++) {
        uint32_t column = 0;
        uint32_t row = 0;
        head_of(geo, quadrant(square, i), &column, &row);
        const uint64_t hops =
            apart(message->result.column, column) + apart(message->result.row, row);
        if (hops < least) {
            nearest = quadrant(square, i);
            least = hops;
        }
    }
    return travel(message, nearest);
}

static bool may_have(struct message *message, struct square square)
{
    const ninho_route_tree *tree = message->geo->tree;
    const uint32_t node = node_of(square);

    return rt_match(tree, node, message->device, &message->result.questions) == 0 ||
           (message->takes_marked && rt_is_marked(tree, node));
}

/* The quadrant of `square` after number *i that may have it, `skipped` left out. */
static bool next_quadrant(struct message *message, struct square square, uint32_t *i,
                          uint32_t skipped)
{
    for (; *i < 4; ++*i)
        if (*i != skipped && may_have(message, quadrant(square, *i)))
            return true;
    return false;
}

/* Looks for the device in a square that may have it, and in all of its squares that may. The turns
 * that are still to be taken are the message's luggage. True: the outcome is known. */
static bool search_square(struct message *message, struct square top)
{
    const ninho_route_geo *geo = message->geo;
    uint32_t turns[NINHO_ROUTE_GEO_MAX_DIVISIONS + 1] = {0};
    struct square at = top;

    if (!enter(message, at))
        return true;
    for (;;) {
        if (at.divisions == geo->n_divisions) {
            if (rt_holdings_find(&geo->tree->holdings, node_of(at), message->device) !=
                RT_NONE) {
                message->result.outcome = NINHO_ROUTE_DELIVERED;
                return true;
            }
        } else if (next_quadrant(message, at, &turns[at.divisions], RT_NONE)) {
            at = quadrant(at, turns[at.divisions]++);
            turns[at.divisions] = 0;
            if (!enter(message, at))
                return true;
            continue;
        }
        message->result.wrong_turns++;
        if (at.divisions == top.divisions)
            return false;
        at = around(at);
    }
}

static bool has_marked(const ninho_route_geo *geo)
{
    for (uint32_t i = 1; geo->n_divisions && i <= 4; i++)
        if (rt_is_marked(geo->tree, i))
            return true;
    return false;
}

/* Outwards: the siblings of each square around the cell. */
static bool search_outwards(struct message *message, struct square at)
{
    while (at.divisions) {
        const struct square outer = around(at);
        const uint32_t own = (at.column & 1) | (at.row & 1) << 1;
        for (uint32_t i = 0; next_quadrant(message, outer, &i, own); i++)
            if (search_square(message, quadrant(outer, i)))
                return true;
        at = outer;
        if (at.divisions && !travel(message, at))
            return true;
    }
    return false;
}

ninho_route_geo_result ninho_route_geo_find(const ninho_route_geo *geo, uint32_t column,
                                            uint32_t row, uint64_t device, uint64_t ttl,
                                            ninho_route_geo_trace trace, void *context)
{
    struct message message = {
        .geo = geo,
        .device = device,
        .ttl = ttl,
        .trace = trace,
        .context = context,
        .result = {.outcome = NINHO_ROUTE_NOT_FOUND, .column = column, .row = row}};

    if (!is_cell(geo, column, row))
        return message.result;
    const struct square cell = cell_at(geo, column, row);
    if (trace)
        trace(context, cell.divisions, column, row);
    if (rt_holdings_find(&geo->tree->holdings, node_of(cell), device) != RT_NONE)
        message.result.outcome = NINHO_ROUTE_DELIVERED;
    else if (!search_outwards(&message, cell) && has_marked(geo)) {
        message.takes_marked = true;
        (void)search_square(&message, (struct square){0, 0, 0});
    }
    return message.result;
}

uint64_t ninho_route_geo_distance(const ninho_route_geo *geo, uint32_t column,
                                  uint32_t row, uint64_t device)
{
    const struct rt_holdings *all = &geo->tree->holdings;
    const uint32_t first = first_of(geo->n_divisions);
    uint64_t nearest = UINT64_MAX;

    if (!is_cell(geo, column, row))
        return nearest;
    for (uint32_t p = rt_holdings_of(all, device); p != RT_NONE;
         p = rt_holdings_after(all, p)) {
        const uint32_t index = all->items[p].node - first;
        struct square cell = {geo->n_divisions, 0, 0};
        for (uint32_t bit = 0; bit < geo->n_divisions; bit++) {
            cell.column |= (index >> (2 * bit) & 1) << bit;
            cell.row |= (index >> (2 * bit + 1) & 1) << bit;
        }
        const uint64_t distance = apart(cell.column, column) + apart(cell.row, row);
        nearest = distance < nearest ? distance : nearest;
    }
    return nearest;
}
