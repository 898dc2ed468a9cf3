/* SPDX-License-Identifier: MIT */
/* Four keys at a time: their places by 32-bit products, their words by gathering. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/simd/cuckoo.h"

#include <immintrin.h>

#define AVX2        __attribute__((target("avx2")))
#define AVX2_INLINE __attribute__((target("avx2"), always_inline)) static inline

#define LANES 4
#define GROUP 32 /* keys whose lines are on their way */

/* A group of keys: for each of its two places the byte that a word is loaded from and how far it
 * is shifted, and what the key's tag adds to the lanes. */
struct group {
    uint64_t byte[2][GROUP], shift[2][GROUP], lanes[GROUP];
};

AVX2_INLINE __m256i all(uint64_t word)
{
    return _mm256_set1_epi64x((long long)word);
}

AVX2_INLINE __m256i load(const uint64_t *words)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)words);
}

AVX2_INLINE void store(uint64_t *words, __m256i value)
{
    _mm256_storeu_si256((__m256i *)(void *)words, value);
}

/* The low halves of four products: low * low + ((high * low + low * high) << 32). */
AVX2_INLINE __m256i times(__m256i a, uint64_t factor)
{
    const __m256i low = all((uint32_t)factor), high = all(factor >> 32);
    const __m256i cross = _mm256_add_epi64(
        _mm256_mul_epu32(_mm256_srli_epi64(a, 32), low), _mm256_mul_epu32(a, high));
    return _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_slli_epi64(cross, 32));
}

/* The same of numbers below 2^32. */
AVX2_INLINE __m256i times_small(__m256i a, uint64_t factor)
{
    return _mm256_add_epi64(
        _mm256_mul_epu32(a, all((uint32_t)factor)),
        _mm256_slli_epi64(_mm256_mul_epu32(a, all(factor >> 32)), 32));
}

/* nh_reduce() for n below 2^32. */
AVX2_INLINE __m256i reduce(__m256i x, uint64_t n)
{
    const __m256i low = _mm256_srli_epi64(_mm256_mul_epu32(x, all(n)), 32);
    const __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), all(n));
    return _mm256_srli_epi64(_mm256_add_epi64(low, high), 32);
}

/* ninho_cuckoo_second_(). */
AVX2_INLINE __m256i second_place(__m256i place, __m256i tag, uint64_t n_places,
                                 bool is_offset)
{
    __m256i x = times_small(_mm256_add_epi64(tag, all(1)), UINT64_C(0xd1342543de82ef95));

    x = times(_mm256_xor_si256(x, _mm256_srli_epi64(x, 32)),
              UINT64_C(0xff51afd7ed558ccd));
    const __m256i distance = _mm256_add_epi64(reduce(x, n_places - 1), all(1));
    if (!is_offset)
        return _mm256_xor_si256(place, _mm256_and_si256(distance, all(n_places - 1)));
    const __m256i sum = _mm256_add_epi64(place, distance);
    const __m256i is_inside = _mm256_cmpgt_epi64(all(n_places), sum);
    return _mm256_sub_epi64(sum, _mm256_andnot_si256(is_inside, all(n_places)));
}

/* See ninho_cuckoo_lanes_(). */
AVX2_INLINE void put_place(const struct nh_part *part, struct group *group, unsigned side,
                           size_t at, __m256i place)
{
    const __m256i bit = _mm256_mul_epu32(place, all(part->cached.cuckoo.stride));
    const __m256i last = all(part->size - 8);
    __m256i byte = _mm256_srli_epi64(bit, 3);

    byte = _mm256_blendv_epi8(byte, last, _mm256_cmpgt_epi64(byte, last));
    store(group->byte[side] + at, byte);
    store(group->shift[side] + at, _mm256_sub_epi64(bit, _mm256_slli_epi64(byte, 3)));
}

AVX2_INLINE void ask(const struct nh_part *part, const uint64_t *hashes, bool is_offset,
                     struct group *group)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;

    for (size_t i = 0; i < GROUP; i += LANES) {
        const __m256i hash = load(hashes + i);
        const __m256i place = reduce(hash, shape->n_places);
        const __m256i tag =
            reduce(times(hash, UINT64_C(0x9e3779b97f4a7c15)), shape->n_tags);
        put_place(part, group, 0, i, place);
        put_place(part, group, 1, i,
                  second_place(place, tag, shape->n_places, is_offset));
        store(group->lanes + i, times_small(tag, shape->per_tag));
    }
    for (size_t i = 0; i < GROUP; i++) {
        nh_prefetch(part->body + group->byte[0][i]);
        nh_prefetch(part->body + group->byte[1][i]);
    }
}

/* Where a lane of a place is what it should be, marks at the highest bits. */
AVX2_INLINE __m256i marks_at(const struct nh_part *part, const struct group *group,
                             unsigned side, size_t at)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;
    const long long *const body = (const long long *)(const void *)part->body;
    const __m256i words = _mm256_i64gather_epi64(body, load(group->byte[side] + at), 1);
    const __m256i lanes = _mm256_add_epi64(load(group->lanes + at),
                                           all(side ? shape->second : shape->first));
    const __m256i differs =
        _mm256_xor_si256(_mm256_srlv_epi64(words, load(group->shift[side] + at)), lanes);

    return _mm256_andnot_si256(differs, _mm256_sub_epi64(differs, all(shape->ones)));
}

AVX2_INLINE uint64_t answer(const struct nh_part *part, const struct group *group)
{
    const __m256i tops = all(part->cached.cuckoo.tops);
    uint64_t answers = 0;

    for (size_t i = 0; i < GROUP; i += LANES) {
        const __m256i marks = _mm256_and_si256(
            _mm256_or_si256(marks_at(part, group, 0, i), marks_at(part, group, 1, i)),
            tops);
        const __m256i is_none = _mm256_cmpeq_epi64(marks, _mm256_setzero_si256());
        const unsigned none = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(is_none));
        answers |= (uint64_t)(none ^ 15) << i;
    }
    return answers;
}

/* While one group is looked at, the lines of the next are on their way. */
AVX2_INLINE size_t has_groups(const struct nh_part *part, const uint64_t *hashes,
                              size_t n, uint64_t *maybe, bool is_offset)
{
    struct group groups[2];
    size_t at = 0;

    if (n >= GROUP)
        ask(part, hashes, is_offset, &groups[0]);
    for (; n - at >= GROUP; at += GROUP) {
        if (n - at >= 2 * GROUP)
            ask(part, hashes + at + GROUP, is_offset, &groups[(at / GROUP + 1) % 2]);
        maybe[at / 64] |= answer(part, &groups[at / GROUP % 2]) << at % 64;
    }
    return at;
}

AVX2 static void has_many_offset(const struct nh_part *part, const uint64_t *hashes,
                                 size_t n, uint64_t *maybe)
{
    for (size_t i = has_groups(part, hashes, n, maybe, true); i < n; i++)
        maybe[i / 64] |= (uint64_t)nh_cuckoo_has_word(part, hashes[i], true) << i % 64;
}

AVX2 static void has_many_xor(const struct nh_part *part, const uint64_t *hashes,
                              size_t n, uint64_t *maybe)
{
    for (size_t i = has_groups(part, hashes, n, maybe, false); i < n; i++)
        maybe[i / 64] |= (uint64_t)nh_cuckoo_has_word(part, hashes[i], false) << i % 64;
}

const struct nh_cuckoo_batch nh_cuckoo_batch_avx2 = {has_many_offset, has_many_xor};

#else
typedef int nh_cuckoo_avx2_is_for_x86; /* C wants a declaration in every file */
#endif
