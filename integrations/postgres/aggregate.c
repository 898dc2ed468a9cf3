/* SPDX-License-Identifier: MIT */
/* The aggregates: ninho_agg(value, capacity, fpr, kind) and ninho_union_agg(filter); and ninho_create(), which is the first of
 * them over no rows. Their states are the server's memory, so that an error anywhere leaves nothing behind; both can be
 * computed in parallel. */
#include "ninho_pg.h"

#include <catalog/pg_aggregate.h>
#include <miscadmin.h>
#include <nodes/execnodes.h>
#include <nodes/nodeFuncs.h>
#include <utils/builtins.h>
#include <utils/memutils.h>
#include <utils/syscache.h>

#include "../common/collector.h"
#include "../common/defaults.h"

NINHO_SQL_BEGIN
PG_FUNCTION_INFO_V1(ninhopg_agg_step);
PG_FUNCTION_INFO_V1(ninhopg_agg_combine);
PG_FUNCTION_INFO_V1(ninhopg_agg_serialize);
PG_FUNCTION_INFO_V1(ninhopg_agg_deserialize);
PG_FUNCTION_INFO_V1(ninhopg_agg_final);
PG_FUNCTION_INFO_V1(ninhopg_create);
PG_FUNCTION_INFO_V1(ninhopg_union_step);
PG_FUNCTION_INFO_V1(ninhopg_union_combine);
PG_FUNCTION_INFO_V1(ninhopg_union_serialize);
PG_FUNCTION_INFO_V1(ninhopg_union_deserialize);
PG_FUNCTION_INFO_V1(ninhopg_union_final);
NINHO_SQL_END

static MemoryContext aggregate_memory(FunctionCallInfo fcinfo)
{
    MemoryContext context;

    if (!AggCheckCallContext(fcinfo, &context))
        elog(ERROR, "ninho: called outside of an aggregate");
    return context;
}

/* ---- ninho_agg ----------------------------------------------------------------------- */

#define MOST_NAME 32 /* bytes of a kind's name */

/* The arguments behind the value. NULL is as if it were not there. */
struct arguments {
    int64_t capacity; /* 0: not given */
    double fpr;       /* 0: not given, since it could not be 0 */
    bool has_kind;
    char kind[MOST_NAME];
};

/* One group. */
struct building {
    struct collector collector;
    ninho_hasher hasher; /* with a secret of its own: the setting may change on the way */
    key_type type;
    struct arguments arguments;
    bool is_varying; /* the arguments might change from row to row */
};

/* Argument number `first` is the capacity. */
static void read_arguments(FunctionCallInfo fcinfo, int first,
                           struct arguments *arguments)
{
    *arguments = (struct arguments){0};
    if (PG_NARGS() > first && !PG_ARGISNULL(first)) {
        arguments->capacity = PG_GETARG_INT64(first);
        if (arguments->capacity < 1)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("ninho: capacity must be at least 1, not %lld",
                                   (long long)arguments->capacity)));
    }
    if (PG_NARGS() > first + 1 && !PG_ARGISNULL(first + 1)) {
        arguments->fpr = PG_GETARG_FLOAT8(first + 1);
        if (arguments->fpr == 0)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("ninho: fpr must lie between 0 and 1, both excluded, "
                                   "not 0")));
    }
    if (PG_NARGS() > first + 2 && !PG_ARGISNULL(first + 2)) {
        arguments->has_kind = true;
        text_to_cstring_buffer(PG_GETARG_TEXT_PP(first + 2), arguments->kind, MOST_NAME);
    }
}

static bool are_same(const struct arguments *a, const struct arguments *b)
{
    return a->capacity == b->capacity && a->fpr == b->fpr && a->has_kind == b->has_kind &&
           strcmp(a->kind, b->kind) == 0;
}

