/* SPDX-License-Identifier: MIT */
#include "cassandra.h"

#include <math.h>
#include <string.h>

#include "apps/base/base.h"
#include "murmur3.h"

#define MAX_WORDS   INT32_MAX
#define MOST_HASHES 20 /* of filters that we write, as Cassandra */

static uint32_t read_number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           bytes[3];
}

static void write_number(uint8_t *bytes, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> (24 - 8 * i));
}

/* ---- Names ------------------------------------------------------------------------- */

/* "nb-1-big-Filter.db", "da-3-bti-Filter.db": two small letters and a '-'. Before that, up to
 * Cassandra 2.1, names began with the keyspace; those versions have no two letters alone. */
ninho_cassandra_layout ninho_cassandra_layout_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *const end = strstr(name, "-Filter.db");

    for (int i = 0; i < 2; i++)
        if (name[i] < 'a' || name[i] > 'z')
            return 0;
    if (name[2] != '-' || !end || end[strlen("-Filter.db")])
        return 0;
    if (strncmp(name, "da", 2) == 0)
        return NINHO_CASSANDRA_NA;
    if (name[0] == 'm')
        return NINHO_CASSANDRA_MA;
    return name[0] >= 'n' && name[0] <= 'o' ? NINHO_CASSANDRA_NA : 0;
}

/* ---- Asking ------------------------------------------------------------------------ */

ninho_status ninho_cassandra_view(ninho_cassandra_filter *filter, const void *bytes,
                                  size_t size, ninho_cassandra_layout layout,
                                  ninho_error *error)
{
    const uint8_t *const header = bytes;

    if (layout != NINHO_CASSANDRA_NA && layout != NINHO_CASSANDRA_MA)
        return na_fail(error, NINHO_ERR_ARG, "layout %d: there are 1 and 2", (int)layout);
    if (size < NINHO_CASSANDRA_HEADER)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "%zu bytes: a Filter.db of Cassandra has at least %d", size,
                       NINHO_CASSANDRA_HEADER);
    const uint32_t n_hashes = read_number(header);
    const uint32_t n_words = read_number(header + 4);
    if (n_hashes < 1 || n_hashes > NINHO_CASSANDRA_MAX_HASHES)
        return na_fail(
            error, NINHO_ERR_FORMAT,
            "byte 0: %lu hash functions, not 1 to %d: no Filter.db of Cassandra",
            (unsigned long)n_hashes, NINHO_CASSANDRA_MAX_HASHES);
    if (n_words < 1 || n_words > MAX_WORDS ||
        (size - NINHO_CASSANDRA_HEADER) / 8 != n_words || size % 8)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "byte 4: %lu words of 8 bytes, but %zu bytes follow",
                       (unsigned long)n_words, size - NINHO_CASSANDRA_HEADER);
    *filter = (ninho_cassandra_filter){.bits = header + NINHO_CASSANDRA_HEADER,
                                       .n_bits = UINT64_C(64) * n_words,
                                       .n_hashes = n_hashes,
                                       .layout = layout};
    return NINHO_OK;
}

/* |x mod m|, x being signed. */
static uint64_t remainder_of(uint64_t x, uint64_t m)
{
    return x >> 63 ? (0 - x) % m : x % m;
}

/* The byte of the file that holds a bit. */
static uint64_t byte_of(const ninho_cassandra_filter *filter, uint64_t bit)
{
    return filter->layout == NINHO_CASSANDRA_NA ? bit >> 3 : bit >> 3 ^ 7;
}

void ninho_cassandra_hash(const void *key, size_t key_size, uint64_t hash[2])
{
    nf_murmur3_cassandra(key, key_size, hash);
}

bool ninho_cassandra_has(const ninho_cassandra_filter *filter, const uint64_t hash[2])
{
    uint64_t sum = hash[1];

    for (uint32_t i = 0; i < filter->n_hashes; i++, sum += hash[0]) {
        const uint64_t bit = remainder_of(sum, filter->n_bits);
        if (!(filter->bits[byte_of(filter, bit)] >> (bit & 7) & 1))
            return false;
    }
    return true;
}

double ninho_cassandra_load(const ninho_cassandra_filter *filter)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < filter->n_bits / 8; i++)
        for (unsigned byte = filter->bits[i]; byte; byte &= byte - 1)
            n++;
    return (double)n / (double)filter->n_bits;
}

/* ---- Writing ----------------------------------------------------------------------- */

/* Bits per key with k functions. */
static double bits_with(double fpr, unsigned k)
{
    return -(double)k / log1p(-pow(fpr, 1.0 / k));
}

ninho_status ninho_cassandra_plan_for(uint64_t capacity, double fpr,
                                      ninho_cassandra_plan *plan, ninho_error *error)
{
    static const double least = 1e-6; /* rounded: x87 would compare with more digits */
    unsigned best = 1;

    if (capacity < 1)
        return na_fail(error, NINHO_ERR_ARG, "capacity 0: at least 1 is wanted");
    if (!(fpr >= least && fpr < 1))
        return na_fail(error, NINHO_ERR_ARG, "fpr %g: from 1e-6 to below 1 is wanted",
                       fpr);
    for (unsigned k = 2; k <= MOST_HASHES; k++)
        if (bits_with(fpr, k) < bits_with(fpr, best))
            best = k;
    const double words = ceil(bits_with(fpr, best) * (double)capacity / 64);
    if (words > MAX_WORDS)
        return na_fail(error, NINHO_ERR_ARG,
                       "capacity %llu at fpr %g takes %.0f words of 64 bits: Cassandra "
                       "counts to %ld",
                       (unsigned long long)capacity, fpr, words, (long)MAX_WORDS);
    const uint64_t n_words = words < 1 ? 1 : (uint64_t)words;
    *plan = (ninho_cassandra_plan){
        .n_hashes = best,
        .n_bits = 64 * n_words,
        .size = NINHO_CASSANDRA_HEADER + 8 * n_words,
        .fpr = pow(-expm1(-(double)best * (double)capacity / (64.0 * (double)n_words)),
                   best)};
    return NINHO_OK;
}

ninho_status ninho_cassandra_create(ninho_cassandra_filter *filter,
                                    const ninho_cassandra_plan *plan, void *bytes,
                                    size_t size, ninho_cassandra_layout layout)
{
    uint8_t *const header = bytes;

    if (size < plan->size)
        return NINHO_ERR_SPACE;
    memset(bytes, 0, (size_t)plan->size);
    write_number(header, plan->n_hashes);
    write_number(header + 4, (uint32_t)(plan->n_bits / 64));
    return ninho_cassandra_view(filter, bytes, (size_t)plan->size, layout, NULL);
}

void ninho_cassandra_add(const ninho_cassandra_filter *filter, void *bytes,
                         const uint64_t hash[2])
{
    uint8_t *const bits = (uint8_t *)bytes + NINHO_CASSANDRA_HEADER;
    uint64_t sum = hash[1];

    for (uint32_t i = 0; i < filter->n_hashes; i++, sum += hash[0]) {
        const uint64_t bit = remainder_of(sum, filter->n_bits);
        bits[byte_of(filter, bit)] |= (uint8_t)(1u << (bit & 7));
    }
}
