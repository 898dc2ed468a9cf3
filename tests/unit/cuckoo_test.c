/* SPDX-License-Identifier: MIT */
/* The cuckoo filter: places and tags, and what happens when there is no more room. Its pictures,
 * its planner, its growth and its enemies have tests of their own beside this one. */
#include "unit/cuckoos.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filter/cuckoo.h"

/* ---- Places and tags ----------------------------------------------------------------------- */

/* There and back again, from either side; and there is another place. */
static void check_pairing(uint64_t n_places, uint64_t place, uint64_t tag, bool is_offset)
{
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t other = nh_cuckoo_other(place, side, tag, n_places, is_offset);
        const uint64_t back = nh_cuckoo_other(other, !side, tag, n_places, is_offset);
        if (other >= n_places || back != place || (other == place && n_places > 1))
            test_fail(__FILE__, __LINE__,
                      "%llu places, tag %llu: %llu (side %u) to %llu to %llu",
                      (unsigned long long)n_places, (unsigned long long)tag,
                      (unsigned long long)place, side, (unsigned long long)other,
                      (unsigned long long)back);
    }
}

static void the_other_place_of_the_other_place_is_the_place(void **state)
{
    struct test_rng rng = {test_seed(1)};

    (void)state;
    /* every place at full scale; for emulators some of them, of every size still */
    const uint64_t most = test_scale() >= 100 ? 5000 : 100;
    for (uint64_t n_places = 1; n_places <= 5000; n_places++)
        for (uint64_t place = 0; place < n_places; place += 1 + n_places / (most + 1))
            check_pairing(n_places, place, place % 7 ? rng_next(&rng) >> 32 : place % 5,
                          true);
    for (uint64_t n_places = 2; n_places <= 8192; n_places *= 2)
        for (uint64_t place = 0; place < n_places; place++)
            for (uint64_t i = 0; i < 8; i++)
                check_pairing(n_places, place, i < 2 ? i : rng_next(&rng) >> 32, false);
    for (size_t i = 0; i < test_scaled(1000000, 20000); i++) {
        const unsigned n_bits = 1 + (unsigned)rng_below(&rng, 40);
        const uint64_t any = 1 + rng_below(&rng, UINT64_C(1) << n_bits);
        const uint64_t tag = rng_next(&rng) >> (32 + rng_below(&rng, 32));
        check_pairing(any, rng_below(&rng, any), tag, true);
        const uint64_t power = UINT64_C(1) << n_bits;
        check_pairing(power, rng_below(&rng, power), tag, false);
    }
}

/* Every way of wiring: a key that was moved back and forth is still found, in tables of every
 * small size. */
static void tables_of_every_size_lose_nothing(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        for (uint64_t n_slots = 1; n_slots < 200; n_slots++) {
            ninho_spec spec = cuckoo_spec(cuckoo, 1, .01);
            ninho_filter *filter = NULL;
            spec.n_slots = n_slots;
            test_where("%s: %llu slots", cuckoo->name, (unsigned long long)n_slots);
            if (ninho_filter_create(&spec, NULL, &filter, NULL))
                continue; /* not a number of slots for this shape */
            const uint64_t n = fill_until_full(filter, n_slots);
            check_hashes(filter, n_slots, n);
            CHECK_U64(ninho_filter_count(filter), n);
            CHECK_OK(ninho_filter_verify(filter, NULL));
            for (uint64_t i = 0; i < n; i++) {
                CHECK_OK(ninho_filter_remove(filter, mix64(n_slots + i)));
                check_hashes(filter, n_slots + i + 1, n - i - 1);
            }
            CHECK_U64(ninho_filter_count(filter), 0);
            ninho_filter_free(filter);
        }
    }
}

