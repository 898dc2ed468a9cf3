/* SPDX-License-Identifier: MIT */
/* <ninho/shared.h>: shared adds, and readers beside the writer. With threads, so that
 * ThreadSanitizer sees them, and one call after another, so that answers can be compared.
 * tests/model/beside_test.c puts the steps of both in every order. */
#include "conform/families.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <ninho/inline.h>

enum { N_THREADS = 4, N_KEYS = 2000 };

static bool can_share(const struct family *family)
{
    return family_can(family) & NINHO_CAN_SHARE;
}

/* ---- Shared adds, one call after another ---------------------------------------------- */

static void kinds_that_cannot_share_say_so(void **state)
{
    static const uint64_t hashes[3] = {1, 2, 3};

    (void)state;
    CHECK(ninho_kind_can(NINHO_BLOOM) & NINHO_CAN_SHARE);
    CHECK(ninho_kind_can(NINHO_BLOCKED) & NINHO_CAN_SHARE);
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_status expected =
            can_share(family) ? NINHO_OK : NINHO_ERR_UNSUPPORTED;
        ninho_filter *filter = family_filter(family, N_KEYS, .01, 1);
        test_where("%s", family->name);
        CHECK_STATUS(ninho_filter_add_shared(filter, 7), expected);
        CHECK_STATUS(ninho_filter_add_many_shared(filter, hashes, 3), expected);
        CHECK_STATUS(ninho_filter_add_many_shared(filter, NULL, 0), expected);
        CHECK_STATUS(ninho_filter_add_many_shared(filter, NULL, 1), NINHO_ERR_ARG);
        CHECK(!!expected == (ninho_filter_count(filter) == 0));
        ninho_filter_free(filter);
    }
    CHECK_STATUS(ninho_filter_add_shared(NULL, 7), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_add_key_shared(NULL, "k", 1), NINHO_ERR_ARG);
}

static void ignore(void *context, const ninho_event *event)
{
    (void)context;
    (void)event;
}

static void views_and_watched_filters_take_none(void **state)
{
    ninho_spec spec = {.size_of_struct = sizeof spec,
                       .kind = NINHO_BLOCKED,
                       .capacity = 100,
                       .fpr = .01};
    ninho_filter *filter = NULL;
    const ninho_filter *view = NULL;
    ninho_view storage;
    size_t size;

    (void)state;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    uint8_t *bytes = encoded(filter, &size);
    CHECK_OK(ninho_filter_view(&storage, bytes, size, NULL, &view, NULL));
    ninho_reader *reader = NULL;
    ninho_filter *const hostile = (ninho_filter *)(uintptr_t)view;
    CHECK_STATUS(ninho_filter_add_shared(hostile, 7), NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_reader_open(hostile, &reader, NULL), NINHO_ERR_UNSUPPORTED);
    ninho_filter_free(filter);
    free(bytes);
    spec.observer = ignore;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    CHECK_STATUS(ninho_filter_add_shared(filter, 7), NINHO_ERR_UNSUPPORTED);
    CHECK(!ninho_filter_has(filter, 7));
    ninho_filter_free(filter);
}

/* Fails unless both have the same bits; counts may differ. */
static void check_same_tables(const ninho_filter *a, const ninho_filter *b)
{
    size_t size = 0, other = 0;

    CHECK_STATUS(ninho_filter_encode_bare(a, NULL, 0, &size), NINHO_ERR_SPACE);
    CHECK_STATUS(ninho_filter_encode_bare(b, NULL, 0, &other), NINHO_ERR_SPACE);
    CHECK_U64(size, other);
    uint8_t *const bytes = malloc(2 * size);
    CHECK(bytes);
    CHECK_OK(ninho_filter_encode_bare(a, bytes, size, NULL));
    CHECK_OK(ninho_filter_encode_bare(b, bytes + size, size, NULL));
    CHECK(memcmp(bytes, bytes + size, size) == 0);
    free(bytes);
}

