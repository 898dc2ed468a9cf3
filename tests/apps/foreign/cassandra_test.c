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

/* The ints 0 to 999 for a million keys at 0.0001, as Cassandra wrote them for its own tests (4.0 and 3.0,
 * utils.BloomFilter1000.bin): the hashes of those files. Among their last bytes are many from 0x80 on, which only
 * Cassandra takes as signed. */
static void filters_of_ints_are_those_of_cassandra(void **state)
{
    static const uint64_t wanted[] = {UINT64_C(0x526f8861f121f66a),
                                      UINT64_C(0xfbf8fdb576850d02)};
    const ninho_cassandra_plan plan = {
        .n_hashes = 10, .n_bits = 64 * 312501, .size = 2500016};
    const ninho_hasher hasher = {.id = NINHO_HASH_XXH64};
    uint8_t *bytes = malloc((size_t)plan.size);

    (void)state;
    for (int i = 0; i < 2; i++) {
        ninho_cassandra_filter filter;
        CHECK_OK(ninho_cassandra_create(&filter, &plan, bytes, (size_t)plan.size,
                                        i ? NINHO_CASSANDRA_MA : NINHO_CASSANDRA_NA));
        for (int number = 0; number < 1000; number++) {
            uint64_t hash[2], room[2];
            char text[8];
            const void *key;
            size_t size;
            (void)snprintf(text, sizeof text, "%d", number);
            CHECK_OK(ninho_cassandra_key(NINHO_CASSANDRA_INT, text, strlen(text), room,
                                         &key, &size, NULL));
            CHECK_U64(size, 4);
            ninho_cassandra_hash(key, size, hash);
            ninho_cassandra_add(&filter, bytes, hash);
        }
        CHECK_U64(ninho_hash_bytes(&hasher, bytes, (size_t)plan.size), wanted[i]);
    }
    free(bytes);
}

/* Keys of every length up to two blocks, of bytes from 0x80 on: hashes of a second implementation of the hash, in
 * another language, written from Cassandra's description. */
static void keys_of_signed_bytes_hash_as_in_cassandra(void **state)
{
    static const struct {
        size_t size;
        uint64_t hash[2];
    } cases[] = {
        {1, {UINT64_C(0xb6aa75aff6f3b434), UINT64_C(0x6ec0210d9ab133c5)}},
        {2, {UINT64_C(0x378ed8094b0d8cf9), UINT64_C(0x149478c698522dce)}},
        {7, {UINT64_C(0x60863574b49739a8), UINT64_C(0x89dc8438160c498c)}},
        {8, {UINT64_C(0x83040d4776b8ca91), UINT64_C(0xe4b327a3493caf60)}},
        {9, {UINT64_C(0xf661edb9a223d2a4), UINT64_C(0x12d34fc50fd4791c)}},
        {15, {UINT64_C(0x2b1a616160ad0eff), UINT64_C(0xca393c5dfbfc7390)}},
        {16, {UINT64_C(0x2f057f509b2d8a55), UINT64_C(0xce746f19982b478b)}},
        {17, {UINT64_C(0xdf3bc33e7e829c5c), UINT64_C(0xa59d6e5d394c738e)}},
        {31, {UINT64_C(0x2c13bac4622f82e2), UINT64_C(0x0150c5ca4858f248)}},
        {33, {UINT64_C(0xf8428f352567a92c), UINT64_C(0x21216cd51d4fc475)}},
    };
    uint8_t key[64];

    (void)state;
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(0x80 + 37 * i % 128);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t hash[2];
        test_where("%zu bytes", cases[i].size);
        ninho_cassandra_hash(key, cases[i].size, hash);
        CHECK_U64(hash[0], cases[i].hash[0]);
        CHECK_U64(hash[1], cases[i].hash[1]);
    }
}

static void keys_become_the_bytes_of_their_type(void **state)
{
    static const struct {
        ninho_cassandra_type type;
        const char *text;
        const char *bytes; /* NULL: refused */
        size_t size;
    } cases[] = {
        {NINHO_CASSANDRA_TEXT, "", "", 0},
        {NINHO_CASSANDRA_TEXT, "caf\xc3\xa9", "caf\xc3\xa9", 5},
        {NINHO_CASSANDRA_INT, "-2", "\xff\xff\xff\xfe", 4},
        {NINHO_CASSANDRA_INT, "2147483647", "\x7f\xff\xff\xff", 4},
        {NINHO_CASSANDRA_INT, "2147483648", NULL, 0},
        {NINHO_CASSANDRA_INT, "", NULL, 0},
        {NINHO_CASSANDRA_INT, "1.0", NULL, 0},
        {NINHO_CASSANDRA_BIGINT, "-9223372036854775808", "\x80\0\0\0\0\0\0\0", 8},
        {NINHO_CASSANDRA_BIGINT, "9223372036854775808", NULL, 0},
        {NINHO_CASSANDRA_UUID, "00112233-4455-6677-8899-AABBccddeeff",
         "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16},
        {NINHO_CASSANDRA_UUID, "0011", NULL, 0},
        {NINHO_CASSANDRA_UUID, "00112233-4455-6677-8899-aabbccddeeff-", NULL, 0},
        {NINHO_CASSANDRA_BLOB, "0x00fF", "\x00\xff", 2},
        {NINHO_CASSANDRA_BLOB, "", "", 0},
        {NINHO_CASSANDRA_BLOB, "0x", "", 0},
        {NINHO_CASSANDRA_BLOB, "0xf", NULL, 0},
        {NINHO_CASSANDRA_BLOB, "gg", NULL, 0},
        {(ninho_cassandra_type)9, "1", NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[64];
        const void *key = NULL;
        size_t size = 0;
        ninho_error error = NINHO_ERROR_INIT;
        test_where("case %zu, \"%s\"", i, cases[i].text);
        const ninho_status status =
            ninho_cassandra_key(cases[i].type, cases[i].text, strlen(cases[i].text), room,
                                &key, &size, &error);
        CHECK(status == (cases[i].bytes ? NINHO_OK : NINHO_ERR_ARG));
        if (status) {
            CHECK(error.text[0] && !key);
            continue;
        }
        CHECK_U64(size, cases[i].size);
        CHECK(memcmp(key, cases[i].bytes, size) == 0);
    }
    CHECK(!ninho_cassandra_type_name((ninho_cassandra_type)9));
    assert_string_equal(ninho_cassandra_type_name(NINHO_CASSANDRA_BLOB), "blob");
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
    ninho_error error = NINHO_ERROR_INIT;
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
        cmocka_unit_test(filters_of_ints_are_those_of_cassandra),
        cmocka_unit_test(keys_of_signed_bytes_hash_as_in_cassandra),
        cmocka_unit_test(keys_become_the_bytes_of_their_type),
        cmocka_unit_test(names_tell_the_layout),
        cmocka_unit_test(the_promise_is_kept),
        cmocka_unit_test(bad_bytes_and_plans_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
