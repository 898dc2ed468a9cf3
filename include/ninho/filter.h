/* SPDX-License-Identifier: MIT */
/* Filters: "is x in S?" in little memory. A filter answers "certainly not" or "maybe".
 *
 * What every kind promises:
 *   - no false negative, ever: a key that was added (and not removed) is "maybe";
 *   - with `capacity` distinct keys in it, a key that was never added is "maybe" with probability
 *     at most 1.1 x `fpr` (from 10,000 keys on, whatever the seed; below, in the mean over seeds);
 *   - an add or union that answers NINHO_ERR_FULL has changed nothing;
 *   - remove takes out one copy of a key, not more;
 *   - the same operations give the same bytes and answers on every machine and CPU level.
 *
 * Filters see 64-bit hashes. Hash with ninho_hash_bytes() or hand over hashes of your own
 * (they must be well mixed in all 64 bits), or use the *_key calls, which hash for you. What
 * filter to make is said with a spec: see <ninho/spec.h>.
 *
 * Threads: many readers or one writer. Calls that take a `const ninho_filter *` may run
 * at the same time as each other; calls that take a `ninho_filter *` need the filter to
 * themselves. */
#ifndef NINHO_FILTER_H
#define NINHO_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/alloc.h>
#include <ninho/hash.h>
#include <ninho/spec.h>
#include <ninho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ninho_filter ninho_filter;

/* ---- Life -------------------------------------------------------------------------- */

/* An empty filter. On success *out is the caller's, to be freed with ninho_filter_free();
 * on failure *out is untouched. Fails as ninho_filter_plan() does, and with
 * NINHO_ERR_NOMEM, NINHO_ERR_KEY_MISSING (siphash without a secret), NINHO_ERR_UNSUPPORTED (a
 * kind that is only built). `alloc` may be NULL; it is copied. Any thread. */
NINHO_API ninho_status ninho_filter_create(const ninho_spec *spec,
                                           const ninho_alloc *alloc, ninho_filter **out,
                                           ninho_error *error);

/* A filter holding n hashes (equal ones allowed): create and add_many for kinds that can
 * add, the construction for those that are only built. These keep equal hashes once, give
 * the same bytes for any order of them, and take about 24 bytes (ribbon: 20) of scratch memory per
 * key. `hashes` is not kept. Hashes for which no fixed way of mixing works (chosen ones; in a fuse filter near 11,500
 * keys 1 set in 60 by chance) are mixed under a seed that follows from all of them and is kept in the
 * bytes; should 1,024 such seeds (ribbon: 64) fail, which nobody knows how to bring about, under random ones. Fails as create does, with NINHO_ERR_FULL (more distinct
 * ones than capacity), or with NINHO_ERR_BUILD (such hashes where the system has no random
 * numbers, or the caller stopped it). */
NINHO_API ninho_status ninho_filter_build(const ninho_spec *spec, const uint64_t *hashes,
                                          size_t n, const ninho_alloc *alloc,
                                          ninho_filter **out, ninho_error *error);

/* A filter of its own with the same content; the way to keep, or change, what a view
 * shows. The observer is not copied. NINHO_ERR_NOMEM. A view or a mapped file is verified
 * first: NINHO_ERR_CHECKSUM, NINHO_ERR_FORMAT. */
NINHO_API ninho_status ninho_filter_copy(const ninho_filter *filter,
                                         const ninho_alloc *alloc, ninho_filter **out,
                                         ninho_error *error);

/* Frees a filter, and wipes its secret; NULL is fine. Not for views: nothing of theirs needs
 * freeing, but the secret of a keyed one stays in the caller's ninho_view. */
NINHO_API void ninho_filter_free(ninho_filter *filter);

/* ---- Keys as hashes ---------------------------------------------------------------- */

