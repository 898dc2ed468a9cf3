/* SPDX-License-Identifier: MIT */
#include "unit/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filter/ops.h"

static uint64_t *some_hashes(size_t n)
{
    uint64_t *hashes = malloc((n + 1) * sizeof *hashes);

    CHECK(hashes);
    for (size_t i = 0; i < n; i++)
        hashes[i] = mix64(i);
    return hashes;
}

static ninho_spec fuse_spec(uint64_t capacity, uint32_t arity, uint32_t bits)
{
    ninho_spec spec = spec_of(NINHO_FUSE, capacity, 0);

    spec.arity = arity;
    spec.tag_bits = bits;
    return spec;
}

/* ---- Geometry ------------------------------------------------------------------------------ */

static void it_is_as_small_as_it_should_be(void **state)
{
    static const double least[2][2] = {{9.1, 18.2}, {8.7, 17.4}};

    (void)state;
    for (uint32_t arity = 3; arity <= 4; arity++) {
        for (uint32_t bits = 8; bits <= 16; bits += 8) {
            const ninho_spec spec = fuse_spec(1000000, arity, bits);
            ninho_plan plan = NINHO_PLAN_INIT;
            CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
            CHECK(plan.bits_per_key <= least[arity - 3][bits / 8 - 1]);
            CHECK(plan.fpr_expected == ldexp(1, -(int)bits));
            CHECK_U64(plan.n_hashes, arity);
            CHECK_U64(plan.tag_bits, bits);
        }
    }
}

static void what_it_cannot_do_is_refused_with_the_range(void **state)
{
    ninho_spec spec = spec_of(NINHO_FUSE, 1000, 1e-5);
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    ninho_filter *filter = NULL;

    (void)state;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_FPR && error.least == 0x1p-16);
    CHECK(strstr(error.text, "at least 2^-16"));
    spec.fpr = 0x1p-16;
    CHECK_OK(ninho_filter_plan(&spec, &plan, &error));
    CHECK_U64(plan.tag_bits, 16);
    spec.fpr = .0039;
    CHECK_OK(ninho_filter_plan(&spec, &plan, &error));
    CHECK_U64(plan.tag_bits, 16);
    spec.fpr = 0x1p-8;
    CHECK_OK(ninho_filter_plan(&spec, &plan, &error));
    CHECK_U64(plan.tag_bits, 8);
    spec.arity = 5;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_ARITY && error.least == 3 && error.most == 4);
    CHECK(strstr(error.text, "3 or 4"));
    spec.arity = 4;
    spec.tag_bits = 9;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_TAG_BITS && error.least == 8 && error.most == 16);
    CHECK(strstr(error.text, "8 or 16"));
    spec.tag_bits = 0;
    spec.max_capacity = 10000;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(strcmp(error.text, "max_capacity is for kind quotient, compact, not fuse") ==
          0);
    spec.max_capacity = 0;
    CHECK_STATUS(ninho_filter_create(&spec, NULL, &filter, &error),
                 NINHO_ERR_UNSUPPORTED);
    CHECK(!filter && strstr(error.text, "built"));
    spec.capacity = UINT64_C(1) << 32;
    CHECK_OK(ninho_filter_plan(&spec, &plan, &error));
    CHECK(is_near(plan.bits_per_key, 8 * 1.075, .01));
}

static void nothing_can_be_changed(void **state)
{
    uint64_t *hashes = some_hashes(100);
    const ninho_spec spec = fuse_spec(100, 3, 8);
    ninho_filter *filter = built_of(&spec, hashes, 100),
                 *twin = built_of(&spec, hashes, 100);
    uint64_t cursor = 0, fingerprint;
    double estimate;

    (void)state;
    CHECK_STATUS(ninho_filter_add(filter, 1), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_add_many(filter, hashes, 100, NULL), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_remove(filter, hashes[0]), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_clear(filter), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_union(filter, twin, NULL), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_filter_estimate(filter, &estimate), NINHO_ERR_UNSUPPORTED);
    CHECK(!ninho_filter_next_fingerprint(filter, &cursor, &fingerprint));
    check_equal_bytes(filter, twin);
    ninho_filter_free(filter);
    ninho_filter_free(twin);
    free(hashes);
}

/* ---- Construction -------------------------------------------------------------------------- */

