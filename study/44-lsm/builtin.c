/* SPDX-License-Identifier: MIT */
/* A block is the table and one byte, k. A key has one hash of 32 bits, h; its bits are h, h + d, h + 2d ...
 * modulo the bits of the table, with d = h rotated by 15: double hashing, which for tables of some hundred
 * bits gives some keys fewer than k different ones. */
#include "44-lsm/builtin.h"

#define SEED       0xbc9f1d34U
#define MULTIPLIER 0xc6a4a793U
#define MAX_K      30 /* more is for encodings to come: "maybe" */

/* The hash: four bytes at a time, then the rest. */
static uint32_t hash_of(const uint8_t *key, size_t size)
{
    uint32_t h = SEED ^ ((uint32_t)size * MULTIPLIER);
    size_t i = 0;

    for (; i + 4 <= size; i += 4) {
        h += (uint32_t)key[i] | (uint32_t)key[i + 1] << 8 | (uint32_t)key[i + 2] << 16 |
             (uint32_t)key[i + 3] << 24;
        h *= MULTIPLIER;
        h ^= h >> 16;
    }
    if (i == size)
        return h;
    for (unsigned shift = 0; i < size; i++, shift += 8)
        h += (uint32_t)key[i] << shift;
    h *= MULTIPLIER;
    return h ^ h >> 24;
}

bool builtin_may_match(const uint8_t *key, size_t key_size, const uint8_t *block,
                       size_t size)
{
    if (size < 2)
        return false;
    const uint32_t n_bits = (uint32_t)(size - 1) * 8;
    const unsigned k = block[size - 1];
    uint32_t h = hash_of(key, key_size);
    const uint32_t step = h >> 17 | h << 15;
    if (k > MAX_K)
        return true;
    for (unsigned i = 0; i < k; i++, h += step)
        if (!(block[h % n_bits / 8] >> (h % n_bits % 8) & 1))
            return false;
    return true;
}