/* Adds a key. NINHO_ERR_FULL, NINHO_ERR_NOMEM: nothing changed. NINHO_ERR_UNSUPPORTED for
 * static kinds, views and mapped files. Kinds with NINHO_CAN_OVERFILL go on past capacity; a
 * cuckoo filter does as long as it finds a slot, and fpr_expected rises with it. Kinds that can
 * remove keep a copy per add; in the others a key that is added again takes no more room.
 * Only growing kinds allocate, and a cuckoo filter when a search for room needs more memory than
 * those before it. */
NINHO_API ninho_status ninho_filter_add(ninho_filter *filter, uint64_t hash);

/* Adds a key as ninho_filter_add() does, and tells in *was_there what ninho_filter_has() would
 * have said before. On failure *was_there is untouched. */
NINHO_API ninho_status ninho_filter_has_and_add(ninho_filter *filter, uint64_t hash,
                                                bool *was_there);

/* Adds n keys, as n calls of ninho_filter_add would, faster. Stops at the first failure
 * and answers it; *n_added (may be NULL) is then how many were added, n on success. */
NINHO_API ninho_status ninho_filter_add_many(ninho_filter *filter, const uint64_t *hashes,
                                             size_t n, size_t *n_added);

/* After NINHO_ERR_FULL: true if the filter has room for n_more keys (1 for an add, the source's for a
 * union) but too many keys stand together, which kinds compact, cuckoo and quotient refuse; it takes chosen
 * keys, or very many copies of one (docs/adversaries.md). false for NULL and for other kinds. */
NINHO_API bool ninho_filter_is_crowded(const ninho_filter *filter, uint64_t n_more);

/* true: maybe in the set. false: certainly not. Never allocates, never fails. */
NINHO_API bool ninho_filter_has(const ninho_filter *filter, uint64_t hash);

/* Asks for n keys, as n calls of ninho_filter_has would, faster. Bit i % 64 of maybe[i /
 * 64] is the answer for hashes[i]; the array has (n + 63) / 64 words and spare bits come
 * out 0. Returns how many are "maybe". `maybe` may be NULL: then they are only counted. */
NINHO_API size_t ninho_filter_has_many(const ninho_filter *filter, const uint64_t *hashes,
                                       size_t n, uint64_t *maybe);

/* Takes out one copy of a key that was added. NINHO_ERR_NOT_FOUND if it is certainly not
 * there; NINHO_ERR_UNSUPPORTED if the kind cannot remove; NINHO_ERR_FULL, with nothing
 * changed, if it stands among more keys than any add of compact or quotient puts together,
 * which only a file can hold; NINHO_ERR_NOMEM, with nothing changed, if a quotient filter from an
 * earlier file must be laid out anew. Removing a key that was never
 * added but that the filter takes for a member (a false positive) removes part of other
 * keys: they may become false negatives. The filter cannot know. Remove only what you
 * added. */
NINHO_API ninho_status ninho_filter_remove(ninho_filter *filter, uint64_t hash);

/* At most how many copies of this key are in the filter: 0 certainly none. Kinds that
 * keep no copies answer 0 or 1; a saturated counter answers UINT64_MAX ("many"), and so does a
 * quotient filter from a file where too many keys stand together. */
NINHO_API uint64_t ninho_filter_copies(const ninho_filter *filter, uint64_t hash);

/* ---- Keys as bytes ----------------------------------------------------------------- */

/* Fills *hasher with what turns this filter's keys into hashes; of a keyed filter that is its
 * secret too. NINHO_ERR_KEY_MISSING for a keyed filter opened without its secret,
 * NINHO_ERR_UNSUPPORTED where keys are the caller's own hashes. */
NINHO_API ninho_status ninho_filter_hasher(const ninho_filter *filter,
                                           ninho_hasher *hasher);

/* add, has and remove for one key of `key_size` bytes. As their namesakes, and:
 * NINHO_ERR_ARG if key_size does not fit the filter's key encoding (int64: 8, uuid: 16)
 * or key is NULL and key_size is not 0; otherwise what ninho_filter_hasher() answers. In
 * those cases, where the key cannot be hashed, has_key returns true. */
