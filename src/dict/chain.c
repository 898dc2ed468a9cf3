/* SPDX-License-Identifier: MIT */
/* Separate chaining: an array of lists, one per hash value modulo their number.
 *
 *   heads: | . | . | 3 | . | 1 | ...         a node's number, 0 for an empty list
 *                    |       |
 *                    v       v
 *   nodes: 1: | next 0 | entry |   2: free   3: | next 4 | entry |   4: | next 0 | entry |
 *
 * Nodes lie in one array that grows by doubling, so that a key costs no allocation of its
 * own; removed ones are kept in a list of free nodes. There is a list for every key: with
 * a good hash a lookup expects one to two nodes. A list of MOST_NODES is a crowd: chance makes
 * one of so many with probability 1/64!, less than 10^-88. */
#include "dict/ops.h"

#define MIN_LISTS  16
#define MOST_NODES 64
#define IS_FREE    (UINT64_C(1) << 63) /* in the link of a free node */

static size_t node_size(const ninho_dict *dict)
{
    return 8 + dict->entry_size;
}

/* Nodes are numbered from 1. */
static uint8_t *node_at(const ninho_dict *dict, uint64_t number)
{
    return dict->table.chain.nodes.bytes + (number - 1) * node_size(dict);
}

static uint8_t *head_of(const struct nh_chain_table *t, uint64_t hash)
{
    return t->heads.bytes + 8 * nh_reduce(hash, t->n_lists);
}

static uint8_t *find_in_list(const ninho_dict *dict, const struct nh_key *key,
                             uint64_t number)
{
    while (number) {
        uint8_t *const node = node_at(dict, number);
        nh_step();
        if (nh_entry_is(dict, node + 8, key))
            return node + 8;
        number = nh_word_at(node);
    }
    return NULL;
}

static uint8_t *find(const ninho_dict *dict, const struct nh_key *key)
{
    return find_in_list(dict, key, nh_word_at(head_of(&dict->table.chain, key->hash)));
}

static void prefetch(const ninho_dict *dict, const struct nh_key *key)
{
    nh_prefetch(head_of(&dict->table.chain, key->hash));
}

static void prefetch_entry(const ninho_dict *dict, const struct nh_key *key)
{
    const uint64_t number = nh_word_at(head_of(&dict->table.chain, key->hash));

    if (number)
        nh_prefetch(node_at(dict, number));
}

/* Room for `max_nodes` nodes: the old ones are copied. */
static ninho_status grow_nodes(ninho_dict *dict, uint64_t max_nodes)
{
    struct nh_chain_table *const t = &dict->table.chain;
    uint64_t bytes;

    if (!nh_mul_fits(max_nodes, node_size(dict), &bytes) || bytes > SIZE_MAX)
        return NINHO_ERR_NOMEM;
    uint8_t *const nodes = dict->alloc.alloc(dict->alloc.context, (size_t)bytes);
    if (!nodes)
        return NINHO_ERR_NOMEM;
    if (t->nodes.bytes)
        memcpy(nodes, t->nodes.bytes, (size_t)t->n_nodes * node_size(dict));
    nh_alloc_free(&dict->alloc, t->nodes.bytes, t->nodes.size);
    dict->table_bytes += bytes - t->nodes.size;
    t->nodes = (struct nh_block){nodes, (size_t)bytes};
    t->max_nodes = max_nodes;
    return NINHO_OK;
}

static ninho_status start(ninho_dict *dict, uint64_t capacity)
{
    struct nh_chain_table *const t = &dict->table.chain;
    const uint64_t n = capacity < MIN_LISTS ? MIN_LISTS : capacity;

    *t = (struct nh_chain_table){.n_lists = n};
    if (!nh_dict_table(dict, n, 8, &t->heads))
        return NINHO_ERR_NOMEM;
    const ninho_status status = grow_nodes(dict, n);
    if (status)
        nh_dict_table_free(dict, &t->heads);
    return status;
}

static void finish(ninho_dict *dict)
{
    struct nh_chain_table *const t = &dict->table.chain;

    nh_dict_table_free(dict, &t->heads);
    nh_alloc_free(&dict->alloc, t->nodes.bytes, t->nodes.size);
    dict->table_bytes -= t->nodes.size;
    *t = (struct nh_chain_table){0};
}

/* Hangs every node into as many lists as there is room for keys. */
static void relink(ninho_dict *dict, const struct nh_table *old_heads, uint64_t n_old)
{
    struct nh_chain_table *const t = &dict->table.chain;

    for (uint64_t i = 0; i < n_old; i++) {
        uint64_t number = nh_word_at(old_heads->bytes + 8 * i);
        while (number) {
            uint8_t *const node = node_at(dict, number);
            uint8_t *const head = head_of(t, nh_entry_hash(dict, node + 8));
            const uint64_t following = nh_word_at(node);
            nh_step();
            nh_set_word(node, nh_word_at(head));
            nh_set_word(head, number);
            nh_dict_tell(dict, NINHO_EVENT_TAG_PLACED, 0,
                         (uint64_t)(head - t->heads.bytes) / 8,
                         nh_entry_value(dict, node + 8));
            number = following;
        }
    }
}

