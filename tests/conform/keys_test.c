/* SPDX-License-Identifier: MIT */
/* Keys as bytes: one by one, in arrays of pointers, and in columns. */
#include "conform/families.h"

#include <string.h>

/* Keys of every length up to 300, the empty one and those with NUL inside among them. */
static void keys_of_any_length_are_keys(void **state)
{
    static uint8_t bytes[300 * 300];
    const void *keys[300];
    size_t sizes[300];
    uint64_t maybe[5];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(mix64(i) & (i % 3 ? 0xff : 0));
    for (size_t i = 0; i < 300; i++) {
        keys[i] = i ? bytes + 300 * i : NULL;
        sizes[i] = i;
    }
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        if (family->spec.key_encoding > NINHO_KEY_BYTES)
            continue;
        ninho_filter *single = family_filter(family, 300, .001, 1);
        ninho_filter *batch = family_filter(family, 300, .001, 1);
        size_t n_added = 0;
        test_where("%s", family->name);
        CHECK_U64(ninho_filter_has_keys(batch, keys, sizes, 300, maybe), 0);
        for (size_t i = 0; i < 300; i++)
            CHECK_OK(ninho_filter_add_key(single, keys[i], sizes[i]));
        CHECK_OK(ninho_filter_add_keys(batch, keys, sizes, 300, &n_added));
        CHECK_U64(n_added, 300);
        check_same_bytes(single, batch);
        memset(maybe, 0xff, sizeof maybe);
        CHECK_U64(ninho_filter_has_keys(batch, keys, sizes, 300, maybe), 300);
        CHECK_U64(maybe[4], (UINT64_C(1) << 44) - 1);
        for (size_t i = 0; i < 300; i++)
            CHECK(ninho_filter_has_key(batch, keys[i], sizes[i]));
        for (size_t i = 1; i < 300; i++) /* the same bytes, one fewer */
            sizes[i] = i - 1;
        const size_t n_maybe = ninho_filter_has_keys(batch, keys, sizes, 300, maybe);
        for (size_t i = 0; i < 300; i++) {
            const bool has = maybe[i / 64] >> (i % 64) & 1;
            CHECK(ninho_filter_has_key(batch, keys[i], sizes[i]) == has);
        }
        CHECK(n_maybe < 20); /* key 0 and the cut key 1 are the empty key, and in */
        for (size_t i = 1; i < 300; i++)
            sizes[i] = i;
        ninho_filter_free(single);
        ninho_filter_free(batch);
    }
}

/* Without a bitmap they are only counted, in groups of any size. */
static void a_batch_without_a_bitmap_is_counted(void **state)
{
    static uint64_t hashes[3000];
    static const void *keys[3000];
    static size_t sizes[3000];
    static uint8_t bytes[3000][16];
    static uint64_t maybe[3000 / 64 + 1];

    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        const ninho_spec spec = family_spec(family, 1500, .05, 1);
        ninho_filter *filter = family_filter(family, 1500, .05, 1);
        add_range(filter, &spec, 0, 1500);
        spec_hashes(&spec, 0, 3000, hashes);
        for (size_t i = 0; i < 3000; i++) {
            sizes[i] = family_key(family, i, bytes[i]);
            keys[i] = bytes[i];
        }
        for (size_t n = 1; n <= 3000; n = n * 3 + 2) {
            test_where("%s: %zu keys", family->name, n);
            const size_t n_maybe = ninho_filter_has_many(filter, hashes, n, maybe);
            CHECK(n_maybe >= (n < 1500 ? n : 1500));
            CHECK_U64(ninho_filter_has_many(filter, hashes, n, NULL), n_maybe);
            CHECK_U64(ninho_filter_has_keys(filter, keys, sizes, n, NULL),
                      sizes[0] ? n_maybe : n);
        }
        ninho_filter_free(filter);
    }
}

/* Key number i of a column. */
static const uint8_t *key_in(const ninho_column *column, size_t i, size_t *size)
{
    const uint8_t *data = column->data;

    if (!column->offsets32 && !column->offsets64) {
        *size = column->key_size;
        return data + i * column->key_size;
    }
    const int64_t from = column->offsets32 ? column->offsets32[i] : column->offsets64[i];
    const int64_t to =
        column->offsets32 ? column->offsets32[i + 1] : column->offsets64[i + 1];
    *size = (size_t)(to - from);
    return data + from;
}

/* More than two groups of those that are hashed together. */
enum { N_IN_COLUMN = 2500 };

