/* SPDX-License-Identifier: MIT */
/* What the files of the extension share. PostgreSQL's own headers come first, as it wants them. */
#ifndef NINHO_POSTGRES_NINHO_PG_H
#define NINHO_POSTGRES_NINHO_PG_H

#include <postgres.h>

#include <fmgr.h>

#include <ninho/ninho.h>

_Static_assert(PG_VERSION_NUM / 10000 == 15, "this extension is for PostgreSQL 15");

/* Functions that SQL calls are the only names that the server sees. PostgreSQL 15 has no mark for them of its
 * own, so that each is declared between the two. */
#define NINHO_SQL_BEGIN _Pragma("GCC visibility push(default)")
#define NINHO_SQL_END   _Pragma("GCC visibility pop")

/* ---- Settings and errors (module.c) -------------------------------------------------- */

/* The secret that ninho.key has, NULL if it is not set. */
const uint8_t *setting_secret(void);

/* Changes each time ninho.key does: what was opened under another secret is to be opened anew. */
unsigned setting_generation(void);

/* The most bytes that a filter may have: ninho.max_filter_size, and what PostgreSQL can keep. */
uint64_t setting_limit(void);

#define NINHO_SIZE_HINT                                                  \
    "Give a smaller capacity or a larger fpr. The limit is the setting " \
    "ninho.max_filter_size, 1 GB at most."

/* Raises the SQL error of a failed call. `error` may be NULL or empty. */
void raise_status(ninho_status status, const ninho_error *error) pg_attribute_noreturn();

/* Memory of `context`, which frees it when an error ends the query. It lives as long as that does. */
ninho_alloc context_alloc(MemoryContext context);

/* ---- Keys (keys.c) ------------------------------------------------------------------- */

typedef enum key_type {
    KEY_NONE,
    KEY_TEXT, /* text, varchar */
    KEY_BPCHAR,
    KEY_NAME,
    KEY_BYTEA,
    KEY_INT2,
    KEY_INT4,
    KEY_INT8,
    KEY_UUID,
    KEY_TIMESTAMP,
    KEY_TIMESTAMPTZ,
    KEY_DATE
} key_type;

/* How a type's values become keys; KEY_NONE if they cannot. A domain is what it is made of. */
key_type key_type_of(Oid type);

ninho_key_encoding key_encoding(key_type type);

/* Are values of the two types that PostgreSQL takes for equal the same key, whatever the time zone is? */
bool key_types_agree(key_type a, key_type b);

bool key_is_text(key_type type);

/* Refuses a collation that takes different bytes for equal, and InvalidOid, which might be such a one. */
void key_check_collation(Oid collation);

/* Refuses values whose equality is not that of their bytes. Once for each call site is enough: `argument` is the
 * place of the value among the call's arguments. */
void key_check_site(FunctionCallInfo fcinfo, key_type type, int argument);

/* The hash of a value. Leaves no memory behind. */
uint64_t key_hash(key_type type, const ninho_hasher *hasher, Datum value);

/* ---- Filters (filters.c) ------------------------------------------------------------- */

/* A filter that a call site asks again and again. */
struct asked {
    const ninho_filter *filter;
    ninho_hasher hasher;
    ninho_key_encoding encoding;
};

/* The filter in `datum`, ready to be asked for keys. What was opened is kept in the call site's memory: bytes are
 * verified when they are seen there first, and a filter in a TOAST table is fetched once. Valid until the next call. */
const struct asked *filter_asked(FunctionCallInfo fcinfo, Datum datum);

/* A view of verified bytes; keyed filters are opened without their secret if there is none. It lives as long as
 * `view` does. Memory that it took is freed with the current context. */
const ninho_filter *filter_view(Datum datum, ninho_view *view);

/* A filter of the caller's own, in `context`. */
ninho_filter *filter_copy(Datum datum, MemoryContext context);

/* The datum of a filter. */
Datum filter_datum(const ninho_filter *filter);

/* Checks that `bytes` are a filter, checksums included. */
void filter_verify_bytes(const void *bytes, size_t size);

/* Raises an error if the filter carries a dictionary of its keys: it may not be changed or united here. */
void filter_check_may_change(const ninho_filter *filter);

/* Adds all of `source` to `target`, or raises an error. */
void filter_unite(ninho_filter *target, const ninho_filter *source);

/* Raises an error unless values of this type can be asked for. */
void filter_check_encoding(ninho_key_encoding filter, ninho_key_encoding value);

#endif
