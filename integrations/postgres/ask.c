/* SPDX-License-Identifier: MIT */
/* Functions over filters: asked, changed, united, told about. */
#include "ninho_pg.h"

#include <common/shortest_dec.h>
#include <utils/builtins.h>
#include <utils/jsonb.h>

NINHO_SQL_BEGIN
PG_FUNCTION_INFO_V1(ninhopg_union);
PG_FUNCTION_INFO_V1(ninhopg_info);
PG_FUNCTION_INFO_V1(ninhopg_count);
PG_FUNCTION_INFO_V1(ninhopg_estimate);
PG_FUNCTION_INFO_V1(ninhopg_version);
PG_FUNCTION_INFO_V1(ninhopg_key_encoding);
PG_FUNCTION_INFO_V1(ninhopg_keys_agree);
NINHO_SQL_END

/* ---- One key ------------------------------------------------------------------------- */

static bool ask(FunctionCallInfo fcinfo, key_type type)
{
    if (!fcinfo->flinfo->fn_extra)
        key_check_site(fcinfo, type, 1);
    const struct asked *at = filter_asked(fcinfo, PG_GETARG_DATUM(0));
    if (at->encoding != key_encoding(type))
        filter_check_encoding(at->encoding, key_encoding(type));
    return ninho_filter_has(at->filter, key_hash(type, &at->hasher, PG_GETARG_DATUM(1)));
}

typedef ninho_status change_call(ninho_filter *filter, uint64_t hash);

static void pg_attribute_noreturn()
    raise_unable(const ninho_spec *spec, change_call *call)
{
    const bool is_add = call == ninho_filter_add;

    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("ninho: a %s filter cannot %s keys",
                           ninho_kind_name(spec->kind), is_add ? "add" : "remove"),
                    is_add ? errhint("Build it again with all of its values.")
                           : errhint("These kinds can: counting, cuckoo, quotient and "
                                     "compact.")));
}

/* The filter changed, as a datum of its own. */
static Datum change(FunctionCallInfo fcinfo, key_type type, change_call *call)
{
    ninho_filter *filter = filter_copy(PG_GETARG_DATUM(0), CurrentMemoryContext);
    ninho_spec spec = NINHO_SPEC_INIT;
    ninho_hasher hasher;

    key_check_site(fcinfo, type, 1);
    filter_check_may_change(filter);
    ninho_status status = ninho_filter_spec(filter, &spec);
    if (!status) {
        filter_check_encoding(spec.key_encoding, key_encoding(type));
        status = ninho_filter_hasher(filter, &hasher);
    }
    if (!status)
        status = call(filter, key_hash(type, &hasher, PG_GETARG_DATUM(1)));
    if (status == NINHO_ERR_UNSUPPORTED)
        raise_unable(&spec, call);
    if (status)
        raise_status(status, NULL);
    const Datum made = filter_datum(filter);
    ninho_filter_free(filter);
    return made;
}

/* A function for each type, so that none has to be looked up, not even where PostgreSQL calls an operator without
 * telling the types, as it does to estimate how many rows will pass. */
