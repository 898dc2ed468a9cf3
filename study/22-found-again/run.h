/* SPDX-License-Identifier: MIT */
#ifndef STUDY_22_RUN_H
#define STUDY_22_RUN_H

#include "study.h"

extern const struct figure found_again_figures[];

void run_found_again(const struct study *study, const char *folder,
                     struct answer *answer);

#endif
