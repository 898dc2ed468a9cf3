/* SPDX-License-Identifier: MIT */
/* A block is one 256-bit register: its eight bits are made by one multiplication and two
 * shifts, and tested at once. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/simd/block.h"

#include <immintrin.h>

#include "base/bits.h"

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i mask_of(uint64_t hash)
{
    static const uint32_t salts[NH_BLOCK_WORDS] = NH_BLOCK_SALTS;
    const __m256i salt = _mm256_loadu_si256((const __m256i *)(const void *)salts);
    const __m256i product =
        _mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), salt);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}

AVX2 static inline void add_to(uint8_t *block, uint64_t hash)
{
    __m256i *const at = (__m256i *)(void *)block;
    _mm256_storeu_si256(at, _mm256_or_si256(_mm256_loadu_si256(at), mask_of(hash)));
}

AVX2 static inline bool is_in(const uint8_t *block, uint64_t hash)
{
    const __m256i words = _mm256_loadu_si256((const __m256i *)(const void *)block);
    return _mm256_testc_si256(words, mask_of(hash)) != 0;
}

AVX2 static void add(struct nh_part *part, uint64_t hash)
{
    add_to(nh_block_of(part, hash), hash);
}

AVX2 static bool has(const struct nh_part *part, uint64_t hash)
{
    return is_in(nh_block_of(part, hash), hash);
}

#define GROUP 64 /* keys whose lines are asked for before the first is looked at */

AVX2 static void add_many(struct nh_part *part, const uint64_t *hashes, size_t n)
{
    uint8_t *block[GROUP];

    for (size_t at = 0; at < n; at += GROUP) {
        const size_t n_group = n - at < GROUP ? n - at : GROUP;
        for (size_t i = 0; i < n_group; i++) {
            block[i] = nh_block_of(part, hashes[at + i]);
            nh_prefetch_write(block[i]);
        }
        for (size_t i = 0; i < n_group; i++)
            add_to(block[i], hashes[at + i]);
    }
}

AVX2 static void has_many(const struct nh_part *part, const uint64_t *hashes, size_t n,
                          uint64_t *maybe)
{
    const uint8_t *block[GROUP];

    for (size_t at = 0; at < n; at += GROUP) {
        const size_t n_group = n - at < GROUP ? n - at : GROUP;
        uint64_t answers = 0;
        for (size_t i = 0; i < n_group; i++) {
            block[i] = nh_block_of(part, hashes[at + i]);
            nh_prefetch(block[i]);
        }
        for (size_t i = 0; i < n_group; i++)
            answers |= (uint64_t)is_in(block[i], hashes[at + i]) << i;
        maybe[at / GROUP] |= answers;
    }
}

const struct nh_block_kernel nh_block_avx2 = {add, has, add_many, has_many};

#else
typedef int nh_block_avx2_is_for_x86; /* C wants a declaration in every file */
#endif
