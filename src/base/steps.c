/* SPDX-License-Identifier: MIT */
#include "base/steps.h"

#ifdef NINHO_TEST_HOOKS
_Thread_local uint64_t nh_n_steps;
void (*nh_on_store)(void);
#else
typedef int nh_steps_are_for_tests; /* C wants a declaration in every file */
#endif
