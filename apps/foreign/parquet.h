/* SPDX-License-Identifier: MIT */
/* Apache Parquet's Bloom filters: split-block filters of 32-byte blocks under XXH64 with seed 0, which is what
 * our kind `blocked` is with `hash = NINHO_HASH_XXH64`, byte for byte. Here is what is around them: the header
 * before the blocks, and the metadata of a file, which say where its filters are and what the bytes of a value
 * are.
 *
 *     "PAR1" | pages of row group 0 ... | filter, filter, ... | metadata | its length : 4 | "PAR1"
 *                                          each: header (some 15 bytes), blocks
 *
 * A filter belongs to one column of one row group and may be missing. Files whose metadata are encrypted are
 * refused; columns that are, or that lie in another file, count as having no filters. */
#ifndef NINHO_FOREIGN_PARQUET_H
#define NINHO_FOREIGN_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ninho/ninho.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Filters alone ----------------------------------------------------------------- */

#define NINHO_PARQUET_MAX_HEADER \
    32 /* bytes before the blocks, at most, of those we write */

/* The largest filter that is read or written, in bytes: what other readers take. */
#define NINHO_PARQUET_MAX_BLOCKS_SIZE (UINT32_C(128) << 20)

/* Writes a filter as Parquet does, header and blocks. *size is set to what it takes, also when
 * NINHO_ERR_SPACE says that `capacity` is smaller (0 and NULL are fine, to ask). NINHO_ERR_UNSUPPORTED,
 * with the reason, for filters that are not `blocked` under xxh64 with seed 0, for keys that are no
 * plain values (k-mers, uuids, hashes), and above NINHO_PARQUET_MAX_BLOCKS_SIZE. Any thread. */
NINHO_API ninho_status ninho_parquet_encode(const ninho_filter *filter, void *bytes,
                                            size_t capacity, size_t *size,
                                            ninho_error *error);

/* A view of such bytes, which must outlive it; *used says how many of them it takes. Everything in the
 * header is checked against `size` first. NINHO_ERR_FORMAT; NINHO_ERR_UNSUPPORTED for an algorithm, hash or
 * compression that Parquet did not have when this was written. */
NINHO_API ninho_status ninho_parquet_view(ninho_view *view, const void *bytes,
                                          size_t size, size_t *used,
                                          const ninho_filter **out, ninho_error *error);

/* ---- Files ------------------------------------------------------------------------- */

typedef enum ninho_parquet_type {
    NINHO_PARQUET_BOOLEAN = 0,
    NINHO_PARQUET_INT32 = 1,
    NINHO_PARQUET_INT64 = 2,
    NINHO_PARQUET_INT96 = 3,
    NINHO_PARQUET_FLOAT = 4,
    NINHO_PARQUET_DOUBLE = 5,
    NINHO_PARQUET_BYTES = 6,
    NINHO_PARQUET_FIXED = 7
} ninho_parquet_type;

/* What the values of a type mean. */
typedef enum ninho_parquet_meaning {
    NINHO_PARQUET_PLAIN =
        0, /* the type itself; integers with a sign, bytes as they are */
    NINHO_PARQUET_UNSIGNED,
    NINHO_PARQUET_DATE,
    NINHO_PARQUET_TIME,
    NINHO_PARQUET_TIMESTAMP,
    NINHO_PARQUET_DECIMAL,
    NINHO_PARQUET_UUID,
    NINHO_PARQUET_OTHER /* known to Parquet, but not to us as text */
} ninho_parquet_meaning;

typedef struct ninho_parquet_column {
    const char *path; /* "name", or "outer.inner" */
    ninho_parquet_type type;
    ninho_parquet_meaning meaning;
    uint32_t fixed_size; /* of NINHO_PARQUET_FIXED */
    uint32_t scale;      /* of decimals: digits behind the point */
    uint64_t
        unit; /* of times and timestamps: 1,000, 1,000,000 or 1,000,000,000 a second */
    uint32_t integer_bits; /* of integers: 8, 16, 32 or 64 */
} ninho_parquet_column;

/* Where a file's bytes come from. `read` fills bytes[0..size) from `at` on, which is inside the file, or
 * answers an error and fills *error. */
