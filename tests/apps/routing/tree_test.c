/* SPDX-License-Identifier: MIT */
/* Routing in trees: every request against a breadth-first search. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "twin.h"

/* ---- Making one ---------------------------------------------------------------------------- */

static void what_is_no_tree_is_refused(void **state)
{
    static const uint32_t none = NINHO_ROUTE_NONE;
    const uint32_t two_roots[] = {none, none, 0};
    const uint32_t circle[] = {none, 2, 3, 1};
    const uint32_t no_root[] = {1, 2, 0};
    const uint32_t outside[] = {none, 2};
    const uint32_t own_parent[] = {none, 1};
    const struct {
        const uint32_t *parents;
        size_t n;
        const char *says;
    } cases[] = {
        {two_roots, 0, "one node at least"},
        {two_roots, 3, "both have no parent"},
        {circle, 4, "circle"},
        {no_root, 3, "all have a parent"},
        {outside, 2, "no node"},
        {own_parent, 2, "circle"},
    };
    ninho_route_tree *tree = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_error error = NINHO_ERROR_INIT;
        test_where("case %zu", i);
        CHECK_STATUS(ninho_route_tree_create(cases[i].parents, cases[i].n, NULL, NULL,
                                             &tree, &error),
                     NINHO_ERR_ARG);
        CHECK(strstr(error.text, cases[i].says));
        CHECK(!tree);
    }
}

static void options_have_ranges(void **state)
{
    const uint32_t parents[] = {NINHO_ROUTE_NONE, 0};
    ninho_route_tree *tree = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    for (int i = 0; i < 9; i++) {
        ninho_route_tree_options options = options_of(NINHO_BLOOM, 0.01);
        ninho_status expected = NINHO_ERR_ARG;
        switch (i) {
        case 0:
            options.spec.fpr = -0.5;
            break;
        case 1:
            options.spec.fpr = NAN;
            break;
        case 2:
            options.n_levels = 17;
            break;
        case 3:
            options.max_fpr = 1;
            break;
        case 4:
            options.max_claims = 256;
            break;
        case 5:
            options.spec.kind = NINHO_FUSE;
            expected = NINHO_ERR_UNSUPPORTED;
            break;
        case 6:
            options.spec.kind = NINHO_SCALABLE;
            options.geometry = NINHO_ROUTE_SAME;
            expected = NINHO_ERR_UNSUPPORTED;
            break;
        case 7:
            options.size_of_struct = 0;
            break;
        default:
            options.spec.fpr = 1;
            break;
        }
        test_where("case %d", i);
        CHECK_STATUS(ninho_route_tree_create(parents, 2, &options, NULL, &tree, &error),
                     expected);
        CHECK(!tree);
    }
}

/* ---- Filters ------------------------------------------------------------------------------- */

/* The union of the children's filters is the filter of all below, bit for bit: false positives may be
 * more, a false negative there is none. */
static void a_link_is_the_or_of_those_below(void **state)
{
    struct test_rng rng = {test_seed(11)};
    static struct twin twin;

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        twin_tree(&twin, 120, 30, &rng);
        scatter(&twin, 500, 500, &rng);
        ninho_route_tree_options options = options_of(twin_kinds[k], 0.02);
        options.geometry = NINHO_ROUTE_SAME;
        ninho_route_tree *tree = tree_of(&twin, &options);
        ninho_spec spec = options.spec;
        spec.size_of_struct = sizeof spec;
        spec.capacity = twin.n_pairs;
        spec.key_encoding = NINHO_KEY_HASHES;
        for (uint32_t v = 0; v < twin.n_nodes; v++) {
            const ninho_filter *link = ninho_route_tree_link(tree, v, 0);
            if (!link)
                continue;
            ninho_filter *direct = NULL;
            CHECK_OK(ninho_filter_create(&spec, NULL, &direct, NULL));
            for (size_t i = 0; i < twin.n_pairs; i++) {
                uint32_t at = twin.pairs[i].node;
                while (at != v && at != NINHO_ROUTE_NONE)
                    at = twin.parents[at];
                if (at == v)
                    CHECK_OK(ninho_filter_add(direct, twin.pairs[i].hash));
            }
            uint8_t bytes[2][4096];
            size_t sizes[2];
            CHECK_OK(
                ninho_filter_encode_bare(link, bytes[0], sizeof bytes[0], &sizes[0]));
            CHECK_OK(
                ninho_filter_encode_bare(direct, bytes[1], sizeof bytes[1], &sizes[1]));
            CHECK_U64(sizes[0], sizes[1]);
            CHECK(memcmp(bytes[0], bytes[1], sizes[0]) == 0);
            ninho_filter_free(direct);
        }
        ninho_route_tree_free(tree);
    }
}

