/* SPDX-License-Identifier: MIT */
/* Memory that runs out at the n-th request, for every n: the call says NOMEM, gives back what it
 * took, and leaves what there was as it was. */
#include "conform/families.h"

#include <stdlib.h>
#include <string.h>

/* What is tried, and what it needs. */
struct attempt {
    const struct family *family;
    ninho_spec spec;
    ninho_open_options open;
    struct test_heap heap;
    const uint8_t *bytes;
    size_t size;
    const ninho_filter *source;
    const char *path;
    uint64_t hashes[600];
};

typedef ninho_status (*maker)(struct attempt *attempt, ninho_filter **out,
                              ninho_error *error);

static ninho_status by_create(struct attempt *a, ninho_filter **out, ninho_error *error)
{
    return ninho_filter_create(&a->spec, &a->heap.alloc, out, error);
}

static ninho_status by_build(struct attempt *a, ninho_filter **out, ninho_error *error)
{
    return ninho_filter_build(&a->spec, a->hashes, 600, &a->heap.alloc, out, error);
}

static ninho_status by_copy(struct attempt *a, ninho_filter **out, ninho_error *error)
{
    return ninho_filter_copy(a->source, &a->heap.alloc, out, error);
}

static ninho_status by_decode(struct attempt *a, ninho_filter **out, ninho_error *error)
{
    return ninho_filter_decode(a->bytes, a->size, &a->open, out, error);
}

static ninho_status by_open(struct attempt *a, ninho_filter **out, ninho_error *error)
{
    return ninho_filter_open(a->path, &a->open, out, error);
}

static ninho_status by_map(struct attempt *a, ninho_filter **out, ninho_error *error)
{
    return ninho_filter_map(a->path, &a->open, out, error);
}

static const struct {
    const char *name;
    maker make;
} makers[] = {
    {"create", by_create}, {"build", by_build}, {"copy", by_copy},
    {"decode", by_decode}, {"open", by_open},   {"map", by_map},
};

static void check_maker(struct attempt *a, maker make, const char *name)
{
    const int n_open = open_fd_count();

    for (size_t n = 1;; n++) {
        ninho_filter *const untouched = (ninho_filter *)(uintptr_t)16;
        ninho_filter *out = untouched;
        ninho_error error = NINHO_ERROR_INIT;
        for (int keeps = 0; keeps < 2; keeps++) {
            test_where("%s: %s, request %zu%s", a->family->name, name, n,
                       keeps ? " and all after it" : "");
            heap_fail_at(&a->heap, n);
            a->heap.keeps_failing = keeps;
            const size_t n_refused = a->heap.n_refused;
            const ninho_status status = make(a, &out, &error);
            if (a->heap.n_refused == n_refused) { /* it needed fewer: done */
                CHECK_OK(status);
                CHECK(n > 1);
                heap_fail_at(&a->heap, 0);
                check_range(out, &a->spec, 0, make == by_create ? 0 : 600);
                CHECK_OK(ninho_filter_verify(out, NULL));
                ninho_filter_free(out);
                CHECK_U64(a->heap.live_blocks, 0);
                return;
            }
            CHECK_STATUS(status, NINHO_ERR_NOMEM);
            CHECK(out == untouched);
            CHECK(error.status == NINHO_ERR_NOMEM && error.text[0]);
            CHECK_U64(a->heap.live_blocks, 0);
            CHECK(open_fd_count() == n_open);
        }
    }
}

static void whatever_makes_a_filter_survives_any_request_failing(void **state)
{
    struct temp_dir dir;
    char path[512];

    (void)state;
    temp_dir_make(&dir);
    FOR_EACH_FAMILY(family)
    {
        struct attempt a = {.family = family, .spec = family_spec(family, 100, .01, 1)};
        ninho_filter *source = NULL;
        size_t size;
        heap_init(&a.heap);
        spec_hashes(&a.spec, 0, 600, a.hashes);
        CHECK_OK(ninho_filter_build(&a.spec, a.hashes, 600, NULL, &source, NULL));
        CHECK_OK(ninho_filter_set_meta(source, "with", "metadata"));
        uint8_t *bytes = encoded(source, &size);
        CHECK_OK(ninho_filter_save(source, temp_path(&dir, "filter", path), NULL));
        a.open = family_open(family, 1);
        a.open.alloc = &a.heap.alloc;
        a.bytes = bytes;
        a.size = size;
        a.source = source;
        a.path = path;
        for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
            check_maker(&a, makers[i].make, makers[i].name);
        free(bytes);
        ninho_filter_free(source);
    }
    temp_dir_remove(&dir);
}

