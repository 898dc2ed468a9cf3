/* SPDX-License-Identifier: MIT */
#ifndef STUDY_41_RUN_H
#define STUDY_41_RUN_H

#include "study.h"

extern const struct figure state_space_figures[];

void run_state_space(const struct study *study, const char *folder,
                     struct answer *answer);

#endif