NINHO_API ninho_status ninho_filter_add_key(ninho_filter *filter, const void *key,
                                            size_t key_size);
NINHO_API bool ninho_filter_has_key(const ninho_filter *filter, const void *key,
                                    size_t key_size);
NINHO_API ninho_status ninho_filter_remove_key(ninho_filter *filter, const void *key,
                                               size_t key_size);

/* add_many and has_many over n byte keys; key i is key_sizes[i] bytes at keys[i]. Keys that
 * cannot be hashed are "maybe". */
NINHO_API ninho_status ninho_filter_add_keys(ninho_filter *filter,
                                             const void *const *keys,
                                             const size_t *key_sizes, size_t n,
                                             size_t *n_added);
NINHO_API size_t ninho_filter_has_keys(const ninho_filter *filter,
                                       const void *const *keys, const size_t *key_sizes,
                                       size_t n, uint64_t *maybe);

/* Keys as a column: the bytes of all of them in one place, as Arrow lays out string and
 * binary (offsets32), large_string and large_binary (offsets64). There are n + 1 offsets,
 * and key i is data[offsets[i] .. offsets[i + 1]); part of a column is `offsets` from a
 * later one on. Without offsets key i is the key_size bytes at data[i * key_size]. Start
 * from NINHO_COLUMN_INIT. The memory stays the caller's. */
typedef struct ninho_column {
    size_t size_of_struct;
    size_t n; /* keys */
    const void *data;
    size_t data_size;         /* bytes at `data` */
    const int32_t *offsets32; /* one of the two, or neither; the other is NULL */
    const int64_t *offsets64;
    size_t key_size; /* without offsets */
} ninho_column;

#define NINHO_COLUMN_INIT NINHO_INIT_(ninho_column)

/* add_many and has_many over the keys of a column, hashing included; nothing is allocated
 * for it. The whole column is checked first. NINHO_ERR_ARG if offsets descend or leave the
 * data, or a key's size does not fit the filter's key encoding; what ninho_filter_hasher()
 * answers; and add's own failures. After a failed check nothing was added, and all keys are
 * "maybe". `n_added`, `maybe` and `n_maybe` may each be NULL. */
NINHO_API ninho_status ninho_filter_add_column(ninho_filter *filter,
                                               const ninho_column *column,
                                               size_t *n_added);
NINHO_API ninho_status ninho_filter_has_column(const ninho_filter *filter,
                                               const ninho_column *column,
                                               uint64_t *maybe, size_t *n_maybe);

/* ---- Whole filters ----------------------------------------------------------------- */

/* What ninho_filter_info() says too, without reading the table. 0 for NULL. */
NINHO_API ninho_kind ninho_filter_kind(const ninho_filter *filter);
NINHO_API uint32_t ninho_filter_can(const ninho_filter *filter); /* NINHO_CAN_* bits */
NINHO_API ninho_key_encoding ninho_filter_key_encoding(const ninho_filter *filter);
NINHO_API ninho_hash_id ninho_filter_hash(const ninho_filter *filter);

/* Keys in the filter: adds less removes, copies counted. After a union of Bloom kinds it
 * is an estimate, and ninho_info.count_is_estimate says so. 0 for NULL. A view of bare bytes has
 * to read its table for it. */
NINHO_API uint64_t ninho_filter_count(const ninho_filter *filter);

/* Makes it empty, with the geometry it was created with. A table that has doubled is replaced by
 * a small one if there is memory for that. NINHO_ERR_UNSUPPORTED for views, mapped files and
 * static kinds. */
NINHO_API ninho_status ninho_filter_clear(ninho_filter *filter);

/* Adds all of `source` to `target`. They must agree in kind, geometry (as created, for
 * kinds that double), seed, hash, secret and key encoding, and cuckoo filters in choice,
 * search, its limit and semantics too: otherwise NINHO_ERR_MISMATCH, and error names the
 * field. A filter united with itself is left as it is (bloom, blocked) or doubled
 * (counting, quotient, cuckoo). A source that is a view or a mapped file is verified
 * first: NINHO_ERR_CHECKSUM, NINHO_ERR_FORMAT. NINHO_ERR_FULL, NINHO_ERR_NOMEM (quotient,
 * cuckoo: a second table) or NINHO_ERR_UNSUPPORTED. After a failure nothing has
 * changed. */
