/* SPDX-License-Identifier: MIT */
/* The promised false-positive rate against the measured one. The families are dealt out to
 * several programs, so that they run beside each other. */
#ifndef NINHO_TEST_FPR_H
#define NINHO_TEST_FPR_H

#include <stddef.h>

/* Runs the families whose index is `part` modulo `n_parts`; what main() returns. */
int fpr_main(size_t part, size_t n_parts);

#endif
