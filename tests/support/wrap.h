/* SPDX-License-Identifier: MIT */
/* Calls of the C library that fail on demand. A test program that is listed in WRAPPED of
 * tests/CMakeLists.txt is linked so that its calls of open, write, malloc and so on come by here
 * first (the linker's --wrap). */
#ifndef NINHO_TEST_WRAP_H
#define NINHO_TEST_WRAP_H

/* From the `at`-th call of `name` from now on (1 is the next one), `n` calls are not made: they
 * answer `result` and set errno to `reason`. A later plan replaces an earlier one. Functions that
 * answer a pointer answer NULL, mmap MAP_FAILED. */
void wrap_plan(const char *name, unsigned at, unsigned n, long result, int reason);

/* No call fails any more. The number of calls that were not made since wrap_plan(). */
unsigned wrap_end(void);

#endif