NINHO_API ninho_status ninho_filter_union(ninho_filter *target,
                                          const ninho_filter *source, ninho_error *error);

/* Moves keys from a cuckoo filter to a smaller one that is nested in it, so that the larger
 * one can be emptied and freed: both of kind cuckoo, multisets under offset pairing, equal
 * in slots, place, tag bits, hash, seed, secret and key encoding, and the number of places
 * of `source` is a multiple of `target`'s. Looks at about n_slots slots of the source; a
 * later call goes on at *cursor, which is 0 at first, the library's on the way, and
 * UINT64_MAX at the end. Stops early when the target holds as many keys as it was made
 * for. A key that finds no room stays where it is. No key is lost or counted twice; a
 * removal must ask the larger filter first, as it must anyway. NINHO_ERR_MISMATCH (error
 * names the field), NINHO_ERR_UNSUPPORTED, NINHO_ERR_ARG; NINHO_ERR_NOMEM, and the same call
 * can be made again. */
NINHO_API ninho_status ninho_filter_move(ninho_filter *target, ninho_filter *source,
                                         uint64_t *cursor, uint64_t n_slots,
                                         ninho_error *error);

/* How many distinct keys the table seems to hold, from the bits that are set.
 * NINHO_ERR_FULL when every bit is set (nothing can be estimated), NINHO_ERR_UNSUPPORTED.
 * Reads the whole table. */
NINHO_API ninho_status ninho_filter_estimate(const ninho_filter *filter, double *n_keys);

/* The same for the union and for the intersection of two filters that could be united
 * (each result may be NULL). An intersection is never below 0. NINHO_ERR_MISMATCH (error names the
 * field), NINHO_ERR_FULL, NINHO_ERR_UNSUPPORTED. */
NINHO_API ninho_status ninho_filter_estimate_pair(const ninho_filter *a,
                                                  const ninho_filter *b, double *n_union,
                                                  double *n_intersection,
                                                  ninho_error *error);

/* Walks the stored fingerprints of a filter that keeps them (quotient), copies included.
 * *cursor starts at 0 and is the library's; false at the end, or for other kinds.
 * Fingerprints are equal numbers in filters that could be united. The filter must not
 * change on the way. */
NINHO_API bool ninho_filter_next_fingerprint(const ninho_filter *filter, uint64_t *cursor,
                                             uint64_t *fingerprint);

typedef struct ninho_info {
    size_t size_of_struct; /* set by the caller: sizeof(ninho_info) */
    ninho_kind kind;
    ninho_hash_id hash;
    ninho_key_encoding key_encoding;
    uint32_t can;
    uint64_t capacity;
    uint64_t count;
    double fpr_target;
    double fpr_expected; /* as the table stands now */
    double bits_per_key; /* 8 * size_bytes / the larger of count and capacity */
    uint64_t size_bytes; /* of the framed encoding */
    uint64_t table_bytes;
    double load; /* share of the table in use: bits set, counters not 0 */
    uint64_t seed;
    uint64_t n_cells; /* of the newest sub-filter */
    uint32_t n_hashes;
    uint32_t tag_bits;
    uint32_t n_parts; /* sub-filters; 1 unless it grows */
    uint32_t format_version;
    bool count_is_estimate;
    bool is_keyed;       /* hashed under a secret */
    bool is_sealed;      /* keyed, and opened without the secret */
    bool is_read_only;   /* a view or a mapped file */
    bool has_huge_pages; /* the table was laid on huge pages */
    /* All that it has allocated: tables, object, metadata, attachment, memory to search in.
     * 0 of a view; of a mapped file, what is not the file's */
    uint64_t memory_bytes;
} ninho_info;

