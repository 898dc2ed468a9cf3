/* SPDX-License-Identifier: MIT */
#include "postgres_server.h"

#include <setjmp.h>
#include <stdarg.h>

#include <access/detoast.h>
#include <catalog/pg_collation.h>
#include <catalog/pg_type.h>
#include <lib/stringinfo.h>
#include <libpq/pqformat.h>
#include <mb/pg_wchar.h>
#include <miscadmin.h>
#include <nodes/execnodes.h>
#include <nodes/memnodes.h>
#include <nodes/nodeFuncs.h>
#include <utils/builtins.h>
#include <utils/guc.h>
#include <utils/hsearch.h>
#include <utils/jsonb.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#include <utils/syscache.h>

/* PostgreSQL's headers name its own printf; the program has libc's. */
#undef printf
#undef fprintf
#undef snprintf
#undef vsnprintf
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

extern void _PG_init(void);

enum { MOST_TOASTED = 64 };
#define MOST_BYTES ((size_t)64 << 20) /* in one piece */

/* ---- Memory ------------------------------------------------------------------------ */

/* Every piece is one of malloc(), so that sanitizers see its end. */
struct piece {
    struct piece *next, **previous;
    size_t size;
    max_align_t bytes[];
};

static struct piece *pieces;
static struct MemoryContextData all;
MemoryContext CurrentMemoryContext = &all;

static void *allocate(size_t size, bool may_fail)
{
    struct piece *piece = size > MOST_BYTES ? NULL : malloc(sizeof *piece + size);

    if (!piece && !may_fail)
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
    if (!piece)
        return NULL;
    piece->size = size;
    piece->next = pieces;
    piece->previous = &pieces;
    if (pieces)
        pieces->previous = &piece->next;
    pieces = piece;
    return piece->bytes;
}

void *palloc(Size size)
{
    if (!AllocSizeIsValid(size))
        elog(ERROR, "invalid memory alloc request size %zu", size);
    return allocate(size, false);
}

void *palloc0(Size size)
{
    return memset(palloc(size), 0, size);
}

void pfree(void *memory)
{
    MUST(memory);
    struct piece *piece =
        (struct piece *)((char *)memory - offsetof(struct piece, bytes));
    *piece->previous = piece->next;
    if (piece->next)
        piece->next->previous = piece->previous;
    free(piece);
}

void *MemoryContextAllocZero(MemoryContext context, Size size)
{
    MUST(context == &all);
    return palloc0(size);
}

void *MemoryContextAllocExtended(MemoryContext context, Size size, int flags)
{
    MUST(context == &all && flags == (MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM));
    return allocate(size, true);
}

void pg_end_query(void)
{
    while (pieces)
        pfree(pieces->bytes);
}

/* ---- Errors ------------------------------------------------------------------------ */

static sigjmp_buf *handler;
static char message[1000];

const char *pg_error(void)
{
    return message;
}

bool errstart_cold(int level, const char *domain)
{
    (void)domain;
    MUST(level == ERROR && handler);
    message[0] = '\0';
    return true;
}

void errfinish(const char *file, int line, const char *function)
{
    (void)file;
    (void)line;
    (void)function;
    MUST(message[0]);
    siglongjmp(*handler, 1);
}

int errcode(int code)
{
    MUST(code);
    return 0;
}

static int set_message(const char *format, va_list values)
{
    (void)vsnprintf(message, sizeof message, format, values);
    return 0;
}

int errmsg(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    (void)set_message(format, values);
    va_end(values);
    return 0;
}

int errmsg_internal(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    (void)set_message(format, values);
    va_end(values);
    return 0;
}

int errhint(const char *format, ...)
{
    MUST(*format);
    return 0;
}

/* ---- Calls ------------------------------------------------------------------------- */

FmgrInfo pg_site(void)
{
    return (FmgrInfo){.fn_mcxt = &all};
}

bool pg_call(PGFunction function, FmgrInfo *site, int n, const Datum *arguments,
             Datum *result)
{
    LOCAL_FCINFO(fcinfo, 4);
    sigjmp_buf here;
    FmgrInfo own = pg_site();

    InitFunctionCallInfoData(*fcinfo, site ? site : &own, (short)n, DEFAULT_COLLATION_OID,
                             NULL, NULL);
    for (int i = 0; i < n; i++)
        fcinfo->args[i] = (NullableDatum){.value = arguments[i]};
    handler = &here;
    const bool is_raised = sigsetjmp(here, 0) != 0;
    if (!is_raised)
        *result = function(fcinfo);
    handler = NULL;
    return !is_raised && !fcinfo->isnull;
}

Datum DirectFunctionCall1Coll(PGFunction function, Oid collation, Datum argument)
{
    LOCAL_FCINFO(fcinfo, 1);

    InitFunctionCallInfoData(*fcinfo, NULL, 1, collation, NULL, NULL);
    fcinfo->args[0] = (NullableDatum){.value = argument};
    return function(fcinfo);
}

