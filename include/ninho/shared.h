/* SPDX-License-Identifier: MIT */
/* Filters that several threads use while they change.
 *
 * The rule of <ninho/filter.h>, many readers or one writer, has two exceptions:
 *
 *   - *shared adds*: any number of threads add to one filter of kind bloom or blocked
 *     (NINHO_CAN_SHARE), and any number of others read it meanwhile;
 *   - *readers*: one thread changes a filter of any kind that can add, and others ask it meanwhile,
 *     each through a ninho_reader.
 *
 * There are no locks in either. docs/threads.md has examples. */
#ifndef NINHO_SHARED_H
#define NINHO_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/filter.h>
#include <ninho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Many writers -------------------------------------------------------------------- */

/* Adds a key while other threads may be adding shared, or reading. Bits are set by atomic
 * operations that order nothing else (relaxed). A key whose add has returned is found by this
 * thread, and by every thread that has been told so in a way that synchronizes (a mutex, an
 * atomic flag with release and acquire, a join); a thread that was not told may find it or not yet.
 * Fails with NINHO_ERR_UNSUPPORTED for kinds without NINHO_CAN_SHARE, views, mapped files and
 * filters with an observer, and with NINHO_ERR_ARG.
 *
 * Beside shared adds these calls may run, and no others: has, has_many and their forms for keys and
 * columns, the handles of <ninho/inline.h>, copies, count, estimate, info, copy, and union and
 * estimate_pair with the filter as `source` (or as one of the pair). What they see holds every key
 * whose add this thread was told of, and of those that are being added any, whole or in part; a
 * part of a key can only make other keys "maybe". To save or encode it meanwhile, take a copy
 * (ninho_filter_copy()) and save that: the encoding reads the table twice, and its checksum would
 * not fit.
 *
 * These keys are not counted one by one, since all threads would meet at the counter. From the first
 * shared add on, ninho_filter_count() is an estimate from the bits that are set, which it has to read
 * (2^59 if all are), and ninho_info.count_is_estimate says so. It is exact again after
 * ninho_filter_clear(). */
NINHO_API ninho_status ninho_filter_add_shared(ninho_filter *filter, uint64_t hash);

/* Adds n keys, as n calls would, faster. */
NINHO_API ninho_status ninho_filter_add_many_shared(ninho_filter *filter,
                                                    const uint64_t *hashes, size_t n);

/* Adds a key of `key_size` bytes. Fails as ninho_filter_add_key() does, too. */
NINHO_API ninho_status ninho_filter_add_key_shared(ninho_filter *filter, const void *key,
                                                   size_t key_size);

/* ---- Readers beside one writer ------------------------------------------------------- */

/* Asks a filter that another thread changes. The *writer* is whoever makes the calls that take a
 * `ninho_filter *`: one thread at a time, as ever. It changes the filter as if there were no
 * readers, and every other call for the filter is its own too: readers use the calls below and
 * nothing else. A reader belongs to one thread at a time; each thread has its own. */
typedef struct ninho_reader ninho_reader;

/* Opens a reader of a filter that can add. *out is the caller's, to be closed with
 * ninho_reader_close() before the filter is freed. It is the writer's call, or that of whoever has
 * the filter to himself; the reader is then handed to its thread. The first one gives the
 * filter some 17 KiB of memory (23 for scalable) for what they agree by. NINHO_ERR_ARG, NINHO_ERR_NOMEM,
 * NINHO_ERR_UNSUPPORTED (views, mapped files, kinds that cannot add): *out is untouched.
 *
 * What is promised of readers:
 *   - a key that is in the filter from before the question is asked until it is answered is "maybe":
 *     also while it is moved, and while the filter grows. "Before" is what the thread was told of,
 *     as for shared adds;
 *   - no reader takes a lock. A question is asked anew only if the writer has changed something
 *     that bears on it meanwhile. Of kinds quotient and compact, and of cuckoo tables that search
 *     by walk, that is any change, and a key that seems absent is asked for again after it; if that takes
 *     longer than some 20 microseconds (the writer was stopped in the middle, say) the answer is
 *     "maybe". The writer waits for no reader;
 *   - otherwise a key that was never added is "maybe" as often as ninho_filter_has() would say so.
 *
 * When a table is replaced (a filter that doubles, clear, union) or a list of tables becomes longer
 * (scalable), the old one stays until every open reader has been asked once more or was closed; the
 * writer frees it with a later change. While there are readers ninho_filter_clear() may
 * answer NINHO_ERR_NOMEM, with nothing changed, and ninho_filter_move() takes no keys from
 * it (NINHO_ERR_UNSUPPORTED). A secret key stays in the filter: readers have no copy of it. */
NINHO_API ninho_status ninho_reader_open(ninho_filter *filter, ninho_reader **out,
                                         ninho_error *error);

/* Ends a reader; NULL is fine. Any thread; its memory goes back with a later call of the
 * writer's. */
NINHO_API void ninho_reader_close(ninho_reader *reader);

/* As ninho_filter_has(), ninho_filter_has_key() and ninho_filter_has_many(). */
NINHO_API bool ninho_reader_has(ninho_reader *reader, uint64_t hash);
NINHO_API bool ninho_reader_has_key(ninho_reader *reader, const void *key,
                                    size_t key_size);
NINHO_API size_t ninho_reader_has_many(ninho_reader *reader, const uint64_t *hashes,
                                       size_t n, uint64_t *maybe);

#ifdef __cplusplus
}
#endif

#endif