static void add_by_handle(ninho_filter *filter, const uint64_t *hashes, size_t n)
{
    ninho_blocked_adder blocked;
    ninho_bloom_adder bloom;

    if (ninho_filter_kind(filter) == NINHO_BLOCKED) {
        CHECK_OK(ninho_blocked_adder_of(filter, &blocked, NULL));
        for (size_t i = 0; i < n; i++)
            ninho_blocked_add_shared(&blocked, hashes[i]);
    } else if (ninho_filter_kind(filter) != NINHO_BLOOM) { /* no handle */
        CHECK_OK(ninho_filter_add_many_shared(filter, hashes, n));
    } else {
        CHECK_OK(ninho_bloom_adder_of(filter, &bloom, NULL));
        for (size_t i = 0; i < n; i++)
            ninho_bloom_add_shared(&bloom, hashes[i]);
    }
}

static void shared_adds_set_the_same_bits(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, N_KEYS, .01, 3);
        uint64_t hashes[N_KEYS];
        ninho_filter *filters[4];
        if (!can_share(family))
            continue;
        test_where("%s", family->name);
        spec_hashes(&spec, 0, N_KEYS, hashes);
        for (size_t i = 0; i < 4; i++)
            filters[i] = family_filter(family, N_KEYS, .01, 3);
        CHECK_OK(ninho_filter_add_many(filters[0], hashes, N_KEYS, NULL));
        CHECK_OK(ninho_filter_add_many_shared(filters[1], hashes, N_KEYS));
        for (size_t i = 0; i < N_KEYS; i++)
            CHECK_OK(ninho_filter_add_shared(filters[2], hashes[i]));
        add_by_handle(filters[3], hashes, N_KEYS);
        for (size_t i = 1; i < 4; i++)
            check_same_tables(filters[0], filters[i]);
        for (size_t i = 0; i < 4; i++)
            ninho_filter_free(filters[i]);
    }
}

static void shared_adds_take_keys(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        ninho_filter *filter = family_filter(family, 100, .01, 3);
        uint8_t key[16];
        if (!can_share(family))
            goto next;
        test_where("%s", family->name);
        for (uint64_t i = 0; i < 50; i++) {
            const size_t size = family_key(family, i, key);
            if (!size) {
                CHECK_STATUS(ninho_filter_add_key_shared(filter, "k", 1),
                             NINHO_ERR_UNSUPPORTED);
                break;
            }
            CHECK_OK(ninho_filter_add_key_shared(filter, key, size));
            CHECK(ninho_filter_has_key(filter, key, size));
        }
    next:
        ninho_filter_free(filter);
    }
}

static ninho_info info_of(const ninho_filter *filter)
{
    ninho_info info = NINHO_INFO_INIT;

    CHECK_OK(ninho_filter_info(filter, &info));
    return info;
}

/* What is not counted is estimated, in the filter, its copies and its bytes; what is added one by one
 * afterwards as well. */
