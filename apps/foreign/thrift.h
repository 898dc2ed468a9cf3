/* SPDX-License-Identifier: MIT */
/* Reads Thrift's compact protocol, of which Parquet's metadata are made. Nothing is trusted: every read is
 * checked against the bytes that are there, and after the first mistake everything reads as 0 and ends.
 *
 *     struct   fields, each a byte [step of the field's number : 4 | type : 4]; 0 ends it;
 *              a step of 0 means that the number follows as a zigzag varint
 *     integer  zigzag varint         bytes   varint length, then the bytes
 *     list     a byte [length : 4 | type : 4], length 15 meaning that a varint follows
 */
#ifndef NINHO_FOREIGN_THRIFT_H
#define NINHO_FOREIGN_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/base/reader.h"

enum nf_type {
    NF_STOP = 0,
    NF_TRUE = 1, /* a boolean field holds its value in its type */
    NF_FALSE = 2,
    NF_I8 = 3,
    NF_I16 = 4,
    NF_I32 = 5,
    NF_I64 = 6,
    NF_DOUBLE = 7,
    NF_BINARY = 8,
    NF_LIST = 9,
    NF_SET = 10,
    NF_MAP = 11,
    NF_STRUCT = 12
};

/* A field of a struct. Begin with {0}. */
struct nf_field {
    int32_t number;
    enum nf_type type;
};

/* The next field of the struct that the reader stands in; false at its end. The caller reads or skips
 * the field's value before the next call. */
bool nf_read_field(struct na_reader *reader, struct nf_field *field);

/* An integer, of any of the integer types. `type` is what the field or list said; another than an
 * integer is a mistake. */
int64_t nf_read_integer(struct na_reader *reader, enum nf_type type);

/* Bytes, in place; NULL and size 0 after a mistake. */
const uint8_t *nf_read_binary(struct na_reader *reader, enum nf_type type, size_t *size);

/* The length of a list and the type of its elements. A list is never longer than the bytes left. */
size_t nf_read_list(struct na_reader *reader, enum nf_type type, enum nf_type *element);

/* Goes over a value of this type, whatever is in it. */
void nf_skip(struct na_reader *reader, enum nf_type type);

#endif
