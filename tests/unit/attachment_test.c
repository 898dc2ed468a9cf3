/* SPDX-License-Identifier: MIT */
/* Bytes that an application keeps in the filter's file. */
#include "unit/inside.h"

#include <stdlib.h>
#include <string.h>

#include "format/frame.h"

static const uint8_t note[] = "an exact dictionary, say\0 with a NUL in it";

static void check_attached(const ninho_filter *filter, const void *bytes, size_t expected)
{
    size_t size = 99;
    const uint8_t *attached = ninho_filter_attachment(filter, &size);

    CHECK_U64(size, expected);
    CHECK(!!attached == (expected > 0));
    CHECK(!expected || memcmp(attached, bytes, expected) == 0);
}

static ninho_filter *some_filter(ninho_kind kind)
{
    const ninho_spec spec = spec_of(kind, 100, .01);
    uint64_t hashes[100];

    for (uint64_t i = 0; i < 100; i++)
        hashes[i] = mix64(i);
    return built_of(&spec, hashes, 100);
}

static void every_kind_keeps_one_through_every_door(void **state)
{
    struct temp_dir dir;
    char path[512];
    ninho_kind kind;

    (void)state;
    temp_dir_make(&dir);
    temp_path(&dir, "filter", path);
    for (size_t i = 0; (kind = ninho_kind_at(i)) != 0; i++) {
        ninho_filter *filter = some_filter(kind), *plain = some_filter(kind);
        ninho_filter *others[4] = {NULL};
        const ninho_filter *viewed = NULL;
        ninho_view view;
        ninho_info before = NINHO_INFO_INIT, after = NINHO_INFO_INIT;
        test_where("%s", ninho_kind_name(kind));
        check_attached(filter, NULL, 0);
        CHECK_OK(ninho_filter_info(filter, &before));
        CHECK_OK(ninho_filter_set_attachment(filter, note, sizeof note));
        check_attached(filter, note, sizeof note);
        CHECK_OK(ninho_filter_info(filter, &after));
        CHECK(after.size_bytes > before.size_bytes + sizeof note);
        CHECK(after.table_bytes == before.table_bytes && after.n_parts == before.n_parts);
        size_t size;
        uint8_t *bytes = encoded(filter, &size);
        CHECK_OK(ninho_filter_save(filter, path, NULL));
        CHECK_U64(file_size(path), size);
        CHECK_OK(ninho_filter_decode(bytes, size, NULL, &others[0], NULL));
        CHECK_OK(ninho_filter_copy(filter, NULL, &others[1], NULL));
        CHECK_OK(ninho_filter_open(path, NULL, &others[2], NULL));
        CHECK_OK(ninho_filter_map(path, NULL, &others[3], NULL));
        CHECK_OK(ninho_filter_view(&view, bytes, size, NULL, &viewed, NULL));
        for (int j = 0; j < 5; j++) {
            const ninho_filter *other = j < 4 ? others[j] : viewed;
            check_attached(other, note, sizeof note);
            check_equal_bytes(other, filter);
            CHECK_OK(ninho_filter_verify(other, NULL));
            CHECK(ninho_filter_has(other, mix64(5)));
        }
        CHECK_STATUS(ninho_filter_set_attachment(others[3], note, 3),
                     NINHO_ERR_UNSUPPORTED);
        /* replaced, and taken away: as if it had never been */
        CHECK_OK(ninho_filter_set_attachment(filter, "x", 1));
        check_attached(filter, "x", 1);
        CHECK_OK(ninho_filter_set_attachment(filter, NULL, 0));
        check_attached(filter, NULL, 0);
        check_equal_bytes(filter, plain);
        for (int j = 0; j < 4; j++)
            ninho_filter_free(others[j]);
        free(bytes);
        ninho_filter_free(filter);
        ninho_filter_free(plain);
    }
    CHECK_U64(temp_dir_count(&dir), 1);
    temp_dir_remove(&dir);
}

static void bad_arguments_are_refused(void **state)
{
    ninho_filter *filter = some_filter(NINHO_BLOOM);
    size_t size = 7;

    (void)state;
    CHECK_STATUS(ninho_filter_set_attachment(NULL, note, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_set_attachment(filter, NULL, 1), NINHO_ERR_ARG);
    CHECK(!ninho_filter_attachment(NULL, &size) && size == 0);
    CHECK(!ninho_filter_attachment(filter, NULL));
    ninho_filter_free(filter);
}

static void a_filter_of_several_parts_keeps_one(void **state)
{
    ninho_spec spec = spec_of(NINHO_SCALABLE, 1, .9);
    ninho_info info = NINHO_INFO_INIT;

    (void)state;
    ninho_filter *filter = filter_of(&spec, NULL), *decoded = NULL;
    for (uint64_t i = 0; i < 3000; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    CHECK_OK(ninho_filter_info(filter, &info));
    CHECK(info.n_parts > 5);
    CHECK_OK(ninho_filter_set_attachment(filter, note, sizeof note));
    size_t size;
    uint8_t *bytes = encoded(filter, &size);
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &decoded, NULL));
    check_attached(decoded, note, sizeof note);
    check_equal_bytes(filter, decoded);
    free(bytes);
    ninho_filter_free(filter);
    ninho_filter_free(decoded);
}

