/* SPDX-License-Identifier: MIT */
/* What the aggregates of databases collect, beside qsort, and the filters they make of it. */
#include "unit/inside.h"

#include <stdlib.h>
#include <string.h>

#include "integrations/common/collector.h"

#define NO_LIMIT UINT64_MAX

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts, drops equal ones, and tells how many are left. */
static size_t make_distinct(uint64_t *hashes, size_t n)
{
    size_t n_kept = 0;

    qsort(hashes, n, sizeof *hashes, ascending);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || hashes[i] != hashes[n_kept - 1])
            hashes[n_kept++] = hashes[i];
    return n_kept;
}

/* ---- Bins ---------------------------------------------------------------------------------- */

static uint64_t evenly(uint64_t i)
{
    return mix64(i);
}

static uint64_t often(uint64_t i)
{
    return mix64(i % 5000);
}

static uint64_t the_same(uint64_t i)
{
    (void)i;
    return 42;
}

static uint64_t in_one_bin(uint64_t i)
{
    return mix64(i) >> 8;
}

static uint64_t in_one_digit(uint64_t i)
{
    return mix64(i) >> 44;
}

static uint64_t falling(uint64_t i)
{
    return UINT64_MAX - i;
}

static uint64_t rising(uint64_t i) /* as from a worker that has sorted them */
{
    return i << 44;
}

static uint64_t rarely_twice(uint64_t i)
{
    return mix64(i % 1000 ? i : i - 1);
}

static const struct {
    const char *name;
    uint64_t (*hash)(uint64_t i);
} streams[] = {{"evenly", evenly},
               {"often", often},
               {"the same", the_same},
               {"in one bin", in_one_bin},
               {"falling", falling},
               {"in one digit", in_one_digit},
               {"rarely twice", rarely_twice},
               {"rising", rising}};

#define N_STREAMS (sizeof streams / sizeof *streams)

static void check_bins(const struct bins *bins, const uint64_t *sorted, size_t n)
{
    uint64_t *got = malloc((n + 1) * sizeof *got);

    CHECK(got);
    CHECK_U64(bins_count(bins), n);
    bins_copy(bins, got);
    CHECK(n == 0 || memcmp(got, sorted, n * sizeof *got) == 0);
    free(got);
}

static void all_streams_come_out_sorted_and_once(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 511, 513, 65536, 65537, 131073, 700000};

    (void)state;
    for (size_t s = 0; s < N_STREAMS; s++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            const size_t n = sizes[j];
            uint64_t *hashes = malloc((n + 1) * sizeof *hashes);
            struct test_heap heap;
            heap_init(&heap);
            struct bins bins = {.alloc = heap.alloc};
            CHECK(hashes);
            test_where("%s, %zu", streams[s].name, n);
            for (size_t i = 0; i < n; i++) {
                hashes[i] = streams[s].hash(i);
                CHECK(bins_add(&bins, hashes[i]));
            }
            CHECK(bins_make_distinct(&bins));
            const size_t n_distinct = make_distinct(hashes, n);
            check_bins(&bins, hashes, n_distinct);
            /* without memory to spare, and twice */
            heap.keeps_failing = true;
            heap_fail_at(&heap, 1);
            CHECK(bins_make_distinct(&bins));
            check_bins(&bins, hashes, n_distinct);
            bins_free(&bins);
            CHECK_U64(heap.live_blocks, 0);
            free(hashes);
        }
    }
}

static void equal_rows_cost_no_memory(void **state)
{
    struct test_heap heap;

    (void)state;
    heap_init(&heap);
    struct bins bins = {.alloc = heap.alloc};
    for (uint64_t i = 0; i < 3000000; i++)
        CHECK(bins_add(&bins, mix64(i % 1000)));
    CHECK(heap.peak_bytes < 3 << 19);
    bins_free(&bins);
    /* also where there were many different ones before */
    for (uint64_t i = 0; i < 100000; i++)
        CHECK(bins_add(&bins, mix64(i)));
    for (uint64_t i = 0; i < 10000000; i++)
        CHECK(bins_add(&bins, mix64(i % 100000)));
    CHECK(heap.peak_bytes < 32 << 20);
    bins_free(&bins);
    CHECK_U64(heap.live_blocks, 0);
}

