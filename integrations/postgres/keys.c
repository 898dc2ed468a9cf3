/* SPDX-License-Identifier: MIT */
/* Values as keys.
 *
 *   text, varchar, char, name     their bytes as UTF-8; char without the blanks at its end
 *   bytea                         its bytes
 *   int2, int4, int8              int64
 *   uuid                          its 16 bytes
 *   timestamp, timestamptz, date  int64: microseconds since 1970
 *
 * Two values that PostgreSQL takes for equal must have one hash, or a row would be missed. So text under a
 * collation that takes different bytes for equal is refused, and so are types over text with an equality of their
 * own (citext). */
#include "ninho_pg.h"

#include <catalog/pg_type.h>
#include <mb/pg_wchar.h>
#include <nodes/nodeFuncs.h>
#include <nodes/primnodes.h>
#include <utils/builtins.h>
#include <utils/date.h>
#include <utils/lsyscache.h>
#include <utils/timestamp.h>
#include <utils/uuid.h>

key_type key_type_of(Oid type)
{
    if (!OidIsValid(type))
        return KEY_NONE;
    switch (getBaseType(type)) {
    case TEXTOID:
    case VARCHAROID:
        return KEY_TEXT;
    case BPCHAROID:
        return KEY_BPCHAR;
    case NAMEOID:
        return KEY_NAME;
    case BYTEAOID:
        return KEY_BYTEA;
    case INT2OID:
        return KEY_INT2;
    case INT4OID:
        return KEY_INT4;
    case INT8OID:
        return KEY_INT8;
    case UUIDOID:
        return KEY_UUID;
    case TIMESTAMPOID:
        return KEY_TIMESTAMP;
    case TIMESTAMPTZOID:
        return KEY_TIMESTAMPTZ;
    case DATEOID:
        return KEY_DATE;
    default:
        return KEY_NONE;
    }
}

ninho_key_encoding key_encoding(key_type type)
{
    switch (type) {
    case KEY_TEXT:
    case KEY_BPCHAR:
    case KEY_NAME:
    case KEY_BYTEA:
        return NINHO_KEY_BYTES;
    case KEY_UUID:
        return NINHO_KEY_UUID;
    default:
        return NINHO_KEY_INT64;
    }
}

bool key_types_agree(key_type a, key_type b)
{
    if (a == KEY_NONE || b == KEY_NONE || key_encoding(a) != key_encoding(b))
        return false;
    if (key_encoding(a) == NINHO_KEY_BYTES)
        return (a == KEY_BYTEA) == (b == KEY_BYTEA);
    if (key_encoding(a) == NINHO_KEY_INT64) /* integers, local times, times */
        return (a == KEY_TIMESTAMPTZ) == (b == KEY_TIMESTAMPTZ) &&
               (a == KEY_TIMESTAMP || a == KEY_DATE) ==
                   (b == KEY_TIMESTAMP || b == KEY_DATE);
    return true;
}

/* ---- What may not be a key ----------------------------------------------------------- */

bool key_is_text(key_type type)
{
    return type == KEY_TEXT || type == KEY_BPCHAR || type == KEY_NAME;
}

void key_check_collation(Oid collation)
{
    if (!OidIsValid(collation))
        ereport(ERROR,
                (errcode(ERRCODE_INDETERMINATE_COLLATION),
                 errmsg("ninho: could not determine which collation the value has"),
                 errhint("Use the COLLATE clause to set the collation explicitly.")));
    if (!get_collation_isdeterministic(collation))
        ereport(
            ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("ninho: the collation \"%s\" is not deterministic: it takes texts "
                    "for equal that differ in their bytes, and filters do not",
                    get_collation_name(collation)),
             errhint(
                 "Use another one, as in value COLLATE \"C\", if equal bytes are what "
                 "is meant.")));
}

/* What a value was before PostgreSQL took it for another type, without being asked to. */
static Node *as_written(Node *value)
{
    for (;;) {
        if (IsA(value, RelabelType) &&
            ((RelabelType *)value)->relabelformat == COERCE_IMPLICIT_CAST)
            value = (Node *)((RelabelType *)value)->arg;
        else if (IsA(value, ArrayCoerceExpr) &&
                 ((ArrayCoerceExpr *)value)->coerceformat == COERCE_IMPLICIT_CAST)
            value = (Node *)((ArrayCoerceExpr *)value)->arg;
        else
            return value;
    }
}

/* The type that a value was written in; of an array's elements, where all of them are asked for. */
static Oid written_type(FunctionCallInfo fcinfo, int argument)
{
    Node *call = fcinfo->flinfo->fn_expr;
    List *arguments = NIL;

    if (call && IsA(call, OpExpr))
        arguments = ((OpExpr *)call)->args;
    else if (call && IsA(call, FuncExpr))
        arguments = ((FuncExpr *)call)->args;
    else if (call && IsA(call, ScalarArrayOpExpr))
        arguments = ((ScalarArrayOpExpr *)call)->args;
    if (list_length(arguments) <= argument)
        return InvalidOid;
    const Oid type = exprType(as_written(list_nth(arguments, argument)));
    return IsA(call, ScalarArrayOpExpr) ? get_base_element_type(type) : type;
}

