/* SPDX-License-Identifier: MIT */
/* Routing in squares: every message against a list of where devices are. */
#include "apps/routing/geo.h"

#include <string.h>

#include "support/test.h"

#define MAX_DEVICES 500

struct device {
    uint32_t column, row;
    bool is_there;
};

struct square {
    ninho_route_geo *geo;
    uint32_t side;
    struct device devices[MAX_DEVICES];
    size_t n;
};

static uint64_t name_of(size_t i)
{
    return mix64(i + 1);
}

static uint64_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* The way: heads lie in the square, and hops are the sum of what is between them. */
struct way {
    const struct square *square;
    uint32_t n_divisions;
    uint64_t n_stops;
    uint64_t hops;
    uint32_t column, row;
};

static void follow(void *context, uint32_t divisions, uint32_t column, uint32_t row)
{
    struct way *way = context;
    const uint32_t size = way->square->side >> divisions;

    CHECK(size >= 1 && column < 1u << divisions && row < 1u << divisions);
    const uint32_t head_column = column * size + size / 2;
    const uint32_t head_row = row * size + size / 2;
    CHECK(head_column < way->square->side && head_row < way->square->side);
    if (way->n_stops++)
        way->hops += apart(way->column, head_column) + apart(way->row, head_row);
    way->column = head_column;
    way->row = head_row;
}

static ninho_route_geo_result send(const struct square *square, uint32_t column,
                                   uint32_t row, size_t to, uint64_t ttl)
{
    struct way way = {.square = square};
    const struct device *device = to < square->n ? &square->devices[to] : NULL;
    const bool is_there = device && device->is_there;
    const ninho_route_geo_result result =
        ninho_route_geo_find(square->geo, column, row, name_of(to), ttl, follow, &way);

    CHECK_U64(ninho_route_geo_distance(square->geo, column, row, name_of(to)),
              is_there ? apart(column, device->column) + apart(row, device->row)
                       : UINT64_MAX);
    if (result.outcome == NINHO_ROUTE_EXPIRED) {
        CHECK(ttl && result.hops == ttl);
        return result;
    }
    CHECK_U64(result.outcome, is_there ? NINHO_ROUTE_DELIVERED : NINHO_ROUTE_NOT_FOUND);
    CHECK_U64(way.hops, result.hops);
    CHECK_U64(way.n_stops, result.moves + 1);
    CHECK(!ttl || result.hops <= ttl);
    if (is_there) {
        CHECK_U64(result.column, device->column);
        CHECK_U64(result.row, device->row);
        CHECK(result.hops >= apart(column, device->column) + apart(row, device->row));
    }
    return result;
}

static void make(struct square *square, uint32_t n_divisions, size_t n, ninho_kind kind,
                 double fpr, struct test_rng *rng)
{
    ninho_route_tree_options options = NINHO_ROUTE_TREE_INIT;

    options.spec.kind = kind;
    options.spec.fpr = fpr;
    *square = (struct square){.side = 1u << n_divisions, .n = n};
    CHECK_OK(ninho_route_geo_create(n_divisions, &options, NULL, &square->geo, NULL));
    CHECK_U64(ninho_route_geo_side(square->geo), square->side);
    for (size_t i = 0; i < n; i++) {
        square->devices[i] =
            (struct device){(uint32_t)rng_below(rng, square->side),
                            (uint32_t)rng_below(rng, square->side), true};
        CHECK_OK(ninho_route_geo_place(square->geo, square->devices[i].column,
                                       square->devices[i].row, name_of(i)));
    }
    CHECK_OK(ninho_route_geo_build(square->geo, NULL));
}

static void send_many(const struct square *square, size_t n, struct test_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        (void)send(square, (uint32_t)rng_below(rng, square->side),
                   (uint32_t)rng_below(rng, square->side),
                   (size_t)rng_below(rng, square->n + 3), 0);
}

