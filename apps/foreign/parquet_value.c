/* SPDX-License-Identifier: MIT */
/* From a value as people write it to the bytes that Parquet stores ("plain encoding"), and their hash. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/base/base.h"
#include "parquet.h"
#include "text.h"

#define NUMBER_TEXT      64      /* longer texts are no floating-point numbers */
#define JULIAN_1970      2440588 /* the day, as INT96 counts them */
#define NANOS_PER_SECOND UINT64_C(1000000000)

/* ---- Days and hours ---------------------------------------------------------------- */

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970-01-01 to a date from the year 1 to 9999. */
static bool take_date(struct nf_text *text, int64_t *days)
{
    static const uint8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int64_t year = nf_text_digits(text, 4);
    const bool dash = nf_text_take(text, '-');
    const int64_t month = nf_text_digits(text, 2);
    const bool dash2 = nf_text_take(text, '-');
    const int64_t day = nf_text_digits(text, 2);

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
static bool take_time(struct nf_text *text, uint64_t unit, int64_t *time)
{
    const int64_t hour = nf_text_digits(text, 2);
    const bool colon = nf_text_take(text, ':');
    const int64_t minute = nf_text_digits(text, 2);
    const bool colon2 = nf_text_take(text, ':');
    const int64_t second = nf_text_digits(text, 2);
    int64_t fraction = 0;
    uint64_t step = unit;

    if (hour < 0 || hour > 23 || !colon || minute < 0 || minute > 59 || !colon2 ||
        second < 0 || second > 59)
        return false;
    if (nf_text_take(text, '.')) {
        if (text->at == text->end)
            return false;
        for (int64_t digit; (digit = nf_text_digits(text, 1)) >= 0;) {
            step /= 10;
            if (step == 0 && digit)
                return false;
            fraction += (int64_t)step * digit;
        }
    }
    *time = ((hour * 60 + minute) * 60 + second) * (int64_t)unit + fraction;
    return true;
}

static bool read_date(struct nf_text text, int64_t *days)
{
    return take_date(&text, days) && text.at == text.end;
}

static bool read_time(struct nf_text text, uint64_t unit, int64_t *time)
{
    return take_time(&text, unit, time) && text.at == text.end;
}

/* A day, and a time of it if there is one. */
static bool take_timestamp(struct nf_text *text, uint64_t unit, int64_t *days,
                           int64_t *time)
{
    *time = 0;
    if (!take_date(text, days))
        return false;
    if (text->at < text->end && ((!nf_text_take(text, 'T') && !nf_text_take(text, ' ')) ||
                                 !take_time(text, unit, time)))
        return false;
    (void)nf_text_take(text, 'Z');
    return true;
}

static bool read_timestamp(struct nf_text text, uint64_t unit, int64_t *stamp)
{
    int64_t days, time, start;

    return take_timestamp(&text, unit, &days, &time) && text.at == text.end &&
           !__builtin_mul_overflow(days, 86400 * (int64_t)unit, &start) &&
           !__builtin_add_overflow(start, time, stamp);
}

/* ---- Values ------------------------------------------------------------------------ */

static uint64_t hash_bytes(const void *bytes, size_t size)
{
    static const ninho_hasher hasher = {.id = NINHO_HASH_XXH64, .seed = 0};

    return ninho_hash_bytes(&hasher, bytes, size);
}

static void put_number(uint64_t number, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
}

static uint64_t hash_number(uint64_t number, size_t size)
{
    uint8_t bytes[8];

    put_number(number, bytes, size);
    return hash_bytes(bytes, size);
}

static ninho_status refuse(const ninho_parquet_column *column, struct nf_text text,
                           const char *wanted, ninho_error *error)
{
    const size_t size = (size_t)(text.end - text.at);
    return na_fail(error, NINHO_ERR_ARG,
                   "\"%.*s\" is no value of column %.60s: %s is wanted",
                   (int)(size < 40 ? size : 40), text.at, column->path, wanted);
}

static ninho_status cannot(const ninho_parquet_column *column, ninho_error *error)
{
    return na_fail(error, NINHO_ERR_UNSUPPORTED,
                   "column %.60s: values of its type cannot be asked for; integers, "
                   "floating-point numbers, decimals, dates, times, uuids and bytes can",
                   column->path);
}

static ninho_status refuse_integer(const ninho_parquet_column *column,
                                   struct nf_text text, unsigned bits, bool is_unsigned,
                                   ninho_error *error)
{
    const uint64_t top = UINT64_C(1) << (bits - 1);
    char wanted[80];

    if (is_unsigned)
        (void)snprintf(wanted, sizeof wanted, "an integer from 0 to %llu",
                       (unsigned long long)(top | (top - 1)));
    else
        (void)snprintf(wanted, sizeof wanted, "an integer from -%llu to %llu",
                       (unsigned long long)top, (unsigned long long)(top - 1));
    return refuse(column, text, wanted, error);
}

static ninho_status refuse_decimal(const ninho_parquet_column *column,
                                   struct nf_text text, ninho_error *error)
{
    char wanted[80];

    (void)snprintf(wanted, sizeof wanted,
                   "a number with at most %lu digits behind the point, in its range",
                   (unsigned long)column->scale);
    return refuse(column, text, wanted, error);
}

static ninho_status read_whole(const ninho_parquet_column *column, struct nf_text text,
                               uint64_t *value, ninho_error *error)
{
    const unsigned type_bits = column->type == NINHO_PARQUET_INT32 ? 32 : 64;
    const unsigned bits = column->integer_bits && column->integer_bits < type_bits
                              ? column->integer_bits
                              : type_bits;
    const bool is_unsigned = column->meaning == NINHO_PARQUET_UNSIGNED;

    if (!nf_text_integer(text, bits, is_unsigned, value))
        return refuse_integer(column, text, bits, is_unsigned, error);
    return NINHO_OK;
}

/* A decimal in a number of bytes, big-endian. */
static ninho_status read_decimal(const ninho_parquet_column *column, struct nf_text text,
                                 uint8_t *bytes, size_t size, ninho_error *error)
{
    if (column->scale > 38)
        return cannot(column, error);
    if (!nf_text_scaled(text, column->scale, bytes, size))
        return refuse_decimal(column, text, error);
    return NINHO_OK;
}

static ninho_status read_moment(const ninho_parquet_column *column, struct nf_text text,
                                int64_t *value, ninho_error *error)
{
    switch (column->meaning) {
    case NINHO_PARQUET_DATE:
        return read_date(text, value)
                   ? NINHO_OK
                   : refuse(column, text, "a date like 2026-11-15", error);
    case NINHO_PARQUET_TIME:
        if (!column->unit)
            return cannot(column, error);
        return read_time(text, column->unit, value)
                   ? NINHO_OK
                   : refuse(column, text, "a time like 14:30:00, no finer than its unit",
                            error);
    default:
        if (!column->unit)
            return cannot(column, error);
        return read_timestamp(text, column->unit, value)
                   ? NINHO_OK
                   : refuse(column, text,
                            "a time like 2026-11-15T14:30:00, no finer than its unit",
                            error);
    }
}

static ninho_status hash_integer(const ninho_parquet_column *column, struct nf_text text,
                                 uint64_t *hash, ninho_error *error)
{
    const size_t size = column->type == NINHO_PARQUET_INT32 ? 4 : 8;
    ninho_status status;
    uint8_t bytes[8];
    uint64_t value = 0;
    int64_t moment = 0;

    switch (column->meaning) {
    case NINHO_PARQUET_PLAIN:
    case NINHO_PARQUET_UNSIGNED:
        status = read_whole(column, text, &value, error);
        break;
    case NINHO_PARQUET_DECIMAL:
        status = read_decimal(column, text, bytes, size, error);
        for (size_t i = 0; i < size && !status; i++)
            value = value << 8 | bytes[i];
        break;
    case NINHO_PARQUET_DATE:
    case NINHO_PARQUET_TIME:
    case NINHO_PARQUET_TIMESTAMP:
        status = read_moment(column, text, &moment, error);
        value = (uint64_t)moment;
        break;
    default:
        return cannot(column, error);
    }
    if (!status)
        *hash = hash_number(value, size);
    return status;
}

/* The old timestamps: nanoseconds of the day, eight bytes, and its number, four. */
static ninho_status hash_int96(const ninho_parquet_column *column, struct nf_text text,
                               uint64_t *hash, ninho_error *error)
{
    const struct nf_text whole = text;
    uint8_t bytes[12];
    int64_t days, nanos;

    if (!take_timestamp(&text, NANOS_PER_SECOND, &days, &nanos) || text.at != text.end)
        return refuse(column, whole, "a time like 2026-11-15T14:30:00", error);
    put_number((uint64_t)nanos, bytes, 8);
    put_number((uint64_t)(days + JULIAN_1970), bytes + 8, 4);
    *hash = hash_bytes(bytes, sizeof bytes);
    return NINHO_OK;
}

static uint64_t hash_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return hash_number(bits, sizeof bits);
}