#define NINHO_INFO_INIT NINHO_INIT_(ninho_info)

/* Everything there is to know about a filter. Reads the whole table. NINHO_ERR_ARG for a
 * size_of_struct that is 0. */
NINHO_API ninho_status ninho_filter_info(const ninho_filter *filter, ninho_info *info);

/* What adding took since the filter was made or opened: not stored in files. All 0 for
 * kinds that never move a tag. */
typedef struct ninho_stats {
    size_t size_of_struct; /* set by the caller: sizeof(ninho_stats) */
    uint64_t n_searches;   /* adds that found no room at once */
    uint64_t n_moves;      /* tags moved by adds that succeeded */
    uint64_t longest_path; /* most moves of one such add */
    uint64_t n_failed;     /* adds that ended in NINHO_ERR_FULL */
    uint64_t n_undone;     /* moves of those, made and taken back */
} ninho_stats;

#define NINHO_STATS_INIT NINHO_INIT_(ninho_stats)

/* NINHO_ERR_ARG for a size_of_struct that is 0. */
NINHO_API ninho_status ninho_filter_stats(const ninho_filter *filter, ninho_stats *stats);

/* What creating this filter took: a spec that creates an empty one of equal geometry. The
 * secret and the observer are NULL in it. NINHO_ERR_ARG for a size_of_struct that is 0. */
NINHO_API ninho_status ninho_filter_spec(const ninho_filter *filter, ninho_spec *spec);

/* Checks the table against the family's invariants and, for views and mapped files, the
 * body against its checksum. NINHO_OK, NINHO_ERR_CHECKSUM or NINHO_ERR_FORMAT. Reads
 * everything. */
NINHO_API ninho_status ninho_filter_verify(const ninho_filter *filter,
                                           ninho_error *error);

/* ---- Metadata ---------------------------------------------------------------------- */

/* Names and values that an application keeps in the file: at most NINHO_META_BYTES for
 * all of them together, each counted as name + value + 2. A name is 1..64 of [a-z0-9_.-];
 * a value is text without NUL or newline. */
#define NINHO_META_BYTES 4096

/* How many of these bytes a name with this value takes; 0 if there can be no such pair. Any
 * thread. */
NINHO_API size_t ninho_meta_size(const char *name, const char *value);

/* Sets (or with value NULL removes) one. NINHO_ERR_ARG, NINHO_ERR_SPACE, NINHO_ERR_NOMEM,
 * NINHO_ERR_UNSUPPORTED for views. */
NINHO_API ninho_status ninho_filter_set_meta(ninho_filter *filter, const char *name,
                                             const char *value);

/* The value of a name: copies it, with a NUL, to value[0..value_size) and returns its
 * length, as snprintf does; returns 0 and an empty string if the name is not there (found
 * tells it from an empty value; may be NULL). */
NINHO_API size_t ninho_filter_meta(const ninho_filter *filter, const char *name,
                                   char *value, size_t value_size, bool *found);

/* The index-th pair, as "name=value", in the same manner; 0 past the last. */
NINHO_API size_t ninho_filter_meta_at(const ninho_filter *filter, size_t index,
                                      char *pair, size_t pair_size);

/* ---- The attachment ---------------------------------------------------------------- */

/* Bytes that an application keeps in the filter's file after the tables, an exact
 * dictionary of the keys say. They travel through encode, decode, view, map, open, save
 * and copy, are covered by the body's checksum, and otherwise mean nothing to the filter:
 * clear and union leave the target's alone. Copies `size` bytes, in place of those there
 * were; 0 removes them. NINHO_ERR_ARG, NINHO_ERR_NOMEM (nothing changed),
 * NINHO_ERR_UNSUPPORTED for views. */
NINHO_API ninho_status ninho_filter_set_attachment(ninho_filter *filter,
                                                   const void *bytes, size_t size);

