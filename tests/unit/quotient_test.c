/* SPDX-License-Identifier: MIT */
#include "unit/first_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/le.h"
#include "filter/ops.h"

/* With at most 60 keys there are 64 quotients, so that fingerprints are the top bits of hashes. */
static uint64_t hash_of(uint64_t quotient, uint64_t remainder, unsigned r)
{
    return quotient << 58 | remainder << (58 - r);
}

static unsigned remainder_bits(const ninho_filter *filter)
{
    ninho_info info = NINHO_INFO_INIT;
    CHECK_OK(ninho_filter_info(filter, &info));
    return info.tag_bits;
}

/* ---- Geometry ------------------------------------------------------------------------------ */

static void it_needs_little_more_than_the_least_for_any_capacity(void **state)
{
    (void)state;
    for (double fpr = .044; fpr > 2e-8; fpr *= .93) {
        for (uint64_t n = 500000; n < 10000000000; n = n * 11 / 7 + 13) {
            const ninho_spec spec = spec_of(NINHO_QUOTIENT, n, fpr);
            ninho_plan plan = NINHO_PLAN_INIT;
            test_where("n %llu, fpr %g", (unsigned long long)n, fpr);
            CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
            CHECK(plan.bits_per_key <= 1.25 * (log2(1 / fpr) + 1.6));
            CHECK(plan.fpr_expected <= 1.045 * fpr && plan.fpr_expected > fpr / 3);
            CHECK(plan.tag_bits >= 1 && plan.n_cells > n && plan.n_cells % 64 == 0);
            CHECK(!(plan.can & NINHO_CAN_GROW));
        }
    }
}

static void options_of_other_kinds_are_refused(void **state)
{
    ninho_spec spec = spec_of(NINHO_QUOTIENT, 100, .01);
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    spec.tag_bits = 9;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(strcmp(error.text,
                 "tag_bits is for kind cuckoo, fuse, ribbon, compact, not quotient") ==
          0);
    spec.tag_bits = 0;
    spec.n_hashes = 3;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "n_hashes is for kind bloom"));
    spec.n_hashes = 0;
    spec.max_capacity = 99;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "max_capacity must be the capacity, 100, to 2^48"));
    spec.max_capacity = (UINT64_C(1) << 48) + 1;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    spec.max_capacity = UINT64_C(1) << 32;
    CHECK_OK(ninho_filter_plan(&spec, &plan, &error));
    CHECK(plan.can & NINHO_CAN_GROW);
    for (ninho_kind kind = NINHO_BLOOM; kind <= NINHO_SCALABLE; kind++) {
        const bool may = kind == NINHO_QUOTIENT || kind == NINHO_COMPACT;
        if (!ninho_kind_name(kind))
            continue;
        spec.kind = kind;
        CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error),
                     may ? NINHO_OK : NINHO_ERR_ARG);
    }
}

/* ---- The drawing --------------------------------------------------------------------------- */

/* Runs of quotient 1: a b, of 3: c d, of 4: e, as at the top of quotient_table.h; e and c come first. */
static void the_drawing_comes_out_step_by_step(void **state)
{
    enum { A = 2, B = 5, C = 1, D = 7, E = 3 };
    static const uint64_t expected[][2] = {{1, A}, {1, B}, {3, C}, {3, D}, {4, E}};
    ninho_spec spec = spec_of(NINHO_QUOTIENT, 60, .1);
    struct steps steps = {""};
    uint64_t cursor = 0, fingerprint;

    (void)state;
    spec.observer = note_step;
    spec.observer_context = &steps;
    ninho_filter *filter = filter_of(&spec, NULL);
    const unsigned r = remainder_bits(filter);
    CHECK_OK(ninho_filter_add(filter, hash_of(4, E, r)));
    check_steps(&steps, "+4:3 ");
    CHECK_OK(ninho_filter_add(filter, hash_of(3, C, r)));
    check_steps(&steps, "+3:1 ");
    CHECK_OK(ninho_filter_add(filter, hash_of(3, D, r)));
    check_steps(&steps, ">4-5:3 +4:7 ");
    CHECK_OK(ninho_filter_add(filter, hash_of(1, B, r)));
    check_steps(&steps, "+1:5 ");
    CHECK_OK(ninho_filter_add(filter, hash_of(1, A, r)));
    check_steps(&steps, ">1-2:5 +1:2 ");
    for (size_t i = 0; i < 5; i++) {
        CHECK(ninho_filter_next_fingerprint(filter, &cursor, &fingerprint));
        CHECK_U64(fingerprint, expected[i][0] << r | expected[i][1]);
    }
    CHECK(!ninho_filter_next_fingerprint(filter, &cursor, &fingerprint));
    CHECK(!ninho_filter_next_fingerprint(filter, &cursor, &fingerprint));
    CHECK_OK(ninho_filter_verify(filter, NULL));
    /* another a pushes everything, and taking c out brings e home */
    CHECK_OK(ninho_filter_add(filter, hash_of(1, A, r)));
    check_steps(&steps, ">5-6:3 >4-5:7 >3-4:1 >2-3:5 +2:2 ");
    CHECK_U64(ninho_filter_copies(filter, hash_of(1, A, r)), 2);
    CHECK_OK(ninho_filter_remove(filter, hash_of(3, C, r)));
    check_steps(&steps, "-4:1 >5-4:7 >6-5:3 ");
    CHECK_OK(ninho_filter_remove(filter, hash_of(1, A, r)));
    check_steps(&steps, "-2:2 >3-2:5 >4-3:7 >5-4:3 ");
    CHECK_OK(ninho_filter_verify(filter, NULL));
    CHECK_STATUS(ninho_filter_remove(filter, hash_of(3, C, r)), NINHO_ERR_NOT_FOUND);
    CHECK_STATUS(ninho_filter_remove(filter, hash_of(2, A, r)), NINHO_ERR_NOT_FOUND);
    check_steps(&steps, "");
    CHECK_U64(ninho_filter_count(filter), 4);
    ninho_filter_free(filter);
}

