/* SPDX-License-Identifier: MIT */
/* Is there enough memory? Systems that overcommit would say yes and end the process later; and what a
 * small file unpacks to should not take all that there is. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "args.h"

/* Of commands that keep what they read, or something for each piece of it. */
struct memory_options {
    uint64_t limit; /* 0: not given */
};
extern const struct option memory_options[];

/* From now on this process may use so much: by default half of the machine's memory, or of the control
 * group's, so that a mistake leaves room for everything else. Commands without the option have no
 * limit but what there is. */
void memory_set_limit(const struct memory_options *options);

/* The bytes this process could still use: free and reclaimable memory and swap, its control
 * group's limit, its address space limit, its own limit less what it uses; UINT64_MAX if nothing
 * tells. */
uint64_t memory_available(void);

/* EXIT_YES, or EXIT_ERROR having said that `subject` needs more than there is. */
int memory_check(const char *subject, uint64_t bytes_needed);

#endif
