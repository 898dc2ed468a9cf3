/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as a dictionary: decoded, walked, asked, changed; after each change it is written
 * and read again. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

#include "conform/frame_bytes.h"
#include "mutate.h"
#include "rule.h"

static void put_and_remove(ninho_dict *dict, const ninho_dict_info *info,
                           const ninho_open_options *open)
{
    const uint8_t key[NINHO_DICT_MAX_KEY_SIZE] = "nest";
    const size_t key_size = info->key_size ? info->key_size : 4;
    bool is_new = false;
    uint64_t value = 0;

    const ninho_status put = ninho_dict_put(dict, key, key_size, 17, &is_new);
    MUST(put == NINHO_OK || put == NINHO_ERR_FULL || put == NINHO_ERR_NOMEM);
    must_come_back_dict(dict, open);
    if (put)
        return;
    MUST(ninho_dict_get(dict, key, key_size, &value) && value == 17);
    MUST(ninho_dict_count(dict) == info->count + is_new);
    MUST(ninho_dict_remove(dict, key, key_size) == NINHO_OK);
    MUST(ninho_dict_remove(dict, key, key_size) == NINHO_ERR_NOT_FOUND);
    must_come_back_dict(dict, open);
}

/* Half of the keys go, and all that is said of the rest stays true. */
static void remove_half(ninho_dict *dict)
{
    for (uint64_t left = ninho_dict_count(dict) / 2; left; left--) {
        const void *first = NULL;
        size_t first_size = 0;
        uint64_t cursor = 0;
        MUST(ninho_dict_next(dict, &cursor, &first, &first_size, NULL));
        uint8_t *copy = malloc(first_size ? first_size : 1);
        MUST(copy);
        memcpy(copy, first, first_size);
        MUST(ninho_dict_remove(dict, copy, first_size) == NINHO_OK);
        MUST(!ninho_dict_get(dict, copy, first_size, NULL));
        free(copy);
    }
    MUST(ninho_dict_verify(dict, NULL) == NINHO_OK);
}

static void try_everything(ninho_dict *dict, const uint8_t *bytes, size_t size,
                           const ninho_open_options *open)
{
    ninho_dict_info info = NINHO_DICT_INFO_INIT;

    MUST(ninho_dict_verify(dict, NULL) == NINHO_OK);
    MUST(ninho_dict_info_of(dict, &info) == NINHO_OK);
    MUST(info.count == ninho_dict_count(dict) && info.size_bytes == size);
    MUST(info.count == get_field(bytes, 40, 8));
    must_come_back_dict(dict, open);
    put_and_remove(dict, &info, open);
    remove_half(dict);
    must_come_back_dict(dict, open);
    MUST(ninho_dict_clear(dict) == NINHO_OK && ninho_dict_count(dict) == 0);
    must_come_back_dict(dict, open);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_open_options open = NINHO_OPEN_INIT;
    ninho_dict *dict = NULL;
    ninho_filter *filter = NULL;

    if (size > 15 && bytes[15] == NINHO_HASH_SIPHASH)
        open.secret = fuzz_secret;
    if (ninho_dict_decode(bytes, size, &open, &dict, NULL) != NINHO_OK)
        return 0;
    try_everything(dict, bytes, size, &open);
    ninho_dict_free(dict);
    /* no bytes are both */
    MUST(ninho_filter_decode(bytes, size, &open, &filter, NULL) != NINHO_OK);
    return 0;
}
