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

void html_badge(FILE *file, const char *text)
{
    fputs("<span class=\"badge ", file);
    for (const char *at = text; *at; at++)
        fputc(*at == ' ' ? '-' : *at, file);
    fputs("\">", file);
    html_text(file, text);
    fputs("</span>", file);
}

void html_file(FILE *file, const char *path)
{
    FILE *source = fopen(path, "r");
    char line[8192];

    if (!source)
        fail("%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, source))
        fputs(line, file);
    if (ferror(source))
        fail("%s: could not be read", path);
    fclose(source);
}
