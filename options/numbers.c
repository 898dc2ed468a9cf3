/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/nearest.h"
#include "options/numbers.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* value = value * 10 + digit, or false where 64 bits do not hold it. */
static bool append_digit(uint64_t *value, unsigned digit)
{
    if (*value > (UINT64_MAX - digit) / 10)
        return false;
    *value = *value * 10 + digit;
    return true;
}

/* The power of ten of a suffix, -1 if it is none. */
static int suffix_power(char c)
{
    switch (c) {
    case 'k':
        return 3;
    case 'M':
        return 6;
    case 'G':
        return 9;
    case 'T':
        return 12;
    default:
        return -1;
    }
}

enum count_status read_count(const char *text, uint64_t *value)
{
    const char *at = text;
    uint64_t digits = 0;
    long power = 0;
    bool has_overflow = false;

    if (!is_digit(*at))
        return COUNT_SYNTAX;
    for (; is_digit(*at); at++)
        has_overflow |= !append_digit(&digits, (unsigned)(*at - '0'));
    if (*at == '.') {
        if (!is_digit(*++at))
            return COUNT_SYNTAX;
        for (; is_digit(*at); at++, power--)
            has_overflow |= !append_digit(&digits, (unsigned)(*at - '0'));
    }
    if (*at == 'e' || *at == 'E') {
        long exponent = 0;
        if (*++at == '+')
            at++;
        if (!is_digit(*at))
            return COUNT_SYNTAX;
        for (; is_digit(*at); at++)
            if (exponent < 10000)
                exponent = exponent * 10 + (*at - '0');
        power += exponent;
    } else if (suffix_power(*at) > 0) {
        power += suffix_power(*at++);
    }
    if (*at)
        return COUNT_SYNTAX;
    if (has_overflow)
        return COUNT_OVERFLOW;
    for (; power < 0; power++) {
        if (digits % 10)
            return COUNT_SYNTAX; /* not whole */
        digits /= 10;
    }
    for (; power > 0 && digits; power--)
        if (!append_digit(&digits, 0))
            return COUNT_OVERFLOW;
    *value = digits;
    return COUNT_OK;
}

bool read_int64(const char *text, size_t size, int64_t *value)
{
    const bool is_negative = size > 0 && text[0] == '-';
    uint64_t magnitude = 0;
    const uint64_t limit = (uint64_t)INT64_MAX + is_negative;

    if (size == is_negative)
        return false;
    for (size_t i = is_negative; i < size; i++)
        if (!is_digit(text[i]) || !append_digit(&magnitude, (unsigned)(text[i] - '0')))
            return false;
    if (magnitude > limit)
        return false;
    /* -(2^63) has no positive twin: take one off before the sign, put it back after. */
    *value =
        is_negative && magnitude ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    return true;
}

bool parse_u64(const struct option *option, const char *text, void *target, char *why,
               size_t why_size)
{
    uint64_t value = 0;

    if (read_count(text, &value) != COUNT_OK || value < option->min ||
        value > option->max) {
        (void)snprintf(why, why_size,
                       "must be a whole number from %" PRIu64 " to %" PRIu64, option->min,
                       option->max);
        return false;
    }
    *(uint64_t *)target = value;
    return true;
}

bool parse_u32(const struct option *option, const char *text, void *target, char *why,
               size_t why_size)
{
    uint64_t value = 0;

    if (!parse_u64(option, text, &value, why, why_size))
        return false;
    *(uint32_t *)target = (uint32_t)value;
    return true;
}

bool parse_size(const struct option *option, const char *text, void *target, char *why,
                size_t why_size)
{
    uint64_t value = 0;

    if (!parse_u64(option, text, &value, why, why_size))
        return false;
    *(size_t *)target = (size_t)value;
    return true;
}

bool parse_saturating(const struct option *option, const char *text, void *target,
                      char *why, size_t why_size)
{
    uint64_t value = 0;
    const enum count_status result = read_count(text, &value);

    if (result == COUNT_OVERFLOW)
        value = UINT64_MAX;
    if (result == COUNT_SYNTAX || value < option->min) {
        (void)snprintf(why, why_size,
                       "must be a whole number from %" PRIu64 " to %" PRIu64
                       " (1000, 1e3, 1k, 1M, 1G and 1T are understood)",
                       option->min, option->max);
        return false;
    }
    *(uint64_t *)target = value;
    return true;
}

/* Reads digits[.digits][e[+-]digits][%]. strtod alone would also take hexadecimal, "inf", "nan" and
 * leading space. The point of a percentage is moved before the text is converted, so that 0.7% and
 * 0.007 are the same number to the last bit. */
