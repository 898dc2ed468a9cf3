/* SPDX-License-Identifier: MIT */
/* Sixteen one-byte tags looked at together. Where SSE2 belongs to the base instruction
 * set (every x86-64) the compiler needs no dispatch to use it; elsewhere two words do the
 * same. */
#ifndef NH_DICT_TAGS_H
#define NH_DICT_TAGS_H

#include <stdint.h>

#include "base/bits.h"
#include "base/le.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define NH_TAG_WINDOW 16

/* One bit per tag: those that equal `tag`, and those that are 0. */
struct nh_tag_marks {
    uint32_t equal;
    uint32_t free;
};

#ifdef __SSE2__

static inline struct nh_tag_marks nh_tags_look(const uint8_t *tags, uint8_t tag)
{
    const __m128i window = _mm_loadu_si128((const __m128i *)(const void *)tags);
    const __m128i equal = _mm_cmpeq_epi8(window, _mm_set1_epi8((char)tag));
    const __m128i free = _mm_cmpeq_epi8(window, _mm_setzero_si128());
    return (struct nh_tag_marks){(uint32_t)_mm_movemask_epi8(equal),
                                 (uint32_t)_mm_movemask_epi8(free)};
}

#else

/* One bit for each byte of the word that is 0. */
static inline uint32_t nh_zero_bytes(uint64_t word)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    const uint64_t marks = ~(((word & low) + low) | word | low); /* 0x80 in each */
    return (uint32_t)(((marks >> 7) * UINT64_C(0x0102040810204080)) >> 56);
}

static inline struct nh_tag_marks nh_tags_look(const uint8_t *tags, uint8_t tag)
{
    const uint64_t pattern = UINT64_C(0x0101010101010101) * tag;
    const uint64_t low = nh_load_le64(tags), high = nh_load_le64(tags + 8);
    return (struct nh_tag_marks){
        nh_zero_bytes(low ^ pattern) | nh_zero_bytes(high ^ pattern) << 8,
        nh_zero_bytes(low) | nh_zero_bytes(high) << 8,
    };
}

#endif

#endif
