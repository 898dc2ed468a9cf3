/* SPDX-License-Identifier: MIT */
/* Dictionaries of 64-bit keys, with calls that the compiler inlines: for programs that ask for one key at
 * a time, millions of times a second.
 *
 *     ninho_words *words = ninho_dict_words(dict);
 *     for (size_t i = 0; words && i < n; i++)
 *         if (ninho_words_get(words, keys[i], &value))
 *             sum += value;
 *
 * A *ninho_words* is the part of a dictionary that these calls look at. It belongs to the dictionary,
 * sees all of its changes and lives as long as it does; both sorts of calls may be mixed. There is one
 * for every dictionary with a key_size of 8. In line are those of kind probe with the hash of their own
 * (hash 0, no hash_function) and without an observer; for others, and for the few keys that are not where
 * they are looked for first, there is a call into the library.
 *
 * A key is a word: ninho_words_get(words, key, ...) is ninho_dict_get(dict, &key, 8, ...).
 *
 * Its fields are the library's: they change from version to version, and a program must be
 * compiled with the header of the library that it runs with. ninho_dict_words() answers NULL where
 * the two do not fit.
 *
 * Threads: as for the dictionary, many readers or one writer. For C11 and C++; SSE2 and NEON are used
 * where the compiler may assume them, and NINHO_NO_SIMD leaves the plain code. */
#ifndef NINHO_DICT_INLINE_H
#define NINHO_DICT_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ninho/dict.h>
#include <ninho/words.h>

#if defined(__SSE2__) && !defined(NINHO_NO_SIMD)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(NINHO_NO_SIMD)
#include <arm_neon.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The table of `probe` ------------------------------------------------------------- */

/* Drawn in src/dict/probe.h: a group is 15 tags, and four counts in the last byte. */
#define NINHO_GROUP_BYTES_ 16
#define NINHO_GROUP_SLOTS_ 15
#define NINHO_GROUP_MARKS_ 0x7fffU

typedef struct ninho_words {
    uint8_t *tags;      /* of the groups */
    uint8_t *entries;   /* 15 a group: a key and its value */
    uint64_t shift;     /* 64 less log2 of the number of groups */
    uint64_t flip;      /* what seed and salt do to a key */
    uint64_t count;     /* keys */
    uint64_t max_count; /* as many there may be before it grows, or is full */
    uint64_t n_changes;
} ninho_words;

/* One bit for each byte of the word that is 0. */
NINHO_INLINE_ uint32_t ninho_zero_bytes_(uint64_t word)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    const uint64_t marks = ~(((word & low) + low) | word | low); /* 0x80 in each */
    return (uint32_t)(((marks >> 7) * UINT64_C(0x0102040810204080)) >> 56);
}

/* One bit for each tag of a group that is `tag`. */
NINHO_INLINE_ uint32_t ninho_group_equal_plain_(const uint8_t *group, uint8_t tag)
{
    const uint64_t pattern = UINT64_C(0x0101010101010101) * tag;
    const uint32_t low = ninho_zero_bytes_(ninho_load64_(group) ^ pattern);
    const uint32_t high = ninho_zero_bytes_(ninho_load64_(group + 8) ^ pattern);
    return (low | high << 8) & NINHO_GROUP_MARKS_;
}

#if defined(__SSE2__) && !defined(NINHO_NO_SIMD)

NINHO_INLINE_ uint32_t ninho_group_equal_(const uint8_t *group, uint8_t tag)
{
    const __m128i window = _mm_loadu_si128((const __m128i *)(const void *)group);
    const __m128i equal = _mm_cmpeq_epi8(window, _mm_set1_epi8((char)tag));
    return (uint32_t)_mm_movemask_epi8(equal) & NINHO_GROUP_MARKS_;
}

#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(NINHO_NO_SIMD)

/* NEON has no instruction that takes one bit of each lane: lanes keep one bit each, and each half is
 * added up. */
NINHO_INLINE_ uint32_t ninho_group_equal_(const uint8_t *group, uint8_t tag)
{
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                     1, 2, 4, 8, 16, 32, 64, 0};
    const uint8x16_t equal =
        vandq_u8(vceqq_u8(vld1q_u8(group), vdupq_n_u8(tag)), vld1q_u8(bits));
    return (uint32_t)vaddv_u8(vget_low_u8(equal)) |
           (uint32_t)vaddv_u8(vget_high_u8(equal)) << 8;
}

#else

NINHO_INLINE_ uint32_t ninho_group_equal_(const uint8_t *group, uint8_t tag)
{
    return ninho_group_equal_plain_(group, tag);
}

#endif

/* The home comes from the high bits, the tag from the low ones: so one multiplication, and bits handed
 * down before and after it. */
NINHO_INLINE_ uint64_t ninho_word_hash_(uint64_t word, uint64_t flip)
{
    word ^= flip;
    word = (word ^ word >> 32) * UINT64_C(0xe9846af9b1a615d5);
    return word ^ word >> 29;
}

/* 0 is for free slots. */
NINHO_INLINE_ uint8_t ninho_tag_of_(uint64_t hash)
{
    const unsigned tag = (unsigned)hash & 0xff;
    return (uint8_t)(tag + !tag);
}

/* The count of the key's class in a group, 0 .. 3. */
NINHO_INLINE_ unsigned ninho_group_passed_(const uint8_t *group, uint64_t hash)
{
    return (unsigned)group[NINHO_GROUP_SLOTS_] >> (hash >> 7 & 6) & 3;
}

