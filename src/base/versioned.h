/* SPDX-License-Identifier: MIT */
/* Structs that grow with the library: each begins with its own size, as the caller knew
 * it. */
#ifndef NH_BASE_VERSIONED_H
#define NH_BASE_VERSIONED_H

#include <stdbool.h>
#include <stddef.h>

/* Copies a caller's struct over ours: false if its size is 0, or larger with anything set
 * in what we do not know. `ours` begins as defaults. */
bool nh_struct_in(void *ours, size_t our_size, const void *theirs);

/* Copies ours to the caller's, as much as there is room for, keeping its size field. */
bool nh_struct_out(void *theirs, const void *ours, size_t our_size);

#endif
