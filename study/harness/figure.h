/* SPDX-License-Identifier: MIT */
/* Draws a figure: runs gnuplot on a script that reads only the data file. */
#ifndef STUDY_HARNESS_FIGURE_H
#define STUDY_HARNESS_FIGURE_H

/* Fails with the program if gnuplot is not there: better before hours of measuring than after. */
void figure_check(void);

/* The script finds the two paths in its variables `data` and `figure`. Fails with the program. */
void figure_draw(const char *script, const char *data, const char *figure);

#endif
