/* SPDX-License-Identifier: MIT */
/* ninho in SQLite: filters as BLOBs, in the bytes of a ninho file.
 *
 *     ninho_build(x [, capacity [, fpr [, kind]]])   aggregate: a filter of the values
 *     ninho_has(filter, x)                           1: maybe, 0: certainly not
 *     ninho_add(filter, x), ninho_remove(filter, x)  a filter with x, or with one copy of it less
 *     ninho_union(filter, filter, ...)               of several; as an aggregate: ninho_union(filter)
 *     ninho_info(filter)                             JSON
 *     ninho_open(filter)                             the filter itself, which SQLite then does not copy for each row
 *     ninho_key(secret)                              the 16-byte secret of keyed filters, for this connection
 *     ninho_version()
 *
 * INTEGER values are int64 keys, TEXT and BLOB are bytes (TEXT as UTF-8), REAL is refused, NULL is no key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/checked.h"
#include "../common/collector.h"
#include "../common/defaults.h"
#include "values.h"

SQLITE_EXTENSION_INIT1

/* ---- Building ---------------------------------------------------------------------------- */

/* What one group of an aggregate has so far. SQLite gives it zeroed and frees it itself. */
struct building {
    bool is_begun;
    bool has_failed;
    struct collector collector;
    ninho_hasher hasher;
};

static void fail_building(sqlite3_context *context, struct building *building,
                          ninho_status status, const ninho_error *error)
{
    value_fail(context, status, error);
    building->has_failed = true;
}

/* The arguments behind the first: capacity, fpr, kind. NULL is as if it were not there. */
static bool read_spec(sqlite3_context *context, int n, sqlite3_value **values,
                      ninho_spec *spec)
{
    if (n > 1 && sqlite3_value_type(values[1]) != SQLITE_NULL) {
        const sqlite3_int64 capacity = sqlite3_value_int64(values[1]);
        if (sqlite3_value_type(values[1]) != SQLITE_INTEGER || capacity < 1) {
            sqlite3_result_error(context,
                                 "ninho: capacity must be an INTEGER, at least 1", -1);
            return false;
        }
        spec->capacity = (uint64_t)capacity;
    }
    if (n > 2 && sqlite3_value_type(values[2]) != SQLITE_NULL)
        spec->fpr = sqlite3_value_double(values[2]);
    if (n > 3 && sqlite3_value_type(values[3]) != SQLITE_NULL) {
        const char *name = (const char *)sqlite3_value_text(values[3]);
        spec->kind = name ? ninho_kind_from_name(name) : 0;
        if (!spec->kind) {
            value_fail_text(
                context,
                sqlite3_mprintf("ninho: no such kind of filter: \"%!.32s\": there are "
                                "bloom, blocked, counting, cuckoo, quotient, fuse, "
                                "compact and scalable",
                                name ? name : ""));
            return false;
        }
    }
    return true;
}

static void begin_building(sqlite3_context *context, struct building *building, int n,
                           sqlite3_value **values, ninho_key_encoding encoding)
{
    const struct connection *connection = connection_of(context);
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_error error = NINHO_ERROR_INIT;

    spec.kind = DEFAULT_KIND;
    spec.fpr = DEFAULT_FPR;
    spec.hash = connection->has_secret ? NINHO_HASH_SIPHASH : NINHO_HASH_XXH3;
    spec.secret = connection->has_secret ? connection->secret : NULL;
    spec.key_encoding = encoding;
    if (!read_spec(context, n, values, &spec)) {
        building->has_failed = true;
        return;
    }
    const ninho_status status = collector_begin(
        &building->collector, &spec, &value_memory, blob_limit(context), &error);
    if (status) {
        fail_building(context, building, status, &error);
        return;
    }
    building->hasher = (ninho_hasher){.id = spec.hash};
    if (connection->has_secret)
        memcpy(building->hasher.secret, connection->secret, sizeof connection->secret);
    building->is_begun = true;
}