/* clang-format off */
#define KEY_FUNCTIONS(name, type)                                                        \
    NINHO_SQL_BEGIN                                                                      \
    PG_FUNCTION_INFO_V1(ninhopg_has_##name);                                             \
    PG_FUNCTION_INFO_V1(ninhopg_add_##name);                                             \
    PG_FUNCTION_INFO_V1(ninhopg_remove_##name);                                          \
    NINHO_SQL_END                                                                        \
    Datum ninhopg_has_##name(PG_FUNCTION_ARGS)                                           \
    {                                                                                    \
        PG_RETURN_BOOL(ask(fcinfo, type));                                               \
    }                                                                                    \
    Datum ninhopg_add_##name(PG_FUNCTION_ARGS)                                           \
    {                                                                                    \
        return change(fcinfo, type, ninho_filter_add);                                   \
    }                                                                                    \
    Datum ninhopg_remove_##name(PG_FUNCTION_ARGS)                                        \
    {                                                                                    \
        return change(fcinfo, type, ninho_filter_remove);                                \
    }

KEY_FUNCTIONS(text, KEY_TEXT)
KEY_FUNCTIONS(bytea, KEY_BYTEA)
KEY_FUNCTIONS(int2, KEY_INT2)
KEY_FUNCTIONS(int4, KEY_INT4)
KEY_FUNCTIONS(int8, KEY_INT8)
KEY_FUNCTIONS(uuid, KEY_UUID)
KEY_FUNCTIONS(timestamp, KEY_TIMESTAMP)
KEY_FUNCTIONS(timestamptz, KEY_TIMESTAMPTZ)
KEY_FUNCTIONS(date, KEY_DATE)
/* clang-format on */

/* ---- Whole filters ------------------------------------------------------------------- */

Datum ninhopg_union(PG_FUNCTION_ARGS)
{
    ninho_filter *target = filter_copy(PG_GETARG_DATUM(0), CurrentMemoryContext);
    ninho_view *view = palloc(sizeof *view);

    filter_unite(target, filter_view(PG_GETARG_DATUM(1), view));
    const Datum made = filter_datum(target);
    ninho_filter_free(target);
    pfree(view);
    return made;
}

Datum ninhopg_count(PG_FUNCTION_ARGS)
{
    ninho_view *view = palloc(sizeof *view);
    const uint64_t count = ninho_filter_count(filter_view(PG_GETARG_DATUM(0), view));

    pfree(view);
    PG_RETURN_INT64((int64_t)Min(count, (uint64_t)PG_INT64_MAX));
}

/* From the bits that are set where the kind has such, else the count. NULL where every bit is set. */
Datum ninhopg_estimate(PG_FUNCTION_ARGS)
{
    ninho_view *view = palloc(sizeof *view);
    const ninho_filter *filter = filter_view(PG_GETARG_DATUM(0), view);
    double n_keys = 0;
    const ninho_status status = ninho_filter_estimate(filter, &n_keys);

    if (status == NINHO_ERR_FULL)
        PG_RETURN_NULL();
    if (status == NINHO_ERR_UNSUPPORTED)
        n_keys = (double)ninho_filter_count(filter);
    else if (status)
        raise_status(status, NULL);
    PG_RETURN_FLOAT8(n_keys);
}

/* As short as it can be, whatever extra_float_digits is. */
static const char *number(double value)
{
    char *text = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

    double_to_shortest_decimal_buf(value, text);
    return text;
}

/* The names are those of `ninho info --json`. */
Datum ninhopg_info(PG_FUNCTION_ARGS)
{
    ninho_view *view = palloc(sizeof *view);
    const ninho_filter *filter = filter_view(PG_GETARG_DATUM(0), view);
    ninho_info about = NINHO_INFO_INIT;
    const char *name;
    StringInfoData text;
    const ninho_status status = ninho_filter_info(filter, &about);

    if (status)
        raise_status(status, NULL);
    initStringInfo(&text);
    appendStringInfo(
        &text,
        "{\"kind\":\"%s\",\"capacity\":" UINT64_FORMAT ",\"count\":" UINT64_FORMAT
        ",\"count_is_estimate\":%s,\"fpr_target\":%s,\"fpr_expected\":%s,"
        "\"bits_per_key\":%s,\"size_bytes\":" UINT64_FORMAT
        ",\"load\":%s,\"seed\":" UINT64_FORMAT
        ",\"hash\":\"%s\",\"key_encoding\":\"%s\",\"format_version\":%u,\"can\":[",
        ninho_kind_name(about.kind), about.capacity, about.count,
        about.count_is_estimate ? "true" : "false", number(about.fpr_target),
        number(about.fpr_expected), number(about.bits_per_key), about.size_bytes,
        number(about.load), about.seed, ninho_hash_name(about.hash),
        ninho_key_encoding_name(about.key_encoding), about.format_version);
    for (size_t i = 0; (name = ninho_can_name(about.can, i)) != NULL; i++)
        appendStringInfo(&text, "%s\"%s\"", i ? "," : "", name);
    appendStringInfoString(&text, "]}");
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
}

Datum ninhopg_version(PG_FUNCTION_ARGS)
{
    (void)fcinfo;
    PG_RETURN_TEXT_P(cstring_to_text(ninho_version()));
}

/* How values of a type are keys: "bytes", "int64", "uuid"; NULL if they cannot be. */
Datum ninhopg_key_encoding(PG_FUNCTION_ARGS)
{
    const key_type type = key_type_of(PG_GETARG_OID(0));

    if (type == KEY_NONE)
        PG_RETURN_NULL();
    PG_RETURN_TEXT_P(cstring_to_text(ninho_key_encoding_name(key_encoding(type))));
}

/* Can a filter of values of the one type be asked for values of the other? */
Datum ninhopg_keys_agree(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(
        key_types_agree(key_type_of(PG_GETARG_OID(0)), key_type_of(PG_GETARG_OID(1))));
}
