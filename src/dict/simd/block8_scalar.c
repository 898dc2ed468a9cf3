/* SPDX-License-Identifier: MIT */
#include "dict/simd/block8.h"

#include "cpu/cpu.h"

static inline uint32_t marks(const uint8_t *block, uint64_t word)
{
    uint32_t equal = 0;

    for (unsigned i = 0; i < 8; i++)
        equal |= (uint32_t)(nh_word_at(block + 8 * i) == word) << i;
    return equal;
}

static uint8_t *find(const struct nh_probe8_table *t, uint64_t key, uint64_t hash)
{
    return nh_block8_find(t, key, hash, nh_block8_home(t, hash), marks);
}

bool nh_block8_get_further(const ninho_dict *dict, uint64_t key, uint64_t hash,
                           uint64_t *value)
{
    const uint8_t *const place = find(&dict->table.probe8, key, hash);

    if (place && value)
        *value = nh_word_at(place + dict->value_offset);
    return place;
}

static bool get_word(const ninho_dict *dict, uint64_t key, uint64_t *value)
{
    return nh_block8_get(dict, key, value, marks);
}

static size_t get_words(const ninho_dict *dict, const uint8_t *keys, size_t n,
                        uint64_t *values, uint64_t *found)
{
    return nh_block8_get_many(dict, keys, n, values, found, marks);
}

const struct nh_block8_kernel nh_block8_scalar = {find, get_word, get_words};

const struct nh_block8_kernel *nh_block8_select(void)
{
#if NH_CPU_IS_X86
    if (nh_cpu_has(NH_CPU_AVX2))
        return &nh_block8_avx2;
#elif NH_CPU_IS_ARM64
    if (nh_cpu_has(NH_CPU_NEON))
        return &nh_block8_neon;
#endif
    return &nh_block8_scalar;
}
