/* SPDX-License-Identifier: MIT */
/* What is inlined and what is not, where that is not left to the compiler. */
#ifndef NH_BASE_INLINE_H
#define NH_BASE_INLINE_H

/* NH_ALWAYS_INLINE is for code that is compiled once for each of several constants or
 * instruction sets. NH_NOINLINE is for the rare path of a short function: the registers that
 * it needs are then not saved on the common path. */
#ifdef __GNUC__
#define NH_ALWAYS_INLINE static inline __attribute__((always_inline))
#define NH_NOINLINE      __attribute__((noinline))
#else
#define NH_ALWAYS_INLINE static inline
#define NH_NOINLINE
#endif

#endif
