/* SPDX-License-Identifier: MIT */
/* What stands in for a PostgreSQL server, so that the functions of the extension run without one:
 * memory that is freed when a call ends, errors that leave the call, values in a TOAST table, and
 * the settings. Catalogues are not there: values are of built-in types. */
#ifndef NINHO_FUZZ_POSTGRES_SERVER_H
#define NINHO_FUZZ_POSTGRES_SERVER_H

#include <postgres.h>

#include <fmgr.h>

/* Calls the extension's _PG_init(). Once. */
void pg_begin(void);

/* Sets ninho.key; "" is none. */
void pg_set_key(const char *text);

/* Frees everything that was allocated since the last call. Call sites are gone then, too. */
void pg_end_query(void);

/* Calls a function of up to four arguments as SQL does. False if it raised an error, or answered
 * NULL; the text of the error is pg_error(). */
bool pg_call(PGFunction function, FmgrInfo *site, int n, const Datum *arguments,
             Datum *result);
const char *pg_error(void);

/* A call site, which may be called more than once. */
FmgrInfo pg_site(void);

/* A varlena of these bytes, until the query ends; where it is short it has a short header if asked
 * for. */
Datum pg_varlena(const void *bytes, size_t size, bool is_short);

/* The same, out of line: a pointer into a TOAST table. */
Datum pg_toasted(const void *bytes, size_t size);

#endif
