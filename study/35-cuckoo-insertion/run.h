/* SPDX-License-Identifier: MIT */
#ifndef STUDY_35_RUN_H
#define STUDY_35_RUN_H

#include "study.h"

extern const struct figure cuckoo_insertion_figures[];

void run_cuckoo_insertion(const struct study *study, const char *folder,
                          struct answer *answer);

#endif
