/* SPDX-License-Identifier: MIT */
/* SipHash-2-4: J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012.
 * Four words of state; each input word costs two rounds, the end costs four. */
#include "hash/hash.h"

#include "base/le.h"

struct sip {
    uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate_left(uint64_t word, unsigned n)
{
    return word << n | word >> (64 - n);
}

static inline void rounds(struct sip *s, unsigned n)
{
    while (n--) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotate_left(s->v1, 13) ^ s->v0;
        s->v3 = rotate_left(s->v3, 16) ^ s->v2;
        s->v0 = rotate_left(s->v0, 32);
        s->v2 += s->v1;
        s->v0 += s->v3;
        s->v1 = rotate_left(s->v1, 17) ^ s->v2;
        s->v3 = rotate_left(s->v3, 21) ^ s->v0;
        s->v2 = rotate_left(s->v2, 32);
    }
}

static inline void absorb(struct sip *s, uint64_t word)
{
    s->v3 ^= word;
    rounds(s, 2);
    s->v0 ^= word;
}

uint64_t nh_siphash(const uint8_t secret[NINHO_SECRET_BYTES], const void *bytes,
                    size_t size)
{
    const uint8_t *at = bytes;
    const uint64_t k0 = nh_load_le64(secret);
    const uint64_t k1 = nh_load_le64(secret + 8);
    /* The constants spell "somepseudorandomlygeneratedbytes". */
    struct sip s = {
        k0 ^ UINT64_C(0x736f6d6570736575),
        k1 ^ UINT64_C(0x646f72616e646f6d),
        k0 ^ UINT64_C(0x6c7967656e657261),
        k1 ^ UINT64_C(0x7465646279746573),
    };
    size_t left = size;

    for (; left >= 8; left -= 8, at += 8)
        absorb(&s, nh_load_le64(at));
    /* The last word holds what is left and, on top, the length modulo 256. */
    uint64_t last = (uint64_t)(size & 0xff) << 56;
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)at[i] << (8 * i);
    absorb(&s, last);
    s.v2 ^= 0xff;
    rounds(&s, 4);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
