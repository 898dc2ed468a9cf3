/* SPDX-License-Identifier: MIT */
/* Parquet: what people write as values, and the bytes that are hashed for them. */
#include <string.h>

#include "made.h"
#include "support/test.h"

static void values_become_the_bytes_of_their_type(void **state)
{
    static const struct {
        ninho_parquet_column column;
        const char *text;
        const char *bytes; /* NULL: refused */
        size_t size;
    } cases[] = {
#define INT32(meaning_, ...) \
    {.path = "c", .type = NINHO_PARQUET_INT32, .meaning = meaning_, __VA_ARGS__}
#define INT64(meaning_, ...)                                                       \
    {                                                                              \
        .path = "c", .type = NINHO_PARQUET_INT64, .meaning = meaning_, __VA_ARGS__ \
    }
        {INT32(NINHO_PARQUET_PLAIN, 0), "1", "\1\0\0\0", 4},
        {INT32(NINHO_PARQUET_PLAIN, 0), "-1", "\xff\xff\xff\xff", 4},
        {INT32(NINHO_PARQUET_PLAIN, 0), "-2147483648", "\0\0\0\x80", 4},
        {INT32(NINHO_PARQUET_PLAIN, 0), "2147483648", NULL, 0},
        {INT32(NINHO_PARQUET_PLAIN, .integer_bits = 8), "128", NULL, 0},
        {INT32(NINHO_PARQUET_PLAIN, .integer_bits = 8), "-128", "\x80\xff\xff\xff", 4},
        {INT32(NINHO_PARQUET_PLAIN, 0), "", NULL, 0},
        {INT32(NINHO_PARQUET_PLAIN, 0), "1.0", NULL, 0},
        {INT32(NINHO_PARQUET_PLAIN, 0), "0x10", NULL, 0},
        {INT32(NINHO_PARQUET_PLAIN, 0), " 1", NULL, 0},
        {INT32(NINHO_PARQUET_UNSIGNED, 0), "4294967295", "\xff\xff\xff\xff", 4},
        {INT32(NINHO_PARQUET_UNSIGNED, 0), "-1", NULL, 0},
        {INT64(NINHO_PARQUET_PLAIN, 0), "9223372036854775807",
         "\xff\xff\xff\xff\xff\xff\xff\x7f", 8},
        {INT64(NINHO_PARQUET_PLAIN, 0), "9223372036854775808", NULL, 0},
        {INT64(NINHO_PARQUET_UNSIGNED, 0), "18446744073709551616", NULL, 0},
        {INT32(NINHO_PARQUET_DATE, 0), "1970-01-01", "\0\0\0\0", 4},
        {INT32(NINHO_PARQUET_DATE, 0), "1969-12-31", "\xff\xff\xff\xff", 4},
        {INT32(NINHO_PARQUET_DATE, 0), "2000-03-01", "\x09\x2b\0\0", 4}, /* 11,017 */
        {INT32(NINHO_PARQUET_DATE, 0), "1900-02-29", NULL, 0},
        {INT32(NINHO_PARQUET_DATE, 0), "2000-02-29", "\x08\x2b\0\0", 4},
        {INT32(NINHO_PARQUET_DATE, 0), "2000-13-01", NULL, 0},
        {INT32(NINHO_PARQUET_DATE, 0), "2000-1-01", NULL, 0},
        {INT64(NINHO_PARQUET_TIMESTAMP, .unit = 1000), "1970-01-01 00:00:01",
         "\xe8\3\0\0\0\0\0\0", 8},
        {INT64(NINHO_PARQUET_TIMESTAMP, .unit = 1000), "1970-01-01T00:00:01.0010Z",
         "\xe9\3\0\0\0\0\0\0", 8},
        {INT64(NINHO_PARQUET_TIMESTAMP, .unit = 1000), "1970-01-01T00:00:01.0001", NULL,
         0},
        {INT64(NINHO_PARQUET_TIMESTAMP, .unit = 1000), "1970-01-01", "\0\0\0\0\0\0\0\0",
         8},
        {INT64(NINHO_PARQUET_TIMESTAMP, .unit = 1000000000), "9999-12-31", NULL, 0},
        {INT64(NINHO_PARQUET_TIME, .unit = 1000000), "00:00:00.000002",
         "\2\0\0\0\0\0\0\0", 8},
        {INT64(NINHO_PARQUET_TIME, .unit = 1000000), "24:00:00", NULL, 0},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 2), "1.5", "\x96\0\0\0", 4},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 2), "-1", "\x9c\xff\xff\xff", 4},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 2), "1.005", NULL, 0},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 2), "1..5", NULL, 0},
        {INT32(NINHO_PARQUET_OTHER, 0), "1", NULL, 0},
