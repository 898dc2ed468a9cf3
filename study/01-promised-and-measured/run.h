/* SPDX-License-Identifier: MIT */
#ifndef STUDY_01_RUN_H
#define STUDY_01_RUN_H

#include "study.h"

extern const struct figure promised_figures[];

void run_promised_and_measured(const struct study *study, const char *folder,
                               struct answer *answer);

#endif
