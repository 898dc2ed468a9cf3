/* SPDX-License-Identifier: MIT */
/* The extension inside a program that has SQLite as a library: memory that runs out at any moment, statements that are
 * left in the middle, and threads. */
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

/* ---- Memory that SQLite gets ------------------------------------------------------------- */

static sqlite3_mem_methods real;
static size_t calls_left;  /* before one fails; 0: none does */
static bool keeps_failing; /* from then on */
static bool has_failed;

static bool fails(void)
{
    if (!calls_left || --calls_left)
        return false;
    calls_left = keeps_failing;
    has_failed = true;
    return true;
}

static void *failing_malloc(int size)
{
    return fails() ? NULL : real.xMalloc(size);
}

static void *failing_realloc(void *memory, int size)
{
    return fails() ? NULL : real.xRealloc(memory, size);
}

static int replace_memory(void **state)
{
    sqlite3_mem_methods ours;

    (void)state;
    CHECK(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) == SQLITE_OK);
    ours = real;
    ours.xMalloc = failing_malloc;
    ours.xRealloc = failing_realloc;
    CHECK(sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) == SQLITE_OK);
    return 0;
}

/* ---- Databases --------------------------------------------------------------------------- */

static int open_database(sqlite3 **db)
{
    int status = sqlite3_open(":memory:", db);

    /* small pieces are to come from our allocator, too */
    if (status == SQLITE_OK)
        status = sqlite3_db_config(*db, SQLITE_DBCONFIG_LOOKASIDE, NULL, 0, 0);
    if (status == SQLITE_OK)
        status = sqlite3_enable_load_extension(*db, 1);
    if (status == SQLITE_OK)
        status =
            sqlite3_load_extension(*db, NINHO_BINARY_DIR "/lib/ninho_sqlite", NULL, NULL);
    return status;
}

