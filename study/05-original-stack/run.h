/* SPDX-License-Identifier: MIT */
#ifndef STUDY_05_RUN_H
#define STUDY_05_RUN_H

#include "study.h"

extern const struct figure original_stack_figures[];

void run_original_stack(const struct study *study, const char *folder,
                        struct answer *answer);

#endif
