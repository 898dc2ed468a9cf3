/* SPDX-License-Identifier: MIT */
/* Exceptions outside the automaton: a store that can change while the program runs, with a
 * filter in front of it.
 *
 *      word --> filter --certainly not--> patterns
 *                 |maybe
 *                 v
 *               store ---not there------> patterns     (a false positive: one lookup lost)
 *                 |there
 *                 v
 *               its breaks
 *
 * A filter never changes an answer: it has no false negatives, and after a false positive the
 * store is right. What it changes is how often the store is asked.
 *
 * Exceptions are kept under the word in small letters. The store is a dictionary in memory; the
 * same in a file, which stays when the program ends; or LMDB, an embedded database in a file.
 *
 * Threads: many readers (hyphenators, and calls that take a const pointer) or one writer. */
#ifndef NINHO_HYPHEN_EXCEPTIONS_H
#define NINHO_HYPHEN_EXCEPTIONS_H

#include "hyphen.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ninho_hyphen_store {
    NINHO_HYPHEN_DICT = 1, /* in memory */
    NINHO_HYPHEN_LMDB = 2, /* in a database: see NINHO_HYPHEN_TRUST */
    NINHO_HYPHEN_FILE = 3  /* in a file of the library's own format */
} ninho_hyphen_store;

/* "dict", "lmdb", "file"; NULL for another number. */
NINHO_API const char *ninho_hyphen_store_name(ninho_hyphen_store store);

/* Whether this library was built with that store: LMDB is optional. Any thread. */
NINHO_API bool ninho_hyphen_has_store(ninho_hyphen_store store);

typedef enum ninho_hyphen_trust {
    NINHO_HYPHEN_CHECK = 0, /* a file must be what its checksum says */
    NINHO_HYPHEN_TRUST = 1  /* lmdb: it is opened as it is, and gets a checksum */
} ninho_hyphen_trust;

/* Start from NINHO_HYPHEN_STORE_OPTIONS_INIT; NULL means all defaults. */
typedef struct ninho_hyphen_store_options {
    size_t size_of_struct;
    ninho_hyphen_store store; /* 0: dict */
    ninho_dict_kind dict;     /* dict, and a new file: which; 0: probe */
    /* file, lmdb: the file; made if it is not there. A file that may not be written is read, if all
     * that should go into it is there already.
     *
     * file: a dictionary (docs/format.md) that is read whole and checked when it is opened. Each
     * change reads it again, so that none of another process's is lost, and replaces it whole, as
     * <ninho/file.h> says: under the path there is always the old file or the new one. What other
     * processes change is seen after ninho_hyphen_exceptions_rebuild(), or a change of one's own.
     * Any damage is NINHO_ERR_FORMAT or NINHO_ERR_CHECKSUM.
     *
     * lmdb: its lock, path-lock, and its checksum, path-sum, stand beside it; the lock must be
     * writable unless the whole file system is not. One process may have a file open only once
     * (LMDB's rule): NINHO_ERR_ARG. */
    const char *path;
    uint64_t max_bytes; /* file, lmdb: the most the file may grow to; 0: 64 MiB */
    /* The filter: none if `kind` is 0. `fpr` 0: 0.01 (unless n_bits or tag_bits is given).
     * `capacity` 0: as many as there are, or 1,024 if that is more; a filter that is full is
     * built anew, twice as large, and so is one that is only built (fuse) at each add. Keys are
     * bytes. */
    ninho_spec filter;
    /* What a new store begins with, before `rules`; NULL: nothing. A file that was there already
     * is left alone, so a word that was taken out of it does not come back. */
    const ninho_hyphen_rules *defaults;
    /* file, lmdb: the language of the exceptions, "en-us" say. It is written into a new file; a file
     * of another language is NINHO_ERR_FORMAT. NULL or "": not asked for, and not written; a file
     * that was made so takes any. At most NINHO_HYPHEN_MAX_NAME printable ASCII bytes, or
     * NINHO_ERR_ARG. */
    const char *language;
    ninho_hyphen_trust trust;
} ninho_hyphen_store_options;
#define NINHO_HYPHEN_STORE_OPTIONS_INIT NINHO_INIT_(ninho_hyphen_store_options)

