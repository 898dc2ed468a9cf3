/* SPDX-License-Identifier: MIT */
/* Exceptions in LMDB: one file (and its lock beside it), one unnamed database in it, and in that a
 * mark which says whose it is, under a key that no word can be. A value is the set of breaks, 8
 * bytes, little-endian. */
#include "store.h"

#if NINHO_HYPHEN_WITH_LMDB

#include <errno.h>
#include <lmdb.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_MAX_BYTES ((uint64_t)64 << 20)
#define MAX_READERS       1024

struct lmdb_store {
    struct hy_store store;
    ninho_alloc alloc;
    MDB_env *env;
    MDB_dbi dbi;
};

struct hy_reader {
    MDB_txn *txn; /* reset between lookups, so that it never holds old pages */
};

static char mark_key[] = "\0ninho";
static char mark_value[] = "hyphen-exceptions 1";

static const struct lmdb_store *of(const struct hy_store *store)
{
    return (const struct lmdb_store *)(const void *)store;
}

static ninho_status fail(ninho_error *error, int code)
{
    switch (code) {
    case 0:
        return NINHO_OK;
    case MDB_NOTFOUND:
        return NINHO_ERR_NOT_FOUND;
    case ENOMEM:
        return hy_no_memory(error);
    case MDB_MAP_FULL:
        return hy_fail(error, NINHO_ERR_FULL,
                       "exceptions: the LMDB file has reached max_bytes");
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INCOMPATIBLE:
        return hy_fail(error, NINHO_ERR_FORMAT, "exceptions: %s", mdb_strerror(code));
    default:
        hy_say(error, NINHO_ERR_IO, "exceptions: %s", mdb_strerror(code));
        if (error && code > 0)
            error->system_errno = code;
        return NINHO_ERR_IO;
    }
}

static MDB_val value_of(const void *bytes, size_t size)
{
    /* LMDB's type has no const; what is passed in through it is only read. */
    MDB_val value = {.mv_size = size};
    memcpy(&value.mv_data, &bytes, sizeof bytes);
    return value;
}

static void lmdb_free(struct hy_store *store)
{
    struct lmdb_store *self = (struct lmdb_store *)(void *)store;
    const ninho_alloc alloc = self->alloc;
    if (self->env)
        mdb_env_close(self->env);
    hy_free(&alloc, self, sizeof *self);
}

/* ---- Reading ----------------------------------------------------------------------- */

static ninho_status lmdb_open_reader(const struct hy_store *store,
                                     const ninho_alloc *alloc, struct hy_reader **out,
                                     ninho_error *error)
{
    struct hy_reader *reader = hy_alloc(alloc, sizeof *reader);

    if (!reader)
        return hy_no_memory(error);
    const int code = mdb_txn_begin(of(store)->env, NULL, MDB_RDONLY, &reader->txn);
    if (code) {
        hy_free(alloc, reader, sizeof *reader);
        return fail(error, code);
    }
    mdb_txn_reset(reader->txn);
    *out = reader;
    return NINHO_OK;
}

static void lmdb_close_reader(const ninho_alloc *alloc, struct hy_reader *reader)
{
    mdb_txn_abort(reader->txn);
    hy_free(alloc, reader, sizeof *reader);
}

static ninho_status read_value(const MDB_val *value, uint64_t *breaks, ninho_error *error)
{
    const uint8_t *bytes = value->mv_data;

    if (value->mv_size != 8)
        return hy_fail(error, NINHO_ERR_FORMAT, "exceptions: a value of %zu bytes, not 8",
                       value->mv_size);
    *breaks = 0;
    for (unsigned i = 0; i < 8; i++)
        *breaks |= (uint64_t)bytes[i] << (8 * i);
    return NINHO_OK;
}

static ninho_status lmdb_get(const struct hy_store *store, struct hy_reader *reader,
                             const void *key, size_t size, uint64_t *breaks,
                             ninho_error *error)
{
    MDB_val key_value = value_of(key, size), found;
    MDB_txn *txn = reader ? reader->txn : NULL;

    int code = reader ? mdb_txn_renew(txn)
                      : mdb_txn_begin(of(store)->env, NULL, MDB_RDONLY, &txn);
    if (code)
        return fail(error, code);
    code = mdb_get(txn, of(store)->dbi, &key_value, &found);
    const ninho_status status =
        code ? fail(error, code) : read_value(&found, breaks, error);
    if (reader)
        mdb_txn_reset(txn);
    else
        mdb_txn_abort(txn);
    return status;
}

static ninho_status lmdb_each(const struct hy_store *store, hy_visitor visitor,
                              void *context, ninho_error *error)
{
    MDB_cursor *cursor = NULL;
    MDB_txn *txn = NULL;
    ninho_status status = NINHO_OK;
    MDB_val key, value;

    int code = mdb_txn_begin(of(store)->env, NULL, MDB_RDONLY, &txn);
    if (!code)
        code = mdb_cursor_open(txn, of(store)->dbi, &cursor);
    while (!code && !status) {
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
        if (!code && ((const char *)key.mv_data)[0] != '\0')
            status = visitor(context, key.mv_data, key.mv_size);
    }
    if (cursor)
        mdb_cursor_close(cursor);
    if (txn)
        mdb_txn_abort(txn);
    if (status || code == MDB_NOTFOUND)
        return status;
    return fail(error, code);
}

static uint64_t lmdb_count(const struct hy_store *store)
{
    MDB_txn *txn;
    MDB_stat about;
    uint64_t count = 0;

    if (mdb_txn_begin(of(store)->env, NULL, MDB_RDONLY, &txn))
        return 0;
    if (mdb_stat(txn, of(store)->dbi, &about) == 0 && about.ms_entries > 0)
        count = about.ms_entries - 1; /* the mark */
    mdb_txn_abort(txn);
    return count;
}

