/* SPDX-License-Identifier: MIT */
/* The breaks of one word: find its letters, ask for an exception, run the automaton.
 *
 * The places of a word are counted in symbols, edges included:
 *
 *      edge  c   h   i   l   d   edge
 *     0     1   2   3   4   5   6    7        place t is behind the t-th symbol
 *
 * so a break behind the i-th letter is at place i + 1. After each step the automaton's output
 * says which levels the last places get; the newest eight are kept in one 64-bit word, a byte
 * each, whose bytes are maximised all at once, and each place goes to memory when it is eight
 * steps old. */
#include "word.h"

#include <string.h>

#include "store.h"
#include "unicode.h"

#define MAX_LETTERS NINHO_HYPHEN_MAX_LETTERS
#define BEFORE      8 /* places before the first: levels[BEFORE + t] */

/* A word being looked at. Not initialised: 1,024 letters are more than most words have. */
struct word {
    const uint8_t *bytes;
    size_t start; /* of the run of letters */
    uint32_t n;   /* letters that count */
    bool is_ascii;
    uint16_t symbols[MAX_LETTERS];
    uint32_t offsets[MAX_LETTERS + 1]; /* of letters from `start`, unless is_ascii */
    uint8_t levels[BEFORE + MAX_LETTERS + 16];
};

/* Where the (i + 1)-th letter begins, for i < n. */
static size_t letter_at(const struct word *word, uint32_t i)
{
    return word->start + (word->is_ascii ? i : word->offsets[i]);
}

/* ---- Letters ----------------------------------------------------------------------- */

/* What is left of an ASCII word behind its letters: may it be broken? *is_ascii becomes false
 * if it turns out to have other bytes. */
static bool may_follow(const uint8_t *bytes, const uint8_t *end, bool *is_ascii)
{
    for (; bytes < end; bytes++) {
        if (*bytes == '-')
            return false;
        if (*bytes >= 0x80) {
            *is_ascii = false;
            return true;
        }
    }
    return true;
}

/* The first run of letters of a word in ASCII. False: no breaks. Sets is_ascii to false, and
 * nothing else matters then, if it is not in ASCII. */
static bool scan_ascii(const ninho_hyphen_language *language, const uint8_t *bytes,
                       size_t size, struct word *word)
{
    const uint16_t *symbols = language->ascii;
    const uint32_t limit = language->header.max_letters;
    const uint8_t *at = bytes, *const end = bytes + size;
    uint32_t n = 0;

    word->is_ascii = true;
    for (; at < end; at++) {
        if (*at >= 0x80) {
            word->is_ascii = false;
            return true;
        }
        if (symbols[*at] != HY_NOT_LETTER)
            break;
    }
    word->start = (size_t)(at - bytes);
    for (; at < end && n < limit && *at < 0x80; at++) {
        const uint16_t symbol = symbols[*at];
        if (symbol == HY_NOT_LETTER)
            break;
        if (symbol == HY_FORBIDS)
            return false;
        word->symbols[n++] = symbol;
    }
    word->n = n;
    return may_follow(at, end, &word->is_ascii);
}

/* The same for any word. */
static bool scan_utf8(const ninho_hyphen_language *language, const uint8_t *bytes,
                      size_t size, struct word *word)
{
    const uint32_t limit = language->header.max_letters;
    bool is_over = false;

    word->n = 0;
    word->start = 0;
    for (size_t at = 0; at < size;) {
        uint32_t point;
        const unsigned used = hy_utf8_read(bytes + at, size - at, &point);
        if (!used)
            return false;
        const uint32_t symbol = hy_symbol_of(language, point);
        if (symbol == HY_FORBIDS)
            return false;
        if (symbol == HY_NOT_LETTER) {
            is_over |= word->n > 0;
        } else if (!is_over) {
            if (word->n == 0)
                word->start = at;
            word->offsets[word->n] = (uint32_t)(at - word->start);
            word->symbols[word->n++] = (uint16_t)symbol;
            is_over = word->n == limit;
        }
        at += used;
    }
    return true;
}

