/* SPDX-License-Identifier: MIT */
/* Real LevelDB databases with our filters: what was put is found after compaction and reopening, under
 * the same policy, another one or none; and what was never put is mostly not looked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrations/leveldb/ninho_leveldb.h"
#include "support/test.h"

static const ninho_kind kinds[] = {NINHO_BLOOM, NINHO_BLOCKED, NINHO_CUCKOO, NINHO_FUSE};
enum { N_KINDS = 4, KEY_ROOM = 32, VALUE_SIZE = 100 };

/* A policy of ours that counts what it is asked and what it answers. */
struct counter {
    ninho_leveldb_filters *filters;
    size_t n_made, n_asked, n_maybe;
};

static char *count_make(void *state, const char *const *keys, const size_t *key_sizes,
                        int n, size_t *size)
{
    struct counter *counter = state;
    counter->n_made++;
    return ninho_leveldb_make(counter->filters, keys, key_sizes, n, size);
}

static uint8_t count_match(void *state, const char *key, size_t key_size,
                           const char *block, size_t size)
{
    struct counter *counter = state;
    const uint8_t maybe =
        ninho_leveldb_may_match(counter->filters, key, key_size, block, size);
    counter->n_asked++;
    counter->n_maybe += maybe;
    return maybe;
}

static const char *count_name(void *state)
{
    return ninho_leveldb_name(((const struct counter *)state)->filters);
}

static void count_free(void *state)
{
    ninho_leveldb_free(((struct counter *)state)->filters);
}

static leveldb_filterpolicy_t *counting_policy(ninho_kind kind, struct counter *counter)
{
    ninho_leveldb_options options = NINHO_LEVELDB_INIT;

    *counter = (struct counter){0};
    options.kind = kind;
    CHECK_OK(ninho_leveldb_filters_create(&options, &counter->filters, NULL));
    return leveldb_filterpolicy_create(counter, count_free, count_make, count_match,
                                       count_name);
}

/* ---- A database -------------------------------------------------------------------- */

struct database {
    leveldb_t *db;
    leveldb_options_t *options;
    leveldb_filterpolicy_t *policy;
    leveldb_readoptions_t *read;
    leveldb_writeoptions_t *write;
};

static void no_error(const char *error)
{
    if (error)
        test_fail(__FILE__, __LINE__, "LevelDB: %s", error);
}

/* Takes the policy, which may be NULL. */
static struct database database_open(const char *path, leveldb_filterpolicy_t *policy)
{
    struct database d = {.options = leveldb_options_create(),
                         .policy = policy,
                         .read = leveldb_readoptions_create(),
                         .write = leveldb_writeoptions_create()};
    char *error = NULL;

    leveldb_options_set_create_if_missing(d.options, 1);
    leveldb_options_set_paranoid_checks(d.options, 1);
    leveldb_options_set_write_buffer_size(d.options, 256 * 1024);
    leveldb_options_set_compression(d.options, leveldb_no_compression);
    if (policy)
        leveldb_options_set_filter_policy(d.options, policy);
    d.db = leveldb_open(d.options, path, &error);
    no_error(error);
    return d;
}

static void database_close(struct database *d)
{
    leveldb_close(d->db);
    leveldb_options_destroy(d->options);
    leveldb_readoptions_destroy(d->read);
    leveldb_writeoptions_destroy(d->write);
    if (d->policy)
        leveldb_filterpolicy_destroy(d->policy);
}

static void put(struct database *d, const char *key, size_t key_size, const char *value)
{
    char *error = NULL;
    leveldb_put(d->db, d->write, key, key_size, value, VALUE_SIZE, &error);
    no_error(error);
}

static bool get(struct database *d, const char *key, size_t key_size, char first)
{
    char *error = NULL;
    size_t size = 0;
    char *value = leveldb_get(d->db, d->read, key, key_size, &size, &error);
    const bool is_there = value != NULL;

    no_error(error);
    CHECK(!is_there || (size == VALUE_SIZE && *value == first));
    leveldb_free(value);
    return is_there;
}

/* Key i: binary, of 0 to 24 bytes, all different. */
static size_t key_of(size_t i, char key[KEY_ROOM])
{
    const uint64_t number = i, mixed[2] = {mix64(i), mix64(i + 1)};

    if (!i)
        return 0;
    memcpy(key, mixed, 16);
    memcpy(key + i % 17, &number, 8);
    return i % 17 + 8;
}

/* Keys 3i are there, 3i + 1 were put and deleted, 3i + 2 never were. Every fifth is put twice, some of
 * them into another table: so a compaction meets copies. */
static void fill(struct database *d, size_t n)
{
    char key[KEY_ROOM], value[VALUE_SIZE], *error = NULL;

    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            if (i % 3 == 2 || (pass && i % 5))
                continue;
            memset(value, 'v', sizeof value);
            put(d, key, key_of(i, key), value);
        }
    for (size_t i = 1; i < n; i += 3) {
        leveldb_delete(d->db, d->write, key, key_of(i, key), &error);
        no_error(error);
    }
}

