/* SPDX-License-Identifier: MIT */
/* Routing in trees: every request against a breadth-first search. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "twin.h"

static const ninho_kind kinds[] = {NINHO_BLOOM, NINHO_BLOCKED, NINHO_COUNTING,
                                   NINHO_CUCKOO, NINHO_QUOTIENT};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static ninho_route_tree_options options_of(ninho_kind kind, double fpr)
{
    ninho_route_tree_options options = NINHO_ROUTE_TREE_INIT;

    options.spec.kind = kind;
    options.spec.fpr = fpr;
    return options;
}

static ninho_route_tree *tree_of(const struct twin *twin,
                                 const ninho_route_tree_options *options)
{
    ninho_route_tree *tree = NULL;

    CHECK_OK(ninho_route_tree_create(twin->parents, twin->n_nodes, options, NULL, &tree,
                                     NULL));
    for (size_t i = 0; i < twin->n_pairs; i++)
        CHECK_OK(ninho_route_tree_place(tree, twin->pairs[i].node, twin->pairs[i].hash));
    CHECK_OK(ninho_route_tree_build(tree, NULL));
    return tree;
}

static void scatter(struct twin *twin, size_t n, size_t n_distinct, struct test_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        twin_add(twin, (uint32_t)rng_below(rng, twin->n_nodes),
                 mix64(1 + rng_below(rng, n_distinct)));
}

static void ask_all(const struct twin *twin, const ninho_route_tree *tree, size_t n,
                    size_t n_distinct, struct test_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        (void)twin_check(twin, tree, (uint32_t)rng_below(rng, twin->n_nodes),
                         mix64(1 + rng_below(rng, n_distinct + n_distinct / 8 + 1)), 0);
}

static ninho_route_tree_info info_of(const ninho_route_tree *tree)
{
    ninho_route_tree_info info = NINHO_ROUTE_TREE_INFO_INIT;

    CHECK_OK(ninho_route_tree_info_get(tree, &info));
    return info;
}

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
        ninho_error error = {.text = ""};
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
    ninho_error error;

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
        ninho_route_tree_options options = options_of(kinds[k], 0.02);
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
            options_of(kinds[round % N_KINDS], round % 3 ? 0.05 : 0.3);
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

/* ---- Enemies and accidents ----------------------------------------------------------------- */

static void a_saturated_filter_is_noticed_and_nothing_is_lost(void **state)
{
    struct test_rng rng = {test_seed(15)};
    static struct twin twin;

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        test_where("%s", ninho_kind_name(kinds[k]));
        twin_tree(&twin, 200, 20, &rng);
        scatter(&twin, 400, 400, &rng);
        ninho_route_tree_options options = options_of(kinds[k], 0.01);
        ninho_route_tree *tree = tree_of(&twin, &options);
        ninho_filter *liar = everything(kinds[k]);
        ninho_error error;
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
    ninho_route_tree_free(tree);
    free(parents);
}

/* ---- Costs --------------------------------------------------------------------------------- */

static void news_cost_what_they_should(void **state)
{
    /* 0 - 1 - 2 - 3, and 4 beside 3 below 2 */
    const uint32_t parents[] = {NINHO_ROUTE_NONE, 0, 1, 2, 2};

    (void)state;
    for (size_t k = 0; k < N_KINDS; k++) {
        ninho_route_tree_options options = options_of(kinds[k], 0.01);
        const bool can_remove = ninho_kind_can(kinds[k]) & NINHO_CAN_REMOVE;
        ninho_route_tree *tree = NULL;
        test_where("%s", ninho_kind_name(kinds[k]));
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
        test_where("%s", ninho_kind_name(kinds[k]));
        twin_tree(&twin, 40, 50, &rng);
        ninho_route_tree_options options = options_of(kinds[k], 0.02);
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
            test_where("%s, call %zu", ninho_kind_name(kinds[k]), n);
            status = live(&heap, &twin, kinds[k]);
            CHECK(!status || status == NINHO_ERR_NOMEM);
            CHECK_U64(heap.live_blocks, 0);
            CHECK(n < 5000);
        }
        CHECK(n > 20);
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
        cmocka_unit_test(a_saturated_filter_is_noticed_and_nothing_is_lost),
        cmocka_unit_test(a_liar_draws_no_traffic),
        cmocka_unit_test(claims_are_limited),
        cmocka_unit_test(too_many_copies_lose_nothing),
        cmocka_unit_test(a_hundred_thousand_neighbours),
        cmocka_unit_test(news_cost_what_they_should),
        cmocka_unit_test(filters_grow_with_what_comes),
        cmocka_unit_test(memory_runs_out_at_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
