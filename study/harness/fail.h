/* SPDX-License-Identifier: MIT */
/* The study's one way to fail: it has nothing to clean up, and half a study is no study. */
#ifndef STUDY_HARNESS_FAIL_H
#define STUDY_HARNESS_FAIL_H

#include <stddef.h>

/* Prints "ninho-study: ..." to stderr and exits with 2. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

/* calloc that fails instead of answering NULL. */
void *allocate(size_t n, size_t size);

#endif