/* Runs a statement; the sum of the numbers it gives. */
static int run(sqlite3 *db, const char *sql, int64_t *sum)
{
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

    *sum = 0;
    while (status == SQLITE_OK || status == SQLITE_ROW) {
        status = sqlite3_step(statement);
        if (status == SQLITE_ROW)
            *sum += sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return status;
}

static const struct {
    const char *sql;
    int64_t sum;
} questions[] = {
    {"PRAGMA encoding = 'UTF-16'", 0},
    {"CREATE TABLE t AS WITH RECURSIVE c(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM c "
     "WHERE k < 40) SELECT k, 'clé ' || k AS s FROM c",
     0},
    {"CREATE TABLE f AS SELECT ninho_build(k) AS k, ninho_build(s, 50, 0.001, 'cuckoo') "
     "AS s FROM t",
     0},
    {"SELECT ninho_has((SELECT k FROM f), k) FROM t", 40},
    {"SELECT ninho_has((SELECT ninho_open(s) FROM f), s) FROM t", 40},
    {"SELECT ninho_has(ninho_union(k, ninho_build(1000, 40)), 1000) FROM f", 1},
    {"SELECT ninho_has(ninho_union(k), 40) FROM f", 1},
    {"SELECT ninho_has(ninho_remove(ninho_add(s, 'b'), 'b'), 'clé 1') FROM f", 1},
    {"SELECT json_extract(ninho_info(s), '$.count') FROM f", 40},
    {"SELECT ninho_key(x'00112233445566778899aabbccddeeff')", 1},
    {"SELECT ninho_has(ninho_build('a'), 'a')", 1},
    {"SELECT ninho_has(ninho_build('a'), zeroblob(70000))", 0},
};

/* All questions; those that are answered are answered right. The first status that is none. */
static int ask_all(void)
{
    sqlite3 *db = NULL;
    int status = open_database(&db);

    for (size_t i = 0; i < sizeof questions / sizeof *questions && status == SQLITE_OK;
         i++) {
        int64_t sum;
        test_where("%s", questions[i].sql);
        status = run(db, questions[i].sql, &sum);
        if (status == SQLITE_DONE) {
            CHECK(sum == questions[i].sum);
            status = SQLITE_OK;
        }
    }
    calls_left = 0;
    CHECK(sqlite3_close(db) == SQLITE_OK);
    return status;
}

static void no_memory_is_an_error_and_never_a_wrong_answer(void **state)
{
    (void)state;
    CHECK(ask_all() == SQLITE_OK);
    const sqlite3_int64 before = sqlite3_memory_used();
    const size_t stride = test_scaled(100, 1) < 100 ? 7 : 1; /* under a sanitizer */
    for (int keeps = 0; keeps < 2; keeps++) {
        size_t n = 0;
        do {
            n += stride;
            keeps_failing = keeps;
            has_failed = false;
            calls_left = n;
            const int status = ask_all();
            CHECK(!keeps || status != SQLITE_OK || !has_failed);
            CHECK(sqlite3_memory_used() <= before + 4096); /* nothing is left behind */
        } while (has_failed);
        CHECK(n > 1000);
    }
}

/* What a statement holds goes with it, though it is left in the middle or asked again. */
static void held_filters_go_with_their_statement(void **state)
{
    static const char sql[] = "SELECT ninho_has((SELECT ninho_open(f) FROM f), k), "
                              "ninho_has(ninho_open(?1), k) FROM t";
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL, *other = NULL;
    int64_t sum;

    (void)state;
    CHECK(open_database(&db) == SQLITE_OK);
    CHECK(run(db,
              "CREATE TABLE t AS WITH RECURSIVE c(k) AS (SELECT 1 UNION ALL SELECT k + 1 "
              "FROM c WHERE k < 1000) SELECT k FROM c",
              &sum) == SQLITE_DONE);
    CHECK(run(db, "CREATE TABLE f AS SELECT ninho_build(k, 500000) AS f FROM t", &sum) ==
          SQLITE_DONE);
    CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(db, "SELECT f FROM f", -1, &other, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(other) == SQLITE_ROW);
    CHECK(sqlite3_bind_value(statement, 1, sqlite3_column_value(other, 0)) == SQLITE_OK);
    sqlite3_finalize(other);
    const sqlite3_int64 before = sqlite3_memory_used();
    for (int i = 0; i < 5; i++) {
        for (int row = 0; row < 300 * i; row++) {
            const int status = sqlite3_step(statement);
            CHECK(status == (row < 1000 ? SQLITE_ROW : SQLITE_DONE));
            if (status == SQLITE_DONE)
                break;
            CHECK(sqlite3_column_int(statement, 0) == 1);
            CHECK(sqlite3_column_int(statement, 1) == 1);
            CHECK(sqlite3_memory_used() > before + 500000);
        }
        CHECK(sqlite3_reset(statement) == SQLITE_OK);
        CHECK(sqlite3_memory_used() < before + 500000);
    }
    /* a connection that is closed before its statement */
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    CHECK(sqlite3_close_v2(db) == SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    CHECK(sqlite3_finalize(statement) == SQLITE_OK);
}

/* A parameter is verified once for each run, not once for ever. */
static void a_parameter_that_is_bound_anew_is_verified_anew(void **state)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;

    (void)state;
    CHECK(open_database(&db) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(db, "SELECT ninho_build(1, 10000)", -1, &statement, NULL) ==
          SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    const int size = sqlite3_column_bytes(statement, 0);
    char *bytes = malloc((size_t)size);
    memcpy(bytes, sqlite3_column_blob(statement, 0), (size_t)size);
    sqlite3_finalize(statement);
    CHECK(
        sqlite3_prepare_v2(db,
                           "WITH c(k) AS (VALUES (1), (1), (1)) SELECT ninho_has(?1, k) "
                           "FROM c",
                           -1, &statement, NULL) == SQLITE_OK);
    for (int round = 0; round < 3; round++) {
        bytes[size - 1] = (char)(bytes[size - 1] ^ (round == 1));
        CHECK(sqlite3_bind_blob(statement, 1, bytes, size, SQLITE_STATIC) == SQLITE_OK);
        for (int row = 0; row < 3 && round != 1; row++) {
            CHECK(sqlite3_step(statement) == SQLITE_ROW);
            CHECK(sqlite3_column_int(statement, 0) == 1);
        }
        CHECK(sqlite3_step(statement) == (round == 1 ? SQLITE_ERROR : SQLITE_DONE));
        CHECK(sqlite3_reset(statement) == (round == 1 ? SQLITE_ERROR : SQLITE_OK));
        bytes[size - 1] = (char)(bytes[size - 1] ^ (round == 1));
    }
    sqlite3_finalize(statement);
    CHECK(sqlite3_close(db) == SQLITE_OK);
    free(bytes);
}

static void *ask_in_thread(void *unused)
{
    sqlite3 *db = NULL;
    int64_t sum = 0;
    bool is_good = open_database(&db) == SQLITE_OK;

    (void)unused;
    for (size_t i = 0; i < sizeof questions / sizeof *questions && is_good; i++)
        is_good =
            run(db, questions[i].sql, &sum) == SQLITE_DONE && sum == questions[i].sum;
    is_good = sqlite3_close(db) == SQLITE_OK && is_good;
    return is_good ? db : NULL;
}

static void each_thread_has_its_connection(void **state)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, ask_in_thread, NULL));
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        CHECK(!pthread_join(threads[i], &result));
        CHECK(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory_is_an_error_and_never_a_wrong_answer),
        cmocka_unit_test(held_filters_go_with_their_statement),
        cmocka_unit_test(a_parameter_that_is_bound_anew_is_verified_anew),
        cmocka_unit_test(each_thread_has_its_connection),
    };
    return cmocka_run_group_tests(tests, replace_memory, NULL);
}