static void tag_0_is_a_tag(void **state)
{
    enum { N = 200 };
    uint64_t hashes[N];

    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        ninho_filter *filter = cuckoo_filter(cuckoo, 5 * N, .05);
        ninho_filter *fresh = cuckoo_filter(cuckoo, 5 * N, .05);
        const struct shape shape = shape_of(filter);
        size_t n = 0;
        test_where("%s", cuckoo->name);
        hashes[n++] = 0;
        for (uint64_t i = 0; n < N; i++)
            if (identity_of(&shape, mix64(i)).tag == 0)
                hashes[n++] = mix64(i);
        CHECK_U64(identity_of(&shape, 0).tag, 0);
        for (size_t i = 0; i < N; i++) {
            CHECK_OK(ninho_filter_add(filter, hashes[i]));
            for (size_t j = 0; j <= i; j++)
                CHECK(ninho_filter_has(filter, hashes[j]));
        }
        for (size_t i = 0; i < N; i++) {
            CHECK_OK(ninho_filter_remove(filter, hashes[i]));
            for (size_t j = i + 1; j < N; j++)
                CHECK(ninho_filter_has(filter, hashes[j]));
        }
        check_equal_bytes(filter, fresh);
        ninho_filter_free(filter);
        ninho_filter_free(fresh);
    }
}

static int by_identity(const void *a, const void *b)
{
    const struct identity *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->tag < y->tag ? -1 : x->tag > y->tag;
}

/* Tags too wide for their false positives to be sampled: keys that are alike are pairs among many
 * keys, and how many of those there are follows from the number of identities, which the promised
 * fpr is made of. */
static void identities_are_as_many_as_the_formula_says(void **state)
{
    static const unsigned widths[] = {12, 16, 20, 24, 28, 32};
    const size_t n = test_scaled(2000000, 20000);
    struct identity *seen = malloc(n * sizeof *seen);

    (void)state;
    CHECK(seen);
    for (size_t c = 0; c < n_cuckoos; c += 3) { /* each shape once is enough */
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            ninho_spec spec = cuckoo_spec(&cuckoos[c], 20, 0);
            ninho_info info = NINHO_INFO_INIT;
            double n_equal = 0, run = 1;
            spec.tag_bits = widths[w];
            ninho_filter *filter = filter_of(&spec, NULL);
            const struct shape shape = shape_of(filter);
            test_where("%s: %u bits", cuckoos[c].name, widths[w]);
            const double n_identities =
                (double)shape.n_places * (double)shape.n_tags / (shape.is_offset ? 1 : 2);
            for (size_t i = 0; i < n; i++)
                seen[i] = identity_of(&shape, mix64(i + 77));
            qsort(seen, n, sizeof *seen, by_identity);
            for (size_t i = 1; i < n; i++) {
                run = by_identity(&seen[i - 1], &seen[i]) ? 1 : run + 1;
                n_equal += run - 1;
            }
            const double mean = (double)n * (double)(n - 1) / 2 / n_identities;
            if (fabs(n_equal - mean) > 5 * sqrt(mean) + 5)
                test_fail(__FILE__, __LINE__, "%g equal pairs, not %g", n_equal, mean);
            /* and the promise is made of the same number */
            for (uint64_t i = 0; i < 20; i++)
                CHECK_OK(ninho_filter_add(filter, mix64(i)));
            CHECK_OK(ninho_filter_info(filter, &info));
            CHECK(is_near(info.fpr_expected, 20 / n_identities, .05));
            ninho_filter_free(filter);
        }
    }
    free(seen);
}

/* ---- Full ---------------------------------------------------------------------------------- */

