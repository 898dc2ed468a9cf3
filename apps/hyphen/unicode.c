/* SPDX-License-Identifier: MIT */
/* See unicode.h. The tables are lists of ranges, searched by halves: they are asked when a
 * language is loaded and for signs outside its alphabet, not for every letter of a text. */
#include "unicode.h"

#include <string.h>

#include "unicode_tables.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool is_tail(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

unsigned hy_utf8_read(const uint8_t *bytes, size_t size, uint32_t *point)
{
    const uint8_t b = bytes[0];
    uint32_t value;

    if (b < 0x80) {
        *point = b;
        return 1;
    }
    if (b < 0xC2 || b > 0xF4)
        return 0;
    if (b < 0xE0) {
        if (size < 2 || !is_tail(bytes[1]))
            return 0;
        *point = (uint32_t)(b & 0x1F) << 6 | (bytes[1] & 0x3F);
        return 2;
    }
    if (b < 0xF0) {
        if (size < 3 || !is_tail(bytes[1]) || !is_tail(bytes[2]))
            return 0;
        value = (uint32_t)(b & 0x0F) << 12 | (uint32_t)(bytes[1] & 0x3F) << 6 |
                (bytes[2] & 0x3F);
        if (value < 0x800 || (value >= 0xD800 && value < 0xE000))
            return 0;
        *point = value;
        return 3;
    }
    if (size < 4 || !is_tail(bytes[1]) || !is_tail(bytes[2]) || !is_tail(bytes[3]))
        return 0;
    value = (uint32_t)(b & 0x07) << 18 | (uint32_t)(bytes[1] & 0x3F) << 12 |
            (uint32_t)(bytes[2] & 0x3F) << 6 | (bytes[3] & 0x3F);
    if (value < 0x10000 || value > 0x10FFFF)
        return 0;
    *point = value;
    return 4;
}

unsigned hy_utf8_write(uint32_t point, uint8_t out[4])
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xC0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xE0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (point & 0x3F));
    return 4;
}

static bool in_ranges(const uint32_t (*ranges)[2], size_t n, uint32_t point)
{
    size_t low = 0, high = n;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (point > ranges[middle][1])
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && ranges[low][0] <= point;
}

bool hy_is_letter(uint32_t point)
{
    return in_ranges(letter_ranges, COUNT(letter_ranges), point);
}

bool hy_is_mark(uint32_t point)
{
    return in_ranges(mark_ranges, COUNT(mark_ranges), point);
}

bool hy_is_space(uint32_t point)
{
    if (point <= 0x20)
        return point == 0x20 || (point >= 0x09 && point <= 0x0D);
    return point == 0x85 || point == 0xA0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200B) || point == 0x2028 || point == 0x2029 ||
           point == 0x202F || point == 0x205F || point == 0x3000;
}

uint32_t hy_lower(uint32_t point)
{
    size_t low = 0, high = COUNT(lower_runs);

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (point > lower_runs[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == COUNT(lower_runs) || point < lower_runs[low].first)
        return point;
    const struct lower_run *run = &lower_runs[low];
    if ((point - run->first) % (uint32_t)run->step != 0)
        return point;
    return (uint32_t)((int32_t)point + run->difference);
}

bool hy_next_upper(struct hy_upper_cursor *cursor, uint32_t *upper, uint32_t *lower)
{
    if (cursor->run == COUNT(lower_runs))
        return false;
    const struct lower_run *run = &lower_runs[cursor->run];
    *upper = run->first + cursor->offset;
    *lower = (uint32_t)((int32_t)*upper + run->difference);
    cursor->offset += (uint32_t)run->step;
    if (run->first + cursor->offset > run->last) {
        cursor->run++;
        cursor->offset = 0;
    }
    return true;
}

const uint16_t *hy_charset(const char *name, size_t name_size)
{
    for (size_t i = 0; i < COUNT(charsets); i++)
        if (strlen(charsets[i].name) == name_size &&
            memcmp(charsets[i].name, name, name_size) == 0)
            return charsets[i].upper;
    return NULL;
}
