/* SPDX-License-Identifier: MIT */
/* Folders of results. */
#ifndef STUDY_HARNESS_FOLDER_H
#define STUDY_HARNESS_FOLDER_H

#include <stdbool.h>

/* Makes a folder and those above it. Fails with the program. */
void folder_make(const char *path);

/* Makes the folder ready for the run with this mark: what another run has left is removed from it,
 * and from_scratch what this one has left too. Fails with the program. */
void folder_prepare(const char *path, const char *mark, bool from_scratch);

#endif
