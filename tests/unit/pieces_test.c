/* SPDX-License-Identifier: MIT */
/* What hosts need that keep filters in pieces: encodings read by ranges, and keys moved from a
 * cuckoo filter to a smaller one that is nested in it. */
#include <stdlib.h>
#include <string.h>

#include "hash/hash.h"
#include "support/test.h"

static ninho_filter *made(const ninho_spec *spec)
{
    ninho_filter *filter;

    CHECK_OK(ninho_filter_create(spec, NULL, &filter, NULL));
    return filter;
}

/* ---- Ranges -------------------------------------------------------------------------------- */

/* A filter of several parts with gaps between them, metadata and an attachment. */
static ninho_filter *grown(void)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = NINHO_SCALABLE;
    spec.base = NINHO_BLOOM;
    spec.capacity = 37;
    spec.fpr = .02;
    ninho_filter *filter = made(&spec);
    for (uint64_t i = 0; i < 500; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    CHECK_OK(ninho_filter_set_meta(filter, "nest", "robin"));
    CHECK_OK(ninho_filter_set_attachment(filter, "eggs", 4));
    return filter;
}

static void ranges_put_together_are_the_encoding(void **state)
{
    ninho_filter *filter = grown();
    const size_t size = ninho_filter_encoded_size(filter);
    uint8_t *whole = malloc(size), *pieces = malloc(size);

    (void)state;
    CHECK(whole && pieces);
    CHECK_OK(ninho_filter_encode(filter, whole, size, NULL));
    for (size_t step = 1; step <= size; step = step * 3 + 1) {
        ninho_encoder encoder = {.filter = filter};
        memset(pieces, 0xa5, size);
        for (size_t at = 0; at < size; at += step) {
            const size_t n = size - at < step ? size - at : step;
            CHECK_OK(ninho_encoder_read(&encoder, at, pieces + at, n));
        }
        CHECK(memcmp(whole, pieces, size) == 0);
    }
    free(whole);
    free(pieces);
    ninho_filter_free(filter);
}

#ifdef NINHO_TEST_HOOKS
/* However small the pieces are, the tables are summed up once; and not at all for pieces of them. */
static void the_tables_are_summed_up_once(void **state)
{
    ninho_filter *filter = grown();
    const size_t size = ninho_filter_encoded_size(filter);
    ninho_encoder encoder = {.filter = filter};
    uint8_t byte;

    (void)state;
    const uint64_t before = nh_bytes_summed;
    for (size_t at = size; at-- > size / 2;)
        CHECK_OK(ninho_encoder_read(&encoder, at, &byte, 1));
    CHECK_U64(nh_bytes_summed - before, 0);
    for (size_t at = 0; at < size;
         at += 256) /* a few are the header's, and sum that up */
        CHECK_OK(ninho_encoder_read(&encoder, at, &byte, 1));
    CHECK(nh_bytes_summed - before >= size / 2);
    CHECK(nh_bytes_summed - before < size + size / 2);
    ninho_filter_free(filter);
}
#endif

