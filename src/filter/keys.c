/* SPDX-License-Identifier: MIT */
/* Keys as bytes: hashed as the filter's own encoding and hash say, then handed to the calls that
 * take hashes. */
#include "base/bits.h"
#include "base/inline.h"
#include "base/le.h"
#include "base/versioned.h"
#include "filter/ops.h"

ninho_status nh_can_hash(const ninho_filter *filter)
{
    if (!filter)
        return NINHO_ERR_ARG;
    if (filter->key_encoding == NINHO_KEY_HASHES)
        return NINHO_ERR_UNSUPPORTED;
    return filter->is_sealed ? NINHO_ERR_KEY_MISSING : NINHO_OK;
}

ninho_status ninho_filter_hasher(const ninho_filter *filter, ninho_hasher *hasher)
{
    const ninho_status status = hasher ? nh_can_hash(filter) : NINHO_ERR_ARG;

    if (!status)
        *hasher = filter->hasher;
    return status;
}

size_t nh_key_size_of(const ninho_filter *filter)
{
    return filter->key_encoding == NINHO_KEY_INT64  ? 8
           : filter->key_encoding == NINHO_KEY_UUID ? 16
                                                    : 0;
}

/* Whether a key of that shape can be asked for, and its hash. */
NH_NOINLINE static ninho_status hash_any_key(const ninho_filter *filter, const void *key,
                                             size_t key_size, uint64_t *hash)
{
    const ninho_status status = nh_can_hash(filter);
    if (status)
        return status;
    if ((!key && key_size) ||
        (nh_key_size_of(filter) && key_size != nh_key_size_of(filter)))
        return NINHO_ERR_ARG;
    *hash = ninho_hash_bytes(&filter->hasher, key, key_size);
    return NINHO_OK;
}

ninho_status nh_hash_key(const ninho_filter *filter, const void *key, size_t key_size,
                         uint64_t *hash)
{
    return hash_any_key(filter, key, key_size, hash);
}

/* What programs ask most, keys of 8 bytes, is hashed without a call. */
NH_ALWAYS_INLINE ninho_status hash_key(const ninho_filter *filter, const void *key,
                                       size_t key_size, uint64_t *hash)
{
    if (key_size != 8 || !filter || !key || !filter->takes_words)
        return hash_any_key(filter, key, key_size, hash);
    *hash = ninho_xxh3_word_(nh_load_le64(key), filter->word_flip);
    return NINHO_OK;
}

ninho_status ninho_filter_add_key(ninho_filter *filter, const void *key, size_t key_size)
{
    uint64_t hash;
    const ninho_status status = hash_key(filter, key, key_size, &hash);
    return status ? status : ninho_filter_add(filter, hash);
}

NH_NOINLINE static bool has_any_key(const ninho_filter *filter, const void *key,
                                    size_t key_size)
{
    uint64_t hash;
    return hash_any_key(filter, key, key_size, &hash) || nh_filter_has(filter, hash);
}

bool ninho_filter_has_key(const ninho_filter *filter, const void *key, size_t key_size)
{
    if (key_size != 8 || !filter || !key || !filter->takes_words)
        return has_any_key(filter, key, key_size);
    return nh_filter_has(filter, ninho_xxh3_word_(nh_load_le64(key), filter->word_flip));
}

ninho_status ninho_filter_remove_key(ninho_filter *filter, const void *key,
                                     size_t key_size)
{
    uint64_t hash;
    const ninho_status status = hash_key(filter, key, key_size, &hash);
    return status ? status : ninho_filter_remove(filter, hash);
}

#define KEY_GROUP 1024 /* hashes kept on the stack at once; a multiple of 64 */

/* Keys in batches: an array of pointers, or a column. */
struct batch {
    size_t n;
    const void *const *keys; /* NULL: it is the column */
    const size_t *key_sizes;
    const ninho_column *column;
};

static void hash_column(const ninho_hasher *hasher, const ninho_column *column, size_t at,
                        size_t n, uint64_t *hashes)
{
    const uint8_t *const data = column->data;
    const int32_t *const narrow = column->offsets32 ? column->offsets32 + at : NULL;
    const int64_t *const wide = column->offsets64 ? column->offsets64 + at : NULL;

    if (narrow)
        for (size_t i = 0; i < n; i++)
            hashes[i] = ninho_hash_bytes(hasher, data ? data + narrow[i] : NULL,
                                         (size_t)(narrow[i + 1] - narrow[i]));
    else if (wide)
        for (size_t i = 0; i < n; i++)
            hashes[i] = ninho_hash_bytes(hasher, data ? data + wide[i] : NULL,
                                         (size_t)(wide[i + 1] - wide[i]));
    else
        ninho_hash_array(hasher, data + at * column->key_size, column->key_size, n,
                         hashes);
}

/* Hashes a group of keys from number `at` on, n of them, up to the first that has not the
 * right shape: returns how many, and in *status why not all. */
static size_t hash_group(const ninho_filter *filter, const struct batch *batch, size_t at,
                         size_t n, uint64_t *hashes, ninho_status *status)
{
    *status = NINHO_OK;
    if (batch->column) {
        hash_column(&filter->hasher, batch->column, at, n, hashes);
        return n;
    }
    for (size_t i = 0; i < n; i++) {
        *status =
            hash_key(filter, batch->keys[at + i], batch->key_sizes[at + i], &hashes[i]);
        if (*status)
            return i;
    }
    return n;
}

