/* SPDX-License-Identifier: MIT */
#ifndef STUDY_23_RUN_H
#define STUDY_23_RUN_H

#include "study.h"

extern const struct figure same_genome_figures[];

void run_same_genome(const struct study *study, const char *folder,
                     struct answer *answer);

#endif
