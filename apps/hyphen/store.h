/* SPDX-License-Identifier: MIT */
/* Where exceptions are kept: one small interface; behind it a dictionary, in memory or in a file,
 * and LMDB.
 *
 * A key is the word in small letters, UTF-8, without hyphens. Its value is a set of breaks: bit i
 * for one behind the i-th letter, 0 < i < 63. */
#ifndef NINHO_HYPHEN_STORE_H
#define NINHO_HYPHEN_STORE_H

#include "apps/base/base.h"
#include "exceptions.h"

#define HY_MAX_KEY (4 * NINHO_HYPHEN_TEX_LETTERS)

struct hy_store;
struct hy_reader; /* a thread's own way into a store; NULL where it needs none */

/* Called for each key; anything but NINHO_OK ends the walk. */
typedef ninho_status (*hy_visitor)(void *context, const void *key, size_t size);

struct hy_store_ops {
    void (*free)(struct hy_store *store);
    /* Both NULL where a thread needs no way of its own. */
    ninho_status (*open_reader)(const struct hy_store *store, const ninho_alloc *alloc,
                                struct hy_reader **out, ninho_error *error);
    void (*close_reader)(const ninho_alloc *alloc, struct hy_reader *reader);
    /* NINHO_OK, NINHO_ERR_NOT_FOUND, or what went wrong. `reader` may be NULL: slower. */
    ninho_status (*get)(const struct hy_store *store, struct hy_reader *reader,
                        const void *key, size_t size, uint64_t *breaks,
                        ninho_error *error);
    /* All or nothing: the n keys that lie one after another, with their sizes; of two that are
     * the same the later wins. n may be 0: a new file is then marked as ours. */
    ninho_status (*put)(struct hy_store *store, const uint8_t *keys, const uint8_t *sizes,
                        const uint64_t *breaks, size_t n, ninho_error *error);
    ninho_status (*remove)(struct hy_store *store, const void *key, size_t size,
                           ninho_error *error);
    ninho_status (*each)(const struct hy_store *store, hy_visitor visitor, void *context,
                         ninho_error *error);
    /* Reads again what other processes have changed; NULL where that happens by itself. On failure
     * the store is as before. */
    ninho_status (*refresh)(struct hy_store *store, ninho_error *error);
    /* Whether nothing has ever been put into it. */
    bool (*is_new)(const struct hy_store *store);
    uint64_t (*count)(const struct hy_store *store);
    uint64_t (*bytes)(const struct hy_store *store);
};

struct hy_store { /* first member of each */
    const struct hy_store_ops *ops;
};

/* The path that `path` leads to, links followed, so that one store has one lock whatever it is called;
 * a path that does not exist yet is itself. The caller's to free(). NULL and errno: no memory, or a
 * link to nothing. */
char *hy_real_path(const char *path);

/* Whether these first bytes are those of an LMDB file: its magic number stands behind the header of
 * its first page. */
#define HY_LMDB_MAGIC 0xBEEFC0DE
bool hy_is_lmdb(const uint8_t *bytes, size_t size);

#define HY_STORE_BYTES ((uint64_t)64 << 20) /* the default of max_bytes */

/* NINHO_ERR_NOMEM, ARG, IO, FORMAT, VERSION, CHECKSUM, UNSUPPORTED. */
ninho_status hy_store_dict(const ninho_hyphen_store_options *options,
                           const ninho_alloc *alloc, struct hy_store **out,
                           ninho_error *error);
ninho_status hy_store_file(const ninho_hyphen_store_options *options,
                           const ninho_alloc *alloc, struct hy_store **out,
                           ninho_error *error);
ninho_status hy_store_lmdb(const ninho_hyphen_store_options *options,
                           const ninho_alloc *alloc, struct hy_store **out,
                           ninho_error *error);

/* ---- What the stores in files share ------------------------------------------------- */

/* Copies the language that the options name to `language`, "" if they name none. NINHO_ERR_ARG if it
 * is too long. */
ninho_status hy_store_language(const ninho_hyphen_store_options *options,
                               char language[NINHO_HYPHEN_MAX_NAME + 1],
                               ninho_error *error);

/* NINHO_ERR_FORMAT if `size` bytes from a file do not name a language, or name another than
 * `wanted`; "" takes any. */
ninho_status hy_check_language(const void *stored, size_t size, const char *wanted,
                               ninho_error *error);

/* ---- What hyphenators use ---------------------------------------------------------- */

ninho_status hy_reader_open(const ninho_hyphen_exceptions *exceptions,
                            const ninho_alloc *alloc, struct hy_reader **out,
                            ninho_error *error);
void hy_reader_close(const ninho_hyphen_exceptions *exceptions, const ninho_alloc *alloc,
                     struct hy_reader *reader);

/* Filter first, then store; counts. Whether the word is an exception, and its breaks. */
bool hy_exceptions_ask(ninho_hyphenator *hyphenator, const void *key, size_t size,
                       uint64_t *breaks);

#endif