static void build_and_check(const uint64_t *hashes, size_t n, uint32_t arity,
                            uint32_t bits)
{
    const ninho_spec spec = fuse_spec(n ? n : 1, arity, bits);
    ninho_filter *filter = built_of(&spec, n ? hashes : NULL, n);
    uint64_t *maybe = malloc((n / 64 + 1) * sizeof *maybe);
    ninho_plan plan = NINHO_PLAN_INIT;

    CHECK(maybe);
    CHECK_U64(ninho_filter_count(filter), n);
    CHECK_U64(ninho_filter_has_many(filter, hashes, n, maybe), n);
    for (size_t i = 0; i < n; i++)
        CHECK(ninho_filter_has(filter, hashes[i]));
    CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
    CHECK_U64(plan.size_bytes, ninho_filter_encoded_size(filter));
    free(maybe);
    ninho_filter_free(filter);
}

static void every_size_builds(void **state)
{
    uint64_t *hashes = some_hashes(100000);
    const size_t step = test_scale() >= 100 ? 1 : 97;

    (void)state;
    for (uint32_t arity = 3; arity <= 4; arity++) {
        for (size_t n = 0; n <= 300; n++) {
            test_where("arity %u, %zu keys", (unsigned)arity, n);
            build_and_check(hashes, n, arity, 8);
            build_and_check(hashes, n, arity, 16);
        }
        for (size_t n = 11000; n <= 12000; n += step) {
            test_where("arity %u, %zu keys", (unsigned)arity, n);
            build_and_check(hashes + n % 7, n, arity, 8);
        }
        for (size_t n = 400; n <= 99000; n = n * 5 / 4) {
            test_where("arity %u, %zu keys", (unsigned)arity, n);
            build_and_check(hashes + 3, n, arity, 16);
        }
    }
    free(hashes);
}

static void equal_hashes_are_kept_once(void **state)
{
    enum { N = 30000 };
    uint64_t *hashes = some_hashes(N);
    uint64_t *distinct = some_hashes(N / 10);
    const ninho_spec spec = fuse_spec(N / 10, 3, 8);

    (void)state;
    for (size_t i = 0; i < N; i++)
        hashes[i] = mix64(i % 3 ? i % (N / 10) : i % 5);
    for (size_t i = 0; i < N / 10; i++)
        hashes[i] = mix64(i);
    ninho_filter *filter = built_of(&spec, hashes, N);
    ninho_filter *expected = built_of(&spec, distinct, N / 10);
    CHECK_U64(ninho_filter_count(filter), N / 10);
    check_equal_bytes(filter, expected);
    ninho_filter_free(filter);
    /* one key only */
    for (size_t i = 0; i < N; i++)
        hashes[i] = 42;
    filter = built_of(&spec, hashes, N);
    CHECK_U64(ninho_filter_count(filter), 1);
    CHECK(ninho_filter_has(filter, 42));
    ninho_filter_free(filter);
    ninho_filter_free(expected);
    free(hashes);
    free(distinct);
}

static void the_order_of_the_keys_leaves_no_trace(void **state)
{
    enum { N = 5000 };
    uint64_t *hashes = some_hashes(N), *others = some_hashes(N);
    struct test_rng rng = {test_seed(3)};

    (void)state;
    for (uint32_t arity = 3; arity <= 4; arity++) {
        const ninho_spec spec = fuse_spec(N, arity, 16);
        ninho_filter *filter = built_of(&spec, hashes, N);
        for (int round = 0; round < 3; round++) {
            for (size_t i = 0; i < N; i++)
                others[i] = hashes[N - 1 - i];
            for (size_t i = N; round && i-- > 1;) {
                const size_t j = (size_t)rng_below(&rng, i + 1);
                const uint64_t swap = others[i];
                others[i] = others[j];
                others[j] = swap;
            }
            ninho_filter *other = built_of(&spec, others, N);
            check_equal_bytes(filter, other);
            ninho_filter_free(other);
        }
        ninho_filter_free(filter);
    }
    free(hashes);
    free(others);
}

static void more_keys_than_capacity_are_refused(void **state)
{
    uint64_t *hashes = some_hashes(101);
    const ninho_spec spec = fuse_spec(100, 3, 8);
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    CHECK_STATUS(ninho_filter_build(&spec, hashes, 101, NULL, &filter, &error),
                 NINHO_ERR_FULL);
    CHECK(!filter && strcmp(error.text, "101 distinct keys where capacity is 100") == 0);
    hashes[100] = hashes[3];
    CHECK_OK(ninho_filter_build(&spec, hashes, 101, NULL, &filter, &error));
    CHECK_U64(ninho_filter_count(filter), 100);
    ninho_filter_free(filter);
    /* fewer: the table is the capacity's */
    filter = built_of(&spec, hashes, 3);
    CHECK(ninho_filter_count(filter) == 3 && ninho_filter_has(filter, hashes[2]));
    ninho_filter_free(filter);
    free(hashes);
}

