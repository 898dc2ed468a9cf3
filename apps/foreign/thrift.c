/* SPDX-License-Identifier: MIT */
#include "thrift.h"

#define MAX_DEPTH \
    32 /* of structs and lists in each other; Parquet's own go to about ten */

static uint8_t read_byte(struct na_reader *reader)
{
    return (uint8_t)na_read(reader, 1);
}

static int64_t read_zigzag(struct na_reader *reader)
{
    return na_unzigzag(na_read_varint(reader));
}

bool nf_read_field(struct na_reader *reader, struct nf_field *field)
{
    const uint8_t head = read_byte(reader);
    const int32_t step = head >> 4;

    field->type = (enum nf_type)(head & 15);
    if (reader->is_bad || field->type == NF_STOP)
        return false;
    const int64_t number = step ? (int64_t)field->number + step : read_zigzag(reader);
    if (number < 0 || number > INT16_MAX || field->type > NF_STRUCT) {
        na_read_fail(reader);
        return false;
    }
    field->number = (int32_t)number;
    return !reader->is_bad;
}

int64_t nf_read_integer(struct na_reader *reader, enum nf_type type)
{
    if (type == NF_I8)
        return (int8_t)read_byte(reader);
    if (type == NF_I16 || type == NF_I32 || type == NF_I64)
        return read_zigzag(reader);
    na_read_fail(reader);
    return 0;
}

const uint8_t *nf_read_binary(struct na_reader *reader, enum nf_type type, size_t *size)
{
    *size = 0;
    if (type != NF_BINARY) {
        na_read_fail(reader);
        return NULL;
    }
    const uint64_t length = na_read_varint(reader);
    const uint8_t *bytes = na_read_bytes(reader, length);
    *size = bytes ? (size_t)length : 0;
    return bytes;
}

size_t nf_read_list(struct na_reader *reader, enum nf_type type, enum nf_type *element)
{
    if (type != NF_LIST && type != NF_SET) {
        na_read_fail(reader);
        return 0;
    }
    const uint8_t head = read_byte(reader);
    const uint64_t length = head >> 4 == 15 ? na_read_varint(reader) : head >> 4;
    *element = (enum nf_type)(head & 15);
    if (*element == NF_STOP || *element > NF_STRUCT || length > na_reader_left(reader)) {
        na_read_fail(reader);
        return 0;
    }
    return (size_t)length;
}

static void skip(struct na_reader *reader, enum nf_type type, unsigned depth,
                 bool is_element);

static void skip_struct(struct na_reader *reader, unsigned depth)
{
    struct nf_field field = {0};

    while (nf_read_field(reader, &field))
        skip(reader, field.type, depth, false);
}

static void skip_list(struct na_reader *reader, enum nf_type type, unsigned depth)
{
    enum nf_type element = NF_STOP;

    for (size_t n = nf_read_list(reader, type, &element); n > 0 && !reader->is_bad; n--)
        skip(reader, element, depth, true);
}

static void skip_map(struct na_reader *reader, unsigned depth)
{
    const uint64_t n = na_read_varint(reader);

    if (n == 0)
        return;
    const uint8_t types = read_byte(reader);
    if (n > na_reader_left(reader))
        na_read_fail(reader);
    for (uint64_t i = 0; i < n && !reader->is_bad; i++) {
        skip(reader, (enum nf_type)(types >> 4), depth, true);
        skip(reader, (enum nf_type)(types & 15), depth, true);
    }
}

/* A boolean has a byte of its own in a list, none in a struct. */
static void skip(struct na_reader *reader, enum nf_type type, unsigned depth,
                 bool is_element)
{
    size_t size;

    if (depth == MAX_DEPTH) {
        na_read_fail(reader);
        return;
    }
    switch (type) {
    case NF_TRUE:
    case NF_FALSE:
        if (is_element)
            (void)read_byte(reader);
        break;
    case NF_I8:
    case NF_I16:
    case NF_I32:
    case NF_I64:
        (void)nf_read_integer(reader, type);
        break;
    case NF_DOUBLE:
        (void)na_read_bytes(reader, 8);
        break;
    case NF_BINARY:
        (void)nf_read_binary(reader, type, &size);
        break;
    case NF_LIST:
    case NF_SET:
        skip_list(reader, type, depth + 1);
        break;
    case NF_MAP:
        skip_map(reader, depth + 1);
        break;
    case NF_STRUCT:
        skip_struct(reader, depth + 1);
        break;
    default:
        na_read_fail(reader);
    }
}

void nf_skip(struct na_reader *reader, enum nf_type type)
{
    skip(reader, type, 0, false);
}
