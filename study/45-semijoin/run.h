/* SPDX-License-Identifier: MIT */
#ifndef STUDY_45_RUN_H
#define STUDY_45_RUN_H

#include "study.h"

extern const struct figure semijoin_figures[];

void run_semijoin(const struct study *study, const char *folder, struct answer *answer);

#endif
