/* SPDX-License-Identifier: MIT */
#include "values.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

struct connection *connection_of(sqlite3_context *context)
{
    return sqlite3_user_data(context);
}

uint64_t blob_limit(sqlite3_context *context)
{
    return (uint64_t)sqlite3_limit(connection_of(context)->db, SQLITE_LIMIT_LENGTH, -1);
}

void value_fail(sqlite3_context *context, ninho_status status, const ninho_error *error)
{
    if (status == NINHO_ERR_NOMEM && (!error || !error->text[0])) {
        sqlite3_result_error_nomem(context);
        return;
    }
    char *text = sqlite3_mprintf(
        "ninho: %s", error && error->text[0] ? error->text : ninho_status_text(status));
    if (!text) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_error(context, text, -1);
    sqlite3_free(text);
}

/* ---- Keys -------------------------------------------------------------------------------- */

ninho_key_encoding value_encoding(sqlite3_context *context, sqlite3_value *value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return NINHO_KEY_INT64;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        return NINHO_KEY_BYTES;
    default:
        sqlite3_result_error(
            context,
            "ninho: REAL values are no keys, since equal ones may differ in "
            "their last digit: CAST them to INTEGER or TEXT",
            -1);
        return 0;
    }
}

uint64_t value_hash(const ninho_hasher *hasher, sqlite3_value *value)
{
    if (sqlite3_value_type(value) == SQLITE_INTEGER)
        return ninho_hash_int64(hasher, sqlite3_value_int64(value));
    /* the text first: it may have to be converted, and only then is its size known */
    const void *bytes = sqlite3_value_type(value) == SQLITE_TEXT
                            ? (const void *)sqlite3_value_text(value)
                            : sqlite3_value_blob(value);
    return ninho_hash_bytes(hasher, bytes, (size_t)sqlite3_value_bytes(value));
}

/* ---- Filters ----------------------------------------------------------------------------- */

static ninho_open_options open_options(const struct connection *connection)
{
    ninho_open_options options = NINHO_OPEN_INIT;

    options.secret = connection->has_secret ? connection->secret : NULL;
    return options;
}

/* A blob, or NULL with the error told. */
static const void *blob_of(sqlite3_context *context, sqlite3_value *value, size_t *size)
{
    if (sqlite3_value_type(value) != SQLITE_BLOB) {
        sqlite3_result_error(context,
                             "ninho: a filter is a BLOB, as ninho_build() makes it", -1);
        return NULL;
    }
    const void *bytes = sqlite3_value_blob(value);
    *size = (size_t)sqlite3_value_bytes(value);
    if (!bytes)
        sqlite3_result_error(context, "ninho: an empty BLOB is no filter", -1);
    return bytes;
}

/* The first bytes of a file hold its kind, sizes, parameters and both checksums. */
static bool was_seen(const struct connection *connection, const void *bytes, size_t size)
{
    for (size_t i = 0; i < SEEN_FILTERS; i++) {
        const struct seen *seen = &connection->seen[i];
        if (seen->size == size &&
            memcmp(seen->bytes, bytes, size < SEEN_BYTES ? size : SEEN_BYTES) == 0)
            return true;
    }
    return false;
}

static void remember(struct connection *connection, const void *bytes, size_t size)
{
    struct seen *seen = &connection->seen[connection->next_seen++ % SEEN_FILTERS];

    seen->size = size;
    memcpy(seen->bytes, bytes, size < SEEN_BYTES ? size : SEEN_BYTES);
}

/* Queries ask the same filter for one row after another, and to read all of it each time would make them a
 * thousand times slower. What is verified is remembered by its beginning, which holds the checksum of the rest;
 * a view is safe whatever the bytes are. */
bool filter_view(sqlite3_context *context, sqlite3_value *value, ninho_view *view,
                 const ninho_filter **out)
{
    struct connection *connection = connection_of(context);
    const ninho_open_options options = open_options(connection);
    ninho_error error = {0};
    size_t size;
    const void *bytes = blob_of(context, value, &size);

    if (!bytes)
        return false;
    ninho_status status = ninho_filter_view(view, bytes, size, &options, out, &error);
    if (!status && !was_seen(connection, bytes, size)) {
        status = ninho_filter_verify(*out, &error);
        if (!status)
            remember(connection, bytes, size);
    }
    if (status)
        value_fail(context, status, &error);
    return !status;
}

bool filter_copy(sqlite3_context *context, sqlite3_value *value, ninho_filter **out)
{
    const ninho_open_options options = open_options(connection_of(context));
    ninho_error error = {0};
    size_t size;
    const void *bytes = blob_of(context, value, &size);

    if (!bytes)
        return false;
    const ninho_status status = ninho_filter_decode(bytes, size, &options, out, &error);
    if (status)
        value_fail(context, status, &error);
    return !status;
}

void filter_result(sqlite3_context *context, const ninho_filter *filter)
{
    const size_t size = ninho_filter_encoded_size(filter);

    if (size > blob_limit(context)) {
        sqlite3_result_error_toobig(context);
        return;
    }
    void *bytes = sqlite3_malloc64(size);
    if (!bytes) {
        sqlite3_result_error_nomem(context);
        return;
    }
    const ninho_status status = ninho_filter_encode(filter, bytes, size, NULL);
    if (status) {
        sqlite3_free(bytes);
        value_fail(context, status, NULL);
        return;
    }
    sqlite3_result_blob64(context, bytes, size, sqlite3_free);
}