static void without_memory_the_old_one_stays(void **state)
{
    const ninho_spec spec = spec_of(NINHO_BLOOM, 100, .01);
    struct temp_dir dir;
    char path[512];
    struct test_heap heap;
    ninho_open_options options = NINHO_OPEN_INIT;

    (void)state;
    heap_init(&heap);
    ninho_filter *filter = filter_of(&spec, &heap.alloc);
    CHECK_OK(ninho_filter_set_attachment(filter, note, sizeof note));
    heap_fail_at(&heap, 1);
    CHECK_STATUS(ninho_filter_set_attachment(filter, note, 3), NINHO_ERR_NOMEM);
    check_attached(filter, note, sizeof note);
    /* and opening fails at every call without a trace */
    temp_dir_make(&dir);
    CHECK_OK(ninho_filter_save(filter, temp_path(&dir, "f", path), NULL));
    ninho_filter_free(filter);
    CHECK_U64(heap.live_blocks, 0);
    options.alloc = &heap.alloc;
    for (size_t n = 1;; n++) {
        ninho_filter *opened = NULL;
        heap_fail_at(&heap, n);
        const ninho_status status = ninho_filter_open(path, &options, &opened, NULL);
        if (!status) {
            CHECK_U64(n, 4); /* the filter, its table, the attachment */
            check_attached(opened, note, sizeof note);
            ninho_filter_free(opened);
            break;
        }
        CHECK_STATUS(status, NINHO_ERR_NOMEM);
        CHECK_U64(heap.live_blocks, 0);
    }
    temp_dir_remove(&dir);
}

static void damage_is_noticed(void **state)
{
    ninho_filter *filter = some_filter(NINHO_QUOTIENT);
    size_t size;

    (void)state;
    CHECK_OK(ninho_filter_set_attachment(filter, note, sizeof note));
    uint8_t *bytes = encoded(filter, &size);
    uint8_t *record = bytes + NH_FIXED_BYTES + NH_PART_BYTES;
    CHECK_U64(record[0] | record[1] << 8, 0xffff);
    CHECK_U64(record[24], sizeof note);
    for (size_t i = 0; i < NH_PART_BYTES; i++) {
        record[i] ^= 0x40;
        test_where("byte %zu of its record", i);
        CHECK(try_bytes(bytes, size));
        record[i] ^= 0x40;
    }
    CHECK(!try_bytes(bytes, size));
    /* its own bytes are the body's: the checksum covers them */
    bytes[size - 1] ^= 1;
    ninho_filter *decoded = NULL;
    CHECK_STATUS(ninho_filter_decode(bytes, size, NULL, &decoded, NULL),
                 NINHO_ERR_CHECKSUM);
    CHECK(!try_bytes(bytes, size)); /* with a fitting one they may be anything */
    /* the gap before it is not */
    bytes[size - sizeof note - 1] ^= 1;
    CHECK(try_bytes(bytes, size));
    ninho_error error = NINHO_ERROR_INIT;
    ninho_view view;
    const ninho_filter *viewed = NULL;
    CHECK_OK(ninho_filter_view(&view, bytes, size, NULL, &viewed, NULL));
    CHECK_STATUS(ninho_filter_verify(viewed, &error), NINHO_ERR_FORMAT);
    CHECK_U64(error.offset, size - sizeof note - 1);
    bytes[size - sizeof note - 1] ^= 1;
    /* cut short anywhere */
    for (size_t n = 0; n < size; n++) {
        uint8_t *cut = malloc(n ? n : 1);
        CHECK(cut);
        memcpy(cut, bytes, n);
        CHECK(ninho_filter_decode(cut, n, NULL, &decoded, NULL) != NINHO_OK);
        free(cut);
    }
    free(bytes);
    ninho_filter_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_keeps_one_through_every_door),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(a_filter_of_several_parts_keeps_one),
        cmocka_unit_test(without_memory_the_old_one_stays),
        cmocka_unit_test(damage_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