#define FIXED(meaning_, ...) \
    {.path = "c", .type = NINHO_PARQUET_FIXED, .meaning = meaning_, __VA_ARGS__}
        {FIXED(NINHO_PARQUET_DECIMAL, .scale = 1, .fixed_size = 3), "-0.1",
         "\xff\xff\xff", 3},
        {FIXED(NINHO_PARQUET_DECIMAL, .scale = 0, .fixed_size = 10), "258",
         "\0\0\0\0\0\0\0\0\1\2", 10},
        {FIXED(NINHO_PARQUET_PLAIN, .fixed_size = 3), "abc", "abc", 3},
        {FIXED(NINHO_PARQUET_PLAIN, .fixed_size = 3), "61626a", "abj", 3},
        {FIXED(NINHO_PARQUET_PLAIN, .fixed_size = 3), "abcd", NULL, 0},
        {FIXED(NINHO_PARQUET_UUID, .fixed_size = 16),
         "00000000-0000-0000-0000-00000000000A", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0a",
         16},
        {FIXED(NINHO_PARQUET_UUID, .fixed_size = 16), "0000", NULL, 0},
        {{.path = "c", .type = NINHO_PARQUET_BYTES}, "", "", 0},
        {{.path = "c", .type = NINHO_PARQUET_BYTES}, "caf\xc3\xa9", "caf\xc3\xa9", 5},
        {{.path = "c", .type = NINHO_PARQUET_DOUBLE}, "1", "\0\0\0\0\0\0\xf0\x3f", 8},
        {{.path = "c", .type = NINHO_PARQUET_FLOAT}, "0.1", "\xcd\xcc\xcc\x3d", 4},
        {{.path = "c", .type = NINHO_PARQUET_FLOAT}, "one", NULL, 0},
        {{.path = "c", .type = NINHO_PARQUET_FLOAT}, "nan", NULL, 0},
        {{.path = "c", .type = NINHO_PARQUET_DOUBLE}, "-NAN", NULL, 0},
        {{.path = "c", .type = NINHO_PARQUET_DOUBLE}, "inf", "\0\0\0\0\0\0\xf0\x7f", 8},
        {{.path = "c", .type = NINHO_PARQUET_BOOLEAN}, "true", NULL, 0},
        {{.path = "c", .type = NINHO_PARQUET_INT96},
         "1970-01-01",
         "\0\0\0\0\0\0\0\0\x8c\x3d\x25\0",
         12},
        {{.path = "c", .type = NINHO_PARQUET_INT96},
         "1970-01-02 00:00:00.000000258",
         "\2\1\0\0\0\0\0\0\x8d\x3d\x25\0",
         12},
        {{.path = "c", .type = NINHO_PARQUET_INT96}, "258", NULL, 0},
        {{.path = "c", .type = NINHO_PARQUET_BYTES, .meaning = NINHO_PARQUET_DECIMAL},
         "1",
         NULL,
         0},
        {INT64(NINHO_PARQUET_UNSIGNED, .integer_bits = 8), "255", "\xff\0\0\0\0\0\0\0",
         8},
        {INT32(NINHO_PARQUET_UNSIGNED, .integer_bits = 16), "65536", NULL, 0},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 2), "1.500", "\x96\0\0\0", 4},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 2), "21474836.47", "\xff\xff\xff\x7f", 4},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 2), "21474836.48", NULL, 0},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 2), "-21474836.48", "\0\0\0\x80", 4},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 2), "-0", "\0\0\0\0", 4},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 2), "-", NULL, 0},
        {INT32(NINHO_PARQUET_DECIMAL, .scale = 39), "1", NULL, 0},
        /* 10^38 - 1, of which the last digit is behind the point */
        {FIXED(NINHO_PARQUET_DECIMAL, .scale = 1, .fixed_size = 16),
         "9999999999999999999999999999999999999.9",
         "\x4b\x3b\x4c\xa8\x5a\x86\xc4\x7a\x09\x8a\x22\x3f\xff\xff\xff\xff", 16},
        {FIXED(NINHO_PARQUET_DECIMAL, .scale = 0, .fixed_size = 16),
         "-170141183460469231731687303715884105728", "\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
         16},
        {FIXED(NINHO_PARQUET_DECIMAL, .scale = 0, .fixed_size = 16),
         "170141183460469231731687303715884105728", NULL, 0},
        {FIXED(NINHO_PARQUET_DECIMAL, .scale = 0, .fixed_size = 0), "1", NULL, 0},
        {FIXED(NINHO_PARQUET_UUID, .fixed_size = 15), "0000", NULL, 0},
        {FIXED(NINHO_PARQUET_OTHER, .fixed_size = 2), "ab", NULL, 0},
        {FIXED(NINHO_PARQUET_PLAIN, .fixed_size = 4000000), "ab", NULL, 0},
        {FIXED(NINHO_PARQUET_DECIMAL, .fixed_size = 4000000), "1", NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_error error = NINHO_ERROR_INIT;
        ninho_parquet_value value = {{0}, 0};
        test_where("case %zu, \"%s\"", i, cases[i].text);
        const ninho_status status = ninho_parquet_value_of(
            &cases[i].column, cases[i].text, strlen(cases[i].text), &value, &error);
        if (!cases[i].bytes) {
            CHECK(status == NINHO_ERR_ARG || status == NINHO_ERR_UNSUPPORTED);
            CHECK(error.text[0] && error.status == status);
            continue;
        }
        CHECK_OK(status);
        CHECK_U64(value.n_hashes, 1);
        CHECK_U64(value.hashes[0], made_hash(cases[i].bytes, cases[i].size));
    }
}

