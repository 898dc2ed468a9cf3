/* SPDX-License-Identifier: MIT */
/* A tree with one request's way. A small tree is drawn whole; of a large one, the nodes that the
 * request came by, those above them, and a few of their other children: "+90" stands for the rest. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "route/svg.h"

#define MAX_WHOLE   60  /* nodes of a tree that is drawn whole */
#define MAX_DRAWN   240 /* nodes of any picture */
#define MAX_HOPS    400 /* hops of any picture */
#define MAX_OTHERS  2   /* children beside the way */
#define LABEL_CHARS 12
#define LETTER      6.6 /* the width of a letter, about */
#define ROW         84.0
#define HALF_HEIGHT 13.0
#define TOP         96.0
#define MARGIN      36.0

struct box {
    uint32_t node;   /* NINHO_ROUTE_NONE: stands for n_hidden others */
    uint32_t parent; /* box; its own number for the top */
    uint32_t n_hidden;
    unsigned depth;
    double x, y, half_width;
    bool is_on_way;
};

struct picture {
    const struct route_run *run;
    const ninho_route_tree *tree;
    uint32_t hops[MAX_HOPS + 1]; /* nodes in the order of the way */
    bool is_wrong[MAX_HOPS + 1]; /* the hop that leads there */
    size_t n_hops;
    bool is_cut;
    struct box boxes[MAX_DRAWN];
    size_t n_boxes;
    double right; /* where the next leaf begins */
    double bottom;
};

static void note_hop(void *context, uint32_t node)
{
    struct picture *picture = context;

    if (picture->n_hops <= MAX_HOPS)
        picture->hops[picture->n_hops++] = node;
    else
        picture->is_cut = true;
}

/* A hop down is wrong, and so is the way back, if there is one. */
static void find_wrong_hops(struct picture *picture)
{
    size_t down[MAX_HOPS + 1];
    size_t n_down = 0;

    for (size_t i = 1; i < picture->n_hops; i++) {
        const bool is_down = ninho_route_tree_parent(picture->tree, picture->hops[i]) ==
                             picture->hops[i - 1];
        if (is_down) {
            down[n_down++] = i;
        } else if (n_down) {
            picture->is_wrong[i] = picture->is_wrong[down[--n_down]] = true;
        }
    }
}

/* ---- What is drawn ------------------------------------------------------------------------- */

static uint32_t find_box(const struct picture *picture, uint32_t node)
{
    uint32_t i = 0;

    while (i < picture->n_boxes && picture->boxes[i].node != node)
        i++;
    return i;
}

static uint32_t add_box(struct picture *picture, uint32_t node, uint32_t n_hidden)
{
    if (picture->n_boxes == MAX_DRAWN) {
        picture->is_cut = true;
        return MAX_DRAWN;
    }
    picture->boxes[picture->n_boxes] = (struct box){.node = node, .n_hidden = n_hidden};
    return (uint32_t)picture->n_boxes++;
}

/* A node and all above it; how many are missing so far. */
static void add_with_ancestors(struct picture *picture, uint32_t node)
{
    for (uint32_t v = node; v != NINHO_ROUTE_NONE;
         v = ninho_route_tree_parent(picture->tree, v))
        if (find_box(picture, v) == picture->n_boxes &&
            add_box(picture, v, 0) == MAX_DRAWN)
            return;
}

static void choose_boxes(struct picture *picture)
{
    const bool is_whole = picture->run->model.n_places <= MAX_WHOLE;

    for (uint32_t v = 0; is_whole && v < picture->run->model.n_places; v++)
        (void)add_box(picture, v, 0);
    for (size_t i = 0; i < picture->n_hops; i++)
        add_with_ancestors(picture, picture->hops[i]);
    for (size_t i = 0; i < picture->n_boxes; i++)
        picture->boxes[i].is_on_way = true;
    const size_t n_chosen = picture->n_boxes;
    for (size_t i = 0; !is_whole && i < n_chosen; i++) {
        const uint32_t node = picture->boxes[i].node;
        const uint32_t n = ninho_route_tree_n_children(picture->tree, node);
        uint32_t n_hidden = 0;
        uint32_t n_others = 0;
        for (uint32_t c = 0; c < n; c++) {
            const uint32_t child = ninho_route_tree_child(picture->tree, node, c);
            if (find_box(picture, child) < picture->n_boxes)
                continue;
            if (n_others++ < MAX_OTHERS)
                (void)add_box(picture, child, 0);
            else
                n_hidden++;
        }
        if (n_hidden) {
            const uint32_t box = add_box(picture, NINHO_ROUTE_NONE, n_hidden);
            if (box < MAX_DRAWN)
                picture->boxes[box].parent = (uint32_t)i;
        }
    }
}

