/* SPDX-License-Identifier: MIT */
#include "unit/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conform/frame_bytes.h"
#include "filter/ops.h"

static void the_signature_is_as_long_as_the_formula_asks(void **state)
{
    static const double fprs[] = {.5, .1, .01, .001, 0x1p-13, 1e-8};

    (void)state;
    for (size_t p = 0; p < 6; p++) {
        for (uint64_t n = 1; n < 5000000000; n = n * 7 / 3 + 1) {
            const ninho_spec spec = spec_of(NINHO_COMPACT, n, fprs[p]);
            ninho_plan plan = NINHO_PLAN_INIT;
            test_where("n %llu, fpr %g", (unsigned long long)n, fprs[p]);
            CHECK_OK(ninho_filter_plan(&spec, &plan, NULL));
            const double fpr = -expm1((double)n * log1p(-ldexp(1, -(int)plan.tag_bits)));
            const double shorter =
                -expm1((double)n * log1p(-ldexp(1, 1 - (int)plan.tag_bits)));
            CHECK(is_near(plan.fpr_expected, fpr, 1e-9));
            CHECK(fpr <= fprs[p] * (1 + 1e-5));
            CHECK(shorter > fprs[p] || plan.tag_bits == 1);
            CHECK(is_near(plan.bits_per_key, 8. * (double)plan.size_bytes / (double)n,
                          1e-12));
        }
    }
}

static void the_signature_can_be_given(void **state)
{
    ninho_spec spec = spec_of(NINHO_COMPACT, 1000, 0);
    ninho_plan plan = NINHO_PLAN_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error),
                 NINHO_ERR_ARG); /* no fpr, no l */
    spec.tag_bits = 16;
    CHECK_OK(ninho_filter_plan(&spec, &plan, &error));
    CHECK_U64(plan.tag_bits, 16);
    CHECK(is_near(plan.fpr_target, 1 - pow(1 - 0x1p-16, 1000), 1e-5));
    spec.tag_bits = 61;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_TAG_BITS && error.least == 1 && error.most == 60);
    CHECK(strstr(error.text, "1 to 60"));
    spec.tag_bits = 60;
    CHECK_OK(ninho_filter_plan(&spec, &plan, &error));
    spec.arity = 3;
    CHECK_STATUS(ninho_filter_plan(&spec, &plan, &error), NINHO_ERR_ARG);
    CHECK(strcmp(error.text, "arity is for kind fuse, not compact") == 0);
}

/* Who gave no tag_bits is told of the fpr. The library's own bound on it comes first, so that the
 * family is asked here. */
static void an_fpr_that_asks_for_too_long_a_signature_is_named(void **state)
{
    ninho_spec spec = spec_of(NINHO_COMPACT, 1 << 14, 0x1p-46);
    struct nh_part part = {.capacity = 1 << 14};
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    CHECK_OK(nh_family_compact.plan(&spec, &part, &error));
    CHECK_U64(nh_family_compact.tag_bits(&part), 60);
    spec.fpr = 0x1p-47;
    CHECK_STATUS(nh_family_compact.plan(&spec, &part, &error), NINHO_ERR_ARG);
    CHECK(error.field == NINHO_FIELD_FPR && error.least > 1.4e-14);
    CHECK(strstr(error.text,
                 "fpr of a compact filter must be at least 1.42e-14 for 16384 keys"));
}

/* key --H--> l bits --h--> bucket: signatures s of three bits, nine slots, h(s) = s * 9 / 8. */
static void the_drawing_comes_out_step_by_step(void **state)
{
    ninho_spec spec = spec_of(NINHO_COMPACT, 7, 0);
    struct steps steps = {""};
    ninho_info info = NINHO_INFO_INIT;

    (void)state;
    spec.tag_bits = 3;
    spec.observer = note_step;
    spec.observer_context = &steps;
    ninho_filter *filter = filter_of(&spec, NULL);
    CHECK_OK(ninho_filter_info(filter, &info));
    CHECK_U64(info.n_cells, 9);
#define SIGNATURE(s) ((uint64_t)(s) << 61)
    CHECK_OK(ninho_filter_add(filter, SIGNATURE(5))); /* h(5) = 5 * 9 / 8 */
    check_steps(&steps, "+5:5 ");
    CHECK_OK(
        ninho_filter_add(filter, SIGNATURE(5) | 12345)); /* another key, the same bits */
    check_steps(&steps, "#5=2 ");
    CHECK_OK(ninho_filter_add(filter, SIGNATURE(4)));
    check_steps(&steps, "+4:4 ");
    CHECK(ninho_filter_has(filter, SIGNATURE(5) | 999)); /* as many as have those bits */
    CHECK(!ninho_filter_has(filter, SIGNATURE(6)));
    CHECK_U64(ninho_filter_copies(filter, SIGNATURE(5)), 2);
    CHECK_OK(ninho_filter_remove(filter, SIGNATURE(5) | 12345));
    check_steps(&steps, "#5=1 ");
    CHECK(ninho_filter_has(filter,
                           SIGNATURE(5))); /* taking one out never hides the other */
    CHECK_OK(ninho_filter_remove(filter, SIGNATURE(5)));
    check_steps(&steps, "-5:5 ");
    CHECK(!ninho_filter_has(filter, SIGNATURE(5)));
    CHECK_STATUS(ninho_filter_remove(filter, SIGNATURE(5)), NINHO_ERR_NOT_FOUND);
    CHECK_U64(ninho_filter_count(filter), 1);
    ninho_filter_free(filter);
}