static void runs_go_round_the_end_of_the_table(void **state)
{
    ninho_spec spec = spec_of(NINHO_QUOTIENT, 60, .1);
    struct steps steps = {""};

    (void)state;
    spec.observer = note_step;
    spec.observer_context = &steps;
    ninho_filter *filter = filter_of(&spec, NULL);
    const unsigned r = remainder_bits(filter);
    CHECK_OK(ninho_filter_add(filter, hash_of(0, 4, r)));
    CHECK_OK(ninho_filter_add(filter, hash_of(63, 6, r)));
    CHECK_OK(ninho_filter_add(filter, hash_of(63, 5, r)));
    check_steps(&steps, "+0:4 +63:6 >0-1:4 >63-0:6 +63:5 ");
    CHECK_OK(ninho_filter_verify(filter, NULL));
    CHECK_OK(ninho_filter_remove(filter, hash_of(63, 5, r)));
    check_steps(&steps, "-63:5 >0-63:6 >1-0:4 ");
    CHECK_OK(ninho_filter_verify(filter, NULL));
    CHECK(ninho_filter_has(filter, hash_of(63, 6, r)) &&
          ninho_filter_has(filter, hash_of(0, 4, r)));
    CHECK(!ninho_filter_has(filter, hash_of(63, 5, r)));
    /* one run in all of the table but the slots that stay empty */
    CHECK_OK(ninho_filter_clear(filter));
    for (int i = 0; i < 60; i++)
        CHECK_OK(ninho_filter_add(filter, hash_of(30, 3, r)));
    CHECK_STATUS(ninho_filter_add(filter, hash_of(30, 3, r)), NINHO_ERR_FULL);
    CHECK_STATUS(ninho_filter_add(filter, hash_of(1, 1, r)), NINHO_ERR_FULL);
    CHECK_OK(ninho_filter_verify(filter, NULL));
    CHECK_U64(ninho_filter_copies(filter, hash_of(30, 3, r)), 60);
    CHECK(!ninho_filter_has(filter, hash_of(30, 2, r)) &&
          !ninho_filter_has(filter, hash_of(1, 3, r)));
    ninho_filter_free(filter);
}

/* ---- Against an exact multiset ------------------------------------------------------------- */

/* Few quotients and small remainders, so that clusters, runs and copies are many; `spread` keeps
 * them to a part of the table, its end and beginning included. */
static void play(uint64_t capacity, double fpr, uint64_t spread, uint64_t seed)
{
    const ninho_spec spec = spec_of(NINHO_QUOTIENT, capacity, fpr);
    ninho_filter *filter = filter_of(&spec, NULL);
    ninho_info info = NINHO_INFO_INIT;
    struct test_rng rng = {seed};
    uint64_t n = 0;

    CHECK_OK(ninho_filter_info(filter, &info));
    const uint64_t n_prints = info.n_cells << info.tag_bits;
    const uint64_t n_used = n_prints / spread;
    uint64_t *counts = calloc((size_t)n_prints, sizeof *counts);
    CHECK(counts);
    test_where("capacity %llu, fpr %g, spread %llu", (unsigned long long)capacity, fpr,
               (unsigned long long)spread);
    for (size_t step = 0; step < test_scaled(20000, 2000); step++) {
        const uint64_t print =
            (rng_below(&rng, n_used) + n_prints - n_used / 2) % n_prints;
        /* the middle of the hashes with that fingerprint */
        const uint64_t hash =
            (uint64_t)(((long double)print + .5L) / (long double)n_prints * 0x1p64L);
        const bool is_filling = step / 2000 % 2 == 0;
        CHECK_U64(ninho_filter_copies(filter, hash), counts[print]);
        CHECK(ninho_filter_has(filter, hash) == (counts[print] > 0));
        if (rng_below(&rng, 10) < (is_filling ? 8U : 2U)) {
            CHECK_STATUS(ninho_filter_add(filter, hash),
                         n < capacity ? NINHO_OK : NINHO_ERR_FULL);
            counts[print] += n < capacity;
            n += n < capacity;
        } else {
            CHECK_STATUS(ninho_filter_remove(filter, hash),
                         counts[print] ? NINHO_OK : NINHO_ERR_NOT_FOUND);
            n -= counts[print] > 0;
            counts[print] -= counts[print] > 0;
        }
        CHECK_U64(ninho_filter_count(filter), n);
        if (step % 61 == 0)
            CHECK_OK(ninho_filter_verify(filter, NULL));
    }
    /* the same fingerprints in order make the same bytes, and a walk finds them all */
    ninho_filter *fresh = filter_of(&spec, NULL);
    for (uint64_t print = 0; print < n_prints; print++) {
        const uint64_t hash =
            (uint64_t)(((long double)print + .5L) / (long double)n_prints * 0x1p64L);
        for (uint64_t i = 0; i < counts[print]; i++)
            CHECK_OK(ninho_filter_add(fresh, hash));
    }
    check_equal_bytes(filter, fresh);
    uint64_t cursor = 0, print = 0;
    while (ninho_filter_next_fingerprint(filter, &cursor, &print)) {
        CHECK(print < n_prints && counts[print] > 0);
        counts[print]--;
        n--;
    }
    CHECK_U64(n, 0);
    ninho_filter_free(fresh);
    ninho_filter_free(filter);
    free(counts);
}

