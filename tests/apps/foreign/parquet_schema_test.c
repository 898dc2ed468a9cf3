/* SPDX-License-Identifier: MIT */
/* What the schema of a Parquet file says of a column, told in the old way and in the new one; fields
 * that are passed over; and values at the ends of their ranges. Bytes are those of Thrift's compact
 * protocol: a field is (its number less the last one's) << 4 | its type. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "apps/foreign/parquet.h"
#include "made.h"
#include "support/test.h"

enum { I32 = 5, BINARY = 8, LIST = 9, STRUCT = 12 };

struct bytes {
    uint8_t bytes[MADE_ROOM];
    size_t size;
};

static void put(struct bytes *bytes, const void *more, size_t size)
{
    CHECK(size < sizeof bytes->bytes - 16 - bytes->size);
    memcpy(bytes->bytes + bytes->size, more, size);
    bytes->size += size;
}

static void put_byte(struct bytes *bytes, unsigned byte)
{
    const uint8_t one = (uint8_t)byte;
    put(bytes, &one, 1);
}

/* The fields before and behind a schema of `n` elements; no row groups. */
static void begin(struct bytes *file, unsigned n)
{
    file->size = 4;
    put(file, "\x15\x04", 2); /* version 2 */
    put_byte(file, 1 << 4 | LIST);
    put_byte(file, 15 << 4 | STRUCT);
    put_byte(file, n);
}

static void finish(struct bytes *file)
{
    put(file, "\x16\x00\x19\x0c\x00", 5); /* 0 rows, in 0 groups */
    file->size = made_finish(file->bytes, 4, file->size);
}

static void put_group(struct bytes *file, const char *name, unsigned n_children)
{
    put_byte(file, 4 << 4 | BINARY);
    put_byte(file, (unsigned)strlen(name));
    put(file, name, strlen(name));
    put_byte(file, 1 << 4 | I32);
    put_byte(file, 2 * n_children);
    put_byte(file, 0);
}

static ninho_status open_file(const struct bytes *file, ninho_parquet **parquet,
                              ninho_error *error)
{
    struct memory_file memory = {file->bytes, file->size, 0};
    const ninho_parquet_source source = memory_source(&memory);

    return ninho_parquet_open(&source, NULL, parquet, error);
}

/* A file of one column "c" whose element ends with these bytes, behind its name (field 4). */
static ninho_status open_column(ninho_parquet_type type, const void *rest, size_t size,
                                ninho_parquet **parquet, ninho_error *error)
{
    struct bytes file;

    begin(&file, 2);
    put_group(&file, "root", 1);
    put_byte(&file, 1 << 4 | I32);
    put_byte(&file, 2 * (unsigned)type);
    put(&file,
        "\x38\x01"
        "c",
        3);
    put(&file, rest, size);
    put_byte(&file, 0);
    finish(&file);
    return open_file(&file, parquet, error);
}

static void check_column(ninho_parquet_type type, const void *rest, size_t size,
                         const ninho_parquet_column *expected)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_parquet *parquet = NULL;

    CHECK_OK(open_column(type, rest, size, &parquet, &error));
    CHECK_U64(ninho_parquet_n_columns(parquet), 1);
    const ninho_parquet_column *got = ninho_parquet_column_at(parquet, 0);
    assert_string_equal(got->path, "c");
    CHECK(got->type == type && got->meaning == expected->meaning);
    CHECK_U64(got->unit, expected->unit);
    CHECK_U64(got->scale, expected->scale);
    CHECK_U64(got->integer_bits, expected->integer_bits);
    ninho_parquet_free(parquet);
}

