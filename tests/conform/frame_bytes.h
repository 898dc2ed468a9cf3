/* SPDX-License-Identifier: MIT */
/* Where things lie in a file, from docs/format.md alone, for tests that damage files on purpose. */
#ifndef NINHO_TEST_FRAME_BYTES_H
#define NINHO_TEST_FRAME_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct frame_field {
    const char *name;
    size_t offset; /* in the header, or in a part's entry */
    unsigned size;
};

enum { PARTS_AT = 96, PART_SIZE = 64 };

extern const struct frame_field header_fields[];
extern const size_t n_header_fields;
extern const struct frame_field part_fields[];
extern const size_t n_part_fields;

uint64_t get_field(const uint8_t *bytes, size_t offset, unsigned size);
void set_field(uint8_t *bytes, size_t offset, unsigned size, uint64_t value);

/* Makes both checksums right again, as far as the header still says where they are. */
void fix_checksums(uint8_t *bytes, size_t size);

#endif
