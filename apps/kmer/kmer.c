/* SPDX-License-Identifier: MIT */
/* Keys of k-mers, rolled from one window to the next.
 *
 * Both strands are kept at once. In front of a window stand its first k - 1 bases: the next base
 * enters, the key is told, the first base leaves.
 *
 *     k <= 32   forward  = two bits a base, the newest lowest     enters by a shift to the left
 *               reverse  = the complement, the newest highest     enters by a shift to the right
 *     k > 32    forward  = sum (c[i] + 1) B^(k-1-i)               modulo p = 2^61 - 1
 *               reverse  = sum (4 - c[i]) B^i                     the same of the other strand
 *
 * A base leaves a short key by being masked or shifted out. A polynomial is what one can roll and
 * still reason about: two different k-mers have equal keys for at most k - 1 of the p choices of B.
 * Modulo 2^64, which would be cheaper, keys of repetitive sequences are known to collide. */
#define _DEFAULT_SOURCE /* htole64 */
#include "kmer.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "apps/base/base.h"

#define PRIME UINT64_C(0x1FFFFFFFFFFFFFFF)
/* B: the first 61 bits of the golden ratio's fraction, and its inverse modulo the prime. Frozen. */
#define BASE         UINT64_C(0x13C6EF372FE94F82)
#define BASE_INVERSE UINT64_C(0x8597E3B006164F5)

/* Bases are checked in blocks of this many, which compilers turn into vectors. */
#define BLOCK 32

static uint64_t add_mod(uint64_t a, uint64_t b)
{
    const uint64_t sum = a + b;

    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t subtract_mod(uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + PRIME - b;
}

/* a * b modulo the prime, for a, b < 2^61. 2^61 is 1, so the high part adds to the low one. */
static uint64_t multiply_mod(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 u128;
    const u128 product = (u128)a * b;

    return add_mod((uint64_t)product & PRIME, (uint64_t)(product >> 61));
#else
    /* a = a1 2^31 + a0 with a1 < 2^30; 2^62 is 2, and m 2^31 is m's high bits beyond 30 once
     * round. Every sum stays below 2^64. */
    const uint64_t a1 = a >> 31, a0 = a & 0x7FFFFFFF;
    const uint64_t b1 = b >> 31, b0 = b & 0x7FFFFFFF;
    const uint64_t middle = a1 * b0 + a0 * b1;
    const uint64_t sum =
        2 * a1 * b1 + (middle >> 30) + ((middle & 0x3FFFFFFF) << 31) + a0 * b0;

    return add_mod(sum & PRIME, sum >> 61);
#endif
}

static uint64_t power_mod(uint64_t base, uint32_t exponent)
{
    uint64_t result = 1;

    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = multiply_mod(result, base);
        base = multiply_mod(base, base);
    }
    return result;
}

/* A 0, C 1, G 2, T 3, in either case; of other bytes, anything. */
static unsigned code_of(uint8_t base)
{
    return ((unsigned)base >> 1 ^ (unsigned)base >> 2) & 3;
}

static unsigned is_base(uint8_t byte)
{
    const unsigned capital = byte & 0xDFu;

    return (unsigned)(capital == 'A') | (unsigned)(capital == 'C') |
           (unsigned)(capital == 'G') | (unsigned)(capital == 'T');
}

/* The first offset from `at` on where there is no ACGT; n if there is none. */
static size_t find_other(const uint8_t *bases, size_t at, size_t n)
{
    while (n - at >= BLOCK) {
        unsigned char is_good = 1;
        for (size_t i = 0; i < BLOCK; i++)
            is_good &= (unsigned char)is_base(bases[at + i]);
        if (!is_good)
            break;
        at += BLOCK;
    }
    while (at < n && is_base(bases[at]))
        at++;
    return at;
}