/* Adds every step-th key by itself, and asks for all of them in both ways. */
static void check_column(const struct family *family, const ninho_column *column)
{
    ninho_filter *single = family_filter(family, N_IN_COLUMN, .01, 1);
    ninho_filter *batch = family_filter(family, N_IN_COLUMN, .01, 1);
    uint64_t maybe[N_IN_COLUMN / 64 + 1];
    size_t n_added = 0, n_maybe = 0, n = 0, size;

    for (size_t i = 1; i < column->n; i += 2) {
        const uint8_t *key = key_in(column, i, &size);
        CHECK_OK(ninho_filter_add_key(single, key, size));
    }
    CHECK_OK(ninho_filter_has_column(single, column, maybe, &n_maybe));
    for (size_t i = 0; i < column->n; i++) {
        const uint8_t *key = key_in(column, i, &size);
        const bool has = maybe[i / 64] >> (i % 64) & 1;
        CHECK(has == ninho_filter_has_key(single, key, size) && (has || i % 2 == 0));
        n += has;
    }
    CHECK_U64(n, n_maybe);
    CHECK_OK(ninho_filter_has_column(single, column, NULL, &n));
    CHECK_U64(n, n_maybe);
    CHECK_OK(ninho_filter_clear(single));
    for (size_t i = 0; i < column->n; i++) {
        const uint8_t *key = key_in(column, i, &size);
        CHECK_OK(ninho_filter_add_key(single, key, size));
    }
    CHECK_OK(ninho_filter_add_column(batch, column, &n_added));
    CHECK_U64(n_added, column->n);
    check_same_bytes(single, batch);
    ninho_filter_free(single);
    ninho_filter_free(batch);
}

/* The same keys one by one and in columns of all three layouts give the same bytes and
 * answers. */
static void a_column_of_keys_is_its_keys(void **state)
{
    static uint8_t data[7 + N_IN_COLUMN * 24];
    static int32_t offsets32[N_IN_COLUMN + 1];
    static int64_t offsets64[N_IN_COLUMN + 1];

    (void)state;
    FOR_EACH_FAMILY_TO_CAPACITY(family)
    {
        uint8_t key[16];
        const size_t key_size = family_key(family, 1, key);
        const bool is_fixed = family->spec.key_encoding > NINHO_KEY_BYTES;
        size_t end = 7; /* a part of a longer column */
        if (!key_size)
            continue;
        for (size_t i = 0; i < N_IN_COLUMN; i++) {
            const size_t n = is_fixed ? key_size : i ? 4 + i % 20 : 0;
            offsets32[i] = (int32_t)end;
            offsets64[i] = (int64_t)end;
            for (size_t at = 0; at < n; at++)
                data[end++] = (uint8_t)mix64(i * 32 + at);
        }
        offsets32[N_IN_COLUMN] = (int32_t)end;
        offsets64[N_IN_COLUMN] = (int64_t)end;
        ninho_column column = NINHO_COLUMN_INIT;
        column.n = N_IN_COLUMN;
        column.data = data;
        column.data_size = end;
        column.offsets32 = offsets32;
        test_where("%s: 32-bit offsets", family->name);
        check_column(family, &column);
        column.offsets32 = NULL;
        column.offsets64 = offsets64;
        test_where("%s: 64-bit offsets", family->name);
        check_column(family, &column);
        column.offsets64 = NULL;
        column.key_size = key_size;
        column.n = end / key_size < N_IN_COLUMN ? end / key_size : N_IN_COLUMN;
        test_where("%s: keys of one size", family->name);
        check_column(family, &column);
    }
}

