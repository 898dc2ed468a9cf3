/* SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ASKED \
    0x80000000U /* set once the answer is known, so that 0 means "not asked yet" */

static unsigned detect(void)
{
    unsigned features = 0;
#if NH_CPU_IS_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        features |= NH_CPU_AVX2;
    if ((features & NH_CPU_AVX2) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        features |= NH_CPU_AVX512;
    if ((features & NH_CPU_AVX512) && __builtin_cpu_supports("avx512vpopcntdq"))
        features |= NH_CPU_VPOPCNT;
#elif NH_CPU_IS_ARM64
    features |= NH_CPU_NEON;
#endif
#ifdef NINHO_TEST_HOOKS
    const char *disabled = getenv("NINHO_DISABLE_CPU");
    if (disabled && strstr(disabled, "avx2"))
        features &= ~(unsigned)(NH_CPU_AVX2 | NH_CPU_AVX512 | NH_CPU_VPOPCNT);
    if (disabled && strstr(disabled, "avx512"))
        features &= ~(unsigned)(NH_CPU_AVX512 | NH_CPU_VPOPCNT);
    if (disabled && strstr(disabled, "vpopcnt"))
        features &= ~(unsigned)NH_CPU_VPOPCNT;
    if (disabled && strstr(disabled, "neon"))
        features &= ~(unsigned)NH_CPU_NEON;
#endif
    return features;
}

bool nh_cpu_has(enum nh_cpu_feature feature)
{
    /* Two threads may both detect; they write the same value. */
    static atomic_uint cache;
    unsigned features = atomic_load_explicit(&cache, memory_order_relaxed);

    if (!features) {
        features = detect() | ASKED;
        atomic_store_explicit(&cache, features, memory_order_relaxed);
    }
    return (features & (unsigned)feature) != 0;
}
