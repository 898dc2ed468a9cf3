/* SPDX-License-Identifier: MIT */
/* A dictionary as a multiset. */
#include <ninho/dict.h>

uint64_t ninho_dict_copies(const ninho_dict *dict, const void *key, size_t key_size)
{
    uint64_t value = 0;

    if (!ninho_dict_get(dict, key, key_size, &value))
        return 0;
    return value ? value : 1;
}

ninho_status ninho_dict_add_copies(ninho_dict *dict, const void *key, size_t key_size,
                                   uint64_t n)
{
    const uint64_t before = ninho_dict_copies(dict, key, key_size);

    if (before > UINT64_MAX - n)
        return NINHO_ERR_FULL;
    if (!n)
        return NINHO_OK;
    return ninho_dict_put(dict, key, key_size, before + n, NULL);
}

ninho_status ninho_dict_take_copies(ninho_dict *dict, const void *key, size_t key_size,
                                    uint64_t n)
{
    const uint64_t before = ninho_dict_copies(dict, key, key_size);

    if (before < n || !before)
        return NINHO_ERR_NOT_FOUND;
    if (!n)
        return NINHO_OK;
    if (before > n)
        return ninho_dict_put(dict, key, key_size, before - n, NULL);
    return ninho_dict_remove(dict, key, key_size);
}