/* Growth is an add that needs memory. Refused, it changes nothing; asked again, it works. */
static void growth_survives_any_request_failing(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        if (!(family_can(family) & NINHO_CAN_GROW))
            continue;
        const ninho_spec spec = family_spec(family, 20, .01, 1);
        struct test_heap heap;
        ninho_filter *filter = NULL;
        ninho_filter *twin = family_filter(family, 20, .01, 1);
        size_t n_refusals = 0;
        heap_init(&heap);
        CHECK_OK(ninho_filter_create(&spec, &heap.alloc, &filter, NULL));
        for (uint64_t i = 0; i < 500; i++) {
            uint64_t hash;
            size_t n_calls = 0;
            spec_hashes(&spec, i, 1, &hash);
            for (size_t n = 1;; n++) {
                size_t n_added = 99;
                test_where("%s: key %llu, request %zu", family->name,
                           (unsigned long long)i, n);
                heap_fail_at(&heap, n);
                const size_t n_refused = heap.n_refused;
                n_calls = heap.live_blocks;
                const ninho_status status =
                    n % 2 ? ninho_filter_add(filter, hash)
                          : ninho_filter_add_many(filter, &hash, 1, &n_added);
                if (heap.n_refused == n_refused) {
                    CHECK_OK(status);
                    break;
                }
                n_refusals++;
                CHECK_STATUS(status, NINHO_ERR_NOMEM);
                CHECK(n % 2 || n_added == 0);
                CHECK_U64(heap.live_blocks, n_calls);
                check_same_bytes(filter, twin);
                check_range(filter, &spec, 0, (size_t)i);
            }
            heap_fail_at(&heap, 0);
            CHECK_OK(ninho_filter_add(twin, hash));
            if (i % 50 == 0)
                check_same_bytes(filter, twin);
        }
        CHECK(n_refusals >= 2);
        check_range(filter, &spec, 0, 500);
        check_same_bytes(filter, twin);
        ninho_filter_free(filter);
        CHECK_U64(heap.live_blocks, 0);
        ninho_filter_free(twin);
    }
}

/* In the middle of a batch: what was added stays, the rest is not in, n_added tells. */
static void a_batch_that_cannot_grow_says_how_far_it_came(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        if (!(family_can(family) & NINHO_CAN_GROW))
            continue;
        const ninho_spec spec = family_spec(family, 50, .001, 1);
        struct test_heap heap;
        ninho_filter *filter = NULL;
        uint64_t hashes[200];
        size_t n_added = 99;
        test_where("%s", family->name);
        heap_init(&heap);
        spec_hashes(&spec, 0, 200, hashes);
        CHECK_OK(ninho_filter_create(&spec, &heap.alloc, &filter, NULL));
        heap_fail_at(&heap, 1);
        heap.keeps_failing = true;
        CHECK_STATUS(ninho_filter_add_many(filter, hashes, 200, &n_added),
                     NINHO_ERR_NOMEM);
        CHECK(n_added < 100);
        CHECK(n_added >= 50 || family_has_places(family)); /* these search before */
        CHECK_U64(ninho_filter_count(filter), n_added);
        check_range(filter, &spec, 0, n_added);
        heap_fail_at(&heap, 0);
        CHECK_OK(
            ninho_filter_add_many(filter, hashes + n_added, 200 - n_added, &n_added));
        check_range(filter, &spec, 0, 200);
        ninho_filter_free(filter);
        CHECK_U64(heap.live_blocks, 0);
    }
}

