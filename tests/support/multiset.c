/* SPDX-License-Identifier: MIT */
#include "support/multiset.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { LEAST_SLOTS = 16 };

static size_t home_of(const struct multiset *set, uint64_t key)
{
    return (size_t)((key ^ key >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
           (set->n_slots - 1);
}

/* The slot that leads to the key, or the free one where it would be. */
static size_t slot_of(const struct multiset *set, uint64_t key)
{
    size_t slot = home_of(set, key);

    while (set->index[slot] && set->entries[set->index[slot] - 1].key != key)
        slot = (slot + 1) & (set->n_slots - 1);
    return slot;
}

static void make_room(struct multiset *set, size_t n_slots)
{
    set->n_slots = n_slots;
    set->entries = realloc(set->entries, n_slots / 2 * sizeof *set->entries);
    free(set->index);
    set->index = calloc(n_slots, sizeof *set->index);
    CHECK(set->entries && set->index);
    for (size_t i = 0; i < set->n_distinct; i++)
        set->index[slot_of(set, set->entries[i].key)] = (uint32_t)i + 1;
}

void multiset_init(struct multiset *set)
{
    *set = (struct multiset){0};
    make_room(set, LEAST_SLOTS);
}

void multiset_free(struct multiset *set)
{
    free(set->entries);
    free(set->index);
    *set = (struct multiset){0};
}

void multiset_copy(struct multiset *set, const struct multiset *source)
{
    *set = (struct multiset){.n_distinct = source->n_distinct, .n_keys = source->n_keys};
    set->entries = malloc(source->n_slots / 2 * sizeof *set->entries);
    CHECK(set->entries);
    memcpy(set->entries, source->entries, source->n_distinct * sizeof *set->entries);
    make_room(set, source->n_slots);
}

void multiset_clear(struct multiset *set)
{
    multiset_free(set);
    multiset_init(set);
}

uint64_t multiset_copies(const struct multiset *set, uint64_t key)
{
    const size_t slot = slot_of(set, key);

    return set->index[slot] ? set->entries[set->index[slot] - 1].copies : 0;
}

uint64_t multiset_add(struct multiset *set, uint64_t key)
{
    size_t slot = slot_of(set, key);

    set->n_keys++;
    if (set->index[slot])
        return ++set->entries[set->index[slot] - 1].copies;
    if (set->n_distinct == set->n_slots / 2) {
        make_room(set, 2 * set->n_slots);
        slot = slot_of(set, key);
    }
    set->entries[set->n_distinct++] = (struct multiset_entry){key, 1};
    set->index[slot] = (uint32_t)set->n_distinct;
    return 1;
}

/* Frees a slot. What comes behind it and would no longer be found from its home moves up. */
static void free_slot(struct multiset *set, size_t slot)
{
    const size_t mask = set->n_slots - 1;
    size_t gap = slot;

    for (size_t at = (slot + 1) & mask; set->index[at]; at = (at + 1) & mask) {
        const size_t home = home_of(set, set->entries[set->index[at] - 1].key);
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            set->index[gap] = set->index[at];
            gap = at;
        }
    }
    set->index[gap] = 0;
}

uint64_t multiset_take(struct multiset *set, uint64_t key)
{
    const size_t slot = slot_of(set, key);

    CHECK(set->index[slot]);
    struct multiset_entry *const entry = &set->entries[set->index[slot] - 1];
    set->n_keys--;
    if (--entry->copies)
        return entry->copies;
    free_slot(set, slot);
    const struct multiset_entry *const last = &set->entries[set->n_distinct - 1];
    if (entry != last) {
        set->index[slot_of(set, last->key)] = (uint32_t)(entry - set->entries) + 1;
        *entry = *last;
    }
    set->n_distinct--;
    return 0;
}
