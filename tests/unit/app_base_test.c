/* SPDX-License-Identifier: MIT */
/* What the applications share. */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "apps/base/base.h"
#include "apps/base/reader.h"
#include "apps/base/utf8.h"

struct options {
    size_t size_of_struct;
    uint32_t a, b;
};

static void options_of_other_versions_are_read(void **state)
{
    struct options mine = {sizeof mine, 1, 2};
    const struct options theirs = {sizeof theirs, 3, 4};
    const struct {
        struct options known;
        uint64_t new_one;
    } newer = {{sizeof newer, 5, 6}, 0}, unknown = {{sizeof unknown, 7, 8}, 1};
    const struct options older = {offsetof(struct options, b), 9, 99};
    const struct options unset = {0, 10, 11};

    (void)state;
    CHECK(na_struct_in(&mine, sizeof mine, NULL) && mine.a == 1);
    CHECK(na_struct_in(&mine, sizeof mine, &theirs) && mine.a == 3 && mine.b == 4);
    CHECK(na_struct_in(&mine, sizeof mine, &newer) && mine.a == 5 && mine.b == 6);
    CHECK_U64(mine.size_of_struct, sizeof mine);
    CHECK(!na_struct_in(&mine, sizeof mine, &unknown) && mine.a == 5);
    CHECK(na_struct_in(&mine, sizeof mine, &older) && mine.a == 9 && mine.b == 6);
    CHECK(!na_struct_in(&mine, sizeof mine, &unset) && mine.a == 9);
}

/* An older caller's error ends before the text does. */
static void structs_are_given_as_far_as_they_go(void **state)
{
    const struct options mine = {sizeof mine, 1, 2};
    struct options older = {offsetof(struct options, b), 9, 9}, unset = {0, 9, 9};
    struct {
        struct options known;
        uint64_t new_one;
    } newer = {{sizeof newer, 9, 9}, 9};

    (void)state;
    CHECK_OK(na_struct_out(&older, &mine, sizeof mine));
    CHECK(older.a == 1 && older.b == 9);
    CHECK_U64(older.size_of_struct, offsetof(struct options, b));
    CHECK_OK(na_struct_out(&newer, &mine, sizeof mine));
    CHECK(newer.known.b == 2 && newer.new_one == 9);
    CHECK_STATUS(na_struct_out(&unset, &mine, sizeof mine), NINHO_ERR_ARG);
    CHECK_U64(unset.a, 9);
}

static void errors_are_copied_within_their_size(void **state)
{
    ninho_error from = NINHO_ERROR_INIT;
    union {
        ninho_error error;
        uint8_t bytes[sizeof(ninho_error)];
    } to;
    const size_t small = offsetof(ninho_error, text) + 10;

    (void)state;
    ninho_error_set(&from, NINHO_ERR_FORMAT, "%s", "a sentence of more than ten bytes");
    memset(&to, 0x77, sizeof to);
    to.error.size_of_struct = small;
    na_error_copy(&to.error, &from);
    CHECK_U64(to.error.size_of_struct, small);
    CHECK_STATUS(to.error.status, NINHO_ERR_FORMAT);
    CHECK(memcmp(to.error.text, from.text, 10) == 0);
    for (size_t i = small; i < sizeof to; i++)
        CHECK_U64(to.bytes[i], 0x77);
    memset(&to, 0, sizeof to);
    na_error_copy(&to.error, &from);
    CHECK(strcmp(to.error.text, from.text) == 0);
    na_error_copy(NULL, &from);
}

static void arrays_grow_and_keep_what_they_hold(void **state)
{
    const ninho_alloc alloc = na_allocator(NULL);
    uint32_t *numbers = NULL;
    size_t room = 0;
    struct na_bytes bytes = {0};

    (void)state;
    for (size_t n = 0; n < 1000; n++) {
        CHECK(na_grow(&alloc, &numbers, n, &room, sizeof *numbers, 1));
        CHECK(room > n && room < 16 + 2 * (n + 1));
        numbers[n] = (uint32_t)n;
    }
    for (size_t n = 0; n < 1000; n++)
        CHECK_U64(numbers[n], n);
    CHECK(!na_grow(&alloc, &numbers, 1000, &room, sizeof *numbers, SIZE_MAX / 4));
    CHECK(!na_grow(&alloc, &numbers, 1000, &room, sizeof *numbers, SIZE_MAX));
    CHECK_U64(numbers[999], 999);
    na_free(&alloc, numbers, room, sizeof *numbers);
    CHECK(na_alloc(&alloc, SIZE_MAX / 2, 4) == NULL);

    CHECK(na_bytes_append(&alloc, &bytes, "abc", 3));
    CHECK(na_bytes_reserve_within(&alloc, &bytes, 297, 300));
    CHECK_U64(bytes.room, 300);
    CHECK(!na_bytes_reserve_within(&alloc, &bytes, 298, 300));
    CHECK(!na_bytes_reserve_within(&alloc, &bytes, 298, 2));
    CHECK(bytes.size == 3 && memcmp(bytes.data, "abc", 3) == 0);
    na_bytes_free(&alloc, &bytes);
    CHECK(!bytes.data && !bytes.room);
}

