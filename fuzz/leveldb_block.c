/* SPDX-License-Identifier: MIT */
/* Filter blocks of LevelDB from anywhere, and blocks of ours that something happened to.
 *
 *     byte 0    which kind reads, and what the rest is: bit 2 clear, a block; set, keys
 *     block     as LevelDB would hand it over
 *     keys      bits per key, what is done to the block, where; then keys, each with its length before it
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrations/leveldb/block.h"
#include "mutate.h"
#include "target.h"

enum { MAX_KEYS = 300, N_ASKED = 16 };

static const ninho_kind kinds[] = {NINHO_BLOOM, NINHO_BLOCKED, NINHO_CUCKOO, NINHO_FUSE};

static ninho_leveldb_filters *filters_of(ninho_kind kind, double bits)
{
    ninho_leveldb_options options = NINHO_LEVELDB_INIT;
    ninho_leveldb_filters *filters = NULL;

    options.kind = kind;
    options.bits_per_key = bits;
    MUST(!ninho_leveldb_filters_create(&options, &filters, NULL));
    return filters;
}

/* Does the block, in memory of exactly its size, say "maybe" to keys that hardly anything has? */
static bool is_maybe(ninho_leveldb_filters *filters, const char *block, size_t size)
{
    char *copy = malloc(size ? size : 1);
    bool is_all = true;

    MUST(copy);
    if (size)
        memcpy(copy, block, size);
    for (unsigned i = 0; i < N_ASKED; i++) {
        const uint32_t key = i * 0x9e3779b9u;
        const uint8_t answer =
            ninho_leveldb_may_match(filters, (const char *)&key, sizeof key, copy, size);
        MUST(answer <= 1);
        is_all = is_all && answer;
    }
    free(copy);
    return is_all;
}

/* The bytes that tell the length: groups of seven bits. */
static size_t length_bytes(const uint8_t *block, size_t size)
{
    size_t n = 0;

    while (n < size && block[n] & 0x80)
        n++;
    return n + 1;
}

static void try_block(unsigned kind, const uint8_t *bytes, size_t size)
{
    ninho_leveldb_filters *filters = filters_of(kinds[kind], 10);

    MUST(size || is_maybe(filters, (const char *)bytes, size));
    (void)is_maybe(filters, (const char *)bytes, size);
    ninho_leveldb_free(filters);
}

struct keys {
    const char *at[MAX_KEYS];
    size_t sizes[MAX_KEYS];
    int n;
};

static void read_keys(struct keys *keys, const uint8_t *bytes, size_t size)
{
    keys->n = 0;
    while (size > 0 && keys->n < MAX_KEYS) {
        const size_t wanted = bytes[0];
        const size_t n = wanted < size - 1 ? wanted : size - 1;
        keys->at[keys->n] = (const char *)bytes + 1;
        keys->sizes[keys->n++] = n;
        bytes += n + 1;
        size -= n + 1;
    }
}

/* What can go wrong with a block on its way must make it "maybe": another length, kind or version. */
static void harm(ninho_leveldb_filters *filters, unsigned kind, char *block, size_t size,
                 unsigned what, size_t where)
{
    const size_t n_length = length_bytes((const uint8_t *)block, size);
    ninho_leveldb_filters *other;
    char *longer;

    switch (what % 4) {
    case 0: /* cut short */
        MUST(is_maybe(filters, block, where % size));
        break;
    case 1: /* grown */
        longer = calloc(1, size + 1 + where);
        MUST(longer);
        memcpy(longer, block, size);
        MUST(is_maybe(filters, longer, size + 1 + where));
        free(longer);
        break;
    case 2: /* another policy's */
        other = filters_of(kinds[(kind + 1 + where % 3) % 4], 10);
        MUST(is_maybe(other, block, size));
        ninho_leveldb_free(other);
        break;
    default: /* another length, kind or version in front: the first byte has bits of all three */
        block[where % (n_length < size ? n_length : size)] ^= (char)what;
        MUST(is_maybe(filters, block, size));
    }
}

static void try_keys(unsigned kind, const uint8_t *bytes, size_t size)
{
    struct keys keys;
    size_t n;

    if (size < 3)
        return;
    ninho_leveldb_filters *filters = filters_of(kinds[kind], 1 + bytes[0] % 40);
    read_keys(&keys, bytes + 3, size - 3);
    char *block = ninho_leveldb_make(filters, keys.at, keys.sizes, keys.n, &n);
    MUST(block && n > 0);
    for (int i = 0; i < keys.n; i++)
        MUST(ninho_leveldb_may_match(filters, keys.at[i], keys.sizes[i], block, n));
    harm(filters, kind, block, n, bytes[1], bytes[2]);
    free(block);
    ninho_leveldb_free(filters);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    if (bytes[0] & 4)
        try_keys(bytes[0] & 3, bytes + 1, size - 1);
    else
        try_block(bytes[0] & 3, bytes + 1, size - 1);
    return 0;
}

/* Makes a block tell its own length again. */
static void repair_length(uint8_t *block, size_t size, unsigned kind)
{
    size_t left = size;

    for (size_t i = 0; i < size; i++) {
        block[i] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
        left >>= 7;
        if (!left)
            break;
    }
    block[0] ^= (uint8_t)((unsigned)kinds[kind] | 1U << 4); /* kind and version */
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed)
{
    static const struct record_shape keys = {.at = 4, .n_length = 1};

    if (size && bytes[0] & 4)
        return mutate_records(bytes, size, max_size, &keys, seed);
    size = LLVMFuzzerMutate(bytes, size, max_size);
    if (size > 1 && !(bytes[0] & 4) && seed % 8)
        repair_length(bytes + 1, size - 1, bytes[0] & 3);
    return size;
}