static void it_holds_what_an_exact_multiset_holds(void **state)
{
    (void)state;
    play(60, .3, 1, 1);
    play(60, .02, 5, 2);
    play(121, .1, 1, 3);
    play(300, .1, 3, 4);
    play(1000, .2, 1, 5);
    play(1000, .01, 20, 6);
}

/* ---- Growth -------------------------------------------------------------------------------- */

static void it_doubles_up_to_its_bound(void **state)
{
    ninho_spec spec = spec_of(NINHO_QUOTIENT, 100, .01);
    struct steps steps = {""};
    ninho_info info = NINHO_INFO_INIT;

    (void)state;
    spec.max_capacity = 700;
    spec.observer = note_step;
    spec.observer_context = &steps;
    ninho_filter *filter = filter_of(&spec, NULL);
    ninho_filter *fresh = filter_of(&spec, NULL);
    const unsigned r = remainder_bits(filter);
    for (uint64_t i = 0; i < 700; i++) {
        steps.text[0] = 0;
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
        CHECK(!!strchr(steps.text, '*') == (i == 100 || i == 200 || i == 400));
        if (i == 100)
            CHECK(strncmp(steps.text, "*128-256 +", 10) == 0);
    }
    CHECK_STATUS(ninho_filter_add(filter, 1), NINHO_ERR_FULL);
    CHECK_OK(ninho_filter_verify(filter, NULL));
    CHECK_OK(ninho_filter_info(filter, &info));
    CHECK_U64(info.n_cells, 1024);
    CHECK_U64(info.tag_bits, r - 3);
    CHECK(info.can & NINHO_CAN_GROW && info.count == 700 && info.fpr_expected <= .011);
    for (uint64_t i = 0; i < 700; i++)
        CHECK(ninho_filter_has(filter, mix64(i)));
    /* its spec makes its like */
    ninho_spec found = NINHO_SPEC_INIT;
    CHECK_OK(ninho_filter_spec(filter, &found));
    CHECK_U64(found.max_capacity, 700);
    ninho_filter *like = filter_of(&found, NULL);
    for (uint64_t i = 700; i-- > 0;)
        CHECK_OK(ninho_filter_add(like, mix64(i)));
    check_equal_bytes(filter, like);
    ninho_filter_free(like);
    try_damage(like = filter_of(&found, NULL), 3);
    ninho_filter_free(like);
    /* emptied, it is as it was created */
    CHECK_OK(ninho_filter_clear(filter));
    check_equal_bytes(filter, fresh);
    for (uint64_t i = 0; i < 300; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    for (uint64_t i = 0; i < 300; i++)
        CHECK_OK(ninho_filter_remove(filter, mix64(i)));
    CHECK_OK(ninho_filter_verify(filter, NULL));
    CHECK_U64(ninho_filter_count(filter), 0);
    ninho_filter_free(filter);
    ninho_filter_free(fresh);
}

static void the_fpr_keeps_its_promise_while_it_doubles(void **state)
{
    enum { N = 40000 };
    const size_t n_asked = test_scaled(1000000, 100000);
    ninho_spec spec = spec_of(NINHO_QUOTIENT, N / 16, .01);
    size_t n_found = 0;

    (void)state;
    spec.max_capacity = N;
    ninho_filter *filter = filter_of(&spec, NULL);
    for (uint64_t i = 0; i < N; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    for (uint64_t i = 0; i < n_asked; i++)
        n_found += ninho_filter_has(filter, mix64(i + (UINT64_C(1) << 40)));
    CHECK((double)n_found <= binomial_high((double)n_asked, .01, 5));
    ninho_filter_free(filter);
}

/* ---- Unions -------------------------------------------------------------------------------- */

static void unions_merge_tables_of_any_step_of_growth(void **state)
{
    ninho_spec spec = spec_of(NINHO_QUOTIENT, 100, .01);

    (void)state;
    spec.max_capacity = 3000;
    for (uint64_t n_a = 0; n_a <= 1500; n_a += 250) {
        for (uint64_t n_b = 0; n_b <= 1500; n_b += 375) {
            ninho_filter *a = filter_of(&spec, NULL), *b = filter_of(&spec, NULL);
            ninho_filter *both = filter_of(&spec, NULL);
            double n_union = -1, n_common = -1;
            test_where("%d and %d", (int)n_a, (int)n_b);
            for (uint64_t i = 0; i < n_a; i++) {
                CHECK_OK(ninho_filter_add(a, mix64(i)));
                CHECK_OK(ninho_filter_add(both, mix64(i)));
            }
            for (uint64_t i = 1000; i < 1000 + n_b; i++) {
                CHECK_OK(ninho_filter_add(b, mix64(i)));
                CHECK_OK(ninho_filter_add(both, mix64(i)));
            }
            CHECK_OK(ninho_filter_estimate_pair(a, b, &n_union, &n_common, NULL));
            CHECK(
                fabs(n_union - (double)(n_a > 1000 ? (n_b + 1000 > n_a ? n_b + 1000 : n_a)
                                                   : n_a + n_b)) < 30);
            CHECK_OK(ninho_filter_union(a, b, NULL));
            CHECK_OK(ninho_filter_verify(a, NULL));
            CHECK_U64(ninho_filter_count(a), n_a + n_b);
            check_equal_bytes(a, both);
            ninho_filter_free(a);
            ninho_filter_free(b);
            ninho_filter_free(both);
        }
    }
}

static void a_union_with_itself_doubles_every_key(void **state)
{
    const ninho_spec spec = spec_of(NINHO_QUOTIENT, 600, .1);
    ninho_filter *filter = filter_of(&spec, NULL), *twice = filter_of(&spec, NULL);

    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        CHECK_OK(ninho_filter_add(filter, mix64(i % 250)));
        CHECK_OK(ninho_filter_add(twice, mix64(i % 250)));
        CHECK_OK(ninho_filter_add(twice, mix64(i % 250)));
    }
    CHECK_OK(ninho_filter_union(filter, filter, NULL));
    CHECK_U64(ninho_filter_count(filter), 600);
    check_equal_bytes(filter, twice);
    CHECK_STATUS(ninho_filter_union(filter, filter, NULL), NINHO_ERR_FULL);
    check_equal_bytes(filter, twice);
    ninho_filter_free(filter);
    ninho_filter_free(twice);
}

static void a_union_that_does_not_fit_changes_nothing(void **state)
{
    ninho_spec spec = spec_of(NINHO_QUOTIENT, 100, .01), other = spec;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    spec.max_capacity = 400;
    ninho_filter *a = filter_of(&spec, NULL), *b = filter_of(&spec, NULL);
    for (uint64_t i = 0; i < 250; i++) {
        CHECK_OK(ninho_filter_add(a, mix64(i)));
        CHECK_OK(ninho_filter_add(b, mix64(i)));
    }
    CHECK_STATUS(ninho_filter_union(a, b, &error), NINHO_ERR_FULL);
    check_equal_bytes(a, b);
    other.max_capacity = 200;
    ninho_filter *c = filter_of(&other, NULL);
    CHECK_STATUS(ninho_filter_union(a, c, &error), NINHO_ERR_MISMATCH);
    CHECK(strstr(error.text, "tag_bits differs"));
    ninho_filter_free(a);
    ninho_filter_free(b);
    ninho_filter_free(c);
}

/* ---- Memory -------------------------------------------------------------------------------- */

static void without_memory_everything_is_as_it_was(void **state)
{
    ninho_spec spec = spec_of(NINHO_QUOTIENT, 50, .01);
    struct test_heap heap;

    (void)state;
    spec.max_capacity = 400;
    for (size_t n = 1;; n++) {
        ninho_filter *filter = NULL;
        heap_init(&heap);
        heap_fail_at(&heap, n);
        const ninho_status status =
            ninho_filter_create(&spec, &heap.alloc, &filter, NULL);
        if (!status) {
            ninho_filter_free(filter);
            CHECK(n > 2);
            break;
        }
        CHECK_STATUS(status, NINHO_ERR_NOMEM);
        CHECK_U64(heap.live_blocks, 0);
    }
    heap_init(&heap);
    ninho_filter *filter = filter_of(&spec, &heap.alloc),
                 *source = filter_of(&spec, NULL);
    ninho_filter *before = NULL;
    for (uint64_t i = 0; i < 300; i++) {
        CHECK_OK(ninho_filter_add(source, mix64(1000 + i)));
        if (i >= 100)
            continue;
        heap_fail_at(&heap, 1);
        if (ninho_filter_add(filter, mix64(i)) == NINHO_OK)
            continue;
        CHECK(i == 50); /* where it must grow */
        CHECK_OK(ninho_filter_copy(filter, NULL, &before, NULL));
        heap_fail_at(&heap, 1);
        CHECK_STATUS(ninho_filter_add(filter, mix64(i)), NINHO_ERR_NOMEM);
        check_equal_bytes(filter, before);
        ninho_filter_free(before);
        heap_fail_at(&heap, 0);
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    }
    CHECK_OK(ninho_filter_copy(filter, NULL, &before, NULL));
    heap_fail_at(&heap, 1);
    CHECK_STATUS(ninho_filter_union(filter, source, NULL), NINHO_ERR_NOMEM);
    check_equal_bytes(filter, before);
    heap_fail_at(&heap, 0);
    CHECK_OK(ninho_filter_union(filter, source, NULL));
    CHECK_U64(ninho_filter_count(filter), 400);
    CHECK_U64(heap.live_blocks, 2); /* the filter and one table */
    heap_fail_at(&heap, 1);
    CHECK_OK(ninho_filter_clear(filter)); /* stays in the larger table if it must */
    for (uint64_t i = 0; i < 50; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    CHECK_OK(ninho_filter_verify(filter, NULL));
    ninho_filter_free(filter);
    ninho_filter_free(source);
    ninho_filter_free(before);
    CHECK_U64(heap.live_blocks, 0);
}

/* Of many copies the last goes: nothing else moves. */
static void removing_one_of_many_copies_moves_none_of_them(void **state)
{
    ninho_spec spec = spec_of(NINHO_QUOTIENT, 60, .1);
    struct steps steps = {""};

    (void)state;
    ninho_filter *filter = filter_of(&spec, NULL);
    const unsigned r = remainder_bits(filter);
    spec.observer = note_step;
    spec.observer_context = &steps;
    ninho_filter *watched = filter_of(&spec, NULL);
    for (unsigned i = 0; i < 6; i++)
        CHECK_OK(ninho_filter_add(watched, hash_of(7, 3, r)));
    check_steps(&steps, "+7:3 +8:3 +9:3 +10:3 +11:3 +12:3 ");
    CHECK_OK(ninho_filter_remove(watched, hash_of(7, 3, r)));
    check_steps(&steps, "-12:3 ");
    CHECK_STATUS(ninho_filter_remove(watched, hash_of(7, 2, r)), NINHO_ERR_NOT_FOUND);
    CHECK_STATUS(ninho_filter_remove(watched, hash_of(7, 4, r)), NINHO_ERR_NOT_FOUND);
    CHECK_OK(ninho_filter_add(watched, hash_of(7, 4, r)));
    check_steps(&steps, "+12:4 ");
    CHECK_OK(ninho_filter_remove(watched, hash_of(7, 3, r)));
    check_steps(&steps, "-11:3 >12-11:4 ");
    for (unsigned i = 0; i < 4; i++) {
        CHECK_OK(ninho_filter_verify(watched, NULL));
        CHECK_OK(ninho_filter_remove(watched, hash_of(7, 3, r)));
    }
    CHECK_OK(ninho_filter_add(filter, hash_of(7, 4, r)));
    check_equal_bytes(watched, filter);
    ninho_filter_free(watched);
    ninho_filter_free(filter);
}

/* ---- Hostile bytes ------------------------------------------------------------------------- */

static void damaged_tables_are_refused_and_queries_end(void **state)
{
    static const uint64_t capacities[] = {5, 60, 61, 150};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const ninho_spec spec = spec_of(NINHO_QUOTIENT, capacities[i], .05);
        ninho_filter *filter = filter_of(&spec, NULL);
        for (uint64_t j = 0; j < capacities[i]; j++)
            CHECK_OK(ninho_filter_add(filter, mix64(j)));
        try_damage(filter, test_scaled(2000, 50));
        ninho_filter_free(filter);
    }
}

/* Words and offsets that are all 0 or all 1: nothing ends, or nothing begins. */
static void a_table_of_nothing_is_refused(void **state)
{
    const ninho_spec spec = spec_of(NINHO_QUOTIENT, 60, .1);
    ninho_filter *filter = filter_of(&spec, NULL);
    size_t size;

    (void)state;
    for (uint64_t i = 0; i < 60; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    uint8_t *bytes = encoded(filter, &size);
    uint8_t *block = bytes + body_of(bytes);
    for (unsigned pattern = 0; pattern < 8; pattern++) {
        memset(block, pattern & 1 ? 0xff : 0, 8);
        memset(block + 8, pattern & 2 ? 0xff : 0, 8);
        memset(block + 16, pattern & 4 ? 0xff : 0, 2);
        test_where("pattern %u", pattern);
        CHECK(try_bytes(bytes, size));
    }
    free(bytes);
    ninho_filter_free(filter);
}

static void a_wrong_count_is_refused(void **state)
{
    const ninho_spec spec = spec_of(NINHO_QUOTIENT, 60, .1);
    ninho_filter *filter = filter_of(&spec, NULL);
    size_t size;

    (void)state;
    for (uint64_t i = 0; i < 30; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    uint8_t *bytes = encoded(filter, &size);
    bytes[40] = bytes[96 + 16] = 29; /* both counts, so that they agree */
    CHECK(try_bytes(bytes, size));
    bytes[40] = bytes[96 + 16] = 30;
    CHECK(!try_bytes(bytes, size));
    free(bytes);
    ninho_filter_free(filter);
}

/* The library refuses to copy a damaged table; what changes one must end inside all the same.
 * This one has 64 slots of 8 bits. */
enum { HOSTILE_R = 8, HOSTILE_SIZE = 18 + 8 * HOSTILE_R + 8 };

static struct nh_part hostile_part(uint8_t body[HOSTILE_SIZE], uint64_t occupied,
                                   uint64_t ends, uint16_t offset)
{
    memset(body, 0, HOSTILE_SIZE);
    nh_store_le64(body, occupied);
    nh_store_le64(body + 8, ends);
    nh_store_le16(body + 16, offset);
    body[HOSTILE_SIZE - 8] = 2;
    struct nh_part part = {.body = body,
                           .size = HOSTILE_SIZE,
                           .n_cells = 64,
                           .stored = {HOSTILE_R, 60},
                           .capacity = 60,
                           .count = 2,
                           .number = 9};
    CHECK(nh_family_quotient.fits(&part));
    nh_attach(&nh_family_quotient, &part);
    return part;
}

static void changes_of_a_damaged_table_end_inside(void **state)
{
    static const uint64_t words[] = {
        0, 1, 2, 0xe, UINT64_MAX, UINT64_MAX << 1, UINT64_C(1) << 63};
    static const uint16_t offsets[] = {0, 1, 63, 64, 65535};
    uint8_t *body = malloc(HOSTILE_SIZE); /* so that the sanitizer knows its end */
    const struct nh_live live = {.observer = NULL};

    (void)state;
    CHECK(body);
    for (size_t i = 0; i < 7 * 7 * 5; i++) {
        for (uint64_t quotient = 0; quotient < 64; quotient++) {
            struct nh_part part =
                hostile_part(body, words[i % 7], words[i / 7 % 7], offsets[i / 49]);
            (void)nh_family_quotient.remove(&live, &part, quotient << 58);
            part = hostile_part(body, words[i % 7], words[i / 7 % 7], offsets[i / 49]);
            (void)nh_family_quotient.add(&live, &part, quotient << 58 | 1);
        }
    }
    free(body);
}

/* Though a number of slots says that there are keys in each, one stays free. */
static void a_capacity_of_all_slots_is_refused(void **state)
{
    const ninho_spec spec = spec_of(NINHO_QUOTIENT, 60, .1);
    ninho_filter *filter = filter_of(&spec, NULL);
    size_t size;

    (void)state;
    uint8_t *bytes = encoded(filter, &size);
    for (uint8_t capacity = 60; capacity <= 65; capacity++) {
        test_where("capacity %d", capacity);
        bytes[32] = bytes[96 + 8] = bytes[96 + 40] = capacity; /* and max_capacity */
        CHECK(try_bytes(bytes, size) == (capacity >= 64));
    }
    free(bytes);
    ninho_filter_free(filter);
}

static void bare_bytes_are_the_same_filter(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 3000; n = n * 5 + 1) {
        ninho_spec spec = spec_of(NINHO_QUOTIENT, n, .01);
        spec.max_capacity = 3 * n;
        ninho_filter *filter = filter_of(&spec, NULL);
        test_where("%d keys", (int)n);
        for (uint64_t i = 0; i < 2 * n; i++)
            CHECK_OK(ninho_filter_add(filter, mix64(i)));
        check_bare(filter, &spec, n, (size_t)(2 * n));
        ninho_filter_free(filter);
    }
}

/* The view is told the capacity that the filter was created with, which holds no longer. */
static void bare_bytes_of_a_grown_filter_can_be_framed_again(void **state)
{
    ninho_spec spec = spec_of(NINHO_QUOTIENT, 1000, .01);
    const ninho_filter *viewed = NULL;
    ninho_filter *copy = NULL, *decoded = NULL;
    ninho_view view;
    size_t size, framed_size;

    (void)state;
    spec.max_capacity = 4000;
    ninho_filter *filter = filter_of(&spec, NULL);
    for (uint64_t n = 1000; n <= 4000; n += 1000) {
        while (ninho_filter_count(filter) < n)
            CHECK_OK(ninho_filter_add(filter, mix64(ninho_filter_count(filter))));
        test_where("%d keys", (int)n);
        CHECK_STATUS(ninho_filter_encode_bare(filter, NULL, 0, &size), NINHO_ERR_SPACE);
        uint8_t *bytes = malloc(size);
        CHECK(bytes);
        CHECK_OK(ninho_filter_encode_bare(filter, bytes, size, NULL));
        CHECK_OK(ninho_filter_view_bare(&view, &spec, bytes, size, &viewed, NULL));
        CHECK_OK(ninho_filter_copy(viewed, NULL, &copy, NULL));
        uint8_t *framed = encoded(copy, &framed_size);
        CHECK_OK(ninho_filter_decode(framed, framed_size, NULL, &decoded, NULL));
        CHECK_U64(ninho_filter_count(decoded), n);
        for (uint64_t i = 0; i < n; i++)
            CHECK(ninho_filter_has(decoded, mix64(i)));
        ninho_filter_free(decoded);
        ninho_filter_free(copy);
        free(framed);
        free(bytes);
    }
    ninho_filter_free(filter);
}

/* ---- The first layout ---------------------------------------------------------------------- */

static void check_same_answers(const ninho_filter *a, const ninho_filter *b,
                               uint64_t n_keys)
{
    uint64_t maybe_a[50], maybe_b[50], hashes[3200], cursor = 0, print, n = 0;
    double n_a = -1, n_b = -2;

    for (uint64_t i = 0; i < 3200; i++) {
        hashes[i] = mix64(i);
        CHECK_U64(ninho_filter_copies(a, hashes[i]), ninho_filter_copies(b, hashes[i]));
        CHECK(ninho_filter_has(a, hashes[i]) == ninho_filter_has(b, hashes[i]));
        CHECK(i >= n_keys || ninho_filter_has(a, hashes[i]));
    }
    CHECK_U64(ninho_filter_has_many(a, hashes, 3200, maybe_a),
              ninho_filter_has_many(b, hashes, 3200, maybe_b));
    CHECK(memcmp(maybe_a, maybe_b, sizeof maybe_a) == 0);
    CHECK_OK(ninho_filter_estimate(a, &n_a));
    CHECK_OK(ninho_filter_estimate(b, &n_b));
    CHECK(n_a == n_b);
    while (ninho_filter_next_fingerprint(a, &cursor, &print))
        n++;
    CHECK_U64(n, ninho_filter_count(b));
}

/* What an earlier version has written answers as what is written now, and whatever changes it makes
 * of it what is written now. */
static void the_first_layout_is_read_and_laid_out_anew(void **state)
{
    static const uint64_t counts[] = {0, 1, 59, 64, 700, 1500};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        ninho_spec spec = spec_of(NINHO_QUOTIENT, 60, .05);
        spec.max_capacity = 3000;
        ninho_filter *now = filter_of(&spec, NULL), *copy = NULL;
        test_where("%d keys", (int)counts[i]);
        for (uint64_t j = 0; j < counts[i]; j++)
            CHECK_OK(ninho_filter_add(now, mix64(j % 1400)));
        ninho_filter *first = in_first_layout(now);
        check_same_answers(first, now, counts[i] < 1400 ? counts[i] : 1400);
        check_bare(first, &spec, counts[i], (size_t)counts[i]);
        CHECK_OK(ninho_filter_copy(first, NULL, &copy, NULL));
        check_equal_bytes(first, copy); /* it stays as it is */
        CHECK_STATUS(ninho_filter_remove(copy, ~UINT64_C(0)), NINHO_ERR_NOT_FOUND);
        check_equal_bytes(first, copy);
        CHECK_OK(ninho_filter_add(copy, mix64(5000))); /* until it is changed */
        CHECK_OK(ninho_filter_verify(copy, NULL));
        CHECK_OK(ninho_filter_remove(copy, mix64(5000)));
        if (counts[i]) {
            CHECK_OK(ninho_filter_remove(first, mix64(0)));
            CHECK_OK(ninho_filter_add(first, mix64(0)));
            check_equal_bytes(first, copy);
        }
        ninho_filter_free(first);
        ninho_filter_free(copy);
        ninho_filter_free(now);
    }
}

static void filters_of_both_layouts_are_united(void **state)
{
    const ninho_spec spec = spec_of(NINHO_QUOTIENT, 1000, .05);

    (void)state;
    for (unsigned which = 0; which < 4; which++) {
        ninho_filter *a = filter_of(&spec, NULL), *b = filter_of(&spec, NULL);
        ninho_filter *both = filter_of(&spec, NULL), *first_a, *first_b;
        double n_pair = 0, n_first = 1;
        test_where("first: %s%s", which & 1 ? "a" : "", which & 2 ? "b" : "");
        for (uint64_t i = 0; i < 500; i++) {
            CHECK_OK(ninho_filter_add(a, mix64(i)));
            CHECK_OK(ninho_filter_add(b, mix64(400 + i)));
            CHECK_OK(ninho_filter_add(both, mix64(i)));
            CHECK_OK(ninho_filter_add(both, mix64(400 + i)));
        }
        first_a = in_first_layout(a);
        first_b = in_first_layout(b);
        CHECK_OK(ninho_filter_estimate_pair(a, b, &n_pair, NULL, NULL));
        CHECK_OK(ninho_filter_estimate_pair(
            which & 1 ? first_a : a, which & 2 ? first_b : b, &n_first, NULL, NULL));
        CHECK(n_pair == n_first);
        ninho_filter *target = which & 1 ? first_a : a;
        CHECK_OK(ninho_filter_union(target, which & 2 ? first_b : b, NULL));
        check_equal_bytes(target, both);
        ninho_filter_free(a);
        ninho_filter_free(b);
        ninho_filter_free(first_a);
        ninho_filter_free(first_b);
        ninho_filter_free(both);
    }
}

static void the_first_layout_without_memory_is_as_it_was(void **state)
{
    const ninho_spec spec = spec_of(NINHO_QUOTIENT, 60, .05);
    ninho_filter *now = filter_of(&spec, NULL), *first = NULL, *before = NULL;
    struct test_heap heap;

    (void)state;
    for (uint64_t i = 0; i < 40; i++)
        CHECK_OK(ninho_filter_add(now, mix64(i)));
    before = in_first_layout(now);
    heap_init(&heap);
    CHECK_OK(ninho_filter_copy(before, &heap.alloc, &first, NULL));
    heap_fail_at(&heap, 1);
    CHECK_STATUS(ninho_filter_add(first, 1), NINHO_ERR_NOMEM);
    heap_fail_at(&heap, 1);
    CHECK_STATUS(ninho_filter_remove(first, mix64(0)), NINHO_ERR_NOMEM);
    check_equal_bytes(first, before);
    heap_fail_at(&heap, 0);
    CHECK_OK(ninho_filter_clear(first));
    CHECK_OK(ninho_filter_add(first, mix64(0)));
    CHECK_OK(ninho_filter_clear(now));
    CHECK_OK(ninho_filter_add(now, mix64(0)));
    check_equal_bytes(first, now);
    ninho_filter_free(now);
    ninho_filter_free(first);
    ninho_filter_free(before);
    CHECK_U64(heap.live_blocks, 0);
}

static void damaged_tables_of_the_first_layout_are_refused(void **state)
{
    static const uint64_t capacities[] = {5, 60, 61, 150};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const ninho_spec spec = spec_of(NINHO_QUOTIENT, capacities[i], .05);
        ninho_filter *filter = filter_of(&spec, NULL);
        for (uint64_t j = 0; j < capacities[i]; j++)
            CHECK_OK(ninho_filter_add(filter, mix64(j)));
        ninho_filter *first = in_first_layout(filter);
        try_damage(first, test_scaled(2000, 50));
        ninho_filter_free(first);
        ninho_filter_free(filter);
    }
}

