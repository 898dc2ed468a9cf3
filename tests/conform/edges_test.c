/* SPDX-License-Identifier: MIT */
/* The edges of the filters' interface: the last numbers that fit and the first that do not,
 * arguments that are missing, files of other programs. */
#include "conform/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "conform/frame_bytes.h"
#include "format/bytes.h"

static ninho_spec small(ninho_kind kind)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind = kind;
    spec.capacity = 100;
    spec.fpr = .01;
    return spec;
}

static ninho_filter *made(const ninho_spec *spec)
{
    ninho_filter *filter = NULL;

    CHECK_OK(ninho_filter_create(spec, NULL, &filter, NULL));
    return filter;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

static void sums_and_products_say_when_they_do_not_fit(void **state)
{
    uint64_t out = 7;

    (void)state;
    CHECK(nh_add_fits(UINT64_MAX - 1, 1, &out) && out == UINT64_MAX);
    CHECK(!nh_add_fits(UINT64_MAX, 1, &out));
    CHECK(nh_mul_fits(UINT64_C(1) << 32, UINT32_MAX, &out) && out == UINT64_MAX << 32);
    CHECK(!nh_mul_fits(UINT64_C(1) << 32, UINT64_C(1) << 32, &out));
}

static void a_writer_without_room_writes_nothing(void **state)
{
    uint8_t bytes[6] = {9, 9, 9, 9, 9, 9};
    struct nh_writer w = {bytes, bytes + 4, false};

    (void)state;
    nh_write_le(&w, 2, 0x0201);
    nh_write_le(&w, 4, 0);
    CHECK(w.bad && w.at == bytes + 2);
    nh_write_le(&w, 1, 0); /* once bad, it stays so */
    nh_write_bytes(&w, "a", 1);
    CHECK(w.bad && memcmp(bytes, "\1\2\11\11\11\11", 6) == 0);
    w.bad = false;
    nh_write_bytes(&w, "abc", 3);
    CHECK(w.bad && w.at == bytes + 2 && bytes[2] == 9);
    w.bad = false;
    nh_write_bytes(&w, "ab", 2);
    CHECK(!w.bad && memcmp(bytes, "\1\2ab\11\11", 6) == 0);
}

/* Sizes that no table has are refused before anything is computed from them. */
static void tables_beyond_all_sizes_are_refused(void **state)
{
    static const struct {
        ninho_kind kind;
        uint64_t capacity;
        double fpr;
        uint32_t n_hashes;
        ninho_k_rule rule;
    } cases[] = {
        {NINHO_BLOOM, 1000, 1e-9, 1, NINHO_K_BEST}, /* a billion bits per key */
        {NINHO_BLOOM, UINT64_C(1) << 48, .001, 1, NINHO_K_BEST},
        {NINHO_BLOCKED, UINT64_C(1) << 48, .001, 0, NINHO_K_BEST},
        {NINHO_FUSE, UINT64_C(1) << 48, .01, 0, NINHO_K_BEST},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_spec spec = small(cases[i].kind);
        ninho_error error = NINHO_ERROR_INIT;
        ninho_plan plan = NINHO_PLAN_INIT;
        spec.capacity = cases[i].capacity;
        spec.fpr = cases[i].fpr;
        spec.n_hashes = cases[i].n_hashes;
        spec.k_rule = cases[i].rule;
        test_where("%s, case %zu", ninho_kind_name(spec.kind), i);
        CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_NOMEM);
        CHECK(error.status == NINHO_ERR_NOMEM && error.text[0] && !plan.n_cells);
    }
}

/* A rate of nearly 1 needs next to no bits; a table of one block for a billion keys is full. */
static void rates_of_nearly_one_are_planned(void **state)
{
    ninho_spec spec = small(NINHO_BLOOM);
    ninho_plan plan = NINHO_PLAN_INIT;

    (void)state;
    spec.fpr = 1 - 0x1p-53;
    spec.k_rule = NINHO_K_FLOOR;
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK(plan.n_cells >= 1 && plan.n_cells <= spec.capacity);
    spec = small(NINHO_BLOCKED);
    spec.n_bits = 512;
    spec.capacity = 1000000000;
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK(plan.fpr_expected > .999 && plan.fpr_expected <= 1);
}

/* ---- Arguments ----------------------------------------------------------------------------- */

static ninho_status no_read(void *context, void *bytes, size_t size, ninho_error *error)
{
    (void)context, (void)bytes, (void)size;
    return ninho_error_set(error, NINHO_ERR_IO, "nothing to read");
}

