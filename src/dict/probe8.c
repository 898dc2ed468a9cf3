/* SPDX-License-Identifier: MIT */
/* Linear probing for keys of 8 bytes, by whole cache lines (drawn in simd/block8.h).
 *
 * A key has a home block and goes to the first block from there on that has a free place.
 * A lookup compares all keys of a line at once. Whether it has to go on it learns from
 * the line itself: each block counts, in seven classes, the keys that went past it. So a
 * hit costs one cache line (97 in 100 at the most it is filled, 4/7) and a miss too (98
 * in 100), and no branch is hard to foresee. There are no tags to read first, because
 * with keys this short the tags of a large table cost a cache miss as dear as the keys'
 * own. The counts are F14's idea (N. Bronson and X. Shi, 2019).
 *
 * Removal frees the place and takes the key back out of the counts of the blocks it had
 * passed: no tombstone is left. A count that reached 255 no longer knows how many they are
 * and stays until the table is built anew; that takes 255 keys of one class past one
 * block, so an adversary or a very bad hash.
 *
 * A key that would go past MOST_PASSED blocks makes a crowd. At 4/7 the chance that n blocks
 * in a row are full falls as e^(-0.92 n): for so many 10^-25. So lookups end there. */
#include "dict/ops.h"
#include "dict/simd/block8.h"

#define MIN_BLOCKS  4
#define FILL        4 /* keys per block on average, at most */
#define ALL_USED    0xfe
#define MANY        255
#define MOST_PASSED 64

static uint8_t *block_at(const struct nh_probe8_table *t, uint64_t i)
{
    return t->blocks.bytes + i * NH_BLOCK8_BYTES;
}

static uint64_t following(const struct nh_probe8_table *t, uint64_t i)
{
    return i + 1 < t->n_blocks ? i + 1 : 0;
}

static uint64_t block_of(const struct nh_probe8_table *t, const uint8_t *place)
{
    return (uint64_t)(place - t->blocks.bytes) / NH_BLOCK8_BYTES;
}

static unsigned word_of(const struct nh_probe8_table *t, const uint8_t *place)
{
    return (unsigned)((uint64_t)(place - t->blocks.bytes) % NH_BLOCK8_BYTES / 8);
}

static uint8_t *find(const ninho_dict *dict, const struct nh_key *key)
{
    const struct nh_probe8_table *const t = &dict->table.probe8;
    return t->kernel->find(t, nh_word_at(key->bytes), key->hash);
}

static void prefetch(const ninho_dict *dict, const struct nh_key *key)
{
    const struct nh_probe8_table *const t = &dict->table.probe8;
    nh_prefetch(block_at(t, nh_block8_home(t, key->hash)));
}

/* Stores leave the processor in order: one that misses holds up all behind it. */
static void prefetch_put(const ninho_dict *dict, const struct nh_key *key)
{
    const struct nh_probe8_table *const t = &dict->table.probe8;
    nh_prefetch_write(block_at(t, nh_block8_home(t, key->hash)) + dict->value_offset);
}

/* What the observer calls a place: numbered over all blocks. */
static uint64_t slot_of(const struct nh_probe8_table *t, const uint8_t *place)
{
    return block_of(t, place) * NH_BLOCK8_KEYS + word_of(t, place) - 1;
}

/* Whether the key would go past more blocks than it may. */
static bool is_crowded(const struct nh_probe8_table *t, uint64_t hash)
{
    uint64_t i = nh_block8_home(t, hash);

    for (uint64_t n = 0; n < t->max_walk; n++, i = following(t, i)) {
        nh_step();
        if (block_at(t, i)[0] != ALL_USED)
            return false;
    }
    return true;
}

/* False, with nothing changed, if that would make a crowd. */
static bool put_word(ninho_dict *dict, uint64_t key, uint64_t hash, uint64_t value)
{
    const struct nh_probe8_table *const t = &dict->table.probe8;
    uint8_t *block = block_at(t, nh_block8_home(t, hash));
    uint64_t i = nh_block8_home(t, hash);

    if (block[0] == ALL_USED && is_crowded(t, hash))
        return false;
    for (; block[0] == ALL_USED; i = following(t, i), block = block_at(t, i)) {
        nh_step();
        uint8_t *const passed = block + nh_block8_class(hash);
        *passed = (uint8_t)(*passed + (*passed != MANY));
    }
    const unsigned word = nh_lowest_bit(~(uint32_t)block[0] & ALL_USED);
    block[0] = (uint8_t)(block[0] | 1U << word);
    nh_set_word(block + 8 * word, key);
    nh_set_word(block + 8 * word + dict->value_offset, value);
    nh_dict_tell(dict, NINHO_EVENT_TAG_PLACED, 0, slot_of(t, block + 8 * word), value);
    return true;
}

