/* SPDX-License-Identifier: MIT */
#ifndef STUDY_04_RUN_H
#define STUDY_04_RUN_H

#include "study.h"

extern const struct figure hyphenation_stores_figures[];

void run_hyphenation_stores(const struct study *study, const char *folder,
                            struct answer *answer);

#endif