static void old_meanings_are_understood(void **state)
{
    static const struct {
        ninho_parquet_meaning meaning;
        uint64_t unit;
        uint32_t bits;
    } expected[22] = {
        [0] = {NINHO_PARQUET_PLAIN, 0, 0},
        [1] = {NINHO_PARQUET_OTHER, 0, 0}, /* MAP */
        [2] = {NINHO_PARQUET_OTHER, 0, 0},
        [3] = {NINHO_PARQUET_OTHER, 0, 0},
        [4] = {NINHO_PARQUET_PLAIN, 0, 0},
        [5] = {NINHO_PARQUET_DECIMAL, 0, 0},
        [6] = {NINHO_PARQUET_DATE, 0, 0},
        [7] = {NINHO_PARQUET_TIME, 1000, 0},
        [8] = {NINHO_PARQUET_TIME, 1000000, 0},
        [9] = {NINHO_PARQUET_TIMESTAMP, 1000, 0},
        [10] = {NINHO_PARQUET_TIMESTAMP, 1000000, 0},
        [11] = {NINHO_PARQUET_UNSIGNED, 0, 8},
        [12] = {NINHO_PARQUET_UNSIGNED, 0, 16},
        [13] = {NINHO_PARQUET_UNSIGNED, 0, 32},
        [14] = {NINHO_PARQUET_UNSIGNED, 0, 64},
        [15] = {NINHO_PARQUET_PLAIN, 0, 8},
        [16] = {NINHO_PARQUET_PLAIN, 0, 16},
        [17] = {NINHO_PARQUET_PLAIN, 0, 32},
        [18] = {NINHO_PARQUET_PLAIN, 0, 64},
        [19] = {NINHO_PARQUET_PLAIN, 0, 0},
        [20] = {NINHO_PARQUET_PLAIN, 0, 0},
        [21] = {NINHO_PARQUET_OTHER, 0, 0}, /* INTERVAL */
    };

    (void)state;
    for (unsigned i = 0; i < 22; i++) {
        const uint8_t rest[] = {2 << 4 | I32, (uint8_t)(2 * i)};
        const ninho_parquet_column column = {.meaning = expected[i].meaning,
                                             .unit = expected[i].unit,
                                             .integer_bits = expected[i].bits};
        test_where("old meaning %u", i);
        check_column(NINHO_PARQUET_INT64, rest, sizeof rest, &column);
    }
}