ninho_status ninho_kmer_check_rule(const ninho_kmer_rule *rule, ninho_error *error)
{
    const bool is_k = rule->k >= 1 && rule->k <= NINHO_KMER_MAX_K;

    if (is_k && ninho_kmer_strand_name(rule->strand))
        return NINHO_OK;
    return is_k ? na_fail(error, NINHO_ERR_ARG,
                          "the strand rule must be canonical or forward")
                : na_fail(error, NINHO_ERR_ARG, "k must be from 1 to %d",
                          NINHO_KMER_MAX_K);
}

const char *ninho_kmer_strand_name(ninho_kmer_strand strand)
{
    switch (strand) {
    case NINHO_KMER_CANONICAL:
        return "canonical";
    case NINHO_KMER_FORWARD:
        return "forward";
    default:
        return NULL;
    }
}

/* ---- The iterator -------------------------------------------------------------------------- */

void ninho_kmer_init(ninho_kmer_iter *iter, const ninho_kmer_rule *rule)
{
    assert(ninho_kmer_check_rule(rule, NULL) == NINHO_OK);
    *iter = (ninho_kmer_iter){
        .k = rule->k,
        .is_long = rule->k > NINHO_KMER_MAX_EXACT_K,
        .is_canonical = rule->strand == NINHO_KMER_CANONICAL,
    };
    if (!iter->is_long) {
        iter->top = 2 * rule->k - 2;
        iter->mask = UINT64_MAX >> (62 - iter->top);
        return;
    }
    const uint64_t weight = power_mod(BASE, rule->k - 1);
    for (unsigned code = 0; code < 4; code++)
        iter->weights[code] = multiply_mod(code + 1, weight);
}

void ninho_kmer_start(ninho_kmer_iter *iter, const void *bases, size_t n)
{
    iter->bases = bases;
    iter->n = n;
    iter->at = 0;
    iter->run = 0;
    iter->is_warm = false;
}

/* Takes in the k - 1 bases at `at`, which are ACGT. */
static void warm_up(ninho_kmer_iter *iter)
{
    const uint8_t *base = iter->bases + iter->at;
    const uint32_t n = iter->k - 1;
    uint64_t forward = 0;
    uint64_t reverse = 0;

    if (iter->is_long) {
        uint64_t weight = 1;
        for (uint32_t i = 0; i < n; i++) {
            const unsigned code = code_of(base[i]);
            forward = add_mod(multiply_mod(forward, BASE), code + 1);
            reverse = add_mod(reverse, multiply_mod(weight, 4 - code));
            weight = multiply_mod(weight, BASE);
        }
    } else {
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t code = code_of(base[i]);
            forward = forward << 2 | code;
            reverse = reverse >> 2 | (3 - code) << iter->top;
        }
    }
    iter->forward = forward;
    iter->reverse = reverse;
    iter->at += n;
    iter->is_warm = true;
}

/* Goes to the next run of at least k bases; false if there is none. */
static bool find_run(ninho_kmer_iter *iter)
{
    size_t at = iter->run;

    while (at < iter->n) {
        if (!is_base(iter->bases[at])) {
            at++;
            continue;
        }
        iter->run = find_other(iter->bases, at, iter->n);
        if (iter->run - at >= iter->k) {
            iter->at = at;
            warm_up(iter);
            return true;
        }
        at = iter->run;
    }
    iter->at = iter->run = iter->n;
    return false;
}

static void roll_short(ninho_kmer_iter *iter, uint64_t *keys, size_t n)
{
    const uint8_t *base = iter->bases + iter->at;
    const uint64_t mask = iter->mask;
    const uint32_t top = iter->top;
    uint64_t forward = iter->forward;
    uint64_t reverse = iter->reverse;

    if (iter->is_canonical) {
        for (size_t i = 0; i < n; i++) {
            const uint64_t code = code_of(base[i]);
            forward = (forward << 2 | code) & mask;
            reverse = reverse >> 2 | (code ^ 3) << top;
            keys[i] = forward < reverse ? forward : reverse;
        }
    } else {
        for (size_t i = 0; i < n; i++)
            keys[i] = forward = (forward << 2 | code_of(base[i])) & mask;
    }
    iter->forward = forward;
    iter->reverse = reverse;
}

