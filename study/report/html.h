/* SPDX-License-Identifier: MIT */
/* Writing HTML without writing markup by accident. */
#ifndef STUDY_REPORT_HTML_H
#define STUDY_REPORT_HTML_H

#include <stdio.h>

/* Writes text so that it shows as it is, inside an element or a quoted attribute. */
void html_text(FILE *file, const char *text);

/* Writes <tag>text</tag>, with a class unless that is NULL. */
void html_element(FILE *file, const char *tag, const char *class_name, const char *text);

/* Copies a file of ours into the page as it is. Fails with the program. */
void html_file(FILE *file, const char *path);

/* Copies an SVG file's <svg> element into the page, without the prologue that only a file of its
 * own may have. Fails with the program. */
void html_svg(FILE *file, const char *path);

#endif
