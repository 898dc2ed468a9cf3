/* SPDX-License-Identifier: MIT */
#ifndef STUDY_33_RUN_H
#define STUDY_33_RUN_H

#include "study.h"

extern const struct figure lookups_figures[];

void run_lookups(const struct study *study, const char *folder, struct answer *answer);

#endif
