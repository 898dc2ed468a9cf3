/* SPDX-License-Identifier: MIT */
/* Arbitrary bytes as text, HTML and lines, fed in pieces that the first bytes choose. Without its
 * marks what comes out is what went in, and it does not depend on how the input was cut. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hyphen/text.h"

#define MARK 0x01 /* taken out of the input, so that every one in the output is ours */

struct output {
    uint8_t *bytes;
    size_t size, capacity;
};

static ninho_status collect(void *context, const void *bytes, size_t size)
{
    struct output *output = context;
    MUST(size > 0 && size <= output->capacity - output->size);
    memcpy(output->bytes + output->size, bytes, size);
    output->size += size;
    return NINHO_OK;
}

static ninho_hyphen_language *language_once(void)
{
    static const char patterns[] = "1a 1b e1 c2d \xC3\xA9"
                                   "1 1\xCC\x81 '1x 3z2z .o4 a1b2c3d4e";
    static ninho_hyphen_language *language;
    ninho_hyphen_rules *rules;

    if (!language) {
        MUST(ninho_hyphen_rules_create(NULL, &rules) == NINHO_OK);
        MUST(ninho_hyphen_rules_read(rules, NINHO_HYPHEN_PATTERNS, "f", patterns,
                                     sizeof patterns - 1, NULL) == NINHO_OK);
        MUST(ninho_hyphen_compile(rules, NULL, NULL, &language, NULL) == NINHO_OK);
        ninho_hyphen_rules_free(rules);
    }
    return language;
}

static void feed(ninho_hyphenator *hyphenator, const ninho_hyphen_text_options *options,
                 const uint8_t *text, size_t size, size_t piece, struct output *output)
{
    ninho_hyphen_stream *stream;

    output->size = 0;
    MUST(ninho_hyphen_stream_create(hyphenator, options, collect, output, NULL, &stream,
                                    NULL) == NINHO_OK);
    for (size_t at = 0; at < size; at += piece) {
        const size_t n = size - at < piece ? size - at : piece;
        uint8_t *copy = malloc(n);
        MUST(copy);
        memcpy(copy, text + at, n);
        MUST(ninho_hyphen_stream_feed(stream, copy, n) == NINHO_OK);
        free(copy);
    }
    MUST(ninho_hyphen_stream_finish(stream) == NINHO_OK);
    ninho_hyphen_stream_free(stream);
}

static void must_be_the_input(const struct output *output, const uint8_t *text,
                              size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < output->size; i++) {
        if (output->bytes[i] == MARK) {
            MUST(n > 0 && n < size && (text[n] & 0xC0) != 0x80);
            continue;
        }
        MUST(n < size && output->bytes[i] == text[n]);
        n++;
    }
    MUST(n == size);
}

/* One word in one pass, with marks of a size that has a way of its own and of one that has not: the
 * breaks that the list of them has, and not a byte more than was told. */
static void must_write_the_breaks(ninho_hyphenator *hyphenator, const uint8_t *word,
                                  size_t size)
{
    static const uint8_t marks[9] = {MARK, MARK, MARK, MARK, MARK,
                                     MARK, MARK, MARK, MARK};
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    const size_t n =
        ninho_hyphenator_word(hyphenator, word, size, breaks, NINHO_HYPHEN_MAX_BREAKS);

    for (unsigned way = 0; way < 4; way++) {
        const size_t mark_size = way & 1 ? 9 : 1, total = size + n * mark_size;
        /* the shortest way is taken only where there is more room than can be needed */
        const size_t room = way & 2 ? ninho_hyphen_bound(size, mark_size) + 64 : total;
        uint8_t *out = malloc(room ? room : 1);
        size_t at = 0, from = 0;
        MUST(out && total <= ninho_hyphen_bound(size, mark_size));
        MUST(ninho_hyphenator_write(hyphenator, word, size, marks, mark_size, out,
                                    room) == total);
        for (size_t i = 0; i <= n; i++) {
            const size_t to = i < n ? breaks[i].at : size;
            MUST(memcmp(out + at, word + from, to - from) == 0);
            at += to - from;
            from = to;
            for (size_t k = 0; i < n && k < mark_size; k++)
                MUST(out[at++] == MARK);
        }
        MUST(at == total);
        free(out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ninho_hyphen_text_options options = NINHO_HYPHEN_TEXT_OPTIONS_INIT;
    static const uint8_t mark = MARK;
    ninho_hyphenator *hyphenator;

    if (size < 3 || size > 1 << 16)
        return 0;
    options.units = (ninho_hyphen_units)(bytes[0] % 3);
    options.runs = (ninho_hyphen_runs)(bytes[0] / 3 % 2);
    options.max_word = bytes[0] & 0x80 ? 64 : 0;
    options.mark = &mark;
    options.mark_size = 1;
    const size_t piece = 1 + bytes[1];
    const uint8_t *rest = bytes + 2;
    uint8_t *text = malloc(size);
    struct output one = {.bytes = malloc(2 * size), .capacity = 2 * size};
    struct output two = {.bytes = malloc(2 * size), .capacity = 2 * size};
    size -= 2;
    MUST(text && one.bytes && two.bytes);
    for (size_t i = 0; i < size; i++)
        text[i] = rest[i] == MARK ? ' ' : rest[i];
    MUST(ninho_hyphenator_create(language_once(), NULL, NULL, &hyphenator, NULL) ==
         NINHO_OK);
    must_write_the_breaks(hyphenator, text, size);
    feed(hyphenator, &options, text, size, size, &one);
    must_be_the_input(&one, text, size);
    feed(hyphenator, &options, text, size, piece, &two);
    MUST(one.size == two.size && memcmp(one.bytes, two.bytes, one.size) == 0);
    ninho_hyphenator_free(hyphenator);
    free(text);
    free(one.bytes);
    free(two.bytes);
    return 0;
}
