/* SPDX-License-Identifier: MIT */
#include "numbers.h"

size_t ns_bitmap_count(const uint64_t *bits, size_t n_bits)
{
    size_t n = 0;

    for (size_t i = 0; i < n_bits; i += 64) {
        uint64_t word = bits[i / 64];
        if (n_bits - i < 64)
            word &= (UINT64_C(1) << (n_bits - i)) - 1;
        for (; word; word &= word - 1)
            n++;
    }
    return n;
}

size_t ns_bitmap_next(const uint64_t *bits, size_t n_bits, size_t from)
{
    while (from < n_bits) {
        const uint64_t word = bits[from / 64] >> (from % 64);
        if (word & 1)
            return from;
        if (!word) {
            from = (from / 64 + 1) * 64;
            continue;
        }
        from++;
    }
    return n_bits;
}

void ns_bitmap_invert(uint64_t *bits, size_t n_bits)
{
    for (size_t i = 0; i < n_bits; i += 64) {
        bits[i / 64] = ~bits[i / 64];
        if (n_bits - i < 64)
            bits[i / 64] &= (UINT64_C(1) << (n_bits - i)) - 1;
    }
}

size_t ns_sorted_place(const uint64_t *values, size_t n, uint64_t value)
{
    size_t low = 0;

    for (size_t high = n; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool ns_sorted_find(const uint64_t *values, size_t n, uint64_t value, size_t *index)
{
    const size_t place = ns_sorted_place(values, n, value);

    if (place == n || values[place] != value)
        return false;
    if (index)
        *index = place;
    return true;
}
