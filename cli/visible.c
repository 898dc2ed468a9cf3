/* SPDX-License-Identifier: MIT */
#include "visible.h"

#include <string.h>

#include "apps/base/utf8.h"

bool visible_is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
           point == 0x61c || /* Arabic letter mark */
           point == 0x200e ||
           point == 0x200f || /* left-to-right and right-to-left marks */
           (point >= 0x2028 && point <= 0x202e) || /* separators; embeddings, overrides */
           (point >= 0x2066 && point <= 0x2069);   /* isolates */
}

static char letter_of(char c)
{
    return c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : '\0';
}

static size_t show_bytes(const char *bytes, size_t size, char *shown)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        *shown++ = '\\';
        *shown++ = 'x';
        *shown++ = digits[byte >> 4];
        *shown++ = digits[byte & 15];
    }
    return 4 * size;
}

size_t visible_next(const char *bytes, size_t size, enum visible_manner manner,
                    char shown[VISIBLE_ROOM], size_t *n_shown)
{
    uint32_t point = 0;
    const size_t length = na_utf8_read((const uint8_t *)bytes, size, &point);
    const size_t taken = length ? length : 1;
    const char letter =
        manner == VISIBLE_EXACT && *bytes == '\\' ? '\\' : letter_of(*bytes);

    if (letter) {
        shown[0] = '\\';
        shown[1] = letter;
        *n_shown = 2;
    } else if (!length || visible_is_control(point)) {
        *n_shown = show_bytes(bytes, taken, shown);
    } else {
        memcpy(shown, bytes, taken);
        *n_shown = taken;
    }
    return taken;
}

size_t visible_copy(char *to, size_t room, const char *bytes, size_t size)
{
    char shown[VISIBLE_ROOM];
    size_t n_shown = 0;
    size_t used = 0;

    for (size_t at = 0; at < size; used += n_shown) {
        at += visible_next(bytes + at, size - at, VISIBLE_WORD, shown, &n_shown);
        if (n_shown >= room - used)
            break;
        memcpy(to + used, shown, n_shown);
    }
    to[used] = '\0';
    return used;
}

bool visible_is_plain(const char *bytes, size_t size)
{
    char shown[VISIBLE_ROOM];
    size_t n_shown = 0;
    size_t taken = 0;

    for (size_t at = 0; at < size && n_shown == taken; at += taken)
        taken = visible_next(bytes + at, size - at, VISIBLE_WORD, shown, &n_shown);
    return n_shown == taken;
}

static void append(struct text *out, const char *bytes, size_t size)
{
    char shown[VISIBLE_ROOM];
    size_t n_shown = 0;

    for (size_t at = 0; at < size;) {
        at += visible_next(bytes + at, size - at, VISIBLE_WORD, shown, &n_shown);
        text_append(out, shown, n_shown);
    }
}

/* How many of the last bytes begin a character that is longer. */
static size_t unfinished(const char *bytes, size_t size)
{
    for (size_t n = 1; n <= 3 && n <= size; n++) {
        const unsigned char byte = (unsigned char)bytes[size - n];
        const size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        if (byte < 0x80 || byte >= 0xc0)
            return length > n ? n : 0;
    }
    return 0;
}

void visible_lines_end(struct visible_lines *lines, struct text *out)
{
    append(out, lines->held, lines->n_held);
    lines->n_held = 0;
}

void visible_lines_add(struct visible_lines *lines, const char *bytes, size_t size,
                       char separator, struct text *out)
{
    size_t at = 0;

    /* Bytes that go on with a character complete it, or there is none. */
    while (lines->n_held && lines->n_held < sizeof lines->held && at < size &&
           ((unsigned char)bytes[at] & 0xc0) == 0x80 &&
           unfinished(lines->held, lines->n_held))
        lines->held[lines->n_held++] = bytes[at++];
    if (at == size && unfinished(lines->held, lines->n_held))
        return;
    visible_lines_end(lines, out);
    const size_t end = size - unfinished(bytes + at, size - at);
    while (at < end) {
        const size_t start = at;
        while (at < end && bytes[at] != separator && bytes[at] != '\t')
            at++;
        append(out, bytes + start, at - start);
        if (at < end)
            text_append(out, bytes + at++, 1);
    }
    lines->n_held = size - end;
    memcpy(lines->held, bytes + end, lines->n_held);
}
