/* SPDX-License-Identifier: MIT */
/* Sorting hashes: radix sort from the highest bits down, in place.
 *
 *     many            by a digit of 4 to 10 bits, swapped into place
 *     up to SPLIT     by one bit
 *     up to SMALL     by a digit of 5 to 10 bits, copied to the stack and written back in order
 *     up to FEW       by insertion
 *
 * Hashes are even, so that the digits leave next to nothing to insertion. Only the speed depends
 * on that: the largest piece of a digit is sorted by a loop and the others, which are half as
 * large at most, by calls, so that hashes that somebody chose do not need more stack: there are
 * at most 20 nested calls, with 100 bytes each beside the one room that all work in. */
#include <stdbool.h>
#include <string.h>

#include <ninho/hash.h>

#define FEW         32
#define SMALL       1536
#define SPLIT       5000
#define DIGIT_BITS  10
#define SPREAD_BITS 10

/* What is worked in. One is enough: a partition is over before its pieces are sorted. The digits
 * of nested spreads lie behind each other in `ends`: a call for n hashes has at most n of them,
 * and its calls are for n / 2 at most. */
union room {
    struct {
        size_t ends[1 << DIGIT_BITS], next[1 << DIGIT_BITS];
    } partition;
    struct {
        uint64_t hashes[SMALL];
        uint16_t ends[2 << SPREAD_BITS];
    } spread;
};

static void insertion_sort(uint64_t *hashes, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t hash = hashes[i];
        size_t at = i;
        for (; at > 0 && hashes[at - 1] > hash; at--)
            hashes[at] = hashes[at - 1];
        hashes[at] = hash;
    }
}

/* The same of hashes that are nearly in order. First each one changes places with a larger one
 * before it, without a branch: that leaves few for insertion, whose branches nobody can foresee. */
static void sort_nearly(uint64_t *hashes, size_t n)
{
    if (n > 2 * FEW) {
        uint64_t largest = hashes[0];
        for (size_t i = 1; i < n; i++) {
            const uint64_t hash = hashes[i];
            hashes[i - 1] = hash < largest ? hash : largest;
            largest = hash < largest ? largest : hash;
        }
        hashes[n - 1] = largest;
    }
    insertion_sort(hashes, n);
}

static inline size_t digit_of(uint64_t hash, unsigned shift, unsigned bits)
{
    return (size_t)(hash >> shift) & (((size_t)1 << bits) - 1);
}

/* The number of low bits in which the hashes differ: mostly all, which the first few show. */
static unsigned differing_bits(const uint64_t *hashes, size_t n)
{
    uint64_t differs = 0;
    unsigned bits = 0;

    for (size_t i = 1; i < n && !(differs >> 63); i++)
        differs |= hashes[i] ^ hashes[0];
    for (unsigned step = 32; step; step /= 2)
        if (differs >> step) {
            differs >>= step;
            bits += step;
        }
    return bits + (unsigned)differs;
}

/* Orders the hashes by one digit; ends[d] becomes the end of digit d's piece, and next[d] too.
 * Each swap brings one hash to the next free place of its digit, piece by piece, as often as it
 * takes for all to be at home: faster than following one hash after the other, since no swap
 * waits for the one before. */
static void partition(uint64_t *hashes, size_t n, unsigned shift, unsigned bits,
                      size_t *ends, size_t *next)
{
    const size_t n_digits = (size_t)1 << bits;
    size_t at = 0;
    bool is_done = false;

    memset(ends, 0, n_digits * sizeof *ends);
    for (size_t i = 0; i < n; i++)
        ends[digit_of(hashes[i], shift, bits)]++;
    for (size_t d = 0; d < n_digits; d++) {
        next[d] = at;
        at += ends[d];
        ends[d] = at;
    }
    while (!is_done) {
        is_done = true;
        for (size_t d = 0; d < n_digits; d++) {
            for (size_t i = next[d]; i < ends[d]; i++) {
                const uint64_t hash = hashes[i];
                const size_t to = next[digit_of(hash, shift, bits)]++;
                hashes[i] = hashes[to];
                hashes[to] = hash;
            }
            is_done &= next[d] == ends[d];
        }
    }
}

/* The same by one bit, without branches. */
static void split(uint64_t *hashes, size_t n, unsigned shift)
{
    size_t n_low = 0;

    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = hashes[i];
        hashes[i] = hashes[n_low];
        hashes[n_low] = hash;
        n_low += !(hash >> shift & 1);
    }
}

