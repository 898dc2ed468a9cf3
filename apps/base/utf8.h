/* SPDX-License-Identifier: MIT */
/* UTF-8, well-formed as Unicode says: nothing overlong, no surrogates, nothing above U+10FFFF. */
#ifndef NINHO_APPS_UTF8_H
#define NINHO_APPS_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The code point at bytes[0..size), size > 0, and how many bytes it takes, 1 to 4; 0 if what
 * stands there is not well-formed, or is cut short. `point` may be NULL. */
unsigned na_utf8_read(const uint8_t *bytes, size_t size, uint32_t *point);

/* Writes a code point, 1 to 4 bytes. */
unsigned na_utf8_write(uint32_t point, uint8_t out[4]);

#endif
