/* SPDX-License-Identifier: MIT */
/* How much work was done, for tests that give it a bound: they count, where a clock would
 * only guess. Nothing outside of test builds. */
#ifndef NH_BASE_STEPS_H
#define NH_BASE_STEPS_H

#include <stdint.h>

#ifdef NINHO_TEST_HOOKS
/* Slots, blocks, windows of tags or nodes that this thread has looked at, or moved. */
extern _Thread_local uint64_t nh_n_steps;
#define nh_step() ((void)nh_n_steps++)

/* Called before each store that readers beside the writer may see; may be NULL. For the test that puts
 * a reader's loads between them, in every order. */
extern void (*nh_on_store)(void);
#define nh_before_store() (nh_on_store ? nh_on_store() : (void)0)
#else
#define nh_step()         ((void)0)
#define nh_before_store() ((void)0)
#endif

#endif
