/* SPDX-License-Identifier: MIT */
/* Draws a figure: runs gnuplot on a script that reads only the data file. */
#ifndef STUDY_HARNESS_FIGURE_H
#define STUDY_HARNESS_FIGURE_H

/* Fails with the program if gnuplot is not there: better before hours of measuring than after. */
void figure_check(void);

/* Runs harness/style.gp and then the script, which finds in its variables `folder` the folder of the
 * results (it ends with '/'), in `data` its data file and in `figure` the file to write; and what `set`, commands
 * of gnuplot or NULL, says. Fails with the program. */
void figure_draw(const char *style, const char *script, const char *set,
                 const char *folder, const char *data, const char *figure);

#endif