/* Refuses a row that wants another filter than the group's first. */
static void check_arguments(FunctionCallInfo fcinfo, const struct building *group)
{
    struct arguments arguments;

    read_arguments(fcinfo, 2, &arguments);
    if (!are_same(&arguments, &group->arguments))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("ninho: capacity, fpr and kind must be the same in all "
                               "rows of a group")));
}

/* Could an argument behind the value be another in the next row? What is no constant could. */
static bool is_varying(FunctionCallInfo fcinfo)
{
    const Aggref *call = AggGetAggref(fcinfo);

    if (!call)
        return PG_NARGS() > 2; /* in a window the call is not to be seen */
    for (int i = 1; i < list_length(call->args); i++)
        if (!IsA(((const TargetEntry *)list_nth(call->args, i))->expr, Const))
            return true;
    return false;
}

/* What these arguments ask for, of values of this type. The secret is the setting's. */
static ninho_spec spec_of(const struct arguments *arguments, key_type type)
{
    ninho_spec spec = NINHO_SPEC_INIT;

    spec.kind =
        arguments->has_kind ? ninho_kind_from_name(arguments->kind) : DEFAULT_KIND;
    spec.capacity = (uint64_t)arguments->capacity;
    spec.fpr = arguments->fpr != 0 ? arguments->fpr : DEFAULT_FPR;
    spec.secret = setting_secret();
    spec.hash = spec.secret ? NINHO_HASH_SIPHASH : NINHO_HASH_XXH3;
    spec.key_encoding = key_encoding(type);
    if (!spec.kind)
        ereport(
            ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("ninho: no such kind of filter: \"%s\"", arguments->kind),
             errhint(
                 "There are bloom, blocked, counting, cuckoo, quotient, fuse, compact "
                 "and scalable.")));
    return spec;
}

/* ---- Values that may not be keys ----------------------------------------------------- */

static void check_value(const Node *value)
{
    if (key_is_text(key_type_of(exprType(value))))
        key_check_collation(exprCollation(value));
}

static bool is_ours(Oid aggregate, Oid step)
{
    HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));

    if (!HeapTupleIsValid(tuple))
        return false;
    const bool is_it = ((Form_pg_aggregate)GETSTRUCT(tuple))->aggtransfn == step;
    ReleaseSysCache(tuple);
    return is_it;
}

/* The call's own collation does not tell that of the values: the name of a kind is a text as well, and has one too. In a
 * window it is not to be seen which of its calls is ours, but any that is may not have such values. */
static void check_collation(FunctionCallInfo fcinfo)
{
    const Aggref *call = AggGetAggref(fcinfo);
    const ListCell *cell;

    if (call) {
        check_value((const Node *)((const TargetEntry *)linitial(call->args))->expr);
        return;
    }
    foreach (cell, ((WindowAggState *)fcinfo->context)->funcs) {
        const WindowFunc *one = ((const WindowFuncExprState *)lfirst(cell))->wfunc;
        if (one->winagg && is_ours(one->winfnoid, fcinfo->flinfo->fn_oid))
            check_value(linitial(one->args));
    }
}

static key_type wanted_type(Oid type)
{
    const key_type key = key_type_of(type);

    if (key == KEY_NONE)
        ereport(ERROR,
                (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                 errmsg("ninho: values of type %s cannot be keys as they are",
                        format_type_be(type)),
                 errhint("Cast them to text, bytea, bigint, uuid, date or timestamp.")));
    return key;
}

static key_type value_type(FunctionCallInfo fcinfo)
{
    const key_type key = wanted_type(get_fn_expr_argtype(fcinfo->flinfo, 1));

    check_collation(fcinfo);
    return key;
}

/* A cancelled query is not to sort and build to the end. The state that is left behind dies with the query. */
static void heed_interrupts(void)
{
    CHECK_FOR_INTERRUPTS();
}

/* The same for the library, which is not to be left by a jump. */
static bool is_interrupted(void *context)
{
    (void)context;
    return QueryCancelPending || ProcDiePending;
}

