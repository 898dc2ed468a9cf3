/* SPDX-License-Identifier: MIT */
/* Exceptions in LMDB: one file (its lock and its checksum beside it), one unnamed database in it, and
 * in that a mark which says whose it is and, if it was named, the language, under keys that no word can be.
 * A value is the set of breaks, 8 bytes, little-endian. */
#include "lmdb_sum.h"
#include "store.h"

#if NINHO_HYPHEN_WITH_LMDB

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_READERS 1024

struct lmdb_store {
    struct hy_store store;
    ninho_alloc alloc;
    struct hy_sum sum;
    MDB_env *env;
    mdb_filehandle_t file;
    MDB_dbi dbi;
    struct lmdb_store *next; /* of those that this process has open */
    dev_t device;            /* with `inode`: which file it is */
    ino_t inode;
    bool is_new;                              /* empty, and not marked as ours yet */
    size_t n_reserved;                        /* records that are no words */
    char language[NINHO_HYPHEN_MAX_NAME + 1]; /* "": not named */
};

struct hy_reader {
    MDB_txn *txn; /* reset between lookups, so that it never holds old pages */
};

static char mark_key[] = "\0ninho";
static char mark_value[] = "hyphen-exceptions 1";
static char language_key[] = "\0language";

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
        return na_no_memory(error);
    case MDB_MAP_FULL:
        return na_fail(error, NINHO_ERR_FULL,
                       "exceptions: the LMDB file has reached max_bytes");
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INCOMPATIBLE:
        return na_fail(error, NINHO_ERR_FORMAT, "exceptions: %s", mdb_strerror(code));
    default:
        (void)ninho_error_set(error, NINHO_ERR_IO, "exceptions: %s", mdb_strerror(code));
        if (error && code > 0)
            error->system_errno = code;
        return NINHO_ERR_IO;
    }
}

/* LMDB must not have a file open twice in one process: closing one drops the other's locks. */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct lmdb_store *open_stores;

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

    pthread_mutex_lock(&open_lock);
    for (struct lmdb_store **at = &open_stores; *at; at = &(*at)->next) {
        if (*at == self) {
            *at = self->next;
            break;
        }
    }
    if (self->env)
        mdb_env_close(self->env);
    hy_sum_close(&self->sum);
    pthread_mutex_unlock(&open_lock);
    na_free(&alloc, self, 1, sizeof *self);
}

/* ---- Reading ----------------------------------------------------------------------- */

static ninho_status lmdb_open_reader(const struct hy_store *store,
                                     const ninho_alloc *alloc, struct hy_reader **out,
                                     ninho_error *error)
{
    struct hy_reader *reader = na_alloc(alloc, 1, sizeof *reader);

    if (!reader)
        return na_no_memory(error);
    const int code = mdb_txn_begin(of(store)->env, NULL, MDB_RDONLY, &reader->txn);
    if (code) {
        na_free(alloc, reader, 1, sizeof *reader);
        return fail(error, code);
    }
    mdb_txn_reset(reader->txn);
    *out = reader;
    return NINHO_OK;
}

static void lmdb_close_reader(const ninho_alloc *alloc, struct hy_reader *reader)
{
    mdb_txn_abort(reader->txn);
    na_free(alloc, reader, 1, sizeof *reader);
}

static ninho_status read_value(const MDB_val *value, uint64_t *breaks, ninho_error *error)
{
    const uint8_t *bytes = value->mv_data;

    if (value->mv_size != 8)
        return na_fail(error, NINHO_ERR_FORMAT, "exceptions: a value of %zu bytes, not 8",
                       value->mv_size);
    *breaks = 0;
    for (unsigned i = 0; i < 8; i++)
        *breaks |= (uint64_t)bytes[i] << (8 * i);
    if (*breaks & (1 | UINT64_C(1) << 63))
        return na_fail(error, NINHO_ERR_FORMAT, "exceptions: a break outside the word");
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
        if (code)
            break;
        if (key.mv_size == 0 || key.mv_size > HY_MAX_KEY)
            status = na_fail(error, NINHO_ERR_FORMAT, "exceptions: a word of %zu bytes",
                             key.mv_size);
        else if (((const char *)key.mv_data)[0] != '\0')
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
    if (mdb_stat(txn, of(store)->dbi, &about) == 0 &&
        about.ms_entries > of(store)->n_reserved)
        count = about.ms_entries - of(store)->n_reserved;
    mdb_txn_abort(txn);
    return count;
}

