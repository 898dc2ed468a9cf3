/* SPDX-License-Identifier: MIT */
#ifndef STUDY_20_RUN_H
#define STUDY_20_RUN_H

#include "study.h"

extern const struct figure fewer_relocations_figures[];

void run_fewer_relocations(const struct study *study, const char *folder,
                           struct answer *answer);

#endif