static ninho_status rehash(ninho_dict *dict)
{
    struct nh_chain_table *const t = &dict->table.chain;
    struct nh_table old = t->heads;

    if (!nh_dict_table(dict, t->n_lists, 8, &t->heads)) {
        t->heads = old;
        return NINHO_ERR_NOMEM;
    }
    nh_dict_tell(dict, NINHO_EVENT_RESIZED, t->n_lists, t->n_lists, 0);
    relink(dict, &old, t->n_lists);
    nh_dict_table_free(dict, &old);
    return NINHO_OK;
}

/* Whether the list of this hash is as long as a list may become. */
static bool is_crowded(const ninho_dict *dict, uint64_t hash)
{
    unsigned n = 0;

    for (uint64_t number = nh_word_at(head_of(&dict->table.chain, hash)); number;
         number = nh_word_at(node_at(dict, number))) {
        nh_step();
        if (++n == MOST_NODES)
            return true;
    }
    return false;
}

static ninho_status reserve(ninho_dict *dict, uint64_t n)
{
    struct nh_chain_table *const t = &dict->table.chain;
    struct nh_table heads, old = t->heads;
    const uint64_t n_old = t->n_lists;

    if (n <= n_old) /* there are as many nodes as lists */
        return NINHO_OK;
    /* What can be given back comes first: nodes, once copied, are where they are. */
    if (!nh_dict_table(dict, n, 8, &heads))
        return NINHO_ERR_NOMEM;
    const ninho_status status = grow_nodes(dict, n);
    if (status) {
        nh_dict_table_free(dict, &heads);
        return status;
    }
    t->heads = heads;
    t->n_lists = n;
    nh_dict_tell(dict, NINHO_EVENT_RESIZED, n_old, n, 0);
    relink(dict, &old, n_old);
    nh_dict_table_free(dict, &old);
    return NINHO_OK;
}

static ninho_status insert(ninho_dict *dict, uint64_t hash, const uint8_t *entry)
{
    struct nh_chain_table *const t = &dict->table.chain;

    if (!t->free_node && t->n_nodes == t->max_nodes) {
        const ninho_status status = reserve(dict, 2 * t->max_nodes);
        if (status)
            return status;
    }
    if (dict->is_watched && is_crowded(dict, hash))
        return NH_CROWDED;
    const uint64_t number = t->free_node ? t->free_node : ++t->n_nodes;
    uint8_t *const node = node_at(dict, number);
    uint8_t *const head = head_of(t, hash);
    if (t->free_node)
        t->free_node = nh_word_at(node) & ~IS_FREE;
    nh_set_word(node, nh_word_at(head));
    memcpy(node + 8, entry, dict->entry_size);
    nh_set_word(head, number);
    nh_dict_tell(dict, NINHO_EVENT_TAG_PLACED, 0, nh_reduce(hash, t->n_lists),
                 nh_entry_value(dict, entry));
    return NINHO_OK;
}

static void erase(ninho_dict *dict, uint8_t *entry)
{
    struct nh_chain_table *const t = &dict->table.chain;
    const uint64_t list = nh_reduce(nh_entry_hash(dict, entry), t->n_lists);
    uint8_t *link = t->heads.bytes + 8 * list;
    uint8_t *const node = entry - 8;

    while (node_at(dict, nh_word_at(link)) != node) {
        nh_step();
        link = node_at(dict, nh_word_at(link));
    }
    const uint64_t number = nh_word_at(link);
    nh_set_word(link, nh_word_at(node));
    nh_dict_tell(dict, NINHO_EVENT_TAG_REMOVED, list, 0, nh_entry_value(dict, entry));
    nh_set_word(node, t->free_node | IS_FREE);
    t->free_node = number;
}

/* In the order of the nodes: lists need not be followed. */
static uint8_t *next(const ninho_dict *dict, uint64_t *cursor)
{
    while (*cursor < dict->table.chain.n_nodes) {
        uint8_t *const node = node_at(dict, ++*cursor);
        if (!(nh_word_at(node) & IS_FREE))
            return node + 8;
    }
    return NULL;
}

static uint64_t n_slots(const ninho_dict *dict)
{
    return dict->table.chain.n_lists;
}

/* Every list ends, and every node is in a list or free. */
static bool is_sound(const ninho_dict *dict)
{
    const struct nh_chain_table *const t = &dict->table.chain;
    uint64_t seen = 0;

    for (uint64_t i = 0; i < t->n_lists; i++)
        for (uint64_t number = nh_word_at(t->heads.bytes + 8 * i); number;
             number = nh_word_at(node_at(dict, number)))
            if (number > t->n_nodes || ++seen > t->n_nodes)
                return false;
    for (uint64_t number = t->free_node; number;
         number = nh_word_at(node_at(dict, number)) & ~IS_FREE)
        if (number > t->n_nodes || ++seen > t->n_nodes)
            return false;
    return seen == t->n_nodes;
}

const struct nh_dict_ops nh_dict_chain = {
    .kind = NINHO_CHAIN,
    .name = "chain",
    .summary = "exact, separate chaining: the simplest exact kind",
    .start = start,
    .finish = finish,
    .reserve = reserve,
    .rehash = rehash,
    .find = find,
    .prefetch = prefetch,
    .prefetch_entry = prefetch_entry,
    .insert = insert,
    .erase = erase,
    .next = next,
    .n_slots = n_slots,
    .is_sound = is_sound,
};
