/* SPDX-License-Identifier: MIT */
#ifndef STUDY_32_RUN_H
#define STUDY_32_RUN_H

#include "study.h"

extern const struct figure bits_per_key_figures[];

void run_bits_per_key(const struct study *study, const char *folder,
                      struct answer *answer);

#endif