/* The first search for room needs memory too, and further ones may need more. Until then
 * there is none, and what there is is told. */
static void a_search_survives_any_request_failing(void **state)
{
    size_t n_refusals = 0;

    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_spec spec = family_spec(family, 2000, .01, 1);
        struct test_heap heap;
        ninho_filter *filter = NULL;
        ninho_info info = NINHO_INFO_INIT;
        ninho_stats stats = NINHO_STATS_INIT;
        test_where("%s", family->name);
        if (!family_has_places(family))
            continue;
        heap_init(&heap);
        CHECK_OK(ninho_filter_create(&spec, &heap.alloc, &filter, NULL));
        CHECK_U64(heap.live_blocks, spec.kind == NINHO_SCALABLE ? 3 : 2);
        for (uint64_t i = 0; i < 2000; i++) {
            uint64_t hash;
            size_t size, again;
            test_where("%s: key %llu", family->name, (unsigned long long)i);
            spec_hashes(&spec, i, 1, &hash);
            uint8_t *before = encoded(filter, &size);
            CHECK_OK(ninho_filter_stats(filter, &stats));
            const ninho_stats stats_before = stats;
            heap_fail_at(&heap, 1);
            const ninho_status status = ninho_filter_add(filter, hash);
            heap_fail_at(&heap, 0);
            if (status) {
                CHECK_STATUS(status, NINHO_ERR_NOMEM);
                uint8_t *after = encoded(filter, &again);
                CHECK(again == size && memcmp(before, after, size) == 0);
                free(after);
                CHECK_OK(ninho_filter_stats(filter, &stats));
                CHECK(memcmp(&stats, &stats_before, sizeof stats) == 0);
                CHECK_OK(ninho_filter_add(filter, hash));
                n_refusals++;
            }
            free(before);
        }
        check_range(filter, &spec, 0, 2000);
        CHECK_OK(ninho_filter_info(filter, &info));
        CHECK_U64(info.memory_bytes, heap.live_bytes);
        ninho_filter_free(filter);
        CHECK_U64(heap.live_blocks, 0);
    }
    CHECK(n_refusals > 3);
}

/* Whatever a filter is made of is in its memory_bytes. */
static void all_memory_is_told(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_spec spec = family_spec(family, 300, .01, 1);
        struct test_heap heap, other;
        ninho_open_options open = family_open(family, 1);
        ninho_filter *filter = NULL, *decoded = NULL;
        const ninho_filter *viewed = NULL;
        ninho_info info = NINHO_INFO_INIT;
        ninho_view view;
        size_t size;
        test_where("%s", family->name);
        heap_init(&heap);
        heap_init(&other);
        CHECK_OK(ninho_filter_create(&spec, &heap.alloc, &filter, NULL));
        for (int step = 0; step < 4; step++) {
            if (step == 1)
                add_range(filter, &spec, 0, family->room == 1 ? 300 : 3000);
            if (step == 2)
                CHECK_OK(ninho_filter_set_meta(filter, "name", "value"));
            if (step == 3)
                CHECK_OK(ninho_filter_set_attachment(filter, "some bytes", 10));
            CHECK_OK(ninho_filter_info(filter, &info));
            CHECK(info.memory_bytes > info.table_bytes);
            CHECK_U64(info.memory_bytes, heap.live_bytes);
        }
        uint8_t *bytes = encoded(filter, &size);
        CHECK_OK(ninho_filter_view(&view, bytes, size, &open, &viewed, NULL));
        CHECK_OK(ninho_filter_info(viewed, &info));
        CHECK_U64(info.memory_bytes, 0);
        open.alloc = &other.alloc;
        CHECK_OK(ninho_filter_decode(bytes, size, &open, &decoded, NULL));
        CHECK_OK(ninho_filter_info(decoded, &info));
        CHECK_U64(info.memory_bytes, other.live_bytes);
        CHECK(info.memory_bytes < size + (24 << 10));
        free(bytes);
        ninho_filter_free(decoded);
        ninho_filter_free(filter);
    }
}

