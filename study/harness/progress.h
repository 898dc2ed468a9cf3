/* SPDX-License-Identifier: MIT */
/* Tells a person at a terminal how far it is and how long it will take; silent elsewhere. */
#ifndef STUDY_HARNESS_PROGRESS_H
#define STUDY_HARNESS_PROGRESS_H

struct progress {
    const char *what;
    double start;
    double shown; /* when the line was last written */
};

struct progress progress_begin(const char *what);

/* `share` of the work is done, 0 to 1. Cheap enough to call often. */
void progress_show(struct progress *progress, double share);

void progress_end(struct progress *progress);

#endif