static void what_is_missing_is_refused(void **state)
{
    ninho_spec spec = small(NINHO_CUCKOO);
    ninho_filter *a = made(&spec), *b = made(&spec), *out = NULL;
    ninho_open_options options = NINHO_OPEN_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_stats stats = NINHO_STATS_INIT, none = {0};
    uint64_t cursor = 0, fingerprint = 7;
    bool was_there = true;

    (void)state;
    CHECK_STATUS(ninho_filter_move(NULL, b, &cursor, 1, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_move(a, NULL, &cursor, 1, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_move(a, b, NULL, 1, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_move(a, a, &cursor, 1, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_stats(NULL, &stats), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_stats(a, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_stats(a, &none), NINHO_ERR_ARG);
    CHECK_OK(ninho_filter_add(a, mix64(1)));
    CHECK(!ninho_filter_next_fingerprint(NULL, &cursor, &fingerprint));
    CHECK(!ninho_filter_next_fingerprint(a, NULL, &fingerprint));
    CHECK(!ninho_filter_next_fingerprint(a, &cursor, NULL));
    CHECK(cursor == 0 && fingerprint == 7);
    CHECK_STATUS(ninho_filter_read(NULL, NULL, NULL, &out, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "read"));
    CHECK_STATUS(ninho_filter_read(no_read, NULL, NULL, NULL, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "out"));
    options.pages = (ninho_pages)9;
    CHECK_STATUS(ninho_filter_read(no_read, NULL, &options, &out, &error), NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_PAGES && !out);
    CHECK_STATUS(ninho_filter_has_and_add(NULL, 1, &was_there), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_has_and_add(a, 1, NULL), NINHO_ERR_ARG);
    CHECK_U64(ninho_filter_count(a), 1);
    spec.size_of_struct = 5000; /* no struct of ours is so large */
    CHECK_STATUS(ninho_filter_create(&spec, NULL, &out, &error), NINHO_ERR_ARG);
    CHECK(!out && !ninho_field_name((ninho_field)9999));
    ninho_filter_free(a);
    ninho_filter_free(b);
}

/* An allocator that is not there is none: the library's own is taken. */
static void half_an_allocator_is_none(void **state)
{
    const ninho_spec spec = small(NINHO_BLOOM);
    ninho_alloc none = {0};
    ninho_filter *filter = NULL;
    struct test_heap heap;

    (void)state;
    heap_init(&heap);
    CHECK_OK(ninho_filter_create(&spec, &none, &filter, NULL));
    ninho_filter_free(filter);
    none.alloc = heap.alloc.alloc; /* nobody would free */
    none.context = &heap;
    CHECK_OK(ninho_filter_create(&spec, &none, &filter, NULL));
    ninho_filter_free(filter);
    CHECK_U64(heap.n_calls, 0);
}

/* What cannot be added to says so, and tells nothing about the key. */
static void asking_and_adding_needs_a_filter_that_adds(void **state)
{
    ninho_spec spec = small(NINHO_FUSE);
    const uint64_t hashes[] = {mix64(1), mix64(2)};
    ninho_filter *filter = NULL;
    ninho_view storage;
    const ninho_filter *view = NULL;
    bool was_there = false;
    size_t size;

    (void)state;
    CHECK_OK(ninho_filter_build(&spec, hashes, 2, NULL, &filter, NULL));
    CHECK_STATUS(ninho_filter_has_and_add(filter, hashes[0], &was_there),
                 NINHO_ERR_UNSUPPORTED);
    CHECK(!was_there);
    ninho_filter_free(filter);
    spec = small(NINHO_CUCKOO);
    filter = made(&spec);
    CHECK_OK(ninho_filter_add(filter, hashes[0]));
    uint8_t *bytes = encoded(filter, &size);
    CHECK_OK(ninho_filter_view(&storage, bytes, size, NULL, &view, NULL));
    ninho_filter *const read_only = (ninho_filter *)(uintptr_t)view;
    uint64_t cursor = 0;
    CHECK_STATUS(ninho_filter_has_and_add(read_only, hashes[0], &was_there),
                 NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_move(filter, read_only, &cursor, 1, NULL),
                 NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_move(read_only, filter, &cursor, 1, NULL),
                 NINHO_ERR_UNSUPPORTED);
    CHECK(!was_there && cursor == 0);
    ninho_filter_free(filter);
    free(bytes);
    spec = small(NINHO_QUOTIENT); /* full: the answer is not given either */
    filter = made(&spec);
    ninho_status status = NINHO_OK;
    for (uint64_t i = 0; !status && i < 1000; i++)
        status = ninho_filter_has_and_add(filter, mix64(i), &was_there);
    CHECK_STATUS(status, NINHO_ERR_FULL);
    ninho_filter_free(filter);
}

static void answers_fill_whole_words(void **state)
{
    const ninho_spec spec = small(NINHO_BLOOM);
    ninho_filter *filter = made(&spec);
    uint64_t hashes[128], maybe[2] = {7, 7};

    (void)state;
    for (uint64_t i = 0; i < 128; i++)
        hashes[i] = mix64(i);
    for (size_t i = 64; i < 128; i++)
        CHECK_OK(ninho_filter_add(filter, hashes[i]));
    const size_t n = ninho_filter_has_many(filter, hashes, 128, maybe);
    CHECK(n >= 64 && maybe[1] == UINT64_MAX);
    CHECK_U64(ninho_filter_has_many(NULL, hashes, 128, maybe), 128);
    CHECK(maybe[0] == UINT64_MAX && maybe[1] == UINT64_MAX);
    ninho_filter_free(filter);
}

/* ---- Bare bytes ---------------------------------------------------------------------------- */

static void a_view_of_bare_bytes_needs_a_spec_that_fits(void **state)
{
    static const uint8_t secret[NINHO_SECRET_BYTES] = {1};
    ninho_spec spec = small(NINHO_BLOOM);
    ninho_error error = NINHO_ERROR_INIT;
    const ninho_filter *view = NULL;
    ninho_info info = NINHO_INFO_INIT;
    ninho_view storage;
    uint8_t bytes[1024];
    size_t size;

    (void)state;
    ninho_filter *filter = made(&spec);
    CHECK_OK(ninho_filter_add(filter, mix64(1)));
    CHECK_OK(ninho_filter_encode_bare(filter, bytes, sizeof bytes, &size));
    CHECK_STATUS(
        ninho_filter_view_bare(&storage, &(ninho_spec){0}, bytes, size, &view, &error),
        NINHO_ERR_ARG);
    spec.kind = (ninho_kind)99;
    CHECK_STATUS(ninho_filter_view_bare(&storage, &spec, bytes, size, &view, &error),
                 NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_KIND);
    spec = small(NINHO_BLOOM);
    spec.hash = (ninho_hash_id)99;
    CHECK_STATUS(ninho_filter_view_bare(&storage, &spec, bytes, size, &view, &error),
                 NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_HASH);
    spec = small(NINHO_BLOOM);
    spec.capacity = (UINT64_C(1) << 48) + 1;
    CHECK_STATUS(ninho_filter_view_bare(&storage, &spec, bytes, size, &view, &error),
                 NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_CAPACITY);
    spec = small(NINHO_BLOOM);
    spec.hash = NINHO_HASH_SIPHASH;
    CHECK_STATUS(ninho_filter_view_bare(&storage, &spec, bytes, size, &view, &error),
                 NINHO_ERR_KEY_MISSING);
    CHECK(!view);
    spec.secret = secret;
    CHECK_OK(ninho_filter_view_bare(&storage, &spec, bytes, size, &view, &error));
    spec = small(NINHO_BLOOM);
    spec.fpr = 7; /* is not one: what the table says is */
    CHECK_OK(ninho_filter_view_bare(&storage, &spec, bytes, size, &view, &error));
    CHECK_OK(ninho_filter_info(view, &info));
    CHECK(info.fpr_target > 0 && info.fpr_target < 1);
    CHECK(ninho_filter_has(view, mix64(1)));
    ninho_filter_free(filter);
}

/* ---- Bytes --------------------------------------------------------------------------------- */

static void files_of_other_programs_are_named(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *text;
    } cases[] = {
        {"\x1f\x8b\x08", 3, "gunzip"},
        {"\x28\xb5\x2f\xfd\x04", 5, "unzstd"},
        {"\xfd"
         "7zXZ\0",
         6, "unxz"},
        {"\x1f", 1, "not a ninho file"},
        {"\x28\xb5", 2, "not a ninho file"},
        {"\xfd"
         "7z",
         3, "not a ninho file"},
        {"what is this?", 13, "not a ninho file"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_error error = NINHO_ERROR_INIT;
        ninho_filter *filter = NULL;
        test_where("case %zu", i);
        CHECK_STATUS(
            ninho_filter_decode(cases[i].bytes, cases[i].size, NULL, &filter, &error),
            NINHO_ERR_FORMAT);
        CHECK(!filter && strstr(error.text, cases[i].text));
    }
}

struct stream {
    const uint8_t *bytes;
    size_t size, at;
};

static ninho_status from_stream(void *context, void *bytes, size_t size,
                                ninho_error *error)
{
    struct stream *stream = context;

    if (size > stream->size - stream->at)
        return ninho_error_set(error, NINHO_ERR_IO, "the stream has ended");
    memcpy(bytes, stream->bytes + stream->at, size);
    stream->at += size;
    return NINHO_OK;
}

/* A stream does not say how long it is: memory is taken as the bytes come. */
static void a_long_stream_is_read_whole_or_not_at_all(void **state)
{
    ninho_spec spec = small(NINHO_BLOOM);
    ninho_open_options options = NINHO_OPEN_INIT;
    ninho_filter *again = NULL;
    struct test_heap heap;
    size_t size, n = 0;

    (void)state;
    spec.n_bits = UINT64_C(8) * 5000000;
    ninho_filter *filter = made(&spec);
    CHECK_OK(ninho_filter_add(filter, mix64(1)));
    uint8_t *bytes = encoded(filter, &size);
    heap_init(&heap);
    options.alloc = &heap.alloc;
    while (!again) {
        struct stream stream = {bytes, size, 0};
        heap_fail_at(&heap, ++n);
        const ninho_status status =
            ninho_filter_read(from_stream, &stream, &options, &again, NULL);
        CHECK_STATUS(status, again ? NINHO_OK : NINHO_ERR_NOMEM);
        CHECK(again || !heap.live_blocks);
    }
    CHECK(n > 3 && ninho_filter_has(again, mix64(1)));
    ninho_filter_free(again);
    /* A body that ends before its second part begins. */
    ninho_filter_free(filter);
    free(bytes);
    spec = small(NINHO_SCALABLE);
    filter = made(&spec);
    for (uint64_t i = 0; i < 500; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    bytes = encoded(filter, &size);
    CHECK(get_field(bytes, 60, 4) > 1);
    set_field(bytes, 64, 8, get_field(bytes, PARTS_AT + 56, 8)); /* of the first part */
    fix_checksums(bytes, size);
    struct stream stream = {bytes, size, 0};
    ninho_error error = NINHO_ERROR_INIT;
    again = NULL;
    CHECK_STATUS(ninho_filter_read(from_stream, &stream, NULL, &again, &error),
                 NINHO_ERR_FORMAT);
    CHECK(!again && error.offset == PARTS_AT + PART_SIZE + 56);
    ninho_filter_free(filter);
    free(bytes);
}

/* ---- Metadata ------------------------------------------------------------------------------ */

static void a_text_without_room_is_only_measured(void **state)
{
    const ninho_spec spec = small(NINHO_BLOOM);
    ninho_filter *filter = made(&spec);
    char text[4] = "...";
    bool found = false;

    (void)state;
    CHECK_OK(ninho_filter_set_meta(filter, "note", "robin"));
    CHECK_U64(ninho_filter_meta(filter, "note", text, 0, &found), 5);
    CHECK(found && strcmp(text, "...") == 0);
    CHECK_U64(ninho_filter_meta(filter, "note", NULL, 4, &found), 5);
    CHECK_U64(ninho_filter_meta(filter, "note", text, sizeof text, &found), 5);
    assert_string_equal(text, "rob");
    ninho_filter_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_say_when_they_do_not_fit),
        cmocka_unit_test(a_writer_without_room_writes_nothing),
        cmocka_unit_test(tables_beyond_all_sizes_are_refused),
        cmocka_unit_test(rates_of_nearly_one_are_planned),
        cmocka_unit_test(what_is_missing_is_refused),
        cmocka_unit_test(half_an_allocator_is_none),
        cmocka_unit_test(asking_and_adding_needs_a_filter_that_adds),
        cmocka_unit_test(answers_fill_whole_words),
        cmocka_unit_test(a_view_of_bare_bytes_needs_a_spec_that_fits),
        cmocka_unit_test(files_of_other_programs_are_named),
        cmocka_unit_test(a_long_stream_is_read_whole_or_not_at_all),
        cmocka_unit_test(a_text_without_room_is_only_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