static void keys_added_shared_are_estimated(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, N_KEYS, .01, 3);
        const ninho_open_options open = family_open(family, 3);
        uint64_t hashes[N_KEYS];
        ninho_filter *filter = family_filter(family, N_KEYS, .01, 3), *copy = NULL;
        ninho_filter *other = family_filter(family, N_KEYS, .01, 3);
        size_t size;
        if (!can_share(family))
            goto next;
        test_where("%s", family->name);
        spec_hashes(&spec, 0, N_KEYS, hashes);
        CHECK_OK(ninho_filter_add_many(filter, hashes, 500, NULL));
        CHECK(!info_of(filter).count_is_estimate);
        CHECK_OK(ninho_filter_add_many_shared(filter, hashes + 500, 500));
        CHECK_OK(ninho_filter_add_many(filter, hashes + 1000, 500, NULL));
        CHECK(info_of(filter).count_is_estimate);
        CHECK(is_near((double)info_of(filter).count, 1500, .05));
        CHECK_U64(ninho_filter_count(filter), info_of(filter).count);
        CHECK_OK(ninho_filter_copy(filter, NULL, &copy, NULL));
        CHECK(info_of(copy).count_is_estimate);
        CHECK_U64(ninho_filter_count(copy), ninho_filter_count(filter));
        ninho_filter_free(copy);
        uint8_t *bytes = encoded(filter, &size);
        CHECK_OK(ninho_filter_decode(bytes, size, &open, &copy, NULL));
        CHECK(info_of(copy).count_is_estimate);
        CHECK_U64(ninho_filter_count(copy), ninho_filter_count(filter));
        free(bytes);
        /* United, either way round, and with itself. */
        CHECK_OK(ninho_filter_add_many(other, hashes + 1500, 500, NULL));
        CHECK_OK(ninho_filter_union(other, filter, NULL));
        CHECK(is_near((double)info_of(other).count, 2000, .05));
        CHECK(info_of(other).count_is_estimate);
        CHECK_OK(ninho_filter_clear(other));
        CHECK_OK(ninho_filter_union(filter, other, NULL));
        CHECK_U64(ninho_filter_count(copy), ninho_filter_count(filter));
        CHECK(info_of(filter).count_is_estimate);
        CHECK_OK(ninho_filter_union(filter, filter, NULL));
        CHECK_U64(ninho_filter_count(copy), ninho_filter_count(filter));
        /* Exact again. */
        CHECK_OK(ninho_filter_add_shared(filter, 1));
        CHECK_OK(ninho_filter_clear(filter));
        CHECK(!info_of(filter).count_is_estimate);
        CHECK_U64(ninho_filter_count(filter), 0);
        ninho_filter_free(copy);
    next:
        ninho_filter_free(filter);
        ninho_filter_free(other);
    }
}

static void a_table_of_ones_has_a_count(void **state)
{
    const ninho_spec spec = {.size_of_struct = sizeof spec,
                             .kind = NINHO_BLOOM,
                             .capacity = 1,
                             .n_bits = 8,
                             .n_hashes = 8};
    ninho_filter *filter = NULL;
    size_t size;

    (void)state;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    for (uint64_t i = 0; i < 100; i++)
        CHECK_OK(ninho_filter_add_shared(filter, mix64(i)));
    CHECK_U64(ninho_filter_count(filter), UINT64_C(1) << 59);
    uint8_t *bytes = encoded(filter, &size);
    ninho_filter_free(filter);
    CHECK_OK(ninho_filter_decode(bytes, size, NULL, &filter, NULL));
    CHECK_U64(ninho_filter_count(filter), UINT64_C(1) << 59);
    ninho_filter_free(filter);
    free(bytes);
}

/* ---- Shared adds, with threads -------------------------------------------------------- */

/* Writer i adds keys i, i + N_THREADS, ... and says how many after each of them. */
struct together {
    ninho_filter *filter, *united;
    const uint64_t *hashes;
    atomic_size_t n_added[N_THREADS];
    atomic_size_t n_lost;
    atomic_bool has_failed;
};

struct one_of_them {
    struct together *all;
    size_t number;
    pthread_t thread;
};

static void *add_shared(void *context)
{
    struct one_of_them *const one = context;
    struct together *const all = one->all;
    bool has_failed = false;

    for (size_t i = 0; i < N_KEYS / N_THREADS; i++) {
        const uint64_t hash = all->hashes[i * N_THREADS + one->number];
        if (i % 3 == 0)
            add_by_handle(all->filter, &hash, 1);
        else if (i % 3 == 1)
            has_failed |= ninho_filter_add_shared(all->filter, hash) != NINHO_OK;
        else
            has_failed |= ninho_filter_add_many_shared(all->filter, &hash, 1) != NINHO_OK;
        atomic_store_explicit(&all->n_added[one->number], i + 1, memory_order_release);
    }
    if (has_failed)
        atomic_store(&all->has_failed, true);
    return NULL;
}

