/* SPDX-License-Identifier: MIT */
#include "thrift.h"

#define MAX_DEPTH \
    32 /* of structs and lists in each other; Parquet's own go to about ten */

void nf_read_begin(struct nf_reader *reader, const void *bytes, size_t size)
{
    *reader = (struct nf_reader){
        .begin = bytes, .at = bytes, .end = (const uint8_t *)bytes + size};
}

void nf_read_fail(struct nf_reader *reader)
{
    if (!reader->failed)
        reader->wrong = (size_t)(reader->at - reader->begin);
    reader->failed = true;
    reader->at = reader->end;
}

static uint8_t read_byte(struct nf_reader *reader)
{
    if (reader->at == reader->end) {
        nf_read_fail(reader);
        return 0;
    }
    return *reader->at++;
}

static uint64_t read_varint(struct nf_reader *reader)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = read_byte(reader);
        if (shift == 63 && byte > 1)
            break;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return reader->failed ? 0 : number;
    }
    nf_read_fail(reader);
    return 0;
}

static int64_t read_zigzag(struct nf_reader *reader)
{
    const uint64_t number = read_varint(reader);
    return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

bool nf_read_field(struct nf_reader *reader, struct nf_field *field)
{
    const uint8_t head = read_byte(reader);
    const int32_t step = head >> 4;

    field->type = (enum nf_type)(head & 15);
    if (reader->failed || field->type == NF_STOP)
        return false;
    const int64_t number = step ? (int64_t)field->number + step : read_zigzag(reader);
    if (number < 0 || number > INT16_MAX || field->type > NF_STRUCT) {
        nf_read_fail(reader);
        return false;
    }
    field->number = (int32_t)number;
    return !reader->failed;
}

int64_t nf_read_integer(struct nf_reader *reader, enum nf_type type)
{
    if (type == NF_I8)
        return (int8_t)read_byte(reader);
    if (type == NF_I16 || type == NF_I32 || type == NF_I64)
        return read_zigzag(reader);
    nf_read_fail(reader);
    return 0;
}

const uint8_t *nf_read_binary(struct nf_reader *reader, enum nf_type type, size_t *size)
{
    *size = 0;
    if (type != NF_BINARY) {
        nf_read_fail(reader);
        return NULL;
    }
    const uint64_t length = read_varint(reader);
    if (length > (size_t)(reader->end - reader->at)) {
        nf_read_fail(reader);
        return NULL;
    }
    const uint8_t *const bytes = reader->at;
    reader->at += length;
    *size = (size_t)length;
    return reader->failed ? NULL : bytes;
}

size_t nf_read_list(struct nf_reader *reader, enum nf_type type, enum nf_type *element)
{
    if (type != NF_LIST && type != NF_SET) {
        nf_read_fail(reader);
        return 0;
    }
    const uint8_t head = read_byte(reader);
    const uint64_t length = head >> 4 == 15 ? read_varint(reader) : head >> 4;
    *element = (enum nf_type)(head & 15);
    if (*element == NF_STOP || *element > NF_STRUCT ||
        length > (size_t)(reader->end - reader->at)) {
        nf_read_fail(reader);
        return 0;
    }
    return (size_t)length;
}

static void skip(struct nf_reader *reader, enum nf_type type, unsigned depth,
                 bool is_element);

static void skip_struct(struct nf_reader *reader, unsigned depth)
{
    struct nf_field field = {0};

    while (nf_read_field(reader, &field))
        skip(reader, field.type, depth, false);
}

static void skip_list(struct nf_reader *reader, enum nf_type type, unsigned depth)
{
    enum nf_type element = NF_STOP;

    for (size_t n = nf_read_list(reader, type, &element); n > 0 && !reader->failed; n--)
        skip(reader, element, depth, true);
}

static void skip_map(struct nf_reader *reader, unsigned depth)
{
    const uint64_t n = read_varint(reader);

    if (n == 0)
        return;
    const uint8_t types = read_byte(reader);
    if (n > (size_t)(reader->end - reader->at))
        nf_read_fail(reader);
    for (uint64_t i = 0; i < n && !reader->failed; i++) {
        skip(reader, (enum nf_type)(types >> 4), depth, true);
        skip(reader, (enum nf_type)(types & 15), depth, true);
    }
}

/* A boolean has a byte of its own in a list, none in a struct. */
static void skip(struct nf_reader *reader, enum nf_type type, unsigned depth,
                 bool is_element)
{
    size_t size;

    if (depth == MAX_DEPTH) {
        nf_read_fail(reader);
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
        if (reader->end - reader->at < 8)
            nf_read_fail(reader);
        else
            reader->at += 8;
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
        nf_read_fail(reader);
    }
}

void nf_skip(struct nf_reader *reader, enum nf_type type)
{
    skip(reader, type, 0, false);
}
