/* SPDX-License-Identifier: MIT */
/* A set of byte strings: an array of items in the order of adding, and an index of it.
 *
 *      items   | bytes, size | bytes, size | ...           16 bytes each
 *      index   | hash : place + 1 |    0    | ...          open addressing, a power of two of slots
 *      blocks  -> 64 KiB of items' bytes -> ...            where the set keeps copies
 *
 * A slot keeps 32 bits of the hash: the index is doubled without hashing anything again, and bytes
 * are compared only where these agree. */
#include "sets.h"

#include <string.h>

#include "apps/base/base.h"
#include "apps/base/reader.h"
#include "keys.h"
#include "numbers.h"

#define FIRST_SLOTS 16
#define BLOCK_BYTES 65536

struct item {
    const uint8_t *bytes;
    uint32_t size;
};

struct block {
    struct block *next;
    size_t room;
    size_t used;
    uint8_t bytes[];
};

struct ninho_set {
    ninho_alloc alloc;
    ninho_set_keeping keeping;
    ninho_hasher hasher;
    struct item *items;
    size_t n;
    size_t room;
    uint64_t n_bytes;
    uint64_t *slots; /* high half: hash; low half: place + 1, 0 if it is free */
    size_t n_slots;
    struct block *blocks; /* the one being filled first */
};

static const uint8_t nothing[1];

ninho_status ninho_set_create(ninho_set_keeping keeping,
                              const uint8_t nonce[NINHO_SETS_NONCE_BYTES],
                              const ninho_alloc *alloc, ninho_set **out)
{
    const ninho_alloc mine = na_allocator(alloc);

    if (!out || (keeping != NINHO_SET_COPIES && keeping != NINHO_SET_BORROWS))
        return NINHO_ERR_ARG;
    ninho_set *set = na_alloc_zeroed(&mine, 1, sizeof *set);
    if (!set)
        return NINHO_ERR_NOMEM;
    set->alloc = mine;
    set->keeping = keeping;
    set->hasher.id = NINHO_HASH_SIPHASH;
    if (nonce)
        memcpy(set->hasher.secret, nonce, NINHO_SETS_NONCE_BYTES);
    *out = set;
    return NINHO_OK;
}

void ninho_set_free(ninho_set *set)
{
    if (!set)
        return;
    const ninho_alloc alloc = set->alloc;
    for (struct block *block = set->blocks, *next; block; block = next) {
        next = block->next;
        na_free(&alloc, block, sizeof *block + block->room, 1);
    }
    na_free(&alloc, set->items, set->room, sizeof *set->items);
    na_free(&alloc, set->slots, set->n_slots, sizeof *set->slots);
    na_free(&alloc, set, 1, sizeof *set);
}

/* ---- The index --------------------------------------------------------------------- */

static size_t first_slot(const ninho_set *set, uint32_t hash)
{
    return (size_t)(((uint64_t)hash * set->n_slots) >> 32);
}

/* The slot of an item, or the free one where it would go. */
static size_t find_slot(const ninho_set *set, uint32_t hash, const void *bytes,
                        size_t size)
{
    size_t slot = first_slot(set, hash);

    for (uint64_t entry; (entry = set->slots[slot]) != 0;
         slot = (slot + 1) & (set->n_slots - 1)) {
        if (entry >> 32 != hash)
            continue;
        const struct item *item = &set->items[(uint32_t)entry - 1];
        if (item->size == size && (size == 0 || memcmp(item->bytes, bytes, size) == 0))
            break;
    }
    return slot;
}

/* Keeps the index at most three quarters full. */
static bool grow_index(ninho_set *set)
{
    if (set->n < set->n_slots / 4 * 3)
        return true;
    const size_t n_slots = set->n_slots ? set->n_slots * 2 : FIRST_SLOTS;
    if (n_slots < set->n_slots)
        return false;
    uint64_t *slots = na_alloc_zeroed(&set->alloc, n_slots, sizeof *slots);
    if (!slots)
        return false;
    uint64_t *old = set->slots;
    const size_t n_old = set->n_slots;
    set->slots = slots;
    set->n_slots = n_slots;
    for (size_t i = 0; i < n_old; i++) {
        if (!old[i])
            continue;
        size_t slot = first_slot(set, (uint32_t)(old[i] >> 32));
        while (slots[slot])
            slot = (slot + 1) & (n_slots - 1);
        slots[slot] = old[i];
    }
    na_free(&set->alloc, old, n_old, sizeof *old);
    return true;
}