/* Field 10 is a union: one field, whose number is the meaning, of a struct. */
static void new_meanings_are_understood(void **state)
{
    static const struct {
        const char *rest;
        size_t size;
        ninho_parquet_column column;
    } cases[] = {
        {"\x6c\x1c\0\0", 4, {.meaning = NINHO_PARQUET_PLAIN}}, /* STRING */
        {"\x6c\x4c\0\0", 4, {.meaning = NINHO_PARQUET_PLAIN}}, /* ENUM */
        {"\x6c\xcc\0\0", 4, {.meaning = NINHO_PARQUET_PLAIN}}, /* JSON */
        {"\x6c\xdc\0\0", 4, {.meaning = NINHO_PARQUET_PLAIN}}, /* BSON */
        {"\x6c\x2c\0\0", 4, {.meaning = NINHO_PARQUET_OTHER}}, /* MAP */
        {"\x6c\x6c\0\0", 4, {.meaning = NINHO_PARQUET_DATE}},
        {"\x6c\xec\0\0", 4, {.meaning = NINHO_PARQUET_UUID}},
        /* DECIMAL: scale, precision */
        {"\x6c\x5c\x15\x04\x15\x0a\0\0",
         8,
         {.meaning = NINHO_PARQUET_DECIMAL, .scale = 2}},
        {"\x6c\x5c\x15\x50\x15\x0a\0\0",
         8,
         {.meaning = NINHO_PARQUET_DECIMAL, .scale = UINT32_MAX}},
        {"\x6c\x5c\x15\x01\x15\x0a\0\0",
         8,
         {.meaning = NINHO_PARQUET_DECIMAL, .scale = UINT32_MAX}},
        /* TIME and TIMESTAMP: whether in UTC, and the unit, a union of three */
        {"\x6c\x7c\x11\x1c\x1c\0\0\0\0",
         9,
         {.meaning = NINHO_PARQUET_TIME, .unit = 1000}},
        {"\x6c\x7c\x12\x1c\x2c\0\0\0\0",
         9,
         {.meaning = NINHO_PARQUET_TIME, .unit = 1000000}},
        {"\x6c\x8c\x11\x1c\x3c\0\0\0\0",
         9,
         {.meaning = NINHO_PARQUET_TIMESTAMP, .unit = 1000000000}},
        {"\x6c\x8c\x11\x1c\x4c\0\0\0\0", 9, {.meaning = NINHO_PARQUET_TIMESTAMP}},
        /* INTEGER: bits, whether signed */
        {"\x6c\xac\x13\x08\x12\0\0",
         7,
         {.meaning = NINHO_PARQUET_UNSIGNED, .integer_bits = 8}},
        {"\x6c\xac\x13\x10\x11\0\0",
         7,
         {.meaning = NINHO_PARQUET_PLAIN, .integer_bits = 16}},
        {"\x6c\xac\x13\x40\x11\0\0",
         7,
         {.meaning = NINHO_PARQUET_PLAIN, .integer_bits = 64}},
        {"\x6c\xac\x13\x07\x12\0\0",
         7,
         {.meaning = NINHO_PARQUET_UNSIGNED, .integer_bits = 32}},
        /* a scale below 0, told in the old way */
        {"\x35\x03\x6c\x1c\0\0",
         6,
         {.meaning = NINHO_PARQUET_PLAIN, .scale = UINT32_MAX}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_where("case %zu", i);
        check_column(NINHO_PARQUET_INT64, cases[i].rest, cases[i].size, &cases[i].column);
    }
}

/* Field 11, which nobody has given a meaning yet, of every type there is. */
static void unknown_fields_are_passed_over(void **state)
{
    static const struct {
        const char *rest;
        size_t size;
    } cases[] = {
        {"\x71", 1},     /* true */
        {"\x73\x05", 2}, /* one byte */
        {"\x74\x05", 2}, /* integers */
        {"\x76\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
        {"\x77\0\0\0\0\0\0\0\0", 9},             /* floating point */
        {"\x78\x02xy", 4},                       /* bytes */
        {"\x79\x21\x01\x02", 4},                 /* a list of booleans */
        {"\x79\x28\x01x\x02xy", 7},              /* of bytes */
        {"\x7a\x15\x08", 3},                     /* a set */
        {"\x7b\0", 2},                           /* a map without entries */
        {"\x7b\x02\x58\x02\x01x\x04\x02xy", 10}, /* numbers to bytes */
        {"\x7c\x11\x15\x08\x1c\0\0", 7},         /* a struct in a struct */
    };
    static const ninho_parquet_column plain = {.meaning = NINHO_PARQUET_PLAIN};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_where("case %zu", i);
        check_column(NINHO_PARQUET_INT64, cases[i].rest, cases[i].size, &plain);
    }
}

static void check_refused(const void *rest, size_t size)
{
    ninho_error error = NINHO_ERROR_INIT;
    ninho_parquet *parquet = NULL;

    CHECK_STATUS(open_column(NINHO_PARQUET_INT64, rest, size, &parquet, &error),
                 NINHO_ERR_FORMAT);
    CHECK(!parquet && error.status == NINHO_ERR_FORMAT);
}

static void fields_that_are_none_are_refused(void **state)
{
    static const struct {
        const char *rest;
        size_t size;
    } cases[] = {
        {"\x6c\x15\x02\0", 4},           /* a meaning that is a number */
        {"\x65\x02", 2},                 /* a union that is a number */
        {"\x6c\x7c\x11\x15\x02\0\0", 7}, /* a unit that is a number */
        {"\x28\x01x", 3},                /* an old meaning that is bytes */
        {"\x7d", 1},                     /* a type that there is not */
        {"\x79\x20", 2},                 /* a list of nothings */
        {"\x79\x2d", 2},                 /* of a type that there is not */
        {"\x79\xf1\xff\xff\x03", 5},     /* longer than the file */
        {"\x79\x2c\x1d", 3},             /* that goes wrong at its first element */
        {"\x7b\xff\xff\x03\x55", 5},     /* a map longer than the file */
        {"\x7b\x02\xd5\x02", 4},         /* of a type that there is not */
    };
    uint8_t deep[200];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_where("case %zu", i);
        check_refused(cases[i].rest, cases[i].size);
    }
    test_where("structs in structs");
    memset(deep, 1 << 4 | STRUCT, sizeof deep);
    deep[0] = 7 << 4 | STRUCT;
    check_refused(deep, sizeof deep);
}

/* ---- The tree ------------------------------------------------------------------------------ */