/* ---- Requests ------------------------------------------------------------------------------ */

/* All kinds, both geometries, attenuated or not, while resources come, go and move. */
static void nothing_is_lost_whatever_changes(void **state)
{
    struct test_rng rng = {test_seed(12)};
    const size_t n_rounds = test_scaled(60, 10);
    static struct twin twin;

    (void)state;
    for (size_t round = 0; round < n_rounds; round++) {
        const size_t n_distinct = 1 + rng_below(&rng, 300);
        ninho_route_tree_options options =
            options_of(twin_kinds[round % N_KINDS], round % 3 ? 0.05 : 0.3);
        options.n_levels = (uint32_t)(1 + rng_below(&rng, 4));
        options.geometry = round % 4 == 3 ? NINHO_ROUTE_SAME : NINHO_ROUTE_SIZED;
        options.capacity = 1500;
        test_where("round %zu, %s", round, ninho_kind_name(options.spec.kind));
        twin_tree(&twin, 1 + rng_below(&rng, 150), (unsigned)rng_below(&rng, 100), &rng);
        scatter(&twin, rng_below(&rng, 400), n_distinct, &rng);
        ninho_route_tree *tree = tree_of(&twin, &options);
        for (int part = 0; part < 4; part++) {
            ask_all(&twin, tree, 60, n_distinct, &rng);
            for (int i = 0; i < 60; i++) {
                const uint32_t node = (uint32_t)rng_below(&rng, twin.n_nodes);
                const uint64_t hash = mix64(1 + rng_below(&rng, n_distinct));
                const size_t pair = twin.n_pairs ? rng_below(&rng, twin.n_pairs) : 0;
                const uint64_t choice = rng_below(&rng, 3);
                if (choice == 0 || !twin.n_pairs) {
                    CHECK_OK(ninho_route_tree_add(tree, node, hash));
                    twin_add(&twin, node, hash);
                    continue;
                }
                const uint32_t from = twin.pairs[pair].node;
                const uint64_t moved = twin.pairs[pair].hash;
                if (choice == 1) {
                    CHECK_OK(ninho_route_tree_remove(tree, from, moved));
                    twin_remove(&twin, from, moved);
                } else {
                    CHECK_OK(ninho_route_tree_move(tree, from, node, moved));
                    twin_remove(&twin, from, moved);
                    twin_add(&twin, node, moved);
                }
            }
            if (part == 2)
                CHECK_OK(ninho_route_tree_refresh(tree, NULL));
        }
        CHECK_U64(info_of(tree).n_held, twin.n_pairs);
        if (ninho_kind_can(options.spec.kind) & NINHO_CAN_REMOVE)
            CHECK_U64(info_of(tree).n_stale, 0);
        ninho_route_tree_free(tree);
    }
}

