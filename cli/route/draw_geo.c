/* SPDX-License-Identifier: MIT */
/* A square with one message's way: the smallest square around everywhere it came by, its quadrants and
 * theirs, devices as dots, and the squares that were entered. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/routing/geo.h"
#include "route/svg.h"

#define MAX_STOPS 400
#define MAX_DOTS  4000
#define MAX_LINES 5 /* divisions that are drawn all over */
#define SIDE      660.0
#define LEFT      36.0
#define TOP       78.0

struct stop {
    uint32_t divisions, column, row; /* a square */
    bool is_outward, is_wrong;
    bool enters_around; /* the square around it was entered, at this quadrant's head */
};

struct picture {
    const struct route_run *run;
    const ninho_route_geo *geo;
    uint32_t n_divisions;
    uint32_t from_column, from_row;
    uint32_t goal_column, goal_row;
    bool has_goal;
    struct stop stops[MAX_STOPS];
    size_t n_stops;
    bool is_cut;
    struct stop view; /* the square that is drawn */
};

static void note_stop(void *context, uint32_t divisions, uint32_t column, uint32_t row)
{
    struct picture *picture = context;

    if (picture->n_stops < MAX_STOPS)
        picture->stops[picture->n_stops++] =
            (struct stop){.divisions = divisions, .column = column, .row = row};
    else
        picture->is_cut = true;
}

static bool contains(const struct picture *picture, const struct stop *square,
                     uint32_t column, uint32_t row)
{
    const uint32_t shift = picture->n_divisions - square->divisions;
    return column >> shift == square->column && row >> shift == square->row;
}

static struct stop around(const struct stop *square)
{
    return (struct stop){.divisions = square->divisions - 1,
                         .column = square->column / 2,
                         .row = square->row / 2};
}

/* The square that a stop inwards is for. */
static struct stop entered_at(const struct stop *stop)
{
    return stop->enters_around ? around(stop) : *stop;
}

/* Squares are entered at the head of a quadrant, cells at their own. A stop at a cell is either: it is
 * for the square around, if the message was at no cell of it just before. */
static bool is_for_around(const struct picture *picture, size_t i)
{
    const struct stop *stop = &picture->stops[i];
    const struct stop *before = i ? stop - 1 : NULL;

    if (!stop->divisions)
        return false;
    return stop->divisions < picture->n_divisions || !before ||
           before->divisions < picture->n_divisions ||
           before->column / 2 != stop->column / 2 || before->row / 2 != stop->row / 2;
}

/* A square around the sender is on the way out. Others are wrong, if what was entered does not have the
 * device. */
static void judge_stops(struct picture *picture)
{
    for (size_t i = 0; i < picture->n_stops; i++) {
        struct stop *stop = &picture->stops[i];
        stop->is_outward =
            contains(picture, stop, picture->from_column, picture->from_row);
        stop->enters_around = is_for_around(picture, i);
        const struct stop entered = entered_at(stop);
        stop->is_wrong =
            !stop->is_outward &&
            !(picture->has_goal &&
              contains(picture, &entered, picture->goal_column, picture->goal_row));
    }
}

/* Where the head of a square is, in cells. */
static void head_of(const struct picture *picture, const struct stop *stop, double *x,
                    double *y)
{
    const double size = (double)(UINT32_C(1) << (picture->n_divisions - stop->divisions));
    const double middle = size > 1 ? size / 2 : 0;

    *x = stop->column * size + middle + 0.5;
    *y = stop->row * size + middle + 0.5;
}

static void choose_view(struct picture *picture)
{
    picture->view = (struct stop){.divisions = picture->n_divisions,
                                  .column = picture->from_column,
                                  .row = picture->from_row};
    for (size_t i = 0; i < picture->n_stops; i++) {
        double x = 0;
        double y = 0;
        head_of(picture, &picture->stops[i], &x, &y);
        while (picture->view.divisions &&
               !contains(picture, &picture->view, (uint32_t)x, (uint32_t)y))
            picture->view = around(&picture->view);
    }
    /* A square alone says little: with its siblings. */
    if (picture->view.divisions)
        picture->view = around(&picture->view);
}

/* The side of a square, in cells. */
static double size_of(const struct picture *picture, const struct stop *square)
{
    return (double)(UINT32_C(1) << (picture->n_divisions - square->divisions));
}

/* From cells to the paper. */
static double scale(const struct picture *picture)
{
    return SIDE / size_of(picture, &picture->view);
}

static double paper_x(const struct picture *picture, double x)
{
    const double left = picture->view.column * size_of(picture, &picture->view);
    return LEFT + (x - left) * scale(picture);
}

static double paper_y(const struct picture *picture, double y)
{
    const double top = picture->view.row * size_of(picture, &picture->view);
    return TOP + (y - top) * scale(picture);
}

/* ---- Ink ------------------------------------------------------------------------------------- */

