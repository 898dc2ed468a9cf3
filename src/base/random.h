/* SPDX-License-Identifier: MIT */
/* Random bytes from the system, for what nobody outside may foresee. */
#ifndef NH_BASE_RANDOM_H
#define NH_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

#define NH_RANDOM_MOST 256 /* bytes in one call: what every system gives at once */

/* Fills `bytes`. False where the system has no source of randomness, or it failed: then
 * `bytes` holds nothing of use. Any thread. */
bool nh_random(void *bytes, size_t size);

#ifdef NINHO_TEST_HOOKS
/* Of this thread: asked in place of the system, if it is not NULL. */
extern _Thread_local bool (*nh_random_instead)(void *bytes, size_t size);
#endif

#endif
