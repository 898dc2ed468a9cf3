/* SPDX-License-Identifier: MIT */
/* The library's dictionaries, with the options they have when none are given. */
#include <ninho/dict_inline.h>

#include "bench.h"
#include "sets.h"

/* Keys are handed to the batch calls in blocks of this many. */
enum { BLOCK = 4096, MAX_KINDS = 16 };

static void *create(unsigned kind, uint32_t key_size)
{
    ninho_dict_spec spec = NINHO_DICT_SPEC_INIT;
    ninho_dict *dict = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    spec.kind = (ninho_dict_kind)kind;
    spec.key_size = key_size;
    if (ninho_dict_create(&spec, NULL, &dict, &error))
        die("%s: %s", ninho_dict_kind_name(spec.kind), error.text);
    return dict;
}

static void *create_of_numbers(unsigned kind)
{
    return create(kind, sizeof(uint64_t));
}

static void *create_of_strings(unsigned kind)
{
    return create(kind, 0);
}

static void destroy(void *set)
{
    ninho_dict_free(set);
}

static void reserve(void *set, size_t n)
{
    const ninho_status status = ninho_dict_reserve(set, n);

    if (status)
        die("ninho_dict_reserve: %s", ninho_status_text(status));
}

static size_t insert_numbers(void *set, const struct set_keys *keys)
{
    size_t n_new = 0;

    for (size_t i = 0; i < keys->n; i++) {
        bool is_new = false;
        if (ninho_dict_put(set, &keys->numbers[i], sizeof(uint64_t), i, &is_new))
            break;
        n_new += is_new;
    }
    return n_new;
}

static size_t insert_strings(void *set, const struct set_keys *keys)
{
    size_t n_new = 0;

    for (size_t i = 0; i < keys->n; i++) {
        bool is_new = false;
        if (ninho_dict_put(set, keys->strings[i], keys->string_sizes[i], i, &is_new))
            break;
        n_new += is_new;
    }
    return n_new;
}

static size_t find_numbers(const void *set, const struct set_keys *keys)
{
    size_t n_found = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_found += ninho_dict_get(set, &keys->numbers[i], sizeof(uint64_t), NULL);
    return n_found;
}

static size_t find_strings(const void *set, const struct set_keys *keys)
{
    size_t n_found = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_found += ninho_dict_get(set, keys->strings[i], keys->string_sizes[i], NULL);
    return n_found;
}

static size_t block_at(const struct set_keys *keys, size_t first)
{
    return keys->n - first < BLOCK ? keys->n - first : BLOCK;
}

static size_t find_many_numbers(const void *set, const struct set_keys *keys)
{
    uint64_t found[BLOCK / 64];
    size_t n_found = 0;

    for (size_t first = 0; first < keys->n; first += BLOCK)
        n_found += ninho_dict_get_array(set, keys->numbers + first, block_at(keys, first),
                                        NULL, found);
    return n_found;
}

static size_t find_many_strings(const void *set, const struct set_keys *keys)
{
    uint64_t found[BLOCK / 64];
    size_t n_found = 0;

    for (size_t first = 0; first < keys->n; first += BLOCK)
        n_found += ninho_dict_get_many(set, (const void *const *)(keys->strings + first),
                                       keys->string_sizes + first, block_at(keys, first),
                                       NULL, found);
    return n_found;
}

static size_t remove_numbers(void *set, const struct set_keys *keys)
{
    size_t n_removed = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_removed +=
            ninho_dict_remove(set, &keys->numbers[i], sizeof(uint64_t)) == NINHO_OK;
    return n_removed;
}

static size_t remove_strings(void *set, const struct set_keys *keys)
{
    size_t n_removed = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_removed +=
            ninho_dict_remove(set, keys->strings[i], keys->string_sizes[i]) == NINHO_OK;
    return n_removed;
}

static size_t count(const void *set)
{
    return (size_t)ninho_dict_count(set);
}

static size_t n_bytes(const void *set)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;

    if (ninho_dict_info_of(set, &info))
        die("ninho_dict_info_of failed");
    return (size_t)info.memory_bytes;
}

static const struct set_ops ops_of_numbers = {
    .create = create_of_numbers,
    .destroy = destroy,
    .reserve = reserve,
    .insert = insert_numbers,
    .find_one = find_numbers,
    .find_many = find_many_numbers,
    .remove = remove_numbers,
    .count = count,
    .n_bytes = n_bytes,
};

static const struct set_ops ops_of_strings = {
    .create = create_of_strings,
    .destroy = destroy,
    .reserve = reserve,
    .insert = insert_strings,
    .find_one = find_strings,
    .find_many = find_many_strings,
    .remove = remove_strings,
    .count = count,
    .n_bytes = n_bytes,
};

/* ---- <ninho/dict_inline.h> --------------------------------------------------------------- */

static size_t insert_words(void *set, const struct set_keys *keys)
{
    ninho_words *const words = ninho_dict_words(set);
    size_t n_new = 0;

    for (size_t i = 0; i < keys->n; i++) {
        bool is_new = false;
        if (ninho_words_put(words, keys->numbers[i], i, &is_new))
            break;
        n_new += is_new;
    }
    return n_new;
}

static size_t find_words(const void *set, const struct set_keys *keys)
{
    const ninho_words *const words = ninho_dict_words_read(set);
    size_t n_found = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_found += ninho_words_get(words, keys->numbers[i], NULL);
    return n_found;
}

static size_t remove_words(void *set, const struct set_keys *keys)
{
    ninho_words *const words = ninho_dict_words(set);
    size_t n_removed = 0;

    for (size_t i = 0; i < keys->n; i++)
        n_removed += ninho_words_remove(words, keys->numbers[i]) == NINHO_OK;
    return n_removed;
}

static const struct set_ops ops_of_words = {
    .create = create_of_numbers,
    .destroy = destroy,
    .reserve = reserve,
    .insert = insert_words,
    .find_one = find_words,
    .remove = remove_words,
    .count = count,
    .n_bytes = n_bytes,
};

static const struct set_type words_type = {
    "probe, in line", NINHO_PROBE, {&ops_of_words, NULL}};

const struct set_type *own_set_at(size_t index)
{
    static struct set_type types[MAX_KINDS];
    const ninho_dict_kind kind = ninho_dict_kind_at(index);

    if (!kind)
        return index > 0 && ninho_dict_kind_at(index - 1) ? &words_type : NULL;
    if (index >= MAX_KINDS)
        die("more than %d kinds of dictionary", MAX_KINDS);
    types[index] = (struct set_type){
        ninho_dict_kind_name(kind), (unsigned)kind, {&ops_of_numbers, &ops_of_strings}};
    return &types[index];
}
