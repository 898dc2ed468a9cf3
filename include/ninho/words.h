/* SPDX-License-Identifier: MIT */
/* Words: little-endian loads and stores, and products of 128 bits. <ninho/inline.h> and the library
 * share them; they are no interface, and may change. */
#ifndef NINHO_WORDS_H
#define NINHO_WORDS_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NINHO_LE16_(x) __builtin_bswap16(x)
#define NINHO_LE32_(x) __builtin_bswap32(x)
#define NINHO_LE64_(x) __builtin_bswap64(x)
#else
#define NINHO_LE16_(x) (x)
#define NINHO_LE32_(x) (x)
#define NINHO_LE64_(x) (x)
#endif

/* For code that is to be compiled anew for each caller, with what it knows. */
#ifdef __GNUC__
#define NINHO_INLINE_    static inline __attribute__((always_inline))
#define NINHO_SELDOM_(x) __builtin_expect(!!(x), 0)
#else
#define NINHO_INLINE_    static inline
#define NINHO_SELDOM_(x) (x)
#endif

NINHO_INLINE_ uint16_t ninho_load16_(const void *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return NINHO_LE16_(value);
}

NINHO_INLINE_ uint32_t ninho_load32_(const void *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return NINHO_LE32_(value);
}

NINHO_INLINE_ uint64_t ninho_load64_(const void *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return NINHO_LE64_(value);
}

NINHO_INLINE_ void ninho_store32_(void *at, uint32_t value)
{
    const uint32_t bytes = NINHO_LE32_(value);
    memcpy(at, &bytes, sizeof bytes);
}

/* The high half of a 128-bit product. */
NINHO_INLINE_ uint64_t ninho_mul_high_(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 u128;
    return (uint64_t)(((u128)a * b) >> 64);
#else
    const uint64_t a_low = (uint32_t)a, a_high = a >> 32;
    const uint64_t b_low = (uint32_t)b, b_high = b >> 32;
    const uint64_t low = a_low * b_low;
    const uint64_t middle =
        a_high * b_low + (low >> 32); /* at most 2^64 - 2^32: no carry */
    const uint64_t other = a_low * b_high + (uint32_t)middle;
    return a_high * b_high + (middle >> 32) + (other >> 32);
#endif
}

#endif
