/* SPDX-License-Identifier: MIT */
#ifndef STUDY_21_RUN_H
#define STUDY_21_RUN_H

#include "study.h"

extern const struct figure relocation_curve_figures[];

void run_relocation_curve(const struct study *study, const char *folder,
                          struct answer *answer);

#endif