static void build_step(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct building *building = sqlite3_aggregate_context(context, sizeof *building);
    ninho_error error = NINHO_ERROR_INIT;

    if (!building) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (building->has_failed || sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    const ninho_key_encoding encoding = value_encoding(context, values[0]);
    if (!encoding) {
        building->has_failed = true;
        return;
    }
    if (!building->is_begun)
        begin_building(context, building, n, values, encoding);
    if (building->has_failed)
        return;
    if (encoding != building->collector.spec.key_encoding) {
        sqlite3_result_error(
            context,
            "ninho: INTEGER and TEXT or BLOB values cannot be in one filter: CAST "
            "them to one type",
            -1);
        building->has_failed = true;
        return;
    }
    uint64_t hash;
    if (!value_hash(context, &building->hasher, values[0], &hash)) {
        building->has_failed = true;
        return;
    }
    const ninho_status status = collector_add(&building->collector, hash, &error);
    if (status)
        fail_building(context, building, status, &error);
}

/* No rows, or NULLs alone: NULL. */
static void build_final(sqlite3_context *context)
{
    struct building *building = sqlite3_aggregate_context(context, 0);
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (!building || !building->is_begun)
        return;
    if (!building->has_failed) {
        const ninho_status status =
            collector_finish(&building->collector, blob_limit(context), &filter, &error);
        if (status)
            value_fail(context, status, &error);
        else
            filter_result(context, filter);
    }
    ninho_filter_free(filter);
    collector_free(&building->collector);
}

/* ---- Asking and changing ----------------------------------------------------------------- */

/* Does the value have the encoding that the filter's keys have? Another has never been added, but a filter that
 * says "no" to a number because it was built of its text would mislead: that is an error. */
static bool fits(sqlite3_context *context, const ninho_filter *filter,
                 sqlite3_value *value, ninho_hasher *hasher)
{
    const ninho_key_encoding encoding = value_encoding(context, value);
    ninho_spec spec = NINHO_SPEC_INIT;

    if (!encoding)
        return false;
    ninho_status status = ninho_filter_spec(filter, &spec);
    if (!status && spec.key_encoding != encoding) {
        value_fail_text(context,
                        sqlite3_mprintf("ninho: the keys of this filter are %s, not %s%s",
                                        ninho_key_encoding_name(spec.key_encoding),
                                        ninho_key_encoding_name(encoding),
                                        spec.key_encoding == NINHO_KEY_INT64
                                            ? ": CAST the value to INTEGER"
                                        : spec.key_encoding == NINHO_KEY_BYTES
                                            ? ": CAST the value to TEXT"
                                            : ""));
        return false;
    }
    if (!status)
        status = ninho_filter_hasher(filter, hasher);
    if (status == NINHO_ERR_KEY_MISSING)
        sqlite3_result_error(context,
                             connection_of(context)->has_secret
                                 ? "ninho: the secret key is not the filter's"
                                 : "ninho: the filter is keyed: its secret key is "
                                   "needed; ninho_key() takes it",
                             -1);
    else if (status)
        value_fail(context, status, NULL);
    return !status;
}

static bool any_null(int n, sqlite3_value **values)
{
    for (int i = 0; i < n; i++)
        if (sqlite3_value_type(values[i]) == SQLITE_NULL)
            return true;
    return false;
}

static void has(sqlite3_context *context, int n, sqlite3_value **values)
{
    const ninho_filter *filter;
    ninho_view view;
    ninho_hasher hasher;
    uint64_t hash;

    if (any_null(n, values))
        return;
    if (filter_view(context, 0, values[0], &view, &filter) &&
        fits(context, filter, values[1], &hasher) &&
        value_hash(context, &hasher, values[1], &hash))
        sqlite3_result_int(context, ninho_filter_has(filter, hash));
}

static void fail_change(sqlite3_context *context, const ninho_filter *filter,
                        ninho_status status, bool is_add)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    if (status != NINHO_ERR_UNSUPPORTED || ninho_filter_spec(filter, &spec))
        value_fail(context, status, NULL);
    else
        value_fail_text(
            context,
            sqlite3_mprintf("ninho: a %s filter cannot %s", ninho_kind_name(spec.kind),
                            is_add ? "add keys: build it again with all of them"
                                   : "remove keys; these kinds can: counting, cuckoo, "
                                     "quotient and compact"));
}

/* Whether it may be changed or united; if not, the error has been told. */
static bool may_change(sqlite3_context *context, const ninho_filter *filter)
{
    if (!ninho_filter_is_checked(filter))
        return true;
    sqlite3_result_error(context, "ninho: " CHECKED_REFUSED ": " CHECKED_ADVICE, -1);
    return false;
}

