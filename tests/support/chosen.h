/* SPDX-License-Identifier: MIT */
/* Keys as an enemy chooses them who knows the hash. */
#ifndef NINHO_TEST_CHOSEN_H
#define NINHO_TEST_CHOSEN_H

#include <stddef.h>
#include <stdint.h>

/* The key of 8 bytes, as an integer, whose XXH3 with seed 0 is this hash: there is one for
 * every hash. */
int64_t chosen_int64(uint64_t hash);

/* Key i of those of 32 bytes that all have one XXH3 with seed 0. */
void chosen_colliding(uint64_t i, uint8_t key[32]);

/* For each of the ways to mix hashes that a fuse filter of this capacity knows, two hashes with
 * the same slots and different fingerprints: 512 in all. */
#define CHOSEN_FUSE 512
void chosen_for_fuse(uint64_t capacity, uint32_t arity, uint64_t hashes[CHOSEN_FUSE]);

#endif
