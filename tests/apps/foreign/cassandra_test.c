/* SPDX-License-Identifier: MIT */
/* Cassandra's Filter.db: two files that Cassandra wrote, and ours. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/foreign/cassandra.h"
#include "support/test.h"

/* Written by Cassandra with the text keys "0" to "4": versions na and later, and before. */
static const uint8_t real_na[24] = {0, 0, 0, 5, 0, 0,    0, 2,    0x84, 0x42, 0x21, 0x06,
                                    0, 1, 4, 0, 0, 0xa6, 2, 0x20, 4,    0,    0xc0, 8};
static const uint8_t real_ma[24] = {0, 0,    0,    5,    0, 0,    0, 2, 0,    4, 1,    0,
                                    6, 0x21, 0x42, 0x84, 8, 0xc0, 0, 4, 0x20, 2, 0xa6, 0};

static bool has(const ninho_cassandra_filter *filter, const char *key)
{
    uint64_t hash[2];

    ninho_cassandra_hash(key, strlen(key), hash);
    return ninho_cassandra_has(filter, hash);
}

static void real_files_are_read_and_written(void **state)
{
    const uint8_t *const files[] = {real_na, real_ma};
    const ninho_cassandra_plan plan = {.n_hashes = 5, .n_bits = 128, .size = 24};

    (void)state;
    for (int i = 0; i < 2; i++) {
        const ninho_cassandra_layout layout = i ? NINHO_CASSANDRA_MA : NINHO_CASSANDRA_NA;
        ninho_cassandra_filter filter, ours;
        uint8_t bytes[24];
        CHECK_OK(ninho_cassandra_view(&filter, files[i], 24, layout, NULL));
        CHECK_OK(ninho_cassandra_create(&ours, &plan, bytes, sizeof bytes, layout));
        for (int number = 0; number < 12; number++) {
            uint64_t hash[2];
            char key[4];
            (void)snprintf(key, sizeof key, "%d", number);
            test_where("file %d, key %s", i, key);
            CHECK(has(&filter, key) == (number < 5));
            ninho_cassandra_hash(key, strlen(key), hash);
            if (number < 5)
                ninho_cassandra_add(&ours, bytes, hash);
        }
        assert_memory_equal(bytes, files[i], 24);
    }
}

static void names_tell_the_layout(void **state)
{
    (void)state;
    CHECK(ninho_cassandra_layout_of("nb-1-big-Filter.db") == NINHO_CASSANDRA_NA);
    CHECK(ninho_cassandra_layout_of("/data/ks/t-1b/oa-12-big-Filter.db") ==
          NINHO_CASSANDRA_NA);
    CHECK(ninho_cassandra_layout_of("da-3-bti-Filter.db") == NINHO_CASSANDRA_NA);
    CHECK(ninho_cassandra_layout_of("me-1-big-Filter.db") == NINHO_CASSANDRA_MA);
    CHECK(ninho_cassandra_layout_of("la-1-big-Filter.db") == 0);
    CHECK(ninho_cassandra_layout_of("nb-1-big-Filter.db.old") == 0);
    CHECK(ninho_cassandra_layout_of("nb-1-big-Data.db") == 0);
    CHECK(ninho_cassandra_layout_of("n") == 0);
    CHECK(ninho_cassandra_layout_of("") == 0);
}

static void the_promise_is_kept(void **state)
{
    const size_t n = test_scaled(20000, 2000);
    static const double rates[] = {0.2, 0.01, 0.001};

    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const size_t n_absent = n * 10;
        ninho_cassandra_filter filter;
        ninho_cassandra_plan plan;
        size_t n_false = 0;
        CHECK_OK(ninho_cassandra_plan_for(n, rates[i], &plan, NULL));
        CHECK(plan.fpr <= rates[i]);
        uint8_t *bytes = malloc((size_t)plan.size);
        CHECK_OK(ninho_cassandra_create(&filter, &plan, bytes, (size_t)plan.size,
                                        NINHO_CASSANDRA_NA));
        for (size_t key = 0; key < n + n_absent; key++) {
            uint64_t hash[2];
            ninho_cassandra_hash(&key, sizeof key, hash);
            if (key < n)
                ninho_cassandra_add(&filter, bytes, hash);
            else
                n_false += ninho_cassandra_has(&filter, hash);
        }
        for (size_t key = 0; key < n; key++) {
            uint64_t hash[2];
            ninho_cassandra_hash(&key, sizeof key, hash);
            CHECK(ninho_cassandra_has(&filter, hash));
        }
        const double expected = rates[i] * (double)n_absent;
        CHECK((double)n_false <= 1.1 * expected + 5 * sqrt(expected));
        CHECK(ninho_cassandra_load(&filter) < 0.55);
        free(bytes);
    }
}

static void bad_bytes_and_plans_are_refused(void **state)
{
    ninho_cassandra_filter filter;
    ninho_cassandra_plan plan;
    ninho_error error;
    uint8_t bytes[32];

    (void)state;
    for (size_t n = 0; n < 24; n++)
        CHECK_STATUS(
            ninho_cassandra_view(&filter, real_na, n, NINHO_CASSANDRA_NA, &error),
            NINHO_ERR_FORMAT);
    memcpy(bytes, real_na, 24);
    CHECK_STATUS(ninho_cassandra_view(&filter, bytes, 25, NINHO_CASSANDRA_NA, &error),
                 NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_cassandra_view(&filter, bytes, 32, NINHO_CASSANDRA_NA, &error),
                 NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_cassandra_view(&filter, bytes, 24, 0, &error), NINHO_ERR_ARG);
    static const uint8_t extremes[][4] = {{0, 0, 0, 0},
                                          {0xff, 0xff, 0xff, 0xff},
                                          {0x80, 0, 0, 0},
                                          {0x7f, 0xff, 0xff, 0xff}};
    for (size_t i = 0; i < 4; i++)
        for (size_t at = 0; at < 8; at += 4) {
            memcpy(bytes, real_na, 24);
            memcpy(bytes + at, extremes[i], 4);
            CHECK_STATUS(
                ninho_cassandra_view(&filter, bytes, 24, NINHO_CASSANDRA_NA, &error),
                NINHO_ERR_FORMAT);
        }
    CHECK_STATUS(ninho_cassandra_plan_for(0, 0.01, &plan, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_cassandra_plan_for(1, 0, &plan, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_cassandra_plan_for(1, 1, &plan, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_cassandra_plan_for(1, (double)NAN, &plan, &error), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_cassandra_plan_for(UINT64_MAX, 0.01, &plan, &error),
                 NINHO_ERR_ARG);
    CHECK_OK(ninho_cassandra_plan_for(1, 0.999, &plan, &error));
    CHECK_OK(ninho_cassandra_plan_for(1, 1e-6, &plan, &error));
    CHECK_STATUS(ninho_cassandra_create(&filter, &plan, bytes, (size_t)plan.size - 1,
                                        NINHO_CASSANDRA_NA),
                 NINHO_ERR_SPACE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_files_are_read_and_written),
        cmocka_unit_test(names_tell_the_layout),
        cmocka_unit_test(the_promise_is_kept),
        cmocka_unit_test(bad_bytes_and_plans_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
