/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as a dictionary: decoded, walked, asked, changed, written and read again. The
 * input's checksums are made right first; bit 0 of the last byte says whether. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/ninho.h>

#include "conform/frame_bytes.h"

static const uint8_t secret[NINHO_SECRET_BYTES] = "the fuzzer's key";

/* Every key of `dict` is in `other` with the same value, and the counts agree. */
static void must_be_within(const ninho_dict *dict, const ninho_dict *other)
{
    uint64_t cursor = 0, value, n = 0;
    const void *key;
    size_t key_size;

    while (ninho_dict_next(dict, &cursor, &key, &key_size, &value)) {
        uint64_t found = ~value;
        MUST(ninho_dict_get(other, key, key_size, &found) && found == value);
        n++;
    }
    MUST(n == ninho_dict_count(dict) && n == ninho_dict_count(other));
}

/* The same content from its own bytes. */
static void must_come_back(const ninho_dict *dict, const ninho_open_options *open)
{
    const size_t size = ninho_dict_encoded_size(dict);
    uint8_t *bytes = malloc(size);
    ninho_dict *again = NULL;

    MUST(bytes && ninho_dict_encode(dict, bytes, size, NULL) == NINHO_OK);
    MUST(ninho_dict_decode(bytes, size, open, &again, NULL) == NINHO_OK);
    MUST(ninho_dict_verify(again, NULL) == NINHO_OK);
    must_be_within(dict, again);
    MUST(ninho_dict_encoded_size(again) == size);
    ninho_dict_free(again);
    free(bytes);
}

/* Half of the keys go, one comes, and all that is said of the rest stays true. */
static void change(ninho_dict *dict, const ninho_dict_info *info)
{
    uint8_t key[NINHO_DICT_MAX_KEY_SIZE] = "nest";
    const size_t key_size = info->key_size ? info->key_size : 4;
    bool is_new = false;
    uint64_t value = 0;

    const ninho_status put = ninho_dict_put(dict, key, key_size, 17, &is_new);
    MUST(put == NINHO_OK || put == NINHO_ERR_FULL || put == NINHO_ERR_NOMEM);
    if (!put) {
        MUST(ninho_dict_get(dict, key, key_size, &value) && value == 17);
        MUST(ninho_dict_count(dict) == info->count + is_new);
        MUST(ninho_dict_remove(dict, key, key_size) == NINHO_OK);
        MUST(ninho_dict_remove(dict, key, key_size) == NINHO_ERR_NOT_FOUND);
    }
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
    must_be_within(dict, dict);
    must_come_back(dict, open);
    change(dict, &info);
    must_come_back(dict, open);
    MUST(ninho_dict_clear(dict) == NINHO_OK && ninho_dict_count(dict) == 0);
    must_come_back(dict, open);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_open_options open = NINHO_OPEN_INIT;
    uint8_t *mine = malloc(size ? size : 1);

    if (!mine)
        return 0;
    memcpy(mine, bytes, size);
    if (size && bytes[size - 1] & 1)
        fix_checksums(mine, size);
    for (int i = 0; i < 2; i++) {
        ninho_dict *dict = NULL;
        ninho_filter *filter = NULL;
        open.secret = i ? secret : NULL;
        if (ninho_dict_decode(mine, size, &open, &dict, NULL) == NINHO_OK) {
            try_everything(dict, mine, size, &open);
            ninho_dict_free(dict);
            /* no bytes are both */
            MUST(ninho_filter_decode(mine, size, &open, &filter, NULL) != NINHO_OK);
        }
    }
    free(mine);
    return 0;
}
