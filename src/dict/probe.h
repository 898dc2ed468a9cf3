/* SPDX-License-Identifier: MIT */
/* The table of `probe` (told in probe.c), for probe.c and for the front door, which looks into it in
 * line. For words the same is done by <ninho/dict_inline.h>.
 *
 *   tags:     | t0 | t1 | ... | t14 | c |   one group; 16 bytes, so that a group never leaves its line
 *   entries:  | entry 0 | entry 1 | ... | entry 14 |     in an array of their own
 *
 *   t   a byte of the key's hash, 0: the slot is free
 *   c   how many keys, of each of four classes (two bits each), wanted to be here or went past, and are
 *       further on; 3 is "many" and stays */
#ifndef NH_DICT_PROBE_H
#define NH_DICT_PROBE_H

#include <ninho/dict_inline.h>

#include "base/bits.h"
#include "base/inline.h"
#include "dict/ops.h"

/* How an entry is compared with a key: nh_entry_is(), or what is left of it where the sort of key is
 * known. */
typedef bool nh_entry_test(const ninho_dict *dict, const uint8_t *entry,
                           const struct nh_key *key);

/* A group, and the key's entry there, or NULL. */
struct nh_spot {
    uint64_t group;
    uint8_t *tags;
    uint8_t *entry;
};

NH_ALWAYS_INLINE uint64_t nh_probe_home(const struct nh_probe_table *t, uint64_t hash)
{
    return hash >> t->shift;
}

NH_ALWAYS_INLINE uint8_t *nh_probe_tags(const struct nh_probe_table *t, uint64_t group)
{
    return t->groups.bytes + group * NINHO_GROUP_BYTES_;
}

/* Entry i of a group. */
NH_ALWAYS_INLINE uint8_t *nh_probe_entry(const struct nh_probe_table *t, uint64_t group,
                                         unsigned i, size_t entry_size)
{
    return t->entries + (group * NINHO_GROUP_SLOTS_ + i) * entry_size;
}

/* Looks for a key in one group. */
NH_ALWAYS_INLINE struct nh_spot nh_probe_look(const ninho_dict *dict, uint64_t group,
                                              const struct nh_key *key, size_t entry_size,
                                              nh_entry_test *is)
{
    const struct nh_probe_table *const t = &dict->table.probe;
    struct nh_spot spot = {group, nh_probe_tags(t, group), NULL};

    nh_step();
    for (uint32_t equal = ninho_group_equal_(spot.tags, ninho_tag_of_(key->hash)); equal;
         equal &= equal - 1) {
        uint8_t *const entry = nh_probe_entry(t, group, nh_lowest_bit(equal), entry_size);
        if (is(dict, entry, key)) {
            spot.entry = entry;
            break;
        }
    }
    return spot;
}

/* Whether a key that is not in the group may be further on. */
NH_ALWAYS_INLINE bool nh_probe_goes_on(const struct nh_spot *spot, uint64_t hash)
{
    return ninho_group_passed_(spot->tags, hash) != 0;
}

/* For a key that is not in its home group, though others of its class went further. */
uint8_t *nh_probe_find_further(const ninho_dict *dict, const struct nh_key *key);

/* Gives a key that is not there yet slot i of a group, which is free; the entry, to be filled. */
NH_ALWAYS_INLINE uint8_t *nh_probe_claim(const struct nh_probe_table *t, uint64_t group,
                                         unsigned i, uint64_t hash, size_t entry_size)
{
    uint8_t *const entry = nh_probe_entry(t, group, i, entry_size);

    /* Stores leave the processor in order, so that one that misses holds up all behind it. */
    nh_prefetch_write(entry);
    nh_probe_tags(t, group)[i] = ninho_tag_of_(hash);
    return entry;
}

/* Shows the table to <ninho/dict_inline.h>, or, where the way is not NH_WAY_WORD, a group that sends
 * every key to the library. To be called whenever way, table or hash have changed. */
void nh_probe_publish(ninho_dict *dict);

/* ninho_dict_get_array() for words hashed in line. */
size_t nh_probe_get_words(const ninho_dict *dict, const uint8_t *keys, size_t n,
                          uint64_t *values, uint64_t *found);

#endif