static void wrong_turns_are_as_rare_as_promised(void **state)
{
    struct test_rng rng = {test_seed(13)};
    static struct twin twin;
    uint64_t questions = 0;
    uint64_t wrong_turns = 0;

    (void)state;
    twin_tree(&twin, 400, 0, &rng);
    for (uint64_t i = 0; i < 3000; i++)
        twin_add(&twin, (uint32_t)rng_below(&rng, 400), mix64(1 + i));
    ninho_route_tree_options options = options_of(NINHO_BLOOM, 0.02);
    ninho_route_tree *tree = tree_of(&twin, &options);
    for (uint64_t i = 0; i < 20000; i++) {
        const ninho_route_result result = ninho_route_tree_find(
            tree, (uint32_t)rng_below(&rng, 400), mix64((1u << 20) + i), 0, NULL, NULL);
        CHECK_U64(result.outcome, NINHO_ROUTE_NOT_FOUND);
        questions += result.questions;
        wrong_turns += result.wrong_turns;
    }
    /* Questions beside the way to the root are all to be answered with no. Small filters err less. */
    CHECK(wrong_turns > 0);
    CHECK((double)wrong_turns < binomial_high((double)questions, 0.022, 6));
    ninho_route_tree_free(tree);
}

static void a_ttl_ends_every_request(void **state)
{
    struct test_rng rng = {test_seed(14)};
    static struct twin twin;

    (void)state;
    twin_tree(&twin, 300, 40, &rng);
    scatter(&twin, 600, 300, &rng);
    ninho_route_tree_options options = options_of(NINHO_BLOOM, 0.4);
    ninho_route_tree *tree = tree_of(&twin, &options);
    for (int i = 0; i < 400; i++) {
        const uint32_t from = (uint32_t)rng_below(&rng, 300);
        const uint64_t hash = mix64(1 + rng_below(&rng, 320));
        const ninho_route_result free = twin_check(&twin, tree, from, hash, 0);
        if (free.hops > 1)
            CHECK_U64(twin_check(&twin, tree, from, hash, free.hops - 1).outcome,
                      NINHO_ROUTE_EXPIRED);
        if (free.hops)
            CHECK_U64(twin_check(&twin, tree, from, hash, free.hops).outcome,
                      free.outcome);
    }
    CHECK_U64(ninho_route_tree_find(tree, 300, 1, 0, NULL, NULL).outcome,
              NINHO_ROUTE_NOT_FOUND);
    ninho_route_tree_free(tree);
}

/* With filters that hardly err, the child where it is nearest is taken first. */
static void attenuated_filters_lead_to_the_nearest(void **state)
{
    /*      0
     *    /   \
     *   1     2 (here)
     *   |
     *   3
     *   |
     *   4 (here)        asked from 0: 1's filter says "three links away", 2's says "next" */
    const uint32_t parents[] = {NINHO_ROUTE_NONE, 0, 0, 1, 3};
    static struct twin twin;

    (void)state;
    twin = (struct twin){.n_nodes = 5};
    memcpy(twin.parents, parents, sizeof parents);
    twin_add(&twin, 2, 99);
    twin_add(&twin, 4, 99);
    for (uint32_t n_levels = 1; n_levels <= 4; n_levels++) {
        ninho_route_tree_options options = options_of(NINHO_BLOOM, 1e-6);
        options.n_levels = n_levels;
        ninho_route_tree *tree = tree_of(&twin, &options);
        const ninho_route_result result = twin_check(&twin, tree, 0, 99, 0);
        CHECK_U64(result.hops, n_levels == 1 ? 3 : 1);
        CHECK_U64(result.node, n_levels == 1 ? 4 : 2);
        ninho_route_tree_free(tree);
    }
}

/* ---- Costs --------------------------------------------------------------------------------- */

