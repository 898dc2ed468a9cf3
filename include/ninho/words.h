/* SPDX-License-Identifier: MIT */
/* Words: little-endian loads and stores, and products of 128 bits. <ninho/inline.h> and the library
 * share them; they are no interface, and may change. */
#ifndef NINHO_WORDS_H
#define NINHO_WORDS_H

#include <stddef.h>
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

#if defined(__SANITIZE_THREAD__)
#define NINHO_TSAN_
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NINHO_TSAN_
#endif
#endif

/* Bytes of a table, to which other threads may be adding bits (see <ninho/shared.h>). Whatever loads
 * them, each byte comes as it was before some change or after it, and that is all that is asked.
 * ThreadSanitizer knows no such promise: it is shown atomic loads. */
NINHO_INLINE_ void ninho_fetch_(void *to, const void *from, size_t n)
{
#ifdef NINHO_TSAN_
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)to)[i] = __atomic_load_n((const uint8_t *)from + i, __ATOMIC_RELAXED);
#else
    memcpy(to, from, n);
#endif
}

/* The number of the lowest bit that is set; there is one. */
NINHO_INLINE_ unsigned ninho_lowest_bit_(uint32_t word)
{
#ifdef __GNUC__
    return (unsigned)__builtin_ctz(word);
#else
    unsigned n = 0;
    while (!(word >> n & 1))
        n++;
    return n;
#endif
}

NINHO_INLINE_ uint8_t ninho_load8_(const uint8_t *at)
{
    uint8_t value;
    ninho_fetch_(&value, at, 1);
    return value;
}

NINHO_INLINE_ uint16_t ninho_load16_(const void *at)
{
    uint16_t value;
    ninho_fetch_(&value, at, sizeof value);
    return NINHO_LE16_(value);
}

NINHO_INLINE_ uint32_t ninho_load32_(const void *at)
{
    uint32_t value;
    ninho_fetch_(&value, at, sizeof value);
    return NINHO_LE32_(value);
}

NINHO_INLINE_ uint64_t ninho_load64_(const void *at)
{
    uint64_t value;
    ninho_fetch_(&value, at, sizeof value);
    return NINHO_LE64_(value);
}

NINHO_INLINE_ void ninho_store32_(void *at, uint32_t value)
{
    const uint32_t bytes = NINHO_LE32_(value);
    memcpy(at, &bytes, sizeof bytes);
}

/* Words that many threads set bits of: the widest that every such machine changes at once. */
#if UINTPTR_MAX > 0xffffffff
typedef uint64_t ninho_lane_;
#define NINHO_LE_LANE_(x) NINHO_LE64_(x)
#else
typedef uint32_t ninho_lane_;
#define NINHO_LE_LANE_(x) NINHO_LE32_(x)
#endif

#ifdef __GNUC__
#define NINHO_ATOMIC_LOAD_(at)     __atomic_load_n((at), __ATOMIC_RELAXED)
#define NINHO_ATOMIC_STORE_(at, x) __atomic_store_n((at), (x), __ATOMIC_RELAXED)
#define NINHO_ATOMIC_OR_(at, bits) \
    ((void)__atomic_fetch_or((at), (bits), __ATOMIC_RELAXED))
#elif !defined(__cplusplus) && !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
#define NINHO_ATOMIC_(at)                                     \
    _Generic((at), uint8_t *                                  \
             : (_Atomic uint8_t *)(void *)(at), ninho_lane_ * \
             : (_Atomic ninho_lane_ *)(void *)(at))
#define NINHO_ATOMIC_LOAD_(at) \
    atomic_load_explicit(NINHO_ATOMIC_(at), memory_order_relaxed)
#define NINHO_ATOMIC_STORE_(at, x) \
    atomic_store_explicit(NINHO_ATOMIC_(at), (x), memory_order_relaxed)
#define NINHO_ATOMIC_OR_(at, bits) \
    ((void)atomic_fetch_or_explicit(NINHO_ATOMIC_(at), (bits), memory_order_relaxed))
#endif

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