/* Groups in each other, with one leaf in the innermost. */
static ninho_status open_nested(unsigned depth, const char *name, ninho_parquet **parquet)
{
    struct bytes file;

    begin(&file, depth + 1);
    for (unsigned i = 0; i < depth; i++)
        put_group(&file, name, 1);
    put(&file,
        "\x15\x02\x38\x01"
        "c\0",
        6);
    finish(&file);
    return open_file(&file, parquet, NULL);
}

static void groups_are_nested_so_deep_and_no_deeper(void **state)
{
    static char long_name[120];
    ninho_parquet *parquet = NULL;

    (void)state;
    CHECK_OK(open_nested(63, "g", &parquet));
    CHECK_U64(strlen(ninho_parquet_column_at(parquet, 0)->path), 2 * 62 + 1);
    ninho_parquet_free(parquet);
    parquet = NULL;
    CHECK_STATUS(open_nested(64, "g", &parquet), NINHO_ERR_FORMAT);
    memset(long_name, 'n', sizeof long_name - 1);
    CHECK_STATUS(open_nested(60, long_name, &parquet), NINHO_ERR_FORMAT); /* its path */
    CHECK(!parquet);
}

static void a_schema_is_a_tree_and_nothing_else(void **state)
{
    struct bytes file;
    ninho_parquet *parquet = NULL;

    (void)state;
    begin(&file, 1); /* the child is missing */
    put_group(&file, "root", 1);
    finish(&file);
    CHECK_STATUS(open_file(&file, &parquet, NULL), NINHO_ERR_FORMAT);
    begin(&file, 2); /* one too many */
    put_group(&file, "root", 0);
    put_group(&file, "other", 0);
    finish(&file);
    CHECK_STATUS(open_file(&file, &parquet, NULL), NINHO_ERR_FORMAT);
    file.size = 4; /* a list of numbers */
    put(&file, "\x15\x04\x19\x25\x02\x02", 6);
    finish(&file);
    CHECK_STATUS(open_file(&file, &parquet, NULL), NINHO_ERR_FORMAT);
    file.size = 4; /* two schemas */
    put(&file, "\x15\x04\x19\x1c", 4);
    put(&file,
        "\x15\x02\x38\x01"
        "c\0",
        6);
    put(&file, "\x09\x04\x1c", 3); /* field 2 again, its number written out */
    put(&file,
        "\x15\x02\x38\x01"
        "c\0",
        6);
    finish(&file);
    CHECK_STATUS(open_file(&file, &parquet, NULL), NINHO_ERR_FORMAT);
    CHECK(!parquet);
}

/* ---- The file ------------------------------------------------------------------------------ */

static ninho_status no_read(void *context, uint64_t offset, void *bytes, size_t size,
                            ninho_error *error)
{
    (void)context, (void)offset, (void)bytes, (void)size;
    return ninho_error_set(error, NINHO_ERR_IO, "the disk is gone");
}

static void what_cannot_be_read_is_told(void **state)
{
    struct bytes file;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_parquet *parquet = NULL;
    struct memory_file memory = {file.bytes, 0, 0};
    ninho_parquet_source source = memory_source(&memory);

    (void)state;
    file.size = made_file(file.bytes, 0);
    source.size = file.size;
    source.read = no_read;
    CHECK_STATUS(ninho_parquet_open(&source, NULL, &parquet, &error), NINHO_ERR_IO);
    CHECK(strstr(error.text, "the disk is gone"));
    memcpy(file.bytes + file.size - 4, "PARE", 4); /* with an encrypted footer */
    CHECK_STATUS(open_file(&file, &parquet, &error), NINHO_ERR_UNSUPPORTED);
    CHECK(!parquet);
}

/* ---- Values -------------------------------------------------------------------------------- */

#define DAY                                                                     \
    {                                                                           \
        .path = "c", .type = NINHO_PARQUET_INT32, .meaning = NINHO_PARQUET_DATE \
    }
#define CLOCK                                                                    \
    {                                                                            \
        .path = "c", .type = NINHO_PARQUET_INT64, .meaning = NINHO_PARQUET_TIME, \
        .unit = 1000                                                             \
    }