/* A filter of our own, changed, is the result. */
static void change(sqlite3_context *context, int n, sqlite3_value **values,
                   ninho_status (*call)(ninho_filter *filter, uint64_t hash))
{
    ninho_filter *filter = NULL;
    ninho_hasher hasher;
    uint64_t hash;

    if (any_null(n, values) || !filter_copy(context, values[0], &filter))
        return;
    if (may_change(context, filter) && fits(context, filter, values[1], &hasher) &&
        value_hash(context, &hasher, values[1], &hash)) {
        const ninho_status status = call(filter, hash);
        if (status)
            fail_change(context, filter, status, call == ninho_filter_add);
        else
            filter_result(context, filter);
    }
    ninho_filter_free(filter);
}

static void add(sqlite3_context *context, int n, sqlite3_value **values)
{
    change(context, n, values, ninho_filter_add);
}

static void remove_one(sqlite3_context *context, int n, sqlite3_value **values)
{
    change(context, n, values, ninho_filter_remove);
}

/* ---- Unions ------------------------------------------------------------------------------ */

/* Adds the filter in `value` to *target, which becomes a copy of the first. */
static bool unite(sqlite3_context *context, ninho_filter **target, sqlite3_value *value)
{
    const ninho_filter *filter;
    ninho_view view;
    ninho_error error = NINHO_ERROR_INIT;

    if (!*target)
        return filter_copy(context, value, target);
    if (!filter_view(context, NO_ARGUMENT, value, &view, &filter) ||
        !may_change(context, *target) || !may_change(context, filter))
        return false;
    const ninho_status status = ninho_filter_union(*target, filter, &error);
    if (is_made_otherwise(&error))
        value_fail_text(context,
                        sqlite3_mprintf("ninho: %s; %s", error.text, UNION_ADVICE));
    else if (status)
        value_fail(context, status, &error);
    return !status;
}

static void union_of(sqlite3_context *context, int n, sqlite3_value **values)
{
    ninho_filter *target = NULL;
    bool is_good = true;

    if (any_null(n, values))
        return;
    for (int i = 0; i < n && is_good; i++)
        is_good = unite(context, &target, values[i]);
    if (is_good && target)
        filter_result(context, target);
    ninho_filter_free(target);
}

struct uniting {
    ninho_filter *target;
    bool has_failed;
};

static void union_step(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct uniting *uniting = sqlite3_aggregate_context(context, sizeof *uniting);

    if (!uniting) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (!uniting->has_failed && !any_null(n, values))
        uniting->has_failed = !unite(context, &uniting->target, values[0]);
}

static void union_final(sqlite3_context *context)
{
    struct uniting *uniting = sqlite3_aggregate_context(context, 0);

    if (!uniting)
        return;
    if (uniting->target && !uniting->has_failed)
        filter_result(context, uniting->target);
    ninho_filter_free(uniting->target);
}

/* ---- The rest ---------------------------------------------------------------------------- */

/* What it can do, as a list in JSON. */
static void list_abilities(uint32_t can, char *text, size_t room)
{
    size_t size = (size_t)snprintf(text, room, "[");
    const char *name;

    for (size_t i = 0; (name = ninho_can_name(can, i)) != NULL; i++)
        size +=
            (size_t)snprintf(text + size, room - size, "%s\"%s\"", i ? "," : "", name);
    (void)snprintf(text + size, room - size, "]");
}