typedef struct ninho_parquet_source {
    void *context;
    uint64_t size;
    ninho_status (*read)(void *context, uint64_t at, void *bytes, size_t size,
                         ninho_error *error);
} ninho_parquet_source;

/* The metadata of a file. One thread at a time. */
typedef struct ninho_parquet ninho_parquet;

/* Reads the metadata. Memory follows the bytes that are there, never a number in them: about as much as
 * the metadata of real files take, at most a hundred times that for made-up ones. The source is copied; its
 * context must live as long as *out. NINHO_ERR_FORMAT with the byte where something is wrong, NINHO_ERR_UNSUPPORTED (encrypted), NINHO_ERR_NOMEM, or what the source said. */
NINHO_API ninho_status ninho_parquet_open(const ninho_parquet_source *source,
                                          const ninho_alloc *alloc, ninho_parquet **out,
                                          ninho_error *error);
NINHO_API void ninho_parquet_free(ninho_parquet *parquet); /* NULL is fine */

NINHO_API size_t ninho_parquet_n_columns(const ninho_parquet *parquet);
/* The index-th leaf of the schema, index < n_columns. It lives as long as `parquet`. */
NINHO_API const ninho_parquet_column *ninho_parquet_column_at(
    const ninho_parquet *parquet, size_t index);
/* The index of the column with this path, SIZE_MAX if there is none. */
NINHO_API size_t ninho_parquet_find(const ninho_parquet *parquet, const char *path);

NINHO_API size_t ninho_parquet_n_groups(const ninho_parquet *parquet);
NINHO_API uint64_t ninho_parquet_n_rows(const ninho_parquet *parquet, size_t group);

/* ---- Asking ------------------------------------------------------------------------ */

/* A value as the filters know it: by its hash, or by two where two are equal, as 0 and -0 are. */
typedef struct ninho_parquet_value {
    uint64_t hashes[2];
    size_t n_hashes;
} ninho_parquet_value;

/* A value of a column, written as text:
 *
 *     integers      decimal, in the range of the type       float, double  as strtod reads them, but no nan
 *     date          2026-11-15                              time           14:30:00.25
 *     timestamp     2026-11-15T14:30:00.25Z; the 'T' may be a space, the 'Z' may be left out; INT96 too
 *     decimal       12.50, with no more digits behind the point than the scale, but zeros
 *     uuid          with or without '-'                     bytes          as they are
 *     fixed         as they are, if they have that size; or hexadecimal, twice as many digits
 *
 * NINHO_ERR_ARG, with the reason, for text that is no such value; NINHO_ERR_UNSUPPORTED for columns
 * whose values have no text here (booleans have no filters; intervals, half floats, decimals in bytes of any
 * length). Any thread. */
NINHO_API ninho_status ninho_parquet_value_of(const ninho_parquet_column *column,
                                              const char *text, size_t size,
                                              ninho_parquet_value *value,
                                              ninho_error *error);

typedef enum ninho_parquet_answer {
    NINHO_PARQUET_NO = 0,       /* certainly not */
    NINHO_PARQUET_MAYBE = 1,    /* the filter has it */
    NINHO_PARQUET_NO_FILTER = 2 /* there is none to tell, or none that can be read */
} ninho_parquet_answer;

/* May a row group hold a value in this column? Reads the filter's header and one block, whatever its size.
 * NINHO_ERR_FORMAT, UNSUPPORTED, or what the source said. */
NINHO_API ninho_status ninho_parquet_ask(ninho_parquet *parquet, size_t group,
                                         size_t column, const ninho_parquet_value *value,
                                         ninho_parquet_answer *answer,
                                         ninho_error *error);

/* The size of a filter's blocks in bytes, 0 where there is none. Reads its header. Fails as
 * ninho_parquet_ask() does. */
NINHO_API ninho_status ninho_parquet_filter_size(ninho_parquet *parquet, size_t group,
                                                 size_t column, uint64_t *size,
                                                 ninho_error *error);

/* A whole filter, NULL in *out where there is none. It lives until this is called again, or ninho_parquet_free().
 * Fails as ninho_parquet_ask() does, or with NINHO_ERR_NOMEM. */
NINHO_API ninho_status ninho_parquet_filter(ninho_parquet *parquet, size_t group,
                                            size_t column, const ninho_filter **out,
                                            ninho_error *error);

#ifdef __cplusplus
}
#endif

#endif