static bool lmdb_is_new(const struct hy_store *store)
{
    return of(store)->is_new;
}

static uint64_t lmdb_bytes(const struct hy_store *store)
{
    struct stat about;

    return fstat(of(store)->file, &about) ? 0 : (uint64_t)about.st_size;
}

/* ---- Whose file it is -------------------------------------------------------------- */

static ninho_status check_language(struct lmdb_store *self, MDB_txn *txn,
                                   ninho_error *error)
{
    MDB_val key = value_of(language_key, sizeof language_key - 1), found;

    const int code = mdb_get(txn, self->dbi, &key, &found);
    if (code == MDB_NOTFOUND)
        return NINHO_OK;
    if (code)
        return fail(error, code);
    self->n_reserved = 2;
    return hy_check_language(found.mv_data, found.mv_size, self->language, error);
}

/* An empty database is new; another must have the mark, and our language. */
static ninho_status check_mark(struct lmdb_store *self, MDB_txn *txn, ninho_error *error)
{
    MDB_val key = value_of(mark_key, sizeof mark_key - 1), found;
    MDB_stat about;

    int code = mdb_stat(txn, self->dbi, &about);
    self->is_new = !code && about.ms_entries == 0;
    if (code || self->is_new)
        return fail(error, code);
    self->n_reserved = 1;
    code = mdb_get(txn, self->dbi, &key, &found);
    if (code && code != MDB_NOTFOUND)
        return fail(error, code);
    if (code || found.mv_size != sizeof mark_value - 1 ||
        memcmp(found.mv_data, mark_value, found.mv_size) != 0)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "exceptions: an LMDB file with other things in it");
    return check_language(self, txn, error);
}

static int write_mark(struct lmdb_store *self, MDB_txn *txn)
{
    MDB_val key = value_of(mark_key, sizeof mark_key - 1);
    MDB_val value = value_of(mark_value, sizeof mark_value - 1);

    int code = mdb_put(txn, self->dbi, &key, &value, 0);
    self->n_reserved = 1;
    if (!code && self->language[0]) {
        key = value_of(language_key, sizeof language_key - 1);
        value = value_of(self->language, strlen(self->language));
        code = mdb_put(txn, self->dbi, &key, &value, 0);
        self->n_reserved = 2;
    }
    return code;
}

/* Marks a new file as ours, unless another process has done so since it was opened. */
static ninho_status claim(struct lmdb_store *self, MDB_txn *txn, ninho_error *error)
{
    const ninho_status status = check_mark(self, txn, error);

    return status || !self->is_new ? status : fail(error, write_mark(self, txn));
}

/* ---- Writing ----------------------------------------------------------------------- */

/* The bytes that the file must have by what it says of itself. */
static int promised_bytes(MDB_env *env, uint64_t *bytes)
{
    MDB_envinfo info;
    MDB_stat about;

    int code = mdb_env_stat(env, &about);
    if (!code)
        code = mdb_env_info(env, &info);
    if (code)
        return code;
    if (about.ms_psize == 0 || info.me_last_pgno >= (uint64_t)INT64_MAX / about.ms_psize)
        return MDB_CORRUPTED;
    *bytes = ((uint64_t)info.me_last_pgno + 1) * about.ms_psize;
    return 0;
}

/* LMDB does not write a page that was made and given up in one transaction, and if it is the last
 * one the file ends before it. A file that we wrote is as long as it says, so that one which was
 * cut short can be told. What fails here has harmed nothing. */
static void fill_up(const struct lmdb_store *self)
{
    uint64_t bytes;

    if (promised_bytes(self->env, &bytes) == 0 && lmdb_bytes(&self->store) < bytes)
        (void)posix_fallocate(self->file, (off_t)(bytes - 1),
                              1); /* it never makes it shorter */
}

/* Whether all of it is there already, so that nothing need be written. */
static bool has_all(const struct hy_store *store, const uint8_t *keys,
                    const uint8_t *sizes, const uint64_t *breaks, size_t n)
{
    uint64_t there = 0;

    for (size_t i = 0; i < n; i++) {
        if (lmdb_get(store, NULL, keys, sizes[i], &there, NULL) || there != breaks[i])
            return false;
        keys += sizes[i];
    }
    return true;
}

