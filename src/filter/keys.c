/* SPDX-License-Identifier: MIT */
/* Keys as bytes: hashed as the filter's own encoding and hash say, then handed to the calls that
 * take hashes. */
#include "base/bits.h"
#include "filter/ops.h"

ninho_status ninho_filter_hasher(const ninho_filter *filter, ninho_hasher *hasher)
{
    if (!filter || !hasher)
        return NINHO_ERR_ARG;
    if (filter->key_encoding == NINHO_KEY_HASHES)
        return NINHO_ERR_UNSUPPORTED;
    if (filter->is_sealed)
        return NINHO_ERR_KEY_MISSING;
    *hasher = filter->hasher;
    return NINHO_OK;
}

/* Whether a key of that shape can be asked for, and its hash. */
static ninho_status hash_key(const ninho_filter *filter, const void *key, size_t key_size,
                             uint64_t *hash)
{
    if (!filter || (!key && key_size))
        return NINHO_ERR_ARG;
    if (filter->key_encoding == NINHO_KEY_HASHES)
        return NINHO_ERR_UNSUPPORTED;
    if (filter->is_sealed)
        return NINHO_ERR_KEY_MISSING;
    if ((filter->key_encoding == NINHO_KEY_INT64 && key_size != 8) ||
        (filter->key_encoding == NINHO_KEY_UUID && key_size != 16))
        return NINHO_ERR_ARG;
    *hash = ninho_hash_bytes(&filter->hasher, key, key_size);
    return NINHO_OK;
}

ninho_status ninho_filter_add_key(ninho_filter *filter, const void *key, size_t key_size)
{
    uint64_t hash;
    const ninho_status status = hash_key(filter, key, key_size, &hash);
    return status ? status : ninho_filter_add(filter, hash);
}

bool ninho_filter_has_key(const ninho_filter *filter, const void *key, size_t key_size)
{
    uint64_t hash;
    return hash_key(filter, key, key_size, &hash) || ninho_filter_has(filter, hash);
}

ninho_status ninho_filter_remove_key(ninho_filter *filter, const void *key,
                                     size_t key_size)
{
    uint64_t hash;
    const ninho_status status = hash_key(filter, key, key_size, &hash);
    return status ? status : ninho_filter_remove(filter, hash);
}

#define KEY_GROUP 256 /* hashes kept on the stack at once; a multiple of 64 */

ninho_status ninho_filter_add_keys(ninho_filter *filter, const void *const *keys,
                                   const size_t *key_sizes, size_t n, size_t *n_added)
{
    uint64_t hashes[KEY_GROUP];
    size_t done = 0;
    ninho_status status = NINHO_OK;

    if (n_added)
        *n_added = 0;
    if (!filter || (n && (!keys || !key_sizes)))
        return NINHO_ERR_ARG;
    while (!status && done < n) {
        size_t n_group = 0, n_done = 0;
        ninho_status shape = NINHO_OK;
        while (n_group < KEY_GROUP && done + n_group < n && !shape) {
            const size_t i = done + n_group;
            shape = hash_key(filter, keys[i], key_sizes[i], &hashes[n_group]);
            n_group += !shape;
        }
        status = ninho_filter_add_many(filter, hashes, n_group, &n_done);
        done += n_done;
        if (!status)
            status = shape;
    }
    if (n_added)
        *n_added = done;
    return status;
}

size_t ninho_filter_has_keys(const ninho_filter *filter, const void *const *keys,
                             const size_t *key_sizes, size_t n, uint64_t *maybe)
{
    uint64_t hashes[KEY_GROUP];
    size_t n_maybe = 0;

    if (!filter || !keys || !key_sizes)
        return ninho_filter_has_many(NULL, NULL, n, maybe);
    if (!maybe)
        return 0;
    for (size_t at = 0; at < n; at += KEY_GROUP) {
        const size_t n_group = n - at < KEY_GROUP ? n - at : KEY_GROUP;
        uint64_t unasked[KEY_GROUP / 64] = {0}; /* keys whose shape cannot be asked for */
        for (size_t i = 0; i < n_group; i++) {
            hashes[i] = 0;
            if (hash_key(filter, keys[at + i], key_sizes[at + i], &hashes[i]))
                unasked[i / 64] |= UINT64_C(1) << (i % 64);
        }
        ninho_filter_has_many(filter, hashes, n_group, maybe + at / 64);
        for (size_t i = 0; i < (n_group + 63) / 64; i++) {
            maybe[at / 64 + i] |= unasked[i];
            n_maybe += nh_popcount(maybe[at / 64 + i]);
        }
    }
    return n_maybe;
}