static void draw_square(const struct picture *picture, const struct stop *square,
                        const char *style, struct text *svg)
{
    const double size = size_of(picture, square);

    svg_format(svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s/>\n",
               paper_x(picture, square->column * size),
               paper_y(picture, square->row * size), size * scale(picture),
               size * scale(picture), style);
}

/* The finest lines first, so that coarse ones lie over them. */
static void draw_grid(const struct picture *picture, struct text *svg)
{
    const uint32_t finest = picture->n_divisions - picture->view.divisions < MAX_LINES
                                ? picture->n_divisions - picture->view.divisions
                                : MAX_LINES;
    static const char *const styles[MAX_LINES + 1] = {
        "stroke=\"#3e4c59\" stroke-width=\"2.2\"",
        "stroke=\"#616e7c\" stroke-width=\"1.6\"",
        "stroke=\"#9aa5b1\" stroke-width=\"1.1\"",
        "stroke=\"#c5ced8\" stroke-width=\"0.9\"",
        "stroke=\"#dbe1e7\" stroke-width=\"0.7\"",
        "stroke=\"#e7ebef\" stroke-width=\"0.5\"",
    };

    for (uint32_t level = finest + 1; level-- > 0;) {
        const double step = SIDE / (double)(UINT32_C(1) << level);
        svg_format(svg, "<path fill=\"none\" %s d=\"", styles[level]);
        for (uint32_t i = 0; i <= UINT32_C(1) << level; i++)
            /* Lines of coarser levels are drawn with them. */
            if (level == 0 || i % 2 == 1)
                svg_format(svg, "M%.2f %.2fV%.2fM%.2f %.2fH%.2f", LEFT + i * step, TOP,
                           TOP + SIDE, LEFT, TOP + i * step, LEFT + SIDE);
        svg_format(svg, "\"/>\n");
    }
}

static void draw_visited(const struct picture *picture, struct text *svg)
{
    for (size_t i = 0; i < picture->n_stops; i++) {
        const struct stop *stop = &picture->stops[i];
        if (stop->is_outward)
            continue;
        const struct stop entered = entered_at(stop);
        draw_square(picture, &entered,
                    stop->is_wrong ? "fill=\"" SVG_WRONG "\" fill-opacity=\"0.13\""
                                   : "fill=\"" SVG_ROUTE "\" fill-opacity=\"0.07\"",
                    svg);
    }
}

static void draw_devices(const struct picture *picture, struct text *svg)
{
    const struct route_run *run = picture->run;
    const uint32_t side = ninho_route_geo_side(picture->geo);
    size_t n = 0;

    for (size_t i = 0; i < run->things.n; i++)
        n += run->things.list[i].at != ROUTE_NOWHERE &&
             contains(picture, &picture->view, run->things.list[i].at % side,
                      run->things.list[i].at / side);
    const size_t every = n / MAX_DOTS + 1;
    const double radius = n > 1500 ? 1.1 : n > 300 ? 1.6 : 2.4;
    size_t seen = 0;
    svg_format(svg, "<g fill=\"#52606d\" fill-opacity=\"0.65\">\n");
    for (size_t i = 0; i < run->things.n; i++) {
        const uint32_t at = run->things.list[i].at;
        if (at == ROUTE_NOWHERE ||
            !contains(picture, &picture->view, at % side, at / side) || seen++ % every)
            continue;
        /* Anywhere in its cell, so that devices of one cell can be told apart. */
        const uint64_t random = route_random(7, 7, run->things.list[i].hash);
        const uint32_t column = at % side;
        const uint32_t row = at / side;
        const double x = column + 0.12 + 0.76 * (double)(random & 1023) / 1024;
        const double y = row + 0.12 + 0.76 * (double)(random >> 10 & 1023) / 1024;
        svg_format(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.1f\"/>\n",
                   paper_x(picture, x), paper_y(picture, y), radius);
    }
    svg_format(svg, "</g>\n");
}

static void draw_way(const struct picture *picture, struct text *svg)
{
    double x = 0;
    double y = 0;

    for (size_t i = 0; i < picture->n_stops; i++) {
        const double from_x = x;
        const double from_y = y;
        head_of(picture, &picture->stops[i], &x, &y);
        x = paper_x(picture, x);
        y = paper_y(picture, y);
        if (i == 0 || hypot(x - from_x, y - from_y) < 1)
            continue;
        const bool is_wrong = picture->stops[i].is_wrong;
        const double length = hypot(x - from_x, y - from_y);
        const double gap = length > 24 ? 5 : 0;
        svg_format(svg,
                   "<path d=\"M%.2f %.2fL%.2f %.2f\" fill=\"none\" stroke=\"%s\" "
                   "stroke-width=\"2.4\" stroke-linecap=\"round\"%s/>\n",
                   from_x, from_y, x - (x - from_x) / length * gap,
                   y - (y - from_y) / length * gap, svg_colour(is_wrong),
                   svg_style(is_wrong, length >= 10));
        svg_format(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.6\" fill=\"%s\"/>\n", x, y,
                   svg_colour(is_wrong));
    }
}

