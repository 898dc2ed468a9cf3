/* SPDX-License-Identifier: MIT */
/* Eight keys at a time: their places by 32-bit products, their words by gathering. */
#include "cpu/cpu.h"

#if NH_CPU_IS_X86

#include "filter/simd/cuckoo.h"

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512dq")))
#define AVX512_INLINE \
    __attribute__((target("avx512f,avx512dq"), always_inline)) static inline

#define LANES 8
#define GROUP 32 /* keys whose lines are on their way */

/* A group of keys: for each of its two places the byte that a word is loaded from and how far it
 * is shifted, and what the key's tag adds to the lanes. */
struct group {
    uint64_t byte[2][GROUP], shift[2][GROUP], lanes[GROUP];
};

AVX512_INLINE __m512i all(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

AVX512_INLINE __m512i load(const uint64_t *words)
{
    return _mm512_loadu_si512(words);
}

AVX512_INLINE void store(uint64_t *words, __m512i value)
{
    _mm512_storeu_si512(words, value);
}

AVX512_INLINE __m512i times(__m512i a, uint64_t factor)
{
    return _mm512_mullo_epi64(a, all(factor));
}

/* nh_reduce() for n below 2^32. */
AVX512_INLINE __m512i reduce(__m512i x, uint64_t n)
{
    const __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(x, all(n)), 32);
    const __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), all(n));
    return _mm512_srli_epi64(_mm512_add_epi64(low, high), 32);
}

/* ninho_cuckoo_second_(). */
AVX512_INLINE __m512i second_place(__m512i place, __m512i tag, uint64_t n_places,
                                   bool is_offset)
{
    __m512i x = times(_mm512_add_epi64(tag, all(1)), UINT64_C(0xd1342543de82ef95));

    x = times(_mm512_xor_si512(x, _mm512_srli_epi64(x, 32)),
              UINT64_C(0xff51afd7ed558ccd));
    const __m512i distance = _mm512_add_epi64(reduce(x, n_places - 1), all(1));
    if (!is_offset)
        return _mm512_xor_si512(place, _mm512_and_si512(distance, all(n_places - 1)));
    const __m512i sum = _mm512_add_epi64(place, distance);
    return _mm512_min_epu64(sum,
                            _mm512_sub_epi64(sum, all(n_places))); /* that may wrap */
}

/* See ninho_cuckoo_lanes_(). */
AVX512_INLINE void put_place(const struct nh_part *part, struct group *group,
                             unsigned side, size_t at, __m512i place)
{
    const __m512i bit = _mm512_mul_epu32(place, all(part->cached.cuckoo.stride));
    const __m512i byte = _mm512_min_epu64(_mm512_srli_epi64(bit, 3), all(part->size - 8));

    store(group->byte[side] + at, byte);
    store(group->shift[side] + at, _mm512_sub_epi64(bit, _mm512_slli_epi64(byte, 3)));
}

AVX512_INLINE void ask(const struct nh_part *part, const uint64_t *hashes, bool is_offset,
                       struct group *group)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;

    for (size_t i = 0; i < GROUP; i += LANES) {
        const __m512i hash = load(hashes + i);
        const __m512i place = reduce(hash, shape->n_places);
        const __m512i tag =
            reduce(times(hash, UINT64_C(0x9e3779b97f4a7c15)), shape->n_tags);
        put_place(part, group, 0, i, place);
        put_place(part, group, 1, i,
                  second_place(place, tag, shape->n_places, is_offset));
        store(group->lanes + i, times(tag, shape->per_tag));
    }
    for (size_t i = 0; i < GROUP; i++) {
        nh_prefetch(part->body + group->byte[0][i]);
        nh_prefetch(part->body + group->byte[1][i]);
    }
}

/* Eight words at these bytes of the table. Without optimisation gcc's intrinsic is a macro, and converts
 * its mask in our source. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
AVX512_INLINE __m512i gather(const uint8_t *table, __m512i bytes)
{
    return _mm512_i64gather_epi64(bytes, table, 1);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/* Where a lane of a place is what it should be, marks at the highest bits. */
AVX512_INLINE __m512i marks_at(const struct nh_part *part, const struct group *group,
                               unsigned side, size_t at)
{
    const ninho_cuckoo_shape_ *const shape = &part->cached.cuckoo;
    const __m512i words = gather(part->body, load(group->byte[side] + at));
    const __m512i lanes = _mm512_add_epi64(load(group->lanes + at),
                                           all(side ? shape->second : shape->first));
    const __m512i differs =
        _mm512_xor_si512(_mm512_srlv_epi64(words, load(group->shift[side] + at)), lanes);

    return _mm512_andnot_si512(differs, _mm512_sub_epi64(differs, all(shape->ones)));
}

AVX512_INLINE uint64_t answer(const struct nh_part *part, const struct group *group)
{
    const __m512i tops = all(part->cached.cuckoo.tops);
    uint64_t answers = 0;

    for (size_t i = 0; i < GROUP; i += LANES) {
        const __m512i marks =
            _mm512_or_si512(marks_at(part, group, 0, i), marks_at(part, group, 1, i));
        answers |= (uint64_t)_mm512_test_epi64_mask(marks, tops) << i;
    }
    return answers;
}

/* While one group is looked at, the lines of the next are on their way. */
AVX512_INLINE size_t has_groups(const struct nh_part *part, const uint64_t *hashes,
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

AVX512 static void has_many_offset(const struct nh_part *part, const uint64_t *hashes,
                                   size_t n, uint64_t *maybe)
{
    for (size_t i = has_groups(part, hashes, n, maybe, true); i < n; i++)
        maybe[i / 64] |= (uint64_t)nh_cuckoo_has_word(part, hashes[i], true) << i % 64;
}

AVX512 static void has_many_xor(const struct nh_part *part, const uint64_t *hashes,
                                size_t n, uint64_t *maybe)
{
    for (size_t i = has_groups(part, hashes, n, maybe, false); i < n; i++)
        maybe[i / 64] |= (uint64_t)nh_cuckoo_has_word(part, hashes[i], false) << i % 64;
}

const struct nh_cuckoo_batch nh_cuckoo_batch_avx512 = {has_many_offset, has_many_xor};

#else
typedef int nh_cuckoo_avx512_is_for_x86; /* C wants a declaration in every file */
#endif