static uint64_t hash_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return hash_number(bits, sizeof bits);
}

/* Zero has two signs, which are equal to everybody but a hash function. Not-a-number has so many bit patterns that
 * a filter cannot tell that there is none. */
static ninho_status hash_real(const ninho_parquet_column *column, struct nf_text text,
                              ninho_parquet_value *value, ninho_error *error)
{
    const bool is_float = column->type == NINHO_PARQUET_FLOAT;
    const size_t size = (size_t)(text.end - text.at);
    char copy[NUMBER_TEXT];
    char *end = copy;
    double wide = 0;
    float narrow = 0;

    if (size > 0 && size < sizeof copy && *text.at != ' ') {
        memcpy(copy, text.at, size);
        copy[size] = '\0';
        wide = strtod(copy, &end);
        end = *end || strlen(copy) != size ? copy : end;
        narrow = strtof(copy, NULL);
    }
    if (end == copy || isnan(wide))
        return refuse(column, text, "a number", error);
    value->hashes[0] = is_float ? hash_float(narrow) : hash_double(wide);
    if (is_float ? narrow == 0 : wide == 0) {
        value->hashes[1] = is_float ? hash_float(-narrow) : hash_double(-wide);
        value->n_hashes = 2;
    }
    return NINHO_OK;
}