static void the_ninth_copy_into_buckets_of_four_is_full(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        ninho_filter *filter = cuckoo_filter(cuckoo, 1000, .001);
        const struct shape shape = shape_of(filter);
        test_where("%s", cuckoo->name);
        for (uint64_t i = 0; i < 500; i++)
            CHECK_OK(ninho_filter_add(filter, mix64(i)));
        uint64_t n = 1; /* key 3 is in already */
        while (ninho_filter_add(filter, mix64(3)) == NINHO_OK)
            CHECK_U64(ninho_filter_copies(filter, mix64(3)), ++n);
        CHECK_U64(n, 2 * shape.n); /* their windows do not overlap */
        size_t before_size, after_size;
        uint8_t *before = encoded(filter, &before_size);
        for (int i = 0; i < 20; i++)
            CHECK_STATUS(ninho_filter_add(filter, mix64(3)), NINHO_ERR_FULL);
        CHECK_STATUS(ninho_filter_add_many(filter, (uint64_t[]){mix64(3)}, 1, NULL),
                     NINHO_ERR_FULL);
        uint8_t *after = encoded(filter, &after_size);
        CHECK(before_size == after_size && memcmp(before, after, after_size) == 0);
        check_hashes(filter, 0, 500);
        CHECK_U64(ninho_filter_count(filter), 499 + n);
        while (n-- > 0)
            CHECK_OK(ninho_filter_remove(filter, mix64(3)));
        CHECK_STATUS(ninho_filter_remove(filter, mix64(3)), NINHO_ERR_NOT_FOUND);
        check_hashes(filter, 4, 496);
        free(before);
        free(after);
        ninho_filter_free(filter);
    }
}

/* Past 100 %: each add that is refused leaves every byte as it was, whichever search it was. */
static void a_refused_add_changes_no_byte(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        ninho_filter *filter = cuckoo_filter(cuckoo, 300, .001);
        const uint64_t n_slots = shape_of(filter).n_slots;
        uint64_t *in = malloc((size_t)n_slots * sizeof *in), n_in = 0, n_failed = 0;
        size_t size;
        uint8_t *before = encoded(filter, &size);
        test_where("%s", cuckoo->name);
        CHECK(in);
        for (uint64_t i = 0; i < 3 * n_slots; i++) {
            const ninho_status status = ninho_filter_add(filter, mix64(i));
            uint8_t *after = encoded(filter, &size);
            if (!status) {
                in[n_in++] = mix64(i);
                free(before);
                before = after;
                continue;
            }
            CHECK_STATUS(status, NINHO_ERR_FULL);
            CHECK(memcmp(before, after, size) == 0);
            n_failed++;
            free(after);
        }
        CHECK(n_in >= 300 && n_in <= n_slots && n_failed > n_slots);
        for (uint64_t i = 0; i < n_in; i++)
            CHECK(ninho_filter_has(filter, in[i]));
        CHECK_U64(ninho_filter_count(filter), n_in);
        CHECK_U64(stats_of(filter).n_failed, n_failed);
        CHECK_OK(ninho_filter_verify(filter, NULL));
        free(before);
        free(in);
        ninho_filter_free(filter);
    }
}

/* Refused, then one key leaves, and there is room again: also in a filter that was a file in
 * between. */
static void room_that_a_removal_makes_is_found(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        for (int reopens = 0; reopens < 2; reopens++) {
            ninho_filter *filter = cuckoo_filter(cuckoo, 2000, .001);
            const uint64_t n = fill_until_full(filter, 0);
            uint64_t n_removed = 0;
            test_where("%s, %s", cuckoo->name, reopens ? "saved" : "in memory");
            if (reopens) {
                ninho_filter *opened = NULL;
                size_t size;
                uint8_t *bytes = encoded(filter, &size);
                CHECK_OK(ninho_filter_decode(bytes, size, NULL, &opened, NULL));
                free(bytes);
                ninho_filter_free(filter);
                filter = opened;
            }
            CHECK_STATUS(ninho_filter_add(filter, mix64(n)), NINHO_ERR_FULL);
            do /* a walk may need a few before it comes across the room */
                CHECK_OK(ninho_filter_remove(filter, mix64(n_removed++)));
            while (ninho_filter_add(filter, mix64(n)) && n_removed < n / 4);
            CHECK(ninho_filter_has(filter, mix64(n)));
            check_hashes(filter, n_removed, n + 1 - n_removed);
            CHECK_U64(ninho_filter_count(filter), n + 1 - n_removed);
            ninho_filter_free(filter);
        }
    }
}

/* ---- Removal ------------------------------------------------------------------------------- */

