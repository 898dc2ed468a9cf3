/* SPDX-License-Identifier: MIT */
/* From a key to the 64 well-mixed bits that filters see.
 *
 * Every function here is frozen: the same key gives the same hash on every machine, word
 * size and byte order, for ever, because filters travel between programs. docs/format.md
 * has test vectors. */
#ifndef NINHO_HASH_H
#define NINHO_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stored in files: pinned. */
typedef enum ninho_hash_id {
    NINHO_HASH_XXH3 = 1, /* XXH3-64 with the filter's seed: the default */
    /* SipHash-2-4 under a 128-bit secret: keys an adversary may choose */
    NINHO_HASH_SIPHASH = 2,
    NINHO_HASH_XXH64 = 3 /* XXH64 with the filter's seed: Parquet's, with seed 0 */
} ninho_hash_id;

/* How a key became bytes. Stored in files: pinned. A program that does not know how a
 * filter's keys were encoded must not query it with bytes of its own making. */
typedef enum ninho_key_encoding {
    NINHO_KEY_BYTES = 1, /* the bytes themselves; text as UTF-8 */
    /* 8 bytes, little-endian two's complement; timestamps in microseconds */
    NINHO_KEY_INT64 = 2,
    NINHO_KEY_UUID = 3,  /* the 16 bytes in network order, as printed */
    NINHO_KEY_KMER = 4,  /* k-mers; metadata says k and the strand rule */
    NINHO_KEY_HASHES = 5 /* the caller's own 64-bit hashes: there is no key to hash */
} ninho_key_encoding;

#define NINHO_SECRET_BYTES 16

/* A hash function with everything it needs. Fill it by hand or with
 * ninho_filter_hasher(). Plain data: copy it freely. `seed` belongs to xxh3 and xxh64,
 * `secret` to siphash. */
typedef struct ninho_hasher {
    ninho_hash_id id;
    uint64_t seed;
    uint8_t secret[NINHO_SECRET_BYTES];
} ninho_hasher;

/* The hash of `key_size` bytes. `key` may be NULL when key_size is 0: the empty key is a
 * key. A hasher whose id is not one of the above hashes as xxh3. Any thread. */
NINHO_API uint64_t ninho_hash_bytes(const ninho_hasher *hasher, const void *key,
                                    size_t key_size);

/* The hash of an integer in the int64 encoding. Any thread. */
NINHO_API uint64_t ninho_hash_int64(const ninho_hasher *hasher, int64_t value);

/* Hashes n keys of one size that lie one after another (`keys` has n * key_size bytes)
 * into hashes[0..n). What a loop over ninho_hash_bytes would give, faster. Any thread. */
NINHO_API void ninho_hash_array(const ninho_hasher *hasher, const void *keys,
                                size_t key_size, size_t n, uint64_t *hashes);

/* Eight bytes that tell whether two secrets are the same without telling the secret;
 * files of keyed filters carry them. Any thread. */
NINHO_API uint64_t ninho_secret_check(const uint8_t secret[NINHO_SECRET_BYTES]);

/* "xxh3", "siphash", "xxh64"; "bytes", "int64", "uuid", "kmer", "hashes". NULL for
 * another number. Static strings. Any thread. */
NINHO_API const char *ninho_hash_name(ninho_hash_id id);
NINHO_API const char *ninho_key_encoding_name(ninho_key_encoding encoding);

/* The reverse; 0 for an unknown name. Any thread. */
NINHO_API ninho_hash_id ninho_hash_from_name(const char *name);
NINHO_API ninho_key_encoding ninho_key_encoding_from_name(const char *name);

#ifdef __cplusplus
}
#endif

#endif
