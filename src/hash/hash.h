/* SPDX-License-Identifier: MIT */
/* Hashing inside the library: checksums, and what the public header does not say. */
#ifndef NH_HASH_HASH_H
#define NH_HASH_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <ninho/hash.h>

/* SipHash-2-4 (Aumasson and Bernstein, 2012) of `size` bytes. */
uint64_t nh_siphash(const uint8_t secret[NINHO_SECRET_BYTES], const void *bytes,
                    size_t size);

/* Hash (0: not chosen), key encoding, seed and secret of a spec: known, and not against each
 * other. */
ninho_status nh_hash_check(ninho_hash_id hash, ninho_key_encoding encoding, uint64_t seed,
                           const uint8_t *secret, ninho_error *error);

/* A checksum over bytes that come in pieces: XXH3-64, seed 0. The state is large and
 * wants a certain alignment, so it is kept opaque here. */
struct nh_checksum {
    uint64_t state[80];
};

void nh_checksum_start(struct nh_checksum *sum);
void nh_checksum_add(struct nh_checksum *sum, const void *bytes, size_t size);
uint64_t nh_checksum_end(const struct nh_checksum *sum);

/* The same in one go. */
uint64_t nh_checksum_of(const void *bytes, size_t size);

#ifdef NINHO_TEST_HOOKS
/* How many bytes this thread has summed up. */
extern _Thread_local uint64_t nh_bytes_summed;
#endif

#endif
