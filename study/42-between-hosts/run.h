/* SPDX-License-Identifier: MIT */
#ifndef STUDY_42_RUN_H
#define STUDY_42_RUN_H

#include "study.h"

extern const struct figure between_hosts_figures[];

void run_between_hosts(const struct study *study, const char *folder,
                       struct answer *answer);

#endif
