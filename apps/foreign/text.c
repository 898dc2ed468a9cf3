/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <string.h>

bool nf_text_take(struct nf_text *text, char c)
{
    if (text->at == text->end || *text->at != c)
        return false;
    text->at++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int64_t nf_text_digits(struct nf_text *text, unsigned n)
{
    int64_t number = 0;

    if ((size_t)(text->end - text->at) < n)
        return -1;
    for (unsigned i = 0; i < n; i++) {
        if (!is_digit(text->at[i]))
            return -1;
        number = 10 * number + (text->at[i] - '0');
    }
    text->at += n;
    return number;
}

/* ---- Numbers ----------------------------------------------------------------------- */

/* Ten times the number, and a digit; false if it does not fit. */
static bool put_digit(uint8_t *bytes, size_t size, unsigned digit)
{
    unsigned carry = digit;

    for (size_t i = size; i-- > 0; carry >>= 8) {
        carry += 10u * bytes[i];
        bytes[i] = (uint8_t)carry;
    }
    return carry == 0;
}

/* The digits of a number as big-endian bytes, its sign apart. */
static bool read_magnitude(struct nf_text text, unsigned scale, bool *is_negative,
                           uint8_t *bytes, size_t size)
{
    bool has_digits = false, is_fraction = false;
    unsigned n_behind = 0;

    memset(bytes, 0, size);
    *is_negative = nf_text_take(&text, '-');
    if (!*is_negative)
        (void)nf_text_take(&text, '+');
    for (; text.at < text.end; text.at++) {
        if (*text.at == '.' && !is_fraction && scale > 0) {
            is_fraction = true;
            continue;
        }
        if (!is_digit(*text.at))
            return false;
        has_digits = true;
        if (n_behind == scale && is_fraction) {
            if (*text.at != '0')
                return false;
            continue;
        }
        if (!put_digit(bytes, size, (unsigned)(*text.at - '0')))
            return false;
        n_behind += is_fraction;
    }
    for (; n_behind < scale; n_behind++)
        if (!put_digit(bytes, size, 0))
            return false;
    return has_digits;
}

/* Two's complement of what is there. */
static void negate(uint8_t *bytes, size_t size)
{
    unsigned carry = 1;

    for (size_t i = size; i-- > 0; carry >>= 8) {
        carry += (uint8_t)~bytes[i];
        bytes[i] = (uint8_t)carry;
    }
}

bool nf_text_scaled(struct nf_text text, unsigned scale, uint8_t *bytes, size_t size)
{
    bool is_negative;

    if (size == 0 || !read_magnitude(text, scale, &is_negative, bytes, size))
        return false;
    if (is_negative)
        negate(bytes, size);
    bool is_zero = true;
    for (size_t i = 0; i < size; i++)
        is_zero = is_zero && bytes[i] == 0;
    return is_zero || (bytes[0] >> 7) == is_negative;
}

bool nf_text_integer(struct nf_text text, unsigned bits, bool is_unsigned,
                     uint64_t *value)
{
    uint8_t bytes[8];
    bool is_negative;
    uint64_t number = 0;

    if (!read_magnitude(text, 0, &is_negative, bytes, sizeof bytes))
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        number = number << 8 | bytes[i];
    const uint64_t top = UINT64_C(1) << (bits - 1);
    const uint64_t most = is_unsigned ? top | (top - 1) : is_negative ? top : top - 1;
    if (number > most || (is_unsigned && is_negative && number))
        return false;
    *value = is_negative ? 0 - number : number;
    return true;
}

/* ---- Bytes ------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool nf_text_hex(struct nf_text text, char skip, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (i > 0 && skip)
            (void)nf_text_take(&text, skip);
        if (text.end - text.at < 2)
            return false;
        const int high = hex_digit(text.at[0]), low = hex_digit(text.at[1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
        text.at += 2;
    }
    return text.at == text.end;
}
