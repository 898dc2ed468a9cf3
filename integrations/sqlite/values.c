/* SPDX-License-Identifier: MIT */
#include "values.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

#define MEMORY_ALIGN 16

struct connection *connection_of(sqlite3_context *context)
{
    return sqlite3_user_data(context);
}

void connection_release(struct connection *connection)
{
    if (--connection->n_users)
        return;
    memset(connection->secret, 0, sizeof connection->secret);
    sqlite3_free(connection);
}

uint64_t blob_limit(sqlite3_context *context)
{
    return (uint64_t)sqlite3_limit(connection_of(context)->db, SQLITE_LIMIT_LENGTH, -1);
}

/* SQLite's is aligned to 8 bytes, where malloc's is to 16: the byte before ours tells how far they are apart. */
static void *take_memory(void *unused, size_t size)
{
    uint8_t *memory = sqlite3_malloc64((sqlite3_uint64)size + MEMORY_ALIGN);

    (void)unused;
    if (!memory)
        return NULL;
    const size_t apart = MEMORY_ALIGN - (uintptr_t)memory % MEMORY_ALIGN;
    memory[apart - 1] = (uint8_t)apart;
    return memory + apart;
}

static void give_memory(void *unused, void *memory, size_t size)
{
    (void)unused;
    (void)size;
    sqlite3_free((uint8_t *)memory - ((uint8_t *)memory)[-1]);
}

const ninho_alloc value_memory = {.alloc = take_memory, .free = give_memory};

void value_fail(sqlite3_context *context, ninho_status status, const ninho_error *error)
{
    if (status == NINHO_ERR_NOMEM && (!error || !error->text[0])) {
        sqlite3_result_error_nomem(context);
        return;
    }
    value_fail_text(context,
                    sqlite3_mprintf("ninho: %s", error && error->text[0]
                                                     ? error->text
                                                     : ninho_status_text(status)));
    if (status == NINHO_ERR_NOMEM)
        sqlite3_result_error_code(context, SQLITE_NOMEM);
}

void value_fail_text(sqlite3_context *context, char *text)
{
    if (text)
        sqlite3_result_error(context, text, -1);
    else
        sqlite3_result_error_nomem(context);
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

bool value_hash(sqlite3_context *context, const ninho_hasher *hasher,
                sqlite3_value *value, uint64_t *hash)
{
    const bool is_text = sqlite3_value_type(value) == SQLITE_TEXT;

    if (sqlite3_value_type(value) == SQLITE_INTEGER) {
        *hash = ninho_hash_int64(hasher, sqlite3_value_int64(value));
        return true;
    }
    /* The bytes first: they may have to be converted, or zeros to be written out, and only then is their size
     * known, or that there is no memory for them. */
    const void *bytes =
        is_text ? (const void *)sqlite3_value_text(value) : sqlite3_value_blob(value);
    const int size = sqlite3_value_bytes(value);
    if (!bytes && (is_text || size > 0)) {
        sqlite3_result_error_nomem(context);
        return false;
    }
    *hash = ninho_hash_bytes(hasher, bytes, (size_t)size);
    return true;
}

static ninho_open_options open_options(const struct connection *connection)
{
    ninho_open_options options = NINHO_OPEN_INIT;

    options.secret = connection->has_secret ? connection->secret : NULL;
    options.allow_sealed = !options.secret;
    options.alloc = &value_memory;
    return options;
}

/* A connection that has a secret still asks filters that were made without one, and tells about and unites those under
 * another: they are opened once more, without it. */
static bool is_of_another_key(ninho_status status, ninho_open_options *options)
{
    if (status != NINHO_ERR_KEY_WRONG && status != NINHO_ERR_KEY_UNUSED)
        return false;
    options->secret = NULL;
    options->allow_sealed = true;
    return true;
}

/* ---- Held filters ------------------------------------------------------------------------ */

/* A scalar subquery is run once, but SQLite copies its result for each row that the function is called for, unless
 * the memory is static. So ours is, for a while: the statement owns it, by way of the data that functions may leave
 * with it. */

#define MOST_HELD 16
#define HELD_ID   (-0x6e696e) /* negative: of the statement, not of one argument */

struct held {
    struct held *next;      /* of the connection */
    struct held **previous; /* what points to this */
    struct held *beside;    /* of the same statement */
    size_t size;
    uint8_t bytes[];
};

/* What a statement holds. */
struct holder {
    struct connection *connection;
    struct held *first;
    unsigned n;
};

static bool is_held(const struct connection *connection, const void *bytes, size_t size)
{
    for (const struct held *held = connection->held; held; held = held->next)
        if (held->bytes == bytes && held->size == size)
            return true;
    return false;
}

/* The statement has ended. */
static void drop_held(void *pointer)
{
    struct holder *holder = pointer;

    while (holder->first) {
        struct held *held = holder->first;
        holder->first = held->beside;
        *held->previous = held->next;
        if (held->next)
            held->next->previous = held->previous;
        sqlite3_free(held);
    }
    connection_release(holder->connection);
    sqlite3_free(holder);
}

static struct holder *holder_of(sqlite3_context *context)
{
    struct holder *holder = sqlite3_get_auxdata(context, HELD_ID);

    if (holder || !(holder = sqlite3_malloc(sizeof *holder)))
        return holder;
    *holder = (struct holder){.connection = connection_of(context)};
    holder->connection->n_users++;
    sqlite3_set_auxdata(context, HELD_ID, holder, drop_held);
    return sqlite3_get_auxdata(context, HELD_ID); /* NULL: it was freed at once */
}

static struct held *add_held(struct holder *holder, const void *bytes, size_t size)
{
    struct connection *connection = holder->connection;
    struct held *held = sqlite3_malloc64(sizeof *held + size);

    if (!held)
        return NULL;
    held->next = connection->held;
    held->previous = &connection->held;
    if (held->next)
        held->next->previous = &held->next;
    connection->held = held;
    held->beside = holder->first;
    holder->first = held;
    holder->n++;
    held->size = size;
    memcpy(held->bytes, bytes, size);
    return held;
}

void filter_hold(sqlite3_context *context, sqlite3_value *value)
{
    struct holder *holder = holder_of(context);
    const void *bytes = sqlite3_value_blob(value);
    const size_t size = (size_t)sqlite3_value_bytes(value);
    struct held *held = holder ? holder->first : NULL;

    while (held && (held->size != size || memcmp(held->bytes, bytes, size) != 0))
        held = held->beside;
    if (!held && holder && holder->n < MOST_HELD)
        held = add_held(holder, bytes, size);
    if (held)
        sqlite3_result_blob64(context, held->bytes, size, SQLITE_STATIC);
    else
        sqlite3_result_value(context, value);
}

/* ---- Filters ----------------------------------------------------------------------------- */

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
    if (!bytes && *size)
        sqlite3_result_error_nomem(context);
    else if (!bytes)
        sqlite3_result_error(context, "ninho: an empty BLOB is no filter", -1);
    return bytes;
}

