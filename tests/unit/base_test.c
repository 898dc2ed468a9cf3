/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/le.h"
#include "base/status.h"

/* ---- status -------------------------------------------------------------------------------- */

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int a = 0; a <= 16; a++) {
        const char *text = ninho_status_text((ninho_status)a);
        CHECK(text && *text && !strchr(text, '\n'));
        CHECK(strcmp(text, "unknown status") != 0);
        for (int b = 0; b < a; b++)
            CHECK(strcmp(text, ninho_status_text((ninho_status)b)) != 0);
    }
    assert_string_equal(ninho_status_text((ninho_status)17), "unknown status");
    assert_string_equal(ninho_status_text((ninho_status)-1), "unknown status");
}

static void what_an_error_says_of_outside_is_one_line(void **state)
{
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    ninho_error_set(&error, NINHO_ERR_ARG, "\"%s\" is no value",
                    "a\nb\x1b[2J\x7f\xc3\xa9");
    assert_string_equal(error.text, "\"a?b?[2J?\xc3\xa9\" is no value");
}

static void status_numbers_are_pinned(void **state)
{
    (void)state;
    assert_int_equal(NINHO_OK, 0);
    assert_int_equal(NINHO_ERR_ARG, 1);
    assert_int_equal(NINHO_ERR_NOMEM, 2);
    assert_int_equal(NINHO_ERR_FULL, 3);
    assert_int_equal(NINHO_ERR_UNSUPPORTED, 4);
    assert_int_equal(NINHO_ERR_NOT_FOUND, 5);
    assert_int_equal(NINHO_ERR_MISMATCH, 6);
    assert_int_equal(NINHO_ERR_BUILD, 7);
    assert_int_equal(NINHO_ERR_SPACE, 8);
    assert_int_equal(NINHO_ERR_KEY_MISSING, 9);
    assert_int_equal(NINHO_ERR_IO, 10);
    assert_int_equal(NINHO_ERR_FORMAT, 11);
    assert_int_equal(NINHO_ERR_VERSION, 12);
    assert_int_equal(NINHO_ERR_CHECKSUM, 13);
    assert_int_equal(NINHO_ERR_KEY_WRONG, 14);
    assert_int_equal(NINHO_ERR_KEY_UNUSED, 15);
    assert_int_equal(NINHO_ERR_CHANGED, 16);
}

static void a_failure_is_told_and_cut_to_fit(void **state)
{
    char text[1000];
    ninho_error error = {.system_errno = 7};

    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    CHECK(nh_fail(&error, NINHO_ERR_ARG, "%s", text) == NINHO_ERR_ARG);
    CHECK(error.status == NINHO_ERR_ARG && error.system_errno == 0);
    CHECK_U64(strlen(error.text), sizeof error.text - 1);
    CHECK(nh_fail(NULL, NINHO_ERR_FULL, "nobody listens") == NINHO_ERR_FULL);
    CHECK(nh_fail_errno(&error, ENOSPC, "write") == NINHO_ERR_IO);
    CHECK(error.status == NINHO_ERR_IO && error.system_errno == ENOSPC);
    CHECK(strncmp(error.text, "write: ", 7) == 0 && strlen(error.text) > 7);
    CHECK(nh_fail_errno(NULL, EIO, "write") == NINHO_ERR_IO);
}

/* Whoever was built with another version has a struct of another size. */
static void an_error_fills_no_more_than_its_struct_and_ends(void **state)
{
    const size_t before = offsetof(ninho_error, text);

    (void)state;
    for (size_t size = sizeof size; size <= sizeof(ninho_error) + 8; size++) {
        ninho_error *error = malloc(size); /* the sanitizer guards its end */
        size_t after;
        CHECK(error);
        memset(error, 'x', size);
        memcpy(error, &size, sizeof size);
        CHECK_STATUS(nh_fail(error, NINHO_ERR_ARG, "%0300d", 7), NINHO_ERR_ARG);
        memcpy(&after, error, sizeof after);
        CHECK_U64(after, size);
        if (size > before)
            CHECK(memchr((char *)error + before, 0, size - before));
        free(error);
    }
}

static void the_version_is_the_headers(void **state)
{
    (void)state;
    int part[3] = {-1, -1, -1};
    const char *at = ninho_version();
    for (int i = 0; i < 3; i++) {
        CHECK(*at >= '0' && *at <= '9');
        for (part[i] = 0; *at >= '0' && *at <= '9'; at++)
            part[i] = part[i] * 10 + (*at - '0');
        CHECK(*at == (i < 2 ? '.' : 0));
        at++;
    }
    assert_int_equal(part[0], NINHO_VERSION_MAJOR);
    assert_int_equal(part[1], NINHO_VERSION_MINOR);
    assert_int_equal(part[2], NINHO_VERSION_PATCH);
}

/* ---- bits ---------------------------------------------------------------------------------- */

