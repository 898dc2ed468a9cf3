/* SPDX-License-Identifier: MIT */
/* Handles with the plain kernels. */
#define NINHO_NO_SIMD
#include "unit/inline_test.c" // NOLINT(bugprone-suspicious-include): a program of its own