static void without_memory_no_hash_is_lost(void **state)
{
    enum { N = 70000 };
    uint64_t *hashes = malloc(N * sizeof *hashes);
    bool is_done = false;

    (void)state;
    CHECK(hashes);
    for (size_t i = 0; i < N; i++)
        hashes[i] = mix64(i);
    qsort(hashes, N, sizeof *hashes, ascending);
    for (size_t n = 1; !is_done; n += n < 12 ? 1 : 37) {
        struct test_heap heap;
        heap_init(&heap);
        heap_fail_at(&heap, n);
        struct bins bins = {.alloc = heap.alloc};
        size_t n_failed = 0;
        for (uint64_t i = 0; i < N; i++) {
            if (bins_add(&bins, mix64(i)))
                continue;
            n_failed++;
            CHECK(bins_add(&bins, mix64(i)));
        }
        CHECK(n_failed <= 1);
        is_done = n_failed == 0;
        CHECK(bins_make_distinct(&bins));
        check_bins(&bins, hashes, N);
        bins_free(&bins);
        CHECK_U64(heap.live_blocks, 0);
    }
    free(hashes);
}

static size_t n_pauses;

static void count_pauses(void)
{
    n_pauses++;
}

static void long_work_is_done_in_pieces(void **state)
{
    const ninho_spec spec = spec_of(NINHO_CUCKOO, 0, .01);
    struct collector collector;
    ninho_filter *filter = NULL;

    (void)state;
    CHECK_OK(collector_begin(&collector, &spec, NULL, NO_LIMIT, NULL));
    collector_set_pause(&collector, count_pauses);
    for (uint64_t i = 0; i < 200000; i++)
        CHECK_OK(collector_add(&collector, mix64(i), NULL));
    n_pauses = 0;
    CHECK_OK(collector_finish(&collector, NO_LIMIT, &filter, NULL));
    CHECK(n_pauses >= 2 * N_BINS);
    ninho_filter_free(filter);
    collector_free(&collector);
}

/* ---- Collectors ---------------------------------------------------------------------------- */

static const ninho_kind kinds[] = {NINHO_BLOOM,   NINHO_BLOCKED,  NINHO_COUNTING,
                                   NINHO_CUCKOO,  NINHO_QUOTIENT, NINHO_FUSE,
                                   NINHO_COMPACT, NINHO_SCALABLE, NINHO_RIBBON};

#define N_KINDS (sizeof kinds / sizeof *kinds)

/* Two collectors, one after the other and merged, against the library's own construction of the sorted set. */
static void the_filter_is_that_of_the_sorted_set(void **state)
{
    static const size_t sizes[] = {1, 1000, 150000};

    (void)state;
    for (size_t k = 0; k < N_KINDS; k++) {
        for (size_t j = 0; j < 2 * sizeof sizes / sizeof *sizes; j++) {
            const size_t n = sizes[j / 2];
            const uint64_t capacity = j % 2 ? n : 0;
            uint64_t *hashes = malloc(n * sizeof *hashes);
            struct test_heap heap;
            struct collector one, two;
            ninho_filter *made = NULL;
            CHECK(hashes);
            test_where("%s, %zu, capacity %zu", ninho_kind_name(kinds[k]), n,
                       (size_t)capacity);
            heap_init(&heap);
            const ninho_spec spec = spec_of(kinds[k], capacity, .01);
            CHECK_OK(collector_begin(&one, &spec, &heap.alloc, NO_LIMIT, NULL));
            CHECK_OK(collector_begin(&two, &spec, &heap.alloc, NO_LIMIT, NULL));
            const bool is_streamed = one.filter;
            for (size_t i = 0; i < n; i++) {
                hashes[i] = mix64(i);
                CHECK_OK(collector_add(i % 3 ? &one : &two, hashes[i], NULL));
                CHECK_OK(collector_add(&one, hashes[i / 2], NULL));
            }
            CHECK(is_streamed ==
                  (capacity && (kinds[k] == NINHO_BLOOM || kinds[k] == NINHO_BLOCKED)));
            CHECK_OK(collector_merge(&one, &two, NULL));
            CHECK_OK(collector_finish(&one, NO_LIMIT, &made, NULL));
            make_distinct(hashes, n);
            const ninho_spec wanted = spec_of(kinds[k], n, .01);
            ninho_filter *expected = built_of(&wanted, hashes, n);
            if (!is_streamed) /* else the count is an estimate */
                check_equal_bytes(made, expected);
            for (size_t i = 0; i < n; i++)
                CHECK(ninho_filter_has(made, hashes[i]));
            ninho_filter_free(made);
            ninho_filter_free(expected);
            collector_free(&one);
            collector_free(&two);
            CHECK_U64(heap.live_blocks, 0);
            free(hashes);
        }
    }
}

