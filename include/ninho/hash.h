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

/* Sorts hashes, smallest first, in place. A radix sort: 5 to 15 ns a hash, for a hundred as
 * for ten million, where they are even. Hashes that somebody chose take a small multiple of
 * that, never a square of n. Allocates nothing; uses less than 20 KB of stack. Any thread. */
NINHO_API void ninho_hash_sort(uint64_t *hashes, size_t n);

/* The same, and keeps one of equal ones: returns how many are left, at the front. Any thread. */
NINHO_API size_t ninho_hash_sort_unique(uint64_t *hashes, size_t n);

/* The first step of a sort whose rest several threads do: orders the hashes by their highest
 * byte alone, in place. Those whose highest byte is b end before hashes[ends[b]], and begin
 * where those of b - 1 end; each of these pieces can be sorted by itself. Uses 2 KB of stack.
 * Any thread. */
NINHO_API void ninho_hash_partition(uint64_t *hashes, size_t n, size_t ends[256]);

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

/* ---- Random numbers ---------------------------------------------------------------- */

/* The finaliser of splitmix64: a bijection of the 64-bit numbers that mixes all bits. 0 stays 0.
 * Any thread. */
static inline uint64_t ninho_mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* splitmix64 (Steele, Lea and Flood 2014): the next number of a sequence of 2^64 of them that
 * follows from *state, which may be any number. Even enough for tests, samples and the choices
 * of a hash table; not for secrets. */
static inline uint64_t ninho_splitmix64(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return ninho_mix64(*state);
}

#ifdef __cplusplus
}
#endif

#endif
