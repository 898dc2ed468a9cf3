/* SPDX-License-Identifier: MIT */
/* The frame of a ninho file: everything but the meaning of the tables inside it.
 *
 *   offset  size  field (all little-endian)
 *        0     6  magic "NINHO\0"
 *        6     2  format version: 1
 *        8     4  header size H, where the body begins: a multiple of 64
 *       12     2  kind
 *       14     1  key encoding
 *       15     1  hash
 *       16     8  seed
 *       24     8  key check: 0 unless the hash is keyed
 *       32     8  capacity
 *       40     8  count
 *       48     8  fpr asked for, IEEE 754 binary64, 2^-1000 <= fpr < 1; 0 for exact kinds
 *       56     4  flags: bit 0 = count is an estimate; the others are 0
 *       60     4  number of parts P, 1 .. 32 (33 with an attachment)
 *       64     8  body size
 *       72     8  body checksum, XXH3-64 of the body
 *       80     4  metadata size M, 0 .. 4096
 *       84     4  0
 *       88     8  option word: what a kind keeps beside its parts
 *       96   64P  parts
 *   96+64P     M  metadata: "name=value\n" for each, names ascending
 *                 zeros up to H - 8
 *      H-8     8  header checksum, XXH3-64 of bytes 0 .. H - 9
 *
 * A part is one table; a growing filter has several:
 *
 *        0     2  kind of the table; 0xffff: the attachment
 *        2     2  0
 *        4     4  number of hash functions k (0 where there is none)
 *        8     8  capacity of this table
 *       16     8  count: keys stored in it
 *       24     8  number of cells (bits, blocks, counters, ...)
 *       32    16  two words for the kind
 *       48     8  where its bytes begin, counted from the body's start
 *       56     8  how many bytes it has
 *
 * The last part may be an attachment: bytes of an application's that the filter keeps.
 * Its kind is 0xffff, its number of cells is its size in bytes, at least 1, and its other
 * fields but the place and the size are 0. At least one table comes before it.
 *
 * The body holds the tables in order, each starting at a multiple of 64, with zeros
 * between; the file ends where the last one ends. H is the least multiple of 64 that
 * holds it all, so equal content gives equal bytes. */
#ifndef NH_FORMAT_FRAME_H
#define NH_FORMAT_FRAME_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/spec.h>

#include "base/status.h"

#define NH_FRAME_VERSION 1
#define NH_MAX_PARTS     32
#define NH_MAX_RECORDS \
    (NH_MAX_PARTS + 1)         /* parts in a file: the tables and an attachment */
#define NH_ATTACHMENT  0xffffU /* its kind */
#define NH_MAX_META    4096
#define NH_BODY_ALIGN  64
#define NH_FIXED_BYTES 96
#define NH_PART_BYTES  64
#define NH_START_BYTES 12 /* from which the size of the header is known */
/* The largest header there can be. */
#define NH_MAX_HEADER 6336

/* Where the fields are, in the header and in a part's record. */
enum {
    NH_AT_HEADER_SIZE = 8,
    NH_AT_KIND = 12,
    NH_AT_KEY_ENCODING = 14,
    NH_AT_HASH = 15,
    NH_AT_SEED = 16,
    NH_AT_KEY_CHECK = 24,
    NH_AT_CAPACITY = 32,
    NH_AT_COUNT = 40,
    NH_AT_FPR = 48,
    NH_AT_FLAGS = 56,
    NH_AT_N_PARTS = 60,
    NH_AT_BODY_SIZE = 64,
    NH_AT_META_SIZE = 80,
    NH_AT_RESERVED = 84,
    NH_AT_OPTIONS = 88
};
enum {
    NH_PART_KIND = 0,
    NH_PART_RESERVED = 2,
    NH_PART_N_HASHES = 4,
    NH_PART_CAPACITY = 8,
    NH_PART_COUNT = 16,
    NH_PART_N_CELLS = 24,
    NH_PART_WORDS = 32,
    NH_PART_OFFSET = 48,
    NH_PART_SIZE = 56
};

/* Where a field of part number i is in the file. */
static inline uint64_t nh_part_at(uint32_t i, unsigned field)
{
    return NH_FIXED_BYTES + (uint64_t)NH_PART_BYTES * i + field;
}

/* A field that cannot be as it is. */
#define nh_fail_invalid(error, what, offset)                                       \
    nh_fail_at((error), NINHO_ERR_FORMAT, (offset), "invalid %s at byte %" PRIu64, \
               (what), (uint64_t)(offset))

/* The checksum of a body that begins there is another. */
#define nh_fail_damaged(error, offset)                \
    nh_fail_at((error), NINHO_ERR_CHECKSUM, (offset), \
               "body checksum does not match: the file is damaged")

/* The least fpr that is stored: that of a table made by hand may come out at 0. */
#define NH_MIN_FPR 0x1p-1000

#define NH_FLAG_COUNT_IS_ESTIMATE 1U
#define NH_KNOWN_FLAGS            1U

struct nh_frame_part {
    uint16_t kind;
    uint32_t n_hashes;
    uint64_t capacity;
    uint64_t count;
    uint64_t n_cells;
    uint64_t words[2];
    uint64_t offset; /* in the body */
    uint64_t size;
};

struct nh_frame {
    uint16_t kind;
    uint8_t key_encoding;
    uint8_t hash;
    uint32_t flags;
    uint64_t seed;
    uint64_t key_check;
    uint64_t capacity;
    uint64_t count;
    double fpr;
    uint64_t options;
    uint32_t header_size;
    uint32_t n_parts;
    uint32_t meta_size;
    uint64_t body_size;
    uint64_t body_checksum;
    const uint8_t *meta; /* borrowed */
    struct nh_frame_part parts[NH_MAX_RECORDS];
};

/* Lays the parts out (fills their offsets from their sizes) and works out header_size and
 * body_size. NINHO_ERR_NOMEM if the whole could not be addressed in 2^62 bytes. */
ninho_status nh_frame_lay_out(struct nh_frame *frame);

/* Bytes of zeros before part i in the body. */
static inline size_t nh_frame_gap(const struct nh_frame *frame, uint32_t i)
{
    return i ? (size_t)(frame->parts[i].offset -
                        (frame->parts[i - 1].offset + frame->parts[i - 1].size))
             : 0;
}

/* Writes the header, checksum included, to bytes[0..frame->header_size). */
void nh_frame_encode(const struct nh_frame *frame, uint8_t *bytes);

/* The total of something whose end nobody knows yet. */
#define NH_TOTAL_UNKNOWN UINT64_MAX

/* The size of the header, from its first NH_START_BYTES bytes, or fewer if that is all there is:
 * `size` of `total`. NINHO_ERR_FORMAT, NINHO_ERR_VERSION. */
ninho_status nh_frame_start(const uint8_t *bytes, size_t size, uint64_t total,
                            uint32_t *header_size, ninho_error *error);

/* Reads a header from the first `size` bytes of something that is `total` bytes long; they hold
 * the whole header, or are all there is. On success every number is consistent with the layout
 * above and with `total`; kinds, hashes and encodings are the caller's to judge. frame->meta
 * points into `bytes`. NINHO_ERR_FORMAT, NINHO_ERR_VERSION, NINHO_ERR_CHECKSUM. */
ninho_status nh_frame_decode(const uint8_t *bytes, size_t size, uint64_t total,
                             struct nh_frame *frame, ninho_error *error);

/* The kind of filter that a kind's number in a file is; 0 if there is none. Told by the filters
 * (kinds.c): one that has had several layouts has as many numbers. */
ninho_kind nh_kind_numbered(uint16_t number);

#endif
