/* SPDX-License-Identifier: MIT */
/* Networks as text: what is understood, and what is refused, with its line. */
#include "apps/routing/network.h"

#include <stdlib.h>
#include <string.h>

#include "apps/routing/tree.h"
#include "support/test.h"

static const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};

static ninho_status parse(const char *text, bool is_square, const ninho_alloc *alloc,
                          ninho_route_network *network, ninho_error *error)
{
    const size_t size = strlen(text);
    char *exact =
        malloc(size ? size : 1); /* so that a sanitizer sees the byte behind it */

    CHECK(exact);
    memcpy(exact, text, size);
    const ninho_status status =
        ninho_route_network_parse(exact, size, is_square, &hasher, alloc, network, error);
    free(exact);
    return status;
}

static const char tree_text[] = "# a tree\n\n"
                                "node a root\r\n"
                                "\tnode root\n"
                                "has a song\n"
                                "has a film\n"
                                "ask root song\n"
                                "add root song\n"
                                "remove a film\n"
                                "refresh";

static void a_tree_is_read(void **state)
{
    ninho_route_network network;

    (void)state;
    CHECK_OK(parse(tree_text, false, NULL, &network, NULL));
    CHECK_U64(network.n_nodes, 2);
    CHECK_U64(network.parents[0], 1);
    CHECK_U64(network.parents[1], NINHO_ROUTE_NONE);
    CHECK(strcmp(ninho_route_name_text(&network, &network.nodes[1]), "root") == 0);
    CHECK_U64(network.n_things, 2);
    CHECK_U64(network.things[0].hash, ninho_hash_bytes(&hasher, "song", 4));
    CHECK_U64(network.n_steps, 6);
    CHECK_U64(network.steps[2].op, NINHO_ROUTE_ASK);
    CHECK_U64(network.steps[2].at, 1);
    CHECK_U64(network.steps[2].what, 0);
    CHECK_U64(network.steps[2].line, 7);
    CHECK_U64(network.steps[5].op, NINHO_ROUTE_REFRESH);
    ninho_route_network_free(&network);
}

static const char square_text[] = "divide 3\ndevice a 0 7\ndevice b 7 0\nsend a b\n"
                                  "move a 1 1\nleave b\nsend a b\ndevice b 2 2\n";

static void a_square_is_read(void **state)
{
    ninho_route_network network;

    (void)state;
    CHECK_OK(parse(square_text, true, NULL, &network, NULL));
    CHECK_U64(network.n_divisions, 3);
    CHECK_U64(network.n_things, 2);
    CHECK_U64(network.n_steps, 7);
    CHECK_U64(network.steps[0].column, 0);
    CHECK_U64(network.steps[0].row, 7);
    CHECK_U64(network.steps[3].op, NINHO_ROUTE_MOVE);
    ninho_route_network_free(&network);
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    static const struct {
        bool is_square;
        const char *text, *says;
    } cases[] = {
        {false, "", "there are no nodes"},
        {false, "# only this\n", "there are no nodes"},
        {false, "node\n", "line 1: expects: node NAME [PARENT]"},
        {false, "node a b c\n", "line 1: expects: node NAME [PARENT]"},
        {false, "node a b c d\n", "line 1: has more than 4 words"},
        {false, "node a\nnode a b\n", "line 2: node a is there already, from line 1"},
        {false, "node a\nnode b a\nnode b b2\n", "one parent"},
        {false, "node a a\n", "line 1: node a cannot be its own parent"},
        {false, "node a\nnode b c\n", "line 2: there is no line: node c"},
        {false, "node a\nhas b x\n", "line 2: there is no line before this one: node b"},
        {false, "node a b\nhas b x\n",
         "line 2: there is no line before this one: node b"},
        {false, "node a\nnope\n", "line 2: nope: no such line: expects node, has"},
        {false, "node a\ndevice b 1 1\n", "line 2: device is for a square"},
        {true, "", "there is no line: divide N"},
        {true, "device a 1 1\n", "line 1: the first line must be: divide N"},
        {true, "divide 3\ndivide 3\n", "line 2: the square is divided already"},
        {true, "divide 15\n", "line 1: 15: the number of divisions must be 0 .. 14"},
        {true, "divide -1\n", "line 1: -1: the number of divisions must be 0 .. 14"},
        {true, "divide 3\ndevice a 8 1\n", "line 2: 8: the column must be 0 .. 7"},
        {true, "divide 3\ndevice a 1 1.5\n", "line 2: 1.5: the row must be 0 .. 7"},
        {true, "divide 3\ndevice a 1 99999999999999999999\n", "the row must be 0 .. 7"},
        {true, "divide 3\ndevice a 1 1\ndevice a 2 2\n", "device a is there already"},
        {true, "divide 3\nmove a 1 1\n", "line 2: there is no device a"},
        {true, "divide 3\ndevice a 1 1\nleave a\nleave a\n",
         "line 4: there is no device a"},
        {true, "divide 3\nsend a b\n", "line 2: there is no device a"},
        {true, "divide 3\nnode a\n", "line 2: node is for a tree"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ninho_route_network network = {.n_nodes = 77};
        ninho_error error = NINHO_ERROR_INIT;
        test_where("case %zu", i);
        CHECK_STATUS(parse(cases[i].text, cases[i].is_square, NULL, &network, &error),
                     NINHO_ERR_FORMAT);
        if (!strstr(error.text, cases[i].says))
            test_fail(__FILE__, __LINE__, "says \"%s\"", error.text);
        CHECK_U64(network.n_nodes, 77);
    }
}

static void long_names_and_lines_are_refused(void **state)
{
    char text[5000];
    ninho_route_network network;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text, "node ", 5);
    text[5 + 255] = '\0';
    CHECK_OK(parse(text, false, NULL, &network, &error));
    ninho_route_network_free(&network);
    text[5 + 255] = 'x';
    text[5 + 256] = '\0';
    CHECK_STATUS(parse(text, false, NULL, &network, &error), NINHO_ERR_FORMAT);
    CHECK(strstr(error.text, "256 bytes"));
    text[5 + 256] = 'x';
    text[4999] = '\0';
    CHECK_STATUS(parse(text, false, NULL, &network, &error), NINHO_ERR_FORMAT);
    CHECK(strstr(error.text, "longer than"));
    CHECK_STATUS(ninho_route_network_parse("node a\0b\n", 9, false, &hasher, NULL,
                                           &network, &error),
                 NINHO_ERR_FORMAT);
    CHECK(strstr(error.text, "NUL"));
}

static void memory_runs_out_at_every_call(void **state)
{
    (void)state;
    for (int is_square = 0; is_square < 2; is_square++) {
        ninho_status status = NINHO_ERR_NOMEM;
        for (size_t n = 1; status; n++) {
            struct test_heap heap;
            ninho_route_network network;
            ninho_error error = NINHO_ERROR_INIT;
            heap_init(&heap);
            heap_fail_at(&heap, n);
            test_where("call %zu", n);
            status = parse(is_square ? square_text : tree_text, is_square, &heap.alloc,
                           &network, &error);
            CHECK(!status || status == NINHO_ERR_NOMEM);
            if (!status)
                ninho_route_network_free(&network);
            CHECK_U64(heap.live_blocks, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_is_read),
        cmocka_unit_test(a_square_is_read),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(long_names_and_lines_are_refused),
        cmocka_unit_test(memory_runs_out_at_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