static void info(sqlite3_context *context, int n, sqlite3_value **values)
{
    const ninho_filter *filter;
    ninho_view view;
    ninho_info about = NINHO_INFO_INIT;

    if (any_null(n, values) || !filter_view(context, 0, values[0], &view, &filter))
        return;
    const ninho_status status = ninho_filter_info(filter, &about);
    if (status) {
        value_fail(context, status, NULL);
        return;
    }
    char can[200];
    list_abilities(about.can, can, sizeof can);
    char *text = sqlite3_mprintf(
        "{\"kind\":\"%s\",\"capacity\":%llu,\"count\":%llu,\"count_is_estimate\":%s,"
        "\"fpr_target\":%!.15g,\"fpr_expected\":%!.15g,\"bits_per_key\":%!.15g,"
        "\"size_bytes\":%llu,\"load\":%!.15g,\"seed\":%llu,\"hash\":\"%s\","
        "\"keyed\":%s,\"key_encoding\":\"%s\",\"format_version\":%u,\"can\":%s}",
        ninho_kind_name(about.kind), about.capacity, about.count,
        about.count_is_estimate ? "true" : "false", about.fpr_target, about.fpr_expected,
        about.bits_per_key, about.size_bytes, about.load, about.seed,
        ninho_hash_name(about.hash), about.is_keyed ? "true" : "false",
        ninho_key_encoding_name(about.key_encoding), about.format_version, can);
    if (text)
        sqlite3_result_text(context, text, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

static void open_filter(sqlite3_context *context, int n, sqlite3_value **values)
{
    const ninho_filter *filter;
    ninho_view view;

    if (!any_null(n, values) && filter_view(context, 0, values[0], &view, &filter))
        filter_hold(context, values[0]);
}

/* NULL forgets the secret. */
static void set_key(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct connection *connection = connection_of(context);

    connection->has_secret = false;
    memset(connection->secret, 0, sizeof connection->secret);
    if (any_null(n, values))
        return;
    const void *bytes = sqlite3_value_blob(values[0]);
    if (sqlite3_value_type(values[0]) != SQLITE_BLOB || !bytes ||
        sqlite3_value_bytes(values[0]) != NINHO_SECRET_BYTES) {
        sqlite3_result_error(context, "ninho: a key is a BLOB of 16 bytes", -1);
        return;
    }
    memcpy(connection->secret, bytes, NINHO_SECRET_BYTES);
    connection->has_secret = true;
    sqlite3_result_int(context, 1);
}

static void version(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    (void)values;
    sqlite3_result_text(context, ninho_version(), -1, SQLITE_STATIC);
}

/* A function that was registered is gone. */
static void release(void *connection)
{
    connection_release(connection);
}

/* Where SQLite's functions are: one place for all connections, which threads may load at the same time. */
static void remember_api(const sqlite3_api_routines *api)
{
    sqlite3_mutex *const mutex = api->mutex_alloc(SQLITE_MUTEX_STATIC_APP3);

    api->mutex_enter(mutex);
    if (sqlite3_api != api)
        sqlite3_api = api;
    api->mutex_leave(mutex);
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int sqlite3_ninhosqlite_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);

int sqlite3_ninhosqlite_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    static const int pure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    static const int direct = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    static const struct {
        const char *name;
        int n;
        int flags;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*final)(sqlite3_context *);
    } functions[] = {
        {"ninho_build", 1, pure, NULL, build_step, build_final},
        {"ninho_build", 2, pure, NULL, build_step, build_final},
        {"ninho_build", 3, pure, NULL, build_step, build_final},
        {"ninho_build", 4, pure, NULL, build_step, build_final},
        {"ninho_has", 2, pure, has, NULL, NULL},
        {"ninho_add", 2, pure, add, NULL, NULL},
        {"ninho_remove", 2, pure, remove_one, NULL, NULL},
        {"ninho_union", 1, pure, NULL, union_step, union_final},
        {"ninho_union", -1, pure, union_of, NULL, NULL},
        {"ninho_info", 1, pure, info, NULL, NULL},
        {"ninho_open", 1, pure, open_filter, NULL, NULL},
        {"ninho_key", 1, direct, set_key, NULL, NULL},
        {"ninho_version", 0, pure, version, NULL, NULL},
    };

    remember_api(api);
    (void)error;
    struct connection *connection = sqlite3_malloc(sizeof *connection);
    if (!connection)
        return SQLITE_NOMEM;
    *connection = (struct connection){.db = db, .n_users = 1};
    int status = SQLITE_OK;
    size_t n = 0;
    for (; n < sizeof functions / sizeof *functions && status == SQLITE_OK; n++) {
        connection->n_users++; /* released by SQLite, also if this fails */
        status = sqlite3_create_function_v2(
            db, functions[n].name, functions[n].n, functions[n].flags, connection,
            functions[n].function, functions[n].step, functions[n].final, release);
    }
    /* After a failure SQLite unloads this code: what was registered must not stay. */
    while (status != SQLITE_OK && n-- > 0)
        (void)sqlite3_create_function_v2(db, functions[n].name, functions[n].n,
                                         functions[n].flags, NULL, NULL, NULL, NULL,
                                         NULL);
    connection_release(connection);
    return status;
}