static ninho_status hash_fixed(const ninho_parquet_column *column, struct nf_text text,
                               uint64_t *hash, ninho_error *error)
{
    uint8_t bytes[512];
    const size_t size = column->fixed_size;
    ninho_status status = NINHO_OK;

    if (column->meaning == NINHO_PARQUET_PLAIN && size == (size_t)(text.end - text.at)) {
        *hash = hash_bytes(text.at, size);
        return NINHO_OK;
    }
    if (size < 1 || (size > sizeof bytes && column->meaning != NINHO_PARQUET_PLAIN))
        return cannot(column, error);
    switch (column->meaning) {
    case NINHO_PARQUET_DECIMAL:
        status = read_decimal(column, text, bytes, size, error);
        break;
    case NINHO_PARQUET_UUID:
        if (size != 16)
            return cannot(column, error);
        if (!nf_text_hex(text, '-', bytes, size))
            status = refuse(column, text,
                            "a uuid like 00112233-4455-6677-8899-aabbccddeeff", error);
        break;
    case NINHO_PARQUET_PLAIN:
        if (size > sizeof bytes || !nf_text_hex(text, '\0', bytes, size))
            status =
                refuse(column, text,
                       "as many bytes as it has, or their hexadecimal digits", error);
        break;
    default:
        return cannot(column, error);
    }
    if (!status)
        *hash = hash_bytes(bytes, size);
    return status;
}

ninho_status ninho_parquet_value_of(const ninho_parquet_column *column, const char *text,
                                    size_t size, ninho_parquet_value *value,
                                    ninho_error *error)
{
    const struct nf_text whole = {.at = text, .end = text + size};
    ninho_parquet_value found = {.n_hashes = 1};
    ninho_status status = NINHO_OK;

    switch (column->type) {
    case NINHO_PARQUET_INT32:
    case NINHO_PARQUET_INT64:
        status = hash_integer(column, whole, found.hashes, error);
        break;
    case NINHO_PARQUET_INT96:
        status = hash_int96(column, whole, found.hashes, error);
        break;
    case NINHO_PARQUET_FLOAT:
    case NINHO_PARQUET_DOUBLE:
        status = hash_real(column, whole, &found, error);
        break;
    case NINHO_PARQUET_BYTES:
        if (column->meaning != NINHO_PARQUET_PLAIN)
            return cannot(column, error);
        found.hashes[0] = hash_bytes(text, size);
        break;
    case NINHO_PARQUET_FIXED:
        status = hash_fixed(column, whole, found.hashes, error);
        break;
    default:
        return cannot(column, error);
    }
    if (!status)
        *value = found;
    return status;
}
