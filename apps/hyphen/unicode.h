/* SPDX-License-Identifier: MIT */
/* The little of Unicode that hyphenation needs, the same in every locale. */
#ifndef NINHO_HYPHEN_UNICODE_H
#define NINHO_HYPHEN_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HY_SOFT_HYPHEN 0xADu

/* General category L or M; M alone. */
bool hy_is_letter(uint32_t point);
bool hy_is_mark(uint32_t point);

/* White space, and U+200B, which parts words and shows nothing. */
bool hy_is_space(uint32_t point);

/* The simple lower-case mapping; the point itself if it has none. */
uint32_t hy_lower(uint32_t point);

/* Every pair of a code point and its lower-case mapping: start with a zeroed cursor and go on
 * while it answers true. */
struct hy_upper_cursor {
    size_t run;
    uint32_t offset;
};
bool hy_next_upper(struct hy_upper_cursor *cursor, uint32_t *upper, uint32_t *lower);

/* The code points of the bytes 0x80..0xFF in that charset (0: none), NULL if it is not known. */
const uint16_t *hy_charset(const char *name, size_t name_size);

/* Of ASCII: letters, and white space. */
static inline bool hy_is_alpha(uint8_t byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}
static inline bool hy_is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

#endif
