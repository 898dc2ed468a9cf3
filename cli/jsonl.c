/* SPDX-License-Identifier: MIT */
/* One member of a JSON object (RFC 8259) on a line. It goes over the line once, without recursion
 * and with no memory but the room for a string. What is nested is passed over by its brackets. */
#include <stdint.h>
#include <string.h>

#include "fields.h"

struct scan {
    const char *at, *end;
};

static void skip_space(struct scan *scan)
{
    while (scan->at < scan->end && strchr(" \t\r\n", *scan->at) && *scan->at)
        scan->at++;
}

static bool take_char(struct scan *scan, char c)
{
    skip_space(scan);
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

/* Goes over a string, its first quote included: *text is what is between the quotes. */
static bool take_string(struct scan *scan, const char **text, size_t *size,
                        bool *has_escapes)
{
    if (!take_char(scan, '"'))
        return false;
    *text = scan->at;
    *has_escapes = false;
    for (; scan->at < scan->end; scan->at++) {
        const unsigned char c = (unsigned char)*scan->at;
        if (c == '"') {
            *size = (size_t)(scan->at++ - *text);
            return true;
        }
        if (c < 0x20)
            return false;
        if (c != '\\')
            continue;
        *has_escapes = true;
        if (++scan->at == scan->end)
            return false;
    }
    return false;
}

/* ---- Escapes ------------------------------------------------------------------------------- */

static bool take_hex(const char **at, const char *end, uint32_t *value)
{
    *value = 0;
    if (end - *at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const char c = *(*at)++;
        uint32_t digit = 0;
        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return false;
        *value = *value << 4 | digit;
    }
    return true;
}

/* What stands behind \u: one character, or two that are a surrogate pair. A half of one alone is no
 * character. */
static bool take_character(const char **at, const char *end, uint32_t *value)
{
    uint32_t low = 0;

    if (!take_hex(at, end, value) || (*value >= 0xdc00 && *value < 0xe000))
        return false;
    if (*value < 0xd800 || *value >= 0xdc00)
        return true;
    if (end - *at < 2 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return false;
    *at += 2;
    if (!take_hex(at, end, &low) || low < 0xdc00 || low >= 0xe000)
        return false;
    *value = 0x10000 + ((*value - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

/* As UTF-8; answers how many bytes. */
static size_t put_utf8(uint32_t c, char *out)
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(n == 1 ? c : (0xf00U >> n & 0xffU) | c);
    return n;
}

/* Takes the escapes out of a string. It does not get longer. */
static bool unescape(const char *text, size_t size, char *out, size_t *out_size)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char stand_for[] = "\"\\/\b\f\n\r\t";
    const char *const end = text + size;
    size_t n = 0;

    while (text < end) {
        if (*text != '\\') {
            out[n++] = *text++;
            continue;
        }
        const char c = text[1]; /* take_string() has seen that there is one */
        const char *letter = c ? strchr(letters, c) : NULL;
        uint32_t value = 0;
        text += 2;
        if (letter)
            out[n++] = stand_for[letter - letters];
        else if (c == 'u' && take_character(&text, end, &value))
            n += put_utf8(value, out + n);
        else
            return false;
    }
    *out_size = n;
    return true;
}

/* ---- Values -------------------------------------------------------------------------------- */

/* Goes over an array or an object. */
static bool skip_nested(struct scan *scan)
{
    size_t depth = 0;

    while (scan->at < scan->end) {
        const char *text = NULL;
        size_t size = 0;
        bool has_escapes = false;
        const char c = *scan->at;
        if (c == '"') {
            if (!take_string(scan, &text, &size, &has_escapes))
                return false;
            continue;
        }
        scan->at++;
        if (c == '[' || c == '{')
            depth++;
        else if ((c == ']' || c == '}') && --depth == 0)
            return true;
    }
    return false;
}

static bool is_number(const char *text, size_t size)
{
    size_t i = size && text[0] == '-';
    const size_t first = i;

    while (i < size && text[i] >= '0' && text[i] <= '9')
        i++;
    if (i == first || (text[first] == '0' && i > first + 1))
        return false;
    for (int part = 0; part < 2; part++) { /* the fraction, the exponent */
        if (i < size && (part ? (text[i] | 0x20) == 'e' : text[i] == '.')) {
            i++;
            if (part && i < size && (text[i] == '+' || text[i] == '-'))
                i++;
            const size_t digits = i;
            while (i < size && text[i] >= '0' && text[i] <= '9')
                i++;
            if (i == digits)
                return false;
        }
    }
    return i == size;
}

static bool is_word(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && memcmp(text, word, size) == 0;
}

/* A number, true, false or null; *text is NULL for the last. */
static bool take_bare(struct scan *scan, const char **text, size_t *size)
{
    *text = scan->at;
    while (scan->at < scan->end && !strchr(" \t\r\n,]}", *scan->at))
        scan->at++;
    *size = (size_t)(scan->at - *text);
    if (is_word(*text, *size, "null")) {
        *text = NULL;
        return true;
    }
    return is_word(*text, *size, "true") || is_word(*text, *size, "false") ||
           is_number(*text, *size);
}

/* Any value: *text is NULL for those that are no keys. */
static bool take_value(struct scan *scan, const char **text, size_t *size,
                       bool *has_escapes)
{
    skip_space(scan);
    *text = NULL;
    *has_escapes = false;
    if (scan->at == scan->end)
        return false;
    if (*scan->at == '"')
        return take_string(scan, text, size, has_escapes);
    if (*scan->at == '{' || *scan->at == '[')
        return skip_nested(scan);
    return take_bare(scan, text, size);
}

/* ---- Members ------------------------------------------------------------------------------- */

/* Takes a string as it is meant; `room` belongs to `line`. */
static bool resolve(const char **text, size_t *size, bool has_escapes, const char *line,
                    char *room)
{
    char *const out = room + (*text - line);

    if (!has_escapes)
        return true;
    if (!unescape(*text, *size, out, size))
        return false;
    *text = out;
    return true;
}

const char *json_find(const char *name, const char *line, size_t size, char *room,
                      size_t *key_size)
{
    struct scan scan = {line, line + size};
    const char *found = NULL;
    bool is_first = true;

    if (!take_char(&scan, '{'))
        return NULL;
    while (!take_char(&scan, '}')) {
        const char *text = NULL;
        size_t n = 0;
        bool has_escapes = false;
        if (!is_first && !take_char(&scan, ','))
            return NULL;
        is_first = false;
        if (!take_string(&scan, &text, &n, &has_escapes) ||
            !resolve(&text, &n, has_escapes, line, room) || !take_char(&scan, ':'))
            return NULL;
        const bool is_it = is_word(text, n, name);
        if (!take_value(&scan, &text, &n, &has_escapes) ||
            (is_it && text && !resolve(&text, &n, has_escapes, line, room)))
            return NULL;
        if (is_it) {
            found = text;
            *key_size = n;
        }
    }
    skip_space(&scan);
    return scan.at == scan.end ? found : NULL;
}