static void other_specs_are_not_merged(void **state)
{
    const ninho_spec bloom = spec_of(NINHO_BLOOM, 100, .01);
    ninho_spec others[4];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        others[i] = bloom;
    others[0].kind = NINHO_CUCKOO; /* which keeps hashes where the other has a filter */
    others[1].capacity = 1000;
    others[2].fpr = .02;
    others[3].capacity = 0;
    for (size_t i = 0; i < 8; i++) {
        const ninho_spec *first = i < 4 ? &bloom : &others[i - 4];
        const ninho_spec *second = i < 4 ? &others[i] : &bloom;
        struct collector one, two;
        ninho_error error = NINHO_ERROR_INIT;
        CHECK_OK(collector_begin(&one, first, NULL, NO_LIMIT, NULL));
        CHECK_OK(collector_begin(&two, second, NULL, NO_LIMIT, NULL));
        CHECK_OK(collector_add(&one, 1, NULL));
        CHECK_OK(collector_add(&two, 2, NULL));
        CHECK_STATUS(collector_merge(&one, &two, &error), NINHO_ERR_MISMATCH);
        CHECK(strstr(error.text, "must be the same"));
        collector_free(&one);
        collector_free(&two);
    }
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_KINDS; k++) {
        bool is_done = false;
        for (size_t n = 1; !is_done; n++) {
            const ninho_spec spec = spec_of(kinds[k], k % 2 ? 0 : 3000, .01);
            struct collector collector;
            struct test_heap heap;
            ninho_filter *made = NULL;
            ninho_error error = NINHO_ERROR_INIT;
            heap_init(&heap);
            heap_fail_at(&heap, n);
            test_where("%s, allocation %zu", ninho_kind_name(kinds[k]), n);
            ninho_status status =
                collector_begin(&collector, &spec, &heap.alloc, NO_LIMIT, &error);
            if (status)
                CHECK_U64(heap.live_blocks, 0);
            for (uint64_t i = 0; !status && i < 3000; i++)
                status = collector_add(&collector, mix64(i), &error);
            if (!status)
                status = collector_finish(&collector, NO_LIMIT, &made, &error);
            is_done = !status;
            if (status) {
                CHECK_STATUS(status, NINHO_ERR_NOMEM);
                CHECK(!made && error.text[0]);
            }
            ninho_filter_free(made);
            collector_free(&collector);
            CHECK_U64(heap.live_blocks, 0);
        }
    }
}

static void limits_are_kept(void **state)
{
    ninho_spec spec = spec_of(NINHO_BLOOM, 100000, .01);
    struct collector collector;
    ninho_filter *made = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    CHECK_STATUS(collector_begin(&collector, &spec, NULL, 10000, &error),
                 NINHO_ERR_SPACE);
    CHECK(strstr(error.text, "at most 10000"));
    spec = spec_of(NINHO_FUSE, 0, .01);
    CHECK_OK(collector_begin(&collector, &spec, NULL, 10000, &error));
    for (uint64_t i = 0; i < 20000; i++)
        CHECK_OK(collector_add(&collector, mix64(i), &error));
    CHECK_STATUS(collector_finish(&collector, 10000, &made, &error), NINHO_ERR_SPACE);
    collector_free(&collector);
    spec.capacity = 19999;
    CHECK_OK(collector_begin(&collector, &spec, NULL, NO_LIMIT, &error));
    for (uint64_t i = 0; i < 20000; i++)
        CHECK_OK(collector_add(&collector, mix64(i), &error));
    CHECK_STATUS(collector_finish(&collector, NO_LIMIT, &made, &error), NINHO_ERR_FULL);
    CHECK(strstr(error.text, "a larger capacity than 19999"));
    collector_free(&collector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_streams_come_out_sorted_and_once),
        cmocka_unit_test(equal_rows_cost_no_memory),
        cmocka_unit_test(without_memory_no_hash_is_lost),
        cmocka_unit_test(long_work_is_done_in_pieces),
        cmocka_unit_test(the_filter_is_that_of_the_sorted_set),
        cmocka_unit_test(other_specs_are_not_merged),
        cmocka_unit_test(every_failed_allocation_is_told),
        cmocka_unit_test(limits_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