static void draw_end(const struct picture *picture, uint32_t column, uint32_t row,
                     const char *colour, const char *label, struct text *svg)
{
    const double x = paper_x(picture, column + 0.5);
    const double y = paper_y(picture, row + 0.5);
    const bool is_left = x < LEFT + SIDE * 0.8;

    svg_format(svg,
               "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"6.5\" fill=\"%s\" stroke=\"#ffffff\" "
               "stroke-width=\"1.6\"/>\n",
               x, y, colour);
    svg_format(svg,
               "<text x=\"%.2f\" y=\"%.2f\" font-size=\"13\" font-weight=\"bold\" "
               "fill=\"%s\" stroke=\"" SVG_PAPER "\" stroke-width=\"3.5\" "
               "paint-order=\"stroke\" text-anchor=\"%s\">",
               is_left ? x + 10 : x - 10, y + (y < TOP + 20 ? 14 : -7), colour,
               is_left ? "start" : "end");
    svg_text(svg, label, 24);
    svg_format(svg, "</text>\n");
}

static void draw_words(const struct picture *picture, uint64_t hash,
                       const struct route_answer *answer, struct text *svg)
{
    const uint32_t side = ninho_route_geo_side(picture->geo);
    const uint32_t shown = side >> picture->view.divisions;
    const double y = TOP + SIDE + 30;
    char what[80];
    char more[100] = "";

    (void)snprintf(what, sizeof what, "One message in %" PRIu32 " x %" PRIu32 " cells",
                   side, side);
    if (shown < side)
        (void)snprintf(more, sizeof more, "; %" PRIu32 " x %" PRIu32 " of them shown%s",
                       shown, shown, picture->is_cut ? "; cut" : "");
    svg_headline(svg, LEFT, what, answer, "straight",
                 ninho_route_geo_distance(picture->geo, picture->from_column,
                                          picture->from_row, hash),
                 shown < side      ? more
                 : picture->is_cut ? "; cut"
                                   : "");
    svg_format(svg, "<g font-size=\"12\" fill=\"" SVG_INK "\">");
    svg_key_arrow(svg, LEFT, y, false, "from head to head");
    svg_key_arrow(svg, LEFT + 160, y, true, "a filter was wrong");
    svg_key_dot(svg, LEFT + 322, y, 2.4, "#52606d", "device");
    svg_format(svg, "</g>\n");
}

/* Where the device is, as the simulation knows it. */
static void find_goal(struct picture *picture, uint64_t hash)
{
    const struct route_run *run = picture->run;
    const uint32_t side = ninho_route_geo_side(picture->geo);

    for (size_t i = 0; i < run->things.n && !picture->has_goal; i++) {
        if (run->things.list[i].hash != hash || run->things.list[i].at == ROUTE_NOWHERE)
            continue;
        picture->has_goal = true;
        picture->goal_column = run->things.list[i].at % side;
        picture->goal_row = run->things.list[i].at / side;
    }
}

static const char *name_of(const struct route_run *run, uint64_t hash,
                           const char *otherwise)
{
    const ninho_route_network *file = run->file;

    for (size_t i = 0; file && i < file->n_things; i++)
        if (file->things[i].hash == hash)
            return ninho_route_name_text(file, &file->things[i]);
    return otherwise;
}

void draw_geo(const struct route_run *run, uint32_t from, uint64_t hash, struct text *svg)
{
    struct picture *picture = calloc(1, sizeof *picture);

    if (!picture) {
        svg->has_failed = true;
        return;
    }
    picture->run = run;
    picture->geo = run->model.network;
    const uint32_t side = ninho_route_geo_side(picture->geo);
    while (side >> picture->n_divisions > 1)
        picture->n_divisions++;
    picture->from_column = from % side;
    picture->from_row = from / side;
    find_goal(picture, hash);
    const ninho_route_geo_result result =
        ninho_route_geo_find(picture->geo, picture->from_column, picture->from_row, hash,
                             run->options->ttl, note_stop, picture);
    judge_stops(picture);
    choose_view(picture);
    svg_begin(svg, 2 * LEFT + SIDE, TOP + SIDE + 54,
              "One message in a square of devices");
    draw_visited(picture, svg);
    draw_grid(picture, svg);
    draw_devices(picture, svg);
    draw_way(picture, svg);
    draw_end(picture, picture->from_column, picture->from_row, SVG_FROM, "from here",
             svg);
    if (picture->has_goal &&
        contains(picture, &picture->view, picture->goal_column, picture->goal_row))
        draw_end(picture, picture->goal_column, picture->goal_row, SVG_GOAL,
                 name_of(run, hash, "to this device"), svg);
    const struct route_answer answer = {result.outcome, result.hops, result.wrong_turns,
                                        result.questions};
    draw_words(picture, hash, &answer, svg);
    svg_end(svg);
    free(picture);
}