static void change(struct square *square, size_t i, struct test_rng *rng)
{
    struct device *device = &square->devices[i];
    const uint32_t column = (uint32_t)rng_below(rng, square->side);
    const uint32_t row = (uint32_t)rng_below(rng, square->side);

    if (!device->is_there) {
        CHECK_OK(ninho_route_geo_add(square->geo, column, row, name_of(i)));
    } else if (rng_below(rng, 4) == 0) {
        CHECK_OK(
            ninho_route_geo_remove(square->geo, device->column, device->row, name_of(i)));
        device->is_there = false;
        return;
    } else {
        CHECK_OK(ninho_route_geo_move(square->geo, device->column, device->row, column,
                                      row, name_of(i)));
    }
    *device = (struct device){column, row, true};
}

static void devices_are_found_while_they_move(void **state)
{
    static const ninho_kind kinds[] = {NINHO_BLOOM, NINHO_BLOCKED, NINHO_COUNTING,
                                       NINHO_CUCKOO, NINHO_QUOTIENT};
    struct test_rng rng = {test_seed(21)};
    const size_t n_rounds = test_scaled(40, 10);
    static struct square square;

    (void)state;
    for (size_t round = 0; round < n_rounds; round++) {
        test_where("round %zu", round);
        make(&square, (uint32_t)(round % 7), 1 + rng_below(&rng, MAX_DEVICES),
             kinds[round % 5], round % 2 ? 0.01 : 0.3, &rng);
        for (int part = 0; part < 4; part++) {
            send_many(&square, 60, &rng);
            for (int i = 0; i < 80; i++)
                change(&square, (size_t)rng_below(&rng, square.n), &rng);
            if (part == 2)
                CHECK_OK(ninho_route_geo_refresh(square.geo, NULL));
        }
        ninho_route_geo_free(square.geo);
    }
}

static void a_message_ends_with_its_ttl(void **state)
{
    struct test_rng rng = {test_seed(22)};
    static struct square square;

    (void)state;
    make(&square, 5, 300, NINHO_BLOOM, 0.2, &rng);
    for (int i = 0; i < 300; i++) {
        const uint32_t column = (uint32_t)rng_below(&rng, 32);
        const uint32_t row = (uint32_t)rng_below(&rng, 32);
        const size_t to = (size_t)rng_below(&rng, 300);
        const uint64_t hops = send(&square, column, row, to, 0).hops;
        if (hops > 1)
            CHECK_U64(send(&square, column, row, to, hops - 1).outcome,
                      NINHO_ROUTE_EXPIRED);
        if (hops)
            CHECK_U64(send(&square, column, row, to, hops).outcome,
                      NINHO_ROUTE_DELIVERED);
    }
    ninho_route_geo_free(square.geo);
}