#define STAMP                                                                         \
    {                                                                                 \
        .path = "c", .type = NINHO_PARQUET_INT64, .meaning = NINHO_PARQUET_TIMESTAMP, \
        .unit = 1000000000                                                            \
    }
#define OLD                                      \
    {                                            \
        .path = "c", .type = NINHO_PARQUET_INT96 \
    }
#define REAL                                      \
    {                                             \
        .path = "c", .type = NINHO_PARQUET_DOUBLE \
    }
#define NO_UNIT(what)                                             \
    {                                                             \
        .path = "c", .type = NINHO_PARQUET_INT64, .meaning = what \
    }

static void values_are_checked_to_the_last_character(void **state)
{
    static const struct {
        ninho_parquet_column column;
        const char *text;
        bool is_good;
    } cases[] = {
        {DAY, "2000-02-29", true},
        {DAY, "2100-02-29", false},
        {DAY, "2024-02-29", true},
        {DAY, "0000-01-01", false},
        {DAY, "2000/01-01", false},
        {DAY, "2000-00-01", false},
        {DAY, "2000-13-01", false},
        {DAY, "2000-01/01", false},
        {DAY, "2000-01-00", false},
        {DAY, "2000-01-32", false},
        {DAY, "2000-01-01x", false},
        {DAY, "2000-04-31", false},
        {CLOCK, "23:59:59", true},
        {CLOCK, "24:00:00", false},
        {CLOCK, "x3:00:00", false},
        {CLOCK, "23-00:00", false},
        {CLOCK, "23:60:00", false},
        {CLOCK, "23:x0:00", false},
        {CLOCK, "23:00-00", false},
        {CLOCK, "23:00:60", false},
        {CLOCK, "23:00:x0", false},
        {CLOCK, "23:00:00.", false},
        {CLOCK, "23:00:00.125", true},
        {CLOCK, "23:00:00.1250", true},
        {CLOCK, "23:00:00.1251", false},
        {CLOCK, "23:00:00 ", false},
        {STAMP, "2000-01-01", true},
        {STAMP, "2000-01-01T10:00:00Z", true},
        {STAMP, "2000-01-01 10:00:00", true},
        {STAMP, "2000-01-01x10:00:00", false},
        {STAMP, "2000-01-01T10:00", false},
        {STAMP, "2000-01-01T10:00:00Zx", false},
        {STAMP, "9999-12-31", false}, /* 2^63 ns */
        {STAMP, "2262-04-11T23:47:16.854775807", true},
        {STAMP, "2262-04-11T23:47:16.854775808", false},
        {OLD, "2000-01-01T10:00:00", true},
        {OLD, "2000-01-01T10:00:00Zx", false},
        {OLD, "2000-01-01T25:00:00", false},
        {REAL, "1.5", true},
        {REAL, "", false},
        {REAL, " 1.5", false},
        {REAL, "1.5x", false},
        {REAL, "nan", false},
        {REAL, "1000000000000000000000000000000000000000000000000000000000000000", false},
        {NO_UNIT(NINHO_PARQUET_TIME), "10:00:00", false},
        {NO_UNIT(NINHO_PARQUET_TIMESTAMP), "2000-01-01", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_error error = NINHO_ERROR_INIT;
        ninho_parquet_value value = {0};
        test_where("\"%s\"", cases[i].text);
        const ninho_status status = ninho_parquet_value_of(
            &cases[i].column, cases[i].text, strlen(cases[i].text), &value, &error);
        CHECK((status == NINHO_OK) == cases[i].is_good);
        CHECK(error.status == status);
    }
    /* A NUL in the middle ends no number. */
    const ninho_parquet_column real = REAL;
    ninho_parquet_value value = {0};
    CHECK(ninho_parquet_value_of(&real, "1.5\0x", 5, &value, NULL) != NINHO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_meanings_are_understood),
        cmocka_unit_test(new_meanings_are_understood),
        cmocka_unit_test(unknown_fields_are_passed_over),
        cmocka_unit_test(fields_that_are_none_are_refused),
        cmocka_unit_test(groups_are_nested_so_deep_and_no_deeper),
        cmocka_unit_test(a_schema_is_a_tree_and_nothing_else),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(values_are_checked_to_the_last_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