/* Schoolbook multiplication, digit by digit in base 2^16. */
static uint64_t slow_mul_high(uint64_t a, uint64_t b)
{
    uint64_t digits[8] = {0};

    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < 4; j++) {
            uint64_t carry = (a >> (16 * i) & 0xffff) * (b >> (16 * j) & 0xffff);
            for (unsigned at = i + j; carry; at++) {
                carry += digits[at];
                digits[at] = carry & 0xffff;
                carry >>= 16;
            }
        }
    }
    return digits[4] | digits[5] << 16 | digits[6] << 32 | digits[7] << 48;
}

static void the_high_half_of_a_product_is_right(void **state)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     0xffffffff,
                                     UINT64_C(0x100000000),
                                     UINT64_C(0x100000001),
                                     UINT64_C(0x7fffffffffffffff),
                                     UINT64_C(0x8000000000000000),
                                     UINT64_C(0xfffffffffffffffe),
                                     UINT64_MAX};
    struct test_rng rng = {1};

    (void)state;
    for (size_t i = 0; i < 10; i++)
        for (size_t j = 0; j < 10; j++)
            CHECK_U64(nh_mul_high(edges[i], edges[j]), slow_mul_high(edges[i], edges[j]));
    for (int i = 0; i < 10000; i++) {
        const uint64_t a = rng_next(&rng), b = rng_next(&rng) >> rng_below(&rng, 64);
        CHECK_U64(nh_mul_high(a, b), slow_mul_high(a, b));
    }
}

