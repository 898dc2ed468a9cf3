/* SPDX-License-Identifier: MIT */
#ifndef STUDY_31_RUN_H
#define STUDY_31_RUN_H

#include "study.h"

extern const struct figure bloom_theory_figures[];

void run_bloom_theory(const struct study *study, const char *folder,
                      struct answer *answer);

#endif
