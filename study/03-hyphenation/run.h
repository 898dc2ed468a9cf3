/* SPDX-License-Identifier: MIT */
#ifndef STUDY_03_RUN_H
#define STUDY_03_RUN_H

#include "study.h"

extern const struct figure hyphenation_figures[];

void run_hyphenation(const struct study *study, const char *folder,
                     struct answer *answer);

#endif