/* The same of at most SMALL hashes, by way of `room`. */
static void spread(uint64_t *hashes, size_t n, unsigned shift, unsigned bits,
                   uint64_t *room, uint16_t *ends)
{
    const size_t n_digits = (size_t)1 << bits;
    size_t at = 0;

    memset(ends, 0, n_digits * sizeof *ends);
    for (size_t i = 0; i < n; i++)
        ends[digit_of(hashes[i], shift, bits)]++;
    for (size_t d = 0; d < n_digits; d++) {
        const size_t count = ends[d];
        ends[d] = (uint16_t)at;
        at += count;
    }
    memcpy(room, hashes, n * sizeof *hashes);
    for (size_t i = 0; i < n; i++)
        hashes[ends[digit_of(room[i], shift, bits)]++] = room[i];
}

/* Sorts at most SMALL hashes that differ in the lowest `left` bits only. */
static void sort_small(uint64_t *hashes, size_t n, unsigned left, uint64_t *room,
                       uint16_t *ends)
{
    while (n > FEW && left) {
        unsigned bits = 5;
        while (bits < SPREAD_BITS && n >> bits > 1)
            bits++;
        bits = bits < left ? bits : left;
        left -= bits;
        spread(hashes, n, left, bits, room, ends);

        const size_t n_digits = (size_t)1 << bits;
        size_t at = 0, n_largest = 0, largest_at = 0;
        for (size_t d = 0; d < n_digits; at = ends[d++]) {
            const size_t count = ends[d] - at;
            if (count <= FEW)
                continue;
            if (count <= n_largest) {
                sort_small(hashes + at, count, left, room, ends + n_digits);
                continue;
            }
            sort_small(hashes + largest_at, n_largest, left, room, ends + n_digits);
            n_largest = count;
            largest_at = at;
        }
        if (!n_largest)
            break;
        if (left) {
            sort_nearly(hashes, largest_at);
            sort_nearly(hashes + largest_at + n_largest, n - largest_at - n_largest);
        }
        hashes += largest_at;
        n = n_largest;
    }
    if (left)
        sort_nearly(hashes, n);
}

/* Where the digit of hashes[at] ends, n at most, in hashes that were ordered by it. */
static size_t end_of_digit(const uint64_t *hashes, size_t at, size_t n, unsigned shift)
{
    const uint64_t digit = hashes[at] >> shift; /* above it they are all alike */
    size_t step = 1;

    while (step < n - at && hashes[at + step] >> shift == digit) {
        at += step;
        step *= 2;
    }
    for (; step; step /= 2)
        if (step < n - at && hashes[at + step] >> shift == digit)
            at += step;
    return at + 1;
}

/* Sorts hashes that differ in the lowest `left` bits only. */
static void sort_bits(uint64_t *hashes, size_t n, unsigned left, union room *room)
{
    while (n > SMALL && left) {
        unsigned bits = n > SPLIT ? 4 : 1;
        while (bits > 1 && bits < DIGIT_BITS && n >> bits > 1000)
            bits++;
        bits = bits < left ? bits : left;
        left -= bits;
        if (bits == 1)
            split(hashes, n, left);
        else
            partition(hashes, n, left, bits, room->partition.ends, room->partition.next);

        size_t n_largest = 0, largest_at = 0;
        for (size_t at = 0, end; left && at < n; at = end) {
            size_t count, start = at;
            end = end_of_digit(hashes, at, n, left);
            count = end - at;
            if (count > n_largest) { /* the one before it is sorted instead */
                start = largest_at;
                largest_at = at;
                count = n_largest;
                n_largest = end - at;
            }
            sort_bits(hashes + start, count, left, room);
        }
        hashes += largest_at;
        n = n_largest;
    }
    if (left)
        sort_small(hashes, n, left, room->spread.hashes, room->spread.ends);
}

void ninho_hash_sort(uint64_t *hashes, size_t n)
{
    union room room;

    if (n <= FEW)
        insertion_sort(hashes, n);
    else
        sort_bits(hashes, n, differing_bits(hashes, n), &room);
}

size_t ninho_hash_sort_unique(uint64_t *hashes, size_t n)
{
    size_t n_kept = 0;

    ninho_hash_sort(hashes, n);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || hashes[i] != hashes[n_kept - 1])
            hashes[n_kept++] = hashes[i];
    return n_kept;
}

void ninho_hash_partition(uint64_t *hashes, size_t n, size_t ends[256])
{
    size_t next[256];

    partition(hashes, n, 64 - 8, 8, ends, next);
}
