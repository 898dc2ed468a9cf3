/* SPDX-License-Identifier: MIT */
/* Trees: what can be asked of a node, nodes that there are not, and calls in the wrong order. */
#include <stdlib.h>
#include <string.h>

#include "twin.h"

/*     0
 *    / \
 *   1   2
 *   |
 *   3      */
static const uint32_t parents[] = {NINHO_ROUTE_NONE, 0, 0, 1};
enum { N_NODES = 4 };

static ninho_route_tree *made(const ninho_route_tree_options *options)
{
    ninho_route_tree *tree = NULL;

    CHECK_OK(ninho_route_tree_create(parents, N_NODES, options, NULL, &tree, NULL));
    return tree;
}

static void the_shape_of_a_tree_can_be_asked_for(void **state)
{
    ninho_route_tree *tree = made(NULL);

    (void)state;
    for (uint32_t i = 0; i < N_NODES; i++)
        CHECK_U64(ninho_route_tree_parent(tree, i), parents[i]);
    CHECK_U64(ninho_route_tree_parent(tree, N_NODES), NINHO_ROUTE_NONE);
    CHECK_U64(ninho_route_tree_n_children(tree, 0), 2);
    CHECK_U64(ninho_route_tree_n_children(tree, 3), 0);
    CHECK_U64(ninho_route_tree_n_children(tree, N_NODES), 0);
    CHECK_U64(ninho_route_tree_child(tree, 0, 0) + ninho_route_tree_child(tree, 0, 1), 3);
    CHECK_U64(ninho_route_tree_child(tree, 1, 0), 3);
    CHECK_U64(ninho_route_tree_child(tree, 1, 1), NINHO_ROUTE_NONE);
    CHECK_U64(ninho_route_tree_child(tree, N_NODES, 0), NINHO_ROUTE_NONE);
    CHECK_OK(ninho_route_tree_place(tree, 3, 77));
    CHECK_OK(ninho_route_tree_place(tree, 3, 77)); /* it is there already */
    CHECK_OK(ninho_route_tree_build(tree, NULL));
    CHECK(ninho_route_tree_holds(tree, 3, 77) && !ninho_route_tree_holds(tree, 2, 77));
    CHECK(!ninho_route_tree_holds(tree, N_NODES, 77));
    CHECK(ninho_route_tree_link(tree, 1, 0));
    CHECK(!ninho_route_tree_link(tree, N_NODES, 0) &&
          !ninho_route_tree_link(tree, 1, 99));
    CHECK_U64(ninho_route_tree_distance(tree, 2, 77), 3);
    CHECK_U64(ninho_route_tree_distance(tree, N_NODES, 77), UINT64_MAX);
    CHECK_U64(ninho_route_tree_key(tree, N_NODES, 77), 77);
    ninho_route_tree_free(tree);
    ninho_route_tree_free(NULL);
}

static void nodes_that_there_are_not_are_refused(void **state)
{
    ninho_route_tree_options options = options_of(NINHO_BLOOM, .01);
    ninho_error error = NINHO_ERROR_INIT;
    ninho_route_tree *tree = made(NULL), *levels, *none = NULL;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *filter = NULL;

    (void)state;
    spec.kind = NINHO_BLOOM;
    spec.capacity = 10;
    spec.fpr = .01;
    CHECK_OK(ninho_filter_create(&spec, NULL, &filter, NULL));
    CHECK_OK(ninho_route_tree_place(tree, 3, 77));
    CHECK_OK(ninho_route_tree_build(tree, NULL));
    CHECK_STATUS(ninho_route_tree_place(tree, N_NODES, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_add(tree, N_NODES, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_remove(tree, N_NODES, 77), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_move(tree, N_NODES, 1, 77), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_move(tree, 3, N_NODES, 77), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_claim(tree, N_NODES, filter, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_claim(tree, 0, filter, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_claim(tree, 1, NULL, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_restore(tree, N_NODES, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_restore(tree, 0, &error), NINHO_ERR_ARG);
    CHECK(strstr(error.text, "no link upwards"));
    CHECK(ninho_route_tree_holds(tree, 3, 77));
    CHECK_U64(ninho_route_tree_distance(tree, 0, 77), 2);
    options.n_levels = 2;
    levels = made(&options);
    CHECK_OK(ninho_route_tree_build(levels, NULL));
    CHECK_STATUS(ninho_route_tree_claim(levels, 1, filter, &error),
                 NINHO_ERR_UNSUPPORTED);
    CHECK_STATUS(ninho_route_tree_create(NULL, 3, NULL, NULL, &none, &error),
                 NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_tree_create(parents, N_NODES, NULL, NULL, NULL, &error),
                 NINHO_ERR_ARG);
    options.geometry = (ninho_route_geometry)9;
    CHECK_STATUS(ninho_route_tree_create(parents, N_NODES, &options, NULL, &none, &error),
                 NINHO_ERR_ARG);
    options = options_of(NINHO_BLOOM, .01);
    options.max_fpr = -1;
    CHECK_STATUS(ninho_route_tree_create(parents, N_NODES, &options, NULL, &none, &error),
                 NINHO_ERR_ARG);
    CHECK(!none);
    ninho_route_tree_free(levels);
    ninho_route_tree_free(tree);
    ninho_filter_free(filter);
}

/* A change before the tree was built builds it first; without memory it says so, and can be built
 * when there is some. */
static void changes_build_what_is_due(void **state)
{
    (void)state;
    for (int change = 0; change < 3; change++) {
        ninho_route_tree *tree = NULL;
        struct test_heap heap;
        ninho_status status = NINHO_ERR_NOMEM;
        heap_init(&heap);
        CHECK_OK(
            ninho_route_tree_create(parents, N_NODES, NULL, &heap.alloc, &tree, NULL));
        CHECK_OK(ninho_route_tree_place(tree, 3, 77));
        for (size_t n = 1; status; n++) {
            test_where("change %d, allocation %zu", change, n);
            heap_fail_at(&heap, n);
            status = change == 0   ? ninho_route_tree_add(tree, 2, 78)
                     : change == 1 ? ninho_route_tree_remove(tree, 3, 77)
                                   : ninho_route_tree_move(tree, 3, 2, 77);
            heap_fail_at(&heap, 0);
            CHECK(status == NINHO_OK || status == NINHO_ERR_NOMEM);
        }
        CHECK(ninho_route_tree_holds(tree, 3, 77) == (change == 0));
        CHECK(ninho_route_tree_holds(tree, 2, 78) == (change == 0));
        CHECK(ninho_route_tree_holds(tree, 2, 77) == (change == 2));
        CHECK_U64(ninho_route_tree_distance(tree, 0, 77), change == 0   ? 2
                                                          : change == 1 ? UINT64_MAX
                                                                        : 1);
        ninho_route_tree_free(tree);
        CHECK_U64(heap.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shape_of_a_tree_can_be_asked_for),
        cmocka_unit_test(nodes_that_there_are_not_are_refused),
        cmocka_unit_test(changes_build_what_is_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