static ninho_status start(ninho_dict *dict, uint64_t capacity)
{
    struct nh_probe8_table t = {.kernel = nh_block8_select()};

    t.n_blocks = capacity / FILL + 2;
    if (t.n_blocks < MIN_BLOCKS)
        t.n_blocks = MIN_BLOCKS;
    if (!nh_dict_table(dict, t.n_blocks, 2 * NH_BLOCK8_BYTES, &t.blocks))
        return NINHO_ERR_NOMEM;
    dict->value_offset = (size_t)t.n_blocks * NH_BLOCK8_BYTES;
    t.max_used = t.n_blocks * FILL;
    t.max_walk =
        dict->is_watched && t.n_blocks > MOST_PASSED ? MOST_PASSED + 1 : t.n_blocks;
    t.salt = nh_mix(t.n_blocks, UINT64_C(0x9e3779b97f4a7c15)) | 1;
    dict->table.probe8 = t;
    dict->get_word = dict->is_fast8 ? t.kernel->get_word : NULL;
    dict->get_words = dict->is_fast8 ? t.kernel->get_words : NULL;
    return NINHO_OK;
}

static void finish(ninho_dict *dict)
{
    nh_dict_table_free(dict, &dict->table.probe8.blocks);
}

/* The cursor goes over the words of the blocks' first lines. */
static uint8_t *next_in(const struct nh_probe8_table *t, uint64_t *cursor)
{
    while (*cursor < t->n_blocks * 8) {
        const uint64_t i = (*cursor)++;
        uint8_t *const block = block_at(t, i / 8);
        if (block[0] >> (i % 8) & 1)
            return block + 8 * (i % 8);
    }
    return NULL;
}

static uint8_t *next(const ninho_dict *dict, uint64_t *cursor)
{
    return next_in(&dict->table.probe8, cursor);
}

/* All of `old` into the new, empty table; false if there is a crowd. */
static bool refill(ninho_dict *dict, const struct nh_probe8_table *old, size_t old_offset)
{
    uint64_t cursor = 0;

    nh_dict_tell(dict, NINHO_EVENT_RESIZED, old->n_blocks * NH_BLOCK8_KEYS,
                 dict->table.probe8.n_blocks * NH_BLOCK8_KEYS, 0);
    for (uint8_t *place; (place = next_in(old, &cursor));)
        if (!put_word(dict, nh_word_at(place), nh_entry_hash(dict, place),
                      nh_word_at(place + old_offset)))
            return false;
    return true;
}

/* Moves everything to a table with room for n keys. */
static ninho_status resize(ninho_dict *dict, uint64_t n)
{
    struct nh_probe8_table old = dict->table.probe8;
    const size_t old_offset = dict->value_offset;

    const ninho_status status = start(dict, n);
    if (status)
        return status;
    if (!refill(dict, &old, old_offset)) {
        finish(dict);
        dict->table.probe8 = old;
        dict->value_offset = old_offset;
        return NH_CROWDED;
    }
    nh_dict_table_free(dict, &old.blocks);
    return NINHO_OK;
}

static ninho_status rehash(ninho_dict *dict)
{
    return resize(dict, dict->table.probe8.max_used);
}

static ninho_status reserve(ninho_dict *dict, uint64_t n)
{
    return n > dict->table.probe8.max_used ? resize(dict, n) : NINHO_OK;
}

static ninho_status insert(ninho_dict *dict, uint64_t hash, const uint8_t *entry)
{
    if (dict->count >= dict->table.probe8.max_used) {
        const ninho_status status = resize(dict, 2 * dict->count);
        if (status)
            return status;
    }
    return put_word(dict, nh_word_at(entry), hash, nh_word_at(entry + 8)) ? NINHO_OK
                                                                          : NH_CROWDED;
}

static void erase(ninho_dict *dict, uint8_t *place)
{
    const struct nh_probe8_table *const t = &dict->table.probe8;
    const uint64_t hash = nh_entry_hash(dict, place);
    const uint64_t at = block_of(t, place);

    nh_dict_tell(dict, NINHO_EVENT_TAG_REMOVED, slot_of(t, place), 0,
                 nh_entry_value(dict, place));
    for (uint64_t i = nh_block8_home(t, hash); i != at; i = following(t, i)) {
        uint8_t *const passed = block_at(t, i) + nh_block8_class(hash);
        *passed = (uint8_t)(*passed - (*passed != MANY));
        nh_step();
    }
    uint8_t *const used = block_at(t, at);
    *used = (uint8_t)(*used & ~(1U << word_of(t, place)));
}

static uint64_t n_slots(const ninho_dict *dict)
{
    return dict->table.probe8.n_blocks * NH_BLOCK8_KEYS;
}

/* Every block a key went past has counted it. (That every key is found, verify sees
 * to.) */
static bool is_sound(const ninho_dict *dict)
{
    const struct nh_probe8_table *const t = &dict->table.probe8;
    uint64_t cursor = 0;

    for (const uint8_t *place; (place = next(dict, &cursor));) {
        const uint64_t hash = nh_entry_hash(dict, place), at = block_of(t, place);
        for (uint64_t i = nh_block8_home(t, hash); i != at; i = following(t, i))
            if (!block_at(t, i)[nh_block8_class(hash)])
                return false;
    }
    return true;
}

const struct nh_dict_ops nh_dict_probe8 = {
    .kind = NINHO_PROBE,
    .start = start,
    .finish = finish,
    .reserve = reserve,
    .rehash = rehash,
    .find = find,
    .prefetch = prefetch,
    .prefetch_put = prefetch_put,
    .insert = insert,
    .erase = erase,
    .next = next,
    .n_slots = n_slots,
    .is_sound = is_sound,
};
