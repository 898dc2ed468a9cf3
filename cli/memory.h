/* SPDX-License-Identifier: MIT */
/* Is there enough memory? Systems that overcommit would say yes and end the process later. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stdint.h>

/* The bytes this process could still use: free and reclaimable memory and swap, its control
 * group's limit, its address space limit; UINT64_MAX if nothing tells. */
uint64_t memory_available(void);

/* EXIT_YES, or EXIT_ERROR having said that `subject` needs more than there is. */
int memory_check(const char *subject, uint64_t bytes_needed);

#endif