static void each_removal_takes_one_copy(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        ninho_filter *filter = cuckoo_filter(cuckoo, 100, .0001);
        test_where("%s", cuckoo->name);
        CHECK_OK(ninho_filter_add(filter, mix64(1)));
        CHECK_OK(ninho_filter_add(filter, mix64(2)));
        CHECK_OK(ninho_filter_add(filter, mix64(1)));
        CHECK_OK(ninho_filter_remove(filter, mix64(1)));
        CHECK(ninho_filter_has(filter, mix64(1)));
        CHECK_OK(ninho_filter_remove(filter, mix64(1)));
        CHECK(!ninho_filter_has(filter, mix64(1)));
        CHECK_STATUS(ninho_filter_remove(filter, mix64(1)), NINHO_ERR_NOT_FOUND);
        CHECK(ninho_filter_has(filter, mix64(2)));
        CHECK_U64(ninho_filter_count(filter), 1);
        ninho_filter_free(filter);
    }
}

/* The damage that the header warns of: whoever removes what was never added takes others out,
 * as often as there are false positives. */
static void removing_what_was_never_added_costs_other_keys(void **state)
{
    enum { N = 14000 };
    ninho_spec spec = cuckoo_spec(ORIGINAL_CUCKOO, N, 0);
    uint64_t n_taken = 0, n_lost = 0;

    (void)state;
    spec.tag_bits = 8;
    spec.n_slots = 1 << 14;
    ninho_filter *filter = filter_of(&spec, NULL);
    for (uint64_t i = 0; i < N; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    for (uint64_t i = N; i < 2 * N; i++) {
        const bool has = ninho_filter_has(filter, mix64(i));
        CHECK_STATUS(ninho_filter_remove(filter, mix64(i)),
                     has ? NINHO_OK : NINHO_ERR_NOT_FOUND);
        n_taken += has;
    }
    for (uint64_t i = 0; i < N; i++)
        n_lost += !ninho_filter_has(filter, mix64(i));
    CHECK_U64(ninho_filter_count(filter), N - n_taken);
    CHECK(n_lost <= n_taken &&
          n_lost > n_taken / 2);               /* one that stood for two took both */
    CHECK(n_lost > N / 50 && n_lost < N / 25); /* 2.7 % of them */
    ninho_filter_free(filter);
}

/* ---- Whole tables -------------------------------------------------------------------------- */

static void batches_make_the_same_table(void **state)
{
    enum { N = 3000 };
    static uint64_t hashes[2 * N];

    (void)state;
    for (uint64_t i = 0; i < 2 * N; i++)
        hashes[i] = mix64(i);
    FOR_EACH_CUCKOO(cuckoo)
    {
        ninho_filter *single = cuckoo_filter(cuckoo, N, .001);
        ninho_filter *batch = cuckoo_filter(cuckoo, N, .001);
        ninho_filter *pieces = cuckoo_filter(cuckoo, N, .001);
        size_t n_added = 0, n_in_pieces = 0;
        test_where("%s", cuckoo->name);
        const uint64_t n = fill_until_full(single, 0);
        const size_t n_all = n < 2 * N ? 2 * N : (size_t)n;
        CHECK_STATUS(ninho_filter_add_many(batch, hashes, n_all, &n_added),
                     n < 2 * N ? NINHO_ERR_FULL : NINHO_OK);
        CHECK_U64(n_added, n);
        check_equal_bytes(single, batch);
        for (ninho_status status = NINHO_OK; !status;) {
            size_t n_now = 1 + n_in_pieces % 37;
            n_now = n_in_pieces + n_now > 2 * N ? 2 * N - n_in_pieces : n_now;
            status = n_now ? ninho_filter_add_many(pieces, hashes + n_in_pieces, n_now,
                                                   &n_added)
                           : NINHO_ERR_FULL;
            n_in_pieces += n_now ? n_added : 0;
        }
        CHECK_U64(n_in_pieces, n);
        check_equal_bytes(single, pieces);
        const ninho_stats a = stats_of(single), b = stats_of(batch);
        CHECK(a.n_moves == b.n_moves && a.longest_path == b.longest_path &&
              a.n_failed == b.n_failed && a.n_undone == b.n_undone);
        ninho_filter_free(single);
        ninho_filter_free(batch);
        ninho_filter_free(pieces);
    }
}

static void unions_hold_the_copies_of_both(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        if (cuckoo->spec.place_slots == 1)
            continue; /* two copies would want both places for themselves */
        ninho_filter *a = cuckoo_filter(cuckoo, 1000, .001);
        ninho_filter *b = cuckoo_filter(cuckoo, 1000, .001);
        test_where("%s", cuckoo->name);
        for (uint64_t i = 0; i < 500; i++)
            CHECK_OK(ninho_filter_add(a, mix64(i)));
        for (uint64_t i = 400; i < 800; i++)
            CHECK_OK(ninho_filter_add(b, mix64(i)));
        CHECK_OK(ninho_filter_union(a, b, NULL));
        CHECK_U64(ninho_filter_count(a), 900);
        CHECK_OK(ninho_filter_verify(a, NULL));
        for (uint64_t i = 0; i < 800; i++)
            CHECK(ninho_filter_copies(a, mix64(i)) >= 1U + (i >= 400 && i < 500));
        for (uint64_t i = 0; i < 500; i++)
            CHECK_OK(ninho_filter_remove(a, mix64(i)));
        check_hashes(a, 400, 400);
        /* with itself: twice each, which is harder to place than as many single ones */
        CHECK_OK(ninho_filter_clear(b));
        for (uint64_t i = 0; i < 200; i++)
            CHECK_OK(ninho_filter_add(b, mix64(i)));
        CHECK_OK(ninho_filter_union(b, b, NULL));
        CHECK_U64(ninho_filter_count(b), 400);
        for (uint64_t i = 0; i < 200; i++)
            CHECK(ninho_filter_copies(b, mix64(i)) >= 2);
        ninho_filter_free(a);
        ninho_filter_free(b);
    }
}

