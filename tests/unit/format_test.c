/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/bytes.h"
#include "format/frame.h"
#include "hash/hash.h"

/* ---- reader and writer --------------------------------------------------------------------- */

static void what_is_written_is_read(void **state)
{
    uint8_t bytes[32];

    (void)state;
    struct nh_writer w = {bytes, bytes + sizeof bytes, false};
    for (unsigned n = 1; n <= 7; n++)
        nh_write_le(&w, n, UINT64_C(0x0807060504030201));
    CHECK(!w.bad && w.at == bytes + 28);
    nh_write_bytes(&w, "abc", 3);
    CHECK(!w.bad && w.at == bytes + 31);
    struct nh_reader r = {bytes, bytes + 31, false};
    for (unsigned n = 1; n <= 7; n++)
        CHECK_U64(nh_read_le(&r, n),
                  UINT64_C(0x0807060504030201) & ((UINT64_C(1) << 8 * n) - 1));
    CHECK(memcmp(nh_read_bytes(&r, 3), "abc", 3) == 0);
    CHECK(!r.bad && r.at == r.end);
    CHECK_U64(nh_read_le(&r, 0), 0);
    CHECK(!r.bad);
}

static void a_short_read_is_bad_for_ever(void **state)
{
    const uint8_t bytes[4] = {1, 2, 3, 4};

    (void)state;
    struct nh_reader r = {bytes, bytes + 4, false};
    CHECK_U64(nh_read_le(&r, 2), 0x0201);
    CHECK_U64(nh_read_le(&r, 4), 0);
    CHECK(r.bad);
    CHECK_U64(nh_read_le(&r, 1), 0); /* though one is there */
    CHECK(!nh_read_bytes(&r, 1) && !nh_read_bytes(&r, 0));
    r = (struct nh_reader){bytes, bytes + 4, false};
    CHECK(!nh_read_bytes(&r, 5) && r.bad);
    r = (struct nh_reader){bytes, bytes + 4, false};
    CHECK(!nh_read_bytes(&r, SIZE_MAX) && r.bad);
}

static void a_writer_stops_at_its_end(void **state)
{
    uint8_t bytes[8];

    (void)state;
    memset(bytes, 0xee, sizeof bytes);
    struct nh_writer w = {bytes, bytes + 5, false};
    nh_write_le(&w, 4, 0x04030201);
    nh_write_le(&w, 2, 0xffff);
    CHECK(w.bad && bytes[4] == 0xee);
    nh_write_le(&w, 1, 0xff);
    nh_write_bytes(&w, "x", 1);
    CHECK(bytes[4] == 0xee);
    w = (struct nh_writer){bytes, bytes + 5, false};
    nh_write_bytes(&w, "abcdef", 6);
    CHECK(w.bad && bytes[0] == 1);
}

/* ---- frame --------------------------------------------------------------------------------- */

static struct nh_frame sample_frame(uint32_t n_parts, const char *meta)
{
    struct nh_frame frame = {.kind = 8,
                             .key_encoding = 2,
                             .hash = 3,
                             .flags = 1,
                             .seed = 0x1112131415161718,
                             .capacity = 1000,
                             .count = 77,
                             .fpr = 0.0625,
                             .options = 0x20002,
                             .n_parts = n_parts,
                             .meta = (const uint8_t *)meta,
                             .meta_size = (uint32_t)strlen(meta),
                             .body_checksum = 0x2122232425262728};

    for (uint32_t i = 0; i < n_parts; i++)
        frame.parts[i] = (struct nh_frame_part){.kind = 2,
                                                .n_hashes = 8,
                                                .capacity = 500 + i,
                                                .count = i,
                                                .n_cells = 3 + i,
                                                .words = {9, i},
                                                .size = 32 * (3 + i)};
    return frame;
}

static void a_frame_is_laid_out_in_lines_of_64(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= NH_MAX_PARTS; n++) {
        struct nh_frame frame = sample_frame(n, "a=b\n");
        uint64_t at = 0;
        test_where("%u parts", (unsigned)n);
        CHECK_OK(nh_frame_lay_out(&frame));
        CHECK_U64(frame.header_size, (96 + 64 * n + 4 + 8 + 63) / 64 * 64);
        for (uint32_t i = 0; i < n; i++) {
            CHECK_U64(frame.parts[i].offset, at);
            at = (at + frame.parts[i].size + 63) / 64 * 64;
        }
        CHECK_U64(frame.body_size, frame.parts[n - 1].offset + frame.parts[n - 1].size);
    }
}

static void a_frame_too_large_to_address_is_refused(void **state)
{
    struct nh_frame frame = sample_frame(2, "");

    (void)state;
    frame.parts[0].size = UINT64_C(1) << 62;
    CHECK_STATUS(nh_frame_lay_out(&frame), NINHO_ERR_NOMEM);
    frame.parts[0].size = UINT64_MAX;
    CHECK_STATUS(nh_frame_lay_out(&frame), NINHO_ERR_NOMEM);
    frame.parts[0].size = UINT64_C(1) << 61;
    frame.parts[1].size = UINT64_C(1) << 61;
    CHECK_STATUS(nh_frame_lay_out(&frame), NINHO_ERR_NOMEM);
}