/* Nothing of it is added, and nothing is told to be absent. */
static void a_column_that_leaves_its_data_is_refused(void **state)
{
    static const int32_t good[] = {0, 2, 2, 8}, descending[] = {0, 4, 3, 8},
                         negative[] = {-1, 2, 2, 8}, beyond[] = {0, 2, 2, 9};
    static const int64_t wide[] = {0, 2, 2, INT64_MAX}, wide_good[] = {0, 2, 2, 8};
    ninho_column good_column = NINHO_COLUMN_INIT;
    ninho_filter *filter = family_filter(&families[0], 100, .01, 0);

    (void)state;
    good_column.n = 3;
    good_column.data = "abcdefgh";
    good_column.data_size = 8;
    good_column.offsets32 = good;
    for (int i = 0; i < 10; i++) {
        ninho_column column = good_column;
        uint64_t maybe = 0;
        size_t n_added = 9, n_maybe = 9;
        test_where("fault %d", i);
        if (i == 0)
            column.offsets32 = descending;
        if (i == 1)
            column.offsets32 = negative;
        if (i == 2)
            column.offsets32 = beyond;
        if (i >= 3 && i <= 4)
            column.offsets64 = i == 3 ? wide : wide_good; /* 4: both are given */
        if (i == 3)
            column.offsets32 = NULL;
        if (i == 5)
            column.data = NULL;
        if (i >= 6)
            column.offsets32 = NULL; /* 6: nor a size of keys */
        if (i == 7)
            column.key_size = 3;
        if (i == 8)
            column.key_size = SIZE_MAX / 2;
        if (i == 9)
            column.data = NULL, column.key_size = 2;
        CHECK_STATUS(ninho_filter_add_column(filter, &column, &n_added), NINHO_ERR_ARG);
        CHECK_U64(n_added, 0);
        CHECK_U64(ninho_filter_count(filter), 0);
        CHECK_STATUS(ninho_filter_has_column(filter, &column, &maybe, &n_maybe),
                     NINHO_ERR_ARG);
        CHECK(maybe == 7 && n_maybe == 3);
    }
    ninho_column column = good_column;
    column.n = SIZE_MAX; /* more offsets than fit into memory: none of them is read */
    CHECK_STATUS(ninho_filter_add_column(filter, &column, NULL), NINHO_ERR_ARG);
    column = good_column;
    column.size_of_struct = 0;
    CHECK_STATUS(ninho_filter_add_column(filter, &column, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_add_column(filter, NULL, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_add_column(NULL, &good_column, NULL), NINHO_ERR_ARG);
    CHECK_STATUS(ninho_filter_has_column(NULL, &good_column, NULL, NULL), NINHO_ERR_ARG);
    CHECK_OK(ninho_filter_add_column(filter, &good_column, NULL));
    CHECK_U64(ninho_filter_count(filter), 3);
    ninho_filter_free(filter);
}

/* Who cannot ask must not be told "certainly not". */
static void keys_of_the_wrong_length_are_refused(void **state)
{
    static const size_t wrong[] = {0, 1, 7, 9, 15, 17, 1000};
    static const uint8_t key[1000];
    const void *keys[3] = {key, key, key};

    (void)state;
    FOR_EACH_FAMILY(family)
    {
        const ninho_key_encoding encoding = family->spec.key_encoding;
        if (encoding != NINHO_KEY_INT64 && encoding != NINHO_KEY_UUID)
            continue;
        const size_t right = encoding == NINHO_KEY_INT64 ? 8 : 16;
        ninho_filter *filter = family_filter(family, 100, .01, 0);
        test_where("%s", family->name);
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            CHECK_STATUS(ninho_filter_add_key(filter, key, wrong[i]), NINHO_ERR_ARG);
            CHECK(ninho_filter_has_key(filter, key, wrong[i]));
            if (family_can(family) & NINHO_CAN_REMOVE)
                CHECK_STATUS(ninho_filter_remove_key(filter, key, wrong[i]),
                             NINHO_ERR_ARG);
        }
        CHECK(!ninho_filter_has_key(filter, key, right));
        CHECK_U64(ninho_filter_count(filter), 0);
        /* in a batch: what stands before the wrong one is in, the rest is not */
        const size_t sizes[3] = {right, right + 1, right};
        size_t n_added = 99;
        uint64_t maybe[1];
        CHECK_STATUS(ninho_filter_add_keys(filter, keys, sizes, 3, &n_added),
                     NINHO_ERR_ARG);
        CHECK_U64(n_added, 1);
        CHECK_U64(ninho_filter_count(filter), 1);
        CHECK_OK(ninho_filter_clear(filter));
        CHECK_U64(ninho_filter_has_keys(filter, keys, sizes, 3, maybe), 1);
        CHECK_U64(maybe[0], 2);
        /* a column is refused as a whole */
        const int32_t offsets[] = {0, (int32_t)right, (int32_t)(2 * right + 1)};
        ninho_column column = NINHO_COLUMN_INIT;
        column.n = 2;
        column.data = key;
        column.data_size = sizeof key;
        column.offsets32 = offsets;
        CHECK_STATUS(ninho_filter_add_column(filter, &column, &n_added), NINHO_ERR_ARG);
        CHECK_U64(n_added, 0);
        CHECK_U64(ninho_filter_count(filter), 0);
        CHECK_STATUS(ninho_filter_has_column(filter, &column, maybe, NULL),
                     NINHO_ERR_ARG);
        CHECK_U64(maybe[0], 3);
        ninho_filter_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_any_length_are_keys),
        cmocka_unit_test(a_batch_without_a_bitmap_is_counted),
        cmocka_unit_test(a_column_of_keys_is_its_keys),
        cmocka_unit_test(a_column_that_leaves_its_data_is_refused),
        cmocka_unit_test(keys_of_the_wrong_length_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
