/* SPDX-License-Identifier: MIT */
#include "apps/hyphen/reference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUN     63 /* letters of a word that TeX looks at */
#define MAX_PATTERN 70

/* hen5at: letters h e n a t, digits[3] = 5. A dot is a letter of the pattern like any other. */
struct pattern {
    uint32_t letters[MAX_PATTERN];
    uint8_t digits[MAX_PATTERN + 1]; /* before the letter of the same index */
    unsigned n;
    size_t number; /* in the file */
};

struct reference {
    struct pattern *patterns;
    size_t n_patterns;
    struct pattern *exceptions; /* digits 1 where there is a hyphen */
    size_t n_exceptions;
};

uint32_t reference_decode(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    unsigned more = 0;
    uint32_t point = s[0];

    if (s[0] >= 0xF0) {
        point = s[0] & 7;
        more = 3;
    } else if (s[0] >= 0xE0) {
        point = s[0] & 15;
        more = 2;
    } else if (s[0] >= 0xC0) {
        point = s[0] & 31;
        more = 1;
    }
    for (unsigned i = 1; i <= more; i++)
        point = point << 6 | (s[i] & 63);
    *text += more + 1;
    return point;
}

static uint32_t lower(uint32_t point)
{
    if ((point >= 'A' && point <= 'Z') ||
        (point >= 0xC0 && point <= 0xDE && point != 0xD7))
        return point + 32;
    return point;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- Reading ------------------------------------------------------------------------------- */

static void read_pattern(const char *text, const char *end, struct pattern *pattern)
{
    while (text < end) {
        if (*text >= '0' && *text <= '9') {
            pattern->digits[pattern->n] = (uint8_t)(*text++ - '0');
        } else {
            assert(pattern->n < MAX_PATTERN);
            pattern->letters[pattern->n++] = lower(reference_decode(&text));
        }
    }
}

static void read_exception(const char *text, const char *end, struct pattern *exception)
{
    while (text < end) {
        const uint32_t point = lower(reference_decode(&text));
        if (point == '-') {
            exception->digits[exception->n] = 1;
        } else {
            assert(exception->n < MAX_PATTERN);
            exception->letters[exception->n++] = point;
        }
    }
}

static int by_letters(const void *a, const void *b)
{
    const struct pattern *p = a;
    const struct pattern *q = b;
    const unsigned n = p->n < q->n ? p->n : q->n;

    for (unsigned i = 0; i < n; i++)
        if (p->letters[i] != q->letters[i])
            return p->letters[i] < q->letters[i] ? -1 : 1;
    if (p->n != q->n)
        return p->n < q->n ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

static bool same_letters(const struct pattern *p, const struct pattern *q)
{
    return p->n == q->n &&
           memcmp(p->letters, q->letters, p->n * sizeof p->letters[0]) == 0;
}

/* Reads what stands between white space. Of several with the same letters the last counts. */
static size_t read_all(const char *text, struct pattern **out,
                       void (*read_one)(const char *, const char *, struct pattern *))
{
    size_t n = 0;
    struct pattern *all = NULL;

    for (int pass = 0; pass < 2; pass++) {
        n = 0;
        for (const char *s = text; *s;) {
            if (is_white(*s)) {
                s++;
                continue;
            }
            const char *end = s;
            while (*end && !is_white(*end))
                end++;
            if (all) {
                all[n].number = n;
                read_one(s, end, &all[n]);
            }
            n++;
            s = end;
        }
        if (!all)
            all = calloc(n + 1, sizeof *all);
        assert(all);
    }
    qsort(all, n, sizeof *all, by_letters);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || !same_letters(&all[i], &all[i + 1]))
            all[kept++] = all[i];
    *out = all;
    return kept;
}

struct reference *reference_make(const char *patterns, const char *exceptions)
{
    struct reference *reference = calloc(1, sizeof *reference);

    assert(reference);
    reference->n_patterns = read_all(patterns, &reference->patterns, read_pattern);
    reference->n_exceptions =
        read_all(exceptions, &reference->exceptions, read_exception);
    return reference;
}

void reference_free(struct reference *reference)
{
    if (!reference)
        return;
    free(reference->patterns);
    free(reference->exceptions);
    free(reference);
}

/* ---- Asking -------------------------------------------------------------------------------- */

size_t reference_count(const struct reference *reference)
{
    return reference->n_patterns;
}

static size_t encode(uint32_t point, char *out)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    const size_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned first[] = {0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(first[more] | point >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (point >> (6 * (more - i)) & 63));
    return more + 1;
}

size_t reference_letters(const struct reference *reference, size_t index, char *out,
                         size_t room)
{
    size_t size = 0;

    if (index >= reference->n_patterns)
        return 0;
    const struct pattern *pattern = &reference->patterns[index];
    for (unsigned i = 0; i < pattern->n; i++)
        if (pattern->letters[i] != '.' && size + 5 < room)
            size += encode(pattern->letters[i], out + size);
    out[size] = '\0';
    return size;
}

bool reference_uses(const struct reference *reference, uint32_t point)
{
    if (point == '.' || point == '-')
        return false;
    for (size_t i = 0; i < reference->n_patterns; i++)
        for (unsigned j = 0; j < reference->patterns[i].n; j++)
            if (reference->patterns[i].letters[j] == point)
                return true;
    return false;
}

static bool is_letter(const struct reference *reference, uint32_t point)
{
    return (point >= 'a' && point <= 'z') ||
           (point >= 0xC0 && point <= 0x24F && point != 0xD7 && point != 0xF7) ||
           reference_uses(reference, point);
}

/* text = . l e t t e r s .      digits[i]: before text[i] */
static void try_patterns(const struct reference *reference, const uint32_t *text,
                         unsigned n, uint8_t *digits)
{
    for (size_t p = 0; p < reference->n_patterns; p++) {
        const struct pattern *pattern = &reference->patterns[p];
        for (unsigned at = 0; at + pattern->n <= n; at++) {
            if (memcmp(text + at, pattern->letters, pattern->n * sizeof *text) != 0)
                continue;
            for (unsigned i = 0; i <= pattern->n; i++)
                if (pattern->digits[i] > digits[at + i])
                    digits[at + i] = pattern->digits[i];
        }
    }
}

static bool try_exceptions(const struct reference *reference, const uint32_t *letters,
                           unsigned n, uint8_t *digits)
{
    for (size_t e = 0; e < reference->n_exceptions; e++) {
        const struct pattern *exception = &reference->exceptions[e];
        if (exception->n != n ||
            memcmp(letters, exception->letters, n * sizeof *letters) != 0)
            continue;
        memset(digits, 0, n + 3);
        for (unsigned i = 0; i < n; i++)
            if (exception->digits[i])
                digits[i + 1] = REFERENCE_EXCEPTION;
        return true;
    }
    return false;
}

void reference_hyphenate(const struct reference *reference, const char *word, size_t size,
                         unsigned left, unsigned right, uint8_t *levels)
{
    uint32_t text[MAX_RUN + 2] = {'.'};
    size_t places[MAX_RUN + 2] = {0}; /* of each letter, in bytes */
    uint8_t digits[MAX_RUN + 3] = {0};
    unsigned n = 0;
    const char *end = word + size;
    bool is_in_run = false;
    bool is_past_run = false;

    memset(levels, 0, size);
    for (const char *s = word; s < end;) {
        const size_t place = (size_t)(s - word);
        const uint32_t point = lower(reference_decode(&s));
        if (point == '-' || point == 0xAD)
            return;
        if (is_past_run)
            continue;
        if (!is_letter(reference, point) || n == MAX_RUN) {
            is_past_run = is_in_run;
            continue;
        }
        is_in_run = true;
        places[n] = place;
        text[++n] = point;
    }
    text[n + 1] = '.';
    if (!try_exceptions(reference, text + 1, n, digits))
        try_patterns(reference, text, n + 2, digits);
    for (unsigned i = 0; i < n; i++)
        if (i >= left && i >= 1 && n - i >= right && digits[i + 1] % 2 == 1)
            levels[places[i]] = digits[i + 1];
}
