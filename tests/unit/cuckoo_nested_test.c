/* SPDX-License-Identifier: MIT */
/* Growth with removal: tables that are nested, so that whichever tag a removal takes, the others
 * still stand for all the keys that are left. */
#include "unit/cuckoos.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filter/ops.h"

enum { FIRST = 1000, N_PARTS = 6 };

static ninho_spec nested_spec(uint32_t growth, double fpr)
{
    ninho_spec spec = spec_of(NINHO_SCALABLE, FIRST, fpr);

    spec.base = NINHO_CUCKOO;
    spec.growth = growth;
    return spec;
}

static ninho_info info_of(const ninho_filter *filter)
{
    ninho_info info = NINHO_INFO_INIT;

    CHECK_OK(ninho_filter_info(filter, &info));
    return info;
}

/* Adds keys until the last of six tables is nearly full; how many. */
static uint64_t grow_to_six(ninho_filter *filter)
{
    uint64_t n = 0;

    do
        CHECK_OK(ninho_filter_add(filter, mix64(n++)));
    while (filter->n_parts < N_PARTS ||
           filter->parts[N_PARTS - 1].count < filter->parts[N_PARTS - 1].capacity - 1);
    CHECK_U64(info_of(filter).n_parts, N_PARTS);
    CHECK_U64(ninho_filter_count(filter), n);
    return n;
}

