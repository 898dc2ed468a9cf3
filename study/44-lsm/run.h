/* SPDX-License-Identifier: MIT */
#ifndef STUDY_44_RUN_H
#define STUDY_44_RUN_H

#include "study.h"

extern const struct figure lsm_figures[];

void run_lsm(const struct study *study, const char *folder, struct answer *answer);

#endif