/* Signatures that share a home stand in order behind it, round the end, and move back. */
static void collisions_leave_no_graves(void **state)
{
    ninho_spec spec = spec_of(NINHO_COMPACT, 7, 0);
    struct steps steps = {""};

    (void)state;
    spec.tag_bits = 8;
    spec.observer = note_step;
    spec.observer_context = &steps;
    ninho_filter *filter = filter_of(&spec, NULL), *fresh = filter_of(&spec, NULL);
#define LONGER(s) ((uint64_t)(s) << 56)
    CHECK_OK(
        ninho_filter_add(filter, LONGER(251))); /* 251 * 9 / 256 = 8, the last slot */
    CHECK_OK(ninho_filter_add(filter, LONGER(3)));
    CHECK_OK(ninho_filter_add(filter, LONGER(250)));
    check_steps(&steps, "+8:251 +0:3 >0-1:3 >8-0:251 +8:250 ");
    CHECK_OK(ninho_filter_add(filter, LONGER(30))); /* home 1: behind 3 */
    check_steps(&steps, "+2:30 ");
    CHECK_OK(ninho_filter_verify(filter, NULL));
    CHECK_OK(ninho_filter_remove(filter, LONGER(250)));
    check_steps(&steps, "-8:250 >0-8:251 >1-0:3 >2-1:30 ");
    CHECK_OK(ninho_filter_verify(filter, NULL));
    CHECK_OK(ninho_filter_remove(filter, LONGER(251)));
    check_steps(&steps, "-8:251 ");
    CHECK_OK(ninho_filter_remove(filter, LONGER(30)));
    CHECK_OK(ninho_filter_remove(filter, LONGER(3)));
    check_equal_bytes(filter, fresh);
    ninho_filter_free(filter);
    ninho_filter_free(fresh);
}

