/* SPDX-License-Identifier: MIT */
/* Values of SQLite as keys, and filters out of its blobs. */
#ifndef NINHO_SQLITE_VALUES_H
#define NINHO_SQLITE_VALUES_H

#include <stdbool.h>

#include <sqlite3ext.h>

#include <ninho/ninho.h>

#define SEEN_FILTERS 8
#define SEEN_BYTES   256

/* What one connection remembers. */
struct connection {
    sqlite3 *db;
    unsigned n_users; /* functions that were registered with it */
    bool has_secret;
    uint8_t secret[NINHO_SECRET_BYTES];
    /* the beginnings of the filters that were verified last: see filter_view() */
    struct seen {
        size_t size;
        uint8_t bytes[SEEN_BYTES];
    } seen[SEEN_FILTERS];
    unsigned next_seen;
};

/* The key encoding of a value: int64 for INTEGER, bytes for TEXT and BLOB; 0, with the error told to
 * SQLite, for REAL. Not for NULL. */
ninho_key_encoding value_encoding(sqlite3_context *context, sqlite3_value *value);

/* The hash of a value that has an encoding. */
uint64_t value_hash(const ninho_hasher *hasher, sqlite3_value *value);

/* A view of the filter in a blob: *out lives as long as `view` and the value. Its checksums are checked when a
 * filter with this header was not seen just before. false: the error has been told to SQLite. */
bool filter_view(sqlite3_context *context, sqlite3_value *value, ninho_view *view,
                 const ninho_filter **out);

/* A filter of the caller's own. */
bool filter_copy(sqlite3_context *context, sqlite3_value *value, ninho_filter **out);

/* Makes a filter the result, as a blob. */
void filter_result(sqlite3_context *context, const ninho_filter *filter);

/* Tells SQLite what went wrong. */
void value_fail(sqlite3_context *context, ninho_status status, const ninho_error *error);

/* The connection that the function was registered for. */
struct connection *connection_of(sqlite3_context *context);

/* The most bytes that a blob can have here. */
uint64_t blob_limit(sqlite3_context *context);

#endif