/* How many of the keys that this thread was told of are not in a filter. */
static size_t n_lost_of(struct together *all, const ninho_filter *filter,
                        const size_t *n_told)
{
    uint64_t maybe[1];
    size_t n_lost = 0;

    for (size_t writer = 0; writer < N_THREADS; writer++)
        for (size_t i = 0; i < n_told[writer]; i++) {
            const uint64_t hash = all->hashes[i * N_THREADS + writer];
            n_lost += !ninho_filter_has(filter, hash);
            n_lost += ninho_filter_has_many(filter, &hash, 1, maybe) != 1;
        }
    return n_lost;
}

static void *ask_for_what_was_told(void *context)
{
    struct one_of_them *const one = context;
    struct together *const all = one->all;
    size_t n_told[N_THREADS], sum;

    do {
        ninho_filter *copy = NULL;
        sum = 0;
        for (size_t i = 0; i < N_THREADS; i++)
            sum += n_told[i] =
                atomic_load_explicit(&all->n_added[i], memory_order_acquire);
        size_t n_lost = n_lost_of(all, all->filter, n_told);
        if (ninho_filter_copy(all->filter, NULL, &copy, NULL) == NINHO_OK)
            n_lost += n_lost_of(all, copy, n_told);
        ninho_filter_free(copy);
        if (one->number == 0) {
            if (ninho_filter_union(all->united, all->filter, NULL) != NINHO_OK)
                n_lost++;
            n_lost += n_lost_of(all, all->united, n_told);
        }
        atomic_fetch_add(&all->n_lost, n_lost);
    } while (sum < N_KEYS);
    return NULL;
}

static void told_keys_are_found(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, N_KEYS, .01, 3);
        uint64_t hashes[N_KEYS];
        struct one_of_them writers[N_THREADS], readers[2];
        struct together all = {.hashes = hashes};
        if (!can_share(family))
            continue;
        test_where("%s", family->name);
        spec_hashes(&spec, 0, N_KEYS, hashes);
        all.filter = family_filter(family, N_KEYS, .01, 3);
        all.united = family_filter(family, N_KEYS, .01, 3);
        for (size_t i = 0; i < N_THREADS; i++) {
            writers[i] = (struct one_of_them){.all = &all, .number = i};
            CHECK(!pthread_create(&writers[i].thread, NULL, add_shared, &writers[i]));
        }
        for (size_t i = 0; i < 2; i++) {
            readers[i] = (struct one_of_them){.all = &all, .number = i};
            CHECK(!pthread_create(&readers[i].thread, NULL, ask_for_what_was_told,
                                  &readers[i]));
        }
        for (size_t i = 0; i < N_THREADS; i++)
            CHECK(!pthread_join(writers[i].thread, NULL));
        for (size_t i = 0; i < 2; i++)
            CHECK(!pthread_join(readers[i].thread, NULL));
        CHECK(!atomic_load(&all.has_failed));
        CHECK_U64(atomic_load(&all.n_lost), 0);
        check_range(all.filter, &spec, 0, N_KEYS);
        ninho_filter_free(all.filter);
        ninho_filter_free(all.united);
    }
}

/* ---- Readers, one call after another --------------------------------------------------- */

/* The same answers, by every call. */
static void check_reader(const ninho_filter *filter, ninho_reader *reader,
                         const struct family *family, const ninho_spec *spec, size_t n)
{
    uint64_t hashes[2 * N_KEYS], maybe[2 * N_KEYS / 64 + 1], theirs[2 * N_KEYS / 64 + 1];
    uint8_t key[16];

    CHECK(n <= N_KEYS);
    spec_hashes(spec, 0, n, hashes);
    spec_hashes(spec, ABSENT, n, hashes + n);
    const size_t n_maybe = ninho_filter_has_many(filter, hashes, 2 * n, maybe);
    CHECK_U64(ninho_reader_has_many(reader, hashes, 2 * n, theirs), n_maybe);
    CHECK_U64(ninho_reader_has_many(reader, hashes, 2 * n, NULL), n_maybe);
    CHECK(memcmp(maybe, theirs, (2 * n + 63) / 64 * sizeof *maybe) == 0);
    for (size_t i = 0; i < 2 * n; i++)
        CHECK(ninho_reader_has(reader, hashes[i]) == (maybe[i / 64] >> i % 64 & 1));
    for (uint64_t i = 0; i < 20; i++) {
        const size_t size = family_key(family, i % 2 ? i : ABSENT + i, key);
        CHECK(ninho_reader_has_key(reader, key, size) ==
              ninho_filter_has_key(filter, key, size));
    }
    CHECK(ninho_reader_has_key(reader, NULL, 3));
}

