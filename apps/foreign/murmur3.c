/* SPDX-License-Identifier: MIT */
#include "murmur3.h"

static uint64_t rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static uint64_t read_word(const uint8_t *bytes)
{
    uint64_t word = 0;

    for (unsigned i = 8; i-- > 0;)
        word = word << 8 | bytes[i];
    return word;
}

/* Up to eight bytes, each with its sign, one upon another. */
static uint64_t read_signed(const uint8_t *bytes, size_t n)
{
    uint64_t word = 0;

    for (size_t i = 0; i < n; i++) {
        const uint64_t sign = bytes[i] & 0x80 ? ~UINT64_C(0xFF) : 0;
        word ^= (sign | bytes[i]) << (8 * i);
    }
    return word;
}

static uint64_t mix_first(uint64_t k)
{
    return rotate(k * UINT64_C(0x87c37b91114253d5), 31) * UINT64_C(0x4cf5ad432745937f);
}

static uint64_t mix_second(uint64_t k)
{
    return rotate(k * UINT64_C(0x4cf5ad432745937f), 33) * UINT64_C(0x87c37b91114253d5);
}

static uint64_t finish(uint64_t h)
{
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

void nf_murmur3_cassandra(const void *key, size_t size, uint64_t hash[2])
{
    const uint8_t *at = key;
    uint64_t h0 = 0, h1 = 0;
    size_t left = size;

    for (; left >= 16; at += 16, left -= 16) {
        h0 = (rotate(h0 ^ mix_first(read_word(at)), 27) + h1) * 5 + 0x52dce729;
        h1 = (rotate(h1 ^ mix_second(read_word(at + 8)), 31) + h0) * 5 + 0x38495ab5;
    }
    if (left > 8)
        h1 ^= mix_second(read_signed(at + 8, left - 8));
    if (left > 0)
        h0 ^= mix_first(read_signed(at, left < 8 ? left : 8));
    h0 ^= size;
    h1 ^= size;
    h0 += h1;
    h1 += h0;
    h0 = finish(h0);
    h1 = finish(h1);
    h0 += h1;
    h1 += h0;
    hash[0] = h0;
    hash[1] = h1;
}
