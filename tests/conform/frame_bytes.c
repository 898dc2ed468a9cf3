/* SPDX-License-Identifier: MIT */
#include "conform/frame_bytes.h"

#include "hash/hash.h"

const struct frame_field header_fields[] = {
    {"magic", 0, 6},          {"version", 6, 2},       {"header size", 8, 4},
    {"kind", 12, 2},          {"key encoding", 14, 1}, {"hash", 15, 1},
    {"seed", 16, 8},          {"key check", 24, 8},    {"capacity", 32, 8},
    {"count", 40, 8},         {"fpr", 48, 8},          {"flags", 56, 4},
    {"parts", 60, 4},         {"body size", 64, 8},    {"body checksum", 72, 8},
    {"metadata size", 80, 4}, {"reserved", 84, 4},     {"options", 88, 8},
};
const size_t n_header_fields = sizeof header_fields / sizeof *header_fields;

const struct frame_field part_fields[] = {
    {"part kind", 0, 2},     {"part reserved", 2, 2}, {"part k", 4, 4},
    {"part capacity", 8, 8}, {"part count", 16, 8},   {"part cells", 24, 8},
    {"part word 0", 32, 8},  {"part word 1", 40, 8},  {"part offset", 48, 8},
    {"part size", 56, 8},
};
const size_t n_part_fields = sizeof part_fields / sizeof *part_fields;

uint64_t get_field(const uint8_t *bytes, size_t offset, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes[offset + i] << (8 * i);
    return value;
}

void set_field(uint8_t *bytes, size_t offset, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        bytes[offset + i] = (uint8_t)(value >> (8 * i));
}

void fix_checksums(uint8_t *bytes, size_t size)
{
    if (size < PARTS_AT)
        return;
    const uint64_t header = get_field(bytes, 8, 4);
    if (header < PARTS_AT + 8 || header > size)
        return;
    set_field(bytes, 72, 8, nh_checksum_of(bytes + header, size - (size_t)header));
    set_field(bytes, (size_t)header - 8, 8, nh_checksum_of(bytes, (size_t)header - 8));
}
