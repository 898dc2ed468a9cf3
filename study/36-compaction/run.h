/* SPDX-License-Identifier: MIT */
#ifndef STUDY_36_RUN_H
#define STUDY_36_RUN_H

#include "study.h"

extern const struct figure compaction_figures[];

void run_compaction(const struct study *study, const char *folder, struct answer *answer);

#endif