void key_check_site(FunctionCallInfo fcinfo, key_type type, int argument)
{
    if (!key_is_text(type))
        return;
    key_check_collation(PG_GET_COLLATION());
    const Oid written = written_type(fcinfo, argument);
    if (OidIsValid(written) && key_type_of(written) == KEY_NONE && written != UNKNOWNOID)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("ninho: values of type %s cannot be keys as they are",
                               format_type_be(written)),
                        errhint("Cast them to text if equal bytes are what is meant.")));
}

/* ---- Hashes -------------------------------------------------------------------------- */

static bool is_ascii(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (IS_HIGHBIT_SET(bytes[i]))
            return false;
    return true;
}

/* Text in the database's encoding. In UTF-8, and in ASCII within any other, nothing is to be done. */
static uint64_t hash_text(const ninho_hasher *hasher, const char *bytes, size_t size)
{
    const int encoding = GetDatabaseEncoding();

    if (encoding == PG_UTF8 || is_ascii(bytes, size))
        return ninho_hash_bytes(hasher, bytes, size);
    if (encoding == PG_SQL_ASCII)
        ereport(ERROR,
                (errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
                 errmsg("ninho: a text that is not ASCII in a database whose encoding is "
                        "not known (SQL_ASCII)"),
                 errhint("Cast it to bytea if its bytes are meant.")));
    char *utf8 = pg_server_to_any(bytes, (int)size, PG_UTF8);
    const uint64_t hash = ninho_hash_bytes(hasher, utf8, strlen(utf8));
    if (utf8 != bytes)
        pfree(utf8);
    return hash;
}

static uint64_t hash_varlena(key_type type, const ninho_hasher *hasher, Datum value)
{
    struct varlena *stored = (struct varlena *)DatumGetPointer(value);
    struct varlena *packed = pg_detoast_datum_packed(stored);
    const char *bytes = VARDATA_ANY(packed);
    size_t size = (size_t)VARSIZE_ANY_EXHDR(packed);
    uint64_t hash;

    if (type == KEY_BPCHAR)
        while (size > 0 && bytes[size - 1] == ' ')
            size--;
    if (type == KEY_BYTEA)
        hash = ninho_hash_bytes(hasher, bytes, size);
    else
        hash = hash_text(hasher, bytes, size);
    if (packed != stored)
        pfree(packed);
    return hash;
}

/* PostgreSQL counts from 2000. The sum is taken modulo 2^64, so that infinity and the last years before it, too,
 * have numbers of their own. */
static int64_t since_1970(Timestamp timestamp)
{
    const uint64_t microseconds =
        (uint64_t)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (uint64_t)USECS_PER_DAY;

    return (int64_t)((uint64_t)timestamp + microseconds);
}

/* A date is the timestamp at which it begins, as for PostgreSQL's own date = timestamp. Those that no timestamp
 * reaches are equal to none, and get numbers around -2^62, which none has: timestamps begin above -2^58, and the
 * sums that went past 2^63 end below -2^63 + 2^50. */
static int64_t date_number(DateADT date)
{
    if (DATE_IS_NOBEGIN(date))
        return since_1970(DT_NOBEGIN);
    if (DATE_IS_NOEND(date))
        return since_1970(DT_NOEND);
    if (date >= TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE)
        return INT64_MIN / 2 + date;
    return since_1970((Timestamp)date * USECS_PER_DAY);
}

uint64_t key_hash(key_type type, const ninho_hasher *hasher, Datum value)
{
    switch (type) {
    case KEY_INT8:
        return ninho_hash_int64(hasher, DatumGetInt64(value));
    case KEY_INT4:
        return ninho_hash_int64(hasher, DatumGetInt32(value));
    case KEY_INT2:
        return ninho_hash_int64(hasher, DatumGetInt16(value));
    case KEY_TIMESTAMP:
    case KEY_TIMESTAMPTZ:
        return ninho_hash_int64(hasher, since_1970(DatumGetTimestamp(value)));
    case KEY_DATE:
        return ninho_hash_int64(hasher, date_number(DatumGetDateADT(value)));
    case KEY_UUID:
        return ninho_hash_bytes(hasher, DatumGetUUIDP(value)->data, UUID_LEN);
    case KEY_NAME:
        return hash_text(hasher, NameStr(*DatumGetName(value)),
                         strlen(NameStr(*DatumGetName(value))));
    default:
        return hash_varlena(type, hasher, value);
    }
}