static void roll_long(ninho_kmer_iter *iter, uint64_t *keys, size_t n)
{
    const uint8_t *newest = iter->bases + iter->at;
    const uint8_t *oldest = newest - (iter->k - 1);
    uint64_t forward = iter->forward;
    uint64_t reverse = iter->reverse;

    for (size_t i = 0; i < n; i++) {
        const unsigned enters = code_of(newest[i]);
        const unsigned leaves = code_of(oldest[i]);
        forward = add_mod(multiply_mod(forward, BASE), enters + 1);
        if (iter->is_canonical) {
            reverse = add_mod(reverse, iter->weights[3 - enters]);
            keys[i] = forward < reverse ? forward : reverse;
            reverse = multiply_mod(subtract_mod(reverse, 4 - leaves), BASE_INVERSE);
        } else {
            keys[i] = forward;
        }
        forward = subtract_mod(forward, iter->weights[leaves]);
    }
    iter->forward = forward;
    iter->reverse = reverse;
}

size_t ninho_kmer_next_many(ninho_kmer_iter *iter, uint64_t *keys, size_t max)
{
    size_t n = 0;

    while (n < max) {
        if (!iter->is_warm && !find_run(iter))
            break;
        const size_t left = iter->run - iter->at;
        const size_t some = left < max - n ? left : max - n;
        if (iter->is_long)
            roll_long(iter, keys + n, some);
        else
            roll_short(iter, keys + n, some);
        iter->at += some;
        iter->is_warm = iter->at < iter->run;
        n += some;
    }
    return n;
}

bool ninho_kmer_next(ninho_kmer_iter *iter, uint64_t *key)
{
    return ninho_kmer_next_many(iter, key, 1) == 1;
}

size_t ninho_kmer_position(const ninho_kmer_iter *iter)
{
    return iter->at - iter->k;
}

uint64_t ninho_kmer_windows(const ninho_kmer_rule *rule, uint64_t n)
{
    return n < rule->k ? 0 : n - rule->k + 1;
}

/* ---- Hashes and packed k-mers -------------------------------------------------------------- */

static void store_le64(uint8_t bytes[8], uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

void ninho_kmer_hash(const ninho_hasher *hasher, const uint64_t *keys, size_t n,
                     uint64_t *hashes)
{
    if (hashes != keys || htole64(1) != 1) {
        for (size_t i = 0; i < n; i++)
            hashes[i] = htole64(keys[i]);
    }
    ninho_hash_array(hasher, hashes, sizeof *hashes, n, hashes);
}

size_t ninho_kmer_exact_size(const ninho_kmer_rule *rule)
{
    return rule->k <= NINHO_KMER_MAX_EXACT_K ? 8 : (rule->k + 3) / 4;
}

bool ninho_kmer_pack(const ninho_kmer_rule *rule, const void *bases, uint8_t *packed)
{
    const uint8_t *base = bases;
    const uint32_t k = rule->k;
    uint8_t other[NINHO_KMER_MAX_PACKED] = {0};

    if (find_other(base, 0, k) < k)
        return false;
    if (k <= NINHO_KMER_MAX_EXACT_K) {
        ninho_kmer_iter iter;
        uint64_t key = 0;
        ninho_kmer_init(&iter, rule);
        ninho_kmer_start(&iter, bases, k);
        (void)ninho_kmer_next(&iter, &key);
        store_le64(packed, key);
        return true;
    }
    const size_t size = ninho_kmer_exact_size(rule);
    memset(packed, 0, size);
    for (uint32_t i = 0; i < k; i++) {
        const unsigned shift = 6 - 2 * (i % 4);
        packed[i / 4] |= (uint8_t)(code_of(base[i]) << shift);
        other[i / 4] |= (uint8_t)((3 - code_of(base[k - 1 - i])) << shift);
    }
    if (rule->strand == NINHO_KMER_CANONICAL && memcmp(other, packed, size) < 0)
        memcpy(packed, other, size);
    return true;
}