static void news_cost_what_they_should(void **state)
{
    /* 0 - 1 - 2 - 3, and 4 beside 3 below 2 */
    const uint32_t parents[] = {NINHO_ROUTE_NONE, 0, 1, 2, 2};

    (void)state;
    for (size_t k = 0; k < N_KINDS; k++) {
        ninho_route_tree_options options = options_of(twin_kinds[k], 0.01);
        const bool can_remove = ninho_kind_can(twin_kinds[k]) & NINHO_CAN_REMOVE;
        ninho_route_tree *tree = NULL;
        test_where("%s", ninho_kind_name(twin_kinds[k]));
        CHECK_OK(ninho_route_tree_create(parents, 5, &options, NULL, &tree, NULL));
        CHECK_OK(ninho_route_tree_add(tree, 3, 7)); /* over three links */
        CHECK_U64(info_of(tree).update_bytes, 3 * 8);
        CHECK_OK(ninho_route_tree_add(tree, 3, 7)); /* is there */
        CHECK_U64(info_of(tree).update_bytes, 3 * 8);
        CHECK_OK(ninho_route_tree_move(tree, 3, 4, 7)); /* nobody above 2 is told */
        CHECK_U64(info_of(tree).update_bytes, 5 * 8);
        CHECK_U64(info_of(tree).n_stale, can_remove ? 0 : 1);
        CHECK_OK(ninho_route_tree_remove(tree, 4, 7));
        CHECK_STATUS(ninho_route_tree_remove(tree, 4, 7), NINHO_ERR_NOT_FOUND);
        CHECK_STATUS(ninho_route_tree_move(tree, 4, 3, 7), NINHO_ERR_NOT_FOUND);
        CHECK_STATUS(ninho_route_tree_add(tree, 5, 7), NINHO_ERR_ARG);
        CHECK_U64(info_of(tree).update_bytes, 8 * 8);
        CHECK_U64(info_of(tree).n_stale, can_remove ? 0 : 4);
        CHECK_U64(info_of(tree).n_below, 0);
        const ninho_route_result result =
            ninho_route_tree_find(tree, 0, 7, 0, NULL, NULL);
        CHECK_U64(result.outcome, NINHO_ROUTE_NOT_FOUND);
        CHECK_U64(result.wrong_turns, can_remove ? 0 : 4);
        CHECK_OK(ninho_route_tree_refresh(tree, NULL));
        CHECK_U64(info_of(tree).n_stale, 0);
        CHECK_U64(ninho_route_tree_find(tree, 0, 7, 0, NULL, NULL).wrong_turns, 0);
        ninho_route_tree_free(tree);
    }
}

