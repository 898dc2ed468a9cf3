/* SPDX-License-Identifier: MIT */
/* XXH3-64 of many keys of 8 bytes, one function per instruction set. All give the same hashes; that
 * of <ninho/kernels.h>, key by key, is the oracle. */
#ifndef NH_HASH_SIMD_WORDS_H
#define NH_HASH_SIMD_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"

/* Hashes the first keys, a multiple of 8 of the n, which lie anywhere; returns how many. `flip`
 * is ninho_xxh3_flip_() of the seed. */
typedef size_t nh_hash_words(const uint8_t *keys, size_t n, uint64_t flip,
                             uint64_t *hashes);

#if NH_CPU_IS_X86
nh_hash_words nh_hash_words_avx2;   /* only where NH_CPU_AVX2 is */
nh_hash_words nh_hash_words_avx512; /* only where NH_CPU_AVX512 is */
#endif

/* How many bytes ahead keys are asked for. The processor follows a run of addresses by
 * itself, but it stops at every page, and forgets the run while the caller looks up what
 * was hashed. Past the last key that is the caller's next block, most likely; asking for
 * it reads nothing. */
#define NH_HASH_AHEAD 2048

#endif