/* A hundred keys in twelve slots, which no plan would give them: no seed can help. */
static void a_construction_that_cannot_succeed_gives_up(void **state)
{
    uint64_t *hashes = some_hashes(100);
    uint8_t body[12] = {0};
    struct test_heap heap;
    const ninho_pages pages = NINHO_PAGES_AUTO;
    const struct nh_live live = {.alloc = &heap.alloc, .pages = &pages};
    struct nh_part part = {.body = body,
                           .size = sizeof body,
                           .n_cells = sizeof body,
                           .stored = {2 << 8 | 8 << 16, 0},
                           .capacity = 100,
                           .n_hashes = 3};
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    heap_init(&heap);
    CHECK(nh_family_fuse.fits(&part));
    CHECK_STATUS(nh_family_fuse.build(&live, &part, hashes, 100, &error),
                 NINHO_ERR_BUILD);
    CHECK(strstr(error.text, "2304 attempts"));
    CHECK_U64(heap.live_blocks, 0);
    CHECK_U64(part.count, 0);
    /* the same key under all names, more often than a slot can count to */
    for (size_t i = 0; i < 100; i++)
        hashes[i] = 5;
    CHECK_OK(nh_family_fuse.build(&live, &part, hashes, 100, &error));
    free(hashes);
}

/* True once, and once is enough. */
static bool is_the_last_call(void *context)
{
    size_t *const n_left = context;
    return *n_left > 0 && --*n_left == 0;
}

static void whoever_loses_patience_stops_a_construction(void **state)
{
    enum { N = 600000 };
    uint64_t *hashes = some_hashes(N);
    ninho_spec spec = fuse_spec(N, 3, 8);
    struct test_heap heap;
    size_t n_calls = 0;

    (void)state;
    hashes[N - 1] = hashes[0]; /* stopped while equal ones are looked for, too */
    spec.is_stopped = is_the_last_call;
    for (ninho_status status = NINHO_ERR_BUILD; status; n_calls++) {
        ninho_filter *filter = NULL;
        ninho_error error = NINHO_ERROR_INIT;
        size_t n_left = n_calls + 1;
        spec.stop_context = &n_left;
        heap_init(&heap);
        status = ninho_filter_build(&spec, hashes, N, &heap.alloc, &filter, &error);
        CHECK(!status == (n_left > 0));
        if (status) {
            CHECK_STATUS(status, NINHO_ERR_BUILD);
            CHECK(!filter && strstr(error.text, "stopped"));
        }
        ninho_filter_free(filter);
        CHECK_U64(heap.live_blocks, 0);
    }
    CHECK(n_calls > 10 && n_calls < 50);
    free(hashes);
}

static void without_memory_nothing_is_left_behind(void **state)
{
    uint64_t *hashes = some_hashes(1000);
    const ninho_spec spec = fuse_spec(1000, 3, 8);
    struct test_heap heap;
    size_t n;

    (void)state;
    for (n = 1;; n++) {
        ninho_filter *filter = NULL;
        ninho_error error = NINHO_ERROR_INIT;
        heap_init(&heap);
        heap_fail_at(&heap, n);
        const ninho_status status =
            ninho_filter_build(&spec, hashes, 1000, &heap.alloc, &filter, &error);
        if (!status) {
            CHECK_U64(heap.live_blocks, 2); /* the filter and its table: no scratch */
            ninho_filter_free(filter);
            break;
        }
        CHECK_STATUS(status, NINHO_ERR_NOMEM);
        CHECK(!filter && error.text[0]);
        CHECK_U64(heap.live_blocks, 0);
    }
    CHECK_U64(n, 4); /* the filter, its table, one block of scratch */
    CHECK_U64(heap.live_blocks, 0);
    free(hashes);
}

/* ---- Answers ------------------------------------------------------------------------------- */

static void the_fpr_is_that_of_the_fingerprint(void **state)
{
    enum { N = 20000 };
    const size_t n_asked = test_scaled(4000000, 400000);
    uint64_t *hashes = some_hashes(N);

    (void)state;
    for (uint32_t arity = 3; arity <= 4; arity++) {
        for (uint32_t bits = 8; bits <= 16; bits += 8) {
            for (size_t n = N; n != SIZE_MAX;
                 n = n ? 0 : SIZE_MAX) { /* full, and empty */
                const ninho_spec spec = fuse_spec(N, arity, bits);
                ninho_filter *filter = built_of(&spec, hashes, n);
                const double fpr = ldexp(1, -(int)bits);
                size_t n_found = 0;
                for (uint64_t i = 0; i < n_asked; i++)
                    n_found += ninho_filter_has(filter, mix64(i + (UINT64_C(1) << 40)));
                test_where("arity %u, %u bits, %zu keys: %zu", (unsigned)arity,
                           (unsigned)bits, n, n_found);
                CHECK((double)n_found <= binomial_high((double)n_asked, fpr, 5));
                CHECK((double)n_found >= binomial_low((double)n_asked, fpr, 5));
                ninho_filter_free(filter);
            }
        }
    }
    free(hashes);
}

