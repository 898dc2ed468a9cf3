/* SPDX-License-Identifier: MIT */
/* Apache Cassandra's Bloom filters: the file Filter.db that lies beside each of its tables.
 *
 *     bytes 0..3   number of hash functions, k         big-endian
 *     bytes 4..7   number of 64-bit words              big-endian
 *     the words    bit i of the filter is bit i mod 8 of byte i / 8;
 *                  files older than version "na" have the eight bytes of each word the other way round
 *
 * The bits of a key are |(h1 + i * h0) mod m| for i = 0..k-1, with signed 64-bit arithmetic, m being the
 * number of bits and h0, h1 the halves of MurmurHash3 (x64, 128 bits, seed 0) of the key, which in Cassandra
 * is the partition key as it is stored: the text itself, an int as four bytes big-endian, and so on. Its
 * MurmurHash3 takes the last bytes of a key that is no multiple of 16 long as signed: so do we.
 *
 * Nothing here allocates or reads a file. A filter is a view of the caller's bytes. */
#ifndef NINHO_FOREIGN_CASSANDRA_H
#define NINHO_FOREIGN_CASSANDRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NINHO_CASSANDRA_HEADER     8  /* bytes */
#define NINHO_CASSANDRA_MAX_HASHES 64 /* Cassandra itself never takes more than 20 */

/* How the words lie in the file. The bytes do not tell: the name of the file does. */
typedef enum ninho_cassandra_layout {
    NINHO_CASSANDRA_NA =
        1, /* versions "na" and later, and "da": Cassandra 4.0 and later */
    NINHO_CASSANDRA_MA = 2 /* before: Cassandra 3 */
} ninho_cassandra_layout;

/* The layout that the name of a file of Cassandra's tells, "nb-12-big-Filter.db" with or without
 * folders before it; 0 where it tells none. Any thread. */
NINHO_API ninho_cassandra_layout ninho_cassandra_layout_of(const char *path);

/* A filter in the caller's bytes, which must outlive it. Any number of threads may ask; one may add
 * while no other asks. */
typedef struct ninho_cassandra_filter {
    const uint8_t *bits;
    uint64_t n_bits;
    uint32_t n_hashes;
    ninho_cassandra_layout layout;
} ninho_cassandra_filter;

/* Looks at the bytes of a whole Filter.db. NINHO_ERR_FORMAT where they are cut short, longer than the
 * header says, or have no words or hash functions. */
NINHO_API ninho_status ninho_cassandra_view(ninho_cassandra_filter *filter,
                                            const void *bytes, size_t size,
                                            ninho_cassandra_layout layout,
                                            ninho_error *error);

/* What a partition key is in Cassandra; its other types are blobs to us. */
typedef enum ninho_cassandra_type {
    NINHO_CASSANDRA_TEXT = 0, /* the bytes themselves; ascii is the same */
    NINHO_CASSANDRA_INT,      /* four bytes, big-endian */
    NINHO_CASSANDRA_BIGINT,   /* eight */
    NINHO_CASSANDRA_UUID,     /* sixteen; timeuuid is the same */
    NINHO_CASSANDRA_BLOB      /* hexadecimal digits, with or without 0x */
} ninho_cassandra_type;

/* "text", "int", "bigint", "uuid" or "blob"; NULL for other numbers. Static. */
NINHO_API const char *ninho_cassandra_type_name(ninho_cassandra_type type);

/* The bytes that Cassandra stores for a key that is written as text: *key is the text itself or lies in `room`, which
 * must have size / 2 bytes and 16 at least. NINHO_ERR_ARG, with what is wanted, for what is no key of the type. Any
 * thread. */
NINHO_API ninho_status ninho_cassandra_key(ninho_cassandra_type type, const char *text,
                                           size_t size, void *room, const void **key,
                                           size_t *key_size, ninho_error *error);

/* The two hashes of a key. Any thread. */
NINHO_API void ninho_cassandra_hash(const void *key, size_t key_size, uint64_t hash[2]);

/* Is the key with these hashes in it? false: certainly not. */
NINHO_API bool ninho_cassandra_has(const ninho_cassandra_filter *filter,
                                   const uint64_t hash[2]);

/* The share of bits that are set, 0 to 1. Reads the whole filter. */
NINHO_API double ninho_cassandra_load(const ninho_cassandra_filter *filter);

/* A filter to be written. */
typedef struct ninho_cassandra_plan {
    uint32_t n_hashes;
    uint64_t n_bits;
    uint64_t size; /* of the file */
    double fpr;    /* expected with all keys in it */
} ninho_cassandra_plan;

/* The smallest filter that keeps `fpr` (1e-6 to 1, exclusive) with `capacity` keys, at least 1.
 * NINHO_ERR_ARG outside the ranges, or where it would have more words than Cassandra can count,
 * 2^31 - 1. */
NINHO_API ninho_status ninho_cassandra_plan_for(uint64_t capacity, double fpr,
                                                ninho_cassandra_plan *plan,
                                                ninho_error *error);

/* Makes bytes[0..plan->size) an empty filter. NINHO_ERR_SPACE if `size` is smaller. */
NINHO_API ninho_status ninho_cassandra_create(ninho_cassandra_filter *filter,
                                              const ninho_cassandra_plan *plan,
                                              void *bytes, size_t size,
                                              ninho_cassandra_layout layout);

/* Adds a key, by its hashes, to a filter of ninho_cassandra_create(). `bytes` are those it was given. */
NINHO_API void ninho_cassandra_add(const ninho_cassandra_filter *filter, void *bytes,
                                   const uint64_t hash[2]);

#ifdef __cplusplus
}
#endif

#endif