static void metadata_survives_any_request_failing(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_spec spec = family_spec(family, 20, .01, 1);
        struct test_heap heap;
        ninho_filter *filter = NULL, *before = NULL;
        heap_init(&heap);
        CHECK_OK(ninho_filter_create(&spec, &heap.alloc, &filter, NULL));
        CHECK_OK(ninho_filter_copy(filter, NULL, &before, NULL));
        for (size_t n = 1;; n++) {
            test_where("%s: request %zu", family->name, n);
            heap_fail_at(&heap, n);
            const size_t n_refused = heap.n_refused;
            const ninho_status status = ninho_filter_set_meta(filter, "name", "value");
            if (heap.n_refused == n_refused) {
                CHECK_OK(status);
                break;
            }
            CHECK_STATUS(status, NINHO_ERR_NOMEM);
            check_same_bytes(filter, before);
        }
        ninho_filter_free(before);
        ninho_filter_free(filter);
        CHECK_U64(heap.live_blocks, 0);
    }
}

/* What is documented to allocate nothing. */
static void other_calls_ask_for_no_memory(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, 1000, .01, 1);
        struct test_heap heap;
        ninho_filter *filter = NULL, *twin = NULL;
        ninho_info info = NINHO_INFO_INIT;
        double n_keys;
        test_where("%s", family->name);
        heap_init(&heap);
        CHECK_OK(ninho_filter_create(&spec, &heap.alloc, &filter, NULL));
        CHECK_OK(ninho_filter_create(&spec, &heap.alloc, &twin, NULL));
        const size_t n_before = heap.n_calls;
        add_range(filter, &spec, 0, 1000); /* within its capacity even a growing one */
        CHECK(heap.n_calls == n_before || family_has_places(family)); /* these search */
        const size_t n_calls = heap.n_calls;
        check_range(filter, &spec, 0, 1000);
        size_t size;
        uint8_t *bytes = encoded(filter, &size);
        free(bytes);
        if (!family_has_places(family)) /* a union of these takes a second table */
            ninho_filter_union(filter, twin, NULL);
        ninho_filter_estimate(filter, &n_keys);
        ninho_filter_remove(filter, 1);
        CHECK_OK(ninho_filter_info(filter, &info));
        CHECK_OK(ninho_filter_verify(filter, NULL));
        CHECK_OK(ninho_filter_clear(filter));
        CHECK_U64(heap.n_calls, n_calls);
        ninho_filter_free(filter);
        ninho_filter_free(twin);
        CHECK_U64(heap.live_blocks, 0);
    }
}

/* More than there is: refused before anything is touched, and the size is told. */
static void a_table_that_cannot_be_had_is_refused(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        ninho_spec spec = family_spec(family, UINT64_C(1) << 47, .01, 1);
        struct test_heap heap;
        ninho_filter *filter = NULL;
        ninho_error error = NINHO_ERROR_INIT;
        test_where("%s", family->name);
        heap_init(&heap);
        heap.limit = 1 << 20;
        CHECK_STATUS(ninho_filter_create(&spec, &heap.alloc, &filter, &error),
                     NINHO_ERR_NOMEM);
        CHECK(!filter && heap.live_blocks == 0);
        CHECK(strpbrk(error.text, "0123456789")); /* how much it would have been */
        spec = family_spec(family, UINT64_C(1) << 48, 1e-3, 1);
        CHECK_STATUS(ninho_filter_create(&spec, NULL, &filter, &error), NINHO_ERR_NOMEM);
        CHECK(!filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_makes_a_filter_survives_any_request_failing),
        cmocka_unit_test(growth_survives_any_request_failing),
        cmocka_unit_test(a_batch_that_cannot_grow_says_how_far_it_came),
        cmocka_unit_test(a_search_survives_any_request_failing),
        cmocka_unit_test(all_memory_is_told),
        cmocka_unit_test(metadata_survives_any_request_failing),
        cmocka_unit_test(other_calls_ask_for_no_memory),
        cmocka_unit_test(a_table_that_cannot_be_had_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
