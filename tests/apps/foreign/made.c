/* SPDX-License-Identifier: MIT */
#include "made.h"

#include <string.h>

#include "support/test.h"

const struct made_column made_columns[MADE_COLUMNS] = {
    {"number", NINHO_PARQUET_INT32, -1, 0, 0, 0, "-7"},
    {"large", NINHO_PARQUET_INT64, 14, 0, 0, 0, "18446744073709551615"},
    {"day", NINHO_PARQUET_INT32, -1, 6, 0, 0, "2026-11-15"},
    {"stamp", NINHO_PARQUET_INT64, 10, 0, 0, 0, "2026-11-15T14:30:00.25Z"},
    {"price", NINHO_PARQUET_INT64, 5, 0, 0, 2, "12.5"},
    {"name", NINHO_PARQUET_BYTES, 0, 0, 0, 0, "ninho"},
    {"id", NINHO_PARQUET_FIXED, -1, 14, 16, 0, "00112233-4455-6677-8899-aabbccddeeff"},
    {"ratio", NINHO_PARQUET_DOUBLE, -1, 0, 0, 0, "0.25"},
    {"leaf", NINHO_PARQUET_BYTES, 0, 0, 0, 0, "below"},
};

/* Thrift's compact protocol, written. */
struct writer {
    uint8_t *at;
    int last[16]; /* the number of the last field, of each struct that is open */
    int depth;
};

static void put(struct writer *writer, unsigned byte)
{
    *writer->at++ = (uint8_t)byte;
}

static void put_varint(struct writer *writer, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        put(writer, (unsigned)(number & 0x7F) | 0x80);
    put(writer, (unsigned)number);
}

static void put_field(struct writer *writer, int number, unsigned type)
{
    put(writer, (unsigned)(number - writer->last[writer->depth]) << 4 | type);
    writer->last[writer->depth] = number;
}

