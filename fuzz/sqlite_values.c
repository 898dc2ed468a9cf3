/* SPDX-License-Identifier: MIT */
/* The extension of SQLite in a database in memory: any value where a filter belongs, and calls on what
 * comes of it. The extension is compiled into the program; SQLite is the system's.
 *
 *     byte 0    bits: 0 checksums made right, 1 a key is set, 2-4 what makes the second filter
 *     byte 1    how many bytes of the rest are calls
 *     calls     each: which, and its argument
 *     the rest  the first filter
 */
#include "target.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/frame_bytes.h"

int sqlite3_ninhosqlite_init(sqlite3 *db, char **error, const void *api);

/* ?1 and ?2 are filters, ?3 is a value. */
static const char *const calls[] = {
    "SELECT ninho_add(?1, ?3)",
    "SELECT ninho_remove(?1, ?3)",
    "SELECT ninho_union(?1, ?2)",
    "SELECT ninho_union(?2, ?1)",
    "SELECT ninho_union(f) FROM (SELECT ?1 AS f UNION ALL SELECT ?2 UNION ALL SELECT ?1)",
    "SELECT ninho_union(?1)",
    "SELECT ninho_open(?1)",
    "SELECT ninho_build(?3, 20, 0.1, 'cuckoo')",
    "SELECT ninho_build(v, 30, 0.01) FROM (SELECT ?3 AS v UNION SELECT 'b')",
    "SELECT ninho_build(v, NULL, ?3, 'fuse') FROM (SELECT 1 AS v UNION SELECT 2)",
    "SELECT ninho_build(v, ?3, 0.01, ?1) FROM (SELECT 1 AS v UNION SELECT NULL)",
};

static const char *const second[] = {"bloom",    "blocked",  "counting",
                                     "cuckoo",   "quotient", "compact",
                                     "scalable", "fuse",     "ribbon"};

enum { MAX_CALLS = 12, N_CALLS = sizeof calls / sizeof *calls };

struct blob {
    void *bytes;
    int size;
};

static sqlite3 *db;
static sqlite3_stmt *changing[N_CALLS], *asking, *telling, *making, *keying;

static sqlite3_stmt *prepared(const char *sql)
{
    sqlite3_stmt *statement = NULL;

    MUST(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) ==
         SQLITE_OK);
    return statement;
}

