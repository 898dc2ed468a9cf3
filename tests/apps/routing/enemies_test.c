/* SPDX-License-Identifier: MIT */
/* Trees whose hosts lie, claim too often, or have too many copies or neighbours. */
#include <stdlib.h>
#include <string.h>

#include "twin.h"

/* A filter that says "maybe" to everything. */
static ninho_filter *everything(ninho_kind kind)
{
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;

    spec.kind = kind;
    spec.capacity = 20;
    spec.fpr = 0.01;
    spec.key_encoding = NINHO_KEY_HASHES;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    for (uint64_t i = 0; i < 5000; i++)
        CHECK_OK(ninho_filter_add(filter, mix64(i)));
    return filter;
}

static void a_saturated_filter_is_noticed_and_nothing_is_lost(void **state)
{
    struct test_rng rng = {test_seed(15)};
    static struct twin twin;

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        test_where("%s", ninho_kind_name(twin_kinds[k]));
        twin_tree(&twin, 200, 20, &rng);
        scatter(&twin, 400, 400, &rng);
        ninho_route_tree_options options = options_of(twin_kinds[k], 0.01);
        ninho_route_tree *tree = tree_of(&twin, &options);
        ninho_filter *liar = everything(twin_kinds[k]);
        ninho_error error = NINHO_ERROR_INIT;
        uint64_t n_refused = 0;
        for (int i = 0; i < 12; i++) {
            const uint32_t node = (uint32_t)rng_below(&rng, 200);
            if (twin.parents[node] == NINHO_ROUTE_NONE)
                continue;
            CHECK_STATUS(ninho_route_tree_claim(tree, node, liar, &error),
                         NINHO_ERR_FULL);
            CHECK(strstr(error.text, "refused"));
            n_refused++;
            CHECK(!ninho_route_tree_link(tree, node, 0));
            ask_all(&twin, tree, 40, 400, &rng);
            for (int j = 0; j < 20; j++) { /* what comes and goes behind a liar */
                const uint32_t at = (uint32_t)rng_below(&rng, 200);
                const uint64_t hash = mix64(1 + rng_below(&rng, 400));
                const size_t pair = rng_below(&rng, twin.n_pairs);
                CHECK_OK(ninho_route_tree_add(tree, at, hash));
                twin_add(&twin, at, hash);
                const uint32_t from = twin.pairs[pair].node;
                const uint64_t moved = twin.pairs[pair].hash;
                CHECK_OK(ninho_route_tree_move(tree, from, at, moved));
                twin_remove(&twin, from, moved);
                twin_add(&twin, at, moved);
            }
            ask_all(&twin, tree, 40, 400, &rng);
        }
        CHECK_U64(info_of(tree).n_refused, n_refused);
        CHECK(info_of(tree).n_unknown > 0);
        for (uint32_t v = 0; v < 200; v++)
            if (twin.parents[v] != NINHO_ROUTE_NONE)
                CHECK_OK(ninho_route_tree_restore(tree, v, NULL));
        CHECK_U64(info_of(tree).n_unknown, 0);
        CHECK_OK(ninho_route_tree_refresh(tree, NULL));
        ask_all(&twin, tree, 100, 400, &rng);
        ninho_filter_free(liar);
        ninho_route_tree_free(tree);
    }
}

/* A liar who is taken at his word draws every request; one who is refused draws none that is for
 * somebody else. */
