/* SPDX-License-Identifier: MIT */
/* BF.MERGE, CF.MERGE and NINHO.UNION dst src [src ...]: the destination, if it is there,
 * and all sources together. They are put together in a copy, which takes its place when
 * nothing has failed. */
#include <string.h>

#include "../common/defaults.h"
#include "chain.h"
#include "commands.h"
#include "reply.h"

static ninho_status unite(struct nr_object *target, const struct nr_object *source,
                          ninho_error *error)
{
    const ninho_status status = target->face == NR_NINHO
                                    ? ninho_filter_union(target->layers[0].filter,
                                                         source->layers[0].filter, error)
                                    : nr_chain_merge(target, source, error);

    error->status = status;
    return status;
}

/* Sum of the bytes of all keys; 0 after an error. */
static size_t sum_sizes(const struct nr_args *args, unsigned face)
{
    size_t sum = 0;

    for (int i = 1; i < args->argc; i++) {
        struct nr_object *object;
        RedisModuleKey *key;
        const enum nr_found found =
            nr_open(args, i, REDISMODULE_READ, face, &key, &object);
        if (found == NR_REPLIED)
            return 0;
        if (found == NR_MISSING && i > 1) {
            nr_close(key);
            nr_error(args->ctx, NR_NOT_FOUND);
            return 0;
        }
        const bool is_free = !object || nr_is_free(args, object->layers[0].filter);
        sum += object ? nr_object_bytes(object) : 0;
        nr_close(key);
        if (!is_free)
            return 0;
    }
    return nr_is_too_large(args, sum) ? 0 : sum;
}

static bool is_same_key(const struct nr_args *args, int i)
{
    size_t n, m;
    const char *a = redis.StringPtrLen(args->argv[1], &n);
    const char *b = redis.StringPtrLen(args->argv[i], &m);

    return n == m && memcmp(a, b, n) == 0;
}

/* All of them in a new object; NULL after an error. */
static struct nr_object *merged(const struct nr_args *args, unsigned face)
{
    struct nr_object *sum = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    for (int i = 1; i < args->argc && !error.status; i++) {
        struct nr_object *object;
        RedisModuleKey *key;
        if (i > 1 && is_same_key(args, i))
            continue;
        (void)nr_open(args, i, REDISMODULE_READ, face, &key, &object);
        if (object && !sum) {
            sum = nr_object_copy(object, &error);
            if (!sum)
                error.status = NINHO_ERR_NOMEM;
        } else if (object) {
            (void)unite(sum, object, &error);
        }
        nr_close(key);
    }
    if (!error.status)
        return sum;
    nr_object_free(sum);
    if (error.status == NINHO_ERR_FULL && !error.text[0])
        nr_error(args->ctx, "ERR the filters do not fit into one");
    else if (face == NR_NINHO && is_made_otherwise(&error))
        nr_error(args->ctx, "ERR %s; %s", error.text, UNION_ADVICE);
    else
        nr_fail(args->ctx, &error);
    return NULL;
}

static int merge(struct nr_args args, unsigned face)
{
    if (args.argc < 3)
        return redis.WrongArity(args.ctx);
    if (!sum_sizes(&args, face))
        return REDISMODULE_OK;
    struct nr_object *sum = merged(&args, face);
    if (!sum)
        return REDISMODULE_OK;
    RedisModuleKey *key =
        redis.OpenKey(args.ctx, args.argv[1], REDISMODULE_READ | REDISMODULE_WRITE);
    nr_update(key, sum);
    nr_close(key);
    nr_changed(&args);
    return redis.ReplyWithSimpleString(args.ctx, "OK");
}

int nr_bf_merge(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return merge(nr_begin(ctx, argv, argc), NR_BF);
}

int nr_cf_merge(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return merge(nr_begin(ctx, argv, argc), NR_CF);
}

int nr_ninho_union(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    return merge(nr_begin(ctx, argv, argc), NR_NINHO);
}
