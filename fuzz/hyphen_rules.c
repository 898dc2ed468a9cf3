/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as pattern data, in the format that the first byte says: refused with a line, or
 * compiled, asked, encoded and decoded. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hyphen/hyphen.h"

static void must_agree(const ninho_hyphen_language *a, const ninho_hyphen_language *b,
                       const uint8_t *word, size_t size)
{
    ninho_hyphen_break left[NINHO_HYPHEN_MAX_BREAKS], right[NINHO_HYPHEN_MAX_BREAKS];
    const size_t n = ninho_hyphen_word(a, word, size, left, NINHO_HYPHEN_MAX_BREAKS);

    MUST(n == ninho_hyphen_word(b, word, size, right, NINHO_HYPHEN_MAX_BREAKS));
    for (size_t i = 0; i < n; i++) {
        MUST(left[i].at == right[i].at && left[i].level == right[i].level);
        MUST(left[i].at > 0 && left[i].at < size && left[i].level % 2 == 1);
        MUST((word[left[i].at] & 0xC0) != 0x80); /* not inside a sign */
    }
}

static void try_language(const ninho_hyphen_rules *rules,
                         const ninho_hyphen_language *language, const uint8_t *bytes,
                         size_t size)
{
    ninho_hyphen_language *again;
    char word[NINHO_HYPHEN_MAX_EXCEPTION];
    size_t file_size;

    MUST(ninho_hyphen_encode(language, NULL, 0, &file_size) == NINHO_ERR_SPACE);
    uint8_t *file = malloc(file_size);
    MUST(file && ninho_hyphen_encode(language, file, file_size, NULL) == NINHO_OK);
    MUST(ninho_hyphen_decode(file, file_size, NULL, &again, NULL) == NINHO_OK);
    must_agree(language, again, bytes, size);
    for (size_t i = 0; i < 50; i++) {
        const size_t n = ninho_hyphen_rules_exception(rules, i, word, sizeof word);
        if (n == 0)
            break;
        MUST(n < sizeof word);
        must_agree(language, again, (const uint8_t *)word, n);
    }
    ninho_hyphen_language_free(again);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_hyphen_rules *rules;
    ninho_hyphen_language *language;
    ninho_error error = NINHO_ERROR_INIT;

    if (size < 1 || size > 1 << 16)
        return 0;
    MUST(ninho_hyphen_rules_create(NULL, &rules) == NINHO_OK);
    const ninho_hyphen_format format = (ninho_hyphen_format)(1 + bytes[0] % 4);
    ninho_status status =
        ninho_hyphen_rules_read(rules, format, "fuzz", bytes + 1, size - 1, &error);
    if (status) {
        MUST(status == NINHO_ERR_FORMAT && strncmp(error.text, "fuzz:", 5) == 0);
        MUST(ninho_hyphen_rules_count_patterns(rules) == 0);
        MUST(ninho_hyphen_rules_count_exceptions(rules) == 0);
    } else if (ninho_hyphen_compile(rules, NULL, NULL, &language, &error) == NINHO_OK) {
        try_language(rules, language, bytes + 1, size - 1);
        ninho_hyphen_language_free(language);
    }
    ninho_hyphen_rules_free(rules);
    return 0;
}
