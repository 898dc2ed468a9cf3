/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as a compiled language, the checksum made right if the last byte is odd: refused,
 * or asked without leaving its arrays. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hyphen/hyphen.h"

static void fix_checksum(uint8_t *bytes, size_t size)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    const uint64_t sum = ninho_hash_bytes(&hasher, bytes + 32, size - 32);
    for (unsigned i = 0; i < 8; i++) {
        bytes[16 + i] = (uint8_t)((uint64_t)size >> (8 * i));
        bytes[24 + i] = (uint8_t)(sum >> (8 * i));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    ninho_hyphen_language *language;
    uint8_t *mine = malloc(size ? size : 1), *again = malloc(size ? size : 1);
    char word[1500];

    MUST(mine && again);
    memcpy(mine, bytes, size);
    /* the size is outside of what is summed, so it can be set first or last */
    if (size > 128 && bytes[size - 1] & 1)
        fix_checksum(mine, size);
    if (size && ninho_hyphen_decode(mine, size, NULL, &language, NULL) == NINHO_OK) {
        for (size_t i = 0; i < sizeof word; i++)
            word[i] = (char)('a' + bytes[i % size] % 26);
        for (size_t n = 1; n < sizeof word; n = n * 2 + 1) {
            const size_t found =
                ninho_hyphen_word(language, word, n, breaks, NINHO_HYPHEN_MAX_BREAKS);
            for (size_t i = 0; i < found; i++)
                MUST(breaks[i].at < n && breaks[i].level % 2 == 1);
        }
        ninho_hyphen_word(language, mine, size, breaks, NINHO_HYPHEN_MAX_BREAKS);
        MUST(ninho_hyphen_encode(language, again, size, NULL) == NINHO_OK);
        MUST(memcmp(mine, again, size) == 0);
        ninho_hyphen_language_free(language);
    }
    free(mine);
    free(again);
    return 0;
}
