/* SPDX-License-Identifier: MIT */
/* See keys.h. */
#include "keys.h"

#include <string.h>

static const char purpose[8] = {'n', 'i', 'n', 'h', 'o', 's', 'e', 't'};

/* A key from a key: two SipHashes of what it is for. */
static ninho_hasher derived(const ninho_hasher *from, uint64_t label,
                            const uint8_t *context, size_t size)
{
    uint8_t message[8 + 8 + 1 + 2 * NINHO_SETS_NONCE_BYTES];
    ninho_hasher hasher = {.id = NINHO_HASH_SIPHASH};

    memcpy(message, purpose, 8);
    na_store(message + 8, label, 8);
    if (size)
        memcpy(message + 17, context, size);
    for (uint8_t half = 0; half < 2; half++) {
        message[16] = half;
        na_store(hasher.secret + 8 * half, ninho_hash_bytes(from, message, 17 + size), 8);
    }
    return hasher;
}

static void derive_all(struct ns_keys *keys)
{
    for (unsigned i = 0; i < 2; i++) {
        keys->tag[i] = derived(&keys->root, 2 + i, NULL, 0);
        keys->wide[i] = derived(&keys->root, 4 + i, NULL, 0);
    }
}

void ns_keys_nonce(const uint8_t random[NINHO_SETS_NONCE_BYTES],
                   uint8_t nonce[NINHO_SETS_NONCE_BYTES])
{
    ninho_hasher base = {.id = NINHO_HASH_SIPHASH};

    memcpy(base.secret, random, NINHO_SETS_NONCE_BYTES);
    base = derived(&base, 7, NULL, 0);
    memcpy(nonce, base.secret, NINHO_SETS_NONCE_BYTES);
}

void ns_keys_init(struct ns_keys *keys, const uint8_t *secret)
{
    ninho_hasher base = {.id = NINHO_HASH_SIPHASH};

    if (secret)
        memcpy(base.secret, secret, NINHO_SECRET_BYTES);
    keys->root = derived(&base, secret ? 1 : 0, NULL, 0);
    derive_all(keys);
}

void ns_keys_mix(struct ns_keys *keys, const uint8_t asker[NINHO_SETS_NONCE_BYTES],
                 const uint8_t answerer[NINHO_SETS_NONCE_BYTES])
{
    uint8_t both[2 * NINHO_SETS_NONCE_BYTES];

    memcpy(both, asker, NINHO_SETS_NONCE_BYTES);
    memcpy(both + NINHO_SETS_NONCE_BYTES, answerer, NINHO_SETS_NONCE_BYTES);
    keys->root = derived(&keys->root, 6, both, sizeof both);
    derive_all(keys);
}

ninho_hasher ns_keys_hasher(const struct ns_keys *keys, uint64_t label)
{
    return derived(&keys->root, label, NULL, 0);
}

struct ns_sum ns_keys_wide(const struct ns_keys *keys, const void *item, size_t size)
{
    return (struct ns_sum){.low = ninho_hash_bytes(&keys->wide[0], item, size),
                           .high = ninho_hash_bytes(&keys->wide[1], item, size)};
}

uint64_t ns_keys_tag(const struct ns_keys *keys, unsigned direction, uint64_t number,
                     uint8_t type, const void *payload, size_t size)
{
    uint8_t message[8 + 1 + 8 + 8];

    na_store(message, number, 8);
    message[8] = type;
    na_store(message + 9, size, 8);
    na_store(message + 17, ninho_hash_bytes(&keys->tag[direction], payload, size), 8);
    return ninho_hash_bytes(&keys->tag[direction], message, sizeof message);
}

void ns_hash_set(const ninho_hasher *hasher, const ninho_set *set, uint64_t *hashes)
{
    const size_t n = ninho_set_count(set);

    for (size_t i = 0; i < n; i++) {
        size_t size = 0;
        const void *item = ninho_set_item(set, i, &size);
        hashes[i] = ninho_hash_bytes(hasher, item, size);
    }
}