/* With the lock on the checksum held, which is written behind the change. */
static ninho_status commit(const struct lmdb_store *self, MDB_txn *txn, int code,
                           ninho_error *error)
{
    if (code)
        mdb_txn_abort(txn);
    else
        code = mdb_txn_commit(txn);
    if (code)
        return fail(error, code);
    fill_up(self);
    return hy_sum_write(&self->sum, self->file, error);
}

static ninho_status put_locked(struct lmdb_store *self, const uint8_t *keys,
                               const uint8_t *sizes, const uint64_t *breaks, size_t n,
                               ninho_error *error)
{
    MDB_txn *txn;

    int code = mdb_txn_begin(self->env, NULL, 0, &txn);
    if (code)
        return fail(error, code);
    ninho_status status = self->is_new ? claim(self, txn, error) : NINHO_OK;
    if (status) {
        mdb_txn_abort(txn);
        return status;
    }
    for (size_t i = 0; i < n && !code; i++) {
        uint8_t bytes[8];
        for (unsigned k = 0; k < 8; k++)
            bytes[k] = (uint8_t)(breaks[i] >> (8 * k));
        MDB_val key = value_of(keys, sizes[i]), value = value_of(bytes, sizeof bytes);
        code = mdb_put(txn, self->dbi, &key, &value, 0);
        keys += sizes[i];
    }
    status = commit(self, txn, code, error);
    if (!status)
        self->is_new = false;
    return status;
}

static ninho_status lmdb_put(struct hy_store *store, const uint8_t *keys,
                             const uint8_t *sizes, const uint64_t *breaks, size_t n,
                             ninho_error *error)
{
    struct lmdb_store *self = (struct lmdb_store *)(void *)store;

    if (!self->is_new && has_all(store, keys, sizes, breaks, n))
        return NINHO_OK;
    ninho_status status = hy_sum_lock(&self->sum, self->file, error);
    if (status)
        return status;
    status = put_locked(self, keys, sizes, breaks, n, error);
    hy_sum_unlock(&self->sum);
    return status;
}

static ninho_status lmdb_remove(struct hy_store *store, const void *key, size_t size,
                                ninho_error *error)
{
    const struct lmdb_store *self = of(store);
    MDB_val key_value = value_of(key, size);
    MDB_txn *txn;

    ninho_status status = hy_sum_lock(&self->sum, self->file, error);
    if (status)
        return status;
    const int code = mdb_txn_begin(self->env, NULL, 0, &txn);
    status = code ? fail(error, code)
                  : commit(self, txn, mdb_del(txn, self->dbi, &key_value, NULL), error);
    hy_sum_unlock(&self->sum);
    return status;
}

/* ---- Opening ----------------------------------------------------------------------- */

/* A page past the file's end would end the process: LMDB reads the file as memory. */
static ninho_status check_length(const struct lmdb_store *self, ninho_error *error)
{
    uint64_t promised;

    const int code = promised_bytes(self->env, &promised);
    if (code)
        return fail(error, code);
    const uint64_t bytes = lmdb_bytes(&self->store);
    if (bytes < promised)
        return na_fail(error, NINHO_ERR_FORMAT,
                       "exceptions: the file was cut short: %llu bytes of %llu",
                       (unsigned long long)bytes, (unsigned long long)promised);
    return NINHO_OK;
}

static ninho_status open_database(struct lmdb_store *self, ninho_error *error)
{
    MDB_txn *txn;

    ninho_status status = check_length(self, error);
    if (status)
        return status;
    int code = mdb_txn_begin(self->env, NULL, MDB_RDONLY, &txn);
    if (code)
        return fail(error, code);
    code = mdb_dbi_open(txn, NULL, 0, &self->dbi);
    status = code ? fail(error, code) : check_mark(self, txn, error);
    if (status) {
        mdb_txn_abort(txn);
        return status;
    }
    return fail(error, mdb_txn_commit(txn));
}

static int open_environment(struct lmdb_store *self, const char *path, size_t max_bytes,
                            unsigned flags)
{
    int code = mdb_env_create(&self->env);
    if (!code)
        code = mdb_env_set_mapsize(self->env, max_bytes);
    if (!code)
        code = mdb_env_set_maxreaders(self->env, MAX_READERS);
    if (!code)
        code = mdb_env_open(self->env, path, MDB_NOSUBDIR | MDB_NOTLS | flags, 0666);
    if (code && self->env) {
        mdb_env_close(self->env); /* the only thing to do with one that did not open */
        self->env = NULL;
    }
    return code;
}

