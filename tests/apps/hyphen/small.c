/* SPDX-License-Identifier: MIT */
/* See small.h. */
#include "apps/hyphen/small.h"

#include <string.h>

#include "support/test.h"

const char small_patterns[] =
    "hy3ph he2n hen5at 1na n2at 1tio a2tio 2io o2n 1t4a ta3b b1l2 c2h 1dr t1ter";

ninho_hyphen_rules *small_rules(const char *patterns, const char *exceptions)
{
    ninho_hyphen_rules *rules;
    ninho_error error = NINHO_ERROR_INIT;

    CHECK_OK(ninho_hyphen_rules_create(NULL, &rules));
    if (patterns && ninho_hyphen_rules_read(rules, NINHO_HYPHEN_PATTERNS, "patterns",
                                            patterns, strlen(patterns), &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    if (exceptions &&
        ninho_hyphen_rules_read(rules, NINHO_HYPHEN_EXCEPTIONS, "exceptions", exceptions,
                                strlen(exceptions), &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    return rules;
}

ninho_hyphen_language *small_language(const char *patterns, const char *exceptions,
                                      unsigned left, unsigned right)
{
    ninho_hyphen_options options = NINHO_HYPHEN_OPTIONS_INIT;
    ninho_hyphen_rules *rules = small_rules(patterns, exceptions);
    ninho_hyphen_language *language;
    ninho_error error = NINHO_ERROR_INIT;

    options.minima = (ninho_hyphen_minima){.left = left, .right = right};
    if (ninho_hyphen_compile(rules, &options, NULL, &language, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    ninho_hyphen_rules_free(rules);
    return language;
}

static char *next_buffer(size_t *size)
{
    static char buffers[8][2048];
    static unsigned next;

    *size = sizeof buffers[0];
    return buffers[next++ % 8];
}

const char *broken(const ninho_hyphen_language *language, const char *word)
{
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    const size_t n =
        ninho_hyphen_word(language, word, strlen(word), breaks, NINHO_HYPHEN_MAX_BREAKS);
    size_t size, used = 0, from = 0;
    char *out = next_buffer(&size);

    CHECK(strlen(word) + n < size);
    for (size_t i = 0; i < n; i++) {
        CHECK(breaks[i].at > from && breaks[i].at < strlen(word));
        CHECK(breaks[i].level % 2 == 1);
        memcpy(out + used, word + from, breaks[i].at - from);
        used += breaks[i].at - from;
        out[used++] = '-';
        from = breaks[i].at;
    }
    memcpy(out + used, word + from, strlen(word + from) + 1);
    return out;
}

const char *broken_by(ninho_hyphenator *hyphenator, const char *word)
{
    size_t size;
    char *out = next_buffer(&size);
    const size_t n =
        ninho_hyphenator_write(hyphenator, word, strlen(word), "-", 1, out, size - 1);

    CHECK(n < size);
    out[n] = '\0';
    return out;
}
