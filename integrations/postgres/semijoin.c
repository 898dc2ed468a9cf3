/* SPDX-License-Identifier: MIT */
/* Which way moves the fewest bytes when the rows of a remote table are wanted whose key is in a local set.
 *
 *     list    the keys themselves go there, the matching rows come back
 *     filter  a filter goes there, and some rows too many come back: fpr of those that do not match
 *     plain   nothing goes there, and all rows come back
 *
 * The rows that match come back in each. A smaller fpr means more bytes there and fewer back; the best lies
 * between, and depends on both sizes and on the width of a row. */
#include "ninho_pg.h"

#include <math.h>

#include <access/htup_details.h>
#include <catalog/pg_attribute.h>
#include <catalog/pg_class.h>
#include <catalog/pg_type.h>
#include <funcapi.h>
#include <miscadmin.h>
#include <utils/acl.h>
#include <utils/builtins.h>
#include <utils/lsyscache.h>
#include <utils/syscache.h>

NINHO_SQL_BEGIN
PG_FUNCTION_INFO_V1(ninhopg_semijoin_plan);
PG_FUNCTION_INFO_V1(ninhopg_row_bytes);
NINHO_SQL_END

struct sizes {
    double n_keys;
    double n_remote;
    double n_matches;
    double row_bytes; /* of one row on its way back */
    double key_bytes; /* of one key on its way there, as text */
};

struct way {
    const char *method;
    const char *kind; /* of the filter, else NULL */
    double fpr;
    double bits_per_key; /* of the filter, as it travels */
    double sent_bytes;
    double received_bytes;
};

static double total(const struct way *a)
{
    return a->sent_bytes + a->received_bytes;
}

/* The text of a filter is base64: 4 bytes for 3. */
static double text_bytes(uint64_t size)
{
    const uint64_t n_triples = (size + 2) / 3;
    return 4.0 * (double)n_triples;
}

/* The best filter: every kind, at rates a quarter of a bit apart. */
static void try_filters(const struct sizes *sizes, struct way *best)
{
    static const ninho_kind kinds[] = {NINHO_FUSE, NINHO_CUCKOO, NINHO_BLOOM,
                                       NINHO_BLOCKED};

    for (size_t i = 0; i < lengthof(kinds); i++) {
        for (int quarter_bits = 4; quarter_bits <= 4 * 32; quarter_bits++) {
            ninho_spec spec = NINHO_SPEC_INIT;
            ninho_plan plan = NINHO_PLAN_INIT;
            spec.kind = kinds[i];
            spec.capacity = (uint64_t)sizes->n_keys;
            spec.fpr = exp2(-quarter_bits / 4.0);
            if (ninho_filter_plan(&spec, &plan, NULL) ||
                plan.size_bytes > setting_limit())
                continue;
            const double n_more =
                (sizes->n_remote - sizes->n_matches) * plan.fpr_expected;
            const struct way found = {
                .method = "filter",
                .kind = ninho_kind_name(spec.kind),
                .fpr = spec.fpr,
                .bits_per_key = 8 * text_bytes(plan.size_bytes) / sizes->n_keys,
                .sent_bytes = text_bytes(plan.size_bytes),
                .received_bytes = (sizes->n_matches + n_more) * sizes->row_bytes};
            if (total(&found) < total(best))
                *best = found;
            if (found.sent_bytes > total(best))
                break; /* smaller rates only cost more */
        }
    }
}

static double number_at(FunctionCallInfo fcinfo, int argument, double least,
                        const char *name)
{
    const double value = PG_GETARG_FLOAT8(argument);

    if (!(value >= least) || isinf(value))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("ninho: %s must be at least %g, not %g", name, least, value)));
    return value;
}

/* (n_keys, n_remote, row_bytes, key_bytes, match_share): all float8, none NULL. */
Datum ninhopg_semijoin_plan(PG_FUNCTION_ARGS)
{
    struct sizes sizes = {.n_keys = number_at(fcinfo, 0, 0, "n_keys"),
                          .n_remote = number_at(fcinfo, 1, 0, "n_remote"),
                          .row_bytes = number_at(fcinfo, 2, 0, "row_bytes"),
                          .key_bytes = number_at(fcinfo, 3, 0, "key_bytes")};
    const double share = number_at(fcinfo, 4, 0, "match_share");
    TupleDesc shape;

    if (share > 1)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("ninho: match_share must be at most 1, not %g", share)));
    if (get_call_result_type(fcinfo, NULL, &shape) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "ninho: a row is wanted of a function that gives none");
    sizes.n_matches = Min(sizes.n_remote, share * sizes.n_keys);
    struct way best = {.method = "list", /* each key, a comma; two braces */
                       .sent_bytes = sizes.n_keys * (sizes.key_bytes + 1) + 2,
                       .received_bytes = sizes.n_matches * sizes.row_bytes};
    const struct way plain = {.method = "plain",
                              .received_bytes = sizes.n_remote * sizes.row_bytes};
    if (sizes.n_keys >= 1)
        try_filters(&sizes, &best);
    if (total(&plain) < total(&best))
        best = plain;

    bool nulls[6] = {false};
    Datum values[6] = {CStringGetTextDatum(best.method)};
    nulls[1] = nulls[2] = nulls[3] = best.kind == NULL;
    if (best.kind) {
        values[1] = CStringGetTextDatum(best.kind);
        values[2] = Float8GetDatum(best.fpr);
        values[3] = Float8GetDatum(best.bits_per_key);
    }
    values[4] = Float8GetDatum(best.sent_bytes);
    values[5] = Float8GetDatum(best.received_bytes);
    PG_RETURN_DATUM(
        HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(shape), values, nulls)));
}

static int column_count(Oid table)
{
    HeapTuple row = SearchSysCache1(RELOID, ObjectIdGetDatum(table));

    if (!HeapTupleIsValid(row))
        return 0;
    const int n = ((Form_pg_class)GETSTRUCT(row))->relnatts;
    ReleaseSysCache(row);
    return n;
}

static bool is_dropped(Oid table, AttrNumber column)
{
    HeapTuple row =
        SearchSysCache2(ATTNUM, ObjectIdGetDatum(table), Int16GetDatum(column));

    if (!HeapTupleIsValid(row))
        return true;
    const bool is = ((Form_pg_attribute)GETSTRUCT(row))->attisdropped;
    ReleaseSysCache(row);
    return is;
}

/* The bytes of a row on its way, by the statistics of the table; NULL where there are none, or not for whoever may
 * not read it. A number has another width there than its text, by a factor of two perhaps, which costs the plan a
 * bit for each key. */
Datum ninhopg_row_bytes(PG_FUNCTION_ARGS)
{
    const Oid table = PG_GETARG_OID(0);
    const int n_columns = column_count(table);
    double bytes = 7;

    if (n_columns == 0 ||
        pg_class_aclcheck(table, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
        PG_RETURN_NULL();
    for (int i = 1; i <= n_columns; i++) {
        if (is_dropped(table, (AttrNumber)i))
            continue;
        const int32 width = get_attavgwidth(table, (AttrNumber)i);
        if (width <= 0)
            PG_RETURN_NULL();
        bytes += 4 + width;
    }
    PG_RETURN_FLOAT8(bytes);
}
