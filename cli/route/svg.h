/* SPDX-License-Identifier: MIT */
/* What the pictures of a tree and of a square have in common. */
#ifndef CLI_ROUTE_SVG_H
#define CLI_ROUTE_SVG_H

#include "route/route.h"

void svg_format(struct text *svg, const char *format, ...) PRINTF_LIKE(2, 3);
/* Text with what means something in XML escaped, cut after so many characters. */
void svg_text(struct text *svg, const char *text, size_t most);
void svg_begin(struct text *svg, double width, double height, const char *title);
void svg_end(struct text *svg);

/* Two lines at the top: what came of the request, and its numbers; `shortest` is UINT64_MAX where
 * there is no way. */
void svg_headline(struct text *svg, double x, const char *what,
                  const struct route_answer *answer, const char *shortest_is,
                  uint64_t shortest, const char *more);

/* Entries of the key below the picture. */
void svg_key_arrow(struct text *svg, double x, double y, bool is_wrong, const char *text);
void svg_key_dot(struct text *svg, double x, double y, double radius, const char *colour,
                 const char *text);

/* Of a hop: its colour, and attributes for dashes and the tip. Static. */
const char *svg_colour(bool is_wrong);
const char *svg_style(bool is_wrong, bool has_tip);

/* The colours of all pictures. */
#define SVG_INK   "#1f2933"
#define SVG_PALE  "#c5ced8"
#define SVG_PAPER "#fbfcfd"
#define SVG_ROUTE "#0b6bcb"
#define SVG_WRONG "#d9480f"
#define SVG_FROM  "#0b6bcb"
#define SVG_GOAL  "#2b8a3e"

/* The pictures: the network, or the part of it around one request's way. */
void draw_tree(const struct route_run *run, uint32_t from, uint64_t hash,
               struct text *svg);
void draw_geo(const struct route_run *run, uint32_t from, uint64_t hash,
              struct text *svg);

#endif
