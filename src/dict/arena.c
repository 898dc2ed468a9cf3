/* SPDX-License-Identifier: MIT */
/* The arena: where keys of any size lie that are too long for their entries, each behind its size. */
#include "dict/ops.h"

#define MIN_ARENA 4096

/* Copies the living keys to `bytes`, one after the other. */
static void compact_arena(ninho_dict *dict, uint8_t *bytes)
{
    uint64_t cursor = 0;
    size_t used = 0, where;

    for (uint8_t *entry; (entry = dict->ops->next(dict, &cursor));) {
        if (!nh_entry_is_long(entry, &where))
            continue;
        const uint8_t *const key = dict->arena.bytes + where;
        const size_t n = 8 + (size_t)nh_word_at(key);
        memcpy(bytes + used, key, n);
        nh_entry_set_where(entry, used);
        used += n;
    }
    dict->arena_used = used;
    dict->arena_dead = 0;
}

/* Room for n more bytes. When more than half of the arena belongs to removed keys, the others are
 * moved together; else it is copied as it is. The old one is the caller's to free: the key that is
 * being put may lie in it. */
bool nh_arena_room(ninho_dict *dict, size_t n, struct nh_table *old)
{
    const size_t living = dict->arena_used - dict->arena_dead;
    const bool is_sparse = dict->arena_dead > living;
    const size_t kept = is_sparse ? living : dict->arena_used;
    struct nh_table new;

    if (n <= dict->arena_size - dict->arena_used)
        return true;
    if (n > SIZE_MAX / 8 || kept > SIZE_MAX / 8)
        return false;
    const size_t wanted = (kept + n) / 2 * 3 + 1;
    const size_t size = wanted < MIN_ARENA ? MIN_ARENA : wanted;
    if (!nh_table_alloc(&dict->alloc, size, dict->spec.pages == NINHO_PAGES_AUTO, &new))
        return false;
    if (is_sparse)
        compact_arena(dict, new.bytes);
    else if (dict->arena_used)
        memcpy(new.bytes, dict->arena.bytes, dict->arena_used);
    *old = dict->arena;
    dict->arena = new;
    dict->arena_size = size;
    return true;
}