int AggCheckCallContext(FunctionCallInfo fcinfo, MemoryContext *context)
{
    (void)fcinfo;
    *context = &all;
    return AGG_CONTEXT_AGGREGATE;
}

/* ---- Values ------------------------------------------------------------------------ */

static struct varlena *toasted[MOST_TOASTED];
static Oid n_toasted;

Datum pg_varlena(const void *bytes, size_t size, bool is_short)
{
    const bool has_short = is_short && size + VARHDRSZ_SHORT <= VARATT_SHORT_MAX;
    struct varlena *made = palloc(size + VARHDRSZ);

    if (has_short)
        SET_VARSIZE_SHORT(made, size + VARHDRSZ_SHORT);
    else
        SET_VARSIZE(made, size + VARHDRSZ);
    if (size)
        memcpy(VARDATA_ANY(made), bytes, size);
    return PointerGetDatum(made);
}

Datum pg_toasted(const void *bytes, size_t size)
{
    struct varlena *made = palloc(TOAST_POINTER_SIZE);
    const Oid number = n_toasted++ % MOST_TOASTED;
    const struct varatt_external toast = {.va_rawsize = (int32)(size + VARHDRSZ),
                                          .va_extinfo = (uint32)size,
                                          .va_valueid = number};

    toasted[number] = (struct varlena *)DatumGetPointer(pg_varlena(bytes, size, false));
    SET_VARTAG_EXTERNAL(made, VARTAG_ONDISK);
    memcpy(VARDATA_EXTERNAL(made), &toast, sizeof toast);
    return PointerGetDatum(made);
}

struct varlena *detoast_attr(struct varlena *stored)
{
    struct varatt_external toast;

    MUST(VARATT_IS_EXTERNAL_ONDISK(stored));
    VARATT_EXTERNAL_GET_POINTER(toast, stored);
    const struct varlena *whole = toasted[toast.va_valueid];
    return (struct varlena *)DatumGetPointer(
        pg_varlena(VARDATA_ANY(whole), VARSIZE_ANY_EXHDR(whole), false));
}

struct varlena *pg_detoast_datum_packed(struct varlena *stored)
{
    return VARATT_IS_EXTERNAL(stored) ? detoast_attr(stored) : stored;
}

text *cstring_to_text(const char *string)
{
    return (text *)DatumGetPointer(pg_varlena(string, strlen(string), false));
}

void text_to_cstring_buffer(const text *source, char *to, size_t room)
{
    const size_t n = Min(VARSIZE_ANY_EXHDR(source), room - 1);

    memcpy(to, VARDATA_ANY(source), n);
    to[n] = '\0';
}

/* What JSON must at least be: no byte below a blank, and as many ends as beginnings. */
Datum jsonb_in(PG_FUNCTION_ARGS)
{
    const char *text = PG_GETARG_CSTRING(0);
    int depth = 0;

    for (const char *at = text; *at; at++) {
        MUST((unsigned char)*at >= ' ');
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
    }
    MUST(depth == 0 && *text == '{' && !strstr(text, "nan") && !strstr(text, "inf"));
    PG_RETURN_POINTER(text);
}

/* ---- Strings ----------------------------------------------------------------------- */

static void grow(StringInfo string, size_t n)
{
    char *wider = palloc((size_t)string->len + n + 1);

    memcpy(wider, string->data, (size_t)string->len + 1);
    pfree(string->data);
    string->data = wider;
}

void initStringInfo(StringInfo string)
{
    *string = (StringInfoData){.data = palloc0(1)};
}

void appendBinaryStringInfo(StringInfo string, const char *bytes, int n)
{
    grow(string, (size_t)n);
    memcpy(string->data + string->len, bytes, (size_t)n);
    string->len += n;
    string->data[string->len] = '\0';
}

void appendStringInfoString(StringInfo string, const char *text)
{
    appendBinaryStringInfo(string, text, (int)strlen(text));
}

void appendStringInfo(StringInfo string, const char *format, ...)
{
    char text[1000];
    va_list values;

    va_start(values, format);
    const int n = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    MUST(n >= 0 && (size_t)n < sizeof text);
    appendBinaryStringInfo(string, text, n);
}

void pq_begintypsend(StringInfo message_out)
{
    initStringInfo(message_out);
    appendBinaryStringInfo(message_out, "\0\0\0", VARHDRSZ);
}

void pq_sendbytes(StringInfo message_out, const char *bytes, int n)
{
    appendBinaryStringInfo(message_out, bytes, n);
}

bytea *pq_endtypsend(StringInfo message_out)
{
    bytea *made = (bytea *)message_out->data;

    SET_VARSIZE(made, message_out->len);
    return made;
}

