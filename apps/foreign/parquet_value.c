/* SPDX-License-Identifier: MIT */
/* From a value as people write it to the bytes that Parquet stores ("plain encoding"), and their hash. */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "parquet.h"

#define NUMBER_TEXT 64 /* longer texts are no numbers, dates or times */

/* A text being read, which may be refused. */
struct text {
    const char *at;
    const char *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Exactly n digits; -1 for anything else. */
static int64_t take_digits(struct text *text, unsigned n)
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

static bool take(struct text *text, char c)
{
    if (text->at == text->end || *text->at != c)
        return false;
    text->at++;
    return true;
}

/* ---- Numbers ----------------------------------------------------------------------- */

/* A decimal number times 10^scale; false if it is none, has more digits behind the point than that, or does
 * not fit. The sign is apart, for numbers up to 2^64 - 1. */
static bool read_scaled(struct text text, unsigned scale, bool *is_negative,
                        uint64_t *number)
{
    bool has_digits = false, is_fraction = false;
    unsigned n_behind = 0;

    *is_negative = take(&text, '-');
    if (!*is_negative)
        (void)take(&text, '+');
    *number = 0;
    for (; text.at < text.end; text.at++) {
        if (*text.at == '.' && !is_fraction && scale > 0) {
            is_fraction = true;
            continue;
        }
        if (!is_digit(*text.at) || n_behind == scale + !is_fraction)
            return false;
        const uint64_t digit = (uint64_t)(*text.at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = 10 * *number + digit;
        has_digits = true;
        n_behind += is_fraction;
    }
    for (; n_behind < scale; n_behind++) {
        if (*number > UINT64_MAX / 10)
            return false;
        *number *= 10;
    }
    return has_digits;
}

/* Two's complement of `bits` bits, or unsigned. */
static bool read_integer(struct text text, unsigned scale, unsigned bits,
                         bool is_unsigned, uint64_t *value)
{
    bool is_negative;
    uint64_t number;

    if (!read_scaled(text, scale, &is_negative, &number))
        return false;
    const uint64_t top = UINT64_C(1) << (bits - 1);
    const uint64_t most = is_unsigned ? top | (top - 1) : is_negative ? top : top - 1;
    if (number > most || (is_unsigned && is_negative && number))
        return false;
    *value = is_negative ? 0 - number : number;
    return true;
}

/* ---- Days and hours ---------------------------------------------------------------- */

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970-01-01 to a date from the year 1 to 9999. */
static bool take_date(struct text *text, int64_t *days)
{
    static const uint8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int64_t year = take_digits(text, 4);
    const bool dash = take(text, '-');
    const int64_t month = take_digits(text, 2);
    const bool dash2 = take(text, '-');
    const int64_t day = take_digits(text, 2);

    if (year < 1 || !dash || month < 1 || month > 12 || !dash2 || day < 1 ||
        day > lengths[month - 1] + (month == 2 && is_leap(year)))
        return false;
    const int64_t past = year - 1;
    *days = 365 * past + past / 4 - past / 100 + past / 400 - 719162 + day - 1;
    for (int64_t m = 1; m < month; m++)
        *days += lengths[m - 1] + (m == 2 && is_leap(year));
    return true;
}

/* Since midnight, in units of 1 / `unit` seconds; digits that the unit cannot hold are refused. */
static bool take_time(struct text *text, uint64_t unit, int64_t *time)
{
    const int64_t hour = take_digits(text, 2);
    const bool colon = take(text, ':');
    const int64_t minute = take_digits(text, 2);
    const bool colon2 = take(text, ':');
    const int64_t second = take_digits(text, 2);
    int64_t fraction = 0;
    uint64_t step = unit;

    if (hour < 0 || hour > 23 || !colon || minute < 0 || minute > 59 || !colon2 ||
        second < 0 || second > 59)
        return false;
    if (take(text, '.')) {
        if (text->at == text->end)
            return false;
        for (; text->at < text->end && is_digit(*text->at); text->at++) {
            step /= 10;
            if (step == 0 && *text->at != '0')
                return false;
            fraction += (int64_t)step * (*text->at - '0');
        }
    }
    *time = ((hour * 60 + minute) * 60 + second) * (int64_t)unit + fraction;
    return true;
}

static bool read_date(struct text text, int64_t *days)
{
    return take_date(&text, days) && text.at == text.end;
}

static bool read_time(struct text text, uint64_t unit, int64_t *time)
{
    return take_time(&text, unit, time) && text.at == text.end;
}

static bool read_timestamp(struct text text, uint64_t unit, int64_t *stamp)
{
    int64_t days, time = 0, start;

    if (!take_date(&text, &days) ||
        __builtin_mul_overflow(days, 86400 * (int64_t)unit, &start))
        return false;
    if (text.at < text.end &&
        ((!take(&text, 'T') && !take(&text, ' ')) || !take_time(&text, unit, &time)))
        return false;
    (void)take(&text, 'Z');
    return text.at == text.end && !__builtin_add_overflow(start, time, stamp);
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

/* `size` bytes in hexadecimal; `skip` may stand between bytes. */
static bool read_hex(struct text text, char skip, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (i > 0 && skip)
            (void)take(&text, skip);
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

/* ---- Values ------------------------------------------------------------------------ */

static const ninho_hasher parquet_hasher = {.id = NINHO_HASH_XXH64, .seed = 0};

static uint64_t hash_number(uint64_t number, size_t size)
{
    uint8_t bytes[8];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
    return ninho_hash_bytes(&parquet_hasher, bytes, size);
}

static ninho_status refuse(const ninho_parquet_column *column, struct text text,
                           const char *wanted, ninho_error *error)
{
    const size_t size = (size_t)(text.end - text.at);
    return nf_fail(error, NINHO_ERR_ARG,
                   "\"%.*s\" is no value of column %.60s: %s is wanted",
                   (int)(size < 40 ? size : 40), text.at, column->path, wanted);
}

static ninho_status cannot(const ninho_parquet_column *column, ninho_error *error)
{
    return nf_fail(error, NINHO_ERR_UNSUPPORTED,
                   "column %.60s: values of its type cannot be asked for", column->path);
}

static ninho_status hash_integer(const ninho_parquet_column *column, struct text text,
                                 uint64_t *hash, ninho_error *error)
{
    const unsigned type_bits = column->type == NINHO_PARQUET_INT32 ? 32 : 64;
    const unsigned bits = column->integer_bits && column->integer_bits < type_bits
                              ? column->integer_bits
                              : type_bits;
    int64_t signed_value = 0;
    uint64_t value = 0;

    switch (column->meaning) {
    case NINHO_PARQUET_PLAIN:
        if (!read_integer(text, 0, bits, false, &value))
            return refuse(column, text, "an integer of its size", error);
        break;
    case NINHO_PARQUET_UNSIGNED:
        if (!read_integer(text, 0, bits, true, &value))
            return refuse(column, text, "an integer of its size, not below 0", error);
        break;
    case NINHO_PARQUET_DECIMAL:
        if (column->scale > 38 ||
            !read_integer(text, column->scale, type_bits, false, &value))
            return refuse(column, text, "a decimal number of its scale", error);
        break;
    case NINHO_PARQUET_DATE:
        if (!read_date(text, &signed_value))
            return refuse(column, text, "a date like 2026-11-15", error);
        value = (uint64_t)signed_value;
        break;
    case NINHO_PARQUET_TIME:
        if (!column->unit || !read_time(text, column->unit, &signed_value))
            return refuse(column, text, "a time like 14:30:00", error);
        value = (uint64_t)signed_value;
        break;
    case NINHO_PARQUET_TIMESTAMP:
        if (!column->unit || !read_timestamp(text, column->unit, &signed_value))
            return refuse(column, text, "a time like 2026-11-15T14:30:00", error);
        value = (uint64_t)signed_value;
        break;
    default:
        return cannot(column, error);
    }
    *hash = hash_number(value, type_bits / 8);
    return NINHO_OK;
}

static ninho_status hash_real(const ninho_parquet_column *column, struct text text,
                              uint64_t *hash, ninho_error *error)
{
    const size_t size = (size_t)(text.end - text.at);
    char copy[NUMBER_TEXT];
    char *end = copy;
    uint64_t bits = 0;
    double value = 0;
    float narrow = 0;

    if (size > 0 && size < sizeof copy && *text.at != ' ') {
        memcpy(copy, text.at, size);
        copy[size] = '\0';
        value = strtod(copy, &end);
        end = *end || strlen(copy) != size ? copy : end;
        narrow = strtof(copy, NULL);
    }
    if (end == copy)
        return refuse(column, text, "a number", error);
    if (column->type == NINHO_PARQUET_FLOAT) {
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow);
        *hash = hash_number(narrow_bits, 4);
    } else {
        memcpy(&bits, &value, sizeof value);
        *hash = hash_number(bits, 8);
    }
    return NINHO_OK;
}

/* A decimal in a fixed number of bytes: two's complement, big-endian. */
static ninho_status hash_fixed_decimal(const ninho_parquet_column *column,
                                       struct text text, uint64_t *hash,
                                       ninho_error *error)
{
    uint8_t bytes[64];
    const size_t size = column->fixed_size;
    uint64_t value;

    if (size < 1 || size > sizeof bytes || column->scale > 38)
        return cannot(column, error);
    if (!read_integer(text, column->scale, size < 8 ? (unsigned)(8 * size) : 64, false,
                      &value))
        return refuse(column, text, "a decimal number of its scale, below 2^63", error);
    memset(bytes, value >> 63 ? 0xFF : 0, sizeof bytes);
    for (size_t i = 0; i < size && i < 8; i++)
        bytes[size - 1 - i] = (uint8_t)(value >> (8 * i));
    *hash = ninho_hash_bytes(&parquet_hasher, bytes, size);
    return NINHO_OK;
}

static ninho_status hash_fixed(const ninho_parquet_column *column, struct text text,
                               uint64_t *hash, ninho_error *error)
{
    uint8_t bytes[512];
    const size_t size = (size_t)(text.end - text.at);

    if (column->meaning == NINHO_PARQUET_DECIMAL)
        return hash_fixed_decimal(column, text, hash, error);
    if (column->meaning == NINHO_PARQUET_UUID && column->fixed_size == 16) {
        if (!read_hex(text, '-', bytes, 16))
            return refuse(column, text, "a uuid", error);
        *hash = ninho_hash_bytes(&parquet_hasher, bytes, 16);
        return NINHO_OK;
    }
    if (column->meaning != NINHO_PARQUET_PLAIN)
        return cannot(column, error);
    if (size == column->fixed_size) {
        *hash = ninho_hash_bytes(&parquet_hasher, text.at, size);
        return NINHO_OK;
    }
    if (column->fixed_size > sizeof bytes ||
        !read_hex(text, '\0', bytes, column->fixed_size))
        return refuse(column, text,
                      "as many bytes as it has, or their hexadecimal digits", error);
    *hash = ninho_hash_bytes(&parquet_hasher, bytes, column->fixed_size);
    return NINHO_OK;
}

ninho_status ninho_parquet_hash(const ninho_parquet_column *column, const char *text,
                                size_t size, uint64_t *hash, ninho_error *error)
{
    const struct text whole = {.at = text, .end = text + size};

    switch (column->type) {
    case NINHO_PARQUET_INT32:
    case NINHO_PARQUET_INT64:
        return hash_integer(column, whole, hash, error);
    case NINHO_PARQUET_FLOAT:
    case NINHO_PARQUET_DOUBLE:
        return hash_real(column, whole, hash, error);
    case NINHO_PARQUET_BYTES:
        if (column->meaning != NINHO_PARQUET_PLAIN)
            return cannot(column, error);
        *hash = ninho_hash_bytes(&parquet_hasher, text, size);
        return NINHO_OK;
    case NINHO_PARQUET_FIXED:
        return hash_fixed(column, whole, hash, error);
    default:
        return cannot(column, error);
    }
}
