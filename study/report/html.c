/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include <errno.h>
#include <stdbool.h>
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

/* Copies a file from the first occurrence of `from` on; false if there is none. */
static bool copy_from(FILE *file, const char *path, const char *from)
{
    FILE *source = fopen(path, "r");
    char line[8192];
    bool is_inside = false;

    if (!source)
        fail("%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, source)) {
        const char *text = is_inside ? line : strstr(line, from);
        if (!text)
            continue;
        is_inside = true;
        fputs(text, file);
    }
    if (ferror(source))
        fail("%s: could not be read", path);
    fclose(source);
    return is_inside;
}

void html_file(FILE *file, const char *path)
{
    copy_from(file, path, "");
}

void html_svg(FILE *file, const char *path)
{
    if (!copy_from(file, path, "<svg"))
        fail("%s: is not an SVG file", path);
}