/* A store with the exceptions of `rules` in it (NULL: none), besides those that a file has already;
 * of two for one word the rules' wins. *out is the caller's, to be freed with
 * ninho_hyphen_exceptions_free(). NINHO_ERR_ARG, NINHO_ERR_NOMEM, NINHO_ERR_IO (the error says
 * what), NINHO_ERR_FORMAT (a file that is no store, has other things in it, or another language),
 * NINHO_ERR_CHECKSUM (a damaged file), NINHO_ERR_VERSION, NINHO_ERR_UNSUPPORTED (built without
 * LMDB), and what making a filter answers. `alloc` may be NULL; it is copied; LMDB has memory of its
 * own. A new file gets all it begins with at once. What the filter cannot be is told before a file is
 * touched.
 *
 * LMDB reads its file as memory and believes what stands there. Each change therefore writes a
 * checksum of the whole file beside it, and a file is compared with it before LMDB opens it. That
 * finds damage, not malice: a file and a checksum that were both made to deceive can end the process,
 * and so can a file that is damaged or shortened while it is open. A process that ends between a change and its
 * checksum leaves a file that is refused: if mdb_dump reads it, NINHO_HYPHEN_TRUST opens it. The
 * store in a file of our own has none of this. */
NINHO_API ninho_status ninho_hyphen_exceptions_create(
    const ninho_hyphen_store_options *options, const ninho_hyphen_rules *rules,
    const ninho_alloc *alloc, ninho_hyphen_exceptions **out, ninho_error *error);
NINHO_API void ninho_hyphen_exceptions_free(ninho_hyphen_exceptions *exceptions);

/* Adds an exception, "ta-ble", or gives the word new breaks. The filter learns it first, so that
 * there is never a false negative. NINHO_ERR_ARG as for ninho_hyphen_rules_add_exception();
 * NINHO_ERR_NOMEM, IO, FULL, BUILD: the store is as before. */
NINHO_API ninho_status ninho_hyphen_exceptions_add(ninho_hyphen_exceptions *exceptions,
                                                   const char *word, size_t size,
                                                   ninho_error *error);

/* Takes an exception out: the word, with or without its hyphens. NINHO_ERR_NOT_FOUND, with
 * nothing changed, if there is none. After NINHO_OK, `filter` (may be NULL) tells what the
 * filter did: filter->status is NINHO_OK if it forgot the word too (or there is no filter),
 * NINHO_ERR_UNSUPPORTED, with a sentence, if its kind cannot, and what else the filter answered
 * if it should have and did not: it then goes on saying maybe for that word, which costs a
 * lookup and changes no answer. ninho_hyphen_exceptions_rebuild() makes it forget, and so does
 * an addition that finds it full of such words. Kinds with NINHO_CAN_REMOVE forget at once. */
NINHO_API ninho_status ninho_hyphen_exceptions_remove(ninho_hyphen_exceptions *exceptions,
                                                      const char *word, size_t size,
                                                      ninho_error *filter,
                                                      ninho_error *error);

/* Reads a file again that another process may have changed, and makes the filter anew from what is
 * in the store: after removals that it could not follow, or such a change (which the filter cannot
 * know, in LMDB's file neither: until then words added there are not found). On failure what was
 * there stays. */
NINHO_API ninho_status
ninho_hyphen_exceptions_rebuild(ninho_hyphen_exceptions *exceptions, ninho_error *error);

/* Whether there is an exception for the word (any case of letters, no hyphens), the store asked
 * without the filter; if so copies it, "ta-ble", to out as ninho_hyphen_rules_exception() does
 * (out may be NULL if capacity is 0). */
NINHO_API bool ninho_hyphen_exceptions_get(const ninho_hyphen_exceptions *exceptions,
                                           const char *word, size_t size, char *out,
                                           size_t capacity);

typedef struct ninho_hyphen_store_info {
    size_t size_of_struct; /* set by the caller: NINHO_HYPHEN_STORE_INFO_INIT */
    ninho_hyphen_store store;
    uint64_t count;
    uint64_t store_bytes; /* memory of the dictionary, or size of the file */
    ninho_kind filter;    /* 0: none */
    uint32_t filter_can;
    uint64_t filter_bytes; /* of its table */
    uint64_t filter_capacity;
    double fpr_target;
    double fpr_expected;
    uint64_t n_stale; /* removed words that the filter still says maybe for */
} ninho_hyphen_store_info;
#define NINHO_HYPHEN_STORE_INFO_INIT NINHO_INIT_(ninho_hyphen_store_info)

NINHO_API ninho_status ninho_hyphen_store_info_of(
    const ninho_hyphen_exceptions *exceptions, ninho_hyphen_store_info *info);

#ifdef __cplusplus
}
#endif

#endif