/* With open_lock held. */
static bool is_open_here(const struct stat *about)
{
    for (const struct lmdb_store *at = open_stores; at; at = at->next)
        if (at->device == about->st_dev && at->inode == about->st_ino)
            return true;
    return false;
}

/* What may not be written is read. */
static ninho_status open_mapped(struct lmdb_store *self, const char *path,
                                size_t max_bytes, ninho_error *error)
{
    int code = open_environment(self, path, max_bytes, 0);

    if ((code == EACCES || code == EROFS) &&
        open_environment(self, path, max_bytes, MDB_RDONLY) == 0)
        code = 0;
    if (!code)
        code = mdb_env_get_fd(self->env, &self->file);
    return fail(error, code);
}

/* With open_lock held, so that nobody in this process closes a descriptor that holds a lock. */
static ninho_status open_checked(struct lmdb_store *self, const char *path,
                                 bool is_trusted, size_t max_bytes, ninho_error *error)
{
    struct stat about;

    if (stat(path, &about) == 0 && is_open_here(&about))
        return na_fail(error, NINHO_ERR_ARG,
                       "exceptions: this process has the file open already");
    ninho_status status = hy_sum_open(&self->sum, path, is_trusted, &self->alloc, error);
    if (status)
        return status;
    const bool is_new = stat(path, &about) != 0 || about.st_size == 0;
    status = open_mapped(self, path, max_bytes, error);
    if (!status && (is_new || is_trusted))
        status = hy_sum_write(&self->sum, self->file, error);
    hy_sum_unlock(&self->sum);
    if (status)
        return status;
    if (fstat(self->file, &about) != 0)
        return fail(error, errno);
    self->device = about.st_dev;
    self->inode = about.st_ino;
    self->next = open_stores;
    open_stores = self;
    return NINHO_OK;
}

static ninho_status open_file(struct lmdb_store *self,
                              const ninho_hyphen_store_options *options, size_t max_bytes,
                              ninho_error *error)
{
    /* Its lock and checksum lie beside the file itself, and not beside a link to it. */
    char *path = hy_real_path(options->path);

    if (!path)
        return fail(error, errno);
    pthread_mutex_lock(&open_lock);
    const ninho_status status =
        open_checked(self, path, options->trust == NINHO_HYPHEN_TRUST, max_bytes, error);
    pthread_mutex_unlock(&open_lock);
    free(path);
    return status;
}

static const struct hy_store_ops lmdb_ops = {.free = lmdb_free,
                                             .open_reader = lmdb_open_reader,
                                             .close_reader = lmdb_close_reader,
                                             .get = lmdb_get,
                                             .put = lmdb_put,
                                             .remove = lmdb_remove,
                                             .each = lmdb_each,
                                             .is_new = lmdb_is_new,
                                             .count = lmdb_count,
                                             .bytes = lmdb_bytes};

ninho_status hy_store_lmdb(const ninho_hyphen_store_options *options,
                           const ninho_alloc *alloc, struct hy_store **out,
                           ninho_error *error)
{
    const uint64_t max_bytes = options->max_bytes ? options->max_bytes : HY_STORE_BYTES;

    if (!options->path)
        return na_fail(error, NINHO_ERR_ARG, "exceptions: an LMDB store needs a path");
    if (max_bytes > (uint64_t)PTRDIFF_MAX)
        return na_fail(error, NINHO_ERR_ARG, "exceptions: max_bytes cannot be mapped");
    struct lmdb_store *self = na_alloc(alloc, 1, sizeof *self);
    if (!self)
        return na_no_memory(error);
    *self = (struct lmdb_store){
        .store = {.ops = &lmdb_ops}, .alloc = *alloc, .sum = {.descriptor = -1}};
    ninho_status status = hy_store_language(options, self->language, error);
    if (!status)
        status = open_file(self, options, (size_t)max_bytes, error);
    if (!status)
        status = open_database(self, error);
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
    return na_fail(error, NINHO_ERR_UNSUPPORTED,
                   "exceptions: this program was built without LMDB (liblmdb-dev)");
}

#endif
