/* SPDX-License-Identifier: MIT */
/* Keeping answers: what a question found is written beside its data, so that the report can be made
 * again, and extended by another question, without measuring anything twice. */
#ifndef STUDY_HARNESS_ANSWER_H
#define STUDY_HARNESS_ANSWER_H

#include <stdbool.h>

#include "study.h"

/* Writes the answer with the run's mark, whole or not at all. Fails with the program. */
void answer_save(const struct study *study, const struct answer *answer,
                 const char *path);

/* Reads an answer. False, and nothing to free, where there is none, or it is of another run, or
 * damaged. */
bool answer_load(const struct study *study, const char *path, struct answer *answer);

/* Frees what an answer holds, and leaves it empty. */
void answer_free(struct answer *answer);

#endif