/* The numbers 0 .. n - 1 in random order; the caller's to free(). */
static uint64_t *shuffled(uint64_t n, uint64_t seed)
{
    uint64_t *order = malloc((size_t)n * sizeof *order);
    struct test_rng rng = {seed};

    CHECK(order);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t j = rng_below(&rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static void half_of_six_tables_can_be_removed_in_any_order(void **state)
{
    static const struct {
        uint32_t growth;
        double fpr;
        unsigned place_slots;
        ninho_slots slots;
    } trials[] = {
        {2, .05, 0, 0},
        {2, .001, 0, 0},
        {3, .2, 3, NINHO_WINDOWS},
        {2, .1, 2, 0},
        {2, .05, 4, NINHO_BUCKETS},
        {2, .5, 8, NINHO_BUCKETS},
    };

    (void)state;
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
        ninho_spec spec = nested_spec(trials[t].growth, trials[t].fpr);
        spec.place_slots = trials[t].place_slots;
        spec.slots = trials[t].slots;
        ninho_filter *filter = filter_of(&spec, NULL);
        const uint64_t n = grow_to_six(filter);
        uint64_t *order = shuffled(n, test_seed(5) + t);
        uint64_t n_not_found = 0, n_lost = 0;
        test_where("trial %zu: %llu keys", t, (unsigned long long)n);
        check_hashes(filter, 0, n);
        for (uint64_t i = 0; i < n / 2; i++)
            n_not_found += ninho_filter_remove(filter, mix64(order[i])) != NINHO_OK;
        for (uint64_t i = n / 2; i < n; i++)
            n_lost += !ninho_filter_has(filter, mix64(order[i]));
        CHECK_U64(n_not_found, 0);
        CHECK_U64(n_lost, 0);
        CHECK_U64(ninho_filter_count(filter), n - n / 2);
        CHECK_OK(ninho_filter_verify(filter, NULL));
        /* the other half too, through a file */
        ninho_filter *opened = NULL;
        size_t size;
        uint8_t *bytes = encoded(filter, &size);
        CHECK_OK(ninho_filter_decode(bytes, size, NULL, &opened, NULL));
        for (uint64_t i = n / 2; i < n; i++)
            n_not_found += ninho_filter_remove(opened, mix64(order[i])) != NINHO_OK;
        CHECK_U64(n_not_found, 0);
        CHECK_U64(ninho_filter_count(opened), 0);
        for (uint64_t i = 0; i < n; i++)
            CHECK(!ninho_filter_has(opened, mix64(i)));
        free(bytes);
        free(order);
        ninho_filter_free(filter);
        ninho_filter_free(opened);
    }
}

/* Why it has to be the newest table that seems to have the key: from the oldest on, a removal may
 * take the tag of a key that the remover's own tag, in a newer table, does not stand for. */
static void removing_from_the_oldest_table_first_would_lose_keys(void **state)
{
    const ninho_spec spec = nested_spec(2, .05);
    ninho_filter *filter = filter_of(&spec, NULL);
    const uint64_t n = grow_to_six(filter);
    uint64_t *order = shuffled(n, test_seed(5));
    uint64_t n_lost = 0;

    (void)state;
    for (uint64_t i = 0; i < n / 2; i++) {
        for (uint32_t part = 0; part < filter->n_parts; part++)
            if (filter->part_family->remove(&filter->live, &filter->parts[part],
                                            mix64(order[i])) == NINHO_OK)
                break;
    }
    for (uint64_t i = n / 2; i < n; i++)
        n_lost += !ninho_filter_has(filter, mix64(order[i]));
    CHECK(n_lost > n / 10000);
    free(order);
    ninho_filter_free(filter);
}

/* Two keys that agree in a table agree in all tables before it: the reason why it works. */
static void keys_that_agree_in_a_table_agree_in_all_before_it(void **state)
{
    const ninho_spec spec = nested_spec(2, .3);
    ninho_filter *grown = filter_of(&spec, NULL);
    uint64_t n_pairs = 0;

    (void)state;
    grow_to_six(grown);
    for (uint32_t newer = 1; newer < N_PARTS; newer++) {
        struct nh_part *table = &grown->parts[newer], *older = &grown->parts[newer - 1];
        for (int round = 0; round < 300; round++) {
            /* an empty table with one key in it, and the one before it */
            memset(table->body, 0, (size_t)table->size);
            memset(older->body, 0, (size_t)older->size);
            const uint64_t x = mix64((uint64_t)round + 1000000);
            CHECK_OK(grown->part_family->add(&grown->live, table, x));
            CHECK_OK(grown->part_family->add(&grown->live, older, x));
            for (uint64_t i = 0; i < 2000; i++) {
                const uint64_t y = x ^ mix64(i) >> (i % 40 + 6);
                if (grown->part_family->has(table, y)) {
                    CHECK(grown->part_family->has(older, y));
                    n_pairs++;
                }
            }
        }
    }
    CHECK(n_pairs > 1000);
    ninho_filter_free(grown);
}

static void the_fpr_of_all_tables_together_keeps_the_promise(void **state)
{
    static const double fprs[] = {.1, .01, .001};

    (void)state;
    for (size_t p = 0; p < 3; p++) {
        const ninho_spec spec = nested_spec(2, fprs[p]);
        ninho_filter *filter = filter_of(&spec, NULL);
        const uint64_t n = grow_to_six(filter);
        const size_t n_absent = (size_t)(10000 / fprs[p]);
        double n_maybe = 0;
        test_where("fpr %g", fprs[p]);
        for (uint64_t i = 0; i < n_absent; i++)
            n_maybe += ninho_filter_has(filter, mix64(n + i));
        const double expected = info_of(filter).fpr_expected;
        CHECK(expected <= fprs[p]);
        CHECK(n_maybe <= 1.1 * 10000);
        CHECK(n_maybe <= binomial_high((double)n_absent, 1.02 * expected, 5));
        CHECK(n_maybe >= binomial_low((double)n_absent, .98 * expected, 5));
        ninho_filter_free(filter);
    }
}

/* A key's places hold so many copies and no more: that is no reason to grow. */
static void a_million_copies_of_one_key_are_full_and_take_no_memory(void **state)
{
    const ninho_spec spec = nested_spec(2, .01);
    const uint64_t n_copies = test_scaled(1000000, 10000);
    struct test_heap heap;
    uint64_t n_in = 0;

    (void)state;
    heap_init(&heap);
    ninho_filter *filter = filter_of(&spec, &heap.alloc);
    for (uint64_t i = 1; i <= 500; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    size_t n_calls = heap.n_calls, n_bytes = heap.live_bytes;
    const uint64_t size = info_of(filter).size_bytes;
    for (uint64_t i = 0; i < n_copies; i++) {
        const ninho_status status = ninho_filter_add(filter, mix64(0));
        CHECK(status == NINHO_OK || status == NINHO_ERR_FULL);
        CHECK(status != NINHO_OK || n_in == i); /* once full, always full */
        n_in += status == NINHO_OK;
        if (!status) /* it may have had to search */
            n_calls = heap.n_calls, n_bytes = heap.live_bytes;
    }
    CHECK(n_in >= 2 && n_in <= 8);
    CHECK_U64(ninho_filter_count(filter), 500 + n_in);
    CHECK_U64(heap.n_calls, n_calls);
    CHECK_U64(heap.live_bytes, n_bytes);
    CHECK_U64(info_of(filter).size_bytes, size);
    CHECK_U64(info_of(filter).n_parts, 1);
    CHECK_U64(stats_of(filter).n_failed, n_copies - n_in);
    check_hashes(filter, 0, 501);
    ninho_filter_free(filter);
    CHECK_U64(heap.live_blocks, 0);
}

/* Not at the planned load either, where any other key would make it grow. */
static void a_key_in_its_own_way_never_makes_it_grow(void **state)
{
    ninho_spec spec = nested_spec(2, .01);
    ninho_filter *filter = filter_of(&spec, NULL);
    const uint64_t hot = mix64(1 << 30);

    (void)state;
    while (!ninho_filter_add(filter, hot))
        ;
    for (uint64_t i = 0; ninho_filter_count(filter) < FIRST; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    CHECK_STATUS(ninho_filter_add(filter, hot), NINHO_ERR_FULL);
    CHECK_U64(info_of(filter).n_parts, 1);
    CHECK_OK(ninho_filter_add(filter, mix64(FIRST)));
    CHECK_U64(info_of(filter).n_parts, 2);
    ninho_filter_free(filter);

    spec.capacity = 1;
    filter = filter_of(&spec, NULL);
    for (int i = 0; i < 1000;
         i++) /* the first tables are for fewer keys than it has copies */
        (void)ninho_filter_add(filter, hot);
    CHECK(info_of(filter).n_parts < 8 && ninho_filter_count(filter) < 40);
    ninho_filter_free(filter);
}

/* What removals have left free is used again, in whichever table. */
static void it_grows_no_further_than_it_must(void **state)
{
    const ninho_spec spec = nested_spec(2, .01);
    ninho_filter *filter = filter_of(&spec, NULL);
    const uint64_t n = grow_to_six(filter);
    const uint64_t size = info_of(filter).size_bytes;
    struct test_rng rng = {test_seed(6)};

    (void)state;
    for (int round = 0; round < 4; round++) {
        test_where("round %d", round);
        for (uint64_t i = 0; i < n; i++)
            CHECK_OK(ninho_filter_remove(filter, mix64(i)));
        CHECK_U64(ninho_filter_count(filter), 0);
        for (uint64_t i = 0; i < n; i++)
            CHECK_OK(ninho_filter_add(filter, mix64(i)));
        check_hashes(filter, 0, n);
        CHECK_U64(info_of(filter).n_parts, N_PARTS);
        CHECK_U64(info_of(filter).size_bytes, size);
    }
    /* one out, one in, for a long time */
    uint64_t oldest = 0, newest = n;
    for (uint64_t i = 0; i < test_scaled(200000, 5000); i++) {
        CHECK_OK(ninho_filter_remove(filter, mix64(oldest++)));
        CHECK_OK(ninho_filter_add(filter, mix64(newest++)));
        if (rng_below(&rng, 5000) == 0)
            check_hashes(filter, oldest, newest - oldest);
    }
    CHECK_U64(info_of(filter).n_parts, N_PARTS);
    CHECK_OK(ninho_filter_clear(filter));
    CHECK_U64(info_of(filter).n_parts, 1);
    ninho_filter_free(filter);
}

struct tally {
    uint64_t n_placed, n_moved, n_removed, n_resized;
};

static void count_events(void *context, const ninho_event *event)
{
    struct tally *tally = context;

    tally->n_placed += event->type == NINHO_EVENT_TAG_PLACED;
    tally->n_moved += event->type == NINHO_EVENT_TAG_MOVED;
    tally->n_removed += event->type == NINHO_EVENT_TAG_REMOVED;
    if (event->type == NINHO_EVENT_RESIZED) {
        tally->n_resized++;
        CHECK_U64(event->from, tally->n_resized);
        CHECK_U64(event->to, tally->n_resized + 1);
    }
}

static void an_observer_sees_each_step_once(void **state)
{
    ninho_spec spec = nested_spec(2, .01);
    struct tally tally = {0};

    (void)state;
    ninho_filter *alone = filter_of(&spec, NULL);
    spec.observer = count_events;
    spec.observer_context = &tally;
    ninho_filter *filter = filter_of(&spec, NULL);
    const uint64_t n = grow_to_six(filter);
    CHECK_U64(grow_to_six(alone), n);
    check_equal_bytes(filter, alone);
    CHECK_U64(tally.n_placed, n);
    CHECK_U64(tally.n_moved, stats_of(filter).n_moves);
    CHECK_U64(tally.n_resized, N_PARTS - 1);
    for (uint64_t i = 0; i < n; i++)
        CHECK_OK(ninho_filter_remove(filter, mix64(i)));
    CHECK_U64(tally.n_removed, n);
    ninho_filter_free(filter);
    ninho_filter_free(alone);
}

/* The tables beside each other, as events tell them. */
struct shadow {
    uint64_t tags[80 * FIRST];
    uint64_t n;
};

static void follow(void *context, const ninho_event *event)
{
    struct shadow *shadow = context;

    if (event->type == NINHO_EVENT_RESIZED)
        return;
    if (event->type != NINHO_EVENT_TAG_PLACED) {
        CHECK_U64(shadow->tags[event->from], event->value);
        shadow->tags[event->from] = 0;
        shadow->n--;
    }
    if (event->type != NINHO_EVENT_TAG_REMOVED) {
        CHECK(event->to < sizeof shadow->tags / sizeof *shadow->tags);
        CHECK_U64(shadow->tags[event->to], 0);
        shadow->tags[event->to] = event->value;
        shadow->n++;
    }
}

static void events_tell_slots_through_all_tables(void **state)
{
    static struct shadow shadow;
    ninho_spec spec = nested_spec(2, .01);

    (void)state;
    spec.observer = follow;
    spec.observer_context = &shadow;
    ninho_filter *filter = filter_of(&spec, NULL);
    const uint64_t n = grow_to_six(filter);
    CHECK_U64(shadow.n, n);
    for (uint64_t i = 0; i < n; i += 2)
        CHECK_OK(ninho_filter_remove(filter, mix64(i)));
    for (uint64_t i = 0; i < n; i += 4)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    CHECK_U64(shadow.n, ninho_filter_count(filter));
    ninho_filter_free(filter);
}

/* The same bytes and the same statistics, also where copies crowd the tables. */
static void batches_grow_as_single_adds_do(void **state)
{
    enum { N = 30000 };
    uint64_t *hashes = malloc(N * sizeof *hashes);

    (void)state;
    CHECK(hashes);
    for (uint64_t n_distinct = N; n_distinct > N / 8; n_distinct /= 2)
        for (ninho_search search = NINHO_SEARCH_WALK; search <= NINHO_SEARCH_BFS;
             search++) {
            ninho_spec spec = nested_spec(2, .01);
            size_t n_added = 0;

            test_where("%d distinct keys, search %d", (int)n_distinct, (int)search);
            spec.search = search;
            spec.place_slots = 4;
            ninho_filter *single = filter_of(&spec, NULL),
                         *batch = filter_of(&spec, NULL);
            for (uint64_t i = 0; i < N; i++) {
                hashes[i] = mix64(i % n_distinct);
                CHECK_OK(ninho_filter_add(single, hashes[i]));
            }
            CHECK_OK(ninho_filter_add_many(batch, hashes, N, &n_added));
            CHECK_U64(n_added, N);
            check_equal_bytes(single, batch);
            const ninho_stats a = stats_of(single), b = stats_of(batch);
            CHECK(memcmp(&a, &b, sizeof a) == 0);
            CHECK_U64(a.n_failed, 0);
            ninho_filter_free(single);
            ninho_filter_free(batch);
        }
    free(hashes);
}

/* A set grows too; it cannot remove, and what seems to be there makes it no larger. */
static void a_nested_set_stores_what_seems_new(void **state)
{
    ninho_spec spec = nested_spec(2, .01);

    (void)state;
    spec.semantics = NINHO_SET;
    ninho_filter *set = filter_of(&spec, NULL);
    for (uint64_t i = 0; i < 20 * FIRST; i++)
        CHECK_OK(ninho_filter_add(set, mix64(i)));
    const ninho_info info = info_of(set);
    CHECK(!(info.can & NINHO_CAN_REMOVE) && info.n_parts > 3);
    CHECK(info.count > 19 * FIRST && info.count < 20 * FIRST);
    for (int round = 0; round < 5; round++)
        for (uint64_t i = 0; i < 20 * FIRST; i++)
            CHECK_OK(ninho_filter_add(set, mix64(i)));
    CHECK_U64(ninho_filter_count(set), info.count);
    CHECK_U64(info_of(set).size_bytes, info.size_bytes);
    check_hashes(set, 0, 20 * FIRST);
    CHECK_STATUS(ninho_filter_remove(set, mix64(0)), NINHO_ERR_UNSUPPORTED);
    ninho_filter_free(set);
}

static void pairing_must_be_offset(void **state)
{
    ninho_spec spec = nested_spec(2, .01);
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    spec.pairing = NINHO_PAIRING_XOR;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "pairing must be offset"));
    spec.pairing = NINHO_PAIRING_OFFSET;
    CHECK_OK(ninho_filter_plan(&spec, &plan, &error));
    CHECK(plan.can & NINHO_CAN_REMOVE && plan.can & NINHO_CAN_GROW);
    CHECK(!(plan.can & NINHO_CAN_UNION));
    spec.base = NINHO_BLOOM;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "base b"));
}

