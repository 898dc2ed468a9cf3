/* SPDX-License-Identifier: MIT */
/* Finding an 8-byte key in blocks of seven: one set of functions per instruction set.
 *
 *   block:  | head | key 1 | ... | key 7 |     one cache line
 *
 * The values lie in a second array, all of them after all of the blocks, laid out alike:
 * the value of the key at p is at p + value_offset. Who only asks whether a key is there
 * never touches them.
 *
 *   head:   byte 0: which of the keys are there, bit i for key i (bit 0 is never set)
 *           byte c: how many keys of class c, c = 1 .. 7, wanted to be here or went past, and are
 *                   further on; 255 is "many" and stays */
#ifndef NH_DICT_SIMD_BLOCK8_H
#define NH_DICT_SIMD_BLOCK8_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/inline.h"
#include "dict/ops.h"

#define NH_BLOCK8_KEYS  7
#define NH_BLOCK8_BYTES 64

struct nh_block8_kernel {
    /* The place of the key's word, or NULL. */
    uint8_t *(*find)(const struct nh_probe8_table *t, uint64_t key, uint64_t hash);
    /* For ninho_dict's members of these names. */
    bool (*get_word)(const ninho_dict *dict, uint64_t key, uint64_t *value);
    size_t (*get_words)(const ninho_dict *dict, const uint8_t *keys, size_t n,
                        uint64_t *values, uint64_t *found);
};

extern const struct nh_block8_kernel nh_block8_scalar;
extern const struct nh_block8_kernel nh_block8_avx2; /* only where NH_CPU_AVX2 is */
extern const struct nh_block8_kernel nh_block8_neon; /* only where NH_CPU_NEON is */

/* The best for this machine. */
const struct nh_block8_kernel *nh_block8_select(void);

/* For a key that is not in its home block, though others of its class went further. */
bool nh_block8_get_further(const ninho_dict *dict, uint64_t key, uint64_t hash,
                           uint64_t *value);

/* One bit for each word of the block's first line that equals `word`, the head
 * included. */
typedef uint32_t nh_block8_marks(const uint8_t *block, uint64_t word);

NH_ALWAYS_INLINE uint64_t nh_block8_home(const struct nh_probe8_table *t, uint64_t hash)
{
    return nh_reduce(hash * t->salt, t->n_blocks);
}

/* The class of a key, 1 .. 7, from bits that do not choose its home. */
NH_ALWAYS_INLINE unsigned nh_block8_class(uint64_t hash)
{
    return 1 + (unsigned)((hash & 0xff) * 7 >> 8);
}

/* Goes from the home block on until the key is there or nobody of its class went
 * further. */
NH_ALWAYS_INLINE uint8_t *nh_block8_find(const struct nh_probe8_table *t, uint64_t key,
                                         uint64_t hash, uint64_t home,
                                         nh_block8_marks *marks)
{
    uint64_t i = home;

    for (uint64_t n = 0; n < t->max_walk; n++) { /* counts may send it further */
        uint8_t *const block = t->blocks.bytes + i * NH_BLOCK8_BYTES;
        nh_step();
        const uint32_t equal = marks(block, key) & block[0];
        if (equal)
            return block + 8 * nh_lowest_bit(equal);
        if (!block[nh_block8_class(hash)])
            return NULL;
        i = i + 1 < t->n_blocks ? i + 1 : 0;
    }
    return NULL;
}

/* Hashing and finding together, in few instructions, so that the processor has many
 * lookups under way at once: that is all that counts in a table larger than its caches.
 * So the first line is looked at here, and the few keys that need more go elsewhere. */
NH_ALWAYS_INLINE bool nh_block8_get(const ninho_dict *dict, uint64_t key, uint64_t *value,
                                    nh_block8_marks *marks)
{
    const struct nh_probe8_table *const t = &dict->table.probe8;
    const uint64_t hash = nh_mix(key, dict->spec.seed);
    const uint8_t *const block =
        t->blocks.bytes + nh_block8_home(t, hash) * NH_BLOCK8_BYTES;
    const uint32_t equal = marks(block, key) & block[0];

    if (equal) {
        if (value)
            *value = nh_word_at(block + 8 * nh_lowest_bit(equal) + dict->value_offset);
        return true;
    }
    return block[nh_block8_class(hash)] && nh_block8_get_further(dict, key, hash, value);
}

#define NH_BLOCK8_AHEAD 16 /* keys between asking for a line and looking at it */

NH_ALWAYS_INLINE size_t nh_block8_get_many(const ninho_dict *dict, const uint8_t *keys,
                                           size_t n, uint64_t *values, uint64_t *found,
                                           nh_block8_marks *marks)
{
    const struct nh_probe8_table *const t = &dict->table.probe8;
    const uint64_t seed = dict->spec.seed;
    size_t n_found = 0;

    for (size_t i = 0; i < n; i++) {
        if (i + NH_BLOCK8_AHEAD < n) {
            const uint64_t later =
                nh_mix(nh_word_at(keys + 8 * (i + NH_BLOCK8_AHEAD)), seed);
            nh_prefetch(t->blocks.bytes + nh_block8_home(t, later) * NH_BLOCK8_BYTES);
        }
        const uint64_t key = nh_word_at(keys + 8 * i);
        const uint64_t hash = nh_mix(key, seed);
        const uint8_t *const place =
            nh_block8_find(t, key, hash, nh_block8_home(t, hash), marks);
        found[i / 64] |= (uint64_t)(place != NULL) << (i % 64);
        n_found += place != NULL;
        if (values && place)
            values[i] = nh_word_at(place + dict->value_offset);
    }
    return n_found;
}

#endif