static bool read_decimal(const char *text, double *value)
{
    const char *at = text;
    size_t n_digits = 0;
    long exponent = 0;
    char canonical[80];

    for (; is_digit(*at); at++)
        n_digits++;
    if (*at == '.')
        for (at++; is_digit(*at); at++)
            n_digits++;
    const int length = (int)(at - text);
    if (!n_digits || length > 50)
        return false;
    if (*at == 'e' || *at == 'E') {
        at++;
        const bool is_negative = *at == '-';
        if (*at == '+' || *at == '-')
            at++;
        if (!is_digit(*at))
            return false;
        for (; is_digit(*at); at++)
            if (exponent < 10000)
                exponent = exponent * 10 + (*at - '0');
        if (is_negative)
            exponent = -exponent;
    }
    if (*at == '%') {
        at++;
        exponent -= 2;
    }
    if (*at)
        return false;
    (void)snprintf(canonical, sizeof canonical, "%.*se%ld", length, text, exponent);
    *value = strtod(canonical, NULL); /* the locale is always "C" here */
    return true;
}

bool parse_fpr(const struct option *option, const char *text, void *target, char *why,
               size_t why_size)
{
    double value = 0;
    uint64_t power = 0;

    (void)option;
    if (strncmp(text, "2^-", 3) == 0) {
        const size_t n_digits = strspn(text + 3, "0123456789");
        if (!text[3 + n_digits] && n_digits <= 3 &&
            read_count(text + 3, &power) == COUNT_OK)
            value = ldexp(1.0, -(int)power);
    } else if (!read_decimal(text, &value)) {
        value = 0;
    }
    if (!(value > 0 && value < 1)) {
        (void)snprintf(
            why, why_size,
            "must be a rate between 0 and 1, both excluded (0.01, 1%%, 1e-3 and "
            "2^-13 are understood)");
        return false;
    }
    *(double *)target = value;
    return true;
}

bool parse_seed(const struct option *option, const char *text, void *target, char *why,
                size_t why_size)
{
    static const char hex_digits[] = "0123456789abcdef0123456789ABCDEF";
    const bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *at = is_hex ? text + 2 : text;
    uint64_t value = 0;
    bool is_good = *at != '\0';

    (void)option;
    for (; *at && is_good; at++) {
        if (is_hex) {
            const char *digit = strchr(hex_digits, *at);
            is_good = digit && value >> 60 == 0;
            if (is_good)
                value = value << 4 | ((uint64_t)(digit - hex_digits) & 15);
        } else {
            is_good = is_digit(*at) && append_digit(&value, (unsigned)(*at - '0'));
        }
    }
    if (!is_good) {
        (void)snprintf(why, why_size,
                       "must be a whole number from 0 to %" PRIu64
                       ", or 0x and up to 16 hexadecimal digits",
                       UINT64_MAX);
        return false;
    }
    *(uint64_t *)target = value;
    return true;
}

static const char *word_at(const struct option *option, size_t number)
{
    return option->words ? option->words[number] : option->word_at(number);
}

void append_name(char *list, size_t list_size, const char *name)
{
    const size_t used = strlen(list);
    (void)snprintf(list + used, list_size - used, "%s%s", used ? ", " : "", name);
}

int word_number(const struct option *option, const char *text, char *why, size_t why_size)
{
    struct nearest nearest = nearest_to(text, strlen(text));
    char names[300] = "";
    char meant[80];
    int n = 0;

    for (const char *word; (word = word_at(option, (size_t)n)); n++) {
        if (strcmp(word, text) == 0)
            return n;
        append_name(names, sizeof names, word);
        nearest_try(&nearest, word);
    }
    (void)nearest_hint(&nearest, "", meant, sizeof meant);
    if (n == 2)
        (void)snprintf(why, why_size, "must be %s or %s%s", word_at(option, 0),
                       word_at(option, 1), meant);
    else
        (void)snprintf(why, why_size, "must be one of %s%s", names, meant);
    return -1;
}

bool parse_word(const struct option *option, const char *text, void *target, char *why,
                size_t why_size)
{
    const int number = word_number(option, text, why, why_size);

    if (number >= 0)
        *(int *)target = (int)option->min + number;
    return number >= 0;
}

bool parse_text(const struct option *option, const char *text, void *target, char *why,
                size_t why_size)
{
    (void)option;
    if (!*text) {
        (void)snprintf(why, why_size, "must not be empty");
        return false;
    }
    *(const char **)target = text;
    return true;
}
