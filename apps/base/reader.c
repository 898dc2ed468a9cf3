/* SPDX-License-Identifier: MIT */
#include "reader.h"

size_t na_varint_write(uint8_t at[NA_VARINT_MAX], uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        at[n++] = (uint8_t)(value | 0x80);
    at[n++] = (uint8_t)value;
    return n;
}

struct na_reader na_reader_of(const void *bytes, size_t size)
{
    return (struct na_reader){
        .begin = bytes, .at = bytes, .end = (const uint8_t *)bytes + size};
}

void na_read_fail(struct na_reader *reader)
{
    if (!reader->is_bad)
        reader->bad_at = (size_t)(reader->at - reader->begin);
    reader->is_bad = true;
    reader->at = reader->end;
}

const uint8_t *na_read_bytes(struct na_reader *reader, uint64_t n)
{
    const uint8_t *bytes = reader->at;

    if (reader->is_bad || na_reader_left(reader) < n) {
        na_read_fail(reader);
        return NULL;
    }
    reader->at += n;
    return bytes;
}

uint64_t na_read(struct na_reader *reader, unsigned n_bytes)
{
    const uint8_t *bytes = na_read_bytes(reader, n_bytes);

    return bytes ? na_load(bytes, n_bytes) : 0;
}

uint64_t na_read_varint(struct na_reader *reader)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *byte = na_read_bytes(reader, 1);
        if (!byte)
            return 0;
        if (shift == 63 && *byte > 1) /* more than 64 bits */
            break;
        value |= (uint64_t)(*byte & 0x7f) << shift;
        if (!(*byte & 0x80))
            return value;
    }
    na_read_fail(reader);
    return 0;
}
