/* SPDX-License-Identifier: MIT */
/* Arithmetic on 64-bit words that every layer needs. */
#ifndef NH_BASE_BITS_H
#define NH_BASE_BITS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/words.h>

/* The low `n` bits set, 0 <= n <= 64. */
static inline uint64_t nh_low_mask(unsigned n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* The high half of a 128-bit product. */
static inline uint64_t nh_mul_high(uint64_t a, uint64_t b)
{
    return ninho_mul_high_(a, b);
}

/* Maps a hash to [0, n) evenly, without dividing; it takes the HIGH bits of the hash. */
static inline uint64_t nh_reduce(uint64_t hash, uint64_t n)
{
    return nh_mul_high(hash, n);
}

/* How many bits are set. Where the compiler may not assume an instruction for it, its
 * builtin is a call and a table; adding neighbours up is faster: bits to pairs to fours
 * to bytes, and the product's top byte is the sum of all eight. */
static inline unsigned nh_popcount(uint64_t word)
{
#if defined(__GNUC__) && \
    (defined(__POPCNT__) || defined(__aarch64__) || defined(__s390x__))
    return (unsigned)__builtin_popcountll(word);
#else
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) +
           (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(word * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/* The number of the lowest bit that is set; there is one. */
static inline unsigned nh_lowest_bit(uint32_t word)
{
    return ninho_lowest_bit_(word);
}

static inline unsigned nh_lowest_bit64(uint64_t word)
{
#ifdef __GNUC__
    return (unsigned)__builtin_ctzll(word);
#else
    const uint32_t low = (uint32_t)word;
    return low ? nh_lowest_bit(low) : 32 + nh_lowest_bit((uint32_t)(word >> 32));
#endif
}

/* Asks for a cache line ahead of its use; a no-op where the compiler cannot say it. */
static inline void nh_prefetch(const void *address)
{
#ifdef __GNUC__
    __builtin_prefetch(address, 0, 3);
#else
    (void)address;
#endif
}

static inline void nh_prefetch_write(const void *address)
{
#ifdef __GNUC__
    __builtin_prefetch(address, 1, 3);
#else
    (void)address;
#endif
}

/* Products and sums that must not wrap; false and *out untouched if they would. */
static inline bool nh_mul_fits(uint64_t a, uint64_t b, uint64_t *out)
{
    if (a && b > UINT64_MAX / a)
        return false;
    *out = a * b;
    return true;
}

static inline bool nh_add_fits(uint64_t a, uint64_t b, uint64_t *out)
{
    if (b > UINT64_MAX - a)
        return false;
    *out = a + b;
    return true;
}

/* `n` up to the next multiple of `unit`, a power of two. The caller knows that it cannot
 * wrap. */
static inline uint64_t nh_round_up(uint64_t n, uint64_t unit)
{
    assert(unit && (unit & (unit - 1)) == 0 && n <= UINT64_MAX - (unit - 1));
    return (n + (unit - 1)) & ~(unit - 1);
}

#endif
