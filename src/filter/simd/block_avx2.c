/* SPDX-License-Identifier: MIT */
/* A block is one 256-bit register: its eight bits are made by one multiplication and two
 * shifts, and tested at once. */
#define NINHO_ALL_KERNELS_
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/simd/block.h"

#include "base/bits.h"

#define AVX2 __attribute__((target("avx2")))

AVX2 static void add(struct nh_part *part, uint64_t hash)
{
    ninho_block_add_avx2_(nh_block_of(part, hash), hash);
}

AVX2 static bool has(const struct nh_part *part, uint64_t hash)
{
    return ninho_block_has_avx2_(nh_block_of(part, hash), hash);
}

/* Keys whose lines are on their way. While one group is looked at the lines of the next are
 * asked for, one by one, so that there always are some. */
#define GROUP 64

/* Where no line has been asked for yet, or no more will be. */
AVX2 static void ask_for(const struct nh_part *part, const uint64_t *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        nh_prefetch(nh_block_of(part, hashes[i]));
}

AVX2 static void add_many(struct nh_part *part, const uint64_t *hashes, size_t n)
{
    const struct nh_part table = *part; /* which no store to the body changes */
    size_t at = 0;

    ask_for(&table, hashes, n < GROUP ? n : GROUP);
    for (; n - at > GROUP; at++) {
        nh_prefetch_write(nh_block_of(&table, hashes[at + GROUP]));
        ninho_block_add_avx2_(nh_block_of(&table, hashes[at]), hashes[at]);
    }
    for (; at < n; at++)
        ninho_block_add_avx2_(nh_block_of(&table, hashes[at]), hashes[at]);
}

/* ninho_block_at_() for a group of hashes, four at a time. */
AVX2 static void find_blocks(const struct nh_part *part, const uint64_t *hashes,
                             uint64_t *blocks)
{
    const __m256i n = _mm256_set1_epi64x((long long)part->n_cells);

    for (size_t i = 0; i < GROUP; i += 4) {
        const __m256i hash =
            _mm256_loadu_si256((const __m256i *)(const void *)(hashes + i));
        const __m256i block =
            _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(hash, 32), n), 32);
        _mm256_storeu_si256((__m256i *)(void *)(blocks + i), _mm256_slli_epi64(block, 5));
    }
}

AVX2 static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                          uint64_t *maybe)
{
    const uint8_t *const body = part->body;
    uint64_t blocks[2][GROUP]; /* where they begin */
    size_t at = 0;

    ask_for(part, hashes, n < GROUP ? n : GROUP);
    if (n >= GROUP)
        find_blocks(part, hashes, blocks[0]);
    for (; n - at >= 2 * GROUP; at += GROUP) {
        const uint64_t *const these = blocks[at / GROUP % 2];
        uint64_t *const next = blocks[(at / GROUP + 1) % 2];
        uint64_t answers = 0;
        find_blocks(part, hashes + at + GROUP, next);
        for (size_t i = 0; i < GROUP; i++) {
            nh_prefetch(body + next[i]);
            answers |= (uint64_t)ninho_block_has_avx2_(body + these[i], hashes[at + i])
                       << i;
        }
        maybe[at / 64] |= answers;
    }
    if (n - at > GROUP)
        ask_for(part, hashes + at + GROUP, n - at - GROUP);
    for (; at < n; at++)
        maybe[at / 64] |= (uint64_t)has(part, hashes[at]) << at % 64;
}

const struct nh_block_kernel nh_block_avx2 = {add, has, add_many, has_many};

#else
typedef int nh_block_avx2_is_for_x86; /* C wants a declaration in every file */
#endif