static void count_event(void *context, const ninho_event *event)
{
    (void)event;
    ++*(uint64_t *)context;
}

/* The tags that fit and those that do not: nothing of it shows, to the observer either. */
static void a_union_that_does_not_fit_changes_nothing(void **state)
{
    size_t n_refused = 0;

    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        ninho_spec spec = cuckoo_spec(cuckoo, 1000, .001);
        uint64_t n_events = 0;
        ninho_filter *b = filter_of(&spec, NULL);
        spec.observer = count_event;
        spec.observer_context = &n_events;
        ninho_filter *a = filter_of(&spec, NULL);
        const uint64_t n_slots = shape_of(a).n_slots;
        size_t size;
        test_where("%s", cuckoo->name);
        /* so few that only the search finds out, and so many that a look at the counts does */
        for (int round = 0; round < 2; round++) {
            const uint64_t n = fill_until_full(a, 0);
            for (uint64_t i = 0; i < n / 8; i++)
                CHECK_OK(ninho_filter_remove(a, mix64(i)));
            const uint64_t more = round ? 5 * n_slots : n_slots - ninho_filter_count(a);
            for (uint64_t i = 0; i < more; i++)
                (void)ninho_filter_add(b, mix64(10000 + i));
            uint8_t *before = encoded(a, &size);
            const ninho_stats stats = stats_of(a);
            const uint64_t n_before = n_events;
            const ninho_status status = ninho_filter_union(a, b, NULL);
            if (round)
                CHECK_STATUS(status, NINHO_ERR_FULL);
            n_refused += status != NINHO_OK;
            if (status) {
                uint8_t *after = encoded(a, &size);
                CHECK(memcmp(before, after, size) == 0);
                CHECK_U64(n_events, n_before);
                CHECK_U64(stats_of(a).n_moves, stats.n_moves);
                CHECK_U64(stats_of(a).longest_path, stats.longest_path);
                check_hashes(a, n / 8, n - n / 8);
                free(after);
            }
            free(before);
            CHECK_OK(ninho_filter_clear(a));
            CHECK_OK(ninho_filter_clear(b));
        }
        ninho_filter_free(a);
        ninho_filter_free(b);
    }
    CHECK(n_refused > n_cuckoos + n_cuckoos / 2);
}

