/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as a compiled language: refused, or asked without leaving its arrays. The mutator
 * makes the checksum right. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hyphen/hyphen.h"
#include "mutate.h"

enum { HEADER = 128 };

static void ask(const ninho_hyphen_language *language, const uint8_t *bytes, size_t size)
{
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    char word[1500];

    for (size_t i = 0; i < sizeof word; i++)
        word[i] = (char)('a' + bytes[i % size] % 26);
    for (size_t n = 1; n < sizeof word; n = n * 4 + 1) {
        const size_t found =
            ninho_hyphen_word(language, word, n, breaks, NINHO_HYPHEN_MAX_BREAKS);
        for (size_t i = 0; i < found; i++)
            MUST(breaks[i].at < n && breaks[i].level % 2 == 1);
    }
    ninho_hyphen_word(language, bytes, size, breaks, NINHO_HYPHEN_MAX_BREAKS);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_hyphen_language *language = NULL;

    if (!size || ninho_hyphen_decode(bytes, size, NULL, &language, NULL) != NINHO_OK)
        return 0;
    uint8_t *again = malloc(size);
    MUST(again && ninho_hyphen_encode(language, again, size, NULL) == NINHO_OK);
    MUST(memcmp(bytes, again, size) == 0);
    ask(language, bytes, size);
    ninho_hyphen_language_free(language);
    free(again);
    return 0;
}

static void fix_checksum(uint8_t *bytes, size_t size)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    const uint64_t sum = ninho_hash_bytes(&hasher, bytes + 32, size - 32);
    for (unsigned i = 0; i < 8; i++) {
        bytes[16 + i] = (uint8_t)((uint64_t)size >> (8 * i));
        bytes[24 + i] = (uint8_t)(sum >> (8 * i));
    }
}

/* A number of the header at an end of its range, a few bytes of the arrays, or anything. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size,
                               unsigned seed)
{
    static const uint32_t ends[] = {0, 1, 255, 65535, UINT32_MAX, UINT32_MAX / 2 + 1};
    uint64_t random = seed;

    if (size <= HEADER || random_below(&random, 4) == 0) {
        size = LLVMFuzzerMutate(bytes, size, max_size);
    } else if (random_below(&random, 3) == 0) {
        uint8_t *at = bytes + 4 * random_below(&random, HEADER / 4);
        const uint32_t value = ends[random_below(&random, sizeof ends / sizeof *ends)];
        for (unsigned i = 0; i < 4; i++)
            at[i] = (uint8_t)(value >> (8 * i));
    } else {
        const size_t at = random_below(&random, size - 4);
        (void)LLVMFuzzerMutate(bytes + at, 4, 4);
    }
    if (size > HEADER && random_below(&random, 16))
        fix_checksum(bytes, size);
    return size;
}