static void a_reader_answers_as_its_filter(void **state)
{
    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_spec spec = family_spec(family, N_KEYS / 4, .01, 5);
        const size_t n = family->room == 1 ? N_KEYS / 4 : N_KEYS;
        ninho_filter *filter = family_filter(family, N_KEYS / 4, .01, 5);
        ninho_filter *other = family_filter(family, N_KEYS / 4, .01, 5);
        ninho_reader *reader = NULL;
        test_where("%s", family->name);
        CHECK_OK(ninho_reader_open(filter, &reader, NULL));
        check_reader(filter, reader, family, &spec, 20);
        for (size_t at = 0; at < n; at += n / 10) { /* also while it grows */
            uint64_t hashes[N_KEYS / 10];
            spec_hashes(&spec, at, n / 10, hashes);
            CHECK_OK(ninho_filter_add(filter, hashes[0]));
            CHECK_OK(ninho_filter_add_many(filter, hashes + 1, n / 10 - 1, NULL));
            check_reader(filter, reader, family, &spec, n);
        }
        if (ninho_filter_can(filter) & NINHO_CAN_REMOVE)
            for (size_t i = 0; i < n; i += 2) {
                uint64_t hash;
                spec_hashes(&spec, i, 1, &hash);
                CHECK_OK(ninho_filter_remove(filter, hash));
            }
        check_reader(filter, reader, family, &spec, n);
        add_range(other, &spec, 0, n / 4);
        if (ninho_filter_can(filter) & NINHO_CAN_UNION)
            CHECK_OK(ninho_filter_union(filter, other, NULL));
        check_reader(filter, reader, family, &spec, n);
        CHECK_OK(ninho_filter_clear(filter));
        check_reader(filter, reader, family, &spec, n);
        bool was_there = true;
        CHECK_OK(ninho_filter_has_and_add(filter, 77, &was_there));
        CHECK(!was_there && ninho_reader_has(reader, 77));
        ninho_reader_close(reader);
        ninho_filter_free(filter);
        ninho_filter_free(other);
    }
}