/* Every zone by itself: a table of two, the last one longer, and keys at the seams. */
static void zones_are_rings(void **state)
{
    const ninho_spec spec = spec_of(NINHO_QUOTIENT, 150000, .05);
    ninho_filter *filter = filter_of(&spec, NULL), *again = filter_of(&spec, NULL);
    const unsigned r = remainder_bits(filter);
    const uint64_t n_prints = filter->parts->n_cells << r;
    const uint64_t seams[] = {0, 65536, filter->parts->n_cells};

    (void)state;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint64_t j = 0; j < 1200; j++) {
            const uint64_t i = pass ? 1199 - j : j;
            const uint64_t slot =
                (seams[i % 3] + filter->parts->n_cells - 100 + i % 110) %
                filter->parts->n_cells;
            const uint64_t print = slot << r | (i * 7 & ((UINT64_C(1) << r) - 1));
            const uint64_t hash =
                (uint64_t)(((long double)print + .5L) / (long double)n_prints * 0x1p64L);
            CHECK_OK(ninho_filter_add(pass ? again : filter, hash));
            CHECK(ninho_filter_has(pass ? again : filter, hash));
        }
        CHECK_OK(ninho_filter_verify(pass ? again : filter, NULL));
    }
    check_equal_bytes(filter, again);
    ninho_filter *first = in_first_layout(filter);
    CHECK_OK(ninho_filter_add(first, 1));
    CHECK_OK(ninho_filter_remove(first, 1));
    check_equal_bytes(first, filter);
    ninho_filter_free(first);
    ninho_filter_free(filter);
    ninho_filter_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_needs_little_more_than_the_least_for_any_capacity),
        cmocka_unit_test(options_of_other_kinds_are_refused),
        cmocka_unit_test(the_drawing_comes_out_step_by_step),
        cmocka_unit_test(runs_go_round_the_end_of_the_table),
        cmocka_unit_test(it_holds_what_an_exact_multiset_holds),
        cmocka_unit_test(it_doubles_up_to_its_bound),
        cmocka_unit_test(the_fpr_keeps_its_promise_while_it_doubles),
        cmocka_unit_test(unions_merge_tables_of_any_step_of_growth),
        cmocka_unit_test(a_union_with_itself_doubles_every_key),
        cmocka_unit_test(a_union_that_does_not_fit_changes_nothing),
        cmocka_unit_test(without_memory_everything_is_as_it_was),
        cmocka_unit_test(damaged_tables_are_refused_and_queries_end),
        cmocka_unit_test(a_table_of_nothing_is_refused),
        cmocka_unit_test(a_wrong_count_is_refused),
        cmocka_unit_test(removing_one_of_many_copies_moves_none_of_them),
        cmocka_unit_test(changes_of_a_damaged_table_end_inside),
        cmocka_unit_test(a_capacity_of_all_slots_is_refused),
        cmocka_unit_test(bare_bytes_are_the_same_filter),
        cmocka_unit_test(bare_bytes_of_a_grown_filter_can_be_framed_again),
        cmocka_unit_test(the_first_layout_is_read_and_laid_out_anew),
        cmocka_unit_test(filters_of_both_layouts_are_united),
        cmocka_unit_test(the_first_layout_without_memory_is_as_it_was),
        cmocka_unit_test(damaged_tables_of_the_first_layout_are_refused),
        cmocka_unit_test(zones_are_rings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