/* It takes a second table, and only for as long as it lasts, and memory to search in, which
 * stays. */
static void a_union_without_memory_changes_nothing(void **state)
{
    const ninho_spec spec = cuckoo_spec(DEFAULT_CUCKOO, 1000, .001);
    struct test_heap heap;

    (void)state;
    heap_init(&heap);
    ninho_filter *a = filter_of(&spec, &heap.alloc), *b = filter_of(&spec, NULL);
    ninho_filter *before = NULL;
    for (uint64_t i = 0; i < 400; i++) {
        CHECK_OK(ninho_filter_add(a, mix64(i)));
        CHECK_OK(ninho_filter_add(b, mix64(1000 + i)));
    }
    CHECK_OK(ninho_filter_copy(a, NULL, &before, NULL));
    CHECK_U64(heap.live_blocks, 2);
    size_t n = 1;
    for (;; n++) {
        heap_fail_at(&heap, n);
        const ninho_status status = ninho_filter_union(a, b, NULL);
        if (!status)
            break;
        CHECK_STATUS(status, NINHO_ERR_NOMEM);
        check_equal_bytes(a, before);
    }
    CHECK(n > 2); /* a table, and memory to search in */
    CHECK_U64(ninho_filter_count(a), 800);
    check_hashes(a, 0, 400);
    check_hashes(a, 1000, 400);
    CHECK_U64(heap.live_blocks, 3);
    ninho_filter_free(a);
    ninho_filter_free(b);
    ninho_filter_free(before);
    CHECK_U64(heap.live_blocks, 0);
}

static void unions_need_the_same_choices(void **state)
{
    static const char *const names[] = {"table size", "tag_bits",  "place_slots",
                                        "pairing",    "semantics", "budget"};
    ninho_spec spec = cuckoo_spec(&cuckoos[3], 1000, 0), other;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    spec.tag_bits = 12;
    spec.n_slots = 2048;
    ninho_filter *a = filter_of(&spec, NULL), *b;
    for (int i = 0; i < 6; i++) {
        other = spec;
        if (i == 0)
            other.n_slots = 2052;
        else if (i == 1)
            other.tag_bits = 13;
        else if (i == 2)
            other.place_slots = 8;
        else if (i == 3)
            other.pairing = NINHO_PAIRING_XOR;
        else if (i == 4)
            other.semantics = NINHO_SET;
        else
            other.budget = 499;
        test_where("%s", names[i]);
        b = filter_of(&other, NULL);
        CHECK_STATUS(ninho_filter_union(a, b, &error), NINHO_ERR_MISMATCH);
        CHECK(strstr(error.text, names[i]));
        ninho_filter_free(b);
    }
    ninho_filter_free(a);
}

/* A source whose table is impossible is refused before it could do harm. */
static void a_damaged_source_is_not_united(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        ninho_filter *target = cuckoo_filter(cuckoo, 400, .001);
        ninho_filter *source = cuckoo_filter(cuckoo, 400, .001);
        ninho_filter *before = NULL;
        const ninho_filter *viewed = NULL;
        struct test_rng rng = {test_seed(7)};
        ninho_view view;
        size_t size, n_refused = 0;
        test_where("%s", cuckoo->name);
        for (uint64_t i = 0; i < 200; i++) {
            CHECK_OK(ninho_filter_add(target, mix64(i)));
            CHECK_OK(ninho_filter_add(source, mix64(1000 + i)));
        }
        CHECK_OK(ninho_filter_copy(target, NULL, &before, NULL));
        uint8_t *bytes = encoded(source, &size);
        for (int round = 0; round < 100; round++) {
            for (size_t at = body_of(bytes); at < size; at++)
                bytes[at] = (uint8_t)rng_next(&rng);
            reseal(bytes, size);
            CHECK_OK(ninho_filter_view(&view, bytes, size, NULL, &viewed, NULL));
            const ninho_status status = ninho_filter_union(target, viewed, NULL);
            CHECK(status == NINHO_ERR_FORMAT || status == NINHO_ERR_FULL);
            n_refused += status == NINHO_ERR_FORMAT;
            check_equal_bytes(target, before);
        }
        CHECK_U64(n_refused, 100); /* its count was of 200, if nothing else was wrong */
        free(bytes);
        ninho_filter_free(target);
        ninho_filter_free(source);
        ninho_filter_free(before);
    }
}

