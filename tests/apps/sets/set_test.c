/* SPDX-License-Identifier: MIT */
/* Sets: items of any bytes, once each, in the order of adding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/sets/talk.h"

static void copies_are_dropped_and_the_order_stays(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } items[] = {{"b", 1},    {"a", 1},    {"", 0},  {"a", 2},
                 {"a\0b", 3}, {"a\0c", 3}, {"\n", 1}};
    ninho_set *set = new_set();
    bool is_new = false;
    size_t size = 9;
    size_t place = 9;

    CHECK(!ninho_set_find(set, "a", 1, NULL));
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < 7; i++) {
            CHECK_OK(ninho_set_add(set, items[i].bytes, items[i].size, &is_new));
            CHECK(is_new == (round == 0));
        }
    CHECK_U64(ninho_set_count(set), 7);
    CHECK_U64(ninho_set_bytes(set), 11);
    for (size_t i = 0; i < 7; i++) {
        const void *item = ninho_set_item(set, i, &size);
        CHECK(size == items[i].size && memcmp(item, items[i].bytes, size) == 0);
        CHECK(ninho_set_find(set, items[i].bytes, items[i].size, &place) && place == i);
    }
    CHECK(!ninho_set_find(set, "c", 1, NULL));
    CHECK_OK(ninho_set_add(set, NULL, 0, &is_new));
    CHECK(!is_new);
    ninho_set_free(set);
    ninho_set_free(NULL);
}

static void long_items_and_many_of_them(void **state)
{
    (void)state;
    const size_t most = NINHO_SETS_MAX_ITEM;
    uint8_t *bytes = calloc(most + 1, 1);
    ninho_set *set = new_set();
    size_t size = 0;

    CHECK(bytes);
    for (size_t i = 0; i <= 24; i++) {
        const size_t length = i < 4 ? most - i : (size_t)1 << (i - 4);
        bytes[0] = (uint8_t)i;
        CHECK_OK(ninho_set_add(set, bytes, length, NULL));
        CHECK_OK(ninho_set_add(set, bytes, length, NULL));
    }
    CHECK_STATUS(ninho_set_add(set, bytes, most + 1, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_set_add(set, NULL, 1, NULL), NINHO_ERR_ARG);
    CHECK_U64(ninho_set_count(set), 25);
    for (size_t i = 0; i <= 24; i++) {
        const uint8_t *item = ninho_set_item(set, i, &size);
        bytes[0] = (uint8_t)i;
        CHECK(size == (i < 4 ? most - i : (size_t)1 << (i - 4)));
        CHECK(memcmp(item, bytes, size) == 0);
    }
    add_items(set, 5, 0, 100000, 16);
    CHECK_U64(ninho_set_count(set), 100025);
    free(bytes);
    ninho_set_free(set);
}

static void borrowed_items_stay_where_they_are(void **state)
{
    (void)state;
    static const char text[] = "one\ntwo\none\n";
    ninho_set *set = NULL;

    CHECK_OK(ninho_set_create(NINHO_SET_BORROWS, (const uint8_t *)"0123456789abcdef",
                              NULL, &set));
    for (size_t i = 0; i < 12; i += 4)
        CHECK_OK(ninho_set_add(set, text + i, 3, NULL));
    CHECK_OK(ninho_set_add(set, NULL, 0, NULL));
    CHECK_U64(ninho_set_count(set), 3);
    CHECK(ninho_set_item(set, 0, NULL) == text);
    CHECK(ninho_set_item(set, 1, NULL) == text + 4);
    CHECK(ninho_set_item(set, 2, NULL) != NULL);
    ninho_set_free(set);
    CHECK_STATUS(ninho_set_create((ninho_set_keeping)2, NULL, NULL, &set), NINHO_ERR_ARG);
}

/* When there is no memory, nothing has changed and the set goes on. */
static void without_memory_nothing_changes(void **state)
{
    (void)state;
    struct test_heap heap;
    char item[32];

    for (size_t fail_at = 1;; fail_at++) {
        ninho_set *set = NULL;
        heap_init(&heap);
        heap_fail_at(&heap, fail_at);
        ninho_status status = ninho_set_create(NINHO_SET_COPIES, NULL, &heap.alloc, &set);
        if (status) {
            CHECK_STATUS(status, NINHO_ERR_NOMEM);
            CHECK(!set);
            continue;
        }
        for (size_t i = 0; i < 3000; i++) {
            const size_t size = (size_t)snprintf(item, sizeof item, "item number %zu", i);
            bool is_new = false;
            const size_t n = ninho_set_count(set);
            status = ninho_set_add(set, item, size, &is_new);
            if (status) {
                CHECK_STATUS(status, NINHO_ERR_NOMEM);
                CHECK_U64(ninho_set_count(set), n);
                CHECK(!ninho_set_find(set, item, size, NULL));
                CHECK_OK(ninho_set_add(set, item, size, &is_new));
            }
            CHECK(is_new && ninho_set_find(set, item, size, NULL));
        }
        CHECK_U64(ninho_set_count(set), 3000);
        const bool is_over = heap.n_refused == 0;
        ninho_set_free(set);
        CHECK_U64(heap.live_blocks, 0);
        if (is_over)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_dropped_and_the_order_stays),
        cmocka_unit_test(long_items_and_many_of_them),
        cmocka_unit_test(borrowed_items_stay_where_they_are),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