static void squares_that_claim_everything_are_refused(void **state)
{
    struct test_rng rng = {test_seed(23)};
    static struct square square;
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_filter *liar = NULL;

    (void)state;
    spec.kind = NINHO_BLOOM;
    spec.capacity = 20;
    spec.fpr = 0.01;
    spec.key_encoding = NINHO_KEY_HASHES;
    CHECK_OK(ninho_filter_create(&spec, NULL, &liar, NULL));
    for (uint64_t i = 0; i < 5000; i++)
        CHECK_OK(ninho_filter_add(liar, mix64(i)));
    make(&square, 4, 200, NINHO_BLOOM, 0.01, &rng);
    CHECK_STATUS(ninho_route_geo_claim(square.geo, 0, 0, 0, liar, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_geo_claim(square.geo, 5, 0, 0, liar, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_geo_claim(square.geo, 1, 2, 0, liar, NULL), NINHO_ERR_ARG);
    for (uint32_t divisions = 1; divisions <= 4; divisions++) {
        CHECK_STATUS(ninho_route_geo_claim(square.geo, divisions,
                                           (uint32_t)rng_below(&rng, 1u << divisions),
                                           (uint32_t)rng_below(&rng, 1u << divisions),
                                           liar, NULL),
                     NINHO_ERR_FULL);
        send_many(&square, 200, &rng);
        for (int i = 0; i < 100; i++)
            change(&square, (size_t)rng_below(&rng, square.n), &rng);
        send_many(&square, 200, &rng);
    }
    ninho_route_tree_info info = NINHO_ROUTE_TREE_INFO_INIT;
    CHECK_OK(ninho_route_geo_info_get(square.geo, &info));
    CHECK_U64(info.n_refused, 4);
    CHECK_U64(info.n_unknown, 4);
    ninho_filter_free(liar);
    ninho_route_geo_free(square.geo);
}

static void what_is_outside_is_refused(void **state)
{
    ninho_route_geo *geo = NULL;
    ninho_route_tree_options options = NINHO_ROUTE_TREE_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    CHECK_STATUS(ninho_route_geo_create(15, NULL, NULL, &geo, &error), NINHO_ERR_ARG);
    options.n_levels = 2;
    CHECK_STATUS(ninho_route_geo_create(3, &options, NULL, &geo, &error),
                 NINHO_ERR_UNSUPPORTED);
    CHECK(!geo);
    CHECK_OK(ninho_route_geo_create(3, NULL, NULL, &geo, &error));
    CHECK_STATUS(ninho_route_geo_place(geo, 8, 0, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_geo_add(geo, 0, 8, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_geo_remove(geo, 8, 8, 1), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_route_geo_remove(geo, 1, 1, 1), NINHO_ERR_NOT_FOUND);
    CHECK_STATUS(ninho_route_geo_move(geo, 0, 0, 8, 0, 1), NINHO_ERR_ARG);
    CHECK_U64(ninho_route_geo_find(geo, 8, 0, 1, 0, NULL, NULL).outcome,
              NINHO_ROUTE_NOT_FOUND);
    CHECK_U64(ninho_route_geo_distance(geo, 8, 0, 1), UINT64_MAX);
    ninho_route_geo_free(geo);
    ninho_route_geo_free(NULL);
}

/* A step to the next cell is known to few: to the squares around it, not to those far away. */
static void news_of_a_step_stay_near(void **state)
{
    ninho_route_geo *geo = NULL;
    ninho_route_tree_options options = NINHO_ROUTE_TREE_INIT;
    ninho_route_tree_info info = NINHO_ROUTE_TREE_INFO_INIT;

    (void)state;
    options.spec.kind = NINHO_CUCKOO;
    CHECK_OK(ninho_route_geo_create(6, &options, NULL, &geo, NULL));
    CHECK_OK(ninho_route_geo_add(geo, 2, 2, 5));
    CHECK_OK(ninho_route_geo_info_get(geo, &info));
    CHECK_U64(info.update_bytes, 6 * 4 * 8); /* six sizes of squares, four heads each */
    CHECK_OK(ninho_route_geo_move(geo, 2, 2, 3, 2, 5));
    CHECK_OK(ninho_route_geo_info_get(geo, &info));
    CHECK_U64(info.update_bytes, (6 + 2) * 4 * 8); /* siblings: the two cells alone */
    CHECK_OK(ninho_route_geo_move(geo, 3, 2, 32, 2, 5));
    CHECK_OK(ninho_route_geo_info_get(geo, &info));
    CHECK_U64(info.update_bytes, (6 + 2 + 12) * 4 * 8); /* over the line in the middle */
    ninho_route_geo_free(geo);
}

static void memory_runs_out_at_every_call(void **state)
{
    ninho_status status = NINHO_ERR_NOMEM;

    (void)state;
    for (size_t n = 1; status; n++) {
        struct test_heap heap;
        ninho_route_geo *geo = NULL;
        heap_init(&heap);
        heap_fail_at(&heap, n);
        test_where("call %zu", n);
        status = ninho_route_geo_create(2, NULL, &heap.alloc, &geo, NULL);
        for (uint32_t i = 0; !status && i < 16; i++)
            status = ninho_route_geo_add(geo, i % 4, i / 4, name_of(i));
        CHECK(!status || status == NINHO_ERR_NOMEM);
        ninho_route_geo_free(geo);
        CHECK_U64(heap.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_found_while_they_move),
        cmocka_unit_test(a_message_ends_with_its_ttl),
        cmocka_unit_test(squares_that_claim_everything_are_refused),
        cmocka_unit_test(what_is_outside_is_refused),
        cmocka_unit_test(news_of_a_step_stay_near),
        cmocka_unit_test(memory_runs_out_at_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