static ninho_status add_batch(ninho_filter *filter, const struct batch *batch,
                              size_t *n_added)
{
    uint64_t hashes[KEY_GROUP];
    size_t done = 0;
    ninho_status status = NINHO_OK;

    while (!status && done < batch->n) {
        const size_t n_left = batch->n - done;
        size_t n_done = 0;
        ninho_status shape;
        const size_t n = hash_group(
            filter, batch, done, n_left < KEY_GROUP ? n_left : KEY_GROUP, hashes, &shape);
        status = ninho_filter_add_many(filter, hashes, n, &n_done);
        done += n_done;
        if (!status)
            status = shape;
    }
    if (n_added)
        *n_added = done;
    return status;
}

/* Asks for n keys of a group, 1 <= n <= KEY_GROUP. Those of the wrong shape are "maybe". */
static size_t has_group(const ninho_filter *filter, const struct batch *batch, size_t at,
                        size_t n, uint64_t *maybe)
{
    uint64_t hashes[KEY_GROUP];
    uint64_t unasked[KEY_GROUP / 64] = {0};
    size_t n_maybe = 0, i = 0;

    do { /* at least once, which compilers cannot see of a for */
        ninho_status shape;
        i += hash_group(filter, batch, at + i, n - i, hashes + i, &shape);
        if (i < n) {
            hashes[i] = 0;
            unasked[i / 64] |= UINT64_C(1) << (i % 64);
        }
    } while (++i < n);
    ninho_filter_has_many(filter, hashes, n, maybe);
    for (i = 0; i < (n + 63) / 64; i++) {
        maybe[i] |= unasked[i];
        n_maybe += nh_popcount(maybe[i]);
    }
    return n_maybe;
}

static size_t has_batch(const ninho_filter *filter, const struct batch *batch,
                        uint64_t *maybe)
{
    uint64_t group[KEY_GROUP / 64] = {0};
    size_t n_maybe = 0;

    for (size_t at = 0; at < batch->n; at += KEY_GROUP) {
        const size_t n_left = batch->n - at;
        n_maybe += has_group(filter, batch, at, n_left < KEY_GROUP ? n_left : KEY_GROUP,
                             maybe ? maybe + at / 64 : group);
    }
    return n_maybe;
}

ninho_status ninho_filter_add_keys(ninho_filter *filter, const void *const *keys,
                                   const size_t *key_sizes, size_t n, size_t *n_added)
{
    const struct batch batch = {.n = n, .keys = keys, .key_sizes = key_sizes};

    if (n_added)
        *n_added = 0;
    if (!filter || (n && (!keys || !key_sizes)))
        return NINHO_ERR_ARG;
    return add_batch(filter, &batch, n_added);
}

size_t ninho_filter_has_keys(const ninho_filter *filter, const void *const *keys,
                             const size_t *key_sizes, size_t n, uint64_t *maybe)
{
    const struct batch batch = {.n = n, .keys = keys, .key_sizes = key_sizes};

    if (!filter || !keys || !key_sizes)
        return ninho_filter_has_many(NULL, NULL, n, maybe);
    return has_batch(filter, &batch, maybe);
}

/* ---- Columns ----------------------------------------------------------------------- */

/* Offset number i of a column that has offsets. */
static int64_t offset_at(const ninho_column *column, size_t i)
{
    return column->offsets32 ? column->offsets32[i] : column->offsets64[i];
}

/* Whether the keys all lie inside the data, and have `key_size` bytes each if it is not 0. */
static bool are_inside(const ninho_column *column, size_t key_size)
{
    uint64_t n_bytes;

    if (!column->offsets32 && !column->offsets64)
        return column->key_size && (!key_size || column->key_size == key_size) &&
               column->data && nh_mul_fits(column->key_size, column->n, &n_bytes) &&
               n_bytes <= column->data_size;
    /* No array has as many offsets, and one that is counted on must come to an end. */
    if ((column->offsets32 && column->offsets64) || column->n >= SIZE_MAX / 8)
        return false;
    int64_t last = offset_at(column, 0);
    if (last < 0)
        return false;
    for (size_t i = 1; i <= column->n; i++) {
        const int64_t next = offset_at(column, i);
        if (next < last || (key_size && (uint64_t)(next - last) != key_size))
            return false;
        last = next;
    }
    return (uint64_t)last <= column->data_size && (column->data || !last);
}

/* Reads the caller's column, and checks it against the filter before any key is touched. */
static ninho_status read_column(const ninho_filter *filter, const ninho_column *theirs,
                                ninho_column *column)
{
    if (!theirs || !nh_struct_in(column, sizeof *column, theirs))
        return NINHO_ERR_ARG;
    const ninho_status status = nh_can_hash(filter);
    if (status)
        return status;
    return column->n && !are_inside(column, nh_key_size_of(filter)) ? NINHO_ERR_ARG
                                                                    : NINHO_OK;
}

ninho_status ninho_filter_add_column(ninho_filter *filter, const ninho_column *theirs,
                                     size_t *n_added)
{
    ninho_column column = NINHO_COLUMN_INIT;

    if (n_added)
        *n_added = 0;
    const ninho_status status = read_column(filter, theirs, &column);
    if (status)
        return status;
    return add_batch(filter, &(struct batch){.n = column.n, .column = &column}, n_added);
}

ninho_status ninho_filter_has_column(const ninho_filter *filter,
                                     const ninho_column *theirs, uint64_t *maybe,
                                     size_t *n_maybe)
{
    ninho_column column = NINHO_COLUMN_INIT;
    const ninho_status status = read_column(filter, theirs, &column);
    const size_t n =
        status
            ? ninho_filter_has_many(NULL, NULL, column.n, maybe)
            : has_batch(filter, &(struct batch){.n = column.n, .column = &column}, maybe);

    if (n_maybe)
        *n_maybe = n;
    return status;
}