static void a_frame_reads_as_it_was_written(void **state)
{
    static const char *const metas[] = {"", "a=b\n", "name=value\nother=thing\n"};

    (void)state;
    for (uint32_t n = 1; n <= NH_MAX_PARTS; n += 5) {
        for (size_t m = 0; m < 3; m++) {
            struct nh_frame frame = sample_frame(n, metas[m]), read;
            uint8_t bytes[NH_MAX_HEADER];
            test_where("%u parts, metadata %zu", (unsigned)n, m);
            CHECK_OK(nh_frame_lay_out(&frame));
            memset(bytes, 0xee, sizeof bytes);
            nh_frame_encode(&frame, bytes);
            for (size_t i = frame.header_size; i < sizeof bytes; i++)
                CHECK(bytes[i] == 0xee);
            const uint64_t total = frame.header_size + frame.body_size;
            CHECK_OK(nh_frame_decode(bytes, frame.header_size, total, &read, NULL));
            CHECK(read.kind == 8 && read.key_encoding == 2 && read.hash == 3);
            CHECK(read.flags == 1 && read.seed == frame.seed && read.key_check == 0);
            CHECK(read.capacity == 1000 && read.count == 77 && read.fpr == 0.0625);
            CHECK(read.options == 0x20002 && read.n_parts == n);
            CHECK(read.body_size == frame.body_size &&
                  read.header_size == frame.header_size);
            CHECK(read.body_checksum == frame.body_checksum);
            CHECK(read.meta_size == strlen(metas[m]));
            CHECK(memcmp(read.meta, metas[m], read.meta_size) == 0);
            for (uint32_t i = 0; i < n; i++) {
                const struct nh_frame_part *a = &frame.parts[i], *b = &read.parts[i];
                CHECK(a->kind == b->kind && a->n_hashes == b->n_hashes);
                CHECK(a->capacity == b->capacity && a->count == b->count);
                CHECK(a->n_cells == b->n_cells && a->words[0] == b->words[0]);
                CHECK(a->words[1] == b->words[1] && a->offset == b->offset &&
                      a->size == b->size);
            }
            /* the file is longer or shorter than it says */
            CHECK_STATUS(
                nh_frame_decode(bytes, frame.header_size, total + 1, &read, NULL),
                NINHO_ERR_FORMAT);
            CHECK_STATUS(
                nh_frame_decode(bytes, frame.header_size, total - 1, &read, NULL),
                NINHO_ERR_FORMAT);
        }
    }
}

/* The one example of the layout that is written out, byte for byte. */
static void the_layout_is_the_documented_one(void **state)
{
    static const uint8_t expected[192] = {
        'N',  'I',  'N',  'H',  'O',  0,    1,    0,
        192,  0,    0,    0,    8,    0,    2,    3, /* 0 */
        0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
        0,    0,    0,    0,    0,    0,    0,    0, /* 16 */
        0xe8, 3,    0,    0,    0,    0,    0,    0,
        77,   0,    0,    0,    0,    0,    0,    0, /* 32 */
        0,    0,    0,    0,    0,    0,    0xb0, 0x3f,
        1,    0,    0,    0,    1,    0,    0,    0, /* 48 */
        96,   0,    0,    0,    0,    0,    0,    0,
        0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, /* 64 */
        4,    0,    0,    0,    0,    0,    0,    0,
        2,    0,    2,    0,    0,    0,    0,    0, /* 80 */
        2,    0,    0,    0,    8,    0,    0,    0,
        0xf4, 1,    0,    0,    0,    0,    0,    0, /* 96: the part */
        0,    0,    0,    0,    0,    0,    0,    0,
        3,    0,    0,    0,    0,    0,    0,    0, /* 112 */
        9,    0,    0,    0,    0,    0,    0,    0,
        0,    0,    0,    0,    0,    0,    0,    0, /* 128 */
        0,    0,    0,    0,    0,    0,    0,    0,
        96,   0,    0,    0,    0,    0,    0,    0, /* 144 */
        'a',  '=',  'b',  '\n',                      /* 160: metadata */
    };
    struct nh_frame frame = sample_frame(1, "a=b\n");
    uint8_t bytes[192];

    (void)state;
    CHECK_OK(nh_frame_lay_out(&frame));
    CHECK_U64(frame.header_size, 192);
    nh_frame_encode(&frame, bytes);
    CHECK(memcmp(bytes, expected, 184) == 0);
    struct nh_reader r = {bytes + 184, bytes + 192, false};
    CHECK_U64(nh_read_le(&r, 8), nh_checksum_of(bytes, 184));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_short_read_is_bad_for_ever),
        cmocka_unit_test(a_writer_stops_at_its_end),
        cmocka_unit_test(a_frame_is_laid_out_in_lines_of_64),
        cmocka_unit_test(a_frame_too_large_to_address_is_refused),
        cmocka_unit_test(a_frame_reads_as_it_was_written),
        cmocka_unit_test(the_layout_is_the_documented_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