static void keep_secret(struct building *made)
{
    if (!made->collector.spec.secret)
        return;
    memcpy(made->hasher.secret, made->collector.spec.secret, NINHO_SECRET_BYTES);
    made->collector.spec.secret = made->hasher.secret;
}

static struct building *begin_building(MemoryContext context, const ninho_spec *spec)
{
    struct building *made = MemoryContextAllocZero(context, sizeof *made);
    const ninho_alloc alloc = context_alloc(context);
    ninho_error error = NINHO_ERROR_INIT;
    const ninho_status status =
        collector_begin(&made->collector, spec, &alloc, setting_limit(), &error);

    if (status)
        raise_status(status, &error);
    made->hasher.id = spec->hash;
    made->collector.spec.is_stopped = is_interrupted;
    collector_set_pause(&made->collector, heed_interrupts);
    keep_secret(made);
    return made;
}

static struct building *begin_group(FunctionCallInfo fcinfo)
{
    const MemoryContext memory = aggregate_memory(fcinfo);
    const key_type type = value_type(fcinfo);
    struct arguments arguments;

    read_arguments(fcinfo, 2, &arguments);
    const ninho_spec spec = spec_of(&arguments, type);
    struct building *made = begin_building(memory, &spec);
    made->type = type;
    made->arguments = arguments;
    made->is_varying = is_varying(fcinfo);
    return made;
}

Datum ninhopg_agg_step(PG_FUNCTION_ARGS)
{
    struct building *group =
        PG_ARGISNULL(0) ? NULL : (struct building *)PG_GETARG_POINTER(0);
    ninho_error error = NINHO_ERROR_INIT;

    if (PG_ARGISNULL(1)) {
        if (group)
            PG_RETURN_POINTER(group);
        PG_RETURN_NULL();
    }
    if (!group)
        group = begin_group(fcinfo);
    else if (group->is_varying)
        check_arguments(fcinfo, group);
    const uint64_t hash = key_hash(group->type, &group->hasher, PG_GETARG_DATUM(1));
    if (collector_add(&group->collector, hash, &error))
        raise_status(error.status, &error);
    PG_RETURN_POINTER(group);
}

/* The filter of what was collected. The state stays as it is, since a window may go on with it. */
static Datum built(struct building *group)
{
    struct collector *collector = &group->collector;
    ninho_filter *made = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    if (collector_flush(collector, &error))
        raise_status(error.status, &error);
    if (collector->filter)
        return filter_datum(collector->filter);
    if (collector_build(collector, setting_limit(), &made, &error)) {
        CHECK_FOR_INTERRUPTS(); /* which may be the reason */
        raise_status(error.status, &error);
    }
    const Datum datum = filter_datum(made);
    ninho_filter_free(made);
    return datum;
}

/* No rows, or NULLs alone: NULL. */
Datum ninhopg_agg_final(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    return built((struct building *)PG_GETARG_POINTER(0));
}

/* An empty filter, for values that come later. */
Datum ninhopg_create(PG_FUNCTION_ARGS)
{
    struct arguments arguments;

    read_arguments(fcinfo, 1, &arguments);
    if (PG_ARGISNULL(0))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("ninho: an empty filter wants a type")));
    ninho_spec spec = spec_of(&arguments, wanted_type(PG_GETARG_OID(0)));
    if (!(ninho_kind_can(spec.kind) & NINHO_CAN_ADD))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("ninho: nothing can be added to a filter of kind %s",
                               ninho_kind_name(spec.kind)),
                        errhint("ninho_agg() builds one from all its values.")));
    if (!spec.capacity)
        defaults_grow(&spec);
    if (!spec.capacity)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("ninho: an empty filter of kind %s wants a capacity",
                               ninho_kind_name(spec.kind)),
                        errhint("Kinds bloom, blocked and cuckoo grow without.")));
    return built(begin_building(CurrentMemoryContext, &spec));
}

/* ---- ninho_agg in parallel ----------------------------------------------------------- */