static bool scan(const ninho_hyphen_language *language, const uint8_t *bytes, size_t size,
                 struct word *word)
{
    word->bytes = bytes;
    if (!scan_ascii(language, bytes, size, word))
        return false;
    if (!word->is_ascii && !scan_utf8(language, bytes, size, word))
        return false;
    return word->n >= language->header.left + language->header.right;
}

/* ---- Levels ------------------------------------------------------------------------ */

/* The larger of each pair of bytes, all of which are below 128. */
static uint64_t max_bytes(uint64_t a, uint64_t b)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    /* the high bit of each byte of `d` says a >= b: nothing is borrowed from a neighbour */
    const uint64_t d = ((a | high) - b) & high;
    const uint64_t take_a = (d - (d >> 7)) | d;
    return (a & take_a) | (b & ~take_a);
}

/* Levels more than seven places behind place t. */
static void apply_tail(const ninho_hyphen_language *language,
                       const struct hy_output *output, uint32_t t, uint8_t *levels)
{
    const uint8_t *tail = language->tail + output->tail_at;
    for (uint32_t k = 0; k < output->tail_n && k + 8 <= t; k++) {
        uint8_t *level = &levels[BEFORE + t - 8 - k];
        *level = tail[k] > *level ? tail[k] : *level;
    }
}

/* Fills in the level of every place. */
static void match(const ninho_hyphen_language *language, struct word *word)
{
    const struct hy_output *outputs = language->outputs;
    const uint32_t n = word->n;
    uint8_t *levels = word->levels;
    uint64_t cell = language->start;
    uint64_t recent = outputs[hy_cell_output(cell)].low;

    for (uint32_t i = 0; i <= n; i++) {
        const uint32_t t = i + 2;
        cell = hy_step(language, cell, i < n ? word->symbols[i] : HY_EDGE);
        const struct hy_output *output = &outputs[hy_cell_output(cell)];
        levels[BEFORE + t - 8] = (uint8_t)(recent >> 56);
        recent = max_bytes(recent << 8, output->low);
        if (output->tail_n)
            apply_tail(language, output, t, levels);
    }
    for (unsigned k = 0; k < 8; k++)
        levels[BEFORE + n + 2 - k] = (uint8_t)(recent >> (8 * k));
}

/* Nothing nearer to the ends than the minima, and nothing before a combining mark. */
static void keep_minima(const ninho_hyphen_language *language, struct word *word)
{
    const uint32_t n = word->n;
    uint8_t *behind = word->levels + BEFORE + 1; /* behind[i]: behind the i-th letter */

    for (uint32_t i = 0; i < language->header.left; i++)
        behind[i] = 0;
    for (uint32_t i = 0; i < language->header.right; i++)
        behind[n - i] = 0;
    if (word->is_ascii)
        return;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t point;
        const uint8_t *next = word->bytes + letter_at(word, i);
        if (behind[i] & 1 && hy_utf8_read(next, 4, &point) && hy_is_mark(point))
            behind[i] = 0;
    }
}

/* ---- Exceptions -------------------------------------------------------------------- */

/* The word's letters as they are kept in a store: small, in UTF-8. Returns the size. */
static size_t make_key(const struct word *word, uint8_t key[HY_MAX_KEY])
{
    size_t size = 0;

    if (word->is_ascii) {
        const uint8_t *letters = word->bytes + word->start;
        for (uint32_t i = 0; i < word->n; i++) {
            const uint8_t c = letters[i];
            key[i] = (uint8_t)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
        }
        return word->n;
    }
    for (uint32_t i = 0; i < word->n; i++) {
        uint32_t point = 0;
        hy_utf8_read(word->bytes + letter_at(word, i), 4, &point);
        size += hy_utf8_write(hy_lower(point), key + size);
    }
    return size;
}