/* ---- Where ------------------------------------------------------------------------------------ */

static void label_of(const struct picture *picture, const struct box *box, char *label,
                     size_t size)
{
    const ninho_route_network *file = picture->run->file;

    if (box->node == NINHO_ROUTE_NONE)
        (void)snprintf(label, size, "+%" PRIu32, box->n_hidden);
    else if (file)
        (void)snprintf(label, size, "%s",
                       ninho_route_name_text(file, &file->nodes[box->node]));
    else
        (void)snprintf(label, size, "%" PRIu32, box->node);
}

/* Puts a box and all below it; answers where its middle is. Boxes are 240 at most, and so is the depth
 * of the calls. */
static double put(struct picture *picture, uint32_t number, unsigned depth)
{
    struct box *box = &picture->boxes[number];
    char label[300];
    double first = -1;
    double last = -1;

    label_of(picture, box, label, sizeof label);
    const size_t n = strlen(label) < LABEL_CHARS ? strlen(label) : LABEL_CHARS + 3;
    box->half_width = fmax(HALF_HEIGHT, (double)n * LETTER / 2 + 8);
    box->depth = depth;
    box->y = TOP + depth * ROW + HALF_HEIGHT;
    picture->bottom = fmax(picture->bottom, box->y + HALF_HEIGHT);
    const double left = picture->right;
    for (uint32_t c = 0; c < picture->n_boxes; c++) {
        if (c == number || picture->boxes[c].parent != number)
            continue;
        last = put(picture, c, depth + 1);
        first = first < 0 ? last : first;
    }
    box->x = first < 0 ? left + box->half_width : (first + last) / 2;
    /* A broad node over a narrow child pushes what comes next. */
    box->x = fmax(box->x, left + box->half_width);
    picture->right = fmax(picture->right, box->x + box->half_width + 12);
    return box->x;
}

static void lay_out(struct picture *picture)
{
    uint32_t top = 0;

    for (uint32_t i = 0; i < picture->n_boxes; i++) {
        struct box *box = &picture->boxes[i];
        if (box->node == NINHO_ROUTE_NONE)
            continue;
        const uint32_t parent = ninho_route_tree_parent(picture->tree, box->node);
        box->parent = parent == NINHO_ROUTE_NONE ? i : find_box(picture, parent);
        if (parent == NINHO_ROUTE_NONE)
            top = i;
    }
    picture->right = MARGIN;
    (void)put(picture, top, 0);
}

/* ---- Ink ------------------------------------------------------------------------------------- */

static void draw_links(const struct picture *picture, struct text *svg)
{
    svg_format(svg, "<g stroke=\"" SVG_PALE "\" stroke-width=\"1.6\" fill=\"none\">\n");
    for (uint32_t i = 0; i < picture->n_boxes; i++) {
        const struct box *box = &picture->boxes[i];
        const struct box *above = &picture->boxes[box->parent];
        if (box->parent == i || box->parent >= picture->n_boxes)
            continue;
        svg_format(svg, "<path d=\"M%.1f %.1fL%.1f %.1f\"%s/>\n", above->x, above->y,
                   box->x, box->y,
                   box->node == NINHO_ROUTE_NONE ? " stroke-dasharray=\"2 4\"" : "");
    }
    svg_format(svg, "</g>\n");
}

/* How far from the middle of a box, in a direction, its border is. */
static double border(const struct box *box, double dx, double dy)
{
    const double across = fabs(dx) > 1e-9 ? box->half_width / fabs(dx) : 1e9;
    const double down = fabs(dy) > 1e-9 ? HALF_HEIGHT / fabs(dy) : 1e9;
    return fmin(across, down) + 2;
}

/* Hops keep to their right, so that there and back lie side by side. */
static void draw_hop(const struct picture *picture, size_t i, struct text *svg)
{
    const uint32_t from = find_box(picture, picture->hops[i - 1]);
    const uint32_t to = find_box(picture, picture->hops[i]);

    if (from >= picture->n_boxes || to >= picture->n_boxes)
        return;
    const struct box *a = &picture->boxes[from];
    const struct box *b = &picture->boxes[to];
    const double length = hypot(b->x - a->x, b->y - a->y);
    const double dx = (b->x - a->x) / length;
    const double dy = (b->y - a->y) / length;
    const double start = border(a, dx, dy);
    const double end = length - border(b, dx, dy);
    const double aside = 4.5;
    const bool is_wrong = picture->is_wrong[i];
    const double x1 = a->x + dx * start - dy * aside;
    const double y1 = a->y + dy * start + dx * aside;
    const double x2 = a->x + dx * end - dy * aside;
    const double y2 = a->y + dy * end + dx * aside;

    svg_format(
        svg, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"2.4\"%s/>\n",
        x1, y1, x2, y2, svg_colour(is_wrong), svg_style(is_wrong, true));
    if (picture->n_hops <= 60)
        svg_format(svg,
                   "<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\" text-anchor=\"middle\" "
                   "fill=\"%s\">%zu</text>\n",
                   (x1 + x2) / 2 - dy * 9, (y1 + y2) / 2 + dx * 9 + 3.5,
                   svg_colour(is_wrong), i);
}