/* ---- Sets ---------------------------------------------------------------------------------- */

static void a_set_stores_what_seems_new_and_removes_nothing(void **state)
{
    (void)state;
    FOR_EACH_CUCKOO(cuckoo)
    {
        ninho_spec spec = cuckoo_spec(cuckoo, 1000, .01);
        ninho_info info = NINHO_INFO_INIT;
        ninho_plan plan = NINHO_PLAN_INIT;
        spec.semantics = NINHO_SET;
        ninho_filter *set = filter_of(&spec, NULL), *twin = filter_of(&spec, NULL);
        test_where("%s", cuckoo->name);
        CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
        CHECK_OK(ninho_filter_info(set, &info));
        CHECK(!(plan.can & NINHO_CAN_REMOVE) && plan.can == info.can);
        uint64_t n_stored = 0;
        for (int round = 0; round < 5; round++)
            for (uint64_t i = 0; i < 1000; i++) {
                const bool had = ninho_filter_has(set, mix64(i));
                CHECK_OK(ninho_filter_add(set, mix64(i)));
                n_stored += !had;
                CHECK_U64(ninho_filter_count(set), n_stored);
                CHECK_U64(ninho_filter_copies(set, mix64(i)), 1);
            }
        CHECK(n_stored > 980 && n_stored <= 1000);
        check_hashes(set, 0, 1000);
        CHECK_STATUS(ninho_filter_remove(set, mix64(1)), NINHO_ERR_UNSUPPORTED);
        CHECK(ninho_filter_has(set, mix64(1)));
        for (size_t i = 0; i < test_scaled(100000, 1000); i++)
            CHECK_OK(ninho_filter_add(set, mix64(5)));
        CHECK_OK(ninho_filter_union(twin, set, NULL));
        CHECK_U64(ninho_filter_count(twin), n_stored);
        CHECK_OK(ninho_filter_union(twin, set, NULL));
        CHECK_OK(ninho_filter_union(twin, twin, NULL));
        CHECK_U64(ninho_filter_count(twin), n_stored);
        check_hashes(twin, 0, 1000);
        CHECK_OK(ninho_filter_verify(twin, NULL));
        ninho_filter_free(set);
        ninho_filter_free(twin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_other_place_of_the_other_place_is_the_place),
        cmocka_unit_test(tables_of_every_size_lose_nothing),
        cmocka_unit_test(tag_0_is_a_tag),
        cmocka_unit_test(identities_are_as_many_as_the_formula_says),
        cmocka_unit_test(the_ninth_copy_into_buckets_of_four_is_full),
        cmocka_unit_test(a_refused_add_changes_no_byte),
        cmocka_unit_test(room_that_a_removal_makes_is_found),
        cmocka_unit_test(each_removal_takes_one_copy),
        cmocka_unit_test(removing_what_was_never_added_costs_other_keys),
        cmocka_unit_test(batches_make_the_same_table),
        cmocka_unit_test(unions_hold_the_copies_of_both),
        cmocka_unit_test(a_union_that_does_not_fit_changes_nothing),
        cmocka_unit_test(a_union_without_memory_changes_nothing),
        cmocka_unit_test(unions_need_the_same_choices),
        cmocka_unit_test(a_damaged_source_is_not_united),
        cmocka_unit_test(a_set_stores_what_seems_new_and_removes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
