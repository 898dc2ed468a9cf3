/* SPDX-License-Identifier: MIT */
#include "09-dictionaries/textbook.h"

#include <stdlib.h>

#include "harness/fail.h"
#include "harness/words.h"

#define NO_NODE UINT32_MAX

struct node {
    uint64_t key;
    uint32_t next;
};

struct textbook {
    enum textbook_kind kind;
    bool equal_hashes;
    size_t n_places;
    /* chaining */
    uint32_t *heads;
    struct node *nodes;
    uint32_t first_free;
    /* linear probing */
    uint64_t *slots;
};

/* The place of a key: the high bits of a mixed product, so that any number of places is hit evenly. */
static size_t place_of(const struct textbook *table, uint64_t key)
{
    const uint64_t hash = table->equal_hashes ? 1 : mix64(key);

    return (size_t)(((hash >> 32) * (uint64_t)table->n_places) >> 32);
}

struct textbook *textbook_create(enum textbook_kind kind, size_t n_places,
                                 size_t max_keys, bool equal_hashes)
{
    struct textbook *table = allocate(1, sizeof *table);

    *table = (struct textbook){kind, equal_hashes, n_places, NULL, NULL, 0, NULL};
    if (kind == TEXTBOOK_PROBING) {
        table->slots = allocate(n_places, sizeof *table->slots);
        return table;
    }
    table->heads = allocate(n_places, sizeof *table->heads);
    table->nodes = allocate(max_keys, sizeof *table->nodes);
    for (size_t i = 0; i < n_places; i++)
        table->heads[i] = NO_NODE;
    for (size_t i = 0; i < max_keys; i++)
        table->nodes[i].next = i + 1 < max_keys ? (uint32_t)(i + 1) : NO_NODE;
    return table;
}

void textbook_free(struct textbook *table)
{
    free(table->heads);
    free(table->nodes);
    free(table->slots);
    free(table);
}

static size_t following(const struct textbook *table, size_t slot)
{
    return slot + 1 < table->n_places ? slot + 1 : 0;
}

void textbook_put(struct textbook *table, uint64_t key)
{
    size_t place = place_of(table, key);

    if (table->kind == TEXTBOOK_CHAINING) {
        const uint32_t node = table->first_free;
        if (node == NO_NODE)
            fail("chaining: no node is left");
        table->first_free = table->nodes[node].next;
        table->nodes[node] = (struct node){key, table->heads[place]};
        table->heads[place] = node;
        return;
    }
    while (table->slots[place])
        place = following(table, place);
    table->slots[place] = key;
}

bool textbook_has(const struct textbook *table, uint64_t key)
{
    size_t place = place_of(table, key);

    if (table->kind == TEXTBOOK_CHAINING) {
        uint32_t node = table->heads[place];
        while (node != NO_NODE && table->nodes[node].key != key)
            node = table->nodes[node].next;
        return node != NO_NODE;
    }
    while (table->slots[place] && table->slots[place] != key)
        place = following(table, place);
    return table->slots[place] == key;
}

bool textbook_has_counted(const struct textbook *table, uint64_t key, uint64_t *n_looked)
{
    size_t place = place_of(table, key);

    if (table->kind == TEXTBOOK_CHAINING) {
        for (uint32_t node = table->heads[place]; node != NO_NODE;
             node = table->nodes[node].next) {
            ++*n_looked;
            if (table->nodes[node].key == key)
                return true;
        }
        return false;
    }
    for (;; place = following(table, place)) {
        ++*n_looked;
        if (!table->slots[place] || table->slots[place] == key)
            return table->slots[place] == key;
    }
}

static bool unlink_node(struct textbook *table, uint64_t key)
{
    uint32_t *link = &table->heads[place_of(table, key)];

    while (*link != NO_NODE && table->nodes[*link].key != key)
        link = &table->nodes[*link].next;
    if (*link == NO_NODE)
        return false;
    const uint32_t node = *link;
    *link = table->nodes[node].next;
    table->nodes[node].next = table->first_free;
    table->first_free = node;
    return true;
}

bool textbook_remove(struct textbook *table, uint64_t key)
{
    if (table->kind == TEXTBOOK_CHAINING)
        return unlink_node(table, key);

    size_t hole = place_of(table, key);
    while (table->slots[hole] && table->slots[hole] != key)
        hole = following(table, hole);
    if (!table->slots[hole])
        return false;
    /* A key behind the hole moves into it unless its home lies after the hole, going round. */
    for (size_t at = following(table, hole); table->slots[at];
         at = following(table, at)) {
        const size_t home = place_of(table, table->slots[at]);
        const bool is_after =
            hole <= at ? hole < home && home <= at : hole < home || home <= at;
        if (!is_after) {
            table->slots[hole] = table->slots[at];
            hole = at;
        }
    }
    table->slots[hole] = 0;
    return true;
}