static void a_liar_draws_no_traffic(void **state)
{
    enum { N = 60, LIAR = 1 };
    ninho_filter *claim = NULL;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_info info = NINHO_INFO_INIT;
    static struct twin twin;
    uint64_t wrong[2] = {0, 0};

    (void)state;
    spec.kind = NINHO_BLOOM;
    spec.capacity = 200;
    spec.fpr = 0.01;
    spec.key_encoding = NINHO_KEY_HASHES;
    CHECK_OK(ninho_filter_create(&spec, NULL, &claim, NULL));
    for (uint64_t i = 0; info.fpr_expected < 0.9; i++) {
        CHECK_OK(ninho_filter_add(claim, mix64(i)));
        CHECK_OK(ninho_filter_info(claim, &info));
    }
    twin = (struct twin){.n_nodes = N};
    twin.parents[0] = NINHO_ROUTE_NONE;
    for (uint32_t v = 0; v < N; v++)
        twin_add(&twin, v, mix64(1000 + v));
    for (int believes = 0; believes < 2; believes++) {
        ninho_route_tree_options options = options_of(NINHO_BLOOM, 1e-6);
        options.max_fpr = believes ? 0.999999 : 0.5;
        ninho_route_tree *tree = tree_of(&twin, &options);
        CHECK_STATUS(ninho_route_tree_claim(tree, LIAR, claim, NULL),
                     believes ? NINHO_OK : NINHO_ERR_FULL);
        for (uint32_t v = 2; v < N; v++)
            wrong[believes] +=
                ninho_route_tree_find(tree, 0, mix64(1000 + v), 0, NULL, NULL)
                    .wrong_turns;
        CHECK_U64(
            ninho_route_tree_find(tree, 5, mix64(1000 + LIAR), 0, NULL, NULL).outcome,
            believes && !ninho_filter_has(
                            claim, ninho_route_tree_key(tree, LIAR, mix64(1000 + LIAR)))
                ? NINHO_ROUTE_NOT_FOUND
                : NINHO_ROUTE_DELIVERED);
        ninho_route_tree_free(tree);
    }
    CHECK_U64(wrong[0], 0);
    CHECK(wrong[1] > (N - 2) / 2);
    ninho_filter_free(claim);
}