/* The attachment, *size (may be NULL) its length; NULL and 0 if there is none. Lives
 * until the filter is freed or its attachment set anew. No promise of alignment. */
NINHO_API const void *ninho_filter_attachment(const ninho_filter *filter, size_t *size);

/* ---- Bytes ------------------------------------------------------------------------- */

#define NINHO_FORMAT_VERSION 1

/* How to open. Start from NINHO_OPEN_INIT; NULL means all defaults. */
typedef struct ninho_open_options {
    size_t size_of_struct;
    const uint8_t *secret; /* 16 bytes, for keyed filters */
    bool allow_sealed; /* open a keyed filter without its secret: for info, verify, union.
                            * Its has_key then answers true for everything */
    const ninho_alloc *alloc;
    ninho_pages pages;
} ninho_open_options;

#define NINHO_OPEN_INIT NINHO_INIT_(ninho_open_options)

/* The size of the framed encoding: the file's. */
NINHO_API size_t ninho_filter_encoded_size(const ninho_filter *filter);

/* Writes the framed encoding to bytes[0..capacity). *size (may be NULL) is always the
 * size needed; NINHO_ERR_SPACE if capacity is smaller, and then nothing is written. Allocates
 * nothing. */
NINHO_API ninho_status ninho_filter_encode(const ninho_filter *filter, void *bytes,
                                           size_t capacity, size_t *size);

/* The framed encoding in pieces, for hosts that move it so: begin with
 *
 *     ninho_encoder encoder = {.filter = filter};
 *
 * The tables are summed up once, when a piece of the header is first asked for. The filter
 * must outlive the encoder, and must not change while pieces that belong together are read.
 * Never allocates, and needs no clean-up. An encoder belongs to one thread at a time. */
typedef struct ninho_encoder {
    const ninho_filter *filter;
    uint64_t checksum; /* the library's, as is what follows: 0 at first */
    bool is_summed;
} ninho_encoder;

/* Copies the n bytes from number `offset` on. NINHO_ERR_ARG if they are not all inside the
 * encoding. */
NINHO_API ninho_status ninho_encoder_read(ninho_encoder *encoder, uint64_t offset,
                                          void *bytes, size_t n);

/* Takes the next `size` bytes, in order. What it answers other than NINHO_OK ends the writing and
 * is handed on; it fills *error (which may be NULL) then. */
typedef ninho_status (*ninho_write)(void *context, const void *bytes, size_t size,
                                    ninho_error *error);

/* Gives exactly the next `size` bytes (which may be 0), or fails likewise: with NINHO_ERR_FORMAT
 * where there are no more. */
typedef ninho_status (*ninho_read)(void *context, void *bytes, size_t size,
                                   ninho_error *error);

/* Hands the framed encoding to `write`, in a few large pieces. Allocates nothing.
 * NINHO_ERR_ARG, or what `write` answers. */
NINHO_API ninho_status ninho_filter_write(const ninho_filter *filter, ninho_write write,
                                          void *context, ninho_error *error);

/* A filter of its own from framed bytes as they come, checked as ninho_filter_decode() does;
 * *out is the caller's, and untouched on failure.
 * Reads the encoding and not a byte more, so that something else may follow it. Memory is taken
 * as the bytes arrive: never more than four times what has come and 1 MiB. Fails as
 * ninho_filter_decode() does, or with what `read` answers. */
NINHO_API ninho_status ninho_filter_read(ninho_read read, void *context,
                                         const ninho_open_options *options,
                                         ninho_filter **out, ninho_error *error);

/* A filter of its own from framed bytes, every checksum and number checked first; *out is the
 * caller's, and untouched on failure. The bytes are not kept. NINHO_ERR_FORMAT,
 * NINHO_ERR_VERSION, NINHO_ERR_CHECKSUM; NINHO_ERR_KEY_MISSING, NINHO_ERR_KEY_WRONG,
 * NINHO_ERR_KEY_UNUSED; NINHO_ERR_NOMEM, NINHO_ERR_ARG. Nothing is allocated from a number in the
 * bytes before it was checked against the bytes really there. Any thread. */