static void check_content(struct database *d, size_t n)
{
    char key[KEY_ROOM];

    for (size_t i = 0; i < n; i++) {
        test_where("key %zu", i);
        CHECK(get(d, key, key_of(i, key), 'v') == (i % 3 == 0));
    }
}

static size_t ask_absent(struct database *d, size_t n)
{
    char key[KEY_ROOM];

    for (size_t i = 2; i < n; i += 3)
        CHECK(!get(d, key, key_of(i, key), 'v'));
    return n / 3;
}

static void settle(struct database *d)
{
    /* LevelDB looks which levels have tables before it writes out what is in memory: what that adds,
     * and what its own thread does meanwhile, is seen by the second call. */
    leveldb_compact_range(d->db, NULL, 0, NULL, 0);
    leveldb_compact_range(d->db, NULL, 0, NULL, 0);
}

static void test_every_key_is_found_after_compaction_and_reopening(void **state)
{
    const size_t n = test_scaled(9000, 3000);
    (void)state;

    for (size_t k = 0; k < N_KINDS; k++) {
        struct counter counter;
        struct temp_dir dir;
        temp_dir_make(&dir);
        struct database d = database_open(dir.path, counting_policy(kinds[k], &counter));
        fill(&d, n);
        check_content(&d, n); /* some in memory, some in tables */
        settle(&d);
        CHECK(counter.n_made > 0);
        check_content(&d, n);
        database_close(&d);

        d = database_open(dir.path, counting_policy(kinds[k], &counter));
        check_content(&d, n);
        counter.n_asked = counter.n_maybe = 0;
        const size_t n_absent = ask_absent(&d, n);
        test_where("%s: %zu absent, asked %zu, maybe %zu", ninho_kind_name(kinds[k]),
                   n_absent, counter.n_asked, counter.n_maybe);
        /* One settled level: one filter for each key, but for those outside of all tables. */
        CHECK(counter.n_asked > n_absent * 9 / 10 && counter.n_asked <= n_absent + 1);
        /* bloom 1 %, fuse 0.4 %, cuckoo 2.5 %; blocked has one block of 32 bytes for a few dozen
         * keys, or two. */
        CHECK(counter.n_maybe * (kinds[k] == NINHO_BLOOM ? 40 : 10) < counter.n_asked);
        database_close(&d);
        temp_dir_remove(&dir);
    }
}

/* The tables of one policy under another one: LevelDB asks only filters of its own policy's name, so
 * all is found, and new tables have the new filters beside the old ones. */
static void test_another_policy_or_none_finds_the_same(void **state)
{
    enum { NONE = N_KINDS, BUILT_IN, N_POLICIES };
    const size_t n = 3000;
    struct temp_dir dir;
    (void)state;

    for (unsigned first = 0; first < N_POLICIES; first++) {
        temp_dir_make(&dir);
        for (unsigned i = 0; i < N_POLICIES; i++) {
            const unsigned which = (first + i) % N_POLICIES;
            leveldb_filterpolicy_t *policy = NULL;
            ninho_leveldb_options options = NINHO_LEVELDB_INIT;
            if (which < N_KINDS) {
                options.kind = kinds[which];
                CHECK_OK(ninho_leveldb_policy(&options, &policy, NULL));
            } else if (which == BUILT_IN) {
                policy = leveldb_filterpolicy_create_bloom(10);
            }
            struct database d = database_open(dir.path, policy);
            if (i == 0) {
                fill(&d, n);
                settle(&d);
            }
            check_content(&d, n);
            fill(&d, n / 4); /* newer tables, of this policy, above the older */
            check_content(&d, n);
            if (i == 3)
                settle(&d);
            check_content(&d, n);
            database_close(&d);
        }
        temp_dir_remove(&dir);
    }
}

static void test_tables_of_few_keys(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_KINDS; k++)
        for (size_t n = 0; n <= 3; n++) {
            struct counter counter;
            struct temp_dir dir;
            char key[KEY_ROOM], value[VALUE_SIZE] = "v";
            temp_dir_make(&dir);
            for (unsigned pass = 0; pass < 2; pass++) {
                struct database d =
                    database_open(dir.path, counting_policy(kinds[k], &counter));
                for (size_t i = 0; !pass && i < n; i++)
                    put(&d, key, key_of(i, key), value);
                settle(&d);
                for (size_t i = 0; i < 100; i++)
                    CHECK(get(&d, key, key_of(i, key), 'v') == (i < n));
                database_close(&d);
            }
            temp_dir_remove(&dir);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_is_found_after_compaction_and_reopening),
        cmocka_unit_test(test_another_policy_or_none_finds_the_same),
        cmocka_unit_test(test_tables_of_few_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