static void who_cannot_be_asked_says_maybe(void **state)
{
    static const uint64_t hashes[70] = {1};
    uint64_t maybe[2];
    ninho_reader *reader = NULL;

    (void)state;
    CHECK(ninho_reader_has(NULL, 1) && ninho_reader_has_key(NULL, "k", 1));
    CHECK_U64(ninho_reader_has_many(NULL, hashes, 70, maybe), 70);
    CHECK(maybe[0] == UINT64_MAX && maybe[1] == 63);
    ninho_reader_close(NULL);
    CHECK_STATUS(ninho_reader_open(NULL, &reader, NULL), NINHO_ERR_ARG);
    ninho_filter *fuse = family_built(&static_families[0], N_KEYS, .01, 1, 0, N_KEYS);
    CHECK_STATUS(ninho_reader_open(fuse, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_reader_open(fuse, &reader, NULL), NINHO_ERR_UNSUPPORTED);
    ninho_filter_free(fuse);
}

/* An old table stays while a reader may look at it, and not longer. */
static void old_tables_go_when_all_have_looked_up(void **state)
{
    const struct family doubling = {"quotient", {.kind = NINHO_QUOTIENT}, 0, 100};
    const ninho_spec spec = family_spec(&doubling, 100, .01, 1);
    ninho_filter *filter = NULL;
    ninho_reader *idle = NULL, *busy = NULL, *closed = NULL;
    struct test_heap heap;

    (void)state;
    heap_init(&heap);
    CHECK_OK(ninho_filter_create(&spec, &heap.alloc, &filter, NULL));
    const size_t n_at_first = heap.live_blocks;
    CHECK_OK(ninho_reader_open(filter, &idle, NULL));
    CHECK_OK(ninho_reader_open(filter, &busy, NULL));
    CHECK_OK(ninho_reader_open(filter, &closed, NULL));
    CHECK(info_of(filter).memory_bytes == heap.live_bytes);
    const size_t n_with_readers = heap.live_blocks;
    add_range(filter, &spec, 0, 300); /* doubles twice */
    CHECK(heap.live_blocks >= n_with_readers + 3);
    CHECK(info_of(filter).memory_bytes == heap.live_bytes);
    (void)ninho_reader_has(busy, 1);
    ninho_reader_close(closed);
    add_range(filter, &spec, 300, 1);
    CHECK(heap.live_blocks >= n_with_readers + 3); /* one has not looked up */
    check_range(filter, &spec, 0, 301);
    (void)ninho_reader_has(idle, 1);
    add_range(filter, &spec, 301, 1);
    CHECK(heap.live_blocks <= n_with_readers); /* less one reader, with one spare list */
    CHECK(info_of(filter).memory_bytes == heap.live_bytes);
    ninho_reader_close(idle);
    ninho_reader_close(busy);
    CHECK(n_at_first < heap.live_blocks);
    ninho_filter_free(filter);
    CHECK_U64(heap.live_blocks, 0);
}

/* Where there is no memory for what readers need, nothing has changed. */
static void without_memory_nothing_changes(void **state)
{
    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_spec spec = family_spec(family, 100, .01, 1);
        size_t n_failures = 0;
        test_where("%s", family->name);
        for (size_t fail_at = 1;; fail_at++) {
            ninho_filter *filter = NULL;
            ninho_reader *reader = NULL;
            struct test_heap heap;
            uint64_t hashes[400];
            heap_init(&heap);
            spec_hashes(&spec, 0, 400, hashes);
            CHECK_OK(ninho_filter_create(&spec, &heap.alloc, &filter, NULL));
            heap_fail_at(&heap, fail_at);
            ninho_status status = ninho_reader_open(filter, &reader, NULL);
            CHECK(!status == !!reader);
            for (size_t i = 0; !status && i < 400; i++) {
                status = ninho_filter_add(filter, hashes[i]);
                CHECK(status || ninho_reader_has(reader, hashes[i]));
                CHECK(ninho_reader_has(reader, hashes[i / 2]) || status);
            }
            const bool has_refused = heap.n_refused > 0;
            CHECK(!status || has_refused);
            n_failures += has_refused;
            if (has_refused && reader) {
                const ninho_status cleared = ninho_filter_clear(filter);
                CHECK(cleared == NINHO_OK || cleared == NINHO_ERR_NOMEM);
            }
            ninho_reader_close(reader);
            ninho_filter_free(filter);
            CHECK_U64(heap.live_blocks, 0);
            if (!has_refused)
                break;
        }
        CHECK(n_failures >= 4); /* reader, sharing, marks, list */
    }
}

static void keys_are_not_moved_away_from_readers(void **state)
{
    const struct family nested = {"cuckoo", {.kind = NINHO_CUCKOO}, 0, 12};
    ninho_filter *source = family_filter(&nested, 500, .01, 1);
    ninho_filter *target = family_filter(&nested, 500, .01, 1);
    ninho_reader *reader = NULL;
    uint64_t cursor = 0;

    (void)state;
    CHECK_OK(ninho_reader_open(source, &reader, NULL));
    CHECK_STATUS(ninho_filter_move(target, source, &cursor, 10, NULL),
                 NINHO_ERR_UNSUPPORTED);
    CHECK_U64(cursor, 0);
    CHECK_OK(ninho_filter_move(source, target, &cursor, 10, NULL));
    ninho_reader_close(reader);
    ninho_filter_free(source);
    ninho_filter_free(target);
}

/* ---- Readers, with threads -------------------------------------------------------------- */