/* Asks the store; if it has the word, its breaks become the levels. */
static bool take_exception(ninho_hyphenator *hyphenator, struct word *word)
{
    uint8_t key[HY_MAX_KEY];
    uint64_t breaks;

    if (word->n > NINHO_HYPHEN_TEX_LETTERS)
        return false; /* longer than any exception */
    const size_t size = make_key(word, key);
    if (!hy_exceptions_ask(hyphenator, key, size, &breaks))
        return false;
    uint8_t *behind = word->levels + BEFORE + 1;
    for (uint32_t i = 0; i <= word->n; i++)
        behind[i] = breaks >> i & 1 ? NINHO_HYPHEN_EXCEPTION : 0;
    return true;
}

/* ---- Finding ----------------------------------------------------------------------- */

static uint32_t list_breaks(const struct word *word, ninho_hyphen_break *breaks,
                            size_t capacity)
{
    const uint8_t *behind = word->levels + BEFORE + 1;
    uint32_t n = 0;

    for (uint32_t i = 1; i < word->n; i++) {
        if (!(behind[i] & 1))
            continue;
        if (n < capacity)
            breaks[n] =
                (ninho_hyphen_break){.at = letter_at(word, i), .level = behind[i]};
        n++;
    }
    return n;
}

size_t ninho_hyphen_word(const ninho_hyphen_language *language, const void *bytes,
                         size_t size, ninho_hyphen_break *breaks, size_t capacity)
{
    struct word word;

    if (!scan(language, bytes, size, &word))
        return 0;
    match(language, &word);
    keep_minima(language, &word);
    return list_breaks(&word, breaks, capacity);
}

/* Everything that is known about a word; false: it has no breaks. */
static bool look_at(ninho_hyphenator *hyphenator, const void *bytes, size_t size,
                    struct word *word)
{
    const ninho_hyphen_language *language = hyphenator->language;

    if (!scan(language, bytes, size, word))
        return false;
    hyphenator->counters.words++;
    if (!hyphenator->exceptions || !take_exception(hyphenator, word))
        match(language, word);
    keep_minima(language, word);
    return true;
}

size_t ninho_hyphenator_word(ninho_hyphenator *hyphenator, const void *bytes, size_t size,
                             ninho_hyphen_break *breaks, size_t capacity)
{
    struct word word;

    if (!look_at(hyphenator, bytes, size, &word))
        return 0;
    const uint32_t n = list_breaks(&word, breaks, capacity);
    hyphenator->counters.breaks += n;
    return n;
}

/* ---- Writing ----------------------------------------------------------------------- */

size_t ninho_hyphen_bound(size_t size, size_t mark_size)
{
    const size_t n = size < NINHO_HYPHEN_MAX_BREAKS ? size : NINHO_HYPHEN_MAX_BREAKS;
    if (n && mark_size > (SIZE_MAX - size) / n)
        return SIZE_MAX;
    return size + n * mark_size;
}

/* Letters in ASCII with a mark of at most 8 bytes: every letter is followed by the mark, and the
 * next one goes over it unless there is a break. */
static uint8_t *write_ascii(const struct word *word, const uint8_t *mark,
                            size_t mark_size, uint8_t *out)
{
    const uint8_t *letters = word->bytes + word->start;
    const uint8_t *behind = word->levels + BEFORE + 1;
    uint64_t padded = 0;

    memcpy(&padded, mark, mark_size);
    for (uint32_t i = 0; i < word->n; i++) {
        *out++ = letters[i];
        memcpy(out, &padded, sizeof padded);
        out += mark_size & (0 - (size_t)(behind[i + 1] & 1));
    }
    return out;
}

static uint8_t *write_utf8(const struct word *word, const uint8_t *mark, size_t mark_size,
                           uint8_t *out, size_t *used)
{
    const uint8_t *behind = word->levels + BEFORE + 1;
    size_t from = word->start;

    for (uint32_t i = 1; i < word->n; i++) {
        if (!(behind[i] & 1))
            continue;
        const size_t at = letter_at(word, i);
        memcpy(out, word->bytes + from, at - from);
        out += at - from;
        memcpy(out, mark, mark_size);
        out += mark_size;
        from = at;
    }
    *used = from;
    return out;
}

