/* SPDX-License-Identifier: MIT */
#ifndef STUDY_34_RUN_H
#define STUDY_34_RUN_H

#include "study.h"

extern const struct figure pairing_figures[];

void run_pairing(const struct study *study, const char *folder, struct answer *answer);

#endif
