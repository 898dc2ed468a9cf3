/* SPDX-License-Identifier: MIT */
#include "report/svg.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fail.h"
#include "report/html.h"

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t size = 0;
    size_t room = 1 << 16;
    char *text = allocate(room, 1);

    if (!file)
        fail("%s: %s", path, strerror(errno));
    for (;;) {
        size += fread(text + size, 1, room - 1 - size, file);
        if (size < room - 1)
            break;
        room *= 2;
        text = realloc(text, room);
        if (!text)
            fail("%s: no memory for %zu bytes", path, room);
    }
    if (ferror(file))
        fail("%s: could not be read", path);
    fclose(file);
    text[size] = '\0';
    return text;
}

static void print_colour(FILE *file, unsigned r, unsigned g, unsigned b)
{
    const unsigned most = r > g ? (r > b ? r : b) : (g > b ? g : b);
    const unsigned least = r < g ? (r < b ? r : b) : (g < b ? g : b);

    if (most - least > 8)
        fprintf(file, "var(--c-%02x%02x%02x,#%02x%02x%02x)", r, g, b, r, g, b);
    else if (most < 0x38)
        fputs("var(--ink)", file);
    else if (most < 0xa0)
        fputs("var(--grey)", file);
    else if (most < 0xe8)
        fputs("var(--line)", file);
    else
        fputs("var(--card)", file);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "rgb(213,  94,   0)": returns what follows it; NULL where something else stands there. */
static const char *parse_rgb(const char *at, unsigned long parts[3])
{
    if (!begins(at, "rgb("))
        return NULL;
    at += strlen("rgb(");
    for (int i = 0; i < 3; i++) {
        char *end;
        parts[i] = strtoul(at, &end, 10);
        if (end == at || parts[i] > 255 || *end != (i < 2 ? ',' : ')'))
            return NULL;
        at = end + 1;
    }
    return at;
}

/* What stands for a colour at `at`: prints ours and returns what follows it; NULL: none does. */
static const char *replace_colour(FILE *file, const char *at)
{
    static const struct {
        const char *text;
        unsigned level;
    } names[] = {{"'black'", 0},      {"\"black\"", 0},      {"'gray'", 0xc0},
                 {"\"gray\"", 0xc0},  {"'white'", 0xff},     {"\"white\"", 0xff},
                 {"'#FFFFFF'", 0xff}, {"\"#FFFFFF\"", 0xff}, {"\"#ffffff\"", 0xff},
                 {"'#ffffff'", 0xff}};
    unsigned long parts[3];
    const char *end = parse_rgb(at, parts);

    if (end) {
        print_colour(file, (unsigned)parts[0], (unsigned)parts[1], (unsigned)parts[2]);
        return end;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (begins(at, names[i].text)) {
            fputc(at[0], file);
            print_colour(file, names[i].level, names[i].level, names[i].level);
            fputc(at[0], file);
            return at + strlen(names[i].text);
        }
    return NULL;
}

/* An id, or a way to one, at `at`: prints it up to where the prefix goes and returns the rest; NULL:
 * there is none. */
static const char *copy_id(FILE *file, const char *at)
{
    static const char *const starts[] = {" id=\"", " id='", "href='#", "href=\"#",
                                         "url(#"};

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (begins(at, starts[i])) {
            fputs(starts[i], file);
            return at + strlen(starts[i]);
        }
    return NULL;
}

/* Skips what gnuplot writes and a page does not need: <title> and <desc>, which a browser would show as
 * the picture's name; groups with nothing in them; attributes that say what is so anyway. They are half
 * of a figure's bytes. */
static const char *skip_needless(const char *at)
{
    static const char *const ends[] = {"</title>", "</desc>"};
    static const char usual[] = " stroke-linecap=\"butt\" stroke-linejoin=\"miter\"";

    if (begins(at, usual))
        return at + strlen(usual);
    if (begins(at, "<g ")) {
        const char *end = at + strcspn(at, ">");
        end += *end ? 1 : 0;
        end += strspn(end, " \t\n");
        return begins(end, "</g>") ? end + strlen("</g>") : at;
    }

    for (size_t i = 0; i < 2; i++)
        if (begins(at, i ? "<desc>" : "<title>")) {
            const char *end = strstr(at, ends[i]);
            return end ? end + strlen(ends[i]) : at;
        }
    return at;
}

void svg_embed(FILE *file, const char *path, const char *prefix, const char *label)
{
    char *text = read_text(path);
    const char *at = strstr(text, "<svg");

    if (!at || !strstr(at, "</svg>"))
        fail("%s: is not a whole SVG file", path);
    fputs("<svg role=\"img\" aria-label=\"", file);
    html_text(file, label);
    fputc('"', file);
    at += strlen("<svg");
    while (*at) {
        const char *next = skip_needless(at);
        if (next == at && (next = copy_id(file, at))) {
            html_text(file, prefix);
            fputc('-', file);
        }
        if (!next)
            next = replace_colour(file, at);
        if (!next) {
            fputc(*at, file);
            next = at + 1;
        }
        at = next;
    }
    free(text);
}
