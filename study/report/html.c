/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include <errno.h>
#include <string.h>

#include "harness/fail.h"

void html_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        case '\'':
            fputs("&#39;", file);
            break;
        default:
            fputc(*text, file);
        }
    }
}

void html_element(FILE *file, const char *tag, const char *class_name, const char *text)
{
    fprintf(file, "<%s", tag);
    if (class_name) {
        fputs(" class=\"", file);
        html_text(file, class_name);
        fputc('"', file);
    }
    fputc('>', file);
    html_text(file, text);
    fprintf(file, "</%s>", tag);
}

void html_svg(FILE *file, const char *path)
{
    FILE *svg = fopen(path, "r");
    char line[8192];
    int is_inside = 0;

    if (!svg)
        fail("%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, svg)) {
        const char *from = is_inside ? line : strstr(line, "<svg");
        if (!from)
            continue;
        is_inside = 1;
        fputs(from, file);
    }
    if (ferror(svg) || !is_inside)
        fail("%s: is not an SVG file", path);
    fclose(svg);
}
