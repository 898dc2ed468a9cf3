/* SPDX-License-Identifier: MIT */
/* See unicode.h. The tables are lists of ranges, searched by halves: they are asked when a
 * language is loaded and for signs outside its alphabet, not for every letter of a text. */
#include "unicode.h"

#include <string.h>

#include "unicode_tables.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

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
