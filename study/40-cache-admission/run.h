/* SPDX-License-Identifier: MIT */
#ifndef STUDY_40_RUN_H
#define STUDY_40_RUN_H

#include "study.h"

extern const struct figure cache_admission_figures[];

void run_cache_admission(const struct study *study, const char *folder,
                         struct answer *answer);

#endif