void pq_copymsgbytes(StringInfo message_in, char *to, int n)
{
    MUST(n >= 0 && n <= message_in->len - message_in->cursor);
    memcpy(to, message_in->data + message_in->cursor, (size_t)n);
    message_in->cursor += n;
}

/* ---- A table of what was seen ------------------------------------------------------- */

struct HTAB {
    size_t size, n;
    char *entries;
};

HTAB *hash_create(const char *name, long n, const HASHCTL *shape, int flags)
{
    HTAB *table = palloc0(sizeof *table);

    MUST(*name && n > 0 && flags == (HASH_ELEM | HASH_BLOBS | HASH_CONTEXT) &&
         shape->keysize == shape->entrysize);
    table->size = shape->entrysize;
    table->entries = palloc(1);
    return table;
}

void hash_destroy(HTAB *table)
{
    pfree(table->entries);
    pfree(table);
}

long hash_get_num_entries(HTAB *table)
{
    return (long)table->n;
}

void *hash_search(HTAB *table, const void *key, HASHACTION action, bool *is_found)
{
    MUST(!is_found);
    for (size_t i = 0; i < table->n; i++)
        if (memcmp(table->entries + i * table->size, key, table->size) == 0)
            return table->entries + i * table->size;
    if (action == HASH_FIND)
        return NULL;
    char *wider = palloc((table->n + 1) * table->size);
    memcpy(wider, table->entries, table->n * table->size);
    pfree(table->entries);
    table->entries = wider;
    return memcpy(wider + table->n++ * table->size, key, table->size);
}

/* ---- Settings ---------------------------------------------------------------------- */

int work_mem = 64;
static GucStringCheckHook check_key;
static GucStringAssignHook assign_key;
char *GUC_check_errmsg_string, *GUC_check_errdetail_string, *GUC_check_errhint_string;

void DefineCustomStringVariable(const char *name, const char *short_text,
                                const char *long_text, char **value, const char *begin,
                                GucContext context, int flags, GucStringCheckHook check,
                                GucStringAssignHook assign, GucShowHook show)
{
    MUST(*name && *short_text && *long_text && value && begin && context == PGC_SUSET &&
         flags && !show);
    check_key = check;
    assign_key = assign;
}

void DefineCustomIntVariable(const char *name, const char *short_text,
                             const char *long_text, int *value, int begin, int min,
                             int max, GucContext context, int flags,
                             GucIntCheckHook check, GucIntAssignHook assign,
                             GucShowHook show)
{
    MUST(*name && *short_text && !long_text && begin >= min && begin <= max &&
         context == PGC_SUSET && flags && !check && !assign && !show);
    *value = 1024; /* a mebibyte is enough here */
}

void MarkGUCPrefixReserved(const char *name)
{
    MUST(*name);
}

void pre_format_elog_string(int number, const char *domain)
{
    (void)number;
    (void)domain;
}

char *format_elog_string(const char *format, ...)
{
    return (char *)(uintptr_t)format;
}

void pg_begin(void)
{
    _PG_init();
}

void pg_set_key(const char *text)
{
    char *value = (char *)(uintptr_t)text;

    MUST(check_key(&value, NULL, PGC_S_SESSION));
    assign_key(value, NULL);
}

/* ---- Catalogues: built-in types alone ------------------------------------------------ */

volatile sig_atomic_t InterruptPending, QueryCancelPending, ProcDiePending;

void ProcessInterrupts(void)
{
    MUST(false);
}

int GetDatabaseEncoding(void)
{
    return PG_UTF8;
}

char *pg_server_to_any(const char *bytes, int n, int encoding)
{
    MUST(n >= 0 && encoding == PG_UTF8);
    return (char *)(uintptr_t)bytes;
}

Oid getBaseType(Oid type)
{
    return type;
}

bool get_collation_isdeterministic(Oid collation)
{
    MUST(collation == DEFAULT_COLLATION_OID);
    return true;
}

char *get_collation_name(Oid collation)
{
    (void)collation;
    return NULL;
}

char *format_type_be(Oid type)
{
    (void)type;
    return (char *)(uintptr_t) "a type";
}

/* These are asked for the types of expressions, of which there are none. */
Oid exprType(const Node *node)
{
    MUST(!node);
    return InvalidOid;
}

Oid exprCollation(const Node *node)
{
    MUST(!node);
    return InvalidOid;
}

Oid get_base_element_type(Oid type)
{
    return type;
}

Oid get_fn_expr_argtype(FmgrInfo *site, int argument)
{
    (void)site;
    (void)argument;
    return InvalidOid;
}

struct Aggref *AggGetAggref(FunctionCallInfo fcinfo)
{
    (void)fcinfo;
    return NULL;
}

HeapTuple SearchSysCache1(int cache, Datum key)
{
    (void)cache;
    (void)key;
    return NULL;
}

void ReleaseSysCache(HeapTuple tuple)
{
    MUST(!tuple);
}
