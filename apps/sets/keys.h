/* SPDX-License-Identifier: MIT */
/* The keys of an exchange, and the hashes under them. All are SipHash-2-4: whoever does not know
 * both nonces (and the secret, if there is one) beforehand cannot choose items that collide.
 *
 *      secret, or zeros --+
 *      asker's nonce -----+--> key of the tags, asker to answerer, and back
 *      answerer's nonce --+--> two keys of the 128-bit hash: checksum, ropes, verification
 *      a label -----------+--> for each salt a key of the 64-bit hash: sketch, filters, fetching
 *
 * The asker's greeting is tagged under the secret alone, since nobody knows both nonces yet; the
 * answerer's, and all that follows, under all of it. */
#ifndef NINHO_SETS_KEYS_H
#define NINHO_SETS_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "apps/base/base.h"
#include "apps/base/reader.h"
#include "numbers.h"
#include "sets.h"

/* Labels of 64-bit hashes: the sketch's salts are 0, 1, 2; short hashes have their own. */
#define NS_LABEL_SALT  0x100
#define NS_LABEL_SHORT 0x200

struct ns_keys {
    ninho_hasher root;   /* of the secret, then of the nonces too */
    ninho_hasher tag[2]; /* by direction: 0 is the asker's */
    ninho_hasher wide[2];
};

/* The nonce to send for the random bytes of an exchange: a hash of them, so that a set whose index
 * is keyed by the same bytes keeps its key to itself. */
void ns_keys_nonce(const uint8_t random[NINHO_SETS_NONCE_BYTES],
                   uint8_t nonce[NINHO_SETS_NONCE_BYTES]);

/* Before the nonces are known. `secret` may be NULL. */
void ns_keys_init(struct ns_keys *keys, const uint8_t *secret);
/* When they are. */
void ns_keys_mix(struct ns_keys *keys, const uint8_t asker[NINHO_SETS_NONCE_BYTES],
                 const uint8_t answerer[NINHO_SETS_NONCE_BYTES]);

/* The key of a 64-bit hash. */
ninho_hasher ns_keys_hasher(const struct ns_keys *keys, uint64_t label);

struct ns_sum ns_keys_wide(const struct ns_keys *keys, const void *item, size_t size);

/* The tag of a frame. */
uint64_t ns_keys_tag(const struct ns_keys *keys, unsigned direction, uint64_t number,
                     uint8_t type, const void *payload, size_t size);

/* What keys the index of a set: known to this side alone. (set.c) */
const uint8_t *ns_set_nonce(const ninho_set *set);

/* Hashes of all items of a set into hashes[0 .. count). */
void ns_hash_set(const ninho_hasher *hasher, const ninho_set *set, uint64_t *hashes);

#endif
