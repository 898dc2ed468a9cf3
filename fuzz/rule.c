/* SPDX-License-Identifier: MIT */
#include "rule.h"

#include <stdio.h>
#include <stdlib.h>

#include "target.h"

enum { N_ASKED = 8 };

static uint64_t answers(const ninho_filter *filter)
{
    uint64_t hashes[N_ASKED], maybe[1] = {0};

    for (size_t i = 0; i < N_ASKED; i++)
        hashes[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    (void)ninho_filter_has_many(filter, hashes, N_ASKED, maybe);
    return maybe[0];
}

ninho_filter *recoded(const ninho_filter *filter, const ninho_open_options *open)
{
    const size_t size = ninho_filter_encoded_size(filter);
    uint8_t *bytes = malloc(size);
    ninho_filter *decoded = NULL;

    MUST(bytes && ninho_filter_encode(filter, bytes, size, NULL) == NINHO_OK);
    MUST(ninho_filter_decode(bytes, size, open, &decoded, NULL) == NINHO_OK);
    MUST(ninho_filter_encoded_size(decoded) == size);
    MUST(answers(decoded) == answers(filter));
    free(bytes);
    return decoded;
}

void must_come_back(const ninho_filter *filter, const ninho_open_options *open)
{
    ninho_filter_free(recoded(filter, open));
}

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

void must_come_back_dict(const ninho_dict *dict, const ninho_open_options *open)
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
