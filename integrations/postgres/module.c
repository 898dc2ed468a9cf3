/* SPDX-License-Identifier: MIT */
/* The module as the server loads it: settings, errors, memory. */
#include "ninho_pg.h"

#include <utils/guc.h>
#include <utils/memutils.h>

#include "../common/defaults.h"

void _PG_init(void);

NINHO_SQL_BEGIN
PG_MODULE_MAGIC;
extern void _PG_init(void);
NINHO_SQL_END

/* ---- Settings ------------------------------------------------------------------------ */

/* A varlena's length has 30 bits. */
#define MAX_FILTER_BYTES ((uint64_t)MaxAllocSize - VARHDRSZ)
#define MAX_FILTER_KIB   ((int)((MAX_FILTER_BYTES + VARHDRSZ) / 1024))

static char *key_text;
static int max_filter_kib = MAX_FILTER_KIB;

static uint8_t secret[NINHO_SECRET_BYTES];
static bool has_secret;
static unsigned generation;

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* PostgreSQL's own message would tell the value, and so the log. */
static bool check_key(char **value, void **extra, GucSource source)
{
    (void)extra;
    if (!*value || !**value)
        return true;
    /* PGC_S_TEST: they are about to set it there */
    if (source == PGC_S_TEST ||
        (source >= PGC_S_GLOBAL && source <= PGC_S_DATABASE_USER)) {
        GUC_check_errmsg("ninho.key cannot be set for a database, a role or a function");
        GUC_check_errdetail("Every user could read it in the catalogues.");
        GUC_check_errhint("Set it in postgresql.conf.");
        return false;
    }
    for (size_t i = 0; i < (size_t)2 * NINHO_SECRET_BYTES; i++) {
        if (digit_of((*value)[i]) < 0) { /* its end, too, is no digit */
            GUC_check_errmsg("ninho.key must be 32 hexadecimal digits");
            return false;
        }
    }
    if ((*value)[2 * NINHO_SECRET_BYTES]) {
        GUC_check_errmsg("ninho.key must be 32 hexadecimal digits");
        return false;
    }
    return true;
}

static void assign_key(const char *value, void *extra)
{
    (void)extra;
    generation++;
    has_secret = value && *value;
    for (size_t i = 0; i < NINHO_SECRET_BYTES; i++)
        secret[i] =
            has_secret
                ? (uint8_t)(digit_of(value[2 * i]) * 16 + digit_of(value[2 * i + 1]))
                : 0;
}

void _PG_init(void)
{
    DefineCustomStringVariable("ninho.key", "The secret of keyed filters.",
                               "32 hexadecimal digits. While it is set, ninho_agg() "
                               "makes keyed filters. Only superusers see or set it.",
                               &key_text, "", PGC_SUSET,
                               GUC_SUPERUSER_ONLY | GUC_NO_SHOW_ALL | GUC_NOT_IN_SAMPLE,
                               check_key, assign_key, NULL);
    DefineCustomIntVariable("ninho.max_filter_size", "The largest filter that is made.",
                            NULL, &max_filter_kib, MAX_FILTER_KIB, 1, MAX_FILTER_KIB,
                            PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
    MarkGUCPrefixReserved("ninho");
}

const uint8_t *setting_secret(void)
{
    return has_secret ? secret : NULL;
}

unsigned setting_generation(void)
{
    return generation;
}

uint64_t setting_limit(void)
{
    return Min((uint64_t)max_filter_kib * 1024, MAX_FILTER_BYTES);
}

/* ---- Errors -------------------------------------------------------------------------- */

static int sqlstate_of(ninho_status status)
{
    switch (status) {
    case NINHO_ERR_ARG:
        return ERRCODE_INVALID_PARAMETER_VALUE;
    case NINHO_ERR_NOMEM:
        return ERRCODE_OUT_OF_MEMORY;
    case NINHO_ERR_FULL:
    case NINHO_ERR_SPACE:
        return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
    case NINHO_ERR_UNSUPPORTED:
    case NINHO_ERR_VERSION:
        return ERRCODE_FEATURE_NOT_SUPPORTED;
    case NINHO_ERR_NOT_FOUND:
        return ERRCODE_NO_DATA_FOUND;
    case NINHO_ERR_MISMATCH:
        return ERRCODE_DATATYPE_MISMATCH;
    case NINHO_ERR_KEY_MISSING:
    case NINHO_ERR_KEY_WRONG:
    case NINHO_ERR_KEY_UNUSED:
        return ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
    case NINHO_ERR_FORMAT:
        return ERRCODE_INVALID_BINARY_REPRESENTATION;
    case NINHO_ERR_CHECKSUM:
        return ERRCODE_DATA_CORRUPTED;
    default:
        return ERRCODE_EXTERNAL_ROUTINE_EXCEPTION;
    }
}

void raise_status(ninho_status status, const ninho_error *error)
{
    ereport(ERROR,
            (errcode(sqlstate_of(status)),
             errmsg("ninho: %s",
                    error && error->text[0] ? error->text : ninho_status_text(status)),
             status == NINHO_ERR_SPACE ? errhint(NINHO_SIZE_HINT) : 0,
             error && is_made_otherwise(error)
                 ? errhint("To unite filters, %s.", UNION_ADVICE)
                 : 0,
             status == NINHO_ERR_KEY_MISSING || status == NINHO_ERR_KEY_WRONG
                 ? errhint("The key is the setting ninho.key, which a superuser "
                           "gives in postgresql.conf.")
                 : 0));
    pg_unreachable();
}

/* ---- Memory -------------------------------------------------------------------------- */

static void *alloc_in(void *context, size_t size)
{
    if (size > MaxAllocHugeSize)
        return NULL;
    return MemoryContextAllocExtended(context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static void free_in(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    pfree(memory);
}

ninho_alloc context_alloc(MemoryContext context)
{
    return (ninho_alloc){.alloc = alloc_in, .free = free_in, .context = context};
}
