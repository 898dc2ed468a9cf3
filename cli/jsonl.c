/* SPDX-License-Identifier: MIT */
/* One member of a JSON object (RFC 8259) on a line. It goes over the line once, without recursion
 * and with no memory but the room for a string. What is nested deeper than MAX_DEPTH is no JSON here. */
#include <stdint.h>
#include <string.h>

#include "fields.h"

#define MAX_DEPTH 512

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

/* Goes over what stands behind a backslash. */
static bool skip_escape(struct scan *scan)
{
    uint32_t value = 0;

    if (scan->at == scan->end)
        return false;
    const char c = *scan->at++;
    return c == 'u' ? take_hex(&scan->at, scan->end, &value)
                    : c && strchr("\"\\/bfnrt", c);
}

/* Goes over a string, its first quote included: *text is what is between the quotes. */
static bool take_string(struct scan *scan, const char **text, size_t *size,
                        bool *has_escapes)
{
    if (!take_char(scan, '"'))
        return false;
    *text = scan->at;
    *has_escapes = false;
    while (scan->at < scan->end) {
        const unsigned char c = (unsigned char)*scan->at++;
        if (c == '"') {
            *size = (size_t)(scan->at - 1 - *text);
            return true;
        }
        if (c < 0x20 || (c == '\\' && !skip_escape(scan)))
            return false;
        *has_escapes |= c == '\\';
    }
    return false;
}

/* ---- Escapes ------------------------------------------------------------------------------- */

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

/* The name of a member, which nobody asked for, and the colon. */
static bool skip_name(struct scan *scan)
{
    const char *text = NULL;
    size_t size = 0;
    bool has_escapes = false;

    return take_string(scan, &text, &size, &has_escapes) && take_char(scan, ':');
}

/* A string, or what has no quotes: *text is NULL for null. */
static bool take_scalar(struct scan *scan, const char **text, size_t *size,
                        bool *has_escapes)
{
    skip_space(scan);
    *has_escapes = false;
    return scan->at < scan->end && *scan->at == '"'
               ? take_string(scan, text, size, has_escapes)
               : take_bare(scan, text, size);
}

/* Goes over an array or an object, and all that is in it. */
static bool skip_nested(struct scan *scan)
{
    bool is_object[MAX_DEPTH];
    size_t depth = 0;

    for (;;) { /* a value begins here */
        const char *text = NULL;
        size_t size = 0;
        bool has_escapes = false;
        const bool opens_object = take_char(scan, '{');
        if (opens_object || take_char(scan, '[')) {
            if (depth == MAX_DEPTH)
                return false;
            is_object[depth++] = opens_object;
            if (!take_char(scan, opens_object ? '}' : ']')) {
                if (opens_object && !skip_name(scan))
                    return false;
                continue;
            }
            depth--;
        } else if (!take_scalar(scan, &text, &size, &has_escapes)) {
            return false;
        }
        while (depth && take_char(scan, is_object[depth - 1] ? '}' : ']'))
            depth--;
        if (!depth)
            return true;
        if (!take_char(scan, ',') || (is_object[depth - 1] && !skip_name(scan)))
            return false;
    }
}

/* Any value: *text is NULL for those that are no keys. */
static bool take_value(struct scan *scan, const char **text, size_t *size,
                       bool *has_escapes)
{
    skip_space(scan);
    *text = NULL;
    *has_escapes = false;
    if (scan->at < scan->end && (*scan->at == '{' || *scan->at == '['))
        return skip_nested(scan);
    return take_scalar(scan, text, size, has_escapes);
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

/* The next member: *is_it tells whether it has this name. False: it is no JSON. */
static bool take_member(struct scan *scan, const char *name, const char *line, char *room,
                        bool *is_it, const char **text, size_t *size)
{
    bool has_escapes = false;

    if (!take_string(scan, text, size, &has_escapes))
        return false;
    *is_it = resolve(text, size, has_escapes, line, room) && is_word(*text, *size, name);
    if (!take_char(scan, ':') || !take_value(scan, text, size, &has_escapes))
        return false;
    if (*is_it && *text && !resolve(text, size, has_escapes, line, room))
        *text = NULL; /* half a character */
    return true;
}

const char *json_find(const char *name, const char *line, size_t size, char *room,
                      size_t *key_size)
{
    struct scan scan = {line, line + size};
    const char *found = NULL;

    if (!take_char(&scan, '{'))
        return NULL;
    for (bool is_first = true; !take_char(&scan, '}'); is_first = false) {
        const char *text = NULL;
        size_t n = 0;
        bool is_it = false;
        if ((!is_first && !take_char(&scan, ',')) ||
            !take_member(&scan, name, line, room, &is_it, &text, &n))
            return NULL;
        if (is_it) {
            found = text;
            *key_size = n;
        }
    }
    skip_space(&scan);
    return scan.at == scan.end ? found : NULL;
}
