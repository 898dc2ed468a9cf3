/* SPDX-License-Identifier: MIT */
/* Lookups of many keys. */
#include "dict/ops.h"
#include "dict/probe.h"

/* Keys to be looked for together: `keys` with `sizes`, or an array of fixed-size ones. */
struct batch {
    const void *const *keys;
    const size_t *sizes;
    const uint8_t *array;
    size_t n;
};

/* Key i of a batch; false if it cannot be in the dictionary. */
static bool batch_key(const ninho_dict *dict, const struct batch *batch, size_t i,
                      struct nh_key *key)
{
    const size_t size = dict->spec.key_size;

    if (!batch->array)
        return nh_dict_as_key(dict, batch->keys[i], batch->sizes[i], key);
    *key = nh_dict_key(dict, batch->array + i * size, size);
    return true;
}

/* How many keys lie between two steps of one key. */
#define AHEAD 16
#define RING  (2 * AHEAD) /* keys under way; a power of two */

/* Looks for all keys of a batch, each in three steps, with others' steps between them:
 *
 *     i + 2 AHEAD: hash it, ask for the first line     i + AHEAD: ask for its entry     i: find
 *
 * Steps of many keys alternate rather than each step being done for a whole group,
 * because the processor can keep only so many lines on their way: a burst of requests
 * would wait. */
static size_t get_batch(const ninho_dict *dict, const struct batch *batch,
                        uint64_t *values, uint64_t *found)
{
    const struct nh_dict_ops *const ops = dict->ops;
    struct nh_key ring[RING];
    bool can_be[RING] = {false};
    size_t n_found = 0;

    for (size_t step = 0; step < batch->n + RING; step++) {
        if (step >= RING) {
            const size_t i = step - RING;
            const uint8_t *const entry =
                can_be[i % RING] ? ops->find(dict, &ring[i % RING]) : NULL;
            found[i / 64] |= (uint64_t)(entry != NULL) << (i % 64);
            n_found += entry != NULL;
            if (values && entry)
                values[i] = nh_entry_value(dict, entry);
        }
        if (step < batch->n) {
            can_be[step % RING] = batch_key(dict, batch, step, &ring[step % RING]);
            if (can_be[step % RING])
                ops->prefetch(dict, &ring[step % RING]);
        }
        if (ops->prefetch_entry && step >= AHEAD && step - AHEAD < batch->n &&
            can_be[(step - AHEAD) % RING])
            ops->prefetch_entry(dict, &ring[(step - AHEAD) % RING]);
    }
    return n_found;
}

static void clear_answers(size_t n, uint64_t *values, uint64_t *found)
{
    memset(found, 0, (n / 64 + (n % 64 != 0)) * sizeof *found);
    if (values)
        memset(values, 0, n * sizeof *values);
}

size_t ninho_dict_get_many(const ninho_dict *dict, const void *const *keys,
                           const size_t *key_sizes, size_t n, uint64_t *values,
                           uint64_t *found)
{
    const struct batch batch = {.keys = keys, .sizes = key_sizes, .n = n};

    if (!found || !n)
        return 0;
    clear_answers(n, values, found);
    return dict && keys && key_sizes ? get_batch(dict, &batch, values, found) : 0;
}

size_t ninho_dict_get_array(const ninho_dict *dict, const void *keys, size_t n,
                            uint64_t *values, uint64_t *found)
{
    const struct batch batch = {.array = keys, .n = n};

    if (!found || !n)
        return 0;
    clear_answers(n, values, found);
    if (!dict || !keys || !dict->spec.key_size)
        return 0;
    return dict->way == NH_WAY_WORD ? nh_probe_get_words(dict, keys, n, values, found)
                                    : get_batch(dict, &batch, values, found);
}
