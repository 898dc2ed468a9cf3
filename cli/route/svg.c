/* SPDX-License-Identifier: MIT */
#include "route/svg.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void svg_format(struct text *svg, const char *format, ...)
{
    char line[1000];
    va_list arguments;

    va_start(arguments, format);
    const int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (n > 0)
        text_append(svg, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

void svg_text(struct text *svg, const char *text, size_t most)
{
    size_t n = 0;

    for (const char *at = text; *at && n < most; at++) {
        const unsigned char c = (unsigned char)*at;
        /* Bytes that are not plain letters could be half of one. */
        const bool is_plain = c >= 0x20 && c < 0x7f;
        if (c == '&')
            svg_format(svg, "&amp;");
        else if (c == '<')
            svg_format(svg, "&lt;");
        else if (c == '>')
            svg_format(svg, "&gt;");
        else
            svg_format(svg, "%c", is_plain ? c : '?');
        n++;
    }
    if (n < strlen(text))
        svg_format(svg, "...");
}

void svg_begin(struct text *svg, double width, double height, const char *title)
{
    svg_format(svg,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
               "width=\"%.0f\" height=\"%.0f\" font-family=\"Helvetica, Arial, "
               "sans-serif\">\n",
               width, height, width, height);
    svg_format(svg, "<title>%s</title>\n", title);
    svg_format(svg,
               "<defs>\n<marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
               "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
               "<path d=\"M0 0.6L7.4 4L0 7.4z\" fill=\"" SVG_ROUTE "\"/></marker>\n"
               "<marker id=\"tip-wrong\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
               "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
               "<path d=\"M0 0.6L7.4 4L0 7.4z\" fill=\"" SVG_WRONG
               "\"/></marker>\n</defs>\n");
    svg_format(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"" SVG_PAPER "\"/>\n");
}

void svg_end(struct text *svg)
{
    svg_format(svg, "</svg>\n");
}

void svg_headline(struct text *svg, double x, const char *what,
                  const struct route_answer *answer, const char *shortest_is,
                  uint64_t shortest, const char *more)
{
    static const char *const outcomes[] = {"delivered", "nobody has it",
                                           "its TTL is spent"};
    char ways[60] = "";

    if (shortest != UINT64_MAX)
        (void)snprintf(ways, sizeof ways, " (%s: %" PRIu64 ")", shortest_is, shortest);
    svg_format(svg,
               "<text x=\"%.0f\" y=\"34\" font-size=\"17\" font-weight=\"bold\" "
               "fill=\"" SVG_INK "\">%s: %s</text>\n",
               x, what, outcomes[answer->outcome]);
    svg_format(svg,
               "<text x=\"%.0f\" y=\"56\" font-size=\"12.5\" fill=\"#52606d\">%" PRIu64
               " hops%s, %" PRIu64 " wrong turn%s, %" PRIu64 " filters asked%s</text>\n",
               x, answer->hops, ways, answer->wrong_turns, plural(answer->wrong_turns),
               answer->questions, more);
}

void svg_key_arrow(struct text *svg, double x, double y, bool is_wrong, const char *text)
{
    svg_format(svg,
               "<path d=\"M%.0f %.1fh28\" stroke=\"%s\" stroke-width=\"2.4\"%s/>"
               "<text x=\"%.0f\" y=\"%.1f\">%s</text>",
               x, y - 4, svg_colour(is_wrong), svg_style(is_wrong, true), x + 36, y,
               text);
}

void svg_key_dot(struct text *svg, double x, double y, double radius, const char *colour,
                 const char *text)
{
    svg_format(svg,
               "<circle cx=\"%.0f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>"
               "<text x=\"%.0f\" y=\"%.1f\">%s</text>",
               x, y - 4, radius, colour, x + radius + 6, y, text);
}

const char *svg_colour(bool is_wrong)
{
    return is_wrong ? SVG_WRONG : SVG_ROUTE;
}

const char *svg_style(bool is_wrong, bool has_tip)
{
    if (!has_tip)
        return is_wrong ? " stroke-dasharray=\"6 4\"" : "";
    return is_wrong ? " stroke-dasharray=\"6 4\" marker-end=\"url(#tip-wrong)\""
                    : " marker-end=\"url(#tip)\"";
}