static uint64_t lmdb_bytes(const struct hy_store *store)
{
    struct stat about;
    mdb_filehandle_t fd;

    if (mdb_env_get_fd(of(store)->env, &fd) || fstat(fd, &about))
        return 0;
    return (uint64_t)about.st_size;
}

/* ---- Writing ----------------------------------------------------------------------- */

static ninho_status lmdb_put(struct hy_store *store, const uint8_t *keys,
                             const uint8_t *sizes, const uint64_t *breaks, size_t n,
                             ninho_error *error)
{
    MDB_txn *txn;

    if (n == 0)
        return NINHO_OK;
    int code = mdb_txn_begin(of(store)->env, NULL, 0, &txn);
    if (code)
        return fail(error, code);
    for (size_t i = 0; i < n && !code; i++) {
        uint8_t bytes[8];
        for (unsigned k = 0; k < 8; k++)
            bytes[k] = (uint8_t)(breaks[i] >> (8 * k));
        MDB_val key = value_of(keys, sizes[i]), value = value_of(bytes, sizeof bytes);
        code = mdb_put(txn, of(store)->dbi, &key, &value, 0);
        keys += sizes[i];
    }
    if (code)
        mdb_txn_abort(txn);
    else
        code = mdb_txn_commit(txn);
    return fail(error, code);
}

static ninho_status lmdb_remove(struct hy_store *store, const void *key, size_t size,
                                ninho_error *error)
{
    MDB_val key_value = value_of(key, size);
    MDB_txn *txn;

    int code = mdb_txn_begin(of(store)->env, NULL, 0, &txn);
    if (code)
        return fail(error, code);
    code = mdb_del(txn, of(store)->dbi, &key_value, NULL);
    if (code)
        mdb_txn_abort(txn);
    else
        code = mdb_txn_commit(txn);
    return fail(error, code);
}

/* ---- Opening ----------------------------------------------------------------------- */

/* An empty database gets the mark; another must have it. */
static ninho_status check_mark(struct lmdb_store *self, ninho_error *error)
{
    MDB_val key = value_of(mark_key, sizeof mark_key - 1), found;
    const MDB_val mark = value_of(mark_value, sizeof mark_value - 1);
    MDB_stat about;
    MDB_txn *txn;

    int code = mdb_txn_begin(self->env, NULL, 0, &txn);
    if (code)
        return fail(error, code);
    code = mdb_dbi_open(txn, NULL, 0, &self->dbi);
    if (!code)
        code = mdb_stat(txn, self->dbi, &about);
    if (!code && about.ms_entries == 0) {
        MDB_val value = mark;
        code = mdb_put(txn, self->dbi, &key, &value, 0);
    } else if (!code) {
        code = mdb_get(txn, self->dbi, &key, &found);
        if (code == MDB_NOTFOUND ||
            (!code && (found.mv_size != mark.mv_size ||
                       memcmp(found.mv_data, mark.mv_data, mark.mv_size) != 0))) {
            mdb_txn_abort(txn);
            return hy_fail(error, NINHO_ERR_FORMAT,
                           "exceptions: an LMDB file with other things in it");
        }
    }
    if (code)
        mdb_txn_abort(txn);
    else
        code = mdb_txn_commit(txn);
    return fail(error, code);
}

static const struct hy_store_ops lmdb_ops = {.free = lmdb_free,
                                             .open_reader = lmdb_open_reader,
                                             .close_reader = lmdb_close_reader,
                                             .get = lmdb_get,
                                             .put = lmdb_put,
                                             .remove = lmdb_remove,
                                             .each = lmdb_each,
                                             .count = lmdb_count,
                                             .bytes = lmdb_bytes};

ninho_status hy_store_lmdb(const ninho_hyphen_store_options *options,
                           const ninho_alloc *alloc, struct hy_store **out,
                           ninho_error *error)
{
    const uint64_t max_bytes =
        options->max_bytes ? options->max_bytes : DEFAULT_MAX_BYTES;

    if (!options->path)
        return hy_fail(error, NINHO_ERR_ARG, "exceptions: an LMDB store needs a path");
    if (max_bytes > (uint64_t)PTRDIFF_MAX)
        return hy_fail(error, NINHO_ERR_ARG, "exceptions: max_bytes cannot be mapped");
    struct lmdb_store *self = hy_alloc(alloc, sizeof *self);
    if (!self)
        return hy_no_memory(error);
    *self = (struct lmdb_store){.store = {.ops = &lmdb_ops}, .alloc = *alloc};
    int code = mdb_env_create(&self->env);
    if (!code)
        code = mdb_env_set_mapsize(self->env, (size_t)max_bytes);
    if (!code)
        code = mdb_env_set_maxreaders(self->env, MAX_READERS);
    if (!code)
        code = mdb_env_open(self->env, options->path, MDB_NOSUBDIR | MDB_NOTLS, 0666);
    const ninho_status status = code ? fail(error, code) : check_mark(self, error);
    if (status) {
        lmdb_free(&self->store);
        return status;
    }
    *out = &self->store;
    return NINHO_OK;
}

#else

ninho_status hy_store_lmdb(const ninho_hyphen_store_options *options,
                           const ninho_alloc *alloc, struct hy_store **out,
                           ninho_error *error)
{
    (void)options;
    (void)alloc;
    (void)out;
    return hy_fail(error, NINHO_ERR_UNSUPPORTED,
                   "exceptions: this program was built without LMDB (liblmdb-dev)");
}

#endif