/* It says FULL where tags cannot get wider, and is as it was. */
static void the_end_of_growth_is_full(void **state)
{
    ninho_spec spec = spec_of(NINHO_SCALABLE, 1, 1e-8);
    uint64_t n = 0;
    ninho_status status;

    (void)state;
    spec.base = NINHO_CUCKOO;
    spec.growth = 16;
    ninho_filter *filter = filter_of(&spec, NULL);
    do
        status = ninho_filter_add(filter, mix64(n));
    while (!status && ++n < 1000000);
    CHECK_STATUS(status, NINHO_ERR_FULL);
    ninho_filter *before = NULL;
    CHECK_OK(ninho_filter_copy(filter, NULL, &before, NULL));
    for (uint64_t i = n; i < n + 50; i++)
        CHECK_STATUS(ninho_filter_add(filter, mix64(i)), NINHO_ERR_FULL);
    check_equal_bytes(filter, before);
    check_hashes(filter, 0, n);
    ninho_filter_free(filter);
    ninho_filter_free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_of_six_tables_can_be_removed_in_any_order),
        cmocka_unit_test(removing_from_the_oldest_table_first_would_lose_keys),
        cmocka_unit_test(keys_that_agree_in_a_table_agree_in_all_before_it),
        cmocka_unit_test(the_fpr_of_all_tables_together_keeps_the_promise),
        cmocka_unit_test(a_million_copies_of_one_key_are_full_and_take_no_memory),
        cmocka_unit_test(a_key_in_its_own_way_never_makes_it_grow),
        cmocka_unit_test(it_grows_no_further_than_it_must),
        cmocka_unit_test(an_observer_sees_each_step_once),
        cmocka_unit_test(events_tell_slots_through_all_tables),
        cmocka_unit_test(batches_grow_as_single_adds_do),
        cmocka_unit_test(a_nested_set_stores_what_seems_new),
        cmocka_unit_test(pairing_must_be_offset),
        cmocka_unit_test(the_end_of_growth_is_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