NINHO_API ninho_status ninho_filter_decode(const void *bytes, size_t size,
                                           const ninho_open_options *options,
                                           ninho_filter **out, ninho_error *error);

#ifdef __cplusplus
#define NINHO_ALIGN_8_ alignas(8)
#else
#define NINHO_ALIGN_8_ _Alignas(8)
#endif

/* Room for a view; put it anywhere, on the stack say. It must not be copied or moved
 * while it is used, and needs no clean-up; that of a keyed filter holds the secret. */
typedef struct ninho_view {
    NINHO_ALIGN_8_ unsigned char opaque[8448];
} ninho_view;

/* Framed bytes queried in place: no copy, no allocation, any alignment, O(header). *out
 * points into *view and lives as long as both `view` and `bytes` do, unchanged; it is
 * read-only. Every number in the header is checked against `size`, and whatever the body
 * holds a query stays inside it and ends; the body's checksum is not read: call
 * ninho_filter_verify() for that. Fails as ninho_filter_decode() does, but never with
 * NINHO_ERR_NOMEM. */
NINHO_API ninho_status ninho_filter_view(ninho_view *view, const void *bytes, size_t size,
                                         const ninho_open_options *options,
                                         const ninho_filter **out, ninho_error *error);

/* The bare encoding: the body and at most ten bytes, for hosts that keep the parameters
 * themselves. NINHO_ERR_UNSUPPORTED for kinds without one; otherwise as
 * ninho_filter_encode(). */
NINHO_API ninho_status ninho_filter_encode_bare(const ninho_filter *filter, void *bytes,
                                                size_t capacity, size_t *size);

/* A view over bare bytes. `spec` gives kind, hash, seed, secret, key encoding; capacity
 * and fpr may be 0, and the geometry comes from the bytes. As ninho_filter_view()
 * otherwise. */
NINHO_API ninho_status ninho_filter_view_bare(ninho_view *view, const ninho_spec *spec,
                                              const void *bytes, size_t size,
                                              const ninho_filter **out,
                                              ninho_error *error);

/* One question to bare bytes, as a view of them would answer it, in less time than it takes to
 * make a view: for hosts that ask each filter once. Where a view could not be made of them the
 * answer is true. Never allocates. Any thread. */
NINHO_API bool ninho_filter_has_bare(ninho_kind kind, const void *bytes, size_t size,
                                     uint64_t hash);

/* ---- Files ------------------------------------------------------------------------- */

/* A library that was built without files (NINHO_FILES=OFF) has none of these calls. */

/* Writes the framed encoding to a file, which is replaced whole or not at all, as <ninho/file.h>
 * says. NINHO_ERR_ARG, NINHO_ERR_IO or NINHO_ERR_NOMEM, and nothing is left behind. */
NINHO_API ninho_status ninho_filter_save(const ninho_filter *filter, const char *path,
                                         ninho_error *error);

/* Reads a file into memory, as ninho_filter_decode() would. Fails likewise, and with NINHO_ERR_IO,
 * or NINHO_ERR_ARG if it is not a regular file. Any thread. */
NINHO_API ninho_status ninho_filter_open(const char *path,
                                         const ninho_open_options *options,
                                         ninho_filter **out, ninho_error *error);

/* Maps a file: a read-only filter over the page cache, shared between processes, opened
 * in O(header); the body's checksum is not read (ninho_filter_verify() does). The file
 * must not be truncated or changed in place while it is mapped: the system would end the
 * process with SIGBUS. ninho_filter_save() never does that, since it renames. Freed with
 * ninho_filter_free(). Fails as ninho_filter_open() does; NINHO_ERR_NOMEM if the system cannot
 * map it. Any thread. */
NINHO_API ninho_status ninho_filter_map(const char *path,
                                        const ninho_open_options *options,
                                        ninho_filter **out, ninho_error *error);

#ifdef __cplusplus
}
#endif

#endif
