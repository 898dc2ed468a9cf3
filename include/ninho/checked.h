/* SPDX-License-Identifier: MIT */
/* Checked filters: a filter with the exact dictionary of its keys beside it.
 *
 * A filter alone cannot tell whether a key that is to be removed was ever added: removing one
 * that was not may take another key with it. A checked filter asks its dictionary first, so
 * that removal is safe and a set can be kept (each key once). In a file the dictionary is the
 * filter's attachment: programs that only ask open the filter alone, and never read it.
 *
 * Threads: many readers or one writer, as for filters. */
#ifndef NINHO_CHECKED_H
#define NINHO_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/alloc.h>
#include <ninho/dict.h>
#include <ninho/filter.h>
#include <ninho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ninho_checked ninho_checked;

/* What a set (each key once) takes of NINHO_META_BYTES: it says so in the metadata. */
#define NINHO_CHECKED_META_BYTES 20

/* ---- Life -------------------------------------------------------------------------- */

/* An empty checked filter of a kind that can remove keys. With spec.semantics NINHO_SET
 * (whatever the kind) each key is kept once; otherwise a copy for each add. *out is the
 * caller's, to be freed with ninho_checked_free(), and untouched on failure. Fails as
 * ninho_filter_create() does, and with NINHO_ERR_UNSUPPORTED for kinds that cannot remove and
 * for key encodings k-mer and hashes. `alloc` may be NULL; it is copied. Any thread. */
NINHO_API ninho_status ninho_checked_create(const ninho_spec *spec,
                                            const ninho_alloc *alloc, ninho_checked **out,
                                            ninho_error *error);

/* Puts a filter and the dictionary of its keys together: the value of each key is how many
 * copies the filter has of it. Takes both over; on failure they stay the caller's, unchanged. No
 * other call may change the keys of either from then on. NINHO_ERR_MISMATCH if they differ in key
 * encoding; NINHO_ERR_UNSUPPORTED as ninho_checked_create(), and for a filter that is read-only
 * and says otherwise than `semantics`; NINHO_ERR_KEY_MISSING for a sealed filter; NINHO_ERR_SPACE
 * if there is no room left for NINHO_CHECKED_META_BYTES; NINHO_ERR_ARG, NINHO_ERR_NOMEM. */
NINHO_API ninho_status ninho_checked_join(ninho_filter *filter, ninho_dict *dict,
                                          ninho_semantics semantics,
                                          const ninho_alloc *alloc, ninho_checked **out,
                                          ninho_error *error);

/* Makes a checked filter of one that was opened or decoded: its attachment is read as the
 * dictionary. Takes the filter over; on failure it stays the caller's. `options` may be NULL;
 * secret and alloc are used. NINHO_ERR_NOT_FOUND if there is no attachment; otherwise
 * as ninho_checked_join() and ninho_dict_decode(). Whether the two agree is not looked at:
 * before a file is changed and saved, ninho_checked_verify() tells. */
NINHO_API ninho_status ninho_checked_of(ninho_filter *filter,
                                        const ninho_open_options *options,
                                        ninho_checked **out, ninho_error *error);

/* The same of a file: ninho_filter_open() and ninho_checked_of(). Fails as they do; *out is
 * untouched then. Any thread. */
NINHO_API ninho_status ninho_checked_open(const char *path,
                                          const ninho_open_options *options,
                                          ninho_checked **out, ninho_error *error);

/* Whether a filter, a view say, has a dictionary with it, or what a newer ninho may call one. A
 * program that changes such a filter
 * by the calls of filter.h leaves the dictionary behind. Reads the dictionary's header only; false
 * for NULL. */
NINHO_API bool ninho_filter_is_checked(const ninho_filter *filter);

/* Frees both halves too; NULL is fine. */
NINHO_API void ninho_checked_free(ninho_checked *checked);

/* The two halves, to be asked and not changed; they live as long as `checked`. */
NINHO_API const ninho_filter *ninho_checked_filter(const ninho_checked *checked);
NINHO_API const ninho_dict *ninho_checked_dict(const ninho_checked *checked);

/* NINHO_SET: each key is kept once. */
NINHO_API ninho_semantics ninho_checked_semantics(const ninho_checked *checked);

/* ---- Keys -------------------------------------------------------------------------- */

/* Adds a key to both. *was_there (may be NULL) tells whether it was there before; a set is
 * unchanged then. NINHO_ERR_FULL, NINHO_ERR_NOMEM, NINHO_ERR_UNSUPPORTED (a mapped file) or
 * NINHO_ERR_ARG (not of the size that the key encoding asks for): nothing changed, *was_there
 * included. */
NINHO_API ninho_status ninho_checked_add_key(ninho_checked *checked, const void *key,
                                             size_t key_size, bool *was_there);

/* Takes one copy of a key out of both. NINHO_ERR_NOT_FOUND if it is not there, and nothing
 * has changed: this is exact. NINHO_ERR_FORMAT if the filter does not have what its dictionary
 * has (see ninho_checked_verify()). */
NINHO_API ninho_status ninho_checked_remove_key(ninho_checked *checked, const void *key,
                                                size_t key_size);

/* How many copies of a key there are, exactly; 0: none. */
NINHO_API uint64_t ninho_checked_copies(const ninho_checked *checked, const void *key,
                                        size_t key_size);

/* ---- The whole --------------------------------------------------------------------- */

/* Adds all of `source` to `target`, which is another one. Fails as ninho_filter_union() does,
 * and with NINHO_ERR_MISMATCH (NINHO_FIELD_SEMANTICS) if only one of them is a set, and with
 * NINHO_ERR_FORMAT if a filter and its dictionary do not agree; then nothing has changed. */
NINHO_API ninho_status ninho_checked_union(ninho_checked *target,
                                           const ninho_checked *source,
                                           ninho_error *error);

/* Checks filter and dictionary, and that they agree: every key of the dictionary is as often
 * in the filter, and the counts are equal. NINHO_ERR_FORMAT, NINHO_ERR_CHECKSUM. Reads
 * everything. */
NINHO_API ninho_status ninho_checked_verify(const ninho_checked *checked,
                                            ninho_error *error);

/* Writes the dictionary into the filter's attachment, so that ninho_checked_filter() can be
 * encoded, written or saved with it. To be called again after changes. NINHO_ERR_NOMEM;
 * NINHO_ERR_UNSUPPORTED if the filter is a mapped file. */
NINHO_API ninho_status ninho_checked_pack(ninho_checked *checked);

/* Packs, and saves the filter as ninho_filter_save() does. */
NINHO_API ninho_status ninho_checked_save(ninho_checked *checked, const char *path,
                                          ninho_error *error);

#ifdef __cplusplus
}
#endif

#endif