/* ---- Items ------------------------------------------------------------------------- */

static bool grow_items(ninho_set *set)
{
    if (set->n < set->room)
        return true;
    const size_t room = set->room ? set->room + set->room / 2 : FIRST_SLOTS;
    struct item *items = na_alloc(&set->alloc, room, sizeof *items);
    if (!items)
        return false;
    if (set->n)
        memcpy(items, set->items, set->n * sizeof *items);
    na_free(&set->alloc, set->items, set->room, sizeof *items);
    set->items = items;
    set->room = room;
    return true;
}

/* A copy of the bytes; NULL if there is no memory. A long item gets a block of its own, behind
 * the one being filled. */
static const uint8_t *kept(ninho_set *set, const void *bytes, size_t size)
{
    if (size == 0)
        return nothing;
    struct block *block = set->blocks;
    if (!block || block->room - block->used < size) {
        const bool is_long = size > BLOCK_BYTES / 4;
        const size_t room = is_long ? size : BLOCK_BYTES;
        struct block *made = na_alloc(&set->alloc, sizeof *made + room, 1);
        if (!made)
            return NULL;
        made->room = room;
        made->used = 0;
        struct block **place = is_long && block ? &block->next : &set->blocks;
        made->next = *place;
        *place = made;
        block = made;
    }
    uint8_t *at = block->bytes + block->used;
    memcpy(at, bytes, size);
    block->used += size;
    return at;
}

ninho_status ninho_set_add(ninho_set *set, const void *item, size_t item_size,
                           bool *is_new)
{
    if (item_size > NINHO_SETS_MAX_ITEM || (!item && item_size))
        return NINHO_ERR_ARG;
    if (!grow_index(set))
        return NINHO_ERR_NOMEM;
    const uint32_t hash =
        (uint32_t)(ninho_hash_bytes(&set->hasher, item, item_size) >> 32);
    const size_t slot = find_slot(set, hash, item, item_size);
    if (set->slots[slot] == 0) {
        if (set->n >= NINHO_SETS_MAX_ITEMS)
            return NINHO_ERR_FULL;
        if (!grow_items(set))
            return NINHO_ERR_NOMEM;
        const uint8_t *bytes = nothing;
        if (set->keeping == NINHO_SET_COPIES)
            bytes = kept(set, item, item_size);
        else if (item)
            bytes = item;
        if (!bytes)
            return NINHO_ERR_NOMEM;
        set->items[set->n++] = (struct item){.bytes = bytes, .size = (uint32_t)item_size};
        set->slots[slot] = (uint64_t)hash << 32 | set->n;
        set->n_bytes += item_size;
        if (is_new)
            *is_new = true;
    } else if (is_new) {
        *is_new = false;
    }
    return NINHO_OK;
}

const uint8_t *ns_set_nonce(const ninho_set *set)
{
    return set->hasher.secret;
}

size_t ninho_set_count(const ninho_set *set)
{
    return set->n;
}

uint64_t ninho_set_bytes(const ninho_set *set)
{
    return set->n_bytes;
}

const void *ninho_set_item(const ninho_set *set, size_t index, size_t *item_size)
{
    if (item_size)
        *item_size = set->items[index].size;
    return set->items[index].bytes;
}

bool ninho_set_find(const ninho_set *set, const void *item, size_t item_size,
                    size_t *index)
{
    if (set->n == 0 || item_size > NINHO_SETS_MAX_ITEM)
        return false;
    const uint32_t hash =
        (uint32_t)(ninho_hash_bytes(&set->hasher, item, item_size) >> 32);
    const uint64_t entry = set->slots[find_slot(set, hash, item, item_size)];
    if (entry && index)
        *index = (uint32_t)entry - 1;
    return entry != 0;
}
