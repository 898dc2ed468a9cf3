/* SPDX-License-Identifier: MIT */
/* The n-th bit of a word is one instruction here. Whoever has BMI2 has the others too. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86 && defined(__x86_64__)

#include <immintrin.h>

#define TUNED        __attribute__((target("popcnt,lzcnt,bmi,bmi2")))
#define COUNT(word)  (unsigned)__builtin_popcountll(word)
#define NTH(word, n) _pdep_u64(UINT64_C(1) << (n), (word))
#define BEHIND(word) (unsigned)(64 - _lzcnt_u64(word))
#include "filter/simd/quotient_kernel.h"

const struct nh_quotient_kernel nh_quotient_bmi2 = {has, has_many, copies, insert,
                                                    take_out};

#else
typedef int nh_quotient_bmi2_is_for_x86_64; /* C wants a declaration in every file */
#endif