static void filters_grow_with_what_comes(void **state)
{
    struct test_rng rng = {test_seed(18)};
    static struct twin twin;

    (void)state;
    for (size_t k = 0; k < N_KINDS; k++) {
        test_where("%s", ninho_kind_name(twin_kinds[k]));
        twin_tree(&twin, 40, 50, &rng);
        ninho_route_tree_options options = options_of(twin_kinds[k], 0.02);
        ninho_route_tree *tree = tree_of(&twin, &options);
        for (uint64_t i = 0; i < 2000; i++) {
            const uint32_t node = (uint32_t)rng_below(&rng, 40);
            CHECK_OK(ninho_route_tree_add(tree, node, mix64(i + 1)));
            twin_add(&twin, node, mix64(i + 1));
        }
        CHECK_U64(info_of(tree).n_unknown, 0);
        CHECK(info_of(tree).n_rebuilt > 0);
        for (uint32_t v = 0; v < 40; v++) {
            ninho_info info = NINHO_INFO_INIT;
            const ninho_filter *link = ninho_route_tree_link(tree, v, 0);
            if (link && !ninho_filter_info(link, &info))
                CHECK(info.fpr_expected < 0.08);
        }
        ask_all(&twin, tree, 100, 2000, &rng);
        ninho_route_tree_free(tree);
    }
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* A tree's whole life; answers the first failure. */
static ninho_status live(struct test_heap *heap, const struct twin *twin, ninho_kind kind)
{
    ninho_route_tree_options options = options_of(kind, 0.05);
    ninho_route_tree *tree = NULL;
    ninho_status status = ninho_route_tree_create(twin->parents, twin->n_nodes, &options,
                                                  &heap->alloc, &tree, NULL);

    if (status)
        return status;
    for (size_t i = 0; !status && i < twin->n_pairs; i++)
        status = ninho_route_tree_place(tree, twin->pairs[i].node, twin->pairs[i].hash);
    if (!status)
        status = ninho_route_tree_build(tree, NULL);
    const bool is_built = !status;
    for (uint64_t i = 0; !status && i < 40; i++)
        status =
            ninho_route_tree_add(tree, (uint32_t)(i % twin->n_nodes), mix64(900 + i));
    for (size_t i = 0; !status && i < twin->n_pairs / 2; i++)
        status =
            ninho_route_tree_move(tree, twin->pairs[i].node,
                                  (uint32_t)(i * 7 % twin->n_nodes), twin->pairs[i].hash);
    if (!status)
        status = ninho_route_tree_refresh(tree, NULL);
    if (!status)
        status = ninho_route_tree_build(tree, NULL);
    /* Whatever failed: what is there is found. */
    for (size_t i = twin->n_pairs / 2; is_built && i < twin->n_pairs; i++)
        CHECK_U64(
            ninho_route_tree_find(tree, 0, twin->pairs[i].hash, 0, NULL, NULL).outcome,
            NINHO_ROUTE_DELIVERED);
    ninho_route_tree_free(tree);
    return status;
}

static void memory_runs_out_at_every_call(void **state)
{
    struct test_rng rng = {test_seed(19)};
    static struct twin twin;

    (void)state;
    twin_tree(&twin, 12, 40, &rng);
    scatter(&twin, 30, 30, &rng);
    for (size_t k = 0; k < N_KINDS; k++) {
        struct test_heap heap;
        ninho_status status = NINHO_ERR_NOMEM;
        size_t n = 0;
        while (status) {
            heap_init(&heap);
            heap_fail_at(&heap, ++n);
            test_where("%s, call %zu", ninho_kind_name(twin_kinds[k]), n);
            status = live(&heap, &twin, twin_kinds[k]);
            CHECK(!status || status == NINHO_ERR_NOMEM);
            CHECK_U64(heap.live_blocks, 0);
            CHECK(n < 5000);
        }
        CHECK(n > 20);
    }
}

/* Their walks are short (rt_link_spec() says why), and long enough. */
static void small_cuckoo_filters_hold_what_they_are_made_for(void **state)
{
    static uint32_t parents[1 + 260];
    struct test_rng rng = {test_seed(23)};
    ninho_route_tree *tree = NULL;

    (void)state;
    parents[0] = NINHO_ROUTE_NONE;
    for (int round = 0; round < 5; round++) {
        const ninho_route_tree_options options =
            options_of(NINHO_CUCKOO, round % 2 ? 0.3 : 0.01);
        CHECK_OK(ninho_route_tree_create(parents, 261, &options, NULL, &tree, NULL));
        for (uint32_t v = 1; v < 261; v++)
            for (uint32_t i = 0; i < v; i++)
                CHECK_OK(ninho_route_tree_place(tree, v, rng_next(&rng)));
        CHECK_OK(ninho_route_tree_build(tree, NULL));
        CHECK_U64(info_of(tree).n_unknown, 0);
        ninho_route_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_tree_is_refused),
        cmocka_unit_test(options_have_ranges),
        cmocka_unit_test(a_link_is_the_or_of_those_below),
        cmocka_unit_test(nothing_is_lost_whatever_changes),
        cmocka_unit_test(wrong_turns_are_as_rare_as_promised),
        cmocka_unit_test(a_ttl_ends_every_request),
        cmocka_unit_test(attenuated_filters_lead_to_the_nearest),
        cmocka_unit_test(news_cost_what_they_should),
        cmocka_unit_test(filters_grow_with_what_comes),
        cmocka_unit_test(small_cuckoo_filters_hold_what_they_are_made_for),
        cmocka_unit_test(memory_runs_out_at_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