uint8_t *hy_write_word(ninho_hyphenator *hyphenator, const uint8_t *bytes, size_t size,
                       const uint8_t *mark, size_t mark_size, uint8_t *out)
{
    struct word word;
    uint8_t *const begin = out;
    size_t used;

    if (!look_at(hyphenator, bytes, size, &word)) {
        memcpy(out, bytes, size);
        return out + size;
    }
    memcpy(out, bytes, word.start);
    out += word.start;
    if (word.is_ascii && mark_size <= HY_SLACK) {
        out = write_ascii(&word, mark, mark_size, out);
        used = word.start + word.n;
    } else {
        out = write_utf8(&word, mark, mark_size, out, &used);
    }
    memcpy(out, bytes + used, size - used);
    out += size - used;
    const size_t added = (size_t)(out - begin) - size;
    hyphenator->counters.breaks += mark_size ? added / mark_size : 0;
    return out;
}

size_t ninho_hyphenator_write(ninho_hyphenator *hyphenator, const void *bytes,
                              size_t size, const void *mark, size_t mark_size, void *out,
                              size_t capacity)
{
    ninho_hyphen_break breaks[NINHO_HYPHEN_MAX_BREAKS];
    const size_t bound = ninho_hyphen_bound(size, mark_size);
    size_t from = 0;

    if (capacity >= HY_SLACK && bound <= capacity - HY_SLACK) {
        const uint8_t *end = hy_write_word(hyphenator, bytes, size, mark, mark_size, out);
        return (size_t)(end - (uint8_t *)out);
    }
    const size_t n =
        ninho_hyphenator_word(hyphenator, bytes, size, breaks, NINHO_HYPHEN_MAX_BREAKS);
    const size_t total = size + n * mark_size;
    if (total > capacity || bound == SIZE_MAX)
        return bound == SIZE_MAX ? SIZE_MAX : total;
    uint8_t *to = out;
    for (size_t i = 0; i < n; i++) {
        memcpy(to, (const uint8_t *)bytes + from, breaks[i].at - from);
        to += breaks[i].at - from;
        memcpy(to, mark, mark_size);
        to += mark_size;
        from = breaks[i].at;
    }
    if (size - from)
        memcpy(to, (const uint8_t *)bytes + from, size - from);
    return total;
}

/* ---- The hyphenator ---------------------------------------------------------------- */

ninho_status ninho_hyphenator_create(const ninho_hyphen_language *language,
                                     const ninho_hyphen_exceptions *exceptions,
                                     const ninho_alloc *alloc, ninho_hyphenator **out,
                                     ninho_error *error)
{
    const ninho_alloc own = hy_allocator(alloc);
    ninho_hyphenator *hyphenator = hy_alloc(&own, sizeof *hyphenator);

    if (!hyphenator)
        return hy_no_memory(error);
    *hyphenator =
        (ninho_hyphenator){.alloc = own, .language = language, .exceptions = exceptions};
    if (exceptions) {
        const ninho_status status =
            hy_reader_open(exceptions, &own, &hyphenator->reader, error);
        if (status) {
            hy_free(&own, hyphenator, sizeof *hyphenator);
            return status;
        }
    }
    *out = hyphenator;
    return NINHO_OK;
}

void ninho_hyphenator_free(ninho_hyphenator *hyphenator)
{
    if (!hyphenator)
        return;
    const ninho_alloc alloc = hyphenator->alloc;
    hy_reader_close(hyphenator->exceptions, &alloc, hyphenator->reader);
    hy_free(&alloc, hyphenator, sizeof *hyphenator);
}

ninho_status ninho_hyphenator_status(const ninho_hyphenator *hyphenator,
                                     ninho_error *error)
{
    if (hyphenator->failure.status && error)
        *error = hyphenator->failure;
    return hyphenator->failure.status;
}

ninho_hyphen_counters ninho_hyphenator_counters(const ninho_hyphenator *hyphenator)
{
    return hyphenator->counters;
}

void ninho_hyphenator_reset_counters(ninho_hyphenator *hyphenator)
{
    hyphenator->counters = (ninho_hyphen_counters){0};
}