static void reduce_stays_below_n_and_reaches_both_ends(void **state)
{
    struct test_rng rng = {2};

    (void)state;
    CHECK_U64(nh_reduce(UINT64_MAX, 1), 0);
    CHECK_U64(nh_reduce(0, 12345), 0);
    CHECK_U64(nh_reduce(UINT64_MAX, 12345), 12344);
    CHECK_U64(nh_reduce(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
    for (int i = 0; i < 10000; i++) {
        const uint64_t n = (rng_next(&rng) >> rng_below(&rng, 64)) | 1;
        CHECK(nh_reduce(rng_next(&rng), n) < n);
    }
}

static void masks_and_popcounts_cover_all_widths(void **state)
{
    (void)state;
    CHECK_U64(nh_low_mask(0), 0);
    for (unsigned n = 1; n <= 64; n++) {
        CHECK_U64(nh_low_mask(n), UINT64_MAX >> (64 - n));
        CHECK_U64(nh_popcount(nh_low_mask(n)), n);
        CHECK_U64(nh_popcount(UINT64_C(1) << (n - 1)), 1);
    }
    CHECK_U64(nh_popcount(0), 0);
}

static void sums_and_products_that_would_wrap_are_refused(void **state)
{
    uint64_t out = 99;

    (void)state;
    CHECK(nh_mul_fits(UINT64_C(1) << 32, UINT64_C(1) << 31, &out));
    CHECK_U64(out, UINT64_C(1) << 63);
    out = 99;
    CHECK(!nh_mul_fits(UINT64_C(1) << 32, UINT64_C(1) << 32, &out));
    CHECK(!nh_mul_fits(UINT64_MAX, 2, &out) && !nh_mul_fits(2, UINT64_MAX, &out));
    CHECK_U64(out, 99);
    CHECK(nh_mul_fits(0, UINT64_MAX, &out) && out == 0);
    CHECK(nh_mul_fits(UINT64_MAX, 0, &out) && out == 0);
    CHECK(nh_mul_fits(UINT64_MAX, 1, &out) && out == UINT64_MAX);
    CHECK(nh_add_fits(UINT64_MAX - 1, 1, &out) && out == UINT64_MAX);
    out = 99;
    CHECK(!nh_add_fits(UINT64_MAX, 1, &out) && !nh_add_fits(1, UINT64_MAX, &out));
    CHECK_U64(out, 99);
}

static void rounding_up_reaches_the_next_multiple(void **state)
{
    (void)state;
    CHECK_U64(nh_round_up(0, 64), 0);
    CHECK_U64(nh_round_up(1, 64), 64);
    CHECK_U64(nh_round_up(64, 64), 64);
    CHECK_U64(nh_round_up(65, 64), 128);
    CHECK_U64(nh_round_up(7, 1), 7);
    CHECK_U64(nh_round_up(UINT64_MAX - 63, 64), UINT64_MAX - 63);
}

/* ---- little-endian ------------------------------------------------------------------------- */

static void words_are_little_endian_at_any_address(void **state)
{
    uint8_t bytes[24];

    (void)state;
    for (size_t at = 0; at < 9; at++) {
        memset(bytes, 0xcc, sizeof bytes);
        nh_store_le64(bytes + at, UINT64_C(0x0807060504030201));
        for (size_t i = 0; i < 8; i++)
            CHECK_U64(bytes[at + i], i + 1);
        CHECK(bytes[at + 8] == 0xcc && (at == 0 || bytes[at - 1] == 0xcc));
        CHECK_U64(nh_load_le64(bytes + at), UINT64_C(0x0807060504030201));
        CHECK_U64(nh_load_le32(bytes + at), 0x04030201);
        CHECK(ninho_load16_(bytes + at) == 0x0201);
        ninho_store32_(bytes + at, 0xa1a2a3a4);
        CHECK(bytes[at] == 0xa4 && bytes[at + 3] == 0xa1 && bytes[at + 4] == 5);
        nh_store_le16(bytes + at, 0xb1b2);
        CHECK(bytes[at] == 0xb2 && bytes[at + 1] == 0xb1 && bytes[at + 2] == 0xa2);
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

static void tables_are_zero_and_start_on_a_cache_line(void **state)
{
    static const size_t sizes[] = {1,       63,     64, 65, 4096, 100001, (4 << 20) - 1,
                                   4 << 20, 5000001};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int want_huge = 0; want_huge < 2; want_huge++) {
            const ninho_alloc alloc = nh_alloc_or_default(NULL);
            struct nh_table table = {0};
            test_where("%zu bytes, huge %d", sizes[i], want_huge);
            CHECK(nh_table_alloc(&alloc, sizes[i], want_huge, &table));
            CHECK((uintptr_t)table.bytes % 64 == 0);
            CHECK(is_zero(table.bytes, sizes[i]));
            CHECK(!table.has_huge_pages || (want_huge && sizes[i] >= 4 << 20));
            memset(table.bytes, 0xff, sizes[i]);
            nh_table_free(&alloc, &table);
            CHECK(!table.bytes && !table.block);
            nh_table_free(&alloc, &table); /* an empty table is fine */
        }
    }
}

static void tables_come_from_the_callers_allocator(void **state)
{
    struct test_heap heap;
    struct nh_table table = {0};

    (void)state;
    heap_init(&heap);
    CHECK(nh_table_alloc(&heap.alloc, 5 << 20, true, &table));
    CHECK((uintptr_t)table.bytes % 64 == 0);
    CHECK(is_zero(table.bytes, 5 << 20)); /* the heap hands out 0xa5 */
    CHECK(!table.is_mapped && !table.has_huge_pages);
    CHECK_U64(heap.live_blocks, 1);
    nh_table_free(&heap.alloc, &table);
    CHECK_U64(heap.live_blocks, 0);
    heap_fail_at(&heap, 1);
    CHECK(!nh_table_alloc(&heap.alloc, 100, true, &table));
    CHECK(!table.bytes);
    CHECK(!nh_table_alloc(&heap.alloc, SIZE_MAX, true, &table));
    CHECK(!nh_table_alloc(&heap.alloc, SIZE_MAX - 63, false, &table));
    CHECK(!table.bytes && heap.live_blocks == 0);
}

static void a_table_too_large_is_refused_not_wrapped(void **state)
{
    const ninho_alloc alloc = nh_alloc_or_default(NULL);
    struct nh_table table = {0};

    (void)state;
    for (size_t less = 0; less < (8 << 20); less += 1 << 18) {
        CHECK(!nh_table_alloc(&alloc, SIZE_MAX - less, true, &table));
        CHECK(!nh_table_alloc(&alloc, SIZE_MAX - less, false, &table));
    }
    CHECK(!table.bytes);
}

static void half_an_allocator_is_none(void **state)
{
    struct test_heap heap;
    ninho_alloc half;

    (void)state;
    heap_init(&heap);
    half = heap.alloc;
    half.free = NULL;
    const ninho_alloc chosen = nh_alloc_or_default(&half);
    void *memory = nh_alloc_zeroed(&chosen, 100);
    CHECK(memory && is_zero(memory, 100));
    nh_alloc_free(&chosen, memory, 100);
    nh_alloc_free(&chosen, NULL, 100);
    CHECK_U64(heap.n_calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(what_an_error_says_of_outside_is_one_line),
        cmocka_unit_test(status_numbers_are_pinned),
        cmocka_unit_test(a_failure_is_told_and_cut_to_fit),
        cmocka_unit_test(an_error_fills_no_more_than_its_struct_and_ends),
        cmocka_unit_test(the_version_is_the_headers),
        cmocka_unit_test(the_high_half_of_a_product_is_right),
        cmocka_unit_test(reduce_stays_below_n_and_reaches_both_ends),
        cmocka_unit_test(masks_and_popcounts_cover_all_widths),
        cmocka_unit_test(sums_and_products_that_would_wrap_are_refused),
        cmocka_unit_test(rounding_up_reaches_the_next_multiple),
        cmocka_unit_test(words_are_little_endian_at_any_address),
        cmocka_unit_test(tables_are_zero_and_start_on_a_cache_line),
        cmocka_unit_test(tables_come_from_the_callers_allocator),
        cmocka_unit_test(a_table_too_large_is_refused_not_wrapped),
        cmocka_unit_test(half_an_allocator_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