struct beside {
    const uint64_t *hashes; /* N_KEYS / 4 that stay, then absent ones */
    ninho_reader *reader;
    atomic_bool *is_over;
    pthread_t thread;
    size_t n_lost;
};

static void *ask_beside(void *context)
{
    struct beside *const self = context;
    enum { N = N_KEYS / 4 };
    uint64_t maybe[N / 64 + 1];

    while (!atomic_load_explicit(self->is_over, memory_order_relaxed)) {
        for (size_t i = 0; i < N; i++)
            self->n_lost += !ninho_reader_has(self->reader, self->hashes[i]);
        self->n_lost += N - ninho_reader_has_many(self->reader, self->hashes, N, maybe);
        (void)ninho_reader_has_many(self->reader, self->hashes + N, N, NULL);
    }
    ninho_reader_close(self->reader);
    return NULL;
}

/* Other keys come and go. */
static void churn(ninho_filter *filter, const ninho_spec *spec, size_t n_steps,
                  size_t n_room)
{
    struct test_rng rng = {7};
    const bool can_remove = ninho_filter_can(filter) & NINHO_CAN_REMOVE;
    uint64_t first = N_KEYS, end = N_KEYS;

    for (size_t i = 0; i < n_steps; i++) {
        uint64_t hash;
        if (end - first < n_room && (rng_below(&rng, 2) || !can_remove)) {
            spec_hashes(spec, end, 1, &hash);
            if (ninho_filter_add(filter, hash) == NINHO_OK)
                end++;
            else
                n_room = end - first;
        } else if (can_remove && end > first) {
            spec_hashes(spec, first++, 1, &hash);
            CHECK_OK(ninho_filter_remove(filter, hash));
        }
    }
}

static void keys_that_stay_are_found_throughout(void **state)
{
    const size_t n_steps = test_scaled(20000, 2000);

    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        enum { N = N_KEYS / 4, N_READERS = 2 };
        const size_t capacity = family->room == 1 ? 2 * N : N;
        const ninho_spec spec = family_spec(family, capacity, .01, 9);
        ninho_filter *filter = family_filter(family, capacity, .01, 9);
        uint64_t hashes[2 * N];
        struct beside readers[N_READERS];
        atomic_bool is_over = false;
        test_where("%s", family->name);
        spec_hashes(&spec, 0, N, hashes);
        spec_hashes(&spec, ABSENT, N, hashes + N);
        CHECK_OK(ninho_filter_add_many(filter, hashes, N, NULL));
        for (size_t i = 0; i < N_READERS; i++) {
            readers[i] = (struct beside){.hashes = hashes, .is_over = &is_over};
            CHECK_OK(ninho_reader_open(filter, &readers[i].reader, NULL));
            CHECK(!pthread_create(&readers[i].thread, NULL, ask_beside, &readers[i]));
        }
        churn(filter, &spec, n_steps, family->room == 1 ? N - N / 50 : N_KEYS);
        atomic_store(&is_over, true);
        for (size_t i = 0; i < N_READERS; i++) {
            CHECK(!pthread_join(readers[i].thread, NULL));
            CHECK_U64(readers[i].n_lost, 0);
        }
        check_range(filter, &spec, 0, N);
        ninho_filter_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_that_cannot_share_say_so),
        cmocka_unit_test(views_and_watched_filters_take_none),
        cmocka_unit_test(shared_adds_set_the_same_bits),
        cmocka_unit_test(shared_adds_take_keys),
        cmocka_unit_test(keys_added_shared_are_estimated),
        cmocka_unit_test(a_table_of_ones_has_a_count),
        cmocka_unit_test(told_keys_are_found),
        cmocka_unit_test(a_reader_answers_as_its_filter),
        cmocka_unit_test(who_cannot_be_asked_says_maybe),
        cmocka_unit_test(old_tables_go_when_all_have_looked_up),
        cmocka_unit_test(without_memory_nothing_changes),
        cmocka_unit_test(keys_are_not_moved_away_from_readers),
        cmocka_unit_test(keys_that_stay_are_found_throughout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