/* A key's home. */
struct ninho_spot_ {
    uint8_t *tags;
    uint8_t *entries;
    uint64_t hash;
};

NINHO_INLINE_ struct ninho_spot_ ninho_words_spot_(const ninho_words *words, uint64_t key)
{
    struct ninho_spot_ spot;

    spot.hash = ninho_word_hash_(key, words->flip);
    const uint64_t group = spot.hash >> words->shift;
    spot.tags = words->tags + group * NINHO_GROUP_BYTES_;
    spot.entries = words->entries + group * (NINHO_GROUP_SLOTS_ * 16);
    return spot;
}

/* The key's slot in its home, or NINHO_GROUP_SLOTS_. */
NINHO_INLINE_ unsigned ninho_words_slot_(const struct ninho_spot_ *spot, uint64_t key)
{
    uint32_t equal = ninho_group_equal_(spot->tags, ninho_tag_of_(spot->hash));

#ifdef __GNUC__
    if (equal)
        __builtin_prefetch(spot->entries, 0, 3);
#endif
    for (; equal; equal &= equal - 1) {
        const unsigned i = ninho_lowest_bit_(equal);
        uint64_t word;
        memcpy(&word, spot->entries + (size_t)i * 16, sizeof word);
        if (word == key)
            return i;
    }
    return NINHO_GROUP_SLOTS_;
}

/* What is not in line. */
NINHO_API bool ninho_words_get_(const ninho_words *words, uint64_t key, uint64_t *value);
NINHO_API ninho_status ninho_words_put_(ninho_words *words, uint64_t key, uint64_t value,
                                        bool *is_new);
NINHO_API ninho_status ninho_words_remove_(ninho_words *words, uint64_t key);
NINHO_API ninho_words *ninho_dict_words_(ninho_dict *dict, size_t layout);

/* ---- The calls ------------------------------------------------------------------------ */

#define NINHO_WORDS_LAYOUT_ (sizeof(ninho_words) | (size_t)1 << 16)

/* The words of a dictionary, to read and to write, or to read only. They are the dictionary's. NULL if
 * `dict` is, if its key_size is not 8, or if the library is of another version. */
static inline ninho_words *ninho_dict_words(ninho_dict *dict)
{
    return ninho_dict_words_(dict, NINHO_WORDS_LAYOUT_);
}

static inline const ninho_words *ninho_dict_words_read(const ninho_dict *dict)
{
    return ninho_dict_words_((ninho_dict *)(uintptr_t)dict, NINHO_WORDS_LAYOUT_);
}

/* As ninho_dict_get(): whether the key is there, and its value (`value` may be NULL). */
static inline bool ninho_words_get(const ninho_words *words, uint64_t key,
                                   uint64_t *value)
{
    const struct ninho_spot_ spot = ninho_words_spot_(words, key);
    const unsigned i = ninho_words_slot_(&spot, key);

    if (i < NINHO_GROUP_SLOTS_) {
        if (value)
            memcpy(value, spot.entries + (size_t)i * 16 + 8, sizeof *value);
        return true;
    }
    if (NINHO_SELDOM_(ninho_group_passed_(spot.tags, spot.hash)))
        return ninho_words_get_(words, key, value);
    return false;
}

/* As ninho_dict_put(). */
static inline ninho_status ninho_words_put(ninho_words *words, uint64_t key,
                                           uint64_t value, bool *is_new)
{
    const struct ninho_spot_ spot = ninho_words_spot_(words, key);
    unsigned i = ninho_words_slot_(&spot, key);
    const bool is_here = i < NINHO_GROUP_SLOTS_;

    if (!is_here) {
        const uint32_t free = ninho_group_equal_(spot.tags, 0);
        /* (The first key is the library's: it chooses the salt.) */
        if (NINHO_SELDOM_(ninho_group_passed_(spot.tags, spot.hash) || !free ||
                          words->count - 1 >= words->max_count - 1))
            return ninho_words_put_(words, key, value, is_new);
        i = ninho_lowest_bit_(free);
#ifdef __GNUC__
        /* Stores leave the processor in order, so that one that misses holds up all behind it. */
        __builtin_prefetch(spot.entries + (size_t)i * 16, 1, 3);
#endif
        spot.tags[i] = ninho_tag_of_(spot.hash);
        memcpy(spot.entries + (size_t)i * 16, &key, sizeof key);
        words->count++;
        words->n_changes++;
    }
    memcpy(spot.entries + (size_t)i * 16 + 8, &value, sizeof value);
    if (is_new)
        *is_new = !is_here;
    return NINHO_OK;
}

/* As ninho_dict_remove(). */
static inline ninho_status ninho_words_remove(ninho_words *words, uint64_t key)
{
    const struct ninho_spot_ spot = ninho_words_spot_(words, key);
    const unsigned i = ninho_words_slot_(&spot, key);

    if (i == NINHO_GROUP_SLOTS_)
        return NINHO_SELDOM_(ninho_group_passed_(spot.tags, spot.hash))
                   ? ninho_words_remove_(words, key)
                   : NINHO_ERR_NOT_FOUND;
    spot.tags[i] = 0;
    words->count--;
    words->n_changes++;
    return NINHO_OK;
}

#ifdef __cplusplus
}
#endif

#endif