/* Queries ask the same filter for one row after another. Its checksum is read each time, but to look for what else
 * could be wrong in a table of tags takes twenty times as long, and is done once for the same bytes. */
static ninho_status verify(struct connection *connection, const ninho_filter *filter,
                           const void *bytes, size_t size, ninho_error *error)
{
    static const ninho_hasher hasher = {.id = NINHO_HASH_XXH3};
    const struct seen now = {size, ninho_hash_bytes(&hasher, bytes, size)};

    for (size_t i = 0; i < SEEN_FILTERS; i++)
        if (connection->seen[i].size == size && connection->seen[i].hash == now.hash)
            return NINHO_OK;
    const ninho_status status = ninho_filter_verify(filter, error);
    if (!status)
        connection->seen[connection->next_seen++ % SEEN_FILTERS] = now;
    return status;
}

bool filter_view(sqlite3_context *context, int argument, sqlite3_value *value,
                 ninho_view *view, const ninho_filter **out)
{
    struct connection *connection = connection_of(context);
    ninho_open_options options = open_options(connection);
    ninho_error error = NINHO_ERROR_INIT;
    size_t size;
    const void *bytes = blob_of(context, value, &size);

    if (!bytes)
        return false;
    ninho_status status = ninho_filter_view(view, bytes, size, &options, out, &error);
    if (is_of_another_key(status, &options))
        status = ninho_filter_view(view, bytes, size, &options, out, &error);
    /* SQLite keeps the mark for as long as the argument is the same, a parameter for instance. */
    if (!status && !is_held(connection, bytes, size) &&
        !(argument >= 0 && sqlite3_get_auxdata(context, argument))) {
        status = verify(connection, *out, bytes, size, &error);
        if (!status && argument >= 0)
            sqlite3_set_auxdata(context, argument, connection, NULL);
    }
    if (status)
        value_fail(context, status, &error);
    return !status;
}

bool filter_copy(sqlite3_context *context, sqlite3_value *value, ninho_filter **out)
{
    ninho_open_options options = open_options(connection_of(context));
    ninho_error error = NINHO_ERROR_INIT;
    size_t size;
    const void *bytes = blob_of(context, value, &size);

    if (!bytes)
        return false;
    ninho_status status = ninho_filter_decode(bytes, size, &options, out, &error);
    if (is_of_another_key(status, &options))
        status = ninho_filter_decode(bytes, size, &options, out, &error);
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
