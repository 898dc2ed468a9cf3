/* SPDX-License-Identifier: MIT */
/* Handles in a program that is compiled for AVX2. (clang takes that from the command line only, and gcc
 * for 32 bits cannot read its own header then; these
 * try SSE2 again.) */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#pragma GCC target("avx2")
#endif
#include "unit/inline_test.c" // NOLINT(bugprone-suspicious-include): a program of its own