/* A group on its way from a worker: these numbers, and the filter's bytes or the hashes. Both ends are one program
 * on one machine. */
struct packed {
    uint64_t capacity;
    double fpr;
    ninho_kind kind;
    ninho_hash_id hash;
    ninho_key_encoding encoding;
    bool has_filter;
    uint64_t key_check; /* of the secret; 0 without one */
};

static uint64_t check_of(const ninho_spec *spec)
{
    return spec->secret ? ninho_secret_check(spec->secret) : 0;
}

Datum ninhopg_agg_serialize(PG_FUNCTION_ARGS)
{
    struct building *group = (struct building *)PG_GETARG_POINTER(0);
    struct collector *collector = &group->collector;
    ninho_error error = NINHO_ERROR_INIT;

    if (collector_flush(collector, &error))
        raise_status(error.status, &error);
    const struct packed head = {.capacity = collector->spec.capacity,
                                .fpr = collector->spec.fpr,
                                .kind = collector->spec.kind,
                                .hash = collector->spec.hash,
                                .encoding = collector->spec.key_encoding,
                                .has_filter = collector->filter != NULL,
                                .key_check = check_of(&collector->spec)};
    const size_t most = MaxAllocSize - VARHDRSZ - sizeof head;
    if (bins_count(&collector->bins) > most / sizeof(uint64_t) &&
        !bins_make_distinct(&collector->bins))
        raise_status(NINHO_ERR_NOMEM, NULL);
    const size_t n_hashes = bins_count(&collector->bins);
    const size_t size = collector->filter ? ninho_filter_encoded_size(collector->filter)
                                          : n_hashes * sizeof(uint64_t);
    if (size > most)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("ninho: too many keys for one worker: " UINT64_FORMAT,
                               (uint64_t)n_hashes),
                        errhint("Give a capacity, or set max_parallel_workers_per_gather "
                                "to 0.")));
    bytea *made = palloc(VARHDRSZ + sizeof head + size);
    SET_VARSIZE(made, VARHDRSZ + sizeof head + size);
    memcpy(VARDATA(made), &head, sizeof head);
    if (collector->filter) {
        const ninho_status status = ninho_filter_encode(
            collector->filter, VARDATA(made) + sizeof head, size, NULL);
        if (status)
            raise_status(status, NULL);
    } else {
        bins_copy(&collector->bins, VARDATA(made) + sizeof head);
    }
    PG_RETURN_BYTEA_P(made);
}

static ninho_filter *decode_filter(const void *bytes, size_t size, MemoryContext context)
{
    const ninho_alloc alloc = context_alloc(context);
    ninho_open_options options = NINHO_OPEN_INIT;
    ninho_filter *filter = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    options.alloc = &alloc;
    options.secret = setting_secret();
    options.allow_sealed = !options.secret;
    const ninho_status status =
        ninho_filter_decode(bytes, size, &options, &filter, &error);
    if (status)
        raise_status(status, &error);
    return filter;
}

/* It lives until it is combined, so in the context of the call. */
Datum ninhopg_agg_deserialize(PG_FUNCTION_ARGS)
{
    (void)aggregate_memory(fcinfo);
    bytea *bytes = PG_GETARG_BYTEA_PP(0);
    const size_t size = (size_t)VARSIZE_ANY_EXHDR(bytes);
    struct building *made = palloc0(sizeof *made);
    struct collector *collector = &made->collector;
    const ninho_spec empty = NINHO_SPEC_INIT;
    struct packed head;

    if (size < sizeof head)
        elog(ERROR, "ninho: a worker's state is cut short");
    memcpy(&head, VARDATA_ANY(bytes), sizeof head);
    collector->spec = empty;
    collector->spec.kind = head.kind;
    collector->spec.capacity = head.capacity;
    collector->spec.fpr = head.fpr;
    collector->spec.hash = head.hash;
    collector->spec.key_encoding = head.encoding;
    collector->spec.secret = head.hash == NINHO_HASH_SIPHASH ? setting_secret() : NULL;
    if (check_of(&collector->spec) != head.key_check)
        raise_status(head.hash == NINHO_HASH_SIPHASH && !collector->spec.secret
                         ? NINHO_ERR_KEY_MISSING
                         : NINHO_ERR_KEY_WRONG,
                     NULL);
    keep_secret(made);
    collector->bins.alloc = context_alloc(CurrentMemoryContext);
    const char *rest = VARDATA_ANY(bytes) + sizeof head;
    const size_t rest_size = size - sizeof head;
    if (head.has_filter) {
        collector->filter = decode_filter(rest, rest_size, CurrentMemoryContext);
    } else if (rest_size) {
        struct bin *few = &collector->bins.few;
        few->hashes = palloc(rest_size);
        memcpy(few->hashes, rest, rest_size);
        few->n = few->room = rest_size / sizeof *few->hashes;
    }
    PG_RETURN_POINTER(made);
}