/* Long hexadecimal digits for a column of long values: taken where they fit, and never beyond what is there. */
static void long_values_are_taken_or_refused(void **state)
{
    static char digits[2 * 4096];
    static const uint8_t zeros[512] = {0};

    (void)state;
    memset(digits, '0', sizeof digits);
    for (uint32_t size = 1; size <= sizeof digits / 2; size += size < 600 ? 1 : 500) {
        const ninho_parquet_column column = {
            .path = "c", .type = NINHO_PARQUET_FIXED, .fixed_size = size};
        ninho_parquet_value value;
        const ninho_status status =
            ninho_parquet_value_of(&column, digits, 2 * (size_t)size, &value, NULL);
        CHECK_STATUS(status, size <= 512 ? NINHO_OK : NINHO_ERR_ARG);
        if (!status)
            CHECK_U64(value.hashes[0], made_hash(zeros, size));
    }
}

/* 0 and -0 are equal, but not their bytes: whoever asks for one is told of the other. */
static void zero_is_found_with_either_sign(void **state)
{
    static const char *const texts[] = {"0", "-0.0", "+0e9"};
    static const uint8_t wide[] = {0, 0, 0, 0, 0, 0, 0, 0x80}, narrow[] = {0, 0, 0, 0x80};
    static const uint8_t zeros[8] = {0};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int is_float = 0; is_float < 2; is_float++) {
            const ninho_parquet_column column = {.path = "c",
                                                 .type = is_float ? NINHO_PARQUET_FLOAT
                                                                  : NINHO_PARQUET_DOUBLE};
            const uint64_t plus = made_hash(zeros, is_float ? 4 : 8);
            const uint64_t minus = is_float ? made_hash(narrow, 4) : made_hash(wide, 8);
            ninho_parquet_value value;
            CHECK_OK(ninho_parquet_value_of(&column, texts[i], strlen(texts[i]), &value,
                                            NULL));
            CHECK_U64(value.n_hashes, 2);
            CHECK(value.hashes[0] + value.hashes[1] == plus + minus);
            CHECK(value.hashes[0] == plus || value.hashes[0] == minus);
        }
}

/* The message says which values there are. */
static void what_is_wanted_is_told(void **state)
{
    static const struct {
        ninho_parquet_column column;
        const char *text;
        const char *told;
    } cases[] = {
        {{.path = "n", .type = NINHO_PARQUET_INT32},
         "x",
         "an integer from -2147483648 to 2147483647"},
        {{.path = "n",
          .type = NINHO_PARQUET_INT32,
          .meaning = NINHO_PARQUET_UNSIGNED,
          .integer_bits = 8},
         "-1",
         "an integer from 0 to 255"},
        {{.path = "n",
          .type = NINHO_PARQUET_INT64,
          .meaning = NINHO_PARQUET_DECIMAL,
          .scale = 3},
         "1.2345",
         "at most 3 digits behind the point"},
        {{.path = "n", .type = NINHO_PARQUET_INT32, .meaning = NINHO_PARQUET_DATE},
         "1",
         "2026-11-15"},
        {{.path = "n", .type = NINHO_PARQUET_BOOLEAN}, "true", "cannot be asked for"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_parquet_value value;
        ninho_error error = NINHO_ERROR_INIT;
        CHECK(ninho_parquet_value_of(&cases[i].column, cases[i].text,
                                     strlen(cases[i].text), &value, &error));
        test_where("%s", error.text);
        CHECK(strstr(error.text, cases[i].told) && strstr(error.text, "column n"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_become_the_bytes_of_their_type),
        cmocka_unit_test(long_values_are_taken_or_refused),
        cmocka_unit_test(zero_is_found_with_either_sign),
        cmocka_unit_test(what_is_wanted_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
