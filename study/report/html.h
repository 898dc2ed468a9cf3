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

/* A verdict as a badge, whose class is the text with '-' for ' '. */
void html_badge(FILE *file, const char *text);

#endif