Datum ninhopg_agg_combine(PG_FUNCTION_ARGS)
{
    struct building *target =
        PG_ARGISNULL(0) ? NULL : (struct building *)PG_GETARG_POINTER(0);
    struct building *source =
        PG_ARGISNULL(1) ? NULL : (struct building *)PG_GETARG_POINTER(1);
    ninho_error error = NINHO_ERROR_INIT;

    if (!source) {
        if (target)
            PG_RETURN_POINTER(target);
        PG_RETURN_NULL();
    }
    if (!target)
        target = begin_building(aggregate_memory(fcinfo), &source->collector.spec);
    const ninho_status status =
        collector_merge(&target->collector, &source->collector, &error);
    if (status)
        raise_status(status, &error);
    PG_RETURN_POINTER(target);
}

/* ---- ninho_union_agg ----------------------------------------------------------------- */

Datum ninhopg_union_step(PG_FUNCTION_ARGS)
{
    ninho_filter *target = PG_ARGISNULL(0) ? NULL : (ninho_filter *)PG_GETARG_POINTER(0);

    if (PG_ARGISNULL(1)) {
        if (target)
            PG_RETURN_POINTER(target);
        PG_RETURN_NULL();
    }
    if (!target)
        PG_RETURN_POINTER(filter_copy(PG_GETARG_DATUM(1), aggregate_memory(fcinfo)));
    ninho_view *view = palloc(sizeof *view);
    filter_unite(target, filter_view(PG_GETARG_DATUM(1), view));
    pfree(view);
    PG_RETURN_POINTER(target);
}

Datum ninhopg_union_combine(PG_FUNCTION_ARGS)
{
    ninho_filter *target = PG_ARGISNULL(0) ? NULL : (ninho_filter *)PG_GETARG_POINTER(0);
    ninho_filter *source = PG_ARGISNULL(1) ? NULL : (ninho_filter *)PG_GETARG_POINTER(1);

    if (!source) {
        if (target)
            PG_RETURN_POINTER(target);
        PG_RETURN_NULL();
    }
    if (!target) {
        const ninho_alloc alloc = context_alloc(aggregate_memory(fcinfo));
        ninho_error error = NINHO_ERROR_INIT;
        const ninho_status status = ninho_filter_copy(source, &alloc, &target, &error);
        if (status)
            raise_status(status, &error);
        PG_RETURN_POINTER(target);
    }
    filter_unite(target, source);
    PG_RETURN_POINTER(target);
}

Datum ninhopg_union_serialize(PG_FUNCTION_ARGS)
{
    return filter_datum((ninho_filter *)PG_GETARG_POINTER(0));
}

Datum ninhopg_union_deserialize(PG_FUNCTION_ARGS)
{
    (void)aggregate_memory(fcinfo);
    PG_RETURN_POINTER(filter_copy(PG_GETARG_DATUM(0), CurrentMemoryContext));
}

Datum ninhopg_union_final(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    return filter_datum((ninho_filter *)PG_GETARG_POINTER(0));
}
