/* SPDX-License-Identifier: MIT */
#include "utf8.h"

unsigned na_utf8_read(const uint8_t *bytes, size_t size, uint32_t *point)
{
    /* The least code point that needs so many bytes. */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t b = bytes[0];

    if (b < 0x80) {
        if (point)
            *point = b;
        return 1;
    }
    const unsigned n = b < 0xC2 ? 0 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : b < 0xF5 ? 4 : 0;
    if (!n || size < n)
        return 0;
    uint32_t value = b & (0x7Fu >> n);
    for (unsigned i = 1; i < n; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3Fu);
    }
    if (value < least[n] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return 0;
    if (point)
        *point = value;
    return n;
}

unsigned na_utf8_write(uint32_t point, uint8_t out[4])
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