static void claims_are_limited(void **state)
{
    const uint32_t parents[] = {NINHO_ROUTE_NONE, 0, 0};
    ninho_route_tree_options options = options_of(NINHO_BLOOM, 0.01);
    ninho_route_tree *tree = NULL;
    ninho_filter *liar = everything(NINHO_BLOOM);
    ninho_filter *other = everything(NINHO_BLOCKED);

    (void)state;
    options.max_claims = 3;
    CHECK_OK(ninho_route_tree_create(parents, 3, &options, NULL, &tree, NULL));
    CHECK_STATUS(ninho_route_tree_claim(tree, 0, liar, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_claim(tree, 9, liar, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_claim(tree, 1, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_claim(tree, 1, other, NULL), NINHO_ERR_MISMATCH);
    CHECK_STATUS(ninho_route_tree_claim(tree, 1, liar, NULL), NINHO_ERR_FULL);
    CHECK_STATUS(ninho_route_tree_claim(tree, 1, liar, NULL), NINHO_ERR_FULL);
    for (int i = 0; i < 1000; i++)
        CHECK_STATUS(ninho_route_tree_claim(tree, 1, liar, NULL), NINHO_ERR_SPACE);
    CHECK_STATUS(ninho_route_tree_claim(tree, 2, liar, NULL), NINHO_ERR_FULL);
    CHECK_U64(info_of(tree).n_limited, 1000);
    ninho_route_tree_tick(tree);
    CHECK_STATUS(ninho_route_tree_claim(tree, 1, liar, NULL), NINHO_ERR_FULL);
    ninho_filter_free(liar);
    ninho_filter_free(other);
    ninho_route_tree_free(tree);
}

/* A claim that is believed is the child's own word. What leaves was perhaps never in it, and taking it
 * out nevertheless would take others out. */
static void nothing_is_taken_out_of_a_claim(void **state)
{
    const uint32_t parents[] = {NINHO_ROUTE_NONE, 0};
    ninho_route_tree_options options = options_of(NINHO_COUNTING, 0.4);
    ninho_route_tree *tree = NULL;
    ninho_filter *claim = NULL;
    ninho_spec spec = NINHO_SPEC_INIT;

    (void)state;
    options.max_fpr = 0.9999;
    spec.kind = NINHO_COUNTING;
    spec.capacity = 300;
    spec.fpr = 0.4;
    spec.key_encoding = NINHO_KEY_HASHES;
    CHECK_OK(ninho_route_tree_create(parents, 2, &options, NULL, &tree, NULL));
    CHECK_OK(ninho_filter_create(&spec, NULL, &claim, NULL));
    for (uint64_t i = 0; i < 300; i++) {
        CHECK_OK(ninho_route_tree_place(tree, 1, mix64(i)));
        CHECK_OK(ninho_filter_add(claim, ninho_route_tree_key(tree, 1, mix64(i))));
        CHECK_OK(ninho_route_tree_place(tree, 1, mix64(1000 + i)));
    }
    CHECK_OK(ninho_route_tree_build(tree, NULL));
    CHECK_OK(ninho_route_tree_claim(tree, 1, claim, NULL));
    for (uint64_t i = 0; i < 300; i++)
        CHECK_OK(ninho_route_tree_remove(tree, 1, mix64(1000 + i)));
    for (uint64_t i = 0; i < 300; i++)
        CHECK_U64(ninho_route_tree_find(tree, 0, mix64(i), 0, NULL, NULL).outcome,
                  NINHO_ROUTE_DELIVERED);
    ninho_filter_free(claim);
    ninho_route_tree_free(tree);
}

/* More copies of one resource than a cuckoo filter can hold: the links above are unknown, and what
 * is below is found nevertheless. */
static void too_many_copies_lose_nothing(void **state)
{
    struct test_rng rng = {test_seed(17)};
    static struct twin twin;

    (void)state;
    twin_tree(&twin, 150, 50, &rng);
    for (uint32_t v = 0; v < 150; v += 2)
        twin_add(&twin, v, mix64(1));
    scatter(&twin, 200, 100, &rng);
    ninho_route_tree_options options = options_of(NINHO_CUCKOO, 0.01);
    ninho_route_tree *tree = tree_of(&twin, &options);
    CHECK(info_of(tree).n_unknown > 0);
    ask_all(&twin, tree, 200, 100, &rng);
    for (uint32_t v = 0; v < 150; v += 2) {
        CHECK_OK(ninho_route_tree_remove(tree, v, mix64(1)));
        twin_remove(&twin, v, mix64(1));
    }
    ask_all(&twin, tree, 200, 100, &rng);
    ninho_route_tree_free(tree);
}

static void a_hundred_thousand_neighbours(void **state)
{
    const size_t n = 100001;
    uint32_t *parents = calloc(n, sizeof *parents);
    ninho_route_tree *tree = NULL;
    ninho_route_tree_options options = options_of(NINHO_BLOOM, 0.0001);

    (void)state;
    CHECK(parents);
    parents[0] = NINHO_ROUTE_NONE;
    CHECK_OK(ninho_route_tree_create(parents, n, &options, NULL, &tree, NULL));
    for (uint32_t v = 1; v < n; v++)
        CHECK_OK(ninho_route_tree_place(tree, v, mix64(v)));
    CHECK_OK(ninho_route_tree_build(tree, NULL));
    for (uint32_t v = 7; v < n; v += 9973) {
        const ninho_route_result result =
            ninho_route_tree_find(tree, (uint32_t)n - v, mix64(v), 0, NULL, NULL);
        CHECK_U64(result.outcome, NINHO_ROUTE_DELIVERED);
        CHECK_U64(result.node, v);
        CHECK_U64(result.hops, 2 + 2 * result.wrong_turns);
    }

    /* Half of them lie: who looks for what is behind one of them, or nowhere, asks nobody for each that
     * was tried in vain. */
    ninho_filter *liar = everything(NINHO_BLOOM);
    for (uint32_t v = 1; v < n; v += 2)
        CHECK_STATUS(ninho_route_tree_claim(tree, v, liar, NULL), NINHO_ERR_FULL);
    for (uint32_t v = 70001; v < n + 1; v += 30000) {
        const ninho_route_result result =
            ninho_route_tree_find(tree, 4, mix64(v), 0, NULL, NULL);
        CHECK_U64(result.outcome, v < n ? NINHO_ROUTE_DELIVERED : NINHO_ROUTE_NOT_FOUND);
        CHECK(result.questions < 4 * n);
    }
    ninho_filter_free(liar);
    ninho_route_tree_free(tree);
    free(parents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saturated_filter_is_noticed_and_nothing_is_lost),
        cmocka_unit_test(a_liar_draws_no_traffic),
        cmocka_unit_test(claims_are_limited),
        cmocka_unit_test(nothing_is_taken_out_of_a_claim),
        cmocka_unit_test(too_many_copies_lose_nothing),
        cmocka_unit_test(a_hundred_thousand_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
