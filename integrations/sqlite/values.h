/* SPDX-License-Identifier: MIT */
/* Values of SQLite as keys, and filters out of its blobs. */
#ifndef NINHO_SQLITE_VALUES_H
#define NINHO_SQLITE_VALUES_H

#include <stdbool.h>

#include <sqlite3ext.h>

#include <ninho/ninho.h>

#define SEEN_FILTERS 8

/* What one connection remembers. */
struct connection {
    sqlite3 *db;
    unsigned
        n_users; /* functions that were registered with it, and statements that hold filters */
    bool has_secret;
    uint8_t secret[NINHO_SECRET_BYTES];
    struct held *held; /* all filters that are held: see filter_hold() */
    /* the filters that were verified last: see filter_view() */
    struct seen {
        size_t size;
        uint64_t hash; /* of all their bytes */
    } seen[SEEN_FILTERS];
    unsigned next_seen;
};

/* One user less; the last one frees it. */
void connection_release(struct connection *connection);

/* The key encoding of a value: int64 for INTEGER, bytes for TEXT and BLOB; 0, with the error told to
 * SQLite, for REAL. Not for NULL. */
ninho_key_encoding value_encoding(sqlite3_context *context, sqlite3_value *value);

/* The hash of a value that has an encoding. false: without memory for its bytes, which SQLite has been told. */
bool value_hash(sqlite3_context *context, const ninho_hasher *hasher,
                sqlite3_value *value, uint64_t *hash);

/* Which argument of a function a filter is: what was verified once in a statement is not verified again. */
enum { NO_ARGUMENT = -1 }; /* an aggregate's, or not to be remembered */

/* A view of the filter in a blob: *out lives as long as `view` and the value. It is verified, checksums and all,
 * unless it is held, a constant of the statement that was verified before, or has the very bytes of one that was.
 * false: the error has been told to SQLite. */
bool filter_view(sqlite3_context *context, int argument, sqlite3_value *value,
                 ninho_view *view, const ninho_filter **out);

/* Makes the blob itself the result, in memory that lives until the statement ends: SQLite does not copy that for each
 * row. Beyond MOST_HELD different filters in one statement it is an ordinary blob. */
void filter_hold(sqlite3_context *context, sqlite3_value *value);

/* A filter of the caller's own. */
bool filter_copy(sqlite3_context *context, sqlite3_value *value, ninho_filter **out);

/* Makes a filter the result, as a blob. */
void filter_result(sqlite3_context *context, const ninho_filter *filter);

/* Tells SQLite what went wrong. */
void value_fail(sqlite3_context *context, ninho_status status, const ninho_error *error);

/* The same in a text that sqlite3_mprintf() made, NULL without memory. It is freed. */
void value_fail_text(sqlite3_context *context, char *text);

/* The connection that the function was registered for. */
struct connection *connection_of(sqlite3_context *context);

/* SQLite's memory, so that its limits are ours. */
extern const ninho_alloc value_memory;

/* The most bytes that a blob can have here. */
uint64_t blob_limit(sqlite3_context *context);

#endif