static void put_integer(struct writer *writer, int number, int64_t value)
{
    put_field(writer, number, 6);
    put_varint(writer, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void put_text(struct writer *writer, int number, const char *text)
{
    put_field(writer, number, 8);
    put_varint(writer, strlen(text));
    memcpy(writer->at, text, strlen(text));
    writer->at += strlen(text);
}

static void open_struct(struct writer *writer)
{
    writer->last[++writer->depth] = 0;
}

static void close_struct(struct writer *writer)
{
    put(writer, 0);
    writer->depth--;
}

static void put_list(struct writer *writer, int number, unsigned n)
{
    put_field(writer, number, 9);
    if (n < 15) {
        put(writer, n << 4 | 12);
    } else {
        put(writer, 15 << 4 | 12);
        put_varint(writer, n);
    }
}

static void put_group_element(struct writer *writer, const char *name, int n_children)
{
    open_struct(writer);
    put_text(writer, 4, name);
    put_integer(writer, 5, n_children);
    close_struct(writer);
}

static void put_leaf(struct writer *writer, const struct made_column *column)
{
    open_struct(writer);
    put_integer(writer, 1, (int64_t)column->type);
    if (column->fixed_size)
        put_integer(writer, 2, column->fixed_size);
    put_text(writer, 4, column->name);
    if (column->old_meaning >= 0)
        put_integer(writer, 6, column->old_meaning);
    if (column->scale)
        put_integer(writer, 7, column->scale);
    if (column->new_meaning) {
        put_field(writer, 10, 12);
        open_struct(writer);
        put_field(writer, column->new_meaning, 12);
        open_struct(writer);
        close_struct(writer);
        close_struct(writer);
    }
    close_struct(writer);
}

/* The leaf "leaf" lies below a group "deep". */
static void put_schema(struct writer *writer)
{
    put_list(writer, 2, MADE_COLUMNS + 2);
    put_group_element(writer, "root", MADE_COLUMNS);
    for (size_t i = 0; i + 1 < MADE_COLUMNS; i++)
        put_leaf(writer, &made_columns[i]);
    put_group_element(writer, "deep", 1);
    put_leaf(writer, &made_columns[MADE_COLUMNS - 1]);
}

/* A filter of one block for one value, or for none. */
static size_t put_filter(const struct made_column *made, size_t index, bool has_value,
                         uint8_t *out)
{
    ninho_parquet_column column = {.path = made->name,
                                   .type = made->type,
                                   .fixed_size = (uint32_t)made->fixed_size,
                                   .scale = (uint32_t)made->scale};
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    ninho_parquet_value value;
    size_t size = 0;

    static const ninho_parquet_meaning meanings[MADE_COLUMNS] = {
        [1] = NINHO_PARQUET_UNSIGNED,  [2] = NINHO_PARQUET_DATE,
        [3] = NINHO_PARQUET_TIMESTAMP, [4] = NINHO_PARQUET_DECIMAL,
        [6] = NINHO_PARQUET_UUID,
    };
    column.meaning = meanings[index];
    column.unit = index == 3 ? 1000000 : 0;
    column.integer_bits = index == 1 ? 64 : 0;
    spec.kind = NINHO_BLOCKED;
    spec.hash = NINHO_HASH_XXH64;
    spec.capacity = 4;
    spec.fpr = 0.01;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    if (has_value) {
        CHECK_OK(ninho_parquet_value_of(&column, made->value, strlen(made->value), &value,
                                        NULL));
        CHECK_OK(ninho_filter_add(filter, value.hashes[0]));
    }
    CHECK_OK(ninho_parquet_encode(filter, out, 1024, &size, NULL));
    ninho_filter_free(filter);
    return size;
}

size_t made_file(uint8_t *bytes, int without_lengths)
{
    struct writer writer = {.at = bytes + 4};
    int64_t offsets[MADE_GROUPS][MADE_COLUMNS] = {{0}};
    int64_t sizes[MADE_GROUPS][MADE_COLUMNS] = {{0}};

    memcpy(bytes, "PAR1", 4);
    for (size_t g = 0; g < MADE_GROUPS; g++)
        for (size_t c = 0; c < MADE_COLUMNS - g; c++) {
            offsets[g][c] = writer.at - bytes;
            sizes[g][c] = (int64_t)put_filter(&made_columns[c], c, g == 0, writer.at);
            writer.at += sizes[g][c];
        }
    const uint8_t *const footer = writer.at;
    put_integer(&writer, 1, 2);
    put_schema(&writer);
    put_integer(&writer, 3, 100);
    put_list(&writer, 4, MADE_GROUPS);
    for (size_t g = 0; g < MADE_GROUPS; g++) {
        open_struct(&writer);
        put_list(&writer, 1, MADE_COLUMNS);
        for (size_t c = 0; c < MADE_COLUMNS; c++) {
            open_struct(&writer);
            put_integer(&writer, 2, 4);
            put_field(&writer, 3, 12);
            open_struct(&writer);
            put_integer(&writer, 1, (int64_t)made_columns[c].type);
            if (offsets[g][c]) {
                put_integer(&writer, 14, offsets[g][c]);
                if (!without_lengths)
                    put_integer(&writer, 15, sizes[g][c]);
            }
            close_struct(&writer);
            close_struct(&writer);
        }
        put_integer(&writer, 3, 50);
        close_struct(&writer);
    }
    put(&writer, 0);
    CHECK(writer.at + 8 <= bytes + MADE_ROOM);
    return made_finish(bytes, (size_t)(footer - bytes), (size_t)(writer.at - bytes));
}

size_t made_finish(uint8_t *bytes, size_t footer_at, size_t size)
{
    const uint32_t length = (uint32_t)(size - footer_at);

    memcpy(bytes, "PAR1", 4);
    for (unsigned i = 0; i < 4; i++)
        bytes[size + i] = (uint8_t)(length >> (8 * i));
    memcpy(bytes + size + 4, "PAR1", 4);
    return size + 8;
}

/* One row group, of one chunk or none. */
static void put_odd_group(struct writer *writer, enum made_oddity oddity, int64_t size)
{
    put_list(writer, 4, 1);
    open_struct(writer);
    put_list(writer, 1, oddity != MADE_EARLY_GROUP);
    if (oddity != MADE_EARLY_GROUP) {
        open_struct(writer);
        if (oddity == MADE_ELSEWHERE)
            put_text(writer, 1, "part-0.parquet");
        put_field(writer, 3, 12);
        open_struct(writer);
        put_integer(writer, 14, oddity == MADE_LATE_OFFSET ? 100000 : 4);
        if (oddity == MADE_OWN_FIELD) {
            put_list(writer, 15, 1);
            open_struct(writer);
            put_integer(writer, 1, 7);
            close_struct(writer);
        } else {
            put_integer(writer, 15, oddity == MADE_LONG_FILTER ? INT32_MAX : size);
        }
        close_struct(writer);
        if (oddity == MADE_ENCRYPTED) { /* with the key of the footer */
            put_field(writer, 8, 12);
            open_struct(writer);
            put_field(writer, 1, 12);
            open_struct(writer);
            close_struct(writer);
            close_struct(writer);
        }
        close_struct(writer);
    }
    put_integer(writer, 3, 50);
    close_struct(writer);
}

static void put_odd_schema(struct writer *writer)
{
    const struct made_column column = {
        .name = "c", .type = NINHO_PARQUET_INT32, .old_meaning = -1};

    put_list(writer, 2, 2);
    put_group_element(writer, "root", 1);
    put_leaf(writer, &column);
}

/* A filter of 32-bit integers from 0 on. */
static size_t put_large_filter(uint8_t *out)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;
    size_t size = 0;

    spec.kind = NINHO_BLOCKED;
    spec.hash = NINHO_HASH_XXH64;
    spec.capacity = MADE_LARGE_VALUES;
    spec.fpr = 0.01;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    for (unsigned i = 0; i < MADE_LARGE_VALUES; i++) {
        const uint8_t value[4] = {(uint8_t)i, (uint8_t)(i >> 8)};
        CHECK_OK(ninho_filter_add(filter, made_hash(value, 4)));
    }
    CHECK_OK(ninho_parquet_encode(filter, out, MADE_ROOM / 2, &size, NULL));
    ninho_filter_free(filter);
    return size;
}

size_t made_odd_file(uint8_t *bytes, enum made_oddity oddity)
{
    struct writer writer = {.at = bytes + 4};
    const size_t size = oddity == MADE_LARGE
                            ? put_large_filter(writer.at)
                            : put_filter(&made_columns[0], 0, false, writer.at);

    writer.at += size;
    const size_t footer_at = (size_t)(writer.at - bytes);
    if (oddity == MADE_EARLY_GROUP) {
        put_odd_group(&writer, oddity, (int64_t)size);
        put(&writer,
            6); /* field 1, with its number written out: from there the steps go up again */
        put(&writer, 1 << 1);
        put(&writer, 0);
        writer.last[0] = 1;
        put_odd_schema(&writer);
    } else {
        put_odd_schema(&writer);
        put_odd_group(&writer, oddity, (int64_t)size);
    }
    put(&writer, 0);
    return made_finish(bytes, footer_at, (size_t)(writer.at - bytes));
}

uint64_t made_hash(const void *bytes, size_t size)
{
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH64};
    return ninho_hash_bytes(&hasher, bytes, size);
}

static ninho_status read_memory(void *context, uint64_t at, void *bytes, size_t size,
                                ninho_error *error)
{
    struct memory_file *file = context;

    (void)error;
    file->n_read += size;
    CHECK(at <= file->size && size <= file->size - at);
    if (size)
        memcpy(bytes, file->bytes + at, size);
    return NINHO_OK;
}

ninho_parquet_source memory_source(struct memory_file *file)
{
    return (ninho_parquet_source){
        .context = file, .size = file->size, .read = read_memory};
}