static void begin(void)
{
    MUST(sqlite3_auto_extension((void (*)(void))sqlite3_ninhosqlite_init) == SQLITE_OK);
    MUST(sqlite3_open(":memory:", &db) == SQLITE_OK);
    (void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    for (size_t i = 0; i < N_CALLS; i++)
        changing[i] = prepared(calls[i]);
    asking = prepared("SELECT ninho_has(?1, ?3)");
    telling = prepared("SELECT ninho_info(?1)");
    making = prepared(
        "SELECT ninho_build(v, 20, 0.1, ?1) FROM (SELECT 'a' AS v UNION ALL SELECT 'b')");
    keying = prepared("SELECT ninho_key(?1)");
}

static void bind_blob(sqlite3_stmt *statement, int at, const struct blob *blob)
{
    if (sqlite3_bind_parameter_count(statement) >= at)
        MUST(sqlite3_bind_blob(statement, at, blob->bytes ? blob->bytes : "", blob->size,
                               SQLITE_STATIC) == SQLITE_OK);
}

/* A value of each type, by its number. */
static void bind_value(sqlite3_stmt *statement, unsigned number)
{
    static const char letters[] = "abcdefghijklmnop";

    if (sqlite3_bind_parameter_count(statement) < 3)
        return;
    switch (number % 8) {
    case 0:
        (void)sqlite3_bind_null(statement, 3);
        break;
    case 1:
        (void)sqlite3_bind_double(statement, 3, number / 256.);
        break;
    case 2:
    case 3:
        (void)sqlite3_bind_int64(statement, 3, (sqlite3_int64)number / 8 - 4);
        break;
    case 4:
        (void)sqlite3_bind_blob(statement, 3, letters, (int)(number / 16), SQLITE_STATIC);
        break;
    default:
        (void)sqlite3_bind_text(statement, 3, letters + number / 16, 1, SQLITE_STATIC);
    }
}

static struct blob result_of(sqlite3_stmt *statement)
{
    const int size = sqlite3_column_bytes(statement, 0);
    struct blob copy = {.bytes = malloc(size ? (size_t)size : 1), .size = size};

    MUST(copy.bytes);
    if (size)
        memcpy(copy.bytes, sqlite3_column_blob(statement, 0), (size_t)size);
    return copy;
}

/* Runs it; true if it gave a blob, which is then the caller's. */
static bool run(sqlite3_stmt *statement, struct blob *out)
{
    const int status = sqlite3_step(statement);
    const bool is_blob =
        status == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_BLOB;

    MUST(status == SQLITE_ROW || sqlite3_errmsg(db)[0]);
    if (is_blob)
        *out = result_of(statement);
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return is_blob;
}

/* What the filter says about a value: 0, 1, or -1 for an error. */
static int answer(const struct blob *filter, unsigned number)
{
    bind_blob(asking, 1, filter);
    bind_value(asking, number);
    const int status = sqlite3_step(asking);
    const int has =
        status == SQLITE_ROW && sqlite3_column_type(asking, 0) == SQLITE_INTEGER
            ? sqlite3_column_int(asking, 0)
            : -1;
    (void)sqlite3_reset(asking);
    (void)sqlite3_clear_bindings(asking);
    return has;
}

static bool is_told(const struct blob *filter)
{
    bind_blob(telling, 1, filter);
    const bool is_good = sqlite3_step(telling) == SQLITE_ROW;
    (void)sqlite3_reset(telling);
    (void)sqlite3_clear_bindings(telling);
    return is_good;
}

/* What a function made is a filter, and says of its value what the function promises. */
static void check_made(const struct blob *before, const struct blob *made, unsigned call,
                       unsigned number)
{
    MUST(is_told(made));
    if (call == 0)
        MUST(answer(made, number) != 0);
    for (unsigned i = 0; call != 1 && call < 7 && i < 256;
         i += 5) /* nothing is forgotten */
        MUST(answer(before, i) != 1 || answer(made, i) == 1);
}

static void run_calls(struct blob *first, const struct blob *other, const uint8_t *bytes,
                      size_t n)
{
    for (size_t i = 0; i + 1 < n && i / 2 < MAX_CALLS; i += 2) {
        const unsigned call = bytes[i] % N_CALLS;
        struct blob made;
        bind_blob(changing[call], 1, first);
        bind_blob(changing[call], 2, other);
        bind_value(changing[call], bytes[i + 1]);
        if (!run(changing[call], &made))
            continue;
        check_made(first, &made, call, bytes[i + 1]);
        free(first->bytes);
        *first = made;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!db)
        begin();
    if (size < 2)
        return 0;
    const unsigned how = bytes[0];
    const size_t n_calls = bytes[1] < size - 2 ? bytes[1] : size - 2;
    struct blob first = {.bytes = malloc(size), .size = (int)(size - 2 - n_calls)};
    struct blob other = {0};
    MUST(first.bytes);
    memcpy(first.bytes, bytes + 2 + n_calls, (size_t)first.size);
    if (how & 1)
        fix_checksums(first.bytes, (size_t)first.size);
    (void)(how & 2 ? sqlite3_bind_blob(keying, 1, "the fuzzer's key", 16, SQLITE_STATIC)
                   : sqlite3_bind_null(keying, 1));
    (void)sqlite3_step(keying);
    (void)sqlite3_reset(keying);
    (void)sqlite3_bind_text(making, 1, second[how >> 2 & 7], -1, SQLITE_STATIC);
    MUST(run(making, &other));
    (void)is_told(&first);
    for (unsigned i = 0; i < 256; i += 9)
        (void)answer(&first, i);
    run_calls(&first, &other, bytes + 2, n_calls);
    free(first.bytes);
    free(other.bytes);
    return 0;
}
