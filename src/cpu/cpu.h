/* SPDX-License-Identifier: MIT */
/* Which instructions this machine has. Nothing else in the library asks. */
#ifndef NH_CPU_CPU_H
#define NH_CPU_CPU_H

#include <stdbool.h>

/* Machines that have kernels of their own, as #if sees them. The file of a kernel compiles
 * to nothing on other machines. */
#if defined(__x86_64__) || defined(__i386__)
#define NH_CPU_IS_X86 1
#else
#define NH_CPU_IS_X86 0
#endif
/* Kernels read words of the tables as they lie in memory, so little-endian only. */
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#define NH_CPU_IS_ARM64 1
#else
#define NH_CPU_IS_ARM64 0
#endif

enum nh_cpu_feature {
    NH_CPU_AVX2 = 1,    /* and BMI2: one without the other counts as neither */
    NH_CPU_NEON = 2,    /* of aarch64, where it is always there */
    NH_CPU_AVX512 = 4,  /* F, DQ, BW and VL, and AVX2 */
    NH_CPU_VPOPCNT = 8, /* AVX-512 that counts the bits of its lanes (VPOPCNTDQ) */
};

/* Whether the processor and the system allow it. Builds with NINHO_TEST_HOOKS also honour
 * the environment variable NINHO_DISABLE_CPU (names separated by commas: "avx2", which takes
 * AVX-512 along, "avx512", "vpopcnt", "neon"), so that the tests can run every level on one machine. Any
 * thread. */
bool nh_cpu_has(enum nh_cpu_feature feature);

#endif