static void batches_answer_as_single_calls_do(void **state)
{
    enum { N = 2000 };
    uint64_t *hashes = some_hashes(2 * N);
    uint64_t maybe[2 * N / 64 + 1];

    (void)state;
    for (uint32_t arity = 3; arity <= 4; arity++) {
        for (uint32_t bits = 8; bits <= 16; bits += 8) {
            const ninho_spec spec = fuse_spec(N, arity, bits);
            ninho_filter *filter = built_of(&spec, hashes, N);
            for (size_t n = 0; n < 2 * N; n += n < 200 ? 1 : 331) {
                const size_t from = 2 * N - n;
                ninho_filter_has_many(filter, hashes + from, n, maybe);
                for (size_t i = 0; i < n; i++)
                    CHECK(ninho_filter_has(filter, hashes[from + i]) ==
                          (maybe[i / 64] >> (i % 64) & 1));
            }
            ninho_filter_free(filter);
        }
    }
    free(hashes);
}

/* ---- Bytes --------------------------------------------------------------------------------- */

static void damaged_headers_are_refused_and_queries_end(void **state)
{
    uint64_t *hashes = some_hashes(200);

    (void)state;
    for (uint32_t arity = 3; arity <= 4; arity++) {
        for (uint32_t bits = 8; bits <= 16; bits += 8) {
            const ninho_spec spec = fuse_spec(20, arity, bits);
            ninho_filter *filter = built_of(&spec, hashes, 20);
            try_damage(filter, test_scaled(200, 20));
            ninho_filter_free(filter);
        }
    }
    free(hashes);
}

static void bare_bytes_are_the_same_filter(void **state)
{
    uint64_t *hashes = some_hashes(20000);

    (void)state;
    for (uint32_t arity = 3; arity <= 4; arity++) {
        for (uint32_t bits = 8; bits <= 16; bits += 8) {
            for (size_t n = 1; n <= 20000; n = n * 7 / 2 + 1) {
                const ninho_spec spec = fuse_spec(n, arity, bits);
                ninho_filter *filter = built_of(&spec, hashes, n);
                test_where("arity %u, %u bits, %zu keys", (unsigned)arity, (unsigned)bits,
                           n);
                check_bare(filter, &spec, 0, n);
                ninho_filter_free(filter);
            }
        }
    }
    free(hashes);
}

static void the_spec_of_a_filter_makes_its_like(void **state)
{
    uint64_t *hashes = some_hashes(999);

    (void)state;
    for (uint32_t arity = 3; arity <= 4; arity++) {
        ninho_spec spec = spec_of(NINHO_FUSE, 999, .001);
        spec.arity = arity;
        ninho_filter *filter = built_of(&spec, hashes, 999);
        ninho_spec found = NINHO_SPEC_INIT;
        CHECK_OK(ninho_filter_spec(filter, &found));
        CHECK(found.arity == arity && found.tag_bits == 16 &&
              is_near(found.fpr, .001, 1e-15));
        ninho_filter *like = built_of(&found, hashes, 999);
        check_equal_bytes(filter, like);
        ninho_filter_free(filter);
        ninho_filter_free(like);
    }
    free(hashes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_as_small_as_it_should_be),
        cmocka_unit_test(what_it_cannot_do_is_refused_with_the_range),
        cmocka_unit_test(nothing_can_be_changed),
        cmocka_unit_test(every_size_builds),
        cmocka_unit_test(equal_hashes_are_kept_once),
        cmocka_unit_test(the_order_of_the_keys_leaves_no_trace),
        cmocka_unit_test(more_keys_than_capacity_are_refused),
        cmocka_unit_test(a_construction_that_cannot_succeed_gives_up),
        cmocka_unit_test(whoever_loses_patience_stops_a_construction),
        cmocka_unit_test(without_memory_nothing_is_left_behind),
        cmocka_unit_test(the_fpr_is_that_of_the_fingerprint),
        cmocka_unit_test(batches_answer_as_single_calls_do),
        cmocka_unit_test(damaged_headers_are_refused_and_queries_end),
        cmocka_unit_test(bare_bytes_are_the_same_filter),
        cmocka_unit_test(the_spec_of_a_filter_makes_its_like),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
