/* SPDX-License-Identifier: MIT */
#ifndef STUDY_43_RUN_H
#define STUDY_43_RUN_H

#include "study.h"

extern const struct figure routing_figures[];

void run_routing(const struct study *study, const char *folder, struct answer *answer);

#endif
