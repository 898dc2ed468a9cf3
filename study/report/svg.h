/* SPDX-License-Identifier: MIT */
/* Figures inside the page. */
#ifndef STUDY_REPORT_SVG_H
#define STUDY_REPORT_SVG_H

#include <stdio.h>

/* Copies the <svg> element of a file that gnuplot wrote. Its ids get `prefix`, so that those of two
 * figures do not meet; black, white and greys become the page's ink, paper and lines, and other colours
 * variables that the style sheet may change on a dark page; `label` is read out by those who cannot
 * see it. Fails with the program. */
void svg_embed(FILE *file, const char *path, const char *prefix, const char *label);

#endif