static void a_range_beyond_the_end_is_refused(void **state)
{
    ninho_filter *filter = grown();
    const size_t size = ninho_filter_encoded_size(filter);
    ninho_encoder encoder = {.filter = filter};
    uint8_t byte = 7;

    (void)state;
    CHECK_OK(ninho_encoder_read(&encoder, size, NULL, 0));
    CHECK_STATUS(ninho_encoder_read(&encoder, size, &byte, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_encoder_read(&encoder, UINT64_MAX, &byte, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_encoder_read(&encoder, 0, NULL, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_encoder_read(NULL, 0, &byte, 1), NINHO_ERR_ARG);
    CHECK_U64(byte, 7);
    encoder.filter = NULL;
    CHECK_STATUS(ninho_encoder_read(&encoder, 0, &byte, 1), NINHO_ERR_ARG);
    ninho_filter_free(filter);
}

/* ---- Moving -------------------------------------------------------------------------------- */

enum { FIRST = 3000 };

static ninho_spec nested(uint64_t growth, uint32_t bucket)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = NINHO_CUCKOO;
    spec.capacity = FIRST * growth;
    spec.slots = NINHO_BUCKETS;
    spec.place_slots = bucket;
    spec.tag_bits = 12;
    spec.n_slots = 2 * FIRST * growth;
    spec.n_slots -= spec.n_slots % (bucket * growth);
    return spec;
}

/* Keys of the large one move until it is empty; then any can be removed, and no other is lost. */
static void keys_move_to_a_nested_filter(void **state)
{
    (void)state;
    for (uint32_t bucket = 2; bucket <= 4; bucket++) {
        const ninho_spec small_spec = nested(1, bucket);
        ninho_spec large_spec = nested(1, bucket);
        large_spec.capacity *= 3;
        large_spec.n_slots *= 3;
        ninho_filter *small = made(&small_spec), *large = made(&large_spec);
        uint64_t cursor = 0;
        for (uint64_t i = 0; i < FIRST - 10; i++)
            CHECK_OK(ninho_filter_add(large, mix64(i)));
        unsigned n_steps = 0;
        while (cursor != UINT64_MAX && n_steps++ < 1000)
            CHECK_OK(ninho_filter_move(small, large, &cursor, 1000, NULL));
        CHECK(n_steps >= large_spec.n_slots / 1000 && n_steps < large_spec.n_slots / 900);
        CHECK_U64(ninho_filter_count(large), 0);
        CHECK_U64(ninho_filter_count(small), FIRST - 10);
        CHECK_OK(ninho_filter_verify(small, NULL));
        CHECK_OK(ninho_filter_verify(large, NULL));
        for (uint64_t i = 0; i < FIRST - 10; i += 2)
            CHECK_OK(ninho_filter_remove(small, mix64(i)));
        for (uint64_t i = 1; i < FIRST - 10; i += 2)
            CHECK(ninho_filter_has(small, mix64(i)));
        ninho_filter_free(small);
        ninho_filter_free(large);
    }
}

static void moving_stops_at_the_capacity_of_the_target(void **state)
{
    const ninho_spec small_spec = nested(1, 2);
    ninho_spec large_spec = nested(1, 2);
    uint64_t cursor = 0;

    (void)state;
    large_spec.capacity *= 2;
    large_spec.n_slots *= 2;
    ninho_filter *small = made(&small_spec), *large = made(&large_spec);
    for (uint64_t i = 0; i < 2 * FIRST - 100; i++)
        CHECK_OK(ninho_filter_add(large, mix64(i)));
    CHECK_OK(ninho_filter_move(small, large, &cursor, UINT64_MAX, NULL));
    CHECK(cursor != UINT64_MAX);
    CHECK_U64(ninho_filter_count(small), FIRST);
    CHECK_U64(ninho_filter_count(large), FIRST - 100);
    for (uint64_t i = 0; i < 2 * FIRST - 100; i++)
        CHECK(ninho_filter_has(small, mix64(i)) || ninho_filter_has(large, mix64(i)));
    cursor = UINT64_MAX; /* behind the end */
    CHECK_OK(ninho_filter_move(small, large, &cursor, 5, NULL));
    CHECK_U64(ninho_filter_count(small), FIRST);
    ninho_filter_free(small);
    ninho_filter_free(large);
}

static void what_is_not_nested_is_refused(void **state)
{
    const ninho_spec spec = nested(1, 2);
    ninho_spec other = spec, bloom = NINHO_SPEC_INIT;
    ninho_filter *filter = made(&spec), *wrong;
    ninho_error error = NINHO_ERROR_INIT;
    uint64_t cursor = 0;

    (void)state;
    other.tag_bits = 13;
    wrong = made(&other);
    CHECK_STATUS(ninho_filter_move(filter, wrong, &cursor, 1, &error),
                 NINHO_ERR_MISMATCH);
    ninho_filter_free(wrong);
    other = spec;
    other.n_slots += 2;
    wrong = made(&other);
    CHECK_STATUS(ninho_filter_move(filter, wrong, &cursor, 1, &error),
                 NINHO_ERR_MISMATCH);
    ninho_filter_free(wrong);
    other = spec;
    other.seed = 5;
    wrong = made(&other);
    CHECK_STATUS(ninho_filter_move(filter, wrong, &cursor, 1, &error),
                 NINHO_ERR_MISMATCH);
    ninho_filter_free(wrong);
    other = spec;
    other.semantics = NINHO_SET;
    wrong = made(&other);
    CHECK_STATUS(ninho_filter_move(filter, wrong, &cursor, 1, &error),
                 NINHO_ERR_MISMATCH);
    ninho_filter_free(wrong);
    bloom.kind = NINHO_BLOOM;
    bloom.capacity = 10;
    bloom.fpr = .1;
    wrong = made(&bloom);
    CHECK_STATUS(ninho_filter_move(filter, wrong, &cursor, 1, &error),
                 NINHO_ERR_MISMATCH);
    ninho_filter *second = made(&bloom);
    CHECK_STATUS(ninho_filter_move(second, wrong, &cursor, 1, &error),
                 NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_move(filter, filter, &cursor, 1, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_move(filter, NULL, &cursor, 1, NULL), NINHO_ERR_ARG);
    ninho_filter_free(second);
    ninho_filter_free(wrong);
    ninho_filter_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_put_together_are_the_encoding),
#ifdef NINHO_TEST_HOOKS
        cmocka_unit_test(the_tables_are_summed_up_once),
#endif
        cmocka_unit_test(a_range_beyond_the_end_is_refused),
        cmocka_unit_test(keys_move_to_a_nested_filter),
        cmocka_unit_test(moving_stops_at_the_capacity_of_the_target),
        cmocka_unit_test(what_is_not_nested_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