static void draw_box(const struct picture *picture, const struct box *box, uint32_t from,
                     uint64_t hash, struct text *svg)
{
    char label[300];
    const bool is_stub = box->node == NINHO_ROUTE_NONE;
    const bool is_goal =
        !is_stub && ninho_route_tree_holds(picture->tree, box->node, hash);
    const bool is_from = box->node == from;
    const char *fill = is_goal ? SVG_GOAL : is_from ? SVG_FROM : "#ffffff";
    const char *ink = is_goal || is_from ? "#ffffff" : is_stub ? "#7b8794" : SVG_INK;

    label_of(picture, box, label, sizeof label);
    if (!is_stub)
        svg_format(
            svg,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" "
            "fill=\"%s\" stroke=\"%s\" stroke-width=\"1.4\"/>\n",
            box->x - box->half_width, box->y - HALF_HEIGHT, 2 * box->half_width,
            2 * HALF_HEIGHT, HALF_HEIGHT, fill,
            is_goal || is_from ? fill
            : box->is_on_way   ? SVG_INK
                               : "#9aa5b1");
    else
        svg_format(
            svg,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" "
            "fill=\"#eef1f4\"/>\n",
            box->x - box->half_width, box->y - HALF_HEIGHT, 2 * box->half_width,
            2 * HALF_HEIGHT, HALF_HEIGHT);
    svg_format(svg,
               "<text x=\"%.1f\" y=\"%.1f\" font-size=\"11.5\" text-anchor=\"middle\" "
               "fill=\"%s\">",
               box->x, box->y + 4, ink);
    svg_text(svg, label, LABEL_CHARS);
    svg_format(svg, "</text>\n");
}

static void draw_words(const struct picture *picture, uint32_t from, uint64_t hash,
                       const struct route_answer *answer, struct text *svg)
{
    const double y = picture->bottom + 40;
    char what[80];

    (void)snprintf(what, sizeof what, "One request among %" PRIu32 " nodes",
                   picture->run->model.n_places);
    svg_headline(svg, MARGIN, what, answer, "the shortest way",
                 ninho_route_tree_distance(picture->tree, from, hash),
                 picture->is_cut ? "; more than fits here" : "");
    svg_format(svg, "<g font-size=\"12\" fill=\"" SVG_INK "\">");
    svg_key_dot(svg, MARGIN + 6, y, 6, SVG_FROM, "asks");
    svg_key_dot(svg, MARGIN + 70, y, 6, SVG_GOAL, "has it");
    svg_key_arrow(svg, MARGIN + 136, y, false, "the way");
    svg_key_arrow(svg, MARGIN + 234, y, true, "a filter was wrong: there and back");
    svg_format(svg, "</g>\n");
}

void draw_tree(const struct route_run *run, uint32_t from, uint64_t hash,
               struct text *svg)
{
    struct picture *picture = calloc(1, sizeof *picture);

    if (!picture) {
        svg->has_failed = true;
        return;
    }
    picture->run = run;
    picture->tree = run->model.network;
    const ninho_route_result result = ninho_route_tree_find(
        picture->tree, from, hash, run->options->ttl, note_hop, picture);
    find_wrong_hops(picture);
    choose_boxes(picture);
    lay_out(picture);
    svg_begin(svg, fmax(picture->right - 12 + MARGIN, 600), picture->bottom + 70,
              "One request in a tree of hosts");
    draw_links(picture, svg);
    svg_format(svg, "<g fill=\"none\">\n");
    for (size_t i = 1; i < picture->n_hops; i++)
        draw_hop(picture, i, svg);
    svg_format(svg, "</g>\n");
    for (size_t i = 0; i < picture->n_boxes; i++)
        draw_box(picture, &picture->boxes[i], from, hash, svg);
    const struct route_answer answer = {result.outcome, result.hops, result.wrong_turns,
                                        result.questions};
    draw_words(picture, from, hash, &answer, svg);
    svg_end(svg);
    free(picture);
}
