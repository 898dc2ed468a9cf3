/* SPDX-License-Identifier: MIT */
#ifndef STUDY_FEWER_RELOCATIONS_H
#define STUDY_FEWER_RELOCATIONS_H

#include "study.h"

/* Needs the genome that tools/fetch-data brings, and OpenSSL. */
void run_fewer_relocations(const struct study *study, const char *folder,
                           struct answer *answer);

#endif
