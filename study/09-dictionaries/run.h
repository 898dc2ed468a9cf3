/* SPDX-License-Identifier: MIT */
#ifndef STUDY_09_RUN_H
#define STUDY_09_RUN_H

#include "study.h"

extern const struct figure dictionaries_figures[];

void run_dictionaries(const struct study *study, const char *folder,
                      struct answer *answer);

#endif
