/* SPDX-License-Identifier: MIT */
/* Which instructions this machine has. Nothing else in the library asks. */
#ifndef NH_CPU_CPU_H
#define NH_CPU_CPU_H

#include <stdbool.h>

enum nh_cpu_feature {
    NH_CPU_AVX2 = 1, /* and BMI2: one without the other counts as neither */
};

/* Whether the processor and the system allow it. Builds with NINHO_TEST_HOOKS also honour
 * the environment variable NINHO_DISABLE_CPU (names separated by commas: "avx2"), so that
 * the tests can run every level on one machine. Any thread. */
bool nh_cpu_has(enum nh_cpu_feature feature);

#endif