static void readers_stop_at_the_first_mistake(void **state)
{
    static const uint64_t values[] = {0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX};
    static const uint8_t too_long[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 2};
    uint8_t bytes[NA_VARINT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const size_t size = na_varint_write(bytes, values[i]);
        struct na_reader reader = na_reader_of(bytes, size);
        CHECK_U64(na_read_varint(&reader), values[i]);
        CHECK(!reader.is_bad && na_reader_left(&reader) == 0);
        reader = na_reader_of(bytes, size - 1);
        CHECK_U64(na_read_varint(&reader), 0);
        CHECK(reader.is_bad);
        CHECK_U64(na_unzigzag(na_zigzag((int64_t)values[i])), values[i]);
    }
    struct na_reader reader = na_reader_of(too_long, sizeof too_long);
    CHECK_U64(na_read_varint(&reader), 0);
    CHECK(reader.is_bad);

    reader = na_reader_of("\x34\x12...", 5);
    CHECK_U64(na_read(&reader, 2), 0x1234);
    CHECK(!na_read_bytes(&reader, UINT64_MAX) && reader.is_bad);
    CHECK_U64(reader.bad_at, 2);
    CHECK_U64(na_read(&reader, 1), 0);
    CHECK_U64(reader.bad_at, 2);
}

/* Every code point there and back; every other sequence of up to three bytes is refused. */
static void utf8_is_what_unicode_says(void **state)
{
    static const char *const refused[] = {"\x80",
                                          "\xc0\x80",
                                          "\xc1\xbf",
                                          "\xe0\x9f\xbf",
                                          "\xed\xa0\x80",
                                          "\xed\xbf\xbf",
                                          "\xf0\x8f\xbf\xbf",
                                          "\xf4\x90\x80\x80",
                                          "\xf5\x80\x80",
                                          "\xf8\x88\x80\x80",
                                          "\xff",
                                          "\xe2\x82",
                                          "\xe2\x28\xa1",
                                          "\xf0\x9f\x98",
                                          "\xc3"};
    uint32_t n_good = 0, n_read = 0;

    (void)state;
    for (uint32_t point = 0; point < 0x110000; point++) {
        uint8_t bytes[4];
        uint32_t got = 0;
        if (point >= 0xD800 && point < 0xE000)
            continue;
        const unsigned size = na_utf8_write(point, bytes);
        CHECK_U64(na_utf8_read(bytes, size, &got), size);
        CHECK_U64(got, point);
        CHECK(size == 1 || na_utf8_read(bytes, size - 1, &got) == 0);
        n_good += size <= 3;
    }
    for (uint32_t three = 0; three < 1 << 24; three++) {
        const uint8_t bytes[] = {(uint8_t)(three >> 16), (uint8_t)(three >> 8),
                                 (uint8_t)three};
        const unsigned size = na_utf8_read(bytes, 3, NULL);
        n_read += size == 3 || (size == 2 && !bytes[2]) ||
                  (size == 1 && !bytes[1] && !bytes[2]);
    }
    CHECK_U64(n_read, n_good);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK_U64(na_utf8_read((const uint8_t *)refused[i], strlen(refused[i]), NULL), 0);
}

static void files_are_read_whole_or_refused(void **state)
{
    const ninho_alloc alloc = na_allocator(NULL);
    struct na_bytes bytes = {0};
    ninho_error error = NINHO_ERROR_INIT;
    struct temp_dir folder;
    char path[512];

    (void)state;
    temp_dir_make(&folder);
    (void)temp_path(&folder, "file", path);
    CHECK_STATUS(na_file_read(&alloc, path, 10, &bytes, &error), NINHO_ERR_IO);
    CHECK_U64((uint64_t)error.system_errno, ENOENT);
    CHECK_STATUS(na_file_read(&alloc, folder.path, 10, &bytes, &error), NINHO_ERR_FORMAT);
    file_write(path, "0123456789", 10);
    CHECK_STATUS(na_file_read(&alloc, path, 9, &bytes, &error), NINHO_ERR_FORMAT);
    CHECK(!bytes.data);
    CHECK_OK(na_file_read(&alloc, path, 10, &bytes, &error));
    CHECK(bytes.size == 10 && memcmp(bytes.data, "0123456789", 10) == 0);
    na_bytes_free(&alloc, &bytes);
    file_write(path, "", 0);
    CHECK_OK(na_file_read(&alloc, path, 10, &bytes, &error));
    CHECK(bytes.data && bytes.size == 0);
    na_bytes_free(&alloc, &bytes);
    temp_dir_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_other_versions_are_read),
        cmocka_unit_test(structs_are_given_as_far_as_they_go),
        cmocka_unit_test(errors_are_copied_within_their_size),
        cmocka_unit_test(arrays_grow_and_keep_what_they_hold),
        cmocka_unit_test(readers_stop_at_the_first_mistake),
        cmocka_unit_test(utf8_is_what_unicode_says),
        cmocka_unit_test(files_are_read_whole_or_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