static void a_million_copies_are_counted_one_by_one(void **state)
{
    const uint64_t n = test_scaled(1000000, 20000);
    const ninho_spec spec = spec_of(NINHO_COMPACT, n + 100, .01);
    ninho_filter *filter = filter_of(&spec, NULL);

    (void)state;
    for (uint64_t i = 0; i < 100; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    for (uint64_t i = 1; i <= n; i++) {
        CHECK_OK(ninho_filter_add(filter, mix64(7)));
        if (i < 100 || i % 1000 == 0)
            CHECK_U64(ninho_filter_copies(filter, mix64(7)), i + 1);
    }
    CHECK_STATUS(ninho_filter_add(filter, mix64(7)), NINHO_ERR_FULL);
    CHECK_OK(ninho_filter_verify(filter, NULL));
    for (uint64_t i = n; i-- > 0;)
        CHECK_OK(ninho_filter_remove(filter, mix64(7)));
    for (uint64_t i = 0; i < 100; i++)
        CHECK_U64(ninho_filter_copies(filter, mix64(i)), 1);
    CHECK_OK(ninho_filter_verify(filter, NULL));
    ninho_filter_free(filter);
}

/* Short signatures, so that copies, clusters and growth are many. */
static void play(uint64_t capacity, uint64_t most, unsigned l, uint64_t seed)
{
    ninho_spec spec = spec_of(NINHO_COMPACT, capacity, 0);
    struct test_rng rng = {seed};
    uint64_t n = 0;

    spec.tag_bits = l;
    spec.max_capacity = most > capacity ? most : 0;
    ninho_filter *filter = filter_of(&spec, NULL);
    uint64_t *counts = calloc((size_t)1 << l, sizeof *counts);
    CHECK(counts);
    test_where("capacity %d to %d, l %u", (int)capacity, (int)most, l);
    for (size_t step = 0; step < test_scaled(20000, 2000); step++) {
        uint64_t s = rng_below(&rng, UINT64_C(1) << l);
        if (rng_below(&rng, 4) == 0)
            s |= (UINT64_C(1) << l) - (UINT64_C(1) << l / 2); /* crowd the end */
        const uint64_t hash = s << (64 - l) | rng_next(&rng) >> l;
        CHECK_U64(ninho_filter_copies(filter, hash), counts[s]);
        CHECK(ninho_filter_has(filter, hash) == (counts[s] > 0));
        if (rng_below(&rng, 10) < (step / 2000 % 2 ? 2U : 8U)) {
            CHECK_STATUS(ninho_filter_add(filter, hash),
                         n < most ? NINHO_OK : NINHO_ERR_FULL);
            counts[s] += n < most;
            n += n < most;
        } else {
            CHECK_STATUS(ninho_filter_remove(filter, hash),
                         counts[s] ? NINHO_OK : NINHO_ERR_NOT_FOUND);
            n -= counts[s] > 0;
            counts[s] -= counts[s] > 0;
        }
        CHECK_U64(ninho_filter_count(filter), n);
        if (step % 61 == 0)
            CHECK_OK(ninho_filter_verify(filter, NULL));
    }
    if (most == capacity) { /* the same signatures in any order make the same bytes */
        ninho_filter *fresh = filter_of(&spec, NULL);
        for (uint64_t s = UINT64_C(1) << l; s-- > 0;)
            for (uint64_t i = 0; i < counts[s]; i++)
                CHECK_OK(ninho_filter_add(fresh, s << (64 - l)));
        check_equal_bytes(filter, fresh);
        ninho_filter_free(fresh);
    }
    ninho_filter_free(filter);
    free(counts);
}

static void it_holds_what_an_exact_multiset_holds(void **state)
{
    (void)state;
    play(1, 1, 1, 1);
    play(50, 50, 1, 2);
    play(50, 50, 6, 3);
    play(500, 500, 4, 4);
    play(500, 500, 10, 5);
    play(3, 1000, 9, 6);
    play(10, 77, 3, 7);
    play(1000, 1000, 16, 8);
}

static void it_doubles_up_to_its_bound(void **state)
{
    ninho_spec spec = spec_of(NINHO_COMPACT, 70, .01);
    struct steps steps = {""};
    ninho_info info = NINHO_INFO_INIT;

    (void)state;
    spec.max_capacity = 500;
    spec.observer = note_step;
    spec.observer_context = &steps;
    ninho_filter *filter = filter_of(&spec, NULL), *fresh = filter_of(&spec, NULL);
    for (uint64_t i = 0; i < 500; i++) {
        steps.text[0] = 0;
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
        CHECK(!!strchr(steps.text, '*') == (i == 70 || i == 140 || i == 280));
        if (i == 70)
            CHECK(strncmp(steps.text, "*81-161 +", 9) == 0);
    }
    CHECK_STATUS(ninho_filter_add(filter, 1), NINHO_ERR_FULL);
    CHECK_OK(ninho_filter_verify(filter, NULL));
    CHECK_OK(ninho_filter_info(filter, &info));
    CHECK_U64(info.n_cells, 500 + 71 + 1);
    CHECK(info.can & NINHO_CAN_GROW && info.fpr_expected <= .011);
    for (uint64_t i = 0; i < 500; i++)
        CHECK(ninho_filter_has(filter, mix64(i)));
    ninho_spec found = NINHO_SPEC_INIT;
    CHECK_OK(ninho_filter_spec(filter, &found));
    ninho_filter *like = filter_of(&found, NULL);
    for (uint64_t i = 500; i-- > 0;)
        CHECK_OK(ninho_filter_add(like, mix64(i)));
    check_equal_bytes(filter, like);
    CHECK_OK(ninho_filter_clear(filter));
    check_equal_bytes(filter, fresh);
    ninho_filter_free(filter);
    ninho_filter_free(fresh);
    ninho_filter_free(like);
}

static void without_memory_everything_is_as_it_was(void **state)
{
    ninho_spec spec = spec_of(NINHO_COMPACT, 50, .01);
    struct test_heap heap;
    ninho_filter *filter = NULL, *before = NULL;

    (void)state;
    spec.max_capacity = 200;
    for (size_t n = 1; n <= 2; n++) {
        heap_init(&heap);
        heap_fail_at(&heap, n);
        CHECK_STATUS(ninho_filter_create(&spec, &heap.alloc, &filter, NULL),
                     NINHO_ERR_NOMEM);
        CHECK_U64(heap.live_blocks, 0);
    }
    heap_init(&heap);
    filter = filter_of(&spec, &heap.alloc);
    for (uint64_t i = 0; i < 200; i++) {
        heap_fail_at(&heap, 1);
        CHECK_OK(ninho_filter_copy(filter, NULL, &before, NULL));
        const ninho_status status = ninho_filter_add(filter, mix64(i));
        CHECK_STATUS(status, i == 50 || i == 100 ? NINHO_ERR_NOMEM : NINHO_OK);
        if (status) {
            check_equal_bytes(filter, before);
            heap_fail_at(&heap, 0);
            CHECK_OK(ninho_filter_add(filter, mix64(i)));
        }
        ninho_filter_free(before);
    }
    CHECK_U64(heap.live_blocks, 2);
    CHECK_OK(ninho_filter_verify(filter, NULL));
    heap_fail_at(&heap, 1);
    CHECK_OK(ninho_filter_clear(filter));
    for (uint64_t i = 0; i < 50; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    CHECK_OK(ninho_filter_verify(filter, NULL));
    ninho_filter_free(filter);
    CHECK_U64(heap.live_blocks, 0);
}

static void damaged_tables_are_refused_and_queries_end(void **state)
{
    static const unsigned bits[] = {1, 4, 13, 33, 53, 60};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        ninho_spec spec = spec_of(NINHO_COMPACT, 30, 0);
        spec.tag_bits = bits[i];
        spec.max_capacity = i % 2 ? 100 : 0;
        ninho_filter *filter = filter_of(&spec, NULL);
        for (uint64_t j = 0; j < (i % 2 ? 40 : 30); j++)
            CHECK_OK(ninho_filter_add(filter, mix64(j)));
        try_damage(filter, test_scaled(2000, 50));
        ninho_filter_free(filter);
    }
}

/* The first word of a part has 16 bits that mean something. */
static void bits_without_a_meaning_are_refused(void **state)
{
    const ninho_spec spec = spec_of(NINHO_COMPACT, 30, .01);
    ninho_filter *filter = filter_of(&spec, NULL);
    const size_t size = ninho_filter_encoded_size(filter);
    uint8_t *bytes = malloc(size);

    (void)state;
    CHECK(bytes);
    CHECK_OK(ninho_filter_encode(filter, bytes, size, NULL));
    CHECK(!try_bytes(bytes, size));
    for (unsigned bit = 16; bit < 64; bit++) {
        test_where("bit %u", bit);
        bytes[PARTS_AT + 32 + bit / 8] ^= (uint8_t)(1U << bit % 8);
        CHECK(try_bytes(bytes, size));
        bytes[PARTS_AT + 32 + bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    free(bytes);
    ninho_filter_free(filter);
}

static void bare_bytes_are_the_same_filter(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 3000; n = n * 5 + 1) {
        for (unsigned l = 1; l <= 60; l += 59 - l > 13 ? 13 : 1) {
            ninho_spec spec = spec_of(NINHO_COMPACT, n, 0);
            spec.tag_bits = l;
            spec.max_capacity = 3 * n;
            ninho_filter *filter = filter_of(&spec, NULL);
            test_where("%d keys, l %u", (int)n, l);
            for (uint64_t i = 0; i < 2 * n; i++)
                CHECK_OK(ninho_filter_add(filter, mix64(i)));
            check_bare(filter, &spec, n, (size_t)(2 * n));
            ninho_filter_free(filter);
        }
    }
}

/* One key of fourteen copies in a table for one: no header says so, but no copy of it could be read. */
static void bare_bytes_with_more_keys_than_fit_are_refused(void **state)
{
    static const uint8_t bytes[] = {0x2e, 0x6e, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0};
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_error error = NINHO_ERROR_INIT;
    const ninho_filter *viewed = NULL;
    ninho_filter *copy = NULL;
    ninho_view view;

    (void)state;
    spec.kind = NINHO_COMPACT;
    CHECK_OK(ninho_filter_view_bare(&view, &spec, bytes, sizeof bytes, &viewed, NULL));
    CHECK_STATUS(ninho_filter_verify(viewed, &error), NINHO_ERR_FORMAT);
    CHECK(strstr(error.text, "14 keys in a table for 1"));
    CHECK_STATUS(ninho_filter_copy(viewed, NULL, &copy, &error), NINHO_ERR_FORMAT);
    CHECK(!copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_signature_is_as_long_as_the_formula_asks),
        cmocka_unit_test(the_signature_can_be_given),
        cmocka_unit_test(an_fpr_that_asks_for_too_long_a_signature_is_named),
        cmocka_unit_test(the_drawing_comes_out_step_by_step),
        cmocka_unit_test(collisions_leave_no_graves),
        cmocka_unit_test(a_million_copies_are_counted_one_by_one),
        cmocka_unit_test(it_holds_what_an_exact_multiset_holds),
        cmocka_unit_test(it_doubles_up_to_its_bound),
        cmocka_unit_test(without_memory_everything_is_as_it_was),
        cmocka_unit_test(damaged_tables_are_refused_and_queries_end),
        cmocka_unit_test(bits_without_a_meaning_are_refused),
        cmocka_unit_test(bare_bytes_with_more_keys_than_fit_are_refused),
        cmocka_unit_test(bare_bytes_are_the_same_filter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
