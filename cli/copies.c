/* SPDX-License-Identifier: MIT */
#include "copies.h"

uint64_t copies_of(const ninho_dict *dict, const void *key, size_t key_size)
{
    uint64_t value = 0;

    if (!ninho_dict_get(dict, key, key_size, &value))
        return 0;
    return value ? value : 1;
}

ninho_status copies_add(ninho_dict *dict, const void *key, size_t key_size, uint64_t n)
{
    const uint64_t before = copies_of(dict, key, key_size);

    if (before > UINT64_MAX - n)
        return NINHO_ERR_FULL;
    return ninho_dict_put(dict, key, key_size, before + n, NULL);
}

ninho_status copies_take(ninho_dict *dict, const void *key, size_t key_size)
{
    const uint64_t before = copies_of(dict, key, key_size);

    if (before > 1)
        return ninho_dict_put(dict, key, key_size, before - 1, NULL);
    return ninho_dict_remove(dict, key, key_size);
}

uint64_t copies_total(const ninho_dict *dict)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;
    uint64_t cursor = 0;
    uint64_t value = 0;
    uint64_t total = 0;

    (void)ninho_dict_info_of(dict, &info);
    if (info.key_encoding == NINHO_KEY_KMER)
        return info.count; /* their values say which k-mers they are */
    while (ninho_dict_next(dict, &cursor, NULL, NULL, &value)) {
        const uint64_t copies = value ? value : 1;
        total = total > UINT64_MAX - copies ? UINT64_MAX : total + copies;
    }
    return total;
}
